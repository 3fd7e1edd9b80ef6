"""NATRIX afloat: energy, order of the integration, added mass and drag against the recursion, capsizing."""

import numpy as np
import pytest
from refusals import refused

import serpenoid as sp
from serpenoid.engines.base import Initial
from serpenoid.gaits import JointTrajectory, Undulation
from serpenoid.kernels.motion import motion_samples
from serpenoid.kernels.tree.frames import workspace
from serpenoid.kernels.tree.matrix import mass_matrix
from serpenoid.kernels.tree.scene import NO_WRENCHES
from serpenoid.kernels.tree.step import prescribed_rollout
from serpenoid.kernels.water.added_mass import shape_added_inertia
from serpenoid.kernels.water.recursion import afloat_dynamics
from serpenoid.robots import Natrix
from serpenoid.scenarios.natrix import NatrixAfloat
from serpenoid.worlds import WaterSurface
from serpenoid.worlds.flotation import Flotation
from serpenoid.worlds.water import Hydrodynamics

ROBOT = Natrix()
FLOW = Hydrodynamics(
    added_mass=0.6, added_roll_inertia=2e-3, linear_drag=3.0, quadratic_drag=1.0, longitudinal_drag=0.2,
    wave_damping=2.0, roll_damping=0.01,
)  # fmt: skip


def start(world, gait, roll=0.03):
    """A state afloat, rolled, without momentum."""
    motion = gait.motion(ROBOT)
    shape, rates, _ = (part[0] for part in motion_samples(motion, np.zeros(1)))
    flotation = Flotation(ROBOT, world, shape)
    pose = flotation.upright()
    pose = pose.displaced(roll * flotation.roll_mode(pose)).base_pose
    return motion, np.concatenate((pose, shape, flotation.resting_twist(rates), rates))


def test_a_frozen_shape_keeps_its_energy():
    """Claim N2: 1e-6 over 10 s at 1 ms, also with added mass."""
    shape = motion_samples(Undulation(0.25, 1.0).motion(ROBOT), np.zeros(1))[0][0]
    still = JointTrajectory((0.0,), (tuple(shape),))
    for world in (WaterSurface(), WaterSurface(hydrodynamics=Hydrodynamics(added_mass=0.8, added_roll_inertia=1e-3))):
        flotation = Flotation(ROBOT, world, shape)
        rest = flotation.upright()
        pose = rest.displaced(0.03 * flotation.roll_mode(rest)).base_pose
        run = sp.simulate(ROBOT, world, still, 10.0, initial=Initial(base_pose=pose, base_twist=(0.0,) * 6))
        energy = run["energy_kinetic"] + run["energy_potential"] - flotation.energy(rest)
        extra = np.zeros((6, 7))
        matrix = np.zeros((20, 20))
        work = workspace(flotation.tree)
        mass_matrix(flotation.tree, shape, work, matrix)
        shape_added_inertia(flotation.water, flotation.tree, work, extra)
        energy += 0.5 * np.einsum("ti,ij,tj->t", run["base_twist"], extra[:, :6], run["base_twist"])
        assert np.abs(energy / energy[0] - 1.0).max() < 1e-6
        assert np.ptp(run["energy_kinetic"]) > 0.5 * energy[0]


def test_integration_is_of_fourth_order():
    motion, state = start(WaterSurface(), Undulation(0.25, 1.2), roll=0.01)
    tree, water = ROBOT.tree(), WaterSurface().environment(ROBOT)
    ends = [
        prescribed_rollout(tree, water, motion, state, 0, n, n, 0.4 / n, NO_WRENCHES)[-1] for n in (10, 20, 40, 320)
    ]
    errors = [np.abs(end - ends[-1])[:7].max() for end in ends[:-1]]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(orders > 3.5) and np.all(orders < 4.6)


@pytest.mark.parametrize("flow", [Hydrodynamics(), FLOW], ids=["still", "moving"])
def test_momentum_and_recursion_are_two_ways_to_the_same_acceleration(flow):
    """The integrator goes by momentum, the recursion (12)-(13) by accelerations: their twist rates must agree."""
    world = WaterSurface(hydrodynamics=flow)
    motion, state = start(world, Undulation(0.3, 1.1), roll=0.4)
    tree, water, joints = ROBOT.tree(), world.environment(ROBOT), ROBOT.joints
    rng = np.random.default_rng(4)
    state[7 + joints : 13 + joints] += 0.3 * rng.normal(size=6)
    base, torques = np.zeros(6), np.zeros(joints)
    middle = prescribed_rollout(tree, water, motion, state, 0, 20, 10, 1e-3, NO_WRENCHES)
    afloat_dynamics(tree, water, middle[0], motion_samples(motion, np.array([0.01]))[2][0], base, torques)
    around = prescribed_rollout(tree, water, motion, state, 0, 80, 1, 2.5e-4, NO_WRENCHES)[[38, 39, 40]]
    twists = around[:, 7 + joints : 13 + joints]
    assert (twists[2] - twists[0]) / 5e-4 == pytest.approx(base, abs=2e-4 * np.abs(base).max())


def test_work_of_the_drive_is_the_gain_of_energy():
    """Torques of the third loop afloat: their work equals the change of energy."""
    run = NatrixAfloat(gait=Undulation(0.3, 1.0), duration=2.0, sample_period=0.002).run()
    energy, power = run["energy_kinetic"] + run["energy_potential"], run["power_drive"]
    gained = np.concatenate([[0.0], np.cumsum(0.002 * power[1:])])
    assert np.abs(energy - energy[0] - gained).max() < 1e-5 * np.ptp(energy)
    assert run["immersed_volume"].sum(axis=1).mean() == pytest.approx(run["immersed_volume"][0].sum(), rel=0.05)


def test_it_capsizes_in_the_band_and_not_beside_it():
    """Passing 90 deg is robust: at 1.40 Hz within ten seconds, never at 1.2 Hz."""
    scenario = NatrixAfloat(gait=Undulation(0.25, 1.40), duration=10.0, step=0.002)
    run = scenario.run()
    summary = scenario.summary(run)
    assert summary["capsized"].value and 3.0 < summary["capsized_at"].value < 9.0
    calm = NatrixAfloat(gait=Undulation(0.25, 1.2), duration=10.0, step=0.002)
    assert not calm.summary(calm.run())["capsized"].value


def test_any_joint_trajectory_a_lifted_head_and_turned_shells():
    """Pitch joints lift the head out of the water with its gaze kept, shells turn by 60 deg."""
    lifted = np.zeros(14)
    lifted[1], lifted[2], lifted[8:] = 0.5, -0.5, np.pi / 3
    gait = JointTrajectory((0.0, 2.0), ((), tuple(lifted)), Undulation(0.1, 0.5))
    world = WaterSurface(hydrodynamics=Hydrodynamics(roll_damping=0.05, wave_damping=20.0))
    run = sp.simulate(ROBOT, world, gait, 6.0, step=0.002)
    head = run["immersed_volume"][:, 0]
    assert head[0] > 2e-4 and head[-100:].max() < 0.5 * head[0]
    assert abs(np.degrees(run["pitch"][-100:]).mean()) < 12.0
    assert run["heave"][-100:].mean() > run["heave"][0] + 0.02


def test_a_gait_beyond_the_joint_limits_is_refused_in_one_line():
    with refused("gait: angle of yaw_0"):
        sp.simulate(ROBOT, WaterSurface(), Undulation(1.6, 1.0), 1.0)


def test_the_neck_lifts_the_head_and_keeps_its_gaze():
    """q1 and q2 alone: the head leaves the water level, and each shell rotates as commanded."""
    robot = Natrix()
    gait = JointTrajectory((0.0, 2.0), ((), robot.lifted_head(0.9, shells=0.4)))
    run = sp.simulate(robot, WaterSurface(), gait, 3.0, step=0.002)
    assert run["immersed_volume"][-1, 0] < 0.05 * run["immersed_volume"][0, 0]
    assert run["link_pose"][-1, 0, 2] > run["link_pose"][-1, 3:9, 2].max() + 0.04
    assert np.abs(run["pitch"][-1]) < np.radians(6.0)
    np.testing.assert_allclose(run["joint_position"][-1, 8:], 0.4, atol=1e-9)
