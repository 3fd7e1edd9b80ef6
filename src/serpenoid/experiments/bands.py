"""The bands of every claim in one table, fixed beforehand; no experiment's run() imports this file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Band(NamedTuple):
    """A claim of a paper, what the paper says, and the test of a measured value against it."""

    claim: str
    paper_value: Any
    band: str  # the test in words
    holds: Callable[[Any], bool | None]


NATRIX: dict[str, Band] = {}

MPC_GAITS: dict[str, Band] = {}

PUSHING: dict[str, Band] = {}

MOVING_FRAME: dict[str, Band] = {}

BANDS = {"natrix": NATRIX, "mpc-gaits": MPC_GAITS, "pushing": PUSHING, "moving-frame": MOVING_FRAME}
