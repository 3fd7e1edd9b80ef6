"""Page-independent parts of the studio: playhead, charts, controls, changes, overlays."""

import numpy as np
import pytest
from runs import made_run

from serpenoid import configuration
from serpenoid.analysis.bodies import bodies_of
from serpenoid.gaits import Rolling, Slithering
from serpenoid.robots import PD, Natrix, PlanarSnake
from serpenoid.robots.rotations import rotations
from serpenoid.scenarios import SCENARIOS, find_scenario
from serpenoid.studio import controls
from serpenoid.studio.changes import part_changes, scenario_with
from serpenoid.studio.chart_map import map_html, on_grid
from serpenoid.studio.chart_panel import ends_of
from serpenoid.studio.chart_slot import span
from serpenoid.studio.charts import COLUMNS, LINES, MAP, Curves, chartable, curves_of
from serpenoid.studio.open_panel import on_white
from serpenoid.studio.overlays import (
    chassis_poses,
    colours_of,
    contact_arrows,
    headings_of,
    horizon_of,
    link_values,
    torque_arrows,
)
from serpenoid.studio.playhead import Playhead
from serpenoid.studio.windows import PALETTE, body_places, first_windows, window_colours, window_of
from serpenoid.worlds import FreeSpace, Plane


def test_the_playhead_plays_loops_and_stops():
    head = Playhead()
    head.load(2.0)
    assert head.advance(0.5) and head.time == pytest.approx(0.5)
    head.speed = 10.0
    head.advance(0.16)
    assert head.time == pytest.approx(0.1) and head.playing  # restarted
    head.loop = False
    head.advance(1.0)
    assert head.time == 2.0 and not head.playing and not head.advance(1.0)
    head.toggle()
    assert head.time == 0.0 and head.playing
    head.step(0.25)
    assert head.time == 0.25 and not head.playing
    head.seek(9.0)
    assert head.time == 2.0
    head.load(0.0)
    assert not head.playing and not head.advance(1.0)


def test_charts_offer_what_a_run_holds_and_draw_few_enough_points():
    run = made_run(Natrix(), FreeSpace(), duration=4.2)
    names = chartable(run.variables)
    assert names[:2] == ["joint_position", "joint_torque"] and "link_pose" not in names
    whole = curves_of(run, "joint_position")
    assert whole.values == pytest.approx(run["joint_position"]) and whole.labels == tuple(run.labels["joint"])
    assert whole.title == "joint position [rad]"
    assert whole.chosen(LINES).values == pytest.approx(whole.values)  # few samples unchanged
    one = whole.chosen(whole.labels[3])
    assert one.labels == whole.labels[3:4] and one.values[:, 0] == pytest.approx(run["joint_position"][:, 3])
    part = curves_of(run, "joint_position", (1.0, 2.0))
    assert part.times[[0, -1]] == pytest.approx([1.0, 2.0], abs=0.02)


def test_a_fast_wave_over_an_hour_is_drawn_by_its_least_and_greatest_values():
    times = np.arange(0.0, 3600.0, 0.01)
    wave = Curves("angle", "rad", times, np.sin(4.0 * np.pi * times)[:, None], ("one",))
    drawn = wave.chosen(LINES)
    assert drawn.times.size == 2 * COLUMNS and (np.diff(drawn.times) > 0.0).all()
    columns = drawn.values.reshape(COLUMNS, 2)
    assert columns.max(axis=1) == pytest.approx(1.0, abs=0.01) and columns.min(axis=1) == pytest.approx(-1.0, abs=0.01)
    wave.values[1000] = np.nan
    wave.values[200_000:] = np.nan
    drawn = wave.chosen(LINES).values.reshape(COLUMNS, 2)
    assert np.isfinite(drawn[:100]).all() and np.isnan(drawn[-100:]).all()


def test_a_chart_has_ends_that_are_apart_and_hold_all_values():
    low, high = span(np.array([[1.0, np.nan], [3.0, np.nan]]))
    assert low < 1.0 < 3.0 < high
    curves = Curves("a", "", np.array([0.5]), np.ones((1, 1)), ("a",))
    assert ends_of(curves)[1] > ends_of(curves)[0] == 0.5


def test_a_map_has_a_row_for_every_joint_and_escapes_what_a_file_says():
    times, rows = np.linspace(0.0, 1.0, 1001), np.arange(18.0)
    curves = Curves("angle", "<b>", times, times[:, None] * rows, tuple(f"<i>{i}" for i in range(18))).chosen(MAP)
    grid = on_grid(curves, (0.0, 1.0))
    assert grid.shape == (18, COLUMNS) and (np.diff(grid[17]) > 0.0).all() and grid[:, -1] == pytest.approx(rows)
    page = map_html(curves, (0.0, 1.0), "angle <b>", True)
    assert "<b>" not in page and "<i>" not in page and "&lt;i&gt;17, " in page
    late = on_grid(curves._replace(times=curves.times + 1.0), (0.0, 2.0))
    assert np.isnan(late[:, 0]).all() and late[:, -1] == pytest.approx(rows)


def test_a_scenario_follows_its_live_parts_by_fields_of_the_same_names():
    for name, field, value in (
        ("slither", "amplitude", 0.31), ("slither-pegs", "gait.amplitude", 0.31), ("climb-pole", "frequency", 0.2),
        ("sidewinding", "frequency", 0.3),
    ):  # fmt: skip
        scenario = find_scenario(name)()
        parts = scenario.parts()
        wanted = parts._replace(controller=configuration.changed(parts.controller, {field: value}))
        found = scenario_with(scenario, wanted)
        assert found is not None and found.parts().controller == wanted.controller and found != scenario, name
    scenario = find_scenario("undulate")()
    found = scenario_with(scenario, scenario.parts()._replace(controller=Slithering()))
    assert found is not None and found.gait == Slithering()
    slither = find_scenario("slither")()
    assert scenario_with(slither, slither.parts()._replace(controller=Rolling())) is None


def test_presets_of_laws_are_among_the_choices():
    scenario = configuration.changed(find_scenario("slither-pegs")(), {"controller": "slithering_aw"})
    (field,) = (field for field in configuration.walk(scenario) if field.name == "controller")
    assert {"slithering_a", "slithering_aw", "open_loop"} <= set(controls.choices_of(field))
    assert controls.shown_value(field) == "slithering_aw"


def test_speed_is_drawn_from_the_velocity_of_the_centre():
    run = made_run(PlanarSnake(), Plane(), duration=0.5)
    run.variables["center_velocity"] = (("time", "axis"), np.tile([3.0, 4.0, 0.0], (51, 1)), "m/s", "")
    assert "speed" in chartable(run.variables)
    assert curves_of(run, "speed").values == pytest.approx(np.full((51, 1), 5.0))


def test_roll_is_drawn_from_the_head_in_every_world():
    run = made_run(Natrix(), FreeSpace(), duration=0.5)
    roll = np.linspace(0.0, 7.0, run.times.size)  # more than one revolution
    run["link_pose"][:, 0, 3:] = np.stack([np.cos(roll / 2), np.sin(roll / 2), 0 * roll, 0 * roll], axis=1)
    assert "roll" in chartable(run.variables) and chartable(run.variables).count("roll") == 1
    curves = curves_of(run, "roll")
    assert curves.values[:, 0] == pytest.approx(roll) and curves.title == "roll [rad]"


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_field_has_a_control_that_gives_its_value_back(name):
    scenario = find_scenario(name)()
    for field in configuration.walk(scenario):
        shown = controls.shown_value(field)
        again = controls.value_of(field, shown)
        assert configuration.changed(scenario, {field.name: again}) == scenario, field.name
        hint = controls.hint_of(field)
        assert f"--{field.name}" in hint and field.doc and (field.range is None or "usually" in hint)
        if controls.kind_of(field) == controls.SLIDER:
            low, high, step = controls.limits_of(field)
            assert low <= shown <= high and low < high and 0.0 < step <= high - low
            assert low in field.range and high in field.range
        if controls.kind_of(field) == controls.DROPDOWN:
            assert shown in controls.choices_of(field)


def test_a_saved_view_lies_on_white():
    view = np.zeros((2, 3, 4), dtype=np.uint8)
    view[0, 0] = (10, 20, 30, 255)
    picture = np.asarray(on_white(view))
    assert picture[0, 0].tolist() == [10, 20, 30] and (picture[1] == 255).all()


def test_a_changed_scenario_is_the_fewest_changed_fields_of_its_parts():
    slither = find_scenario("slither")()
    other = configuration.changed(
        slither, {"gait.amplitude": 0.3, "world.friction_transverse": 2.0, "robot.drive": PD(stiffness=2.0)}
    )
    changes = dict(part_changes(slither.parts(), other.parts()))
    assert changes["controller.amplitude"] == 0.3 and changes["world.friction_transverse"] == 2.0
    assert set(changes) <= {"controller.amplitude", "world.friction_transverse", "robot.drive.stiffness"}
    assert part_changes(slither.parts(), slither.parts()) == []


def test_arrows_stand_where_forces_act():
    run = made_run(PlanarSnake(links=4), Plane(), duration=0.2)
    force = np.zeros((21, 4, 3))
    force[:, 2] = (0.0, 2.0, 0.0)
    variables = {**run.variables, "contact_force": (("time", "link", "axis"), force, "N", "")}
    (arrow,) = contact_arrows(variables, 3, 0.5)
    assert arrow[0] == pytest.approx(run["link_pose"][3, 2, :3]) and arrow[1] - arrow[0] == pytest.approx((0, 1, 0))
    point, single = np.full((21, 2, 3), np.nan), np.full((21, 2, 3), np.nan)
    point[:, 0], single[:, 0] = (1.0, 0.0, 0.0), (0.0, 0.0, 4.0)
    variables |= {"touch_point": (("time", "contact", "axis"), point, "m", "")}
    variables |= {"touch_force": (("time", "contact", "axis"), single, "N", "")}
    assert contact_arrows(variables, 0, 0.25) == pytest.approx(np.array([[(1, 0, 0), (1, 0, 1)]], dtype=float))
    assert contact_arrows(run.variables, 0, 1.0).shape == (0, 2, 3)


def test_torques_are_drawn_along_their_axes():
    robot = Natrix()
    run = made_run(robot, FreeSpace(), duration=0.2)
    drawn = torque_arrows(run.variables, 7, bodies_of(robot), 2.0)
    assert len(drawn) == np.count_nonzero(run["joint_torque"][7])
    axis = rotations(run["link_pose"][7, 3, 3:]) @ robot.tree().axis[3]
    assert drawn[2, 1] - drawn[2, 0] == pytest.approx(2.0 * run["joint_torque"][7, 2] * axis)


def test_the_virtual_chassis_points_to_the_head_and_does_not_turn_with_a_wave():
    robot = PlanarSnake(links=30)
    run = made_run(robot, FreeSpace(), height=0.1)
    middles = run["link_pose"][:, :, :3] + np.einsum(
        "tlij,lj->tli", rotations(run["link_pose"][..., 3:]), bodies_of(robot).center
    )
    along = middles[:, 0] - middles[:, -1]
    for head in (0, 29):
        chassis, clear = chassis_poses(run["link_pose"], bodies_of(robot), head)
        assert clear.all()
        turn = rotations(chassis[:, 3:])
        assert chassis[:, :3] == pytest.approx(middles.mean(axis=1)) and turn[:, 2, 2] == pytest.approx(1.0)
        cosine = np.einsum("ti,ti->t", turn[:, :, 0], along) / np.linalg.norm(along, axis=1)
        assert (cosine if head == 0 else -cosine).min() > 0.98


def test_the_heading_of_a_law_is_drawn_from_where_its_first_cycle_points():
    run = made_run(PlanarSnake(), FreeSpace(), duration=2.0)
    run.ticks, signal = run.times, np.zeros(201)
    signal[100:] = -0.5 + np.linspace(0.0, 0.3, 101)  # the wanted heading differs by 0.5 rad
    signal[150:] -= 0.2
    run.attributes["script"] = '[{"tick": 150, "what": "controller.turning.target", "value": 0.7}]'
    run.variables["chassis_heading"] = (("tick",), signal, "rad", "")
    east = np.tile([0.0, 0.0, 0.0, np.cos(0.1), 0.0, 0.0, np.sin(0.1)], (201, 1))
    heading = headings_of(run, run.times, east)
    assert np.isnan(heading[:100]).all() and heading[100:] == pytest.approx(0.2 + np.linspace(0.0, 0.3, 101))
    signal[:] = 0.0
    assert np.isnan(headings_of(run, run.times, east)).all()


def test_windows_and_values_colour_links():
    places = body_places(PlanarSnake(links=4))
    assert places == pytest.approx([0.1, 0.3, 0.5, 0.7])
    assert window_of(np.array([-0.05, 0.25, 0.65, np.nan]), places).tolist() == [0, 1, 1, 2]
    assert window_of(np.array([0.2, 0.6]), np.append(places, np.nan)).tolist() == [0, 0, 0, 1, -1]
    variables = {
        "edge_half": (("tick", "window"), np.array([[-0.05, 0.25, 0.65, np.nan]]), "m", ""),
        "edge_other": (("tick", "window"), np.array([[0.0, 0.4, np.nan, np.nan]]), "m", ""),
        "shape": (("tick", "window"), np.array([[7.0, 8.0, np.nan, np.nan]]), "", ""),
        "stiffness": (("tick", "joint"), np.array([[1.0, 2.0, 3.0]]), "", ""),
    }
    assert link_values(variables, "shape", 0, places).tolist() == [7.0, 7.0, 8.0, 8.0]
    assert link_values(variables, "stiffness", 0, places).tolist() == [1.0, 1.0, 2.0, 3.0]
    colours = colours_of(np.array([0.0, 1.0, np.nan]), 0.0, 1.0)
    assert colours.tolist() == [[49, 54, 149], [165, 0, 38], [150, 150, 150]]
    assert colours_of(np.array([2.0]), 2.0, 2.0).shape == (1, 3)


def test_joined_windows_share_a_colour():
    edges, places = np.array([-0.05, 0.25, 0.45, 0.65, np.nan]), body_places(PlanarSnake(links=4))
    assert window_colours(edges, 2, places).tolist() == [2, 3, 4, 5]
    assert window_colours(edges, 2, places, np.array([0.0, 1.0, 0.0, 0.0, np.nan])).tolist() == [2, 3, 3, 5]
    assert window_colours(edges, 2, places, np.array([1.0, 1.0, 1.0, 0.0, np.nan])).tolist() == [2, 2, 2, 2]


def test_a_window_keeps_its_number_while_it_travels():
    length, slots = 0.3, 5
    for way in (1.0, -1.0):
        shift = way * np.linspace(0.0, 2.0, 81)
        newest = np.floor(-shift / length).astype(int)  # number of the window over the snout
        edges = shift[:, None] + length * (newest[:, None] + np.arange(slots))
        assert first_windows(edges).tolist() == (newest - newest[0]).tolist()


def test_a_window_keeps_its_colour_and_its_neighbours_have_others():
    places = np.array([0.1, 0.3, 0.5, np.nan])
    before = window_colours(np.array([0.0, 0.2, 0.4]), -3, places)
    assert window_colours(np.array([0.0, 0.2, 0.4]) + 0.2, -3, places + 0.2).tolist() == before.tolist()
    born = window_colours(np.array([0.0, 0.2, 0.4, 0.6]), -4, places + 0.2)  # one more window has appeared at the head
    assert born.tolist() == before.tolist() and before[3] == len(PALETTE) - 1
    colours = PALETTE[:-1].astype(int)
    assert np.abs(colours - np.roll(colours, 1, axis=0)).sum(axis=1).min() > 100


def test_a_plan_is_the_signal_over_its_horizon():
    ways = np.zeros((2, 3, 2))
    ways[1] = ((0.0, 1.0), (0.0, 2.0), (np.nan, np.nan))
    found = horizon_of({"plan": (("tick", "horizon", "axis"), ways, "m", "")}, 1)
    assert found.tolist() == [[0.0, 1.0, 0.0], [0.0, 2.0, 0.0]]
    assert horizon_of({}, 0).shape == (0, 3)
