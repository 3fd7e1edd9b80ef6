"""Interface to a group of motors on a bus or network, real or emulated, of any manufacturer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.base import Command
from serpenoid.engines.base import Initial
from serpenoid.errors import require
from serpenoid.hardware.clock import Clock

PATIENCE = 0.5  # longest wait for feedback if no time is given [s]


class Feedback(NamedTuple):
    """Answers of the motors to one request, in their own signs; NaN is unknown."""

    time: float  # earliest time of the answers by the motors' clock [s]
    values: Mapping[str, NDArray]  # by the names of SENSED; (motors,) or (motors, 3)


class MotorBus(ABC):
    """A group of motors that are read and commanded together, and the clock that they run on."""

    noun: ClassVar[str]  # name of one of them in messages
    expiry: ClassVar[str]  # their reaction when the lifetime of a command expires
    size: int  # number of motors
    clock: Clock

    @abstractmethod
    def listen(self, period: float) -> None:
        """Begin to receive feedback every `period` [s], once at once."""

    @abstractmethod
    def feedback(self, timeout: float = PATIENCE) -> Feedback | None:
        """Wait for the next feedback, at most for a time [s]; None if none arrives."""

    @abstractmethod
    def send(self, command: Command) -> None:
        """Send targets in the order and sign of the motors, NaN where not commanded."""

    @abstractmethod
    def lost(self, names: Sequence[str]) -> list[str]:
        """Return the motors that no longer answer."""

    def engage(self) -> None:  # noqa: B027
        """Prepare the motors for their first command, which follows at once."""

    def busy(self) -> int | None:
        """Return the first motor that another program controls, according to the last feedback; None if it is free."""
        return None

    def refused(self, command: Command) -> str | None:
        """Return why the motors cannot follow a command, given in their signs; None if they can."""
        return None

    def problem(self) -> str | None:
        """Return a fault that a motor itself reported since the last command; None if there is none."""
        return None

    def place(self, initial: Initial, rng: np.random.Generator) -> None:
        """Place a simulated robot at the start of the run; a real one starts at its measured pose."""
        require(initial == Initial(), "initial", initial, "omitted: a real robot starts at its present pose")

    def close(self) -> None:  # noqa: B027
        """Release the motors."""
