"""What a claim is judged by."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Criterion(NamedTuple):
    """A claim of a paper, what the paper says, and the test of a measured value against it."""

    claim: str
    paper_value: Any
    band: str  # the test in words
    holds: Callable[[Any], bool | None]
