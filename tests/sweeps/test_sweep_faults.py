"""Faults: killed processes, full disks, second writers, flipped bytes. Nothing is lost, and the bytes are the same."""

from __future__ import annotations

import errno
import multiprocessing
import random
import signal
import time

import numpy as np
import pytest
import zarr
from sweep_tools import CHUNK, OVER, SLOW, Backwards, chunks_with_files, contents, run_slow, run_until_mark
from toy_scenario import Toy

import serpenoid as sp
from serpenoid import sweeps
from serpenoid.errors import FileProblem, SerpenoidError
from serpenoid.sweeps.executors import Threads

CHUNKS = 12
FAST = Toy(fails_above=5.0)


@pytest.fixture(scope="module")
def processes():
    """Start processes from one that has imported everything, so that a start takes milliseconds."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["sweep_tools", "zarr", "scipy.stats", "xarray.backends.zarr", "dask.array"])
    warm = context.Process(target=time.sleep, args=(0,))
    warm.start()
    warm.join()
    return context


@pytest.fixture(scope="module")
def undisturbed(processes, tmp_path_factory):
    """Return the contents of the store of an undisturbed sweep, and its duration [s]."""
    store = tmp_path_factory.mktemp("undisturbed") / "map.zarr"
    start = time.monotonic()
    finish(processes, store)
    return contents(store), time.monotonic() - start


def finish(processes, store):
    """Run the sweep, or the rest of it, to its end in a separate process."""
    process = processes.Process(target=run_slow, args=(str(store),))
    process.start()
    process.join()
    assert process.exitcode == 0


@pytest.mark.parametrize("part", range(20))
def test_killed_at_a_random_moment(processes, undisturbed, tmp_path, part):
    kill_and_continue(processes, undisturbed, tmp_path, (part + random.random()) / 20)


@pytest.mark.full
@pytest.mark.parametrize("part", range(200))
def test_killed_at_one_of_two_hundred_moments(processes, undisturbed, tmp_path, part):
    kill_and_continue(processes, undisturbed, tmp_path, (part + random.random()) / 200)


def kill_and_continue(processes, undisturbed, tmp_path, share):
    """Kill a sweep after a fraction of its duration; the next one gives the same bytes."""
    expected, seconds = undisturbed
    process = processes.Process(target=run_slow, args=(str(tmp_path / "map.zarr"),))
    process.start()
    process.join(share * seconds)
    process.kill()
    process.join()
    assert process.exitcode in (0, -signal.SIGKILL)
    finish(processes, tmp_path / "map.zarr")
    assert contents(tmp_path / "map.zarr") == expected


@pytest.mark.parametrize(
    ("executor", "count"), [*((Threads, count) for count in range(1, 11)), *((Backwards, count) for count in (1, 2, 5))]
)
def test_killed_between_an_array_and_its_marker(processes, undisturbed, tmp_path, executor, count):
    """Check any order of chunks; backwards, chunks in which every cell failed come first, without numbers."""
    process = processes.Process(target=run_until_mark, args=(str(tmp_path / "map.zarr"), count, executor))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    chunks = sweeps.open_sweep(tmp_path / "map.zarr").attrs["chunks"]
    assert chunks["open"] == CHUNKS - count + 1
    assert len(chunks_with_files(tmp_path / "map.zarr")) == count  # one chunk more than markers
    finish(processes, tmp_path / "map.zarr")
    assert contents(tmp_path / "map.zarr") == undisturbed[0]


def test_killed_again_and_again(processes, undisturbed, tmp_path):
    for _ in range(CHUNKS):
        process = processes.Process(target=run_until_mark, args=(str(tmp_path / "map.zarr"), 2))
        process.start()
        process.join()
    assert contents(tmp_path / "map.zarr") == undisturbed[0]


def test_a_second_sweep_is_refused_until_the_first_dies(processes, undisturbed, tmp_path):
    store = tmp_path / "map.zarr"
    process = processes.Process(target=run_until_mark, args=(str(store), 1, Threads, signal.SIGSTOP))
    process.start()
    while not (store / "zarr.json").exists():
        time.sleep(0.01)
    with pytest.raises(FileProblem, match="another sweep is writing to it"):
        run_slow(store)
    process.kill()
    process.join()
    run_slow(store)
    assert contents(store) == undisturbed[0]


def test_interrupted_once_it_ends_cleanly_and_continues(processes, undisturbed, tmp_path):
    import os

    store, before = tmp_path / "map.zarr", signal.getsignal(signal.SIGINT)

    def interrupt(status):
        if status.done_here >= 30 and not status.stopping:
            os.kill(os.getpid(), signal.SIGINT)

    found = sp.sweep(SLOW, OVER, store, executor=Threads(2), chunk=CHUNK, progress=interrupt)
    assert 0 < found.attrs["chunks"]["open"] <= CHUNKS - 3
    assert signal.getsignal(signal.SIGINT) is before
    finish(processes, store)
    assert contents(store) == undisturbed[0]


class FullDisk:
    """Let `count` files be written, then fail like a full disk and leave half a file."""

    def __init__(self, monkeypatch, writes):
        from zarr.storage import _local

        self.left, self.put = writes, _local._put
        monkeypatch.setattr(_local, "_put", self)

    def __call__(self, path, value, exclusive=False):
        self.left -= 1
        if self.left < 0:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.with_suffix(".half.partial").write_bytes(value.to_bytes()[:10])
            raise OSError(errno.ENOSPC, "No space left on device")
        return self.put(path, value, exclusive=exclusive)


def test_a_full_disk_at_any_write(tmp_path, monkeypatch):
    sp.sweep(FAST, OVER, tmp_path / "whole.zarr", chunk=CHUNK, executor=Threads(1))
    expected, writes = contents(tmp_path / "whole.zarr"), 0
    for writes in (*range(12), 17, 23, 29, 41, 53):
        store = tmp_path / f"{writes}.zarr"
        with monkeypatch.context() as patch:
            FullDisk(patch, writes)
            with pytest.raises(FileProblem, match="No space left on device"):
                sp.sweep(FAST, OVER, store, chunk=CHUNK, executor=Threads(1))
        if (store / "zarr.json").exists():
            found = sweeps.open_sweep(store)
            done = found.attrs["chunks"]["done"]
            assert int(found.speed.notnull().sum()) >= 10 * done if done else True
        sp.sweep(FAST, OVER, store, chunk=CHUNK, executor=Threads(1))
        assert contents(store) == expected


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("speed/c.3.0.0", "chunk 3: chunk 3 of speed"),
        ("noise/c.9.0.0", "chunk 9: chunk 9 of noise"),
        ("chunks/reason/c.11.0.0.0", "chunk 11: chunk 11 of chunks/reason"),
        ("chunks/marker/c.5.0", "chunk 5: its marker"),
        ("gait.frequency/c.0", "axis gait.frequency"),
    ],
)
def test_a_flipped_byte_is_detected_named_and_repaired(tmp_path, file, words):
    store = tmp_path / "map.zarr"
    sp.sweep(FAST, OVER, store, chunk=CHUNK)
    expected = contents(store)
    data = bytearray(expected[file])
    for position in (0, len(data) // 2, len(data) - 1):
        flipped = data.copy()
        flipped[position] ^= 0x10
        (store / file).write_bytes(flipped)
        with pytest.raises(FileProblem, match=f"{words}.*--repair"):
            sp.sweep(FAST, OVER, store)
        sp.sweep(FAST, OVER, store, repair=True)
        assert contents(store) == expected


@pytest.mark.parametrize("file", ["speed/c.3.0.0", "chunks/reason/c.11.0.0.0"])
def test_a_missing_file_is_detected_and_repaired(tmp_path, file):
    store = tmp_path / "map.zarr"
    sp.sweep(FAST, OVER, store, chunk=CHUNK)
    expected = contents(store)
    (store / file).unlink()
    with pytest.raises(FileProblem, match="missing"):
        sp.sweep(FAST, OVER, store)
    sp.sweep(FAST, OVER, store, repair=True)
    assert contents(store) == expected


def test_damage_is_seen_by_readers_too(tmp_path):
    store = tmp_path / "map.zarr"
    sp.sweep(FAST, OVER, store, chunk=CHUNK)
    data = bytearray((store / "speed/c.3.0.0").read_bytes())
    data[5] ^= 1
    (store / "speed/c.3.0.0").write_bytes(data)
    with pytest.raises(FileProblem, match="chunk 3 of speed"):
        sweeps.best(store, "speed")
    for file in ("zarr.json", "speed/zarr.json"):
        text = (store / file).read_text()
        for damaged in (text[: len(text) // 2], text.replace("0", "1")):
            (store / file).write_text(damaged)
            with pytest.raises(SerpenoidError, match="damaged|schema"):
                sp.sweep(FAST, OVER, store)
        (store / file).write_text(text)


def test_checksums_are_on_for_every_array(tmp_path):
    sp.sweep(FAST, OVER, tmp_path / "map.zarr")
    group = zarr.open_group(tmp_path / "map.zarr", mode="r")
    arrays = [array for _, array in group.members(max_depth=None) if isinstance(array, zarr.Array)]
    assert len(arrays) == 4 + 3 + 2
    for array in arrays:
        assert type(array.compressors[-1]).__name__ == "Crc32cCodec"


def test_ten_million_cells_in_bounded_memory(processes, tmp_path):
    queue = processes.SimpleQueue()
    process = processes.Process(target=first_chunks_of_ten_million, args=(str(tmp_path), queue))
    process.start()
    cells, megabytes = queue.get()
    process.join()
    assert cells == 10_000_000
    assert megabytes < 1000


def first_chunks_of_ten_million(folder, queue):
    """Run a few chunks of a sweep of ten million cells; put their number and the peak memory [MB] into a queue."""
    import resource

    from toy_scenario import ToyLanes

    class Enough(Threads):
        def run(self, function, chunks, stopped):
            return super().run(function, list(chunks)[:: len(chunks) // 5], stopped)

    over = {
        "gait.frequency": "1:2:1000",
        "gait.amplitude": "0:1:1000",
        "medium": "dry,viscous",
        "gait.lag": "1,2,3,4,5",
    }
    found = sp.sweep(ToyLanes(), over, folder + "/big.zarr", executor=Enough(2))
    sweeps.best(folder + "/big.zarr", "speed")
    sweeps.front(folder + "/big.zarr", "speed", "power")
    queue.put((int(np.prod(list(found.sizes.values()))), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))
