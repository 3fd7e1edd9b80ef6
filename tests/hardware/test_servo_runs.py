"""From a scenario to pulses and back from a log, by library and by command line."""

import csv

import numpy as np
import pytest

from serpenoid.cli import main
from serpenoid.configuration import changed
from serpenoid.hardware import logs, servos
from serpenoid.hardware.log_comparison import angles_at, compare_log
from serpenoid.hardware.module_logs import log_of
from serpenoid.hardware.servo_runs import plan_scenario
from serpenoid.kernels.motion import motion_samples
from serpenoid.scenarios import find_scenario

COBRA = changed(find_scenario("cobra")(), {"robot.bodies": 6})
SMALL = ["--robot.bodies", "6"]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def servo_log(path, scenario=COBRA, bias=0.0):
    """Log of the servos of a planned scenario."""
    plan = plan_scenario(scenario, servos.SERVOS["hs422"])
    angles = servos.respond(plan.servo, plan.pulses, np.zeros(len(plan.joints))) + bias
    logs.write_log(logs.Recording(plan.joints, plan.times, angles), path)
    return plan


def test_a_plan_leads_the_servos_along_the_movement(elsewhere):
    plan = servo_log(elsewhere / "log.csv")
    wanted = motion_samples(COBRA.gait.motion(COBRA.robot), plan.times)[0]
    assert np.abs(servos.SERVOS["hs422"].angle(plan.pulses) - wanted).max() < 1.0 / plan.servo.slope
    found = compare_log(elsewhere / "log.csv", COBRA).joints
    # A servo that follows stays half the dead band and one frame behind.
    late = plan.servo.frame * np.abs(np.diff(wanted, axis=0)).max() / plan.servo.frame
    assert max(row.greatest for row in found) < 0.5 * plan.servo.dead_band / plan.servo.slope + late + 1e-3


def test_a_bias_of_the_log_shows_in_every_joint(elsewhere):
    servo_log(elsewhere / "log.csv", bias=0.2)
    for row in compare_log(elsewhere / "log.csv", COBRA).joints:
        assert row.rms == pytest.approx(0.2, abs=0.02)


def test_angles_between_samples_are_those_of_the_motion():
    run = COBRA.run()
    times = np.linspace(0.0, 4.0, 77)
    assert (
        np.abs(
            angles_at(log_of(run, COBRA.robot.joint_names), times)
            - motion_samples(COBRA.gait.motion(COBRA.robot), times)[0]
        ).max()
        < 1e-8
    )


def test_command_line_plans_and_compares(elsewhere, capsys):
    assert main(["servo", "plan", "cobra", "--servo", "mg90s", "--out", "pulses.csv", *SMALL]) == 0
    rows = list(csv.reader((elsewhere / "pulses.csv").open()))
    assert rows[0] == ["time_s", *(f"joint_{k}_us" for k in range(1, 7))]
    assert len(rows) == 202
    assert "TowerPro MG90S: 201 time steps of 20 ms for 6 joints" in capsys.readouterr().out
    servo_log(elsewhere / "log.csv")
    assert main(["servo", "compare", "log.csv", "--scenario", "cobra", *SMALL]) == 0
    assert "joint_6" in capsys.readouterr().out
    assert (elsewhere / "log.png").stat().st_size > 5_000


def test_a_log_longer_than_the_movement_is_compared_to_its_end(elsewhere):
    recording = logs.Recording(COBRA.robot.joint_names, np.linspace(0.0, 6.003, 50), np.zeros((50, 6)))
    logs.write_log(recording, elsewhere / "log.csv")
    simulated = compare_log(elsewhere / "log.csv", COBRA).simulated
    assert simulated[-1] == pytest.approx(np.zeros(6), abs=1e-9)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["plan", "accordion", "--gait.fold", "2"], "joint_3 at 2.00 s = -2.0: must be within the range of"),
        (["plan", "cobra", "--robot.bodies", "0"], "robot.bodies = 0: must be a whole number"),
        (["plan", "cobra", "--robot.bodies", "1"], "Cobra needs a joint about y"),
        (["plan", "cobra", "--servo", "hs42"], "unknown servo 'hs42'"),
        (["plan", "cobra", "--out", "."], "is a folder"),
        (["plan", "cobra", "--out", "/proc/none/pulses.csv"], "cannot be written"),
        (["plan", "cobra", "--out", "short.csv"], "exists and is not a table of pulses"),
        (["plan", "cobar"], "unknown scenario 'cobar' (did you mean cobra?)"),
        (["plan"], "scenario"),
        (["plan", "mpc"], "servo plan needs a scenario with a gait; mpc has a planner"),
        (["dance"], "unknown servo command"),
        (["compare", "none.csv"], "none.csv: no such file"),
        (["compare", "short.csv"], "short.csv: contains angles of 1 joints; the robot has 20"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(words, line, capsys, elsewhere):
    (elsewhere / "short.csv").write_text("time_s,joint_1_deg\n0,1\n1,2\n")
    before = sorted(elsewhere.iterdir())
    assert main(["servo", *words]) == 2
    printed = capsys.readouterr()
    assert line in printed.err
    assert printed.err.count("\n") == 1
    assert sorted(elsewhere.iterdir()) == before


def test_a_movement_beyond_the_range_is_held_at_its_end_on_request(elsewhere, capsys):
    words = ["servo", "plan", "accordion", "--gait.fold", "2", "--clip", "true", *SMALL]
    assert main(words) == 0
    assert "joint_3 exceeds the range: needs 2 rad" in capsys.readouterr().out
    pulses = np.array(list(csv.reader((elsewhere / "pulses.csv").open()))[1:], dtype=float)[:, 1:]
    assert pulses.min() == 700.0


def loaded_log(path, constant, signed):
    """Log of the simulated movement, with its torques and the currents of motors with a torque constant [N m/A]."""
    run = COBRA.run()
    joints, torque = COBRA.robot.joint_names, run["joint_torque"]
    current = (torque if signed else np.abs(torque)) / constant
    header = ["time_s", *(f"{name}_{unit}" for unit in ("rad", "Nm", "A") for name in joints)]
    rows = np.column_stack([run.times, run["joint_position"], torque, current])
    path.write_text("\n".join(",".join(map(str, row)) for row in (header, *rows.tolist())) + "\n")
    return torque


@pytest.mark.parametrize("signed", [True, False])
def test_currents_are_compared_with_torques_by_a_fitted_constant(elsewhere, signed):
    torque = loaded_log(elsewhere / "log.csv", 0.7, signed)
    found = compare_log(elsewhere / "log.csv", COBRA).loads
    assert [row.quantity for row in found.rows] == ["torque"] * 6 + ["current"] * 6
    for row, size in zip(found.rows, np.tile(np.sqrt(np.mean(torque**2, axis=0)), 2)):
        assert row.simulated == pytest.approx(size, rel=1e-6)
        assert row.rms < 1e-6 * max(size, 1e-9) + 1e-12
    for row in found.rows[6:]:
        if row.simulated > 1e-9:  # joints about z bear nothing in this movement
            assert row.constant == pytest.approx(0.7, rel=1e-6)
            assert row.correlation == pytest.approx(1.0)


def test_command_line_compares_torques_and_currents(elsewhere, capsys):
    loaded_log(elsewhere / "log.csv", 0.7, False)
    assert main(["servo", "compare", "log.csv", *SMALL]) == 0
    printed = capsys.readouterr().out
    assert "N m per unit" in printed
    assert "0.7" in printed
    assert (elsewhere / "log-loads.png").stat().st_size > 5_000


def test_a_log_without_torques_and_currents_has_no_loads(elsewhere):
    servo_log(elsewhere / "log.csv")
    assert compare_log(elsewhere / "log.csv", COBRA).loads is None
