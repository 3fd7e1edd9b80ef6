"""Configurations: dotted fields, words, plain data. Every input ends in a value or one clear line."""

from __future__ import annotations

import gc
import importlib
import json
import sys
import types
import weakref
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from serpenoid import configuration
from serpenoid.cli.arguments import applied, help_text
from serpenoid.configuration import above, at_least, between, check_fields, classes, usual
from serpenoid.control import InertialTurning, OpenLoop, ShapeCompliance
from serpenoid.errors import FileProblem, InvalidValue, MissingValue, SerpenoidError, UnknownName, positive
from serpenoid.scenarios import SCENARIOS
from serpenoid.scenarios.base import Scenario
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
    """length [m]"""


@dataclass(frozen=True)
class Cart:
    name: str = "cart"
    """label"""
    count: int = 4
    """number of wheels"""
    mode: Literal["fast", "slow"] = "fast"
    """gear"""
    goal: tuple[float, float] = (0.0, 1.0)
    """target [m]"""
    weights: tuple[float, ...] = ()
    """any number of weights"""
    spare: float | None = None
    """spare wheel size, or none"""
    foot: Wheel | Runner = Wheel()
    """support"""
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
    [("count", ["7.5"]), ("mode", ["medium"]), ("goal", ["1"]), ("on", ["1"]), ("spare", ["x"])],
)
def test_wrong_words_name_field_value_and_choice(name, words):
    with pytest.raises(InvalidValue) as caught:
        configuration.parse(name, configuration.field_types(Cart)[name], words)
    assert caught.value.field == name
    assert "must be" in str(caught.value)


def test_a_word_that_is_missing_is_asked_for():
    with pytest.raises(MissingValue, match=r"--count needs a value \(a whole number\)"):
        configuration.parse("count", configuration.field_types(Cart)["count"], [])


def test_changes_reach_nested_fields_and_choose_classes():
    cart = configuration.changed(Cart(), {"foot.radius": 0.2})
    assert cart.foot == Wheel(0.2)
    cart = configuration.changed(cart, {"foot": "runner", "foot.length": 2.0})
    assert cart.foot == Runner(2.0)


def test_a_class_that_may_be_left_out_is_left_out_by_none():
    rigid = ShapeCompliance.presets()["sidewinding_rigid"]()
    assert rigid.turning is not None
    assert configuration.changed(rigid, {"turning": "none"}) == replace(rigid, turning=None)
    plain = configuration.to_plain(rigid) | {"turning": "none"}
    assert configuration.from_plain(plain, ShapeCompliance) == replace(rigid, turning=None)
    assert configuration.describe(InertialTurning | None) == "one of inertial_turning, none"
    with pytest.raises(UnknownName, match="unknown foot 'none'"):
        configuration.changed(Cart(), {"foot": "none"})


@pytest.mark.parametrize("data", ["sidewinding_rigid", {"type": "sidewinding-rigid"}])
def test_plain_data_names_a_configuration_that_comes_with_a_class(data):
    rigid = ShapeCompliance.presets()["sidewinding_rigid"]()
    for annotation in (ShapeCompliance, ShapeCompliance | OpenLoop):
        assert configuration.from_plain(data, annotation, "controller") == rigid


def test_plain_data_is_laid_over_such_a_configuration():
    rigid = ShapeCompliance.presets()["sidewinding_rigid"]()
    data = {"type": "sidewinding_rigid", "dead_band": 0.3, "turning": {"taper": 0.1}}
    found = configuration.from_plain(data, ShapeCompliance | OpenLoop, "controller")
    assert found == replace(rigid, dead_band=0.3, turning=replace(rigid.turning, taper=0.1))
    own = configuration.from_plain(data | {"turning": {"type": "inertial_turning"}}, ShapeCompliance, "controller")
    assert own.turning == InertialTurning()
    with pytest.raises(UnknownName, match="did you mean sidewinding_rigid"):
        configuration.from_plain({"type": "sidewinding_rigd"}, ShapeCompliance, "controller")


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
        ({"count": {}}, "count = {}: must be a whole number"),
        ({"cout": 4}, "unknown field 'cout' .*did you mean count"),
        ({"foot": {"type": "ski"}}, "unknown foot 'ski'"),
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


def test_a_mark_of_the_byte_order_is_no_part_of_toml(tmp_path):
    (tmp_path / "robot.toml").write_text("schema = 1\nx = 2\n", encoding="utf-8-sig")
    assert configuration.read_toml(tmp_path / "robot.toml") == {"x": 2}


def write_module(folder, name: str) -> None:
    """A module that leaves a file behind when it is imported, with a robot part of its own."""
    lines = [
        "from dataclasses import dataclass", "from pathlib import Path",
        f"Path({str(folder / 'imported')!r}).touch()",
        "@dataclass(frozen=True)", "class Ski:", "    length: float = 1.0",
    ]  # fmt: skip
    (folder / f"{name}.py").write_text("\n".join(lines) + "\n")


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """A folder with a module `stranger`, which is where the user is."""
    write_module(tmp_path, "stranger")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    monkeypatch.setattr(classes, "OPENED", [])
    yield tmp_path
    sys.modules.pop("stranger", None)


@pytest.mark.parametrize(
    "kind",
    ["stranger:Ski", "stranger:Path", "this:d", "antigravity:x", "serpenoid.__main__:x"],
)
def test_a_file_never_causes_an_import(elsewhere, kind):
    module = kind.partition(":")[0]
    known = set(sys.modules)
    with pytest.raises(InvalidValue) as caught:
        configuration.from_plain({"type": kind}, Any)
    assert f"--module {module}" in str(caught.value) and "\n" not in str(caught.value)
    assert module not in set(sys.modules) - known
    assert not (elsewhere / "imported").exists()


def test_a_lazy_attribute_is_not_asked_for(elsewhere):
    lazy = types.ModuleType("lazy")
    lazy.__getattr__ = lambda name: importlib.import_module("stranger").Ski
    sys.modules["lazy"] = lazy
    try:
        with pytest.raises(InvalidValue, match="a dataclass"):
            configuration.from_plain({"type": "lazy:Ski"}, Any)
    finally:
        del sys.modules["lazy"]
    assert not (elsewhere / "imported").exists()


def test_an_opened_module_gives_its_classes_also_to_what_a_script_recorded(elsewhere):
    configuration.open_module("stranger")
    for kind in ("stranger:Ski", "__main__:Ski"):
        assert configuration.from_plain({"type": kind, "length": 2.0}, Any).length == 2.0


@pytest.mark.parametrize("name, why", [("nowhere", "No module named"), ("broken", "SyntaxError"), ("", "ValueError")])
def test_a_module_that_cannot_be_opened_is_one_line(elsewhere, name, why):
    (elsewhere / "broken.py").write_text("def (")
    with pytest.raises(InvalidValue, match=why) as caught:
        configuration.open_module(name)
    assert "\n" not in str(caught.value)


def test_every_class_that_rooms_show_is_found_by_its_place():
    for room in classes.ROOMS:
        for kind, cls in classes.room_classes(room).items():
            assert classes.find_class(kind, {}, {}) is cls
    for kind in SCENARIOS.values():
        assert configuration.kind_of(classes.find_class(kind, {}, {})) == kind


def test_a_class_that_the_field_does_not_take_is_refused():
    with pytest.raises(InvalidValue, match="foot = .*PlanarSnake.*one of runner, wheel"):
        configuration.from_plain({"foot": {"type": "serpenoid.robots.planar:PlanarSnake"}}, Cart)


@pytest.mark.parametrize("data", [{}, 5, {"type": "serpenoid.simulation:Timing", "duration": 1.0}])
def test_what_is_no_kind_of_an_abstract_class_is_refused(data):
    with pytest.raises(InvalidValue, match="type = "):
        configuration.from_plain(data, Scenario)


@dataclass(frozen=True)
class Scale:
    """Every kind of limit."""

    free: Annotated[float, usual(-1.0, 1.0)] = 0.0
    """an angle [rad]"""
    positive: Annotated[float, above(0.0, usual=(1.0, 2.0))] = 1.0
    """a length [m]"""
    share: Annotated[float, between(0.0, 1.0, usual=(0.2, 0.8))] = 0.5
    """a share [-]"""
    step: Annotated[float, above(0.0, usual=(0.01, 0.05), most=0.1)] = 0.1
    count: Annotated[int, between(1, 10, usual=(2, 4))] = 1
    maybe: Annotated[float | None, at_least(2.0, usual=(2.0, 3.0))] = None
    pair: Annotated[tuple[float, float], at_least(0.0, usual=(0.0, 1.0))] = (0.0, 0.0)
    many: Annotated[tuple[tuple[int, ...], ...], between(0, 9, usual=(0, 9))] = ()
    either: Annotated[float | tuple[float, ...], at_least(0.0, usual=(0.0, 1.0))] = 0.0
    row: Annotated[tuple[float, ...] | None, usual(0.0, 1.0)] = None
    mode: Literal["fast", "slow"] = "fast"
    on: bool = False

    def __post_init__(self) -> None:
        check_fields(self)


@pytest.mark.parametrize(
    "changes",
    [
        {"free": -1000.0}, {"free": 3}, {"free": np.float32(1.0)}, {"positive": 1e-3}, {"share": 0.0}, {"share": 1},
        {"step": 0.1}, {"count": 10}, {"maybe": 2.0}, {"maybe": None}, {"pair": [1.0, 2]}, {"many": ((), (1, 9))},
        {"pair": np.ones(2)}, {"either": (1.0, 2.0)}, {"either": 3.0}, {"row": ()}, {"mode": "slow"}, {"on": True},
    ],
)  # fmt: skip
def test_what_is_allowed_passes(changes):
    Scale(**changes)


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"free": float("nan")}, "free = nan: must be from -1000 to 1000 rad"),
        ({"free": 1e51}, "free = 1e+51: must be from -1000 to 1000 rad"),
        ({"free": True}, "free = True: must be a number [rad]"),
        ({"free": "1"}, "free = '1': must be a number [rad]"),
        ({"positive": 0.0}, "positive = 0.0: must be from 0.001 to 10000 m"),
        ({"share": 1.0000000000000002}, "share = 1.0000000000000002: must be from 0 to 1"),
        ({"step": 0.2}, "step = 0.2: must be from 1e-05 to 0.1"),
        ({"count": 11}, "count = 11: must be a whole number from 1 to 10"),
        ({"count": 2.0}, "count = 2.0: must be a whole number from 1 to 10"),
        ({"maybe": 1.0}, "maybe = 1.0: must be from 2 to 10000"),
        ({"pair": (1.0,)}, "pair = (1.0,): must be 2 numbers"),
        ({"pair": (1.0, -1.0)}, "pair[1] = -1.0: must be from 0 to 1000"),
        ({"pair": 1.0}, "pair = 1.0: must be 2 values, each a number"),
        ({"pair": None}, "pair = None: must be 2 values, each a number"),
        ({"many": ((1,), (2, 10))}, "many[1][1] = 10: must be a whole number from 0 to 9"),
        ({"either": (0.0, -1.0)}, "either[1] = -1.0: must be from 0 to 1000"),
        ({"row": 1.0}, "row = 1.0: must be a list, each a number or none"),
        ({"mode": "slo"}, "mode = 'slo': must be one of fast, slow"),
        ({"mode": ["fast"]}, "mode = ['fast']: must be one of fast, slow"),
        ({"on": 1}, "on = 1: must be true or false"),
    ],
)
def test_what_is_not_allowed_is_named(changes, message):
    with pytest.raises(InvalidValue) as caught:
        Scale(**changes)
    assert str(caught.value) == message


def test_fields_tell_their_ranges():
    fields = {field.name: field for field in configuration.walk(Scale())}
    assert fields["step"].range.usual == (0.01, 0.05)
    words = ["-1000 to 1000", "0.001 to 10000", "0 to 1", "1e-05 to 0.1", "1 to 10", "2 to 10000"]
    assert [field.range.words for field in list(fields.values())[:6]] == words
    assert fields["mode"].range is None
    assert "(1e-05 to 0.1)" in help_text("title", Scale())


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=500, deadline=None)
@given(st.dictionaries(st.sampled_from([*configuration.field_types(Cart), "type", "schema", "x"]), plain, max_size=5))
def test_hostile_plain_data_never_escapes_as_anything_else(data):
    try:
        assert isinstance(configuration.from_plain(data, Cart), Cart)
    except SerpenoidError as error:
        assert "\n" not in str(error)


@settings(max_examples=500, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from([field.name for field in configuration.walk(Cart())] + ["x", "foot.x", "name.y", ""]),
        st.lists(st.text(max_size=6) | st.floats().map(str), max_size=3),
        max_size=4,
    )
)
def test_hostile_words_never_escape_as_anything_else(words):
    try:
        assert isinstance(applied(Cart(), list(words.items())), Cart)
    except SerpenoidError as error:
        assert "\n" not in str(error)


@dataclass(frozen=True)
class Yard:
    shapes: tuple[Disc | Wall, ...] = ()
    """what stands there"""


def test_dataclasses_of_numbers_are_written_in_words():
    annotation = configuration.field_types(Yard)["shapes"]
    found = configuration.parse("shapes", annotation, ["disc:-1,0,0.2", "Wall:-2,1,-0.5pi,1,0.05"])
    assert found == (Disc((-1.0, 0.0), 0.2), Wall((-2.0, 1.0), (-0.5 * np.pi, 1.0), 0.05))
    assert configuration.parse("shapes", annotation, ["none"]) == ()
    plain = json.loads(json.dumps(configuration.to_plain(Yard(found))))
    assert configuration.from_plain(plain, Yard) == Yard(found)
    short = {"shapes": [{"type": "disc", "center": [-1, 0], "radius": 0.2}]}  # as a TOML file has it
    assert configuration.from_plain(short, Yard).shapes == found[:1]


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("disc:1,2", "disc:center_x,center_y,radius or wall:start_x,start_y,end_x,end_y,radius"),
        ("disc:1,2,3,4", "disc:center_x"), ("disc", "disc:center_x"), ("post:1,2,3", "disc:center_x"),
        ("disc:1,,2", "disc:center_x"), ("disc:a,b,c", "a number"),
        ("disc:0,0,-1", "shapes.radius = -1.0: must be from 1e-05 to 1000 m"),
        ("wall:0,0,0,0,1", "shapes.end"), ("disc:nan,0,1", "shapes.center[0] = nan"), ("true", "disc:center_x"),
    ],
)  # fmt: skip
def test_words_that_are_no_such_dataclass_are_refused_in_one_line(word, said):
    with pytest.raises(InvalidValue) as caught:
        configuration.parse("shapes", configuration.field_types(Yard)["shapes"], [word])
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_types_that_were_tried_in_vain_keep_nothing_of_their_callers():
    class Large:
        pass

    def caller():
        kept = Large()
        assert configuration.from_plain("dry", float | int | str) == "dry"
        return weakref.ref(kept)

    gc.disable()
    try:
        assert caller()() is None
    finally:
        gc.enable()
