"""Executor of chunks as jobs of a batch system: arrays of SLURM jobs, through submitit.

A job computes several chunks and returns their outcomes in submitit's result file; only the coordinator writes the
store. A lost job is submitted again in two halves, until the chunk that ends its jobs stands alone.
"""

from __future__ import annotations

import logging
import shutil
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from serpenoid.errors import FileProblem, SerpenoidError
from serpenoid.sweeps.executors import LOOK_SECONDS, Executor, Finished

ATTEMPTS = 3  # jobs that a single chunk may end before it counts as failed
WAVES = 4  # jobs per worker in the first array, so that a lost job costs little
LARGEST_ARRAY = 1000  # SLURM's default limit is 1001
GRACE = 15.0  # longest wait for the result file of an ended job on a slow file system [s]
GO_ON = "finished chunks are saved, and the same command resumes"


class Group(NamedTuple):
    """Chunks of one job, and the number of jobs that ended without any of their outcomes."""

    chunks: tuple[int, ...]
    lost: int = 0


def run_group(function: Callable[[int], Any], chunks: Sequence[int]) -> list[tuple[int, Any]]:
    """Compute chunks in a job; return their outcomes, or those finished before the job's time limit.

    submitit raises an exception in the main thread shortly before the limit. A chunk therefore runs in another thread,
    where cells cannot catch that exception. An error of this package is returned as the outcome.
    """
    found: list[tuple[int, Any]] = []
    errors: list[BaseException] = []

    def compute() -> None:
        for chunk in chunks:
            try:
                found.append((chunk, function(chunk)))
            except SerpenoidError as error:
                found.append((chunk, error))
                return
            except BaseException as error:
                errors.append(error)
                return

    from submitit.core.utils import UncompletedJobError

    worker = threading.Thread(target=compute, daemon=True)
    with suppress(UncompletedJobError):
        worker.start()
        while worker.is_alive():
            worker.join(LOOK_SECONDS)  # with a limit, so that signals are handled
    if errors:
        raise errors[0]
    return list(found)


class Jobs(Executor):
    """Chunks in jobs of a submitit executor, `count` at a time."""

    def __init__(self, submitter: Any, count: int, folder: Path):
        self.submitter, self.count, self.folder = submitter, count, folder
        self.under_way: dict[Any, Group] = {}
        self.ended: dict[Any, float] = {}  # when a job without a result file was first seen to have ended
        self.returned = False  # whether any job has returned outcomes
        logging.getLogger("submitit").setLevel(logging.CRITICAL)

    @property
    def workers(self) -> int:
        return self.count

    @property
    def name(self) -> str:
        return f"{self.count} jobs"

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return self.submitter.submit(function, *arguments)

    def result(self, future: Any) -> Any:
        return future.result()

    def run(
        self, function: Callable[..., Any], chunks: Iterable[int], stopped: Callable[[], bool]
    ) -> Iterator[Finished | None]:
        """Yield chunks as their jobs finish, or None if none finished within the poll interval; cancel all jobs once
        `stopped`."""
        groups = in_groups(list(chunks), WAVES * self.count)
        try:
            while groups or self.under_way:
                for start in range(0, len(groups), LARGEST_ARRAY):
                    self.hand_out(function, groups[start : start + LARGEST_ARRAY])
                groups = []
                jobs = self.wait(self.under_way)
                for job in jobs:
                    for part in self.collected(job):
                        if isinstance(part, Finished):
                            yield part
                        else:
                            groups.append(part)
                if not jobs:
                    yield None
                if stopped():
                    return
        finally:
            self.cancel()

    def hand_out(self, function: Callable[..., Any], groups: list[Group]) -> None:
        """Submit one job per group as an array."""
        try:
            jobs = self.submitter.map_array(partial(run_group, function), [group.chunks for group in groups])
        except OSError as error:
            raise FileProblem(self.folder, f"cannot hold the jobs ({error.strerror or error}); {GO_ON}") from None
        self.under_way.update(zip(jobs, groups))

    def wait(self, futures: Collection[Any]) -> Collection[Any]:
        """Return the jobs that have ended and whose result file has appeared, or had time to appear."""
        done = [job for job in futures if job.done() and self.is_settled(job)]
        if not done:
            time.sleep(LOOK_SECONDS)
        return done

    def is_settled(self, job: Any) -> bool:
        """Return whether an ended job has its result file, or has been without one for some time."""
        since = self.ended.setdefault(job, time.monotonic())
        return job.paths.result_pickle.exists() or time.monotonic() - since > GRACE

    def collected(self, job: Any) -> Iterator[Finished | Group]:
        """Yield the outcomes of an ended job, then the groups to submit for the rest."""
        group = self.under_way.pop(job)
        self.ended.pop(job, None)
        found = dict(self.outcomes(job))
        for chunk, outcome in found.items():
            if isinstance(outcome, SerpenoidError):
                raise outcome
            self.returned = True
            yield Finished(chunk, outcome)
        rest = tuple(chunk for chunk in group.chunks if chunk not in found)
        if found:
            yield from [Group(rest)] if rest else []
        elif len(rest) > 1:
            yield from (Group(rest[: len(rest) // 2]), Group(rest[len(rest) // 2 :]))
        elif group.lost + 1 < ATTEMPTS:
            yield Group(rest, group.lost + 1)
        else:
            yield self.given_up(rest[0], job)
            return
        remove_files(job)

    def outcomes(self, job: Any) -> list[tuple[int, Any]]:
        """Return the results of a job; nothing if it was lost. Raise its error, or if it was cancelled."""
        if job.paths.result_pickle.exists():
            if (error := job.exception()) is None:
                return job.result()
            if "UncompletedJobError" not in str(error):  # raised at the time limit, here before the first chunk
                raise SerpenoidError(f"job {job.job_id} failed: {raised_line(str(error))}; logs: {self.folder}")
        elif job.state.upper().startswith("CANCELLED"):
            raise SerpenoidError(f"job {job.job_id} was cancelled; {GO_ON}")
        return []

    def given_up(self, chunk: int, job: Any) -> Finished:
        """Return the failure of a chunk; raise if not a single job has returned anything."""
        log = job.stderr() if job.paths.stderr.exists() else None
        last = f"; its log ends with: {lines[-1]}" if (lines := (log or "").split("\n")[:-1]) else ""
        reason = f"{ATTEMPTS} jobs ended without a result, the last one ({job.job_id}) as {job.state}"
        if not self.returned:
            raise SerpenoidError(f"{reason}; no job has returned one{last}; logs: {self.folder}")
        return Finished(chunk, None, reason)

    def cancel(self) -> None:
        """Cancel all jobs under way."""
        for job in self.under_way:
            job.cancel(check=False)
        self.under_way.clear()

    def close(self) -> None:
        self.cancel()

    def __exit__(self, *error: Any) -> None:
        self.close()
        if error[0] is None:  # otherwise the logs may be needed
            shutil.rmtree(self.folder, ignore_errors=True)
            with suppress(OSError):
                self.folder.parent.rmdir()  # if no other session uses it


def in_groups(chunks: list[int], count: int) -> list[Group]:
    """Distribute chunks in turn over at most `count` groups, so that slow regions of a sweep are shared."""
    return [Group(tuple(chunks[start::count])) for start in range(min(count, len(chunks)))]


def raised_line(text: str) -> str:
    """Return the last line of a traceback within submitit's message."""
    lines = [line.strip() for line in text.partition("\n----------------------\nYou can check")[0].splitlines()]
    return next((line for line in reversed(lines) if line.strip("-")), "")


def remove_files(job: Any) -> None:
    """Delete the files of a job whose outcomes have been read; quotas count files."""
    paths = job.paths
    for file in (paths.result_pickle, paths.submitted_pickle, paths.stdout, paths.stderr):
        file.unlink(missing_ok=True)
