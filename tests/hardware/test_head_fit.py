"""Fits of the logged pose of the head: coefficients of the water within their intervals, and logs without a pose."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import serpenoid as sp
from serpenoid.cli import main
from serpenoid.configuration import changed
from serpenoid.errors import FileProblem
from serpenoid.gaits import Undulation
from serpenoid.hardware.head_fit import fit_head, growing_ends, read_head
from serpenoid.scenarios.natrix import NatrixAfloat
from serpenoid.worlds import WaterSurface
from serpenoid.worlds.water import Hydrodynamics

OVER = ("world.hydrodynamics.quadratic_drag", "world.hydrodynamics.roll_damping")
TRUE = Hydrodynamics(quadratic_drag=0.8, roll_damping=0.02)
GUESS = NatrixAfloat(gait=Undulation(0.3, 1.0), duration=2.4, step=0.004, sample_period=0.04, control_period=0.04)
REAL = replace(GUESS, world=WaterSurface(hydrodynamics=TRUE), start_roll=0.25)


@pytest.fixture(scope="module")
def run() -> sp.Trajectory:
    """A run with 1 mm and 5 mrad of noise on the pose of the head."""
    run, rng = REAL.run(), np.random.default_rng(5)
    pose = run["base_pose"]
    pose[:, :3] += 1e-3 * rng.normal(size=(len(pose), 3))
    turn = Rotation.from_rotvec(5e-3 * rng.normal(size=(len(pose), 3)))
    pose[:, 3:] = (turn * Rotation.from_quat(pose[:, 3:], scalar_first=True)).as_quat(scalar_first=True)
    return run


def test_coefficients_and_noise_are_found_again_within_their_intervals(run):
    found = fit_head(run.times, run["base_pose"], GUESS, OVER)
    for estimate, true in zip(found.estimates, (0.8, 0.02)):
        assert estimate.determined and estimate.low < true < estimate.high
        assert estimate.value == pytest.approx(true, rel=0.1)
    assert found.noise["head_position"] == pytest.approx(1e-3, rel=0.25)
    assert found.noise["head_attitude"] == pytest.approx(5e-3, rel=0.25)
    assert found.scenario.world.hydrodynamics.quadratic_drag == found.estimates[0].value


def test_the_command_line_fits_a_table(run, tmp_path, capsys):
    """From the truth, so that few runs are needed; the columns are those of an exported table."""
    path, part = tmp_path / "head.csv", slice(0, 31)
    names = ["time_s", "x_m", "y_m", "z_m", *(f"base_pose.{name} [-]" for name in ("qw", "qx", "qy", "qz"))]
    rows = np.column_stack((run.times, run["base_pose"]))[part]
    np.savetxt(path, rows, delimiter=",", header=",".join(names), comments="")
    given = changed(REAL, {"start_roll": 0.0})
    flags = [
        "--scenario", "natrix", "--gait.amplitude", "0.3", "--gait.frequency", "1", "--step", "0.004",
        "--sample-period", "0.04", "--control-period", "0.04",
        "--world.hydrodynamics.quadratic-drag", str(given.world.hydrodynamics.quadratic_drag),
        "--world.hydrodynamics.roll-damping", "0.02",
    ]  # fmt: skip
    assert main(["fit", str(path), "--head", "true", "--over", OVER[0], *flags]) == 0
    printed = capsys.readouterr().out
    assert "world.hydrodynamics.quadratic_drag" in printed and "head position: remaining error (rms)" in printed


def test_a_log_without_a_pose_is_refused_in_one_line(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("time_s,x_m,y_m,z_m\n0,0,0,0\n0.1,0,0,0\n")
    with pytest.raises(FileProblem, match="has no pose of the head: must have the columns"):
        read_head(path)
    rows = "".join(f"{0.1 * k:.1f},0,0,0,2,0,0,0\n" for k in range(9))
    path.write_text("time_s,x_m,y_m,z_m,qw,qx,qy,qz\n" + rows)
    with pytest.raises(FileProblem, match="not of unit length"):
        read_head(path)


def test_a_long_log_is_fitted_from_its_first_seconds_on():
    assert growing_ends(20.0) == [6.0, 12.0, 20.0]
    assert growing_ends(3.0) == [3.0]
