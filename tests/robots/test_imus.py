"""IMUs show means over the time since they were read before: against closed forms and readings at every step."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import serpenoid as sp
from serpenoid.control import ShapeCompliance
from serpenoid.engines.base import Initial
from serpenoid.engines.contact.engine import ContactEngine
from serpenoid.estimation import readings_of
from serpenoid.robots import Natrix, PlanarSnake, SeaSnake
from serpenoid.robots.imus import imu_means, turn_between
from serpenoid.robots.sensors import Sensor, Sensors
from serpenoid.runtime import loop
from serpenoid.runtime.events import Event
from serpenoid.runtime.plants import SimulatedPlant
from serpenoid.runtime.stop_rules import LeaveArea
from serpenoid.worlds import Floor, FreeSpace, PegBoard


def test_the_turn_between_attitudes_is_scipys():
    first, last = (Rotation.random(200, rng=np.random.default_rng(k)) for k in (1, 2))
    quaternions = [each.as_quat(scalar_first=True) for each in (first, last)]
    np.testing.assert_allclose(turn_between(*quaternions), (first.inv() * last).as_rotvec(), atol=1e-12)
    assert np.abs(turn_between(quaternions[0], -quaternions[0])).max() < 1e-12


def test_a_frame_on_a_turning_arm_feels_the_closed_form():
    """A frame 0.3 m from an upright axis that turns at 2 rad/s: w^2 r towards the axis, gravity below, w about z."""
    rate, arm, time, gravity = 2.0, 0.3, 0.01, (0.0, 0.0, -9.81)
    turns, velocities = [], []
    for angle in (0.7, 0.7 + rate * time):
        turns.append(np.array([np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)]))
        velocities.append(rate * arm * np.array([-np.sin(angle), np.cos(angle), 0.0]))
    means = imu_means(tuple(turns), tuple(velocities), gravity, time)
    np.testing.assert_allclose(means["gyroscope"], (0.0, 0.0, rate), atol=1e-12)
    np.testing.assert_allclose(means["accelerometer"], (-(rate**2) * arm, 0.0, 9.81), rtol=1e-4, atol=1e-12)


PAIRS = [(SeaSnake(), Floor()), (Natrix(), FreeSpace(gravity=True))]


@pytest.mark.parametrize("robot, world", PAIRS, ids=["contact", "tree"])
def test_a_plant_shows_the_mean_of_what_is_felt_at_every_step(robot, world):
    """The mean is given in axes midway, which matters by percents if links rotate quickly."""
    engine = sp.engines.find_engine(robot, world)(robot, world, 0.001)
    plants = [SimulatedPlant(engine, period, 0.01) for period in (0.01, 0.001)]
    command = sp.control.Command.empty(robot.joints)._replace(position=0.1 * np.sin(np.arange(robot.joints)))
    for plant in plants:
        plant.start(Initial(), np.random.default_rng(0))
    slow, quick = plants[0].step(command), [plants[1].step(command) for _ in range(10)]
    for name in ("accelerometer", "gyroscope"):
        mean, one = np.mean([seen.read(name) for seen in quick], axis=0), quick[-1].read(name)
        scale = max(1.0, np.abs(one).max())
        assert np.abs(slow.read(name) - mean).max() < 0.03 * scale, name
        assert np.abs(one - mean).max() > 0.05 * scale, name  # it is not the same as reading once


def test_a_recording_gives_the_readings_that_the_law_had():
    law = ShapeCompliance.presets()["sidewinding_rigid"]()
    told = []

    class Listening(sp.control.Controller):
        def start(self, robot, period, rng):
            inner = law.start(robot, period, rng)

            def ask(observation):
                told.append((observation.accelerometer.copy(), observation.gyroscope.copy()))
                return inner(observation)

            return ask

    run = sp.simulate(SeaSnake(), Floor(), Listening(), 0.2, sample_period=0.01)
    found = readings_of(run)
    felt, turning = (np.array(part) for part in zip(*told))
    np.testing.assert_allclose(found.gyroscope[1 : len(turning)], turning[1:], atol=1e-9)
    np.testing.assert_allclose(found.accelerometer[1 : len(felt)], felt[1:], atol=1e-7)


def test_the_heading_of_a_law_is_that_of_the_body():
    """Sidewinding trembles with each command: readings of single moments lead this estimate astray, 1 deg/s."""
    law = ShapeCompliance.presets()["sidewinding_rigid"]()
    run = sp.simulate(SeaSnake(), Floor(), law, 8.0, sample_period=0.01)
    true = sp.estimation.virtual_chassis(SeaSnake(), run["joint_position"], run["link_pose"][:, 0, 3:]).heading
    cycle = np.convolve(np.unwrap(true), np.ones(200) / 200, "valid")
    told = run["chassis_heading"][200:]
    assert np.degrees(np.abs(told[:500] - (cycle[1:501] - cycle[0])).max()) < 0.3
    assert np.degrees(np.abs(cycle - cycle[0]).max()) > 0.5  # there is a difference to detect


def test_robots_in_the_plane_show_the_moment():
    run = sp.simulate(PlanarSnake(), FreeSpace(), sp.gaits.Serpenoid(), 0.1)
    np.testing.assert_array_equal(readings_of(run).gyroscope, run["gyroscope"])


@pytest.mark.parametrize("resolution", [0.0, 0.001])
def test_a_noisy_run_in_one_call_is_the_run_tick_by_tick(resolution):
    """The same draws, by a law that reads IMUs on MuJoCo, in three compiled calls: all that the law remembers."""
    kinds = {name: Sensor(0.01, 0.02, resolution) for name in ("joint_torque", "accelerometer", "gyroscope")}
    robot, law = SeaSnake(sensors=Sensors(**kinds)), ShapeCompliance.presets()["sidewinding_rigid"]()
    plants = [SimulatedPlant(ContactEngine(robot, Floor(), 0.001), 0.01, 0.05) for _ in range(2)]
    plants[1].fuses = lambda imu: False
    loops = [loop.Loop(plant, law, seed=3) for plant in plants]
    for each in loops:
        for _ in range(3):
            each.advance(20)
    memories = [each.running.law.memory for each in loops]
    np.testing.assert_allclose(memories[0], memories[1], atol=1e-9)
    exact = loop.Loop(SimulatedPlant(ContactEngine(SeaSnake(), Floor(), 0.001), 0.01, 0.05), law, seed=3)
    exact.advance(60)
    assert np.abs(memories[0] - exact.running.law.memory).max() > 1e-3  # the noise is in it


@pytest.mark.parametrize("stopped", [None, LeaveArea((5.0, 5.0), (6.0, 6.0))], ids=["to the end", "stopped at once"])
def test_a_noisy_run_among_pegs_is_the_run_tick_by_tick(stopped):
    robot, law = SeaSnake(sensors=Sensors(joint_torque=Sensor(0.05, 0.05))), ShapeCompliance()
    board = PegBoard(density=10.0)
    plants = [SimulatedPlant(sp.engines.find_engine(robot, board)(robot, board, 0.001), 0.01, 0.05) for _ in range(2)]
    plants[1].fuses = lambda imu: False
    rule = LeaveArea((-9.0, -9.0), (9.0, 9.0)) if stopped is None else stopped
    runs = [loop.run_loop(plant, law, 0.4, seed=3, stop=rule) for plant in plants]
    for name in ("sensed_joint_torque", "command_position", "joint_position"):
        np.testing.assert_allclose(runs[0][name], runs[1][name], atol=1e-9, err_msg=name)


def test_a_run_whose_world_changed_shows_the_moment():
    run = sp.simulate(SeaSnake(), Floor(), sp.gaits.Sidewinding(), 0.2, script=[Event(10, "world.gravity", 2.0)])
    np.testing.assert_array_equal(readings_of(run).accelerometer, run["accelerometer"])


def test_a_run_of_a_robot_that_is_not_known_any_more_shows_the_moment():
    run = sp.simulate(SeaSnake(), Floor(), sp.gaits.Sidewinding(), 0.1)
    run.attributes["configuration"] = run.attributes["configuration"].replace("SeaSnake", "nowhere:MySnake")
    run.attributes["configuration"] = run.attributes["configuration"].replace("sea_snake", "nowhere:MySnake")
    assert "nowhere:MySnake" in run.attributes["configuration"]
    np.testing.assert_array_equal(readings_of(run).gyroscope, run["gyroscope"])
