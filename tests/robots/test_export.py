"""Robots that are written, read back and run: the same motion, and reports of parts that a file cannot hold."""

import warnings
from dataclasses import replace

import mujoco
import numpy as np
import pytest

from serpenoid.robots import PD, Body, BodyShape, BodyTree, PlanarSnake, SeaSnake, SeriesElastic, load, write_model
from serpenoid.robots.body_shapes import lone_capsules
from serpenoid.robots.sensors import Sensor, Sensors
from serpenoid.scenarios import find_scenario

RUNS = {"sidewinding": "speed", "rolling": "speed", "climb-pole": "climbed"}


def read_back(robot, path):
    """Write a robot and read it; URDF holds no gains, and its warning says which to give."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = load(write_model(robot, path))
    return again if path.suffix == ".xml" else replace(again, drive=robot.drive)


def result(scenario, robot):
    """Return the quantity of a short run that the robot's shape decides."""
    configured = find_scenario(scenario)(robot=robot, duration=4.0)
    return configured.summary(configured.run())[RUNS[scenario]].value


@pytest.mark.parametrize("scenario", RUNS)
def test_a_robot_from_its_own_export_moves_as_before(scenario, tmp_path):
    robot = SeaSnake()
    wanted = result(scenario, robot)
    assert wanted > 0.02
    for ending in (".xml", ".urdf"):
        assert result(scenario, read_back(robot, tmp_path / f"snake{ending}")) == pytest.approx(wanted, rel=0.01)


@pytest.mark.parametrize("ending", [".xml", ".urdf"])
def test_round_links_come_back_as_capsules(ending, tmp_path):
    robot = SeaSnake(modules=4)
    again = read_back(robot, tmp_path / f"snake{ending}")
    assert [shape.kind for shape in lone_capsules(again).values()] == ["capsule"] * 5
    assert again.length == pytest.approx(robot.length) and again.radius == pytest.approx(robot.radius)


@pytest.mark.parametrize("ending", [".xml", ".urdf"])
def test_planar_snakes_are_written_with_their_shapes(ending, tmp_path):
    robot = PlanarSnake(4, radius=0.03)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = mujoco.MjModel.from_xml_path(str(write_model(robot, tmp_path / f"snake{ending}")))
    assert set(model.geom_bodyid[model.geom_size[:, 0] == 0.03]) >= {model.body(name).id for name in robot.link_names}


def test_a_cylinder_becomes_a_capsule_only_with_both_caps():
    from serpenoid.robots.body_shapes import with_capsules

    cylinder = BodyShape("cylinder", (0.1, 0.2), (0.3, 0.0, 0.0))
    caps = [BodyShape("sphere", (0.1,), (0.3, 0.0, z)) for z in (-0.2, 0.2)]
    assert with_capsules([caps[0], cylinder, caps[1]]) == (replace(cylinder, kind="capsule"),)
    assert with_capsules([cylinder, caps[1]]) == (cylinder, caps[1])
    assert with_capsules([cylinder, caps[0], replace(caps[1], size=(0.09,))])[0] == cylinder


BALL = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1, 0.0, 0.0, 0.0)}
EGG = BodyShape("ellipsoid", (0.1, 0.2, 0.3))
ROBOTS = {
    "gains": (PlanarSnake(drive=PD((1.0, 2.0, 3.0, 4.0), 0.5)), ".urdf", "--robot.drive.stiffness 1,2,3,4"),
    "armature": (PlanarSnake(joint_armature=0.02), ".urdf", "armature"),
    "ellipsoids": (BodyTree((Body("a", shapes=(EGG,), **BALL), Body("b", "a", **BALL))), ".urdf", "ellipsoids"),
    "springs": (PlanarSnake(drive=SeriesElastic()), ".xml", "springs"),
    "sensors": (PlanarSnake(sensors=Sensors(gyroscope=Sensor(noise=0.1))), ".xml", "sensors"),
    "self collision": (SeaSnake(self_collision=True), ".xml", "self_collision"),
    "water": (SeaSnake(), ".urdf", "water"),
    "speed": (SeaSnake(), ".xml", "3.45575 rad/s"),
}


@pytest.mark.parametrize("what", ROBOTS)
def test_one_line_names_what_a_file_cannot_hold(what, tmp_path):
    robot, ending, named = ROBOTS[what]
    with pytest.warns(UserWarning) as given:
        write_model(robot, tmp_path / f"robot{ending}")
    (line,) = [str(warning.message) for warning in given]
    assert named in line and "\n" not in line


def test_a_snake_of_capsules_has_the_directions_of_friction(tmp_path):
    """A ground that is smoother along the body needs the axis of a capsule."""
    from serpenoid.worlds import Floor

    again = read_back(SeaSnake(modules=6), tmp_path / "snake.urdf")
    run = find_scenario("slithering")(robot=again, world=Floor(friction_along=0.1), duration=0.1).run()
    assert np.isfinite(run["joint_position"]).all()
