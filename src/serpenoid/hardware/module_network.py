"""What a plant knows of the modules' side: a group by hebi-py's names, real or of the twin, and its clock."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.engines.base import Initial
from serpenoid.errors import require
from serpenoid.hardware.clock import Clock


class Network:
    """What a plant needs to know of the modules' side: a group, its command class, a clock, a lookup."""

    def __init__(self, group: Any, command: Any, clock: Clock, lookup: Any = None):
        self.group, self.command, self.clock, self.lookup = group, command, clock, lookup

    def lost(self, names: Sequence[str]) -> list[str]:
        """Which of these modules do not answer any more, as far as the lookup knows."""
        found = [] if self.lookup is None else list(self.lookup.entrylist)
        return [entry.name for entry in found if entry.name in names and entry.is_stale]

    def place(self, initial: Initial, rng: np.random.Generator) -> None:
        """Put a simulated robot where the run starts; a real one starts where it is."""
        require(initial == Initial(), "initial", initial, "left out: a real robot starts where it is")

    def close(self) -> None:
        """Let the modules go."""


def column(feedback: Any, name: str) -> NDArray:
    """A quantity of feedback; the twin also tells it in double precision."""
    full = getattr(feedback, "full", None)
    return np.asarray(getattr(feedback, name) if full is None else full(name), dtype=float)
