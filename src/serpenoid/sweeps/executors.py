"""Executors of chunks with one interface: threads, local processes, or a Dask cluster."""

from __future__ import annotations

import logging
import math
import os
import queue
import re
import signal
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

from serpenoid.errors import InvalidValue, SerpenoidError, Unsupported, whole_number
from serpenoid.sweeps.chunks import reason_of

CONNECT_SECONDS = 10.0
LOOK_SECONDS = 0.5  # poll interval while waiting for chunks [s]
PATIENCE = 5.0  # longest wait for running chunks after a stop [s]
RESTART_SECONDS = 60.0  # longest wait for a local Dask process to start again [s]


ADDRESS = re.compile(r"(?:(?:tcp|tls|ws|wss)://)?(?:[^\s/:]+|\[[0-9a-fA-F:]+\]):\d{1,5}")


class Finished(NamedTuple):
    """Finished chunk; without an outcome if its workers died repeatedly."""

    chunk: int
    outcome: Any  # an Outcome, or None
    reason: str = ""


class Executor(ABC):
    """Executor of a function of a chunk number on workers; a context manager that releases its resources."""

    @property
    @abstractmethod
    def workers(self) -> int:
        """Number of chunks that run at the same time."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Description for the session record of the sweep."""

    @abstractmethod
    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Start a call and return its future."""

    @abstractmethod
    def wait(self, futures: Collection[Any]) -> Collection[Any]:
        """Return the finished futures; wait at most LOOK_SECONDS."""

    @abstractmethod
    def result(self, future: Any) -> Finished | Any:
        """Return the result of a future's call; Finished without an outcome if its worker died repeatedly."""

    @abstractmethod
    def close(self) -> None:
        """Release the workers."""

    def __enter__(self) -> Executor:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def run(
        self, function: Callable[..., Any], chunks: Iterable[int], stopped: Callable[[], bool]
    ) -> Iterator[Finished | None]:
        """Yield chunks as they finish, or None if none finished within the poll interval.

        A chunk whose workers died may have run next to the one that killed them. It is therefore retried once, alone.
        """
        suspects = []
        for finished in self.stream(function, chunks, stopped, beside=2):
            if finished is not None and finished.outcome is None:
                suspects.append(finished.chunk)
            else:
                yield finished
        for chunk in suspects:
            yield from self.stream(function, [chunk], stopped, beside=1)

    def stream(
        self, function: Callable[..., Any], chunks: Iterable[int], stopped: Callable[[], bool], beside: int
    ) -> Iterator[Finished | None]:
        """Yield chunks as they finish, with at most `beside` chunks per worker in progress.

        Once `stopped`, no chunk is started and chunks waiting for a worker are withdrawn. Chunks that need more than
        PATIENCE seconds are abandoned; the next session computes them.
        """
        waiting, since = iter(chunks), math.inf
        under_way: dict[Any, int] = {}
        while True:
            while len(under_way) < beside * max(self.workers, 1) and not stopped():
                chunk = next(waiting, None)
                if chunk is None:
                    break
                under_way[self.submit(function, chunk)] = chunk
            if stopped():
                since = min(since, monotonic())
                self.withdraw(under_way)
            if not under_way or monotonic() - since > PATIENCE:
                return
            ended = self.wait(under_way)
            for future in ended:
                yield self.finished(under_way.pop(future), future)
            if not ended:
                yield None

    def finished(self, chunk: int, future: Any) -> Finished:
        """Convert a finished future to Finished."""
        outcome = self.result(future)
        return outcome._replace(chunk=chunk) if isinstance(outcome, Finished) else Finished(chunk, outcome)

    def withdraw(self, under_way: dict[Any, int]) -> None:
        """Cancel calls that have not started."""
        for future in [future for future in under_way if future.cancel()]:
            del under_way[future]


class Threads(Executor):
    """Daemon threads of this process; compiled chunks release the GIL, and daemons allow a fast exit."""

    def __init__(self, count: int | None = None):
        self.count = whole_number("threads", count or cores(), 1, 4096)
        self.calls: queue.SimpleQueue[Any] = queue.SimpleQueue()
        for _ in range(self.count):
            threading.Thread(target=self.serve, daemon=True).start()

    @property
    def workers(self) -> int:
        return self.count

    @property
    def name(self) -> str:
        return f"{self.count} threads"

    def serve(self) -> None:
        """Execute calls until the queue yields None."""
        while (call := self.calls.get()) is not None:
            future, function, arguments = call
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(function(*arguments))
            except BaseException as error:
                future.set_exception(error)

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.calls.put((future, function, arguments))
        return future

    def wait(self, futures: Collection[Future[Any]]) -> Collection[Future[Any]]:
        return wait(futures, timeout=LOOK_SECONDS, return_when=FIRST_COMPLETED).done

    def result(self, future: Future[Any]) -> Any:
        return future.result()

    def close(self) -> None:
        for _ in range(self.count):
            self.calls.put(None)


class Dask(Executor):
    """Dask cluster: a running one at an address, or local processes."""

    def __init__(self, address: str | None = None, processes: int | None = None):
        distributed = import_distributed()
        self.address = address
        self.processes = whole_number("workers", processes, 1, 4096) if processes is not None else 0
        silence_dask()
        self.cluster = None if address else local_cluster(distributed, self.processes)
        self.client = connect(distributed, address or self.cluster)
        self.seen = monotonic()  # time at which a worker was last there [s]
        if self.cluster is not None:
            with self.translated():
                leave_interrupts_to_us(distributed, self.client)

    @property
    def workers(self) -> int:
        with self.translated():
            return self.processes or sum(self.client.nthreads().values())

    @property
    def name(self) -> str:
        return f"Dask at {self.address}" if self.address else f"{self.processes} Dask workers"

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        with self.translated():
            return self.client.submit(function, *arguments, pure=False)

    def wait(self, futures: Collection[Any]) -> Collection[Any]:
        from distributed import TimeoutError, wait

        if self.client.status not in ("running", "connecting"):
            raise self.lost()
        self.check_processes()
        with self.translated(), self.client.as_current():
            try:
                return wait(list(futures), timeout=LOOK_SECONDS, return_when="FIRST_COMPLETED").done
            except TimeoutError:
                return ()

    def check_processes(self) -> None:
        """Raise if the local processes ended and did not start again; Dask itself waits without limit."""
        if self.cluster is None or self.cluster.scheduler.workers:
            self.seen = monotonic()
        elif monotonic() - self.seen > RESTART_SECONDS:
            raise self.lost()

    def result(self, future: Any) -> Any:
        from distributed import KilledWorker

        with self.translated():
            error = future.exception() if future.status == "error" else None
            if error is None:
                return future.result()
        if isinstance(error, KilledWorker):
            return Finished(-1, None, reason_of(error))
        raise error  # raised by the function itself, not by the connection

    def withdraw(self, under_way: dict[Any, int]) -> None:
        """Cancel calls that no worker has started."""
        with self.translated():
            begun = {key for keys in self.client.processing().values() for key in keys}
            for future in [f for f in under_way if f.status == "pending" and f.key not in begun]:
                del under_way[future]
                future.cancel()

    def close(self) -> None:
        with suppress(SerpenoidError), self.translated():  # a lost scheduler cannot be closed
            self.client.close(timeout=2)
        if self.cluster is not None:
            with suppress(SerpenoidError), self.translated():
                self.cluster.close()

    def lost(self) -> SerpenoidError:
        """Return the error for a lost scheduler."""
        where = f"the Dask scheduler at {self.address}" if self.address else "the local Dask cluster"
        return SerpenoidError(f"{where} was lost; every finished chunk is saved, and the same command resumes")

    def translated(self) -> Translated:
        """Convert the errors of a lost scheduler to one line."""
        return Translated(self)


class Translated:
    """Context that converts CancelledError, connection errors and reconnection failures to the error for a lost
    scheduler.

    A client that cannot reconnect raises a bare OSError.
    """

    def __init__(self, executor: Dask):
        self.executor = executor

    def __enter__(self) -> None: ...

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        import asyncio
        import concurrent.futures

        from distributed.client import FutureCancelledError

        cancelled = (asyncio.CancelledError, concurrent.futures.CancelledError, FutureCancelledError)
        if isinstance(error, (*cancelled, OSError)):
            raise self.executor.lost() from None


def cores() -> int:
    """Return the number of cores available to this process."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def choose_executor(
    workers: int | None = None, cluster: str | None = None, slurm: str | None = None, folder: str | Path = "slurm-jobs"
) -> Executor:
    """Return threads by default, otherwise local processes, a Dask cluster, or SLURM jobs with their files in a
    folder."""
    options = {"workers": workers, "cluster": cluster, "slurm": slurm}
    first, *more = [name for name, value in options.items() if value is not None] or [""]
    if more:
        raise InvalidValue(more[0], options[more[0]], f"omitted if --{first} is given")
    if slurm is not None:
        from serpenoid.sweeps.slurm import Slurm

        return Slurm(slurm, folder)
    if cluster is not None:
        return Dask(address=cluster)
    return Threads() if workers is None else Dask(processes=workers)


def import_distributed() -> Any:
    """Import Dask's scheduler and client, which an optional extra installs."""
    try:
        import distributed
    except ImportError:
        raise Unsupported("workers and clusters need Dask: pip install 'serpenoid[cluster]'") from None
    return distributed


def silence_dask() -> None:
    """Suppress the log of the Dask client; its errors are reported by this module."""
    known = [name for name in logging.root.manager.loggerDict if name.startswith("distributed")]
    for name in ("distributed", "tornado.application", "asyncio", *known):
        logging.getLogger(name).setLevel(logging.CRITICAL)


def local_cluster(distributed: Any, processes: int) -> Any:
    """Start local worker processes that compute one chunk at a time.

    The scheduler opens its status port (8787 by default) even without a dashboard, and warns if another sweep uses it.
    Any free loopback port avoids that.
    """
    return distributed.LocalCluster(
        n_workers=processes,
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
        silence_logs=logging.CRITICAL,
    )


def leave_interrupts_to_us(distributed: Any, client: Any) -> None:
    """Make workers ignore Ctrl-C, which reaches every process of the terminal, while the coordinator waits for them."""

    class Deaf(distributed.WorkerPlugin):
        def setup(self, worker: Any) -> None:
            signal.signal(signal.SIGINT, signal.SIG_IGN)

    client.register_plugin(Deaf())


def connect(distributed: Any, target: Any) -> Any:
    """Connect a client to a scheduler."""
    if isinstance(target, str) and not ADDRESS.fullmatch(target):  # a client that never connected ends in a traceback
        raise InvalidValue("cluster", target, "the address of a running Dask scheduler, such as tcp://host:8786")
    try:
        return distributed.Client(target, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise InvalidValue(
            "cluster", str(target), f"the address of a running Dask scheduler ({reason_of(error)})"
        ) from None
