"""Runs differentiated by the parameters of a gait, and gaits designed with these derivatives."""

from dataclasses import replace

import numpy as np
import pytest

from serpenoid.cli import main
from serpenoid.errors import SerpenoidError
from serpenoid.robots import PlanarSnake
from serpenoid.scenarios.slither import Slither
from serpenoid.sweeps import design_gaits
from serpenoid.sweeps.gait_front import shortened
from serpenoid.sweeps.gait_problem import GaitProblem
from serpenoid.worlds import Plane

HARMONICS = 2


def slither(medium="dry", **fields):
    return Slither(
        world=Plane(medium, smoothing=0.01), robot=PlanarSnake(links=4), duration=0.6, settle=0.2, step=0.002, **fields
    )


def problem_and_point(medium):
    problem = GaitProblem(slither(medium), HARMONICS)
    point = problem.parameters_of(problem.scenario)
    point[3:] += 0.05 * np.random.default_rng(1).normal(size=point.size - 3)
    return problem, point


@pytest.mark.parametrize("medium", ["dry", "viscous", "fluid"])
def test_derivatives_agree_with_central_differences(medium):
    """The step is short: the absolute power has kinks where a joint's rate changes its sign."""
    problem, point = problem_and_point(medium)
    found, step = problem.measure(point), 1e-7

    def difference(place):
        ends = (problem.measure(point + side * step * np.eye(point.size)[place]) for side in (1.0, -1.0))
        return np.subtract(*([end.speed, end.power] for end in ends)) / (2.0 * step)

    wanted = np.array([difference(place) for place in range(point.size)])
    for analytic, numeric in ((found.by_speed, wanted[:, 0]), (found.by_power, wanted[:, 1])):
        assert np.abs(numeric).max() > 0.01
        np.testing.assert_allclose(analytic, numeric, atol=2e-5 * np.abs(numeric).max())


def test_saturated_torques_are_differentiated():
    problem, point = problem_and_point("viscous")
    problem.limit[:] = 0.2
    found = problem.measure(point)
    moved = point + 1e-7 * np.eye(point.size)[1]
    assert problem.measure(moved).speed - found.speed == pytest.approx(1e-7 * found.by_speed[1], rel=1e-3)


def test_measures_are_those_of_the_run():
    problem, point = problem_and_point("fluid")
    found, designed = problem.measure(point), problem.designed(point)
    summary = designed.measured(designed.run())
    assert summary["speed"].value == pytest.approx(found.speed, rel=1e-10)
    assert summary["power"].value == pytest.approx(found.power, rel=1e-10)


def test_parameters_of_a_designed_scenario_are_its_own():
    problem, point = problem_and_point("dry")
    np.testing.assert_array_equal(problem.parameters_of(problem.designed(point)), point)


def test_designed_gaits_keep_the_power_and_gain_speed():
    scenario = slither("viscous")
    slow, fast = design_gaits(scenario, (1.0, 4.0), harmonics=1, starts=2)
    assert slow.power <= 1.0 and fast.power <= 4.0 and 0.0 < slow.speed < fast.speed
    own = scenario.measured(scenario.run())
    assert fast.speed > own["speed"].value
    assert fast.runs == slow.runs > 20


def test_command_writes_scenarios_that_run(tmp_path, capsys):
    words = ["--world.medium", "viscous", "--duration", "0.4", "--step", "0.002", "--starts", "1", "--harmonics", "1"]
    gradient = ["optimise", "slither", "--by", "gradient", *words]
    assert main([*gradient, "--power", "5", "--out", str(tmp_path / "gaits")]) == 0
    file = tmp_path / "gaits" / "5W.toml"
    assert f"serpenoid run --from {file}" in capsys.readouterr().out
    assert main(["run", "--from", str(file), "--out", str(tmp_path / "run.zarr")]) == 0
    speed_in_file = float(file.read_text().split()[1])
    printed = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("speed"))
    assert float(printed.split()[1]) == pytest.approx(speed_in_file, abs=1e-3)


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["slither"], "--power"),
        (["slither", "--power", "-1"], "power = -1"),
        (["slither", "--power", "5", "--over", "gait.frequency=1:2"], "--over"),
        (["slither", "--power", "5", "--best", "speed"], "--best"),
        (["slither", "--power", "5", "--trials", "10"], "--trials = 10: must be omitted with --by gradient"),
        (["slither", "--power", "5", "--harmonics", "0"], "harmonics = 0"),
        (["slither", "--power", "5", "--sampled", "true"], "sampled"),
        (["slither", "--power", "5", "--scatter", "0.1"], "scatter"),
        (["undulate", "--power", "5"], "slither"),
        (["slither", "--power", "5", "--robot.drive.damping", "0.1", "0.1", "0.1", "0.2"], "robot.drive.damping"),
    ],
)
def test_one_line_for_bad_input(words, part, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["optimise", *words, "--by", "gradient"]) == 2
    printed = capsys.readouterr().err.strip()
    assert part in printed and len(printed.splitlines()) == 1


def test_options_of_a_design_are_refused_by_a_search(capsys):
    words = ["optimise", "slither", "--over", "gait.frequency=1:2", "--best", "speed", "--power", "5"]
    assert main(words) == 2
    assert "--power = (5.0,): must be omitted with --by cma" in capsys.readouterr().err


def test_a_long_transient_is_shortened_with_the_run():
    short = shortened(replace(slither(), settle=0.5))
    assert (short.duration, short.settle) == pytest.approx((0.3, 0.25))


def test_start_of_its_own_is_refused():
    scenario = slither()
    with pytest.raises(SerpenoidError, match="start"):
        GaitProblem(replace(scenario, start=replace(scenario.start, joint_position=(0.1, 0.0, 0.0))), 1)
