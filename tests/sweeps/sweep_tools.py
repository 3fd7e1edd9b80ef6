"""Shared tools of the sweep tests: a small grid, a driver for separate processes, and a comparison of stores."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from toy_scenario import Toy

from serpenoid.sweeps import Threads, sweep
from serpenoid.sweeps.store import Writer

OVER = {"gait.frequency": "0.5:6:12", "gait.lag": "0:4pi:5", "medium": "dry,viscous"}
CHUNK = 10  # cells: one frequency
SLOW = Toy(fails_above=5.0, delay=0.01)


class Backwards(Threads):
    """Threads that begin with the last chunk."""

    def run(self, function, chunks, stopped):
        return super().run(function, list(chunks)[::-1], stopped)


def run_slow(store: str, executor: type[Threads] = Threads) -> None:
    """Run the sweep that is killed and continued."""
    sweep(SLOW, OVER, store, executor=executor(2), chunk=CHUNK)


def run_until_mark(store: str, count: int, executor: type[Threads] = Threads, end: int = signal.SIGKILL) -> None:
    """Run the same sweep, which kills or stops itself between the arrays of its `count`-th chunk and that chunk's
    marker."""

    class Suicidal(Writer):
        marks = 0

        def mark(self, chunk: int, state: int, quantities: int) -> None:
            Suicidal.marks += 1
            if Suicidal.marks == count:
                os.kill(os.getpid(), end)
            super().mark(chunk, state, quantities)

    from serpenoid.sweeps import access
    from serpenoid.sweeps import store as module

    access.Writer = module.Writer = Suicidal
    run_slow(store, executor)


def chunks_with_files(store: Path) -> set[int]:
    """Return the chunks with any numbers or reasons, with or without a marker; whole chunks may have failed."""
    files = [*store.glob("*/c.*.*.*"), *store.glob("chunks/reason/c.*.*.*.*")]
    return {int(file.name.split(".")[1]) for file in files}


def contents(store: Path | str) -> dict[str, bytes]:
    """Return every file of a store except the record of its sessions, which contains host and time."""
    root = Path(store)
    files = (file for file in root.rglob("*") if file.is_file())
    return {str(file.relative_to(root)): file.read_bytes() for file in files if file.parent.name != "sessions"}


def array_contents(store: Path | str) -> dict[str, bytes]:
    """Return the files of the arrays, without the attributes of the store."""
    return {name: data for name, data in contents(store).items() if name != "zarr.json"}
