"""How ours and a peer are timed side by side: interleaved, in one run, best of many."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from time import perf_counter
from typing import Any, NamedTuple

# Modules of this package, in the order of the table.
TOPICS: tuple[str, ...] = (
    "planar", "tree", "moving_frame", "pushing", "sweeps", "natrix", "planning", "pegs", "contact", "laws", "hardware",
    "studio",
)  # fmt: skip

Clock = Callable[[], float]  # of the wall (perf_counter) or of the processor (process_time) [s]


class Row(NamedTuple):
    """One line of `serpenoid bench`; without a peer its columns stay empty."""

    name: str
    ours_us: float
    peer: str = ""
    peer_us: float = float("nan")
    target: str = ""  # what the plan asks for

    @property
    def ratio(self) -> float:
        """How many times faster ours is."""
        return self.peer_us / self.ours_us


def interleaved(
    calls: dict[str, Callable[[], Any]], seconds: float = 1.0, block: float = 0.002, clock: Clock = perf_counter
) -> dict[str, float]:
    """Best time of one call of each, in microseconds, by the given clock.

    Each turn times a block of calls of every contestant one after the other, so that all see the same machine.
    """
    counts = {name: repetitions(call, block) for name, call in calls.items()}
    best = dict.fromkeys(calls, float("inf"))
    end = perf_counter() + seconds * len(calls)
    while perf_counter() < end:
        for name, call in calls.items():
            best[name] = min(best[name], timed(call, counts[name], clock))
    return {name: value * 1e6 for name, value in best.items()}


def repetitions(call: Callable[[], Any], block: float) -> int:
    """How many calls fill a block; the first call (which may compile) is not counted."""
    call()
    return max(1, int(block / max(timed(call, 3), 1e-9)))


def timed(call: Callable[[], Any], count: int, clock: Clock = perf_counter) -> float:
    """Mean time of one of `count` calls by a clock [s]."""
    start = clock()
    for _ in range(count):
        call()
    return (clock() - start) / count


def collect(topics: Iterable[str] = TOPICS) -> Iterator[Row]:
    """All rows, topic by topic; a peer that is not installed leaves its rows out."""
    for topic in topics:
        yield from import_module(f"serpenoid_papers.benchmarks.{topic}").rows()


def machine() -> dict[str, Any]:
    """Where the figures were taken."""
    import os

    return {"processor": processor(), "cores": os.cpu_count(), "python": platform.python_version()}


def processor() -> str:
    """The processor's name as the system tells it."""
    try:
        with open("/proc/cpuinfo") as file:  # noqa: PTH123
            return next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
