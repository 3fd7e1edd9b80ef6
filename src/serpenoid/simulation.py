"""From a robot, a world and a gait or controller to a trajectory: stream() yields samples, simulate() collects them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid import configuration
from serpenoid.control.base import Command, Controller, Idle, Observation
from serpenoid.engines import find_engine
from serpenoid.engines.base import Engine, Initial, Log
from serpenoid.errors import InvalidValue, SimulationDiverged, positive, require
from serpenoid.gaits.base import Gait
from serpenoid.robots.base import Robot
from serpenoid.trajectory import Trajectory
from serpenoid.versions import versions

MOST_STEPS = 10**9
MOST_SAMPLES = 10**6
CHUNK_SAMPLES = 2000  # samples per compiled call, between two reports of progress

Progress = Callable[[float], None]


class Sample(NamedTuple):
    """A run at one moment."""

    time: float  # [s]
    state: NDArray  # the engine's flat state
    command: Command


@dataclass(frozen=True)
class Timing:
    """How time is cut: integration step, control period, sample period; each a multiple of the one before."""

    duration: float
    """simulated time [s]"""
    step: float = 0.001
    """integration step [s]"""
    control_period: float = 0.01
    """time between two commands of a controller [s]; a gait acts at every step"""
    sample_period: float = 0.01
    """time between two samples of the trajectory [s]"""

    def __post_init__(self) -> None:
        for name in ("duration", "step", "control_period", "sample_period"):
            positive(name, getattr(self, name))
        for name in ("control_period", "sample_period", "duration"):
            multiple(name, getattr(self, name), self.step)
        require(self.steps <= MOST_STEPS, "duration", self.duration, f"at most {MOST_STEPS} steps of {self.step} s")
        require(
            self.steps <= MOST_SAMPLES * self.steps_per_sample, "sample_period", self.sample_period,
            f"at least {self.duration / MOST_SAMPLES:.3g} s: {MOST_SAMPLES} samples at most",
        )  # fmt: skip

    @property
    def steps(self) -> int:
        """Integration steps in the run."""
        return round(self.duration / self.step)

    @property
    def steps_per_command(self) -> int:
        """Integration steps between two commands."""
        return round(self.control_period / self.step)

    @property
    def steps_per_sample(self) -> int:
        """Integration steps between two samples."""
        return round(self.sample_period / self.step)


def multiple(field: str, value: float, step: float) -> None:
    """Refuse a period that is no multiple of the step."""
    ratio = value / step
    fits = math.isfinite(ratio) and round(ratio) >= 1 and abs(ratio - round(ratio)) <= 1e-6 * max(1.0, ratio * 1e-3)
    require(fits, field, value, f"a multiple of the step {step} s")


def simulate(
    robot: Robot,
    world: Any,
    controller: Gait | Controller | None = None,
    duration: float = 10.0,
    *,
    step: float = 0.001,
    control_period: float = 0.01,
    sample_period: float = 0.01,
    initial: Initial | None = None,
    engine: str | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Trajectory:
    """Run and return the Trajectory; SimulationDiverged carries the part until then."""
    timing = Timing(duration, step, control_period, sample_period)
    controller = Idle() if controller is None else controller
    carrier = find_engine(robot, world, engine)(robot, world, step)
    initial = initial or Initial()
    samples: list[Sample] = []
    record = describe(robot, world, controller, timing, initial, engine, seed)
    try:
        for sample in stream_on(carrier, controller, timing, initial):
            samples.append(sample)
            if progress and len(samples) % 64 == 0:
                progress(sample.time / duration)
    except SimulationDiverged as error:
        error.trajectory = collect(carrier, samples, {**record, "complete": False})
        raise
    return collect(carrier, samples, {**record, "complete": True})


def stream(
    robot: Robot,
    world: Any,
    controller: Gait | Controller | None = None,
    duration: float = math.inf,
    *,
    step: float = 0.001,
    control_period: float = 0.01,
    sample_period: float = 0.01,
    initial: Initial | None = None,
    engine: str | None = None,
) -> Iterator[Sample]:
    """Yield samples one by one, a million of them unless a duration is given."""
    longest = MOST_SAMPLES * sample_period if math.isinf(duration) else duration
    timing = Timing(longest, step, control_period, sample_period)
    carrier = find_engine(robot, world, engine)(robot, world, step)
    return stream_on(carrier, Idle() if controller is None else controller, timing, initial or Initial())


def stream_on(engine: Engine, controller: Gait | Controller, timing: Timing, initial: Initial) -> Iterator[Sample]:
    """Samples of a run on an engine: compiled where the joints are led by a gait, call by call where not."""
    if isinstance(controller, Gait):
        return stream_gait(engine, controller, timing, initial)
    if isinstance(controller, Controller):
        return stream_controller(engine, controller, timing, initial)
    raise InvalidValue("controller", controller, "a Gait or a Controller")


def stream_gait(engine: Engine, gait: Gait, timing: Timing, initial: Initial) -> Iterator[Sample]:
    """Whole chunks of samples per compiled call."""
    motion = gait.motion(engine.robot)
    state = engine.initial(initial, motion)
    every, first = timing.steps_per_sample, 0
    yield from samples_of(engine, motion, np.zeros(1), state[None])
    size = 16  # small at first, so that a viewer sees the first sample at once
    while first + every <= timing.steps:
        count = min(size, (timing.steps - first) // every)
        states = engine.rollout(first, state, motion, count * every, every)
        times = (first + every * np.arange(1, count + 1)) * timing.step
        good = np.isfinite(states).all(axis=1)
        whole = count if good.all() else int(np.argmin(good))
        yield from samples_of(engine, motion, times[:whole], states[:whole])
        if whole < count:
            raise SimulationDiverged(float(times[whole]), states[whole - 1] if whole else state)
        state, first, size = states[-1], first + count * every, CHUNK_SAMPLES


def samples_of(engine: Engine, motion: Any, times: NDArray, states: NDArray) -> Iterator[Sample]:
    """Samples of states that a motion led through."""
    commands = engine.motion_commands(times, motion)
    for i, time in enumerate(times):
        yield Sample(float(time), states[i], Command(*(part[i] for part in commands)))


def stream_controller(engine: Engine, controller: Controller, timing: Timing, initial: Initial) -> Iterator[Sample]:
    """One command per control period, one sample per sample period."""
    controller.reset()
    state = engine.initial(initial, None)
    command = Command.empty(engine.robot.joints)
    for first in range(0, timing.steps + 1, math.gcd(timing.steps_per_command, timing.steps_per_sample)):
        if first % timing.steps_per_command == 0:
            command = checked(controller.command(engine.observe(first, state, command)), engine.robot.joints)
        if first % timing.steps_per_sample == 0:
            yield Sample(first * timing.step, state, command)
        advance = min(math.gcd(timing.steps_per_command, timing.steps_per_sample), timing.steps - first)
        if advance:
            state = engine.advance(first, state, command, advance)


def checked(command: Command, joints: int) -> Command:
    """Refuse a command of the wrong size or with infinities."""
    for name, part in zip(Command._fields, command):
        good = np.shape(part) == (joints,) and not np.isinf(part).any()
        require(good, f"command.{name}", part, f"{joints} numbers, NaN where not commanded")
    return command


def collect(engine: Engine, samples: list[Sample], attributes: dict[str, Any]) -> Trajectory:
    """Samples as a Trajectory."""
    times = np.array([sample.time for sample in samples])
    states = np.array([sample.state for sample in samples])
    parts = (np.array([sample.command[i] for sample in samples]) for i in range(len(Command._fields)))
    variables = engine.variables(Log(times, states, Command(*parts)))
    labels = {"joint": engine.robot.joint_names, "link": engine.robot.link_names}
    attributes["variables"] = list(variables)
    return Trajectory(times, variables, labels, attributes)


def describe(
    robot: Robot, world: Any, controller: Any, timing: Timing, initial: Initial, engine: str | None, seed: int
) -> dict[str, Any]:
    """Everything needed to run it again, as attributes of the trajectory."""
    parts = {"robot": robot, "world": world, "controller": controller, "timing": timing, "initial": initial}
    unrepeatable = [name for name, part in parts.items() if not configuration.repeatable(part)]
    plain = {name: configuration.to_plain(part) for name, part in parts.items() if name not in unrepeatable}
    known = json.dumps({**plain, "engine": engine})
    return {"versions": versions(), "seed": seed, "unrepeatable": unrepeatable, "configuration": known}


def repeat(trajectory: Trajectory, progress: Progress | None = None) -> Trajectory:
    """Run a saved trajectory again from its own configuration."""
    if not trajectory.configuration or trajectory.attributes.get("unrepeatable"):
        what = ", ".join(trajectory.attributes.get("unrepeatable", ())) or "configuration"
        raise InvalidValue("configuration", what, "dataclasses of an importable module, to be repeated")
    plain = trajectory.configuration
    parts = {name: configuration.from_plain(plain[name], Any, name) for name in ("robot", "world", "controller")}
    timing = configuration.from_plain(plain["timing"], Timing, "timing")
    initial = configuration.from_plain(plain["initial"], Initial, "initial")
    return simulate(
        **parts, duration=timing.duration, step=timing.step, control_period=timing.control_period,
        sample_period=timing.sample_period, initial=initial, engine=plain["engine"],
        seed=trajectory.attributes.get("seed", 0), progress=progress,
    )  # fmt: skip


__all__ = ["Initial", "Observation", "Sample", "Timing", "repeat", "simulate", "stream"]
