"""Zarr folders: only what this package writes is opened, and nothing is allocated that the bytes cannot hold."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numcodecs import zstd
from runs import made_run

from serpenoid.errors import FileProblem
from serpenoid.robots import PlanarSnake
from serpenoid.support.reading import check_regular, read_json, read_text
from serpenoid.support.zarr_store import decoded_size, head_of, open_array
from serpenoid.trajectory import Trajectory
from serpenoid.worlds import Plane


@pytest.fixture
def store(tmp_path):
    return made_run(PlanarSnake(links=3), Plane(), duration=0.2).save(tmp_path / "run.zarr")


def change(path, field, value):
    data = json.loads(path.read_text())
    data[field] = value
    path.write_text(json.dumps(data))


def test_our_arrays_open(store):
    head = head_of(store, "link_pose")
    array = open_array(store, "link_pose")
    assert head.shape == array.shape == (21, 3, 7) and head.nbytes == array[...].nbytes


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("zarr_format", 2), ("node_type", "group"), ("data_type", "string"), ("data_type", "complex128"),
        ("codecs", [{"name": "bytes"}]), ("codecs", [{"name": n} for n in ("bytes", "gzip", "crc32c")]),
        ("shape", [10**9] * 3), ("shape", [-1, 3, 7]), ("shape", [21, 3]), ("storage_transformers", [{"name": "x"}]),
        ("chunk_grid", {"name": "regular", "configuration": {"chunk_shape": [10**9, 3, 7]}}),
        ("chunk_key_encoding", {"name": "v2", "configuration": {}}),
    ],
)  # fmt: skip
def test_other_metadata_are_refused_before_zarr_sees_them(store, field, value):
    change(store / "link_pose" / "zarr.json", field, value)
    for way in (lambda: head_of(store, "link_pose"), lambda: Trajectory.load(store)):
        with pytest.raises(FileProblem):
            way()


@pytest.mark.parametrize("size", [0, 1, 255, 256, 300, 70_000, 3_000_000])
def test_the_size_of_a_chunk_is_read_off_its_frame(size):
    data = np.random.default_rng(size).integers(0, 255, size, dtype=np.uint8).tobytes()
    for packed in (zstd.compress(data, 3), zstd.compress(data, 3, True), zstd.compress(bytes(size), 3)):
        assert decoded_size(memoryview(packed + b"1234")) == size
        assert decoded_size(memoryview(packed + packed + b"1234")) is None
        assert decoded_size(memoryview(packed)) is None
        assert decoded_size(memoryview(packed[:-1] + b"1234")) is None


def test_a_recording_that_is_far_larger_in_memory_is_refused_unread(store):
    """The shape alone claims 1.6 GB, beside some kilobytes on disk."""
    change(store / "time" / "zarr.json", "shape", [200_000_000])
    with pytest.raises(FileProblem, match="bytes in memory"):
        Trajectory.load(store)


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("joint_torque", "dimension_names", ["time", "link"]), ("joint_torque", "dimension_names", ["joint", "time"]),
        ("joint_torque", "dimension_names", None), ("link_pose", "attributes", {"units": 5, "long_name": ""}),
        ("link_pose", "data_type", "int64"), ("time", "dimension_names", ["tick"]),
    ],
)  # fmt: skip
def test_dimensions_types_and_units_must_fit(store, name, field, value):
    change(store / name / "zarr.json", field, value)
    with pytest.raises(FileProblem):
        Trajectory.load(store)


@pytest.mark.parametrize("times", [np.linspace(1.0, 0.0, 21), np.full(21, np.nan), np.full(21, np.inf)])
def test_times_must_rise(tmp_path, times):
    run = made_run(PlanarSnake(links=3), Plane(), duration=0.2)
    run.times = times
    with pytest.raises(FileProblem, match="is damaged"):
        Trajectory.load(run.save(tmp_path / "run.zarr"))


def test_only_regular_files_of_a_bounded_size_are_read(tmp_path):
    import os

    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    (tmp_path / "large").write_bytes(bytes(100))
    for name in ("pipe", "zero", ".", "nothing", "a" * 300):
        for read in (read_text, read_json):
            with pytest.raises(FileProblem):
                read(tmp_path / name)
    with pytest.raises(FileProblem):
        check_regular(tmp_path / "large", most=99)
    check_regular(tmp_path / "large", most=100)
