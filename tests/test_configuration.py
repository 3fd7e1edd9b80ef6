"""Configurations: dotted fields, words, plain data; whatever is thrown at them ends in a value or one clear line."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from serpenoid import configuration
from serpenoid.errors import FileProblem, InvalidValue, SerpenoidError, UnknownName, positive
from serpenoid.worlds import Disc, Wall


@dataclass(frozen=True)
class Wheel:
    radius: float = 0.1
    """how large [m]"""

    def __post_init__(self) -> None:
        positive("radius", self.radius)


@dataclass(frozen=True)
class Runner:
    length: float = 1.0
    """how long [m]"""


@dataclass(frozen=True)
class Cart:
    name: str = "cart"
    """what it is called"""
    count: int = 4
    """how many"""
    mode: Literal["fast", "slow"] = "fast"
    """how it goes"""
    goal: tuple[float, float] = (0.0, 1.0)
    """where to [m]"""
    weights: tuple[float, ...] = ()
    """any number of them"""
    spare: float | None = None
    """one more, or none"""
    foot: Wheel | Runner = Wheel()
    """what it stands on"""
    on: bool = False
    """whether it is on"""


def test_every_leaf_is_listed_with_its_meaning():
    fields = {field.name: field for field in configuration.walk(Cart())}
    assert list(fields) == [
        "name", "count", "mode", "goal", "weights", "spare", "foot", "foot.radius", "on",
    ]  # fmt: skip
    assert fields["foot.radius"].doc == "how large [m]"


@pytest.mark.parametrize(
    "name, words, expected",
    [
        ("count", ["7"], 7),
        ("mode", ["slow"], "slow"),
        ("goal", ["-20", "0"], (-20.0, 0.0)),
        ("goal", ["-20,0"], (-20.0, 0.0)),
        ("weights", ["1", "2", "3"], (1.0, 2.0, 3.0)),
        ("spare", ["none"], None),
        ("spare", ["0.5pi"], np.pi / 2),
        ("on", ["true"], True),
        ("name", ["7"], "7"),
    ],
)
def test_words_become_values(name, words, expected):
    assert configuration.parse(name, configuration.field_types(Cart)[name], words) == expected


@pytest.mark.parametrize(
    "name, words",
    [("count", ["7.5"]), ("count", []), ("mode", ["medium"]), ("goal", ["1"]), ("on", ["1"]), ("spare", ["x"])],
)
def test_wrong_words_name_field_value_and_choice(name, words):
    with pytest.raises(InvalidValue) as caught:
        configuration.parse(name, configuration.field_types(Cart)[name], words)
    assert caught.value.field == name
    assert "must be" in str(caught.value)


def test_changes_reach_nested_fields_and_choose_classes():
    cart = configuration.changed(Cart(), {"foot.radius": 0.2})
    assert cart.foot == Wheel(0.2)
    cart = configuration.changed(cart, {"foot": "runner", "foot.length": 2.0})
    assert cart.foot == Runner(2.0)


def test_errors_carry_the_whole_path():
    with pytest.raises(InvalidValue, match=r"foot\.radius = -1"):
        configuration.changed(Cart(), {"foot.radius": -1.0})
    with pytest.raises(UnknownName, match=r"foot\.radus.*did you mean foot\.radius"):
        configuration.changed(Cart(), {"foot.radus": 1.0})
    with pytest.raises(UnknownName, match="choose from runner, wheel"):
        configuration.changed(Cart(), {"foot": "ski"})


def test_plain_data_round_trip_is_exact():
    cart = Cart(goal=(1 / 3, -0.1), weights=(0.1, 1e-300), foot=Runner(np.pi))
    plain = json.loads(json.dumps(configuration.to_plain(cart)))
    assert configuration.from_plain(plain, Cart) == cart


@pytest.mark.parametrize(
    "data, message",
    [
        ({"count": "4"}, "count = '4': must be a whole number"),
        ({"cout": 4}, "unknown field 'cout' .*did you mean count"),
        ({"foot": {"type": "ski"}}, "unknown type 'ski'"),
        ({"foot": {"radius": -1.0}}, r"foot\.radius = -1\.0: must be above 0"),
        ({"foot": {"type": "os:path"}}, "must be a dataclass"),
        ({"goal": [1.0]}, "goal"),
    ],
)
def test_bad_plain_data_is_named(data, message):
    with pytest.raises(SerpenoidError, match=message):
        configuration.from_plain(data, Cart)


@pytest.mark.parametrize("text", ["", "schema = 2", "schema = 'x'", "schema = 1\nx = ", "\x00"])
def test_bad_toml_is_one_line(tmp_path, text):
    path = tmp_path / "robot.toml"
    path.write_text(text)
    with pytest.raises(FileProblem) as caught:
        configuration.read_toml(path)
    assert "\n" not in str(caught.value)


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=1500, deadline=None)
@given(st.dictionaries(st.sampled_from([*configuration.field_types(Cart), "type", "schema", "x"]), plain, max_size=5))
def test_hostile_plain_data_never_escapes_as_anything_else(data):
    try:
        assert isinstance(configuration.from_plain(data, Cart), Cart)
    except SerpenoidError as error:
        assert "\n" not in str(error)


@settings(max_examples=1500, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from([field.name for field in configuration.walk(Cart())] + ["x", "foot.x", "name.y", ""]),
        st.lists(st.text(max_size=6) | st.floats().map(str), max_size=3),
        max_size=4,
    )
)
def test_hostile_words_never_escape_as_anything_else(words):
    from serpenoid.cli.arguments import applied

    try:
        assert isinstance(applied(Cart(), list(words.items())), Cart)
    except SerpenoidError as error:
        assert "\n" not in str(error)


@dataclass(frozen=True)
class Yard:
    things: tuple[Disc | Wall, ...] = ()
    """what stands there"""


def test_dataclasses_of_numbers_are_written_in_words():
    annotation = configuration.field_types(Yard)["things"]
    found = configuration.parse("things", annotation, ["disc:-1,0,0.2", "Wall:-2,1,-0.5pi,1,0.05"])
    assert found == (Disc((-1.0, 0.0), 0.2), Wall((-2.0, 1.0), (-0.5 * np.pi, 1.0), 0.05))
    assert configuration.parse("things", annotation, ["none"]) == ()
    plain = json.loads(json.dumps(configuration.to_plain(Yard(found))))
    assert configuration.from_plain(plain, Yard) == Yard(found)
    short = {"things": [{"type": "disc", "center": [-1, 0], "radius": 0.2}]}  # as a TOML file has it
    assert configuration.from_plain(short, Yard).things == found[:1]


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("disc:1,2", "disc:center_x,center_y,radius or wall:start_x,start_y,end_x,end_y,radius"),
        ("disc:1,2,3,4", "disc:center_x"), ("disc", "disc:center_x"), ("post:1,2,3", "disc:center_x"),
        ("disc:1,,2", "disc:center_x"), ("disc:a,b,c", "a number"),
        ("disc:0,0,-1", "things.radius = -1.0: must be above 0"),
        ("wall:0,0,0,0,1", "things.end"), ("disc:nan,0,1", "finite"), ("true", "disc:center_x"),
    ],
)  # fmt: skip
def test_words_that_are_no_such_dataclass_are_refused_in_one_line(word, said):
    with pytest.raises(InvalidValue) as caught:
        configuration.parse("things", configuration.field_types(Yard)["things"], [word])
    assert said in str(caught.value) and "\n" not in str(caught.value)
