"""Recordings against our law: a recording made by our law is reproduced exactly, only with its own sign and anchor."""

from __future__ import annotations

import json

import numpy as np
import pytest

from serpenoid.cli import main
from serpenoid.errors import FileProblem
from serpenoid.estimation import Readings
from serpenoid_papers.recordings import ANCHORS, FEELS, ROBOT, differences, measure_recording, recordings, replay_law

TICK, TICKS = np.pi / 160, 400


def write(path, angles, torques, places):
    """A recording as a table."""
    names = [
        "time_s",
        *(f"angle{j}_rad" for j in range(16)),
        *(f"torque{j}_Nm" for j in range(16)),
        "x_m",
        "y_m",
        "z_m",
    ]
    table = np.hstack([TICK * np.arange(len(angles))[:, None], angles, torques, places])
    np.savetxt(path, table, delimiter=",", header=",".join(names), comments="", fmt="%.17g")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A recording of our own law under random torques, along a straight line at 0.1 m/s."""
    folder = tmp_path_factory.mktemp("recorded")
    torques = np.repeat(np.random.default_rng(0).normal(0.0, 1.0, (TICKS // 40, 16)), 40, axis=0)
    times = TICK * np.arange(TICKS)
    angles = np.zeros((TICKS, 16))
    angles[:, list(ROBOT.yaw_joints)] = replay_law(Readings(times, torque=torques), FEELS["tau_D + J^T T"], 0.5 * np.pi)
    write(folder / "run_1.csv", angles, torques, 0.1 * times[:, None] * np.array([0.6, 0.0, 0.8]))
    return folder


def test_a_recording_of_our_own_law_is_met(folder):
    found = differences(recordings(folder)["run_1"])
    zero, crests = ANCHORS
    assert found["tau_D + J^T T"][crests] < 1e-9
    assert found["tau_D + J^T T"][zero] > 1e-3
    assert found["tau_D - J^T T"][crests] > 0.05 and found["no torque"][crests] > 0.02


def test_what_a_recording_shows(folder):
    found = measure_recording(recordings(folder)["run_1"])
    assert found.cycles_per_metre == pytest.approx(1.0 / (0.1 * 178 * TICK), rel=1e-9)
    assert 0.8 < found.torque_rms < 1.2 and found.torque_most < 5.0


def test_folders_without_recordings_are_one_line(folder, tmp_path, capsys):
    for place in (tmp_path / "nowhere", tmp_path):
        assert main(["recordings", str(place)]) == 2
        error = capsys.readouterr().err
        assert str(place) in error and "run_*.csv" in error and error.count("\n") == 1
    (tmp_path / "run_2.csv").write_text("time_s,angle0_rad\n0,1\n1,1\n")
    with pytest.raises(FileProblem, match="run_2.csv"):
        recordings(tmp_path)


@pytest.mark.full
def test_the_command_compares_and_draws(folder, tmp_path):
    words = ["recordings", str(folder), "--out", str(tmp_path / "out"), "--boards", "2", "--sign-boards", "3"]
    assert main(words) == 0
    numbers = json.loads((tmp_path / "out" / "recordings.json").read_text())
    assert numbers["sign"]["boards"] == 3 and set(numbers["simulated"]) == {"24", "27", "30"}
    assert (tmp_path / "out" / "recordings.png").stat().st_size > 20_000
