"""Kernel records of a task: indices of readings, commands, starts, and the arrays of rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.kernel_law import first_targets
from serpenoid.control.shape_compliance import ShapeCompliance
from serpenoid.engines import find_engine
from serpenoid.engines.base import Engine
from serpenoid.engines.contact.engine import ContactEngine
from serpenoid.engines.planar import PlanarEngine
from serpenoid.errors import InvalidValue, UnknownName, require, whole_number
from serpenoid.gaits import Gait
from serpenoid.kernels.learning.records import EFFORT, POINTS, RATE, TARGETS, TORQUES, VALUE, Rows, Task
from serpenoid.kernels.learning.records import WAVE as BY_WAVE
from serpenoid.kernels.learning.set_points import SetPoints as Points
from serpenoid.learning.families import Reading, family_of
from serpenoid.learning.spec import (
    WAVE,
    WAVE_DEFAULTS,
    JointTargets,
    JointTorques,
    LearningTask,
    SetPoints,
    parse_quantity,
)
from serpenoid.robots.sensors import Sensor
from serpenoid.scenarios.base import Scenario
from serpenoid.simulation import steps_in, world_for
from serpenoid.support.kernel_inputs import motion_of

MOST_REGIONS = 100


def engine_of(scenario: Scenario) -> Engine:
    """Return the engine of a scenario."""
    robot, world, controller = scenario.parts()
    world = world_for(robot, world, controller)
    return find_engine(robot, world, getattr(scenario, "engine", None))(robot, world, scenario.step)


def start_of(scenario: Scenario, engine: Engine, seed: Any) -> NDArray:
    """Return the initial state of a scenario in its engine."""
    controller = scenario.parts().controller
    motion = motion_of(controller, engine.robot) if isinstance(controller, Gait) else None
    initial = replace(scenario.initial(), scatter=scenario.scatter)
    return engine.initial(initial, motion, np.random.default_rng(seed))


class Readings:
    """Indices of the readings of an engine."""

    def __init__(self, known: Mapping[str, Reading]):
        self.known = dict(known)
        self.first = dict(zip(known, accumulate((count for count, _ in known.values()), initial=0)))
        self.size = sum(count for count, _ in known.values())

    def places(self, field: str, text: str) -> list[int]:
        """Return the indices of a quantity."""
        name, component = parse_quantity(field, text)
        if name not in self.known:
            raise UnknownName(field, name, self.known)
        count = self.known[name][0]
        require(component is None or component < count, field, text, f"a component from 0 to {count - 1}")
        first = self.first[name]
        return list(range(first, first + count)) if component is None else [first + component]

    def single(self, field: str, text: str) -> int:
        """Return the index of a quantity with one component."""
        found = self.places(field, text)
        require(len(found) == 1, field, text, f"one component, from {text}[0] to {text}[{len(found) - 1}]")
        return found[0]

    def labels(self, names: Iterable[str]) -> list[tuple[str, str]]:
        """Return name and unit of every component of some quantities."""
        out = []
        for text in names:
            name, component = parse_quantity("observations", text)
            count, unit = self.known[name]
            numbers = range(count) if component is None else [component]
            out += [(name if count == 1 else f"{name}[{number}]", unit) for number in numbers]
        return out


def terms_of(reward: Mapping[str, float], readings: Readings) -> tuple[NDArray, NDArray, NDArray]:
    """Return kinds, places and weights of the reward's terms."""
    rows: list[tuple[int, int, float]] = []
    for text, weight in reward.items():
        if text == "action_squared":
            rows.append((EFFORT, 0, weight))
        elif text.startswith("rate(") and text.endswith(")"):
            rows.append((RATE, readings.single("reward", text[5:-1]), weight))
        else:
            rows.append((VALUE, readings.single("reward", text), weight))
    kinds, at, weights = zip(*rows)
    return np.array(kinds), np.array(at), np.array(weights, dtype=float)


def first_shape(scenario: Scenario, engine: Engine, start: NDArray) -> NDArray:
    """Return the first targets of a scenario's gait or law (joints,); the start's angles where there are none."""
    targets = first_targets(scenario.parts().controller, engine.robot, scenario.control_period)[engine.moving]
    return np.where(np.isnan(targets), start, targets)


def command_of(task: LearningTask, start: NDArray) -> dict[str, Any]:
    """Return the fields of the kernel's task that describe actions, from the first shape of the joints."""
    joints = start.size
    actions, wave = task.actions, np.array(WAVE_DEFAULTS)
    if isinstance(actions, JointTargets):
        return {
            "kind": TARGETS, "scale": np.full(joints, actions.reach),
            "middle": start.copy() if actions.around_start else np.zeros(joints),
            "parameter": np.arange(joints), "wave": wave,
        }  # fmt: skip
    if isinstance(actions, JointTorques):
        return {
            "kind": TORQUES, "scale": np.full(joints, actions.most), "middle": np.zeros(joints),
            "parameter": np.arange(joints), "wave": wave,
        }  # fmt: skip
    if isinstance(actions, SetPoints):
        return {"kind": POINTS, "parameter": np.zeros(0, dtype=np.int64), "wave": wave} | widths_of(
            task.scenario, actions
        )
    for name in (*actions.ranges, *actions.fixed):
        if name not in WAVE:
            raise UnknownName("field of the wave", name, WAVE)
    require(len(actions.ranges) > 0, "actions.ranges", dict(actions.ranges), "at least one field with a range")
    for name, value in actions.fixed.items():
        wave[WAVE.index(name)] = value
    low, high = np.array(list(actions.ranges.values()), dtype=float).T
    return {
        "kind": BY_WAVE, "scale": 0.5 * (high - low), "middle": 0.5 * (high + low),
        "parameter": np.array([WAVE.index(name) for name in actions.ranges]), "wave": wave,
    }  # fmt: skip


def law_of(scenario: Scenario) -> ShapeCompliance:
    """Return the controller whose set points are actions; raise for another one."""
    law = scenario.parts().controller
    if not isinstance(law, ShapeCompliance) or law.needs_imu:
        raise InvalidValue("actions", "SetPoints", "used with a ShapeCompliance without turning as controller")
    return law


def chosen_points(law: ShapeCompliance, actions: SetPoints) -> list[tuple[int, int]]:
    """Return number and count of actions of each chosen parameter."""
    whole_number("actions.regions", actions.regions, 1, MOST_REGIONS)
    require(len(actions.ranges) > 0, "actions.ranges", dict(actions.ranges), "at least one parameter with a range")
    names = [parameter.name for parameter in law.in_order]
    for name in actions.ranges:
        if name not in names:
            raise UnknownName("shape parameter", name, names)
    places = [names.index(name) for name in actions.ranges]
    return [(place, actions.regions if law.in_order[place].windows else 1) for place in places]


def widths_of(scenario: Scenario, actions: SetPoints) -> dict[str, NDArray]:
    """Return scale and middle of every set point."""
    counts = [count for _, count in chosen_points(law_of(scenario), actions)]
    low, high = np.array(list(actions.ranges.values()), dtype=float).T
    return {"scale": np.repeat(0.5 * (high - low), counts), "middle": np.repeat(0.5 * (high + low), counts)}


def set_points_of(scenario: Scenario, engine: Engine, actions: SetPoints) -> Points:
    """Return the record of the controller of a scenario and its set points."""
    law = law_of(scenario)
    chosen, counts = np.array(chosen_points(law, actions)).T.copy()
    record = law.kernel(engine.robot, scenario.control_period)
    return Points(record, chosen, np.cumsum(counts) - counts, counts, np.asarray(engine.moving))


def sensor_errors(task: LearningTask, engine: Engine, readings: Readings) -> NDArray:
    """Return noise, bias and resolution (observations, 3) of the robot's sensors."""
    sensors = engine.robot.sensors
    for name in ("period", "delay"):
        require(getattr(sensors, name) == 0.0, f"robot.sensors.{name}", getattr(sensors, name), "0 in environments")
    rows = np.zeros((readings.size, 3))
    for name, first in readings.first.items():
        sensor = getattr(sensors, name, None)
        if isinstance(sensor, Sensor):
            rows[first : first + readings.known[name][0]] = sensor.noise, sensor.bias, sensor.resolution
    return rows[[place for name in task.observations for place in readings.places("observations", name)]]


def arcs_of(engine: Engine) -> NDArray:
    """Return the arc coordinates of the driven joints, 0 at the first and 1 at the last."""
    count = engine.moving.size
    return np.arange(count) / max(1, count - 1)


def task_of(task: LearningTask, engines: list[Engine], readings: Readings, autoreset: int, count: int) -> Task:
    """Return the kernel's record of a task for `count` rows."""
    scenario, engine = task.scenario, engines[0]
    joints, at = engine.moving.size, engine.layout["joints"].start
    starts = np.array([[first_state(task.variant(number), each, task.seed)] for number, each in enumerate(engines)])
    if not task.variants:
        starts = np.repeat(starts, 2 * count, axis=0)
    observed = [place for name in task.observations for place in readings.places("observations", name)]
    term, term_at, weight = terms_of(task.reward, readings)
    ends = [readings.single("ends", name) for name in task.ends]
    bounds = np.array(list(task.ends.values()), dtype=float).reshape(-1, 2)
    torques = isinstance(task.actions, JointTorques)
    steps = steps_in("control_period", scenario.control_period, scenario.step)
    fine = max(each.substeps if type(each) is PlanarEngine else 1 for each in engines)
    shape = first_shape(task.variant(0), engine, starts[0, 0, at : at + joints])
    errors = sensor_errors(task, engine, readings)
    return Task(
        **command_of(task, shape), joints_at=at, arc=arcs_of(engine),
        rest=np.full(joints, np.nan if torques and isinstance(engine, ContactEngine) else 0.0),
        step=scenario.step / fine, steps=steps * fine, limit=round(task.time_limit / scenario.control_period),
        observed=np.array(observed), term=term, term_at=term_at, weight=weight, end_at=np.array(ends, dtype=np.int64),
        low=np.ascontiguousarray(bounds[:, 0]), high=np.ascontiguousarray(bounds[:, 1]), starts=starts,
        noise=noise_of(task, engine, starts.shape[2]), autoreset=autoreset,
        errors=errors, noisy=bool(errors.any()), fresh=task.variants == 0,
    )  # fmt: skip


def first_state(scenario: Scenario, engine: Engine, seed: Any) -> NDArray:
    """Return the state of a row at the start of a scenario."""
    return family_of(engine).state(engine, start_of(scenario, engine, seed))


def noise_of(task: LearningTask, engine: Engine, numbers: int) -> NDArray:
    """Return the half width of the noise of every number of a state; only states in the plane can be scattered."""
    out = np.zeros(numbers)
    if task.noise > 0.0:
        if engine.name != "planar":
            raise InvalidValue("noise", task.noise, f"0 in the engine {engine.name}; use scenario.scatter")
        out[:] = task.noise
    return out


def rows_of(count: int, task: Task, readings: int, lists: tuple[int, int]) -> Rows:
    """Return the arrays of some rows; `lists` are the numbers of positions and of members of neighbour lists."""
    numbers, joints, observations = task.starts.shape[2], task.rest.size, task.observed.size

    def floats(*shape: int) -> NDArray:
        return np.zeros((count, *shape))

    def integers() -> NDArray:
        return np.zeros(count, dtype=np.int64)

    return Rows(
        state=floats(numbers), origin=floats(2), seen=floats(lists[0]),
        near=np.zeros((count, lists[1]), dtype=np.int64), before=floats(readings), readings=floats(readings),
        action=floats(task.scale.size), target=floats(joints), push=floats(joints), phase=floats(),
        observation=floats(observations), bias=floats(observations), final=floats(observations), reward=floats(),
        total=floats(), last_total=floats(), variant=2 * np.arange(count) + 1 if task.fresh else integers(),
        ticks=integers(), last_ticks=integers(), reason=integers(),
        random=np.zeros(count, dtype=np.uint64), good=np.ones(count, dtype=bool), active=np.ones(count, dtype=bool),
    )  # fmt: skip
