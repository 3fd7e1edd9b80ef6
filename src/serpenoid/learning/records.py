"""Kernel records of a task: indices of readings, commands, starts, and the arrays of rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.kernel_law import first_targets
from serpenoid.engines import find_engine
from serpenoid.engines.base import Engine
from serpenoid.engines.contact.engine import ContactEngine
from serpenoid.engines.planar import PlanarEngine
from serpenoid.errors import InvalidValue, UnknownName, require
from serpenoid.gaits import Gait
from serpenoid.kernels.learning.records import EFFORT, RATE, TARGETS, TORQUES, VALUE, Rows, Task
from serpenoid.kernels.learning.records import WAVE as BY_WAVE
from serpenoid.learning.families import Reading, family_of
from serpenoid.learning.spec import WAVE, WAVE_DEFAULTS, JointTargets, JointTorques, LearningTask, parse_quantity
from serpenoid.scenarios.base import Scenario
from serpenoid.simulation import steps_in, world_for
from serpenoid.support.kernel_inputs import motion_of


def engine_of(scenario: Scenario) -> Engine:
    """Return the engine of a scenario."""
    robot, world, controller = scenario.parts()
    world = world_for(robot, world, controller)
    return find_engine(robot, world, getattr(scenario, "engine", None))(robot, world, scenario.step)


def start_of(scenario: Scenario, engine: Engine, seed: int) -> NDArray:
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


def arcs_of(engine: Engine) -> NDArray:
    """Return the arc coordinates of the driven joints, 0 at the first and 1 at the last."""
    count = engine.moving.size
    return np.arange(count) / max(1, count - 1)


def task_of(task: LearningTask, engines: list[Engine], readings: Readings, autoreset: int) -> Task:
    """Return the kernel's record of a task."""
    scenario, engine = task.scenario, engines[0]
    family, joints, at = family_of(engine), engine.moving.size, engine.layout["joints"].start
    starts = np.array([
        [family.state(each, start_of(task.variant(number), each, task.seed))] for number, each in enumerate(engines)
    ])  # fmt: skip
    observed = [place for name in task.observations for place in readings.places("observations", name)]
    term, term_at, weight = terms_of(task.reward, readings)
    ends = [readings.single("ends", name) for name in task.ends]
    bounds = np.array(list(task.ends.values()), dtype=float).reshape(-1, 2)
    torques = isinstance(task.actions, JointTorques)
    steps = steps_in("control_period", scenario.control_period, scenario.step)
    fine = max(each.substeps if type(each) is PlanarEngine else 1 for each in engines)
    shape = first_shape(task.variant(0), engine, starts[0, 0, at : at + joints])
    return Task(
        **command_of(task, shape), joints_at=at, arc=arcs_of(engine),
        rest=np.full(joints, np.nan if torques and isinstance(engine, ContactEngine) else 0.0),
        step=scenario.step / fine, steps=steps * fine, limit=round(task.time_limit / scenario.control_period),
        observed=np.array(observed), term=term, term_at=term_at, weight=weight, end_at=np.array(ends, dtype=np.int64),
        low=np.ascontiguousarray(bounds[:, 0]), high=np.ascontiguousarray(bounds[:, 1]), starts=starts,
        noise=noise_of(task, engine, starts.shape[2]), autoreset=autoreset,
    )  # fmt: skip


def noise_of(task: LearningTask, engine: Engine, numbers: int) -> NDArray:
    """Return the half width of the noise of every number of a state; only states in the plane can be scattered."""
    out = np.zeros(numbers)
    if task.noise > 0.0:
        if engine.name != "planar":
            raise InvalidValue("noise", task.noise, f"0 in the engine {engine.name}; use scenario.scatter")
        out[:] = task.noise
    return out


def rows_of(count: int, task: Task, readings: int, seed: int) -> Rows:
    """Return the arrays of some rows."""
    numbers, joints, observations = task.starts.shape[2], task.rest.size, task.observed.size

    def floats(*shape: int) -> NDArray:
        return np.zeros((count, *shape))

    def integers() -> NDArray:
        return np.zeros(count, dtype=np.int64)

    return Rows(
        state=floats(numbers), start=floats(numbers), before=floats(readings), readings=floats(readings),
        action=floats(task.scale.size), target=floats(joints), push=floats(joints), phase=floats(),
        observation=floats(observations), final=floats(observations), reward=floats(), total=floats(),
        last_total=floats(), variant=integers(), ticks=integers(), last_ticks=integers(), reason=integers(),
        random=np.zeros(count, dtype=np.uint64), good=np.ones(count, dtype=bool), active=np.ones(count, dtype=bool),
    )  # fmt: skip
