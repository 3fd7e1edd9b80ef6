"""Control loop of simulated and real robots: observe, call the law, command.

`Loop` advances tick by tick, and run_loop() runs all ticks of a run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from types import FrameType
from typing import Any, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.base import Command, Controller
from serpenoid.engines.base import Initial
from serpenoid.errors import SimulationDiverged, instance, positive, require, whole_number
from serpenoid.gaits.base import Gait
from serpenoid.robots.sensors import ALWAYS_SENSED
from serpenoid.runtime import events
from serpenoid.runtime.events import Event
from serpenoid.runtime.plant import Plant
from serpenoid.runtime.running_law import RunningLaw, Ticks
from serpenoid.runtime.stop_rules import LeaveArea
from serpenoid.support.interrupts import Interrupted, compiling, deferred_interrupts, never
from serpenoid.trajectory import Trajectory
from serpenoid.variables import Variable, label

Progress = Callable[[float], None]
MOST_DELAY, MOST_TICKS, MOST_SEED = 10_000, 10**12, 2**63 - 1


class Conditions(TypedDict, total=False):
    """Optional arguments of a run: initial state, seed, command delay, scripted events and stop rule."""

    initial: Initial | None
    seed: int
    delay: int  # latency of a command in periods
    script: Iterable[Event]
    stop: LeaveArea | None  # rule that ends the run early


class Loop:
    """A run that advances tick by tick; events of its script act at the beginning of their tick."""

    def __init__(
        self,
        plant: Plant,
        controller: Gait | Controller,
        initial: Initial | None = None,
        seed: int = 0,
        delay: int = 0,
        script: Iterable[Event] = (),
        stop: LeaveArea | None = None,
    ):
        self.plant, self.controller = plant, controller
        self.script = list(events.check_script(script))
        self.played, self.stopped = 0, False
        of_plant, of_law = np.random.default_rng(checked_seed(seed)).spawn(2)
        delay = whole_number("delay", delay, 0, MOST_DELAY)
        self.running = RunningLaw(plant, controller, of_law, delay, stop)
        plant.attach(self.running)
        self.running.observation = plant.start(initial or Initial(), of_plant)

    @property
    def tick(self) -> int:
        """Number of the next tick."""
        return self.running.tick

    @property
    def time(self) -> float:
        """Time of the next tick [s]."""
        return self.tick * self.plant.period

    def step(self) -> None:
        """Run one tick."""
        self.advance(1)

    def advance(self, ticks: int) -> None:
        """Run a number of ticks; the plant may run all ticks up to the next event in one call."""
        end = self.tick + ticks
        while self.tick < end and not self.stopped:
            if self.plant.stopped():
                raise KeyboardInterrupt
            self.play()
            until = min([end] + [event.tick for event in self.script[self.played : self.played + 1]])
            passed = self.plant.advance(self.running, until - self.tick)
            self.running.tick += passed.size
            self.stopped = passed.stopped

    def finish(self, rest: float = 0.0) -> None:
        """End the run after a further `rest` [s], less than a period, and record its last instant."""
        self.play()
        self.plant.end(self.running, rest)

    def change(self, what: str, value: Any) -> None:
        """Apply a change from the next tick, and insert it into the script unless it is rejected."""
        event = Event(self.tick, what, value).checked()
        self.play()
        self.act(event)
        self.script.insert(self.played, event)
        self.played += 1

    def play(self) -> None:
        """Apply all events that are due."""
        while self.played < len(self.script) and self.script[self.played].tick <= self.tick:
            self.act(self.script[self.played])
            self.played += 1

    def act(self, event: Event) -> None:
        """Apply one event."""
        if event.what.partition(".")[0] == "controller":
            self.change_controller(event.applied(self.controller))
        else:
            self.plant.apply(event)

    def change_controller(self, controller: Gait | Controller) -> None:
        """Switch to another gait without a jump, or to another configuration of a law."""
        self.running.change(self.controller, controller)
        self.controller = controller

    def trajectory(self, attributes: dict[str, Any]) -> Trajectory:
        """Return the run so far."""
        times, sampled = self.plant.samples()
        ticks = self.running.ticks
        variables, ticked = label(sampled), tick_variables(ticks)
        if not variables and ticked:  # a plant with observations only
            times = self.tick_times()
            variables = label({name: ticked.pop(f"sensed_{name}").values for name in ALWAYS_SENSED})
        clocked = [name for name, signal in ticks[0].signals.items() if signal.clock] if ticks else []
        labels = {"joint": self.plant.robot.joint_names, "link": self.plant.robot.link_names}
        names = {"variables": [*variables, *ticked], "clock_variables": clocked}
        return Trajectory(times, {**variables, **ticked}, labels, {**attributes, **names}, self.tick_times())

    def tick_times(self) -> NDArray:
        """Return the times at which the law was called [s]."""
        numbers = [np.arange(ticks.first, ticks.first + ticks.size) for ticks in self.running.ticks]
        return np.concatenate(numbers) * self.plant.period if numbers else np.zeros(0)


def checked_seed(seed: Any) -> int:
    """Return the seed of a run, checked."""
    return whole_number("seed", seed, 0, MOST_SEED)


def check_run(plant: Any, controller: Any, initial: Any, stop: Any) -> None:
    """Raise InvalidValue for arguments of the wrong type."""
    instance("plant", plant, Plant, "a Plant: SimulatedPlant, an emulator or modules")
    require(isinstance(controller, Gait | Controller), "controller", controller, "a Gait or a Controller")
    if initial is not None:
        instance("initial", initial, Initial, "an Initial(joint_position, ...)")
    if stop is not None:
        instance("stop", stop, LeaveArea, "a LeaveArea(low, high, links)")
        require(plant.has_truth, "stop", stop, "omitted if the plant has no position of the robot")


def run_loop(
    plant: Plant,
    controller: Gait | Controller,
    duration: float,
    *,
    stride: int | None = None,
    cut: bool = False,
    attributes: dict[str, Any] | None = None,
    progress: Progress | None = None,
    **conditions: Unpack[Conditions],
) -> Trajectory:
    """Run a controller on a plant for a time [s] or until a rule stops it.

    SimulationDiverged and Interrupted contain the trajectory so far.

    stride: largest number of ticks per compiled call of a gait, and between two reports of progress. cut: end between
    two ticks, without the last instant, as when a stream is closed early. conditions: initial, seed, delay [periods],
    script, stop. The plant stays open; its creator must close it.
    """
    stop = conditions.get("stop")
    positive("duration", duration)
    require(progress is None or callable(progress), "progress", progress, "a function of the completed fraction")
    instance("attributes", {} if attributes is None else attributes, dict, "a dictionary")
    stride = None if stride is None else whole_number("stride", stride, 1, MOST_TICKS)
    check_run(plant, controller, conditions.get("initial"), stop)
    ticks, script = ticks_in(duration, plant.period), events.check_script(conditions.get("script", ()))
    events.check_last(script, ticks)
    loop = Loop(plant, controller, **(conditions | {"script": script}))
    known = {"seed": checked_seed(conditions.get("seed", 0)), **(attributes or {})}
    stride = plant.stride(loop.running, ticks, stride)

    def leaves(frame: FrameType | None) -> bool:
        return plant.may_compile and compiling(frame)

    try:
        with deferred_interrupts(plant.breaks_off, leaves) as plant.stopped:
            try:
                while loop.tick < ticks and not loop.stopped:
                    loop.advance(min(stride, ticks - loop.tick))
                    if progress:
                        progress(loop.time / duration)
                if cut:
                    loop.play()
                else:
                    loop.finish(0.0 if loop.stopped else max(0.0, duration - ticks * plant.period))
            except BaseException as error:  # also sys.exit() in a law: joints must not be left moving
                end_of(loop, error, known)
                raise
    finally:
        plant.stopped = never
    ended = {"stopped": loop.stopped} if stop is not None else {}
    return loop.trajectory({**known, **ended, "complete": not cut})


def ticks_in(duration: float, period: float) -> int:
    """Return the number of whole periods in a time [s], which is the number of the last tick."""
    return int(duration / period + 1e-6)


def end_of(loop: Loop, error: BaseException, known: dict[str, Any]) -> None:
    """Store the trajectory so far in the error that ends a run, or raise the HardwareFault that replaces the error."""
    if isinstance(error, SimulationDiverged):
        error.trajectory = loop.trajectory({**known, "complete": False})
        return
    fault = loop.plant.failed(error)
    if fault is not None:
        fault.trajectory = loop.trajectory({**known, "complete": False, "ended_by": str(fault)})
        raise fault from (None if fault is error else error)
    if isinstance(error, KeyboardInterrupt) and loop.plant.reached(loop.time) > 0.0:  # else there is nothing to keep
        raise Interrupted(loop.plant.reached(loop.time), loop.trajectory({**known, "complete": False})) from None


def tick_variables(ticks: Sequence[Ticks]) -> dict[str, Variable]:
    """Return commands, observations and signals at every tick; targets that were never commanded are omitted."""
    if not ticks:
        return {}
    arrays: dict[str, NDArray] = {}
    for name in Command._fields:
        values = np.concatenate([getattr(part.command, name) for part in ticks])
        if not np.isnan(values).all():
            arrays[f"command_{name}"] = values
    for name in ticks[0].sensed:
        arrays[f"sensed_{name}"] = np.concatenate([part.sensed[name] for part in ticks])
    found = label(arrays)
    for name, signal in ticks[0].signals.items():
        rows = np.concatenate([part.signals[name].value for part in ticks])
        found[name] = Variable(("tick", *signal.dims), rows, signal.unit, signal.meaning)
    return found
