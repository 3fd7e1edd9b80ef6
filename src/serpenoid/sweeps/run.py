"""Coordinator of a sweep: submits chunks to an executor, writes the results, and resumes interrupted sessions."""

from __future__ import annotations

import os
import platform
import warnings
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import FileProblem, InvalidValue
from serpenoid.scenarios import scenario_from
from serpenoid.scenarios.base import Scenario
from serpenoid.support.interrupts import deferred_interrupts
from serpenoid.support.versions import versions
from serpenoid.sweeps.access import open_for_writing, refuse_foreign
from serpenoid.sweeps.chunks import ChunkOutcome, difference, run_chunk
from serpenoid.sweeps.executors import Executor, Finished, Threads
from serpenoid.sweeps.plan import Plan, make_plan
from serpenoid.sweeps.store import FAILED, OPEN, Writer, write_axes

if TYPE_CHECKING:
    import xarray

DAY = 86400.0  # [s]
LOG_SECONDS = 5.0  # interval between writes of the session record [s]
MOST_NAMED = 5  # damaged chunks named in a message


class Status(NamedTuple):
    """Progress of a sweep, in cells."""

    total: int
    done: int
    failed: int
    done_here: int  # in this session
    seconds: float  # of this session
    workers: int
    stopping: bool  # whether Ctrl-C was pressed


def sweep(
    scenario: Scenario | str,
    over: Mapping[str, Any],
    store: str | os.PathLike[str],
    sample: str | None = None,
    executor: Executor | None = None,
    chunk: int | None = None,
    repair: bool = False,
    retry: bool = False,
    progress: Callable[[Status], None] | None = None,
) -> xarray.Dataset:
    """Run a scenario over a grid (or, with `sample`, over drawn points) and return the dataset.

    `over` maps fields to "start:stop:count", "log:start:stop:count", "a,b,c" or a list of values. `sample` is "sobol:N"
    or "random:N". An existing store is continued. `repair` recomputes damaged chunks, and `retry` recomputes chunks
    with failed cells. The default executor is threads; the caller must close an executor that it passes. Ctrl-C waits a
    few seconds for running chunks and returns the finished ones; a second Ctrl-C quits at once.
    """
    from serpenoid.sweeps.result import open_sweep

    chosen = scenario_from(scenario)
    plan = make_plan(chosen, over, sample, chunk)
    path = Path(store)
    refuse_foreign(path)
    with open_for_writing(path, plan, {"versions": versions(), "seed": chosen.seed}) as writer:
        if chunk is not None and writer.grid != plan.grid:
            raise InvalidValue("chunk", chunk, f"omitted: {path} has chunks of {writer.grid.size(0)} cells")
        plan = replace(plan, grid=writer.grid)
        prepare(plan, writer, repair, retry)
        if len(writer.marked()) < writer.grid.chunks:
            with nullcontext(executor) if executor else Threads() as workers, deferred_interrupts() as stopped:
                run_open_chunks(plan, writer, workers, stopped, progress)
        writer.consolidate()
    return open_sweep(path)


def prepare(plan: Plan, writer: Writer, repair: bool, retry: bool) -> None:
    """Check the chunks of earlier sessions: raise if some are damaged, unless `repair` reopens them.

    `retry` reopens chunks with failed cells.
    """
    known = writer.attributes["versions"]
    if known != versions():
        text = difference(versions(), known)
        warnings.warn(f"{writer.path} was started with other versions: now {text}", stacklevel=3)
    axes = writer.damaged_axes()
    damaged = list(writer.damage())
    if (axes or damaged) and not repair:
        names = [f"axis {name}" for name in axes] + [f"chunk {chunk}: {problem}" for chunk, problem in damaged]
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        named = "; ".join(names[:MOST_NAMED])
        raise FileProblem(writer.path, f"is damaged ({named}{more}); --repair recomputes the damaged parts")
    if axes:
        write_axes(writer.path, plan)
    failed = np.flatnonzero(writer.states() == FAILED).tolist() if retry else []
    for chunk in sorted({chunk for chunk, _ in damaged} | set(failed)):
        writer.reopen(chunk)


def run_open_chunks(
    plan: Plan,
    writer: Writer,
    executor: Executor,
    stopped: Callable[[], bool],
    progress: Callable[[Status], None] | None,
) -> None:
    """Run every open chunk."""
    states = writer.states()
    session = Session(plan, writer, executor, states)
    try:
        session.hand_out(plan, np.flatnonzero(states == OPEN).tolist(), stopped, progress)
    finally:
        session.close()


def coordinates(plan: Plan, chunk: int) -> dict[str, NDArray]:
    """Return the swept values in a chunk of a sample, as numbers; a grid returns none, because its axes store them."""
    if not plan.sample:
        return {}
    columns = plan.columns(chunk)
    return {axis.field: axis.stored(columns[axis.field]) for axis in plan.axes}


def lost_outcome(plan: Plan, finished: Finished) -> ChunkOutcome:
    """Return the outcome of a chunk whose workers died repeatedly: every cell failed."""
    reasons = dict.fromkeys(range(plan.grid.size(finished.chunk)), finished.reason)
    return ChunkOutcome({}, {}, reasons, platform.node(), 0.0, 0)


class Session:
    """Record of one session (hosts, chunks and computing time), stored outside the arrays."""

    def __init__(self, plan: Plan, writer: Writer, executor: Executor, states: NDArray):
        self.writer, self.executor = writer, executor
        self.start = self.logged = monotonic()
        computed = np.flatnonzero(states != OPEN).tolist()
        self.total, self.here = plan.grid.cells, 0
        self.before = sum(map(plan.grid.size, computed))
        self.failed = sum(len(writer.reasons(int(chunk))) for chunk in np.flatnonzero(states == FAILED))
        self.size = plan.grid.size
        self.chunks = 0  # in this session
        self.entry: dict[str, Any] = {
            "started": datetime.now(UTC).isoformat(), "host": platform.node(), "executor": executor.name,
            "versions": versions(), "seconds": 0.0, "cells": 0, "runs": 0, "hosts": {},
        }  # fmt: skip

    def hand_out(
        self, plan: Plan, chunks: list[int], stopped: Callable[[], bool], progress: Callable[[Status], None] | None
    ) -> None:
        """Run chunks of a plan and write each as soon as it is finished."""
        work = partial(run_chunk, plan, expected=versions())
        report = progress or (lambda status: None)
        report(self.status(stopped()))
        for finished in self.executor.run(work, chunks, stopped):
            if finished is not None:
                outcome = finished.outcome or lost_outcome(plan, finished)
                self.writer.write(finished.chunk, outcome, coordinates(plan, finished.chunk))
                self.add(finished.chunk, outcome)
                self.warn_of_days(finished.chunk, outcome)
            report(self.status(stopped()))

    def add(self, chunk: int, outcome: ChunkOutcome) -> None:
        """Count a chunk that was written."""
        self.here += self.size(chunk)
        self.failed += len(outcome.reasons)
        self.entry["cells"] += self.size(chunk)
        self.entry["runs"] += outcome.runs
        host = self.entry["hosts"].setdefault(outcome.host, {"chunks": 0, "seconds": 0.0})
        host["chunks"] += 1
        host["seconds"] += outcome.seconds
        if monotonic() - self.logged > LOG_SECONDS:
            self.write()

    def warn_of_days(self, chunk: int, outcome: ChunkOutcome) -> None:
        """Warn if more than a day of computing is left.

        Kernels may compile during the first chunk of each worker. The estimate therefore uses the chunk after these.
        """
        self.chunks += 1
        workers = max(self.executor.workers, 1)
        left = outcome.seconds / self.size(chunk) * (self.total - self.before - self.here) / workers
        if self.chunks == workers + 1 and left > DAY:
            warnings.warn(f"about {left / DAY:.2g} days left on {workers} workers", stacklevel=2)

    def write(self) -> None:
        """Write the record to the store."""
        self.logged = monotonic()
        self.entry["seconds"] = monotonic() - self.start
        self.writer.log(self.entry)

    def close(self) -> None:
        """Write the final record to the store; ignore errors such as a full disk, which have already been reported."""
        try:
            self.write()
        except FileProblem:
            return

    def status(self, stopping: bool) -> Status:
        """Return the progress of the sweep."""
        seconds = monotonic() - self.start
        done = self.before + self.here
        return Status(self.total, done, self.failed, self.here, seconds, self.executor.workers, stopping)
