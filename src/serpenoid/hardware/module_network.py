"""Interface to a group of modules by hebi-py's names, real or emulated, and its clock."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.engines.base import Initial
from serpenoid.errors import require
from serpenoid.hardware.clock import Clock


class Network:
    """A group of modules, its command class, a clock and a lookup, as a plant needs them."""

    def __init__(self, group: Any, command: Any, clock: Clock, lookup: Any = None):
        self.group, self.command, self.clock, self.lookup = group, command, clock, lookup

    def lost(self, names: Sequence[str]) -> list[str]:
        """Return the modules that no longer answer, according to the lookup."""
        found = [] if self.lookup is None else list(self.lookup.entrylist)
        return [entry.name for entry in found if entry.name in names and entry.is_stale]

    def place(self, initial: Initial, rng: np.random.Generator) -> None:
        """Place a simulated robot at the start of the run; a real one starts at its measured pose."""
        require(initial == Initial(), "initial", initial, "left out: a real robot starts at its present pose")

    def close(self) -> None:
        """Release the modules."""


def column(feedback: Any, name: str) -> NDArray:
    """Return a quantity of feedback; the emulator also provides it in double precision."""
    full = getattr(feedback, "full", None)
    return np.asarray(getattr(feedback, name) if full is None else full(name), dtype=float)
