"""Simulation of a robot in a world under a gait or controller: an engine in the control loop."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from inspect import signature
from typing import Annotated, Any, TypedDict, Unpack

import numpy as np

from serpenoid import configuration
from serpenoid.configuration import above, between, check_fields
from serpenoid.control.base import Controller, Idle, Observation
from serpenoid.engines import find_engine
from serpenoid.engines.base import Initial
from serpenoid.errors import UnknownName, Unsupported, finite, instance, positive, require
from serpenoid.gaits.base import Gait
from serpenoid.robots.base import Robot
from serpenoid.runtime import events
from serpenoid.runtime.events import PUSH, Event
from serpenoid.runtime.loop import Loop, Progress, checked_seed, run_loop, ticks_in
from serpenoid.runtime.plants import SimulatedPlant, steps_in
from serpenoid.runtime.samples import Sample
from serpenoid.runtime.stop_rules import LeaveArea
from serpenoid.support.kernel_inputs import motion_of
from serpenoid.support.versions import versions
from serpenoid.trajectory import Trajectory
from serpenoid.worlds.base import World

MOST_STEPS = 10**9
MOST_SAMPLES = 10**6
KINDS: dict[str, Any] = {"robot": Robot, "world": World, "controller": Gait | Controller}  # parts that a file names


@dataclass(frozen=True)
class Timing:
    """Integration step, control period and sample period; the periods are multiples of the step."""

    duration: Annotated[float, between(1e-7, 1e6, usual=(1.0, 60.0))]
    """simulated time [s]"""
    step: Annotated[float, above(0.0, usual=(1e-4, 5e-3))] = 0.001
    """integration step [s]"""
    control_period: Annotated[float, between(1e-7, 1e6, usual=(0.001, 0.05))] = 0.01
    """time between two commands of a controller [s]; a gait acts at every step"""
    sample_period: Annotated[float, between(1e-7, 1e6, usual=(0.001, 0.1))] = 0.01
    """time between two samples of the trajectory [s]"""
    delay: Annotated[int, between(0, 1000, usual=(0, 5))] = 0
    """latency of a command in control periods"""
    realtime: bool = False
    """run at the pace of the clock"""

    def __post_init__(self) -> None:
        check_fields(self)
        for name in ("control_period", "sample_period", "duration"):
            steps_in(name, getattr(self, name), self.step)
        require(self.steps <= MOST_STEPS, "duration", self.duration, f"at most {MOST_STEPS} steps of {self.step} s")
        require(
            self.steps * self.step <= MOST_SAMPLES * self.sample_period * (1.0 + 1e-9), "sample_period",
            self.sample_period, f"at least {self.duration / MOST_SAMPLES:.3g} s, for at most {MOST_SAMPLES} samples",
        )  # fmt: skip
        require(isinstance(self.realtime, bool), "realtime", self.realtime, "true or false")

    @property
    def steps(self) -> int:
        """Integration steps in the run."""
        return round(self.duration / self.step)

    @property
    def ticks(self) -> int:
        """Number of the last tick."""
        return ticks_in(self.duration, self.control_period)

    @property
    def steps_per_sample(self) -> int:
        """Integration steps between two samples."""
        return round(self.sample_period / self.step)


class Times(TypedDict, total=False):
    """Fields of Timing except the duration, as keywords."""

    step: float
    control_period: float
    sample_period: float
    delay: int
    realtime: bool


def timing_of(caller: Callable[..., Any], duration: float, times: Times) -> Timing:
    """Return the timing of a run from keywords of `caller`; an unknown keyword is reported under its name."""
    known = {*signature(caller).parameters, *Times.__annotations__} - {"times"}
    for name in times:
        if name not in known:
            raise UnknownName(f"keyword of {caller.__name__}()", name, known)
    return Timing(duration, **times)


def plant_of(
    robot: Robot, world: Any, timing: Timing, engine: str | None = None, keep: int | None = None
) -> SimulatedPlant:
    """Create a simulated plant: the engine for robot and world, or the named one, behind the interface of a robot."""
    carrier = find_engine(robot, world, engine)(robot, world, timing.step)
    return SimulatedPlant(carrier, timing.control_period, timing.sample_period, timing.realtime, keep)


def world_for(robot: Robot, world: Any, controller: Gait | Controller) -> Any:
    """Return the world with the fields that follow from a gait filled in."""
    return world.suited(robot, motion_of(controller, robot)) if isinstance(controller, Gait) else world


def simulate(
    robot: Robot,
    world: Any,
    controller: Gait | Controller | None = None,
    duration: float = 10.0,
    *,
    initial: Initial | None = None,
    engine: str | None = None,
    seed: int = 0,
    script: Iterable[Event] = (),
    stop: LeaveArea | None = None,
    progress: Progress | None = None,
    **times: Unpack[Times],
) -> Trajectory:
    """Run and return the Trajectory; SimulationDiverged has the part until then. A rule may stop it earlier.

    times: step, control_period, sample_period [s], delay [control periods], realtime. See Timing.
    """
    parts = parts_of(robot, world, controller, timing_of(simulate, duration, times), initial)
    return run_parts(
        parts | ({} if stop is None else {"stop": stop}), engine, seed, events.check_script(script), progress
    )


def parts_of(robot: Robot, world: Any, controller: Any, timing: Timing, initial: Any) -> dict[str, Any]:
    """Return the parts of a run; raise InvalidValue for wrong types. Without a controller the drives are not
    commanded.
    """
    instance("robot", robot, Robot, "a robot, such as sp.robots.PlanarSnake()")
    instance("world", world, World, "a world, such as sp.worlds.Plane()")
    controller = Idle() if controller is None else controller
    require(isinstance(controller, Gait | Controller), "controller", controller, "a Gait or a Controller")
    initial = Initial() if initial is None else initial
    instance("initial", initial, Initial, "an Initial(joint_position, ...)")
    return {"robot": robot, "world": world, "controller": controller, "timing": timing, "initial": initial}


def run_parts(
    parts: dict[str, Any],
    engine: str | None,
    seed: int,
    script: tuple[Event, ...],
    progress: Progress | None,
    stride: int | None = None,
    cut: bool = False,
) -> Trajectory:
    """Run assembled parts; `stride` is the largest number of ticks of a gait in one compiled call.

    The end of such a call changes rounding in the last digits, so a run that repeats another must use the same calls.
    `cut`: it ends between two ticks, without its last instant.
    """
    timing: Timing = parts["timing"]
    world = world_for(parts["robot"], parts["world"], parts["controller"])
    plant = plant_of(parts["robot"], world, timing, engine)
    known = {**describe(parts, engine, seed, script), "stride": stride, "cut": cut}
    return run_loop(
        plant, parts["controller"], timing.duration,
        initial=parts["initial"], seed=seed, delay=timing.delay, script=script, stop=parts.get("stop"), stride=stride,
        cut=cut, attributes=known, progress=progress,
    )  # fmt: skip


class Stream(Iterator[Sample]):
    """A run sample by sample that accepts changes while it runs; changes become part of its recording."""

    def __init__(
        self, parts: dict[str, Any], engine: str | None, seed: int, keep: int | None, script: Iterable[Event] = ()
    ):
        self.parts, self.engine, self.seed = parts, engine, seed
        self.timing: Timing = parts["timing"]
        world = world_for(parts["robot"], parts["world"], parts["controller"])
        self.plant: SimulatedPlant = plant_of(parts["robot"], world, self.timing, engine, keep)
        self.loop = Loop(self.plant, parts["controller"], parts["initial"], seed, self.timing.delay, script)
        self.ticks = self.timing.ticks
        events.check_last(self.loop.script, self.ticks)
        self.seen = 0
        self.over = False

    def __next__(self) -> Sample:
        while self.seen == self.plant.recorded_samples:
            if self.over:
                raise StopIteration
            self.go_on()
        self.seen += 1
        return self.plant.sample(self.seen - 1)

    def go_on(self) -> None:
        """Advance by one tick, or end the run."""
        if self.loop.tick < self.ticks:
            self.loop.step()
        else:
            self.over = True
            self.loop.finish(max(0.0, self.timing.duration - self.ticks * self.timing.control_period))

    def change(self, what: str, value: Any) -> None:
        """Change a field from the next tick, such as controller.frequency, world.smoothing, robot.drive.damping."""
        if self.over:
            raise Unsupported(f"the run is over: {what} cannot change")
        self.loop.change(what, value)

    def lead(self, gait: Gait) -> None:
        """Switch to another gait at the next tick, continuing the phase, without a jump of angle or rate."""
        self.change("controller", gait)

    def push(self, link: int, force: tuple[float, ...], moment: tuple[float, ...] = (0.0, 0.0, 0.0)) -> None:
        """Apply a force [N] at a link's centre of mass and a moment [N m], world axes, until the next push on it."""
        require(np.shape(force) == np.shape(moment) == (3,), "push", (force, moment), "3 numbers [N] and 3 [N m]")
        self.change(f"{PUSH}.{link}", tuple(finite("push", part) for part in (*force, *moment)))

    def trajectory(self) -> Trajectory:
        """Return the run so far; repeat() plays it again with all changes."""
        spent = self.loop.tick * self.timing.control_period
        ended = asdict(self.timing) | ({} if self.over else {"duration": max(spent, self.timing.step)})
        acted = self.loop.script[: self.loop.played]
        known = describe(self.parts | {"timing": Timing(**ended)}, self.engine, self.seed, acted)
        return self.loop.trajectory({**known, "stride": 1, "cut": not self.over, "complete": self.over})


def stream(
    robot: Robot,
    world: Any,
    controller: Gait | Controller | None = None,
    duration: float = math.inf,
    *,
    initial: Initial | None = None,
    engine: str | None = None,
    seed: int = 0,
    script: Iterable[Event] = (),
    keep: int | None = None,
    **times: Unpack[Times],
) -> Stream:
    """Run sample by sample, a million samples unless a duration is given; only the latest `keep` are stored."""
    period = positive("sample_period", times.get("sample_period", Timing.sample_period))
    timing = timing_of(stream, MOST_SAMPLES * period if duration == math.inf else duration, times)
    return Stream(parts_of(robot, world, controller, timing, initial), engine, seed, keep, script)


def describe(parts: dict[str, Any], engine: str | None, seed: int, script: Iterable[Event]) -> dict[str, Any]:
    """Return everything needed to repeat the run, as attributes of the trajectory."""
    unrepeatable = [name for name, part in parts.items() if not configuration.repeatable(part)]
    unrepeatable += [] if events.repeatable(script) else ["script"]
    plain = {name: configuration.to_plain(part) for name, part in parts.items() if name not in unrepeatable}
    known = {"versions": versions(), "seed": checked_seed(seed), "unrepeatable": unrepeatable}
    rows = [] if "script" in unrepeatable else events.to_plain(script)
    return {**known, "configuration": json.dumps({**plain, "engine": engine}), "script": json.dumps(rows)}


def stored_parts(trajectory: Trajectory) -> tuple[dict[str, Any], str | None]:
    """Return the parts of a recorded run and the engine that was named."""
    plain = trajectory.configuration
    parts = {name: configuration.from_plain(plain.get(name), kind, name) for name, kind in KINDS.items()}
    parts["timing"] = configuration.from_plain(plain.get("timing"), Timing, "timing")
    parts["initial"] = configuration.from_plain(plain.get("initial"), Initial, "initial")
    if "stop" in plain:
        parts["stop"] = configuration.from_plain(plain["stop"], LeaveArea, "stop")
    return parts, plain.get("engine")


__all__ = ["Initial", "Observation", "Sample", "Stream", "Timing", "simulate", "stream"]
