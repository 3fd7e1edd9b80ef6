"""Laws running on a plant: observations, commands and signals at each tick."""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.base import Command, Controller, Law, Observation, Signal, signals_of
from serpenoid.control.open_loop import OpenLoop, RateLaw
from serpenoid.errors import InvalidValue, Unsupported, require
from serpenoid.gaits.base import Gait
from serpenoid.kernels.records import Motion
from serpenoid.robots.base import Robot
from serpenoid.robots.sensors import ALWAYS_SENSED
from serpenoid.runtime.stop_rules import LeaveArea
from serpenoid.trajectory import LABELS


class Ticks(NamedTuple):
    """Observations, commands and signals of one tick, or of several ticks of one compiled call."""

    first: int  # number of the first tick
    size: int
    sensed: dict[str, NDArray]  # (size, joints) observations that the plant records
    command: Command | None  # arrays (size, joints) from the law, before the delay. None: a gait
    signals: dict[str, Signal]  # values (size, ...)
    stopped: bool = False  # whether a rule ends the run after them

    def rows(self, start: int, stop: int) -> Ticks:
        """Return some of them."""
        assert self.command is not None
        command = Command(*(part[start:stop] for part in self.command))
        sensed = {name: values[start:stop] for name, values in self.sensed.items()}
        signals = {name: signal._replace(value=signal.value[start:stop]) for name, signal in self.signals.items()}
        return Ticks(self.first + start, stop - start, sensed, command, signals)


class GaitLaw(RateLaw):
    """A gait as a law. A simulation follows its motion at every step; other plants sample it once per tick."""

    def __init__(self, gait: Gait, robot: Robot, period: float):
        super().__init__(OpenLoop(gait, rates=True), robot, period)

    @property
    def motion(self) -> Motion:
        """Return the motion, including the blend from the previous gait."""
        return self.lead.motion

    def changed(self, gait: Any) -> None:
        super().changed(OpenLoop(gait, rates=True))


class RunningLaw:
    """A law on a plant, with its delay, stop rule, latest observation and record."""

    observation: Observation

    def __init__(self, plant: Any, controller: Gait | Controller, rng: Any, delay: int, stop: LeaveArea | None):
        self.plant, self.stop = plant, stop
        self.law: Law = law_of(plant, controller, rng)
        self.waiting: deque[Command] = deque(Command.empty(plant.robot.joints) for _ in range(delay))
        self.tick = 0  # number of the next tick
        self.ticks: deque[Ticks] = deque(maxlen=plant.keep)
        self.shapes: dict[str, tuple[int, ...]] | None = None  # of the signals, after the first call

    def ask(self) -> Command:
        """Call the law; return the command that acts now, an earlier one if there is a delay."""
        answer = self.law(self.observation)
        if not (isinstance(answer, tuple) and len(answer) == len(Command._fields)):
            raise InvalidValue("command", answer, "a Command(position, velocity, acceleration, torque)")
        command = Command(*answer).checked(self.plant.robot.joints)
        seen, names = self.observation, self.plant.recorded
        known = [name for name in names if name in ALWAYS_SENSED or seen.read(name) is not None]
        sensed = {name: np.asarray(seen.needed(name))[None] for name in known}
        found = signals_of(self.law) | signals_of(self.plant)
        signals = {name: signal._replace(value=signal.value[None]) for name, signal in found.items()}
        self.keep(Ticks(self.tick, 1, sensed, Command(*(part[None] for part in command)), signals))
        self.waiting.append(command)
        return self.waiting.popleft()

    def keep(self, block: Ticks) -> None:
        """Record ticks; raise InvalidValue for signals that differ from those of the first tick."""
        self.check_signals(block.signals)
        single = self.plant.keep is not None and block.size > 1  # then a limited number of single ticks is kept
        self.ticks.extend([block.rows(i, i + 1) for i in range(block.size)] if single else [block])

    def rule_is_met(self) -> bool:
        """Return whether the law has finished, or the rule ends the run at the latest observation."""
        if hasattr(self.law, "finished") and self.law.finished():
            return True
        truth = None if self.stop is None else self.observation.truth
        return self.stop is not None and truth is not None and self.stop.met(truth.link_pose)

    def change(self, before: Gait | Controller, after: Gait | Controller) -> None:
        """Switch to another configuration; a gait takes over without a jump."""
        if isinstance(after, Gait) != isinstance(before, Gait) or not hasattr(self.law, "changed"):
            raise Unsupported(f"{type(before).__name__} cannot become another controller during a run")
        self.law.changed(after)

    def check_signals(self, rows: dict[str, Signal]) -> None:
        """Raise InvalidValue for signals (ticks, ...) with names in use, wrong sizes, or sizes that change."""
        shapes = {name: signal.value.shape[1:] for name, signal in rows.items()}
        if self.shapes is None:
            self.check_names(rows)
            self.check_sizes(rows)
            self.shapes = shapes
        if shapes != self.shapes:
            named = tuple(shapes) != tuple(self.shapes)
            wanted: Any = tuple(self.shapes) if named else self.shapes
            raise InvalidValue("signals", tuple(shapes) if named else shapes, f"the same at every tick: {wanted}")

    def check_names(self, rows: dict[str, Signal]) -> None:
        """Raise InvalidValue for signal names that are variables of the trajectory."""
        taken = {"time", "tick", "joint", "link", *LABELS, *self.plant.variable_names()}
        for name in rows:
            free = name not in taken and not name.startswith(("command_", "sensed_")) or name == "command_ready"
            require(free, "signal", name, "a name that no variable of the trajectory has")

    def check_sizes(self, rows: dict[str, Signal]) -> None:
        """Raise InvalidValue for signal dimensions with two sizes."""
        labels = {"joint": self.plant.robot.joint_names, "link": self.plant.robot.link_names, **LABELS}
        sizes = {dim: len(names) for dim, names in labels.items()}
        for name, signal in rows.items():
            for dim, size in zip(signal.dims, signal.value.shape[1:]):
                good = dim not in ("time", "tick") and sizes.setdefault(dim, size) == size
                require(good, f"signal {name}", signal.dims, f"{sizes.get(dim, 'not')} long in {dim}, not {size}")


def law_of(plant: Any, controller: Gait | Controller, rng: Any) -> Law:
    """Start a controller on a plant; raise Unsupported if it needs the truth and the plant has none."""
    if isinstance(controller, Gait):
        return GaitLaw(controller, plant.robot, plant.period)
    if controller.needs_truth and not plant.has_truth:
        name = type(controller).__name__
        raise Unsupported(f"{name} needs the robot's true pose, which {type(plant).__name__} does not have")
    law = controller.start(plant.robot, plant.period, rng)
    require(callable(law), f"{type(controller).__name__}.start()", law, "a law: callable with an observation")
    return law
