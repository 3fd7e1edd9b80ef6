"""Servos: limits respected, excesses named, logs written."""

import csv

import numpy as np
import pytest

from serpenoid.errors import FileProblem, InvalidValue, UnknownName
from serpenoid.hardware import logs, read_log, servos

HS422 = servos.SERVOS["hs422"]
JOINTS = ("joint_1", "joint_2")


def frames(count, servo=HS422):
    return servo.frame * np.arange(count)


def test_pulses_of_known_angles():
    """The sheet's own numbers: 45 degrees either side are 400 us."""
    assert HS422.pulse(np.radians([0.0, 45.0, -45.0])).tolist() == [1500.0, 1900.0, 1100.0]
    assert HS422.angle(np.array([1900.0])) == pytest.approx(np.radians(45.0))
    assert np.degrees(HS422.reach) == pytest.approx([-90.0, 90.0])
    assert servos.SERVOS["mg90s"].pulse(np.radians([90.0])).tolist() == [2000.0]


def test_a_gentle_motion_is_followed_without_violation():
    times = frames(100)
    angles = 0.5 * np.sin(times)[:, None] * [1.0, -1.0]
    plan = servos.plan(HS422, JOINTS, times, angles, np.zeros_like(angles))
    assert plan.violations == []
    assert np.abs(HS422.angle(plan.pulses) - angles).max() <= 0.5 / HS422.slope + 1e-12


def test_range_speed_and_torque_are_named_and_the_pulses_keep_the_limits():
    times = frames(60)
    angles = np.stack([np.linspace(0.0, 2.0, 60), np.where(times < 0.5, 0.0, 1.0)], axis=1)
    torques = np.zeros_like(angles)
    torques[7, 0] = -3.0
    plan = servos.plan(HS422, JOINTS, times, angles, torques)
    found = {(violation.joint, violation.limit) for violation in plan.violations}
    assert found == {("joint_1", "range"), ("joint_2", "speed"), ("joint_1", "torque")}
    assert plan.pulses.min() >= HS422.least_pulse
    assert plan.pulses.max() <= HS422.most_pulse
    assert np.abs(np.diff(plan.pulses, axis=0)).max() <= HS422.speed * HS422.frame * HS422.slope
    text = next(str(v) for v in plan.violations if v.limit == "torque")
    assert text == "joint_1 exceeds the torque: needs 3 N m at 0.14 s, servo gives 0.324 N m (1 time steps)"
    with pytest.raises(InvalidValue, match=r"^joint_1 at 1.18 s = 2.0: must be within the range of Hitec HS-422"):
        servos.refuse_range(plan)


def test_response_moves_at_full_speed_and_stops_at_the_dead_band():
    pulses = np.full((50, 1), 1900.0)
    angles = servos.respond(HS422, pulses, np.zeros(1))[:, 0]
    full = HS422.speed * HS422.frame
    assert np.diff(angles[:5]) == pytest.approx([full] * 4)
    assert angles[-1] == pytest.approx(np.radians(45.0) - 4.0 / HS422.slope)
    still = servos.respond(HS422, np.full((10, 1), 1500.0 + 3.0), np.zeros(1))
    assert np.all(still == 0.0)


def test_a_servo_of_ones_own_from_toml(tmp_path):
    file = tmp_path / "mine.toml"
    lines = ["schema = 1", 'name = "mine"', "neutral = 1520", "slope = 500", "least_pulse = 900", "most_pulse = 2100"]
    file.write_text("\n".join([*lines, "angle_range = 1", "speed = 6", "dead_band = 4", "stall_torque = 1"]))
    assert servos.find_servo(str(file)).neutral == 1520.0
    file.write_text("\n".join([*lines, "angle_range = 1", "speed = -6", "dead_band = 4", "stall_torque = 1"]))
    with pytest.raises(InvalidValue, match="speed"):
        servos.find_servo(str(file))
    with pytest.raises(UnknownName, match="hs422"):
        servos.find_servo("hs42")


def test_pulse_table(tmp_path):
    times = frames(3)
    plan = servos.plan(HS422, JOINTS, times, np.zeros((3, 2)))
    servos.write_pulses(plan, tmp_path / "pulses.csv")
    rows = list(csv.reader((tmp_path / "pulses.csv").open()))
    assert rows[0] == ["time_s", "joint_1_us", "joint_2_us"]
    assert rows[2] == ["0.020", "1500", "1500"]
    with pytest.raises(FileProblem):
        servos.write_pulses(plan, tmp_path / "nowhere" / "pulses.csv")


def test_a_log_survives_writing_and_reading(tmp_path):
    rng = np.random.default_rng(1)
    recording = logs.Recording(JOINTS, frames(20), rng.normal(size=(20, 2)))
    logs.write_log(recording, tmp_path / "log.csv")
    again = read_log(tmp_path / "log.csv", JOINTS).recording()
    assert again.angles == pytest.approx(recording.angles, abs=1e-6)
    first, second = logs.compare(again, recording.angles + [0.0, 0.1])
    assert first.rms < 1e-6
    assert second.rms == pytest.approx(0.1, abs=1e-6)
    assert second.greatest == pytest.approx(0.1, abs=1e-6)


def test_a_table_of_pulses_replaces_its_like_and_nothing_else(tmp_path):
    own, log = tmp_path / "pulses.csv", tmp_path / "log.csv"
    servos.check_pulses(own)
    own.write_text("time_s,joint_1_us\n0.000,1500\n")
    servos.check_pulses(own)
    for other in ("time_s,joint_1_deg\n0,1\n", "", "\0\n", "x_us\n"):
        log.write_text(other)
        with pytest.raises(FileProblem, match="--out"):
            servos.check_pulses(log)
