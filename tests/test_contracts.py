"""One contract for everything that can be named: robots, worlds, gaits, controllers, scenarios, papers."""

from __future__ import annotations

import dataclasses
import json
import typing

import numpy as np
import pytest

from serpenoid import configuration
from serpenoid.configuration.classes import ROOMS, collect, room_classes
from serpenoid.control import CONTROLLERS
from serpenoid.errors import InvalidValue, UnknownName
from serpenoid.gaits import GAITS
from serpenoid.hardware import Servo
from serpenoid.kernels.motion import motion_samples
from serpenoid.planning import Plan
from serpenoid.robots import ROBOTS, BodyTree, Natrix, PlanarSnake
from serpenoid.robots.base import PlanarRobot
from serpenoid.scenarios import SCENARIOS, find_scenario
from serpenoid.worlds import WORLDS
from serpenoid_papers.base import find_paper, paper_names

SCENARIO_CLASSES = {name: find_scenario(name) for name in SCENARIOS}
REGISTRIES = {
    "robot": ROBOTS, "world": WORLDS, "gait": GAITS, "controller": CONTROLLERS, "scenario": SCENARIO_CLASSES,
}  # fmt: skip
EVERYTHING = {f"{kind}:{name}": cls for kind, registry in REGISTRIES.items() for name, cls in registry.items()}
DEFAULTS = {
    name: cls()
    for name, cls in EVERYTHING.items()
    if dataclasses.is_dataclass(cls) and not any(configuration.required(field) for field in dataclasses.fields(cls))
}


@pytest.mark.parametrize("name", EVERYTHING)
def test_has_a_line_that_says_what_it_is(name):
    line = (EVERYTHING[name].__doc__ or "").strip().splitlines()[0]
    assert 20 < len(line) < 130, line


@pytest.mark.parametrize("kind", ["robot", "world", "gait", "controller"])
def test_what_is_listed_is_what_flags_take(kind):
    assert {name: configuration.plain_name(cls) for name, cls in REGISTRIES[kind].items()} == {
        name: name for name in REGISTRIES[kind]
    }


@pytest.mark.parametrize("name", DEFAULTS)
def test_is_frozen_and_every_field_is_explained(name):
    cls = type(DEFAULTS[name])
    assert cls.__dataclass_params__.frozen
    docs = configuration.field_docs(cls)
    missing = [field for field in configuration.field_types(cls) if not docs.get(field)]
    assert not missing


CLASSES = {kind: cls for room in ROOMS for kind, cls in room_classes(room).items() if cls is not Plan}
for scenario in (*SCENARIO_CLASSES.values(), Servo):
    collect(scenario, CLASSES)
CLASSES = {kind: cls for kind, cls in CLASSES.items() if kind.startswith("serpenoid.")}  # tests define their own


BEYOND = 3e9  # no quantity of a snake robot in SI units, and no seed, is that large


def has_numbers(annotation) -> bool:
    """Return whether a field contains numbers: one, or a tuple of them."""
    inner = [part for option in configuration.members(annotation) for part in typing.get_args(option)]
    return bool({int, float} & {*configuration.members(annotation)}) or any(has_numbers(part) for part in inner)


def numbers_of(value):
    """Every number of a field."""
    if isinstance(value, tuple):
        return [number for item in value for number in numbers_of(item)]
    return [value] if isinstance(value, int | float) and not isinstance(value, bool) else []


@pytest.mark.parametrize("kind", CLASSES)
def test_every_number_has_limits_and_a_usual_range_inside_them(kind):
    cls = CLASSES[kind]
    ranges = configuration.field_ranges(cls)
    numeric = {name for name, annotation in configuration.field_types(cls).items() if has_numbers(annotation)}
    assert set(ranges) == numeric
    for field in dataclasses.fields(cls):
        if field.name in numeric:
            known = ranges[field.name]
            low, high = known.usual
            assert low < high and low >= known.low and high <= known.high, field.name
            assert -BEYOND < known.low < known.high < BEYOND, field.name
            assert all(number in known for number in numbers_of(field.default)), field.name


@pytest.mark.parametrize("name", DEFAULTS)
def test_every_limit_is_kept(name):
    for field in configuration.walk(DEFAULTS[name]):
        if field.range is None or not isinstance(field.default, int | float):
            continue
        low, high = field.range.closed
        whole = isinstance(field.default, int)
        beyond = (low - 1, high + 1) if whole else (np.nextafter(low, -np.inf), np.nextafter(high, np.inf))
        for wrong in (*beyond, np.nan, np.inf, True, "1", {}, 10**400):
            with pytest.raises(InvalidValue, match=rf"^[\w.]*{field.name.split('.')[-1]} = "):
                configuration.changed(DEFAULTS[name], {field.name: wrong})


WRONG = (5, 1j, b"x", {"a": 1}, object(), print, ("x",), [None], np.zeros(2), Exception)


@pytest.mark.parametrize("name", DEFAULTS)
def test_what_is_of_another_kind_is_refused_by_field(name):
    cls = type(DEFAULTS[name])
    for field in set(configuration.field_types(cls)) - set(configuration.field_ranges(cls)):
        for wrong in WRONG:
            with pytest.raises((InvalidValue, UnknownName)) as caught:
                dataclasses.replace(DEFAULTS[name], **{field: wrong})
            assert str(caught.value).startswith((field, f"unknown {field}"))


@pytest.mark.parametrize("name", DEFAULTS)
def test_survives_a_file_unchanged(name):
    plain = json.loads(json.dumps(configuration.to_plain(DEFAULTS[name])))
    assert configuration.from_plain(plain, type(DEFAULTS[name])) == DEFAULTS[name]


@pytest.mark.parametrize("name", [name for name in DEFAULTS if name.startswith("robot:")])
def test_a_robot_names_its_joints_and_links(name):
    robot = DEFAULTS[name]
    assert len(robot.joint_names) == robot.joints == len(set(robot.joint_names))
    record = robot.chain() if isinstance(robot, PlanarRobot) else robot.tree()
    assert len(robot.link_names) == len(set(robot.link_names))
    assert record.mass.size >= len(robot.link_names) - 1
    assert record.mass.min() >= 0.0


def robot_for(gait):
    """A robot on the shelf that this gait fits."""
    for robot in (PlanarSnake(), Natrix(), *(DEFAULTS[name] for name in DEFAULTS if name.startswith("robot:"))):
        try:
            gait.motion(robot)
        except Exception:
            continue
        return robot
    raise AssertionError(f"no robot for {gait}")


@pytest.mark.parametrize("name", [name for name in DEFAULTS if name.startswith("gait:")])
def test_a_gait_has_exact_derivatives(name):
    gait = DEFAULTS[name]
    robot = robot_for(gait)
    motion = gait.motion(robot)
    end = motion.knots[-1] if motion.knots[-1] > 0 else 3.0
    times = np.linspace(0.013, 0.97 * end, 57)
    step = 1e-4
    q, dq, ddq = motion_samples(motion, times)
    before, after = motion_samples(motion, times - step), motion_samples(motion, times + step)
    inside = np.all(np.abs(times[:, None] - motion.knots[None, :]) > 2 * step, axis=1)
    assert q.shape == (57, robot.joints)
    assert np.allclose(dq[inside], ((after[0] - before[0]) / (2 * step))[inside], atol=1e-5 * (1 + np.abs(dq).max()))
    assert np.allclose(ddq[inside], ((after[1] - before[1]) / (2 * step))[inside], atol=1e-5 * (1 + np.abs(ddq).max()))


@pytest.mark.parametrize("name", paper_names())
def test_every_claim_of_a_paper_has_a_band_in_words(name):
    for id, band in find_paper(name).criteria.items():
        assert id and band.claim and band.band and callable(band.holds)


def test_a_users_own_robot_needs_its_bodies():
    assert BodyTree not in {type(robot) for robot in DEFAULTS.values()}
