"""Scenes and pages: the robot at its recorded pose, the floor below, the camera outside, a self-contained file."""

import base64
import html
import json
import re
import shutil
import webbrowser
import zlib
from dataclasses import dataclass

import numpy as np
import pytest
from refusals import refused
from runs import link_poses, made, made_run
from studio_tools import pretend_notebook

from serpenoid.errors import FileProblem, InvalidValue
from serpenoid.gaits import Serpenoid
from serpenoid.planning import Goal, Obstacle, Path, Problem, RecedingHorizon, Torque
from serpenoid.robots import Body, BodyTree, MovingFrameChain, Natrix, PlanarSnake
from serpenoid.robots.rotations import rotations
from serpenoid.studio import export_html, scene_of, show
from serpenoid.studio.scene import FIELD_OF_VIEW, WHEEL, bounds
from serpenoid.trajectory import Trajectory
from serpenoid.worlds import (
    DeepWater,
    Disc,
    FreeSpace,
    Ground,
    HeightField,
    PegBoard,
    PegRow,
    Pipe,
    Pipeline,
    Plane,
    Pole,
    PushingFloor,
    Steps,
    Terrain,
    Wall,
    WaterLevel,
    WaterSurface,
    Wheels,
    World,
)
from serpenoid.worlds.geometry import LOOKS

ROUND = (1e-3, 1e-3, 1e-3, 0.0, 0.0, 0.0)
OWN = BodyTree((
    Body("base", mass=1.0, inertia=ROUND),
    Body("arm", "base", (0.2, 0.0, 0.0), mass=0.5, center=(0.1, 0.0, 0.0), inertia=ROUND),
))  # fmt: skip
CASES = [
    (PlanarSnake(links=8), Plane(medium="fluid")), (PlanarSnake(), FreeSpace()), (Natrix(), WaterSurface()),
    (Natrix(), FreeSpace()), (MovingFrameChain(bodies=6), FreeSpace(gravity=True)), (OWN, FreeSpace()),
]  # fmt: skip


def world_vertices(scene, frame):
    """Return all vertices of all solids in world axes at a frame."""
    turn = rotations(scene.quaternions[frame])
    return np.concatenate([scene.positions[frame, s.body] + s.vertices @ turn[s.body].T for s in scene.solids])


@pytest.mark.parametrize(("robot", "world"), CASES)
def test_scene_holds_the_robot_in_view_above_its_floor(robot, world):
    run = made_run(robot, world, duration=1.0)
    scene = scene_of(run)
    assert {solid.body for solid in scene.solids} >= set(np.flatnonzero(masses(robot) > 0.0))
    points = np.concatenate([world_vertices(scene, i) for i in (0, 11, -1)])
    if not isinstance(world, WaterSurface):
        assert points[:, 2].min() >= scene.floor.center[2] - 1e-9
    camera = scene.camera
    assert camera.position[2] > scene.floor.center[2] + 0.1 and camera.position[2] > points[:, 2].max()
    depth = (points - camera.position) @ unit(camera.target - camera.position)
    away = np.linalg.norm(points - camera.position, axis=1)
    assert depth.min() > 0.0
    assert np.degrees(np.arccos(depth / away)).max() < np.degrees(np.arctan(np.tan(FIELD_OF_VIEW / 2) * 1.8))
    half = 0.5 * np.array(scene.floor.size)
    assert np.all(np.abs(points[:, :2] - scene.floor.center[:2]) <= half)
    cells = half * 2 / scene.floor.cell
    assert cells == pytest.approx(cells.round()) and cells.max() <= 60


def test_water_above_the_robot_reaches_to_where_it_is_looked_through():
    run = made_run(Natrix(), DeepWater(), duration=0.5)
    run.variables["link_pose"][1][..., 2] -= 1.0
    scene = scene_of(run)
    camera, floor, middle = scene.camera.position, scene.floor, world_vertices(scene, 0).mean(axis=0)
    share = (camera[2] - floor.center[2]) / (camera[2] - middle[2])
    crossed = camera + share * (middle - camera)
    assert 0.0 < share < 1.0 and np.all(np.abs(crossed - floor.center)[:2] < 0.5 * np.array(floor.size))
    assert max(floor.size) / floor.cell <= 60


def masses(robot):
    return robot.chain().mass if isinstance(robot, PlanarSnake) else robot.tree().mass


def unit(vector):
    return vector / np.linalg.norm(vector)


def test_frames_run_at_an_even_rate_and_lie_on_the_run():
    run = made_run(PlanarSnake(), Plane(), duration=1.0)
    scene = scene_of(run, 25.0)
    assert scene.times == pytest.approx(np.arange(26) / 25.0)
    assert scene.positions == pytest.approx(run["link_pose"][::4, :, :3])
    assert rotations(scene.quaternions) == pytest.approx(rotations(run["link_pose"][::4, :, 3:]))


def test_quaternions_of_opposite_sign_blend_along_the_shorter_way():
    run = made_run(PlanarSnake(), Plane(), duration=1.0)
    dims, pose, unit_, meaning = run.variables["link_pose"]
    flipped = pose.copy()
    flipped[1::2, :, 3:] *= -1.0
    run.variables["link_pose"] = (dims, flipped, unit_, meaning)
    between = scene_of(run, 30.0)
    run.variables["link_pose"] = (dims, pose, unit_, meaning)
    assert rotations(between.quaternions) == pytest.approx(rotations(scene_of(run, 30.0).quaternions), abs=1e-9)


def test_bounds_hold_every_vertex():
    scene = scene_of(made_run(Natrix(), FreeSpace(), duration=0.5))
    low, high = bounds(scene.solids, scene.positions, scene.quaternions)
    points = np.concatenate([world_vertices(scene, i) for i in range(scene.times.size)])
    assert np.all(points >= low - 1e-12) and np.all(points <= high + 1e-12)


def test_natrix_lies_straight_with_its_shells_apex_up():
    robot = Natrix()
    run = made([0.0], {"link": robot.link_names}, made_run(robot, FreeSpace(), duration=0.1).attributes,
               link_pose=link_poses(robot, np.zeros(14), (0.0, 0.0, 0.0))[None])  # fmt: skip
    scene = scene_of(run)
    points = world_vertices(scene, 0)
    assert np.ptp(points[:, 0]) == pytest.approx(1.24, abs=1e-6)
    assert points[:, 2].max() == pytest.approx(0.062, abs=1e-3)
    assert points[:, 2].min() == pytest.approx(-0.042, abs=2e-3)


def contents(path):
    """Return the data of a page: its table, and arrays by name."""
    header = json.loads(re.search(r'type="application/json">(.+?)</script>', path.read_text(), re.DOTALL).group(1))
    kinds = {"float": "<f4", "whole": "<u4", "small": "u1"}
    plain = zlib.decompress(base64.b64decode(header["packed"]))
    arrays = {
        name: np.frombuffer(plain, kinds[kind], int(np.prod(shape)), place).reshape(shape)
        for name, (kind, place, shape) in header["arrays"].items()
    }
    return header, arrays


def way_of(path, last):
    """Return the displacement (frames, 3) of the last object of a page, relative to its end."""
    header, arrays = contents(path)
    return arrays[header["items"][last]["poses"]][:, 0, :3]


def test_page_is_one_file_that_asks_for_nothing(tmp_path, capsys):
    run = made_run(PlanarSnake(), Plane(), duration=0.5)
    run.save(tmp_path / "run.zarr")
    shares = []
    target = export_html(Trajectory.load(tmp_path / "run.zarr"), tmp_path / "new" / "page.html", progress=shares.append)
    text = target.read_text()
    assert not re.search(r"https?:", text)
    assert target.stat().st_size < 200_000
    assert capsys.readouterr().out == ""
    assert shares == sorted(shares) and shares[-1] == 1.0


def test_a_page_says_what_it_shows(tmp_path):
    run = made_run(PlanarSnake(), Plane(), duration=0.5, controller=Serpenoid())
    text = export_html(run, tmp_path / "page.html").read_text()
    assert "<title>serpenoid: PlanarSnake, Plane (dry), Serpenoid: 0.5 s</title>" in text
    assert "<h1>PlanarSnake, Plane (dry), Serpenoid: 0.5 s</h1>" in text
    assert re.findall(r"</i>([^<]+)</li>", text) == ["head", "path of the centre of mass"]
    assert f"grid squares: {scene_of(run).floor.cell:g} m" in text
    assert text.count("<label hidden>") == 3  # no checkboxes for forces, windows, or chassis


def test_page_replays_every_pose(tmp_path):
    run = made_run(PlanarSnake(), Plane(), duration=0.5)
    header, arrays = contents(export_html(run, tmp_path / "page.html", 10.0))
    assert (header["rate"], header["duration"], arrays["links"].shape) == (10.0, "0.5", (6, 5, 7))
    assert arrays["links"] == pytest.approx(run["link_pose"][::10], abs=1e-6)
    for i, (item, solid) in enumerate(zip(header["items"], scene_of(run).solids)):
        assert item["index"] == solid.body
        assert arrays[f"vertices {i}"] == pytest.approx(solid.vertices, abs=1e-6)
        assert arrays[f"faces {i}"].tolist() == np.ravel(solid.faces).tolist()
    assert arrays["track"][-1, 3:] == pytest.approx(run["center_of_mass"][-1], abs=1e-6)
    assert arrays["track times"] == pytest.approx(run.times[1:], abs=1e-6)  # a page draws the past
    assert header["follow"] is False and header["items"][0]["casts"]


def test_normals_of_a_page_look_out_of_its_bodies(tmp_path):
    _, arrays = contents(export_html(made_run(PlanarSnake(), Plane(), duration=0.1), tmp_path / "page.html"))
    corners, out = arrays["vertices 0"], arrays["normals 0"]
    assert np.linalg.norm(out, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert (np.einsum("ij,ij->i", corners - corners.mean(axis=0), out) > 0.0).all()


def test_forces_of_a_page_are_those_of_the_run(tmp_path):
    run = made_run(PlanarSnake(), Plane(), duration=0.5)
    force = np.zeros((51, 5, 3))
    force[10:, 2, 1] = 8.0
    force[30:, 4, 0] = -4.0
    run.variables["contact_force"] = (("time", "link", "axis"), force, "N", "force of contacts")
    path = export_html(run, tmp_path / "page.html", 10.0)
    _, arrays = contents(path)
    starts, arrows = arrays["force starts"], arrays["forces"]
    assert np.diff(starts).tolist() == [0, 1, 1, 2, 2, 2]
    last = arrows[starts[5] : starts[6]]
    assert last[:, :3] == pytest.approx(run["link_pose"][-1, [2, 4], :3], abs=1e-6)
    lengths = last[:, 3:] - last[:, :3]
    scale = float(re.search(r"0\.1 m for (\S+) N", path.read_text()).group(1))
    assert lengths == pytest.approx(0.1 / scale * force[-1, [2, 4]], rel=0.01)


def compliant_run():
    """Return a run whose law has two windows that travel towards the tail, and that turns left after one second."""
    run = made_run(PlanarSnake(), Plane(), duration=2.0)  # links of 0.2 m
    run.ticks = np.linspace(0.0, 2.0, 401)
    edges = 0.3 * run.ticks[:, None] + [-0.2, 0.3, np.nan]
    heading = np.clip(run.ticks - 1.0, 0.0, None)
    run.variables["edge_half_wave"] = (("tick", "window"), edges, "m", "where windows begin")
    run.variables["chassis_heading"] = (("tick",), heading, "rad", "heading over a cycle")
    return run


def test_windows_of_a_page_colour_its_links(tmp_path):
    path = export_html(compliant_run(), tmp_path / "page.html", 10.0)
    header, arrays = contents(path)
    assert arrays["windows"].shape == (21, 5) and arrays["windows"].dtype == np.uint8
    assert arrays["windows"][0].tolist() == [0, 1, 1, 1, 1]
    assert arrays["windows"][13].tolist() == [0, 0, 0, 1, 1]  # the second begins at 0.69 m
    assert header["windows"][0] != header["windows"][1]
    assert [item["painted"] for item in header["items"]] == [False, True, True, True, True]  # the head stays red
    assert "windows: each keeps its colour" in path.read_text()


def test_chassis_and_heading_of_a_page_go_with_the_robot(tmp_path):
    run = compliant_run()
    path = export_html(run, tmp_path / "page.html", 10.0)
    _, arrays = contents(path)
    chassis, heading = arrays["chassis"][:, 0], arrays["heading"][:, 0]
    links = run["link_pose"][::10]
    ahead = np.einsum("ti,ti->t", rotations(chassis[:, 3:])[..., 0], links[:, 0, :3] - links[:, -1, :3])
    assert (ahead > 0.0).all()
    assert heading[:, :2] == pytest.approx(chassis[:, :2]) and np.isnan(heading[:10, 3]).all()
    turned = 2.0 * np.arctan2(heading[11:, 6], heading[11:, 3])
    assert np.unwrap(turned) - turned[0] == pytest.approx(0.1 * np.arange(10), abs=1e-5)
    legend = re.findall(r"</i>([^<]+)</li>", path.read_text())
    assert "virtual chassis: principal axes of the links, red towards the head" in legend
    assert "heading over a cycle, estimated by the law" in legend
    assert "main axis" not in path.read_text()
    del run.variables["chassis_heading"]
    header, _ = contents(export_html(run, tmp_path / "page.html", 10.0))
    assert "chassis" in header["arrays"] and "heading" not in header["arrays"]


def test_a_page_shows_no_chassis_while_the_shape_has_none(tmp_path):
    run = compliant_run()
    angle = np.linspace(0.0, 2.0 * np.pi, run["link_pose"].shape[1], endpoint=False)
    run["link_pose"][100:, :, 0], run["link_pose"][100:, :, 1] = np.cos(angle), np.sin(angle)
    path = export_html(run, tmp_path / "page.html", 10.0)
    chassis = contents(path)[1]["chassis"][:, 0]
    assert np.isfinite(chassis[:10]).all() and np.isnan(chassis[11:]).all()
    assert "without a main axis" in path.read_text()


def test_the_page_of_a_push_carries_the_object_along(tmp_path):
    run = made_run(PlanarSnake(), PushingFloor(), duration=0.5)
    way = np.column_stack([0.1 + 0.4 * run.times**2, 0.2 + 0.0 * run.times, 0.0 * run.times])
    run.variables["object_position"] = (("time", "axis"), way, "m", "object's centre")
    assert way_of(export_html(run, tmp_path / "page.html", 10.0), -1) == pytest.approx(way[::10], abs=1e-6)


def test_a_goal_that_moves_moves_in_the_page(tmp_path):
    places = way_of(export_html(planned_run(Goal((-1.0, 0.2), velocity=(-0.3, 0.1))), tmp_path / "page.html", 10.0), -1)
    assert places[0] == pytest.approx((-1.0, 0.2, 0.0)) and places[-1] == pytest.approx((-1.3, 0.3, 0.0))


def planned_run(*costs):
    robot, world = PlanarSnake(), Plane()
    cost = sum(costs, start=Torque())
    return made_run(robot, world, duration=1.0, controller=RecedingHorizon(Problem(robot, world, cost)))


def test_a_planned_run_shows_what_it_kept_clear_of_and_where_it_went(tmp_path):
    wall, disc = Obstacle((-1.0, 0.5), (0.5, 1.0), radius=0.1), Obstacle((-0.5, -0.6), radius=0.2)
    run = planned_run(wall, disc, Goal((-1.2, 0.1)), Goal((-90.0, 0.0)), Path(((0.0, 0.0), (-1.0, 0.3))))
    scene = scene_of(run)
    bare = scene_of(made_run(PlanarSnake(), Plane(), duration=1.0))
    assert [thing.name for thing in scene.things] == ["wall/0", "obstacle/1", "goal/0", "goal/1"]
    assert len(scene.route) == 2 and not bare.things
    assert scene.floor.size[1] > bare.floor.size[1]  # it contains the wall, but not the distant goal
    assert scene.floor.size[0] < 10.0
    tall = world_vertices(scene, 0)[:, 2]
    for thing in scene.things[:2]:
        assert thing.mesh.vertices[:, 2].min() == pytest.approx(tall.min())
        assert thing.mesh.vertices[:, 2].max() >= tall.max()
    text = export_html(run, tmp_path / "page.html", 10.0).read_text()
    assert {"wall", "obstacle", "goal", "route"} <= set(re.findall(r"</i>([^<]+)</li>", text))


def test_links_that_touch_an_object_are_drawn_beside_it_not_in_it():
    """Check the contact of links, which are lines to the engine, at the object's radius from its centre."""
    run = made_run(PlanarSnake(), PushingFloor(), duration=0.2)
    places = run["link_pose"][:, 0, :3] + (0.1, 0.1, 0.0)
    run.variables["object_position"] = (("time", "axis"), places, "m", "object's centre")
    link = scene_of(run).solids[0].vertices
    assert link[:, 1].max() <= 0.011  # of an object of 0.1 m whose edge lies on the line


def test_wheels_are_drawn_where_the_engine_has_them():
    """Check wheels on both sides of each link except the touching one, across it, and not below the floor."""
    run = made_run(PlanarSnake(links=4), PushingFloor(wheels=Wheels(stations=(-0.25, 0.25))), duration=0.1)
    scene = scene_of(run)
    wheels = [solid for solid, colour in zip(scene.solids, scene.colours) if colour == WHEEL]
    assert sorted({wheel.body for wheel in wheels}) == [1, 2, 3] and len(wheels) == 3 * 2 * 2
    middles = sorted({round(float(wheel.vertices[:, 0].mean()), 9) for wheel in wheels})
    assert middles == pytest.approx([0.05, 0.15])  # of 0.2 m
    assert all(np.ptp(wheel.vertices, axis=0).argmin() == 1 for wheel in wheels)
    assert scene.floor.center[2] <= min(wheel.vertices[:, 2].min() for wheel in wheels)
    assert not any(c == WHEEL for c in scene_of(made_run(PlanarSnake(), Plane(), duration=0.1)).colours)


def test_an_obstacle_of_the_world_that_a_planner_keeps_clear_of_is_shown_once():
    robot, world = PlanarSnake(), Plane(obstacles=(Disc((-1.0, 0.5), 0.1),))
    run = made_run(robot, world, duration=0.5, controller=RecedingHorizon(Problem(robot, world)))
    assert [thing.name for thing in scene_of(run).things] == ["obstacle/0", "goal/0"]
    assert [thing.name for thing in scene_of(made_run(robot, world, duration=0.5)).things] == ["obstacle/0"]


@pytest.mark.parametrize(("world", "words"), [
    (Pole(), {"pole"}), (Pipeline(), {"pipe"}),
    (PegBoard(walls=(Wall((-1.0, 0.0), (1.0, 0.0), 0.1),)), {"peg", "wall"}),
    (PegRow(), {"peg"}), (Steps(), {"step"}), (Terrain(), {"ground"}),
])  # fmt: skip
def test_a_page_calls_what_stands_by_its_name(world, words):
    scene = scene_of(made_run(OWN, world, duration=0.1))
    assert {thing.name.partition("/")[0] for thing in scene.things} == words


def test_rough_ground_is_drawn_whole_in_tints_that_follow_its_slopes():
    ground = Terrain(size=2.0)
    (rough,) = (shape for shape in ground.geometry() if isinstance(shape, HeightField))
    parts, whole = scene_of(made_run(OWN, ground, duration=0.1)).things, rough.triangles()
    assert len({part.colour for part in parts}) == len(parts) >= 5
    drawn = np.concatenate([part.mesh.vertices[part.mesh.faces] for part in parts])
    assert sorted(map(tuple, drawn.reshape(-1, 9))) == sorted(map(tuple, whole.vertices[whole.faces].reshape(-1, 9)))
    level = Terrain(size=2.0, roughness=0.0)
    assert len(scene_of(made_run(OWN, level, duration=0.1)).things) == 1


def test_a_slope_turns_the_grid():
    scene = scene_of(made_run(OWN, Hill(), duration=0.5))
    assert rotations(scene.floor.turn) @ (0.0, 0.0, 1.0) == pytest.approx(HILL.normal)
    assert [thing.opacity for thing in scene.things] == [1.0, LOOKS["water"][1], LOOKS["glass"][1]]  # the ramp first


HILL = Ground((0.0, 0.0, -0.2), (-0.6, 0.0, 0.8), "dry")


@dataclass(frozen=True)
class Hill(World):
    """Check a user-defined world: a slope that runs into water, and a pipe."""

    def geometry(self):
        return (HILL, WaterLevel(-0.5), Pipe((0.0, 1.0, 0.0), (1.0, 1.0, 0.0), 0.1))


def test_a_controller_that_cannot_be_found_again_leaves_the_scene_bare():
    run = planned_run(Goal((-1.0, 0.0)))
    run.attributes["configuration"] = run.attributes["configuration"].replace("RecedingHorizon", "Gone")
    assert not scene_of(run).things


def test_show_opens_the_browser_or_plays_in_a_notebooks_cell(monkeypatch):
    run, opened = made_run(PlanarSnake(), Plane(), duration=0.1), []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    place = show(run)
    assert opened == [place.as_uri()] and "<canvas>" in place.read_text()
    shutil.rmtree(place.parent)
    pretend_notebook(monkeypatch)
    cell = show(run, height=300)
    assert len(opened) == 1 and "height:300px" in cell
    assert "<canvas>" in html.unescape(re.search(r'srcdoc="([^"]+)"', cell).group(1))


def test_bad_input_is_refused_in_words(tmp_path):
    run = made_run(PlanarSnake(), Plane(), duration=0.1)
    with pytest.raises(InvalidValue, match="html"):
        export_html(run, tmp_path / "page.png")
    (tmp_path / "file").write_text("")
    with pytest.raises(FileProblem, match="cannot be written"):
        export_html(run, tmp_path / "file" / "page.html")
    with refused("frames_per_second"):
        export_html(run, tmp_path / "page.html", frames_per_second=0.0)
    with pytest.raises(InvalidValue, match="configuration.robot"):
        export_html(made(run.times, link_pose=run["link_pose"]), tmp_path / "page.html")
