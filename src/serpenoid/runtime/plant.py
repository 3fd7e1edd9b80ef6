"""Interface of a plant: the real, emulated or simulated robot that a controller acts on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.base import Command, Observation, Signal
from serpenoid.engines.base import Initial
from serpenoid.errors import HardwareFault, Unsupported
from serpenoid.robots.base import Robot
from serpenoid.robots.sensors import ALWAYS_SENSED
from serpenoid.runtime.events import Event
from serpenoid.runtime.running_law import RunningLaw, Ticks
from serpenoid.support.interrupts import never

STRIDE = 16  # ticks of a run requested at once


class Plant(ABC):
    """A robot that accepts one command per period: simulated, emulated or real."""

    has_truth: ClassVar[bool] = False  # whether its observations include the truth
    keep: int | None = None  # number of samples and ticks kept, None for all

    def __init__(self, robot: Robot, period: float):
        self.robot = robot
        self.period = period  # [s] between two commands
        self.stopped: Callable[[], bool] = never  # whether the run must end, checked between compiled calls

    @abstractmethod
    def start(self, initial: Initial, rng: np.random.Generator) -> Observation:
        """Begin a run, also a second one; return the first observation."""

    @abstractmethod
    def step(self, command: Command) -> Observation:
        """Apply a command for one period and return the observation at its end. A real plant waits for the clock."""

    def attach(self, law: RunningLaw) -> None:  # noqa: B027
        """Prepare for the law that will control the robot, before the start."""

    def advance(self, law: RunningLaw, ticks: int) -> Ticks:
        """Run a law for at least one tick and at most `ticks`; return the recorded samples. By default one tick."""
        law.observation = self.step(law.ask())
        return law.ticks[-1]._replace(stopped=law.rule_is_met())

    def end(self, law: RunningLaw, rest: float) -> None:
        """End a run with the law's last command and `rest` [s], which is less than a period."""
        self.finish(law.ask(), rest)

    def stride(self, law: RunningLaw, ticks: int, wanted: int | None) -> int:
        """Return the number of ticks requested at once; progress is reported and Ctrl-C acts in between."""
        return wanted or STRIDE

    def reached(self, time: float) -> float:
        """Return the time of a run whose ticks so far took `time` [s]."""
        return time

    @property
    def may_compile(self) -> bool:
        """Return whether the next step may compile."""
        return False

    def close(self) -> None:  # noqa: B027
        """Release the robot."""

    def finish(self, command: Command, rest: float) -> None:  # noqa: B027
        """End a run: send the last command and apply it for `rest` [s], less than a period."""

    def failed(self, error: BaseException) -> HardwareFault | None:
        """Make the robot safe and return the HardwareFault to raise instead of `error`; None re-raises `error`."""
        return None

    def breaks_off(self, again: bool) -> bool:
        """Return whether Ctrl-C (`again`: a second one) ends a run at once instead of at its next tick."""
        return again

    def apply(self, event: Event) -> None:
        """Apply an external event."""
        raise Unsupported(f"{type(self).__name__} does not accept {event.what} from outside")

    def signals(self) -> dict[str, Signal]:
        """Return the signals of the plant to record at a tick."""
        return {}

    @property
    def recorded(self) -> tuple[str, ...]:
        """Return the names of the observations recorded at every tick."""
        return ALWAYS_SENSED

    def variable_names(self) -> tuple[str, ...]:
        """Return the names of the variables of its samples."""
        return ALWAYS_SENSED

    def samples(self) -> tuple[NDArray, dict[str, NDArray]]:
        """Return the times of its own samples and their variables; empty if it only has observations."""
        return np.zeros(0), {}
