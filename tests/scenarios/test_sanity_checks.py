"""Warnings about legal but probably unintended input, and the settle time as a function of the duration."""

import numpy as np
import pytest
from runs import made

from serpenoid.cli import main
from serpenoid.configuration import changed
from serpenoid.scenarios import SCENARIOS, find_scenario
from serpenoid.scenarios.base import Quantity
from serpenoid.scenarios.sanity_checks import bent_path, doubts, remarks
from serpenoid.scenarios.slither import Slither


@pytest.mark.parametrize(
    "change, said",
    [
        ({"gait.amplitude": 45.0}, "gait.amplitude = 45"),
        ({"gait.frequency": 400.0}, "2.5 integration steps"),
        ({"robot.link_mass": 1e4}, "robot.link_mass = 10000 kg"),
        ({"robot.sensors.gyroscope.noise": 0.1}, "robot.sensors have no effect"),
        ({"robot.drive.torque_limit": 0.0}, "robot.drive.torque_limit = 0"),
        ({"robot.drive.torque_limit": (0.0, 0.0, 0.0, 0.0)}, "robot.drive.torque_limit = 0"),
        ({"gait.amplitude": 0.0}, "gait.amplitude = 0"),
        ({"gait.frequency": 0.0}, "gait.frequency = 0"),
        ({"world.medium": "fluid", "world.friction_transverse": 0.5}, "world.friction_transverse has no effect"),
        ({"world.viscous_transverse": 5.0}, "world.viscous_transverse has no effect"),
    ],
)
def test_what_is_surely_not_meant_is_named(change, said):
    assert any(said in remark for remark in doubts(changed(Slither(), change)))


def test_what_may_be_meant_is_not():
    usual = {
        "gait.amplitude": 1.0,
        "gait.frequency": 5.0,
        "robot.links": 20,
        "duration": 5000.0,
        "world.medium": "fluid",
    }
    assert doubts(changed(Slither(), usual)) == []


def test_a_chosen_drive_has_numbers_of_its_own():
    assert doubts(changed(Slither(), {"robot.drive": "cascade"})) == []


def test_motors_without_a_limit_have_no_number_of_their_own():
    assert doubts(changed(Slither(), {"robot.drive.torque_limit": (1e6, 2.0, 0.0, 1e6)})) == []
    found = doubts(changed(Slither(), {"robot.drive.torque_limit": (1e6, 1e5, 2.0, 2.0)}))
    assert found == ["robot.drive.torque_limit = ... 1e+05 ... N m (usually 0.1 to 20)"]


@pytest.mark.parametrize("name", SCENARIOS)
def test_no_scenario_is_doubtful_by_itself(name):
    assert doubts(find_scenario(name)()) == []


def test_of_many_doubts_two_are_reported_and_the_others_counted():
    wild = dict.fromkeys(("robot.link_mass", "robot.link_length", "gait.amplitude", "gait.offset"), 1e3)
    found = doubts(changed(Slither(), wild))
    assert len(found) == 3 and found[2] == "and 2 other fields"
    each = changed(Slither(), {"robot.links": 3, "robot.link_mass": (0.2, 1e4, 0.2)})
    assert doubts(each) == ["robot.link_mass = ... 1e+04 ... kg (usually 0.01 to 2)"]


def test_one_line_says_it_and_the_run_goes_on(tmp_path, capsys):
    words = ["--gait.amplitude", "45", "--world.medium", "viscous", "--duration", "0.1"]
    assert main(["run", "slither", *words, "--out", str(tmp_path / "a.zarr")]) == 0
    (line,) = [line for line in capsys.readouterr().err.splitlines() if "compiling" not in line]
    assert (
        line.startswith("serpenoid: warning: ")
        and "gait.amplitude = 45 rad (usually 0.1 to 1.2) (45 deg = 0.7854 rad)" in line
    )


@pytest.mark.parametrize(
    "frequency, smoothing, weak", [(0.05, 0.01, True), (2.0, 0.01, False), (0.05, None, False)]
)  # fmt: skip
def test_slip_inside_the_smoothing_is_reported(frequency, smoothing, weak):
    slow = changed(Slither(), {"gait.frequency": frequency, "world.smoothing": smoothing, "duration": 4.0})
    assert bool(remarks(slow.run(), slow)) is weak


def test_settle_follows_the_duration():
    assert Slither().settling(6.0) == 2.0
    assert Slither(duration=1.0).settling(1.0) == pytest.approx(1.0 / 3.0)
    assert Slither(settle=3.0).settling(6.0) == 3.0
    assert Slither(settle=3.0).settling(1.5) == 0.5  # a run that ended early
    run = Slither(duration=1.0).run()
    assert np.isfinite(Slither(duration=1.0).summary(run)["speed"].value)


@pytest.mark.parametrize("amplitude, warned", [(0.1, True), (0.4, False)])
def test_a_speed_that_the_smoothing_may_have_made_is_reported(amplitude, warned):
    small = changed(Slither(), {"gait.amplitude": amplitude, "duration": 1.0})
    assert any("--world.smoothing" in line for line in remarks(small.run(), small)) is warned


@pytest.mark.parametrize("step, warned", [(0.005, True), (0.001, False)])
def test_contacts_that_throw_the_robot_up_are_reported(step, warned):
    run = changed(find_scenario("slithering")(), {"duration": 1.0, "step": step, "control_period": 0.02})
    lines = remarks(run.run(), run)
    assert any("J of work" in line for line in lines) is warned
    assert not warned or lines[0].endswith("try --step 0.00125")


@pytest.mark.parametrize(
    "name, change",
    [
        ("sidewinding", {}),
        ("sidewinding", {"world": "slope"}),
        ("sidewinding", {"world": "terrain"}),
        ("sidewinding", {"world": "steps"}),
        ("linear-progression", {}),
        ("rolling", {"world": "slope"}),
        ("slither-pegs", {"engine": "contact"}),
        ("slither-pegs", {}),
        ("climb-pole", {}),
        ("crawl-pipe", {}),
    ],
)
def test_contacts_that_only_take_energy_are_not(name, change):
    run = changed(find_scenario(name)(), {"duration": 0.6, **change})
    assert remarks(run.run(), run) == []


def test_a_fall_is_no_work_of_contacts():
    fall = {"duration": 0.6, "start.base_pose": (0.0, 0.0, 0.3, 1.0, 0.0, 0.0, 0.0)}
    run = changed(find_scenario("slithering")(), fall)
    assert remarks(run.run(), run) == []


def test_an_open_energy_balance_is_reported():
    snake = Slither(duration=0.3)
    run = snake.run()
    assert remarks(run, snake) == []
    (line,) = remarks(run, snake, {"energy_residual": Quantity(0.02)})
    assert "2 %" in line and line.endswith("try --step 0.00025")


def circling(turn, pace=0.2):
    """Return a run of 20 s whose centre of mass moves on a circular arc of `turn` degrees."""
    times = np.linspace(0.0, 20.0, 1001)
    angle = np.radians(turn) * times / 20.0
    radius = pace * 20.0 / np.radians(turn)
    return made(times, center_of_mass=np.column_stack([radius * np.sin(angle), -radius * np.cos(angle), 0.0 * times]))


def test_a_way_that_turned_is_remarked_on():
    run, scenario = circling(300.0), find_scenario("sidewinding")(duration=20.0, settle=0.0)
    (line,) = bent_path(run, scenario)
    angle = float(line.partition(" deg")[0].split()[-1])
    assert angle == pytest.approx(300.0 * (1.0 - scenario.cycle / 20.0), abs=1.0)
    for other in (circling(80.0), circling(300.0, pace=0.0)):
        assert list(bent_path(other, scenario)) == []
    assert list(bent_path(run, Slither())) == []
