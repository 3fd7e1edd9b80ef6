"""Runs as CSV and parquet: the same columns, read by others, and back to the last bit."""

from __future__ import annotations

import csv

import numpy as np
import pyarrow.parquet as parquet
import pytest
from test_mcap import assert_same

import serpenoid as sp
from serpenoid import Trajectory
from serpenoid.errors import FileProblem, InvalidValue
from serpenoid.estimation import read_csv
from serpenoid.interchange import export_run, import_run, tables
from serpenoid.robots.sensors import Sensor, Sensors
from serpenoid.scenarios.slither import Slither

ROBOT = sp.robots.PlanarSnake(links=4, sensors=Sensors(joint_position=Sensor(noise=1e-3), period=0.02))


@pytest.fixture(scope="module")
def run():
    """A run with two clocks: its controller is called at every second sample."""
    found = sp.simulate(
        ROBOT, sp.worlds.Plane(), sp.control.OpenLoop(sp.gaits.Serpenoid(amplitude=0.4)), 0.3, control_period=0.02
    )
    assert 0 < found.ticks.size < found.times.size
    return found


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_table_comes_back_to_the_last_bit(run, ending, tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "BLOCK", 7)
    path = tmp_path / f"run.{ending}"
    export_run(run, path)
    back = import_run(path)
    assert_same(run, back)
    if ending == "parquet":
        assert back.attributes == run.attributes


def test_both_tables_have_the_same_columns_with_units_and_are_read_by_others(run, tmp_path):
    for ending in ("csv", "parquet"):
        export_run(run, tmp_path / f"run.{ending}")
    table = parquet.read_table(tmp_path / "run.parquet")
    with (tmp_path / "run.csv").open(newline="") as file:
        header, *rows = list(csv.reader(file))
    assert header == table.column_names
    for name in ("time_s", "joint_1_rad", "joint_1_rad_s", "joint_1_Nm", "x_m", "energy_kinetic [J]", "accel2_y",
                 "center_of_mass.x [m]", "base_pose.qw [-]", "base_twist.wz [rad/s]", "body_axis.x [-]"):  # fmt: skip
        assert name in header
    for name, cells in zip(header, zip(*rows)):
        theirs = table[name].to_numpy()
        np.testing.assert_array_equal([float(cell) if cell else np.nan for cell in cells], theirs)
    readings = read_csv(tmp_path / "run.csv", ROBOT.joint_names)
    np.testing.assert_array_equal(readings.position, run["joint_position"])
    np.testing.assert_array_equal(readings.path, run["base_pose"][:, :3])
    assert table["time_s"].to_numpy().tolist() == run.times.tolist()


def test_ticks_between_samples_have_their_own_rows(tmp_path):
    times, ticks = np.array([0.0, 0.1, 0.2]), np.array([0.0, 0.05, 0.1, 0.15])
    variables = {
        "joint_position": (("time", "joint"), np.arange(6.0).reshape(3, 2), "rad", "joint angle"),
        "own": (("tick",), np.array([1.0, np.nan, 3.0, 4.0]), "N", "own"),
    }
    run = Trajectory(times, variables, {"joint": ("a", "b")}, {"complete": True}, ticks)
    for ending in ("csv", "parquet"):
        export_run(run, tmp_path / f"run.{ending}")
        assert_same(run, import_run(tmp_path / f"run.{ending}"))
    assert len((tmp_path / "run.csv").read_text().splitlines()) == 1 + 5


def test_a_log_in_degrees_is_imported_and_what_is_unknown_is_named(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("time_s,hip_deg,knee_deg,comment,speed\n0,90,0,x,1\n1,0,180,y,2\n")
    with pytest.warns(UserWarning, match="omitted: 'comment, speed'|omitted: 'speed'"):
        run = import_run(path)
    np.testing.assert_allclose(run["joint_position"], [[np.pi / 2, 0.0], [0.0, np.pi]])
    assert run.labels["joint"] == ("hip", "knee") and set(run.variables) == {"joint_position"}


def test_two_values_with_one_name_are_refused(tmp_path):
    run = Trajectory(
        np.arange(3.0), {"joint_position": (("time", "joint"), np.zeros((3, 2)), "rad", "x")}, {"joint": ("a", "a")}, {}
    )
    with pytest.raises(InvalidValue, match="a_rad"):
        export_run(run, tmp_path / "run.csv")
    assert not list(tmp_path.iterdir())


def test_parquet_of_others_and_damaged_ones_end_in_one_line(run, tmp_path):
    import pyarrow

    parquet.write_table(pyarrow.table({"time_s": [0.0, 1.0]}), tmp_path / "other.parquet")
    with pytest.raises(FileProblem, match="was not written by serpenoid export"):
        import_run(tmp_path / "other.parquet")
    export_run(run, tmp_path / "run.parquet")
    whole = (tmp_path / "run.parquet").read_bytes()
    chance = np.random.default_rng(0)
    for at in chance.integers(0, len(whole), 16).tolist():
        spoilt = bytearray(whole)
        spoilt[at] ^= 1 << int(chance.integers(8))
        (tmp_path / "spoilt.parquet").write_bytes(bytes(spoilt[: at if at % 2 else None]))
        try:
            back = import_run(tmp_path / "spoilt.parquet")
        except FileProblem as error:
            assert "\n" not in str(error)
        else:
            np.testing.assert_array_equal(back["joint_position"], run["joint_position"])


def test_a_missing_library_is_named(run, tmp_path, monkeypatch):
    import sys

    for module, ending in (("pyarrow", "parquet"), ("mcap.writer", "mcap")):
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(sp.errors.Unsupported, match=rf"pip install 'serpenoid\[{ending}\]'"):
            export_run(run, tmp_path / f"run.{ending}")
    assert list(tmp_path.iterdir()) == []


def test_slither_needs_no_scene_for_a_table(tmp_path):
    """A recording of a scenario with one clock has no columns of clocks."""
    run = Slither(robot=sp.robots.PlanarSnake(links=3), duration=0.1, settle=0.05).run()
    export_run(run, tmp_path / "run.csv")
    assert "tick [s]" not in (tmp_path / "run.csv").read_text().splitlines()[0]
