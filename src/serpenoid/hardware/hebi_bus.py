"""HEBI modules by hebi-py's names, real or emulated."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.base import Command
from serpenoid.hardware.clock import Clock
from serpenoid.hardware.hebi_fields import LOCKED_BY_OTHER
from serpenoid.hardware.motor_bus import PATIENCE, Feedback, MotorBus
from serpenoid.robots.sensors import SENSED

MEASURED = {name: row.feedback for name, row in SENSED.items() if row.feedback}  # quantities that modules report


class HebiBus(MotorBus):
    """A group of modules, their command class, a clock and a lookup."""

    noun: ClassVar[str] = "module"
    expiry: ClassVar[str] = "went limp"

    def __init__(self, group: Any, command: Any, clock: Clock, lookup: Any = None):
        self.group, self.command, self.clock, self.lookup = group, command, clock, lookup
        self.size = 0 if group is None else group.size
        self.last: Any = None  # last feedback

    def listen(self, period: float) -> None:
        self.group.feedback_frequency = 1.0 / period
        self.group.send_feedback_request()

    def feedback(self, timeout: float = PATIENCE) -> Feedback | None:
        found = self.group.get_next_feedback(timeout_ms=max(0, ceil(1e3 * timeout - 1e-6)))
        if found is None:
            return None
        self.last = found
        time = float(np.fmin.reduce(column(found, "receive_time")))
        return Feedback(time, {name: column(found, own) for name, own in MEASURED.items()})

    def send(self, command: Command) -> None:
        out = self.command(self.size)
        out.position = command.position
        if not np.isnan(command.velocity).all():
            out.velocity = command.velocity
        if not np.isnan(command.torque).all():
            out.effort = command.torque
        self.group.send_command(out)

    def busy(self) -> int | None:
        locked = np.asarray(self.last.command_lifetime_state) == LOCKED_BY_OTHER
        return int(np.argmax(locked)) if locked.any() else None

    def lost(self, names: Sequence[str]) -> list[str]:
        """Return the modules that no longer answer, according to the lookup."""
        found = [] if self.lookup is None else list(self.lookup.entrylist)
        return [entry.name for entry in found if entry.name in names and entry.is_stale]


def column(feedback: Any, name: str) -> NDArray:
    """Return a quantity of feedback; the emulator also provides it in double precision."""
    full = getattr(feedback, "full", None)
    return np.asarray(getattr(feedback, name) if full is None else full(name), dtype=float)
