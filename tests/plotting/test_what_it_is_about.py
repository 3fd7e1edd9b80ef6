"""Task panels of figures: roll with its limits, goals, clearance, the object, forces, wheels."""

import numpy as np
import pytest
from runs import made_run

from serpenoid import analysis, plotting
from serpenoid.planning import Goal, Problem, RecedingHorizon
from serpenoid.plotting.overview import overview_figure
from serpenoid.robots import PlanarSnake
from serpenoid.scenarios.push import Push
from serpenoid.trajectory import Trajectory
from serpenoid.worlds import Disc, Floor, Plane, Slope


def names_of(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def panels_of(run):
    return {axes.get_title(loc="left"): axes for axes in overview_figure(run).axes}


def rolled(most):
    times = np.linspace(0.0, 1.0, 50)
    return Trajectory(times, {"roll": (("time",), most * times, "rad", "roll")}, {}, {})


def test_roll_shows_the_limits_that_are_near():
    assert names_of(plotting.roll(rolled(0.2))) == ["roll of the head"]
    assert "capsized: 90 deg" in names_of(plotting.roll(rolled(1.2)))
    turned = plotting.roll(rolled(-3.3))
    assert "turned over: 180 deg" in names_of(turned)
    assert {line.get_ydata()[0] for line in turned.lines[1:]} == {-90.0, -180.0}
    assert list(panels_of(rolled(2.0))) == ["Roll"]


def test_roll_to_both_sides_shows_the_limits_of_both():
    times = np.linspace(0.0, 1.0, 50)
    both = Trajectory(times, {"roll": (("time",), 2.0 * np.sin(6.28 * times), "rad", "roll")}, {}, {})
    axes = plotting.roll(both)
    assert {line.get_ydata()[0] for line in axes.lines[1:]} == {-90.0, 90.0, -180.0, 180.0}
    assert names_of(axes).count("capsized: 90 deg") == 1


@pytest.fixture(scope="module")
def push():
    scenario = Push(duration=0.05)
    run = scenario.run()
    return run, scenario.summary(run), panels_of(run)


def test_a_push_shows_object_force_and_wheels(push):
    run, table, panels = push
    drawn = max(line.get_ydata().max() for line in panels["Contact forces"].lines)
    assert drawn == run["contact_force"].max() > 0.0
    moved, speed = (line.get_ydata()[-1] for line in panels["Object"].lines)
    assert moved == pytest.approx(table["object_moved"].value) and speed == pytest.approx(table["object_speed"].value)
    forces = np.array([line.get_ydata() for line in panels["Wheels"].lines])
    assert pytest.approx(run["wheel_force"][:, 1:]) == forces.T and names_of(panels["Wheels"]) == ["link 1", "link 2"]
    assert len(panels["Slip of the wheels"].lines) == 2
    assert not {"Goal", "Clearance", "Roll"} & set(panels)


def test_wheels_that_slip_are_marked(push):
    run = Trajectory(push[0].times, dict(push[0].variables), push[0].labels, dict(push[0].attributes))
    dims, holds, *rest = run.variables["wheel_holds"]
    run.variables["wheel_holds"] = (dims, np.where(np.isnan(holds), holds, 0.0), *rest)
    assert "slipping" in names_of(plotting.wheel_forces(run)) and "slipping" not in names_of(push[2]["Wheels"])


def test_a_planned_run_shows_goal_and_clearance():
    robot, world = PlanarSnake(), Plane(obstacles=(Disc((-0.5, 0.6), 0.2),))
    planner = RecedingHorizon(Problem(robot, world, Goal((-1.2, 0.1))))
    run = made_run(robot, world, duration=1.0, controller=planner)
    panels = panels_of(run)
    assert panels["Goal"].lines[0].get_ydata() == pytest.approx(analysis.goal_distance(run)[:, 0])
    gap = analysis.clearance(run)
    assert panels["Clearance"].lines[0].get_ydata() == pytest.approx(gap)
    assert f"least: {gap.min():.3g} m" in names_of(panels["Clearance"])
    assert "Clearance" not in panels_of(made_run(robot, Plane(), duration=0.5))


def test_a_slope_is_seen_from_above():
    panels = panels_of(made_run(PlanarSnake(links=4), Slope(angle=0.25, heading=0.0), duration=0.1))
    for name in ("Path", "Body"):
        axes = panels[name]
        (words,) = [text.get_text() for text in axes.texts if text.get_text()]
        assert words == "downhill, 14.3 deg"
        (bands,) = axes.collections
        along = [path.vertices[:, 0].mean() for path in bands.get_paths()]
        assert np.all(np.diff(along) * np.diff(bands.get_facecolor()[:, 3]) > 0.0)  # higher is darker
    level = panels_of(made_run(PlanarSnake(links=4), Floor(), duration=0.1))
    assert not level["Path"].collections and not level["Path"].texts
