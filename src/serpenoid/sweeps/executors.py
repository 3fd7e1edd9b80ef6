"""Where chunks run: threads of this machine, processes of it, or a cluster; one interface, one function for a chunk."""

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
from time import monotonic
from typing import Any, NamedTuple

from serpenoid.errors import InvalidValue, SerpenoidError, Unsupported, whole_number
from serpenoid.sweeps.chunks import reason_of

CONNECT_SECONDS = 10.0
LOOK_SECONDS = 0.5  # how often a wait for chunks looks up
PATIENCE = 5.0  # how long a stop waits for the chunks under way [s]


ADDRESS = re.compile(r"(?:(?:tcp|tls|ws|wss)://)?(?:[^\s/:]+|\[[0-9a-fA-F:]+\]):\d{1,5}")


class Finished(NamedTuple):
    """A chunk that ended: with its outcome, or without because whoever ran it died again and again."""

    chunk: int
    outcome: Any  # an Outcome, or None
    reason: str = ""


class Executor(ABC):
    """Runs a function of a chunk number on workers; a context manager that cleans up after itself."""

    @property
    @abstractmethod
    def workers(self) -> int:
        """How many chunks run at the same time."""

    @property
    @abstractmethod
    def name(self) -> str:
        """In words, for the record of the sweep."""

    @abstractmethod
    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Start a call; the future of its result."""

    @abstractmethod
    def wait(self, futures: Collection[Any]) -> Collection[Any]:
        """Those of the futures that ended, after a moment at most."""

    @abstractmethod
    def result(self, future: Any) -> Finished | Any:
        """What a future's call returned; Finished without an outcome where its worker died too often."""

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
        """Chunks as they end, None where none did for a moment.

        A chunk whose workers died may have been beside the one that killed them: it is tried once more, alone.
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
        """Chunks as they end, at most `beside` per worker under way.

        Once `stopped`, none is begun, those that wait for a worker are taken back, and those that take longer than a
        few seconds more are given up: the next session computes them.
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
        """A future's end."""
        outcome = self.result(future)
        return outcome._replace(chunk=chunk) if isinstance(outcome, Finished) else Finished(chunk, outcome)

    def withdraw(self, under_way: dict[Any, int]) -> None:
        """Take back what has not begun."""
        for future in [future for future in under_way if future.cancel()]:
            del under_way[future]


class Threads(Executor):
    """Threads of this process; compiled chunks run without the interpreter's lock. Daemons, so that leaving is fast."""

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
        """Carry out calls until told to stop."""
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
    """A Dask cluster: one that runs at an address, or one of processes of this machine."""

    def __init__(self, address: str | None = None, processes: int | None = None):
        distributed = import_distributed()
        self.address = address
        self.processes = whole_number("workers", processes, 1, 4096) if processes is not None else 0
        quiet()
        self.cluster = None if address else local_cluster(distributed, self.processes)
        self.client = connect(distributed, address or self.cluster)
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
        with self.translated(), self.client.as_current():
            try:
                return wait(list(futures), timeout=LOOK_SECONDS, return_when="FIRST_COMPLETED").done
            except TimeoutError:
                return ()

    def result(self, future: Any) -> Any:
        from distributed import KilledWorker

        with self.translated():
            error = future.exception() if future.status == "error" else None
            if error is None:
                return future.result()
        if isinstance(error, KilledWorker):
            return Finished(-1, None, reason_of(error))
        raise error  # of the function itself, not of the connection

    def withdraw(self, under_way: dict[Any, int]) -> None:
        """Take back what no worker has begun to compute."""
        with self.translated():
            begun = {key for keys in self.client.processing().values() for key in keys}
            for future in [f for f in under_way if f.status == "pending" and f.key not in begun]:
                del under_way[future]
                future.cancel()

    def close(self) -> None:
        with suppress(SerpenoidError), self.translated():  # a lost scheduler needs no farewell
            self.client.close(timeout=2)
        if self.cluster is not None:
            with suppress(SerpenoidError), self.translated():
                self.cluster.close()

    def lost(self) -> SerpenoidError:
        """What a lost scheduler means to the user."""
        where = f"the Dask scheduler at {self.address}" if self.address else "the local Dask cluster"
        return SerpenoidError(f"{where} was lost; every finished chunk is kept, and the same command continues")

    def translated(self) -> Translated:
        """Turns the bare errors of a lost scheduler into one line."""
        return Translated(self)


class Translated:
    """Turns CancelledError, broken connections and attempts to reconnect into the executor's word for a lost scheduler.

    A client that cannot connect again raises a bare OSError.
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
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def choose_executor(workers: int | None = None, cluster: str | None = None) -> Executor:
    """Threads where nothing is asked for, else processes or a cluster."""
    if workers is not None and cluster is not None:
        raise InvalidValue("cluster", cluster, "left out where --workers is given")
    if cluster is not None:
        return Dask(address=cluster)
    return Threads() if workers is None else Dask(processes=workers)


def import_distributed() -> Any:
    """Dask's scheduler and client, which come with an extra."""
    try:
        import distributed
    except ImportError:
        raise Unsupported("workers and clusters need Dask: pip install 'serpenoid[cluster]'") from None
    return distributed


def quiet() -> None:
    """Silence the log of a client whose troubles are reported in our own words."""
    known = [name for name in logging.root.manager.loggerDict if name.startswith("distributed")]
    for name in ("distributed", "tornado.application", "asyncio", *known):
        logging.getLogger(name).setLevel(logging.CRITICAL)


def local_cluster(distributed: Any, processes: int) -> Any:
    """Worker processes on this machine, one chunk each at a time.

    The scheduler opens its status port even without a dashboard, 8787 unless told otherwise, and warns where another
    sweep has it: any free port of the loopback does.
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
    """Ctrl-C reaches every process of the terminal; workers must not die of it while the coordinator waits for them."""

    class Deaf(distributed.WorkerPlugin):
        def setup(self, worker: Any) -> None:
            signal.signal(signal.SIGINT, signal.SIG_IGN)

    client.register_plugin(Deaf())


def connect(distributed: Any, target: Any) -> Any:
    """A client of a scheduler."""
    if isinstance(target, str) and not ADDRESS.fullmatch(target):  # a client that never was ends in a traceback
        raise InvalidValue("cluster", target, "the address of a running Dask scheduler, such as tcp://host:8786")
    try:
        return distributed.Client(target, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise InvalidValue(
            "cluster", str(target), f"the address of a running Dask scheduler ({reason_of(error)})"
        ) from None
