"""Clusters: real schedulers and workers on loopback, killed midway, with the same bytes as threads."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import replace
from types import SimpleNamespace

import pytest
from sweep_tools import CHUNK, OVER, SLOW, array_contents, contents

import serpenoid as sp
from serpenoid import sweeps
from serpenoid.errors import InvalidValue, SerpenoidError
from serpenoid.sweeps.executors import Dask, Threads

distributed = pytest.importorskip("distributed")
SLOWER = replace(SLOW, delay=0.05)


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """Return the bytes that threads write."""
    store = tmp_path_factory.mktemp("threads") / "map.zarr"
    sp.sweep(SLOWER, OVER, store, chunk=CHUNK, executor=Threads(4))
    return contents(store)


@contextmanager
def running(*words):
    """Start a Dask process and kill it at the end."""
    process = subprocess.Popen(
        [sys.executable, "-m", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def scheduler(port=0, folder=None):
    """Start a scheduler on loopback; return the process and its address."""
    file = folder / f"scheduler-{time.monotonic_ns()}.json"
    words = ["--host", "127.0.0.1", "--port", str(port), "--no-dashboard", "--scheduler-file", str(file)]
    with running("distributed.cli.dask_scheduler", *words) as process:
        while not file.exists() or not file.read_text().strip():
            assert process.poll() is None, "the scheduler did not start"
            time.sleep(0.05)
        import json

        yield process, json.loads(file.read_text())["address"]


def worker(address):
    """Start a worker with one thread, without a nanny that would restart it."""
    words = [address, "--nthreads", "1", "--no-nanny", "--no-dashboard", "--death-timeout", "60"]
    return running("distributed.cli.dask_worker", *words)


def test_a_local_cluster_writes_the_same_bytes_though_a_worker_dies(tmp_path, expected):
    lethal = tmp_path / "lethal"
    store = tmp_path / "map.zarr"

    def arm(status):
        if status.done_here >= 30 and not (tmp_path / "armed").exists():
            (tmp_path / "armed").touch()
            lethal.touch()

    scenario = replace(SLOWER, kills=str(lethal))
    with Dask(processes=2) as executor:
        found = sp.sweep(scenario, OVER, store, chunk=CHUNK, executor=executor, progress=arm)
    assert (tmp_path / "armed").exists() and not lethal.exists()  # a worker died
    assert found.attrs["chunks"]["open"] == 0
    assert array_contents(store) == {name: data for name, data in expected.items() if name != "zarr.json"}


def test_workers_and_scheduler_of_a_cluster_are_killed(tmp_path, expected):
    store = tmp_path / "map.zarr"
    with scheduler(folder=tmp_path) as (process, address):
        with worker(address) as first, worker(address):

            def kill(status):
                if status.done_here >= 20 and first.poll() is None:
                    first.kill()
                if status.done_here >= 50:
                    process.kill()

            lost = pytest.raises(SerpenoidError, match=address)
            with Dask(address) as executor, lost:
                sp.sweep(SLOWER, OVER, store, chunk=CHUNK, executor=executor, progress=kill)
        assert first.poll() is not None
    chunks = sweeps.open_sweep(store).attrs["chunks"]
    assert chunks["done"] >= 5 and chunks["open"] > 0
    with scheduler(int(address.rpartition(":")[2]), tmp_path) as (_, again), worker(again), Dask(address) as executor:
        assert again == address
        sp.sweep(SLOWER, OVER, store, chunk=CHUNK, executor=executor)
    assert contents(store) == expected


def test_a_chunk_that_kills_its_workers_is_recorded_and_the_sweep_goes_on(tmp_path):
    import dask

    (tmp_path / "lethal").mkdir()
    over = {"kills": ["", str(tmp_path / "lethal")], "gait.frequency": "1:2:2"}
    with dask.config.set({"distributed.scheduler.allowed-failures": 1}), Dask(processes=1) as executor:
        found = sp.sweep(replace(SLOW, delay=0.0), over, tmp_path / "map.zarr", chunk=2, executor=executor)
    assert found.attrs["chunks"] == {"open": 0, "done": 1, "failed": 1}
    fields, reason = next(sweeps.failures(tmp_path / "map.zarr"))
    assert fields["kills"] == str(tmp_path / "lethal") and reason.startswith("KilledWorker")


def test_local_processes_that_do_not_start_again_end_the_sweep(tmp_path, monkeypatch):
    monkeypatch.setattr("serpenoid.sweeps.executors.RESTART_SECONDS", 1.0)
    over = {"gait.frequency": "1:2:2"}
    lost = pytest.raises(SerpenoidError, match="local Dask cluster was lost.*the same command resumes")
    with Dask(processes=1) as executor, lost:
        executor.cluster.scale(0)
        sp.sweep(replace(SLOW, delay=60.0), over, tmp_path / "map.zarr", chunk=1, executor=executor)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense", "tcp://127.0.0.1:notaport"])
def test_no_scheduler_there(address, monkeypatch):
    monkeypatch.setattr("serpenoid.sweeps.executors.CONNECT_SECONDS", 1.0)
    with pytest.raises(InvalidValue, match="cluster = .*running Dask scheduler"):
        Dask(address)


class Gone:
    """Client or future whose scheduler no longer answers."""

    status = "pending"

    def __getattr__(self, name):
        def call(*arguments, **options):
            raise OSError("Timed out trying to connect to tcp://127.0.0.1:8786 after 30 s")

        return call


def test_a_client_that_cannot_connect_again_ends_in_one_line():
    executor = Dask.__new__(Dask)
    executor.address, executor.processes, executor.client, executor.cluster = "tcp://host:1", 0, Gone(), Gone()
    calls = (lambda: executor.workers, lambda: executor.submit(print), lambda: executor.withdraw({Gone(): 1}))
    for call in (*calls, lambda: executor.result(Gone())):
        with pytest.raises(SerpenoidError, match="tcp://host:1"):
            call()
    executor.close()


def test_an_error_of_the_function_itself_is_not_taken_for_a_lost_scheduler():
    executor = Dask.__new__(Dask)
    executor.address, executor.client = "tcp://host:1", None
    future = SimpleNamespace(status="error", exception=lambda: FileNotFoundError("pegs.csv"))
    with pytest.raises(FileNotFoundError):
        executor.result(future)


def test_two_sweeps_side_by_side_say_nothing_of_ports(recwarn):
    with socket.socket() as taken:  # Dask's default port, in use
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with suppress(OSError):
            taken.bind(("127.0.0.1", 8787))
            taken.listen()
        with Dask(processes=1):
            pass
    assert not [str(warning.message) for warning in recwarn if "port" in str(warning.message).lower()]
