"""Contract of every shipped world: it is drawn from its geometry, and refuses robots that it cannot simulate."""

import numpy as np
import pytest
from runs import made_run, shelf_world

from serpenoid import plotting
from serpenoid.errors import Unsupported
from serpenoid.kernels.constants import STANDARD_GRAVITY
from serpenoid.planning import Problem
from serpenoid.plotting.run_geometry import is_near, room_of
from serpenoid.robots import Natrix, PlanarSnake
from serpenoid.studio import scene_of
from serpenoid.worlds import WORLDS, Box, Disc, FreeSpace, Plane, PushingFloor, Wall, WaterSurface, World
from serpenoid.worlds.geometry import LOOKS
from serpenoid.worlds.solids import Moving

ROBOTS = {"water_surface": Natrix()}


def run_in(name, world=None):
    """A run by hand in a world, with the variables that carry what moves in it."""
    world = world or shelf_world(name)
    run = made_run(ROBOTS.get(name, PlanarSnake()), world, duration=0.5)
    for shape in world.geometry():
        if isinstance(shape, Moving):
            places = np.column_stack([-0.2 * run.times, 0.3 + 0.1 * run.times, 0.0 * run.times])
            run.variables[shape.variable] = (("time", "axis"), places, "m", "where it is")
    return run


@pytest.mark.parametrize("name", WORLDS)
def test_a_world_is_drawn_from_its_geometry(name):
    world = shelf_world(name)
    assert isinstance(world, World)
    shapes = world.geometry()
    assert shapes or name == "free_space"
    run = run_in(name)
    scene = scene_of(run)
    surfaces = [shape for shape in shapes if shape.surface() is not None]
    assert scene.floor.opacity == (LOOKS[surfaces[0].look][1] if surfaces else 0.0)
    names = {thing.name for thing in scene.things}  # rough ground is several parts of one name
    ramps = 0 if scene.floor.endless else 1  # a slope is drawn as a solid below its surface
    assert len(names) == len(shapes) - min(1, len(surfaces)) + ramps
    moving = [thing for thing in scene.things if len(thing.poses) == scene.times.size]
    assert len(moving) == sum(isinstance(shape, Moving) for shape in shapes)
    for plane in ("xy", "xz", "yz"):
        bare = plotting.path(run_in(name, FreeSpace()), plane=plane)
        axes = plotting.path(run, plane=plane)
        near = [shape for shape in shapes if is_near(shape.extent(), room_of(run))]
        seen = [shape for shape in near if plane != "xy" or shape.surface() is None]
        drawn = len(axes.patches) + len(axes.lines) - len(bare.patches) - len(bare.lines)
        assert drawn >= len(seen)


@pytest.mark.parametrize("name", WORLDS)
def test_a_world_has_weight_and_says_what_it_adds(name):
    world = shelf_world(name)
    assert world.gravity_vector in ((0.0, 0.0, 0.0), (0.0, 0.0, -STANDARD_GRAVITY))
    for described in world.describes().values():
        assert described.dims[0] == "time" and described.meaning


def test_a_world_that_cannot_carry_a_robot_says_so():
    for world in (WaterSurface(), PushingFloor()):
        with pytest.raises(Unsupported, match=f"{type(world).__name__} has no medium"):
            Problem(PlanarSnake(), world)
    with pytest.raises(Unsupported, match="Plane"):
        Plane().environment(Natrix())


def test_water_adds_what_it_describes():
    robot = Natrix()
    run = made_run(robot, WaterSurface(), duration=0.1)
    found = WaterSurface().variables(robot, run.times, run["link_pose"])
    assert found.keys() == WaterSurface.describes().keys()


def test_obstacles_of_a_plane_are_part_of_its_geometry():
    disc, wall = Disc((-1.0, 0.0), 0.2), Wall((-2.0, 1.0), (-1.0, 1.0), 0.05)
    assert Plane(obstacles=(disc, wall)).geometry()[1:] == (disc, wall)
    with pytest.raises(ValueError, match="obstacles"):
        Plane(obstacles=(Box((0.0, 0.0, 0.0), (1.0, 1.0, 1.0)),))
