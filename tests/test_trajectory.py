"""Trajectories: saved and read back unchanged. Damage, cuts and newer versions are refused in one line."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from serpenoid import robots
from serpenoid.errors import FileProblem, InvalidValue, UnknownName
from serpenoid.trajectory import Trajectory


@pytest.fixture
def trajectory():
    times = np.linspace(0.0, 1.0, 101)
    angles = np.random.default_rng(0).normal(size=(101, 3))
    angles[4, 1] = np.nan
    variables = {
        "joint_position": (("time", "joint"), angles, "rad", "joint angles"),
        "unknown": (("time",), np.full(101, np.nan), "W", "a variable that is NaN throughout"),
    }
    attributes = {"complete": True, "seed": 3, "variables": list(variables)}
    return Trajectory(times, variables, {"joint": ("a", "b", "c")}, attributes)


def test_round_trip_is_bit_for_bit(tmp_path, trajectory):
    again = Trajectory.load(trajectory.save(tmp_path / "run.zarr"))
    for name in ("time", "joint_position", "unknown"):
        assert again[name].tobytes() == trajectory[name].tobytes()
        assert again.unit(name) == trajectory.unit(name)
    assert again.complete
    assert again.labels["joint"] == ("a", "b", "c")


def test_dataset_has_names_and_units(trajectory):
    assert trajectory.dataset["joint_position"].attrs["units"] == "rad"
    assert list(trajectory.dataset["joint"].values) == ["a", "b", "c"]


def test_a_trajectory_may_replace_a_trajectory_and_nothing_else(tmp_path, trajectory):
    trajectory.save(tmp_path / "run.zarr")
    with pytest.raises(FileProblem, match="replace=True"):
        trajectory.save(tmp_path / "run.zarr")
    trajectory.save(tmp_path / "run.zarr", replace=True)
    assert [path.name for path in tmp_path.iterdir()] == ["run.zarr"]
    precious = tmp_path / "precious"
    precious.mkdir()
    with pytest.raises(FileProblem, match="is not a recording"):
        trajectory.save(precious, replace=True)


def test_a_place_that_cannot_be_written_is_named(tmp_path, trajectory):
    (tmp_path / "file").write_text("x")
    with pytest.raises(FileProblem, match="cannot be written"):
        trajectory.save(tmp_path / "file" / "run.zarr")


def test_an_unknown_variable_lists_those_there_are(trajectory):
    with pytest.raises(UnknownName, match="joint_position"):
        trajectory["joint_positon"]


@pytest.mark.parametrize("value", [None, 1, 0.5, b"x", [], (1,), np.zeros(3), int], ids=repr)
def test_paths_and_names_of_wrong_types_are_refused(trajectory, value):
    for asked in (trajectory.save, Trajectory.load, trajectory.__getitem__, robots.load, write_planar):
        with pytest.raises(InvalidValue, match="^(path|variable) = "):
            asked(value)


def write_planar(path: object) -> None:
    """Write a robot to a path."""
    robots.write_model(robots.PlanarSnake(), path)


def damaged(path: Path, how: str) -> None:
    """Break a saved trajectory."""
    chunk = next(p for p in (path / "joint_position" / "c").rglob("*") if p.is_file())
    if how == "cut":
        chunk.write_bytes(chunk.read_bytes()[:20])
    elif how == "flipped":
        data = bytearray(chunk.read_bytes())
        data[len(data) // 2] ^= 1
        chunk.write_bytes(bytes(data))
    elif how == "chunk missing":
        chunk.unlink()
    elif how == "variable missing":
        shutil.rmtree(path / "joint_position")
    elif how == "newer":
        text = json.loads((path / "zarr.json").read_text())
        text["attributes"]["schema_version"] = 99
        (path / "zarr.json").write_text(json.dumps(text))
    elif how == "no metadata":
        (path / "zarr.json").write_text("{")


@pytest.mark.parametrize("how", ["cut", "flipped", "chunk missing", "variable missing", "newer", "no metadata"])
def test_damage_is_found_and_named(tmp_path, trajectory, how):
    path = trajectory.save(tmp_path / "run.zarr")
    damaged(path, how)
    with pytest.raises(FileProblem) as caught:
        Trajectory.load(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "missing" not in how or str(caught.value).endswith("is damaged: joint_position is missing")


def test_the_message_on_a_damaged_recording_does_not_quote_a_long_value(tmp_path, trajectory):
    path = trajectory.save(tmp_path / "run.zarr")
    file = path / "joint_position" / "zarr.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"fill_value": "x" * 5000}))
    with pytest.raises(FileProblem, match="is damaged") as caught:
        Trajectory.load(path)
    assert len(str(caught.value)) < 1500


@pytest.mark.parametrize("text", ["5", "[]", '{"scenario": 5}', '{"scenario": {}}', '{"robot": 5}', '{"world": {}}'])
def test_a_recording_that_names_no_classes_is_damaged(tmp_path, trajectory, text):
    trajectory.attributes["configuration"] = text
    with pytest.raises(FileProblem, match="is damaged"):
        Trajectory.load(trajectory.save(tmp_path / "run.zarr"))


@pytest.mark.parametrize("name", ["energy_kinetic", "power_drive", "energy_of_others", "sensed_joint_torque"])
def test_a_variable_of_the_catalogue_over_other_dimensions_is_damaged(tmp_path, trajectory, name):
    """Energies and powers are summed by their prefix, so those of other packages have the dimension of time too."""
    trajectory.variables[name] = (("time", "axis"), np.zeros((101, 3)), "m/s", "a velocity under another name")
    path = trajectory.save(tmp_path / "run.zarr")
    with pytest.raises(FileProblem, match=f"is damaged: {name} is float64 over .*, must be float64 over"):
        Trajectory.load(path)


def test_what_is_not_there_is_named(tmp_path):
    with pytest.raises(FileProblem, match="no such file"):
        Trajectory.load(tmp_path / "nothing.zarr")


def test_xarray_opens_a_recording_without_a_word_and_with_names_along_its_dimensions(tmp_path):
    import warnings

    import xarray

    from serpenoid.scenarios.slither import Slither

    run = Slither(duration=0.1).run()
    path = run.save(tmp_path / "a.zarr")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data = xarray.open_zarr(path)
    assert float(data.center_of_mass.sel(axis="y")[-1]) == run["center_of_mass"][-1, 1]
    assert data.link_pose.sel(link="head", pose="qw").shape == run.times.shape
    assert set(run.dataset.coords) == set(data.coords) >= {"time", "axis", "pose", "twist", "link", "joint"}
    assert not any("[" in run.meaning(name) for name in run.variables)  # units are separate


def test_a_recording_that_may_not_be_read_is_told_from_something_else(tmp_path, trajectory, monkeypatch):
    path = trajectory.save(tmp_path / "run.zarr")

    monkeypatch.setattr("os.access", lambda place, mode: False)
    with pytest.raises(FileProblem, match="permission"):
        Trajectory.load(path)
