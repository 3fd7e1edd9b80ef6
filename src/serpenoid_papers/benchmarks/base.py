"""Timing of our code and of a peer: interleaved, in one process, best of many."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from time import perf_counter
from typing import Any, NamedTuple

# Modules of this package, in the order of the table.
TOPICS: tuple[str, ...] = (
    "planar", "tree", "moving_frame", "pushing", "sweeps", "natrix", "planning", "pegs", "contact", "laws", "learning",
    "hardware", "studio",
)  # fmt: skip

Clock = Callable[[], float]  # wall clock (perf_counter) or processor clock (process_time) [s]


class Row(NamedTuple):
    """One line of `serpenoid bench`; the peer's columns are empty if there is none."""

    name: str
    ours_us: float
    peer: str = ""
    peer_us: float = float("nan")
    target: str = ""  # required value

    @property
    def ratio(self) -> float:
        """Speed-up: the peer's time over ours."""
        return self.peer_us / self.ours_us


def time_interleaved(
    calls: dict[str, Callable[[], Any]], seconds: float = 1.0, block: float = 0.002, clock: Clock = perf_counter
) -> dict[str, float]:
    """Return the best time of one call of each contestant, in microseconds, by the given clock.

    Each round times a block of calls of every contestant in sequence, so that all see the same load of the machine.
    """
    counts = {name: repetitions(call, block) for name, call in calls.items()}
    best = dict.fromkeys(calls, float("inf"))
    end = perf_counter() + seconds * len(calls)
    while perf_counter() < end:
        for name, call in calls.items():
            best[name] = min(best[name], time_calls(call, counts[name], clock))
    return {name: value * 1e6 for name, value in best.items()}


def repetitions(call: Callable[[], Any], block: float) -> int:
    """Return the number of calls that fill a block; the first call (which may compile) is not counted."""
    call()
    return max(1, int(block / max(time_calls(call, 3), 1e-9)))


def time_calls(call: Callable[[], Any], count: int, clock: Clock = perf_counter) -> float:
    """Return the mean time of one of `count` calls by a clock [s]."""
    start = clock()
    for _ in range(count):
        call()
    return (clock() - start) / count


def collect(topics: Iterable[str] = TOPICS) -> Iterator[Row]:
    """Yield all rows, topic by topic; rows of a peer that is not installed are omitted."""
    for topic in topics:
        yield from import_module(f"serpenoid_papers.benchmarks.{topic}").rows()


def machine() -> dict[str, Any]:
    """Describe the machine of the measurement."""
    import os

    return {"processor": processor(), "cores": os.cpu_count(), "python": platform.python_version()}


def processor() -> str:
    """Return the processor's name as reported by the system."""
    try:
        with open("/proc/cpuinfo") as file:  # noqa: PTH123
            return next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
