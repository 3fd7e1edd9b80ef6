"""Figures: axes with names and units, legends, many joints, files written or refused."""

from itertools import pairwise

import numpy as np
import pytest
from runs import made, made_run

from serpenoid import analysis, plotting
from serpenoid.errors import FileProblem, InvalidValue, UnknownName
from serpenoid.planning import Goal, Obstacle, Path, Problem, RecedingHorizon
from serpenoid.plotting.body import body_lines, keep_near, map_axes
from serpenoid.plotting.overview import title_of
from serpenoid.plotting.style import new_figure
from serpenoid.robots import MovingFrameChain, Natrix, PlanarSnake
from serpenoid.worlds import Disc, FreeSpace, Plane, PushingFloor, WaterSurface

SERIES = [
    plotting.joints, plotting.velocities, plotting.torques, plotting.power, plotting.energy, plotting.spectrum,
    plotting.speed, plotting.path, plotting.snapshots,
]  # fmt: skip


@pytest.fixture(scope="module")
def planar():
    return made_run(PlanarSnake(), Plane())


@pytest.fixture(scope="module")
def natrix():
    return made_run(Natrix(), FreeSpace())


@pytest.mark.parametrize("draw", SERIES)
def test_axes_have_units_and_a_legend(draw, planar):
    axes = draw(planar)
    assert axes.get_xlabel().endswith("]") and axes.get_ylabel().endswith("]")
    legend = axes.get_legend()
    assert legend is not None and len(legend.get_texts()) >= 1
    assert all(text.get_text().strip("_ ") for text in legend.get_texts())
    assert all(np.isfinite(axes.axis()))


def test_draws_into_given_axes(planar):
    from matplotlib.figure import Figure

    axes = Figure().add_subplot()
    assert plotting.joints(planar, axes) is axes
    assert len(axes.lines) == 4


def test_lines_are_the_data(planar):
    lines = plotting.joints(planar).lines
    assert lines[2].get_xdata() == pytest.approx(planar.times)
    assert lines[2].get_ydata() == pytest.approx(planar["joint_position"][:, 2])


def test_joints_at_rest_share_one_entry(natrix):
    labels, values = {"joint": natrix.labels["joint"][:8]}, natrix["joint_position"][:, :8]
    still = made(natrix.times, labels, joint_position=np.where(np.arange(8) < 3, values, 0.0))
    names = [text.get_text() for text in plotting.joints(still).get_legend().get_texts()]
    assert names == [*(name.replace("_", " ") for name in labels["joint"][:3]), "5 joints held at 0"]


def test_joints_held_elsewhere_keep_their_names(natrix):
    labels = {"joint": natrix.labels["joint"][:8]}
    held = made(natrix.times, labels, joint_position=np.full((natrix.times.size, 8), 0.06))
    names = [text.get_text() for text in plotting.joints(held).get_legend().get_texts()]
    assert names == [name.replace("_", " ") for name in labels["joint"]]


@pytest.mark.parametrize("draw", [plotting.joints, plotting.velocities, plotting.torques])
def test_many_joints_are_a_map_with_a_bar_of_colours(natrix, draw):
    axes = draw(natrix)
    (mesh,) = axes.collections
    assert not axes.lines and axes.get_legend() is None and np.size(mesh.get_array()) == 14 * natrix.times.size
    names = [text.get_text() for text in axes.get_yticklabels()]
    assert names == [name.replace("_", " ") for name in natrix.labels["joint"]]
    (bar,) = axes.child_axes
    assert bar.get_ylabel().endswith("]") and mesh.get_clim()[0] <= 0.0 <= mesh.get_clim()[1]


def test_the_map_of_a_joint_is_the_data(natrix):
    (mesh,) = plotting.joints(natrix).collections
    assert np.asarray(mesh.get_array()).reshape(14, -1) == pytest.approx(natrix["joint_position"].T)


def test_forces_on_many_links_are_a_map(natrix):
    force = np.zeros((natrix.times.size, 15, 3))
    force[5, 4] = (0.0, 3.0, 4.0)
    run = made(natrix.times, natrix.labels, contact_force=force, joint_position=natrix["joint_position"])
    (mesh,) = plotting.contact_forces(run).collections
    assert mesh.get_clim() == (0.0, 5.0) and np.reshape(mesh.get_array(), (15, -1))[4, 5] == 5.0


def test_many_joints_keep_their_names_readable():
    run = made_run(MovingFrameChain(bodies=60), FreeSpace(), duration=0.5)
    assert len(plotting.joints(run).get_yticks()) <= 20


def test_a_run_that_was_stopped_is_called_so(planar):
    bare = made(planar.times, joint_position=planar["joint_position"])
    for ended, words in (({}, ""), ({"complete": False}, " (ended early)"),
                         ({"complete": False, "ended_by": "stopped"}, " (stopped)")):  # fmt: skip
        bare.attributes = ended
        assert title_of(bare).endswith(f"s{words}")


def test_body_is_as_long_as_the_robot(planar, natrix):
    for run, length in ((planar, 1.0), (natrix, 1.24)):
        lines = body_lines(run, 7)
        assert np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1).sum() == pytest.approx(length)
    joined = body_lines(planar, 7)
    assert joined[1:, 0] == pytest.approx(joined[:-1, 1])


def test_a_run_without_its_robot_is_still_drawn(planar):
    bare = made(planar.times, link_pose=planar["link_pose"], center_of_mass=planar["center_of_mass"],
                base_pose=planar["base_pose"])  # fmt: skip
    assert len(plotting.snapshots(bare, count=3).get_legend().get_texts()) == 3


def names_of(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


@pytest.mark.parametrize("draw", [plotting.path, plotting.snapshots])
def test_maps_of_a_planned_run_hold_obstacles_goals_and_route(draw):
    robot, world = PlanarSnake(), Plane(obstacles=(Disc((-0.5, 0.6), 0.2), Disc((-90.0, 0.0), 1.0)))
    cost = Goal((-1.2, 0.1), velocity=(-0.3, 0.0)) + Path(((0.0, 0.0), (-1.0, 0.3))) + Obstacle((0.5, -0.6), radius=0.1)
    run = made_run(robot, world, duration=1.0, controller=RecedingHorizon(Problem(robot, world, cost)))
    axes = draw(run)
    assert {"obstacle", "goal", "route"} <= set(names_of(axes))
    middles = [patch.get_path().vertices.mean(axis=0) for patch in axes.patches]
    assert len(middles) == 2  # the distant one would hide the run
    assert middles[0] == pytest.approx((-0.5, 0.6), abs=0.02) and middles[1] == pytest.approx((0.5, -0.6), abs=0.02)
    stars = next(line for line in axes.lines if line.get_marker() == "*").get_xydata()
    assert stars[0] == pytest.approx((-1.2, 0.1)) and stars[-1] == pytest.approx((-1.5, 0.1))


def test_an_object_is_drawn_where_it_was_at_the_moments_that_are_shown():
    run = made_run(PlanarSnake(), PushingFloor(), duration=1.0)
    way = np.column_stack([0.1 + 0.4 * run.times, 0.2 + 0.0 * run.times, 0.0 * run.times])
    run.variables["object_position"] = (("time", "axis"), way, "m", "object's centre")
    for axes, count in ((plotting.path(run), 2), (plotting.snapshots(run, count=3), 3)):
        corners = [patch.get_path().vertices for patch in axes.patches]
        middles = [0.5 * (c.min(axis=0) + c.max(axis=0)) for c in corners]
        assert np.array(middles) == pytest.approx(way[np.linspace(0, 100, count).astype(int), :2], abs=1e-9)
        assert names_of(axes).count("object") == 1


def test_water_is_seen_from_the_side():
    run = made_run(Natrix(), WaterSurface(), duration=0.5)
    axes = plotting.path(run, plane="xz")
    assert "water" in names_of(axes)
    assert axes.patches[0].get_path().vertices[:, 1].max() == pytest.approx(0.0)
    assert "water" not in names_of(plotting.path(run))
    assert axes.get_ylim()[0] > -3.0 and axes.get_xlim()[1] < 3.0  # it fills the axes without widening them


def test_mean_lines_carry_the_measured_numbers(planar):
    names = [text.get_text() for text in plotting.speed(planar).get_legend().get_texts()]
    assert f"mean: {analysis.speed(planar):.3g} m/s" in names


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_overview_is_written(natrix, tmp_path, suffix):
    target = plotting.overview(natrix, tmp_path / "new" / f"page{suffix}")
    assert target.stat().st_size > 10_000


def test_overview_leaves_out_what_the_run_has_not(planar, tmp_path):
    short = made(planar.times[:4], joint_position=planar["joint_position"][:4])
    assert len(plotting.overview_figure(short).axes) == 1
    assert len(plotting.overview_figure(planar).axes) == 8


def test_bad_places_and_names_are_refused(planar, tmp_path):
    with pytest.raises(InvalidValue, match="png"):
        plotting.overview(planar, tmp_path / "page.gif")
    (tmp_path / "file").write_text("")
    with pytest.raises(FileProblem, match="cannot be written"):
        plotting.overview(planar, tmp_path / "file" / "page.png")
    with pytest.raises(UnknownName, match="plane"):
        plotting.path(planar, plane="xw")
    with pytest.raises(UnknownName, match="joint_torques"):
        plotting.joints(planar, variable="joint_torques")


def test_the_means_of_a_figure_are_those_of_the_table_and_of_the_curve():
    import re

    from serpenoid.plotting.overview import overview_figure
    from serpenoid.scenarios.slither import Slither

    scenario = Slither(duration=3.0, sample_period=0.002)
    run = scenario.run()
    table = scenario.summary(run)
    panels = {axes.get_title(loc="left"): axes for axes in overview_figure(run).axes}
    for title, name, curve in (("Speed", "speed", "head first"), ("Power", "power", "sum |torque x rate|")):
        lines = {line.get_label(): line for line in panels[title].lines}
        (label,) = [label for label in lines if label.startswith("mean")]
        mean = float(re.search(r": (\S+) ", label).group(1))
        assert "from 1 s on" in label
        assert abs(mean / table[name].value - 1.0) < 0.006  # three digits
        drawn = lines[curve].get_ydata()[run.times >= 1.0]
        assert abs(drawn.mean() / table[name].value - 1.0) < 0.02


def test_labels_of_a_map_do_not_run_into_each_other():
    figure = new_figure(13.0, 4.0)
    for i, name in enumerate(("body at the start", "goal")):
        axes = figure.add_subplot(1, 2, i + 1)
        axes.plot([-1.0, 1.0], [0.0, 1.0], label=name)
        map_axes(axes, "xy")
    figure.draw_without_rendering()
    for axes in figure.axes:
        boxes = [label.get_window_extent() for label in axes.get_xticklabels() if label.get_text()]
        assert len(boxes) > 2 and all(left.x1 + 5.0 < right.x0 for left, right in pairwise(boxes))


def test_a_goal_far_away_does_not_hide_the_bodies(planar):
    axes = plotting.snapshots(planar)
    bodies = axes.dataLim.frozen()
    for x, name in ((-20.0, "goal"), (-0.5, "corner")):
        axes.plot(x, 0.0, "*", label=name)
    keep_near(axes, bodies)
    assert axes.dataLim.width <= 3.0 * max(bodies.width, bodies.height)
    labels = [line.get_label() for line in axes.lines]
    assert labels[-1] == "corner" and "goal" not in labels
