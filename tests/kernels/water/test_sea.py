"""Waves and added mass that follows immersion, against naive sums, closed forms, energy, and the still water's code."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from serpenoid.errors import InvalidValue
from serpenoid.gaits import Undulation
from serpenoid.kernels.compile import kernel
from serpenoid.kernels.constants import STANDARD_GRAVITY
from serpenoid.kernels.motion import motion_samples
from serpenoid.kernels.records import Motion, Sea, Tree, Water
from serpenoid.kernels.tree.samples import survey_states
from serpenoid.kernels.tree.scene import NO_WRENCHES
from serpenoid.kernels.tree.step import prescribed_rollout
from serpenoid.kernels.water.sea import sea_volumes, sea_wrenches, set_sea_time
from serpenoid.robots.base import TreeRobot
from serpenoid.robots.natrix import Natrix
from serpenoid.robots.prism import Prism
from serpenoid.support.kernel_inputs import still_water
from serpenoid.worlds.flotation import Flotation
from serpenoid.worlds.water import Hydrodynamics, WaterSurface
from serpenoid.worlds.waves import Waves

G = STANDARD_GRAVITY
FLOW = Hydrodynamics(
    added_mass=0.6, added_roll_inertia=1e-3, linear_drag=2.0, quadratic_drag=0.5, longitudinal_drag=0.1,
    wave_damping=1.0, roll_damping=0.01,
)  # fmt: skip
ROBOT = Natrix()


class Box(TreeRobot):
    """One floating box of the given length; half immersed at rest."""

    def __init__(self, length: float, width: float = 0.1, height: float = 0.06, density: float = 500.0):
        self.size, self.density = (length, width, height), density

    joints, joint_names, link_names = 0, (), ("box",)

    def prisms(self):
        length, w, h = self.size
        corners = ((-w / 2, -h / 2), (w / 2, -h / 2), (w / 2, h / 2), (-w / 2, h / 2))
        return (Prism(0, -length / 2, length / 2, corners),)

    def tree(self):
        length, w, h = self.size
        mass = self.density * length * w * h
        inertia = mass / 12.0 * np.diag((w * w + h * h, length**2 + h * h, length**2 + w * w))
        low = np.array([[0.0, 0.0, -0.25 * h]])  # centre of mass: keeps it upright
        nothing = np.zeros((1, 3))
        return Tree(
            np.array([-1]), np.eye(3)[None], nothing, np.array([[0.0, 0.0, 1.0]]), np.array([mass]), low,
            inertia[None], False, np.zeros((0, 2)),
        )  # fmt: skip


@kernel
def wrenches_of(sea, tree, time, rotations, positions, twists, out):
    """Call sea_wrenches() from Python."""
    set_sea_time(sea, time)
    sea_wrenches(sea, tree, rotations, positions, twists, out)


def sea_of(world, robot):
    """Return the record of a sea, also for a world that gets one of still water."""
    found = world.environment(robot)
    if isinstance(found, Sea):
        return found
    return replace(world, waves=Waves(1e-300)).environment(robot)


def empty_motion():
    """Return the motion of a robot without joints."""
    none = np.zeros(0)
    return Motion(0.0, 0.0, none, none, none, none, np.zeros(2), np.zeros((1, 1, 0)))


def natrix_state(rng, lift=0.0):
    """Return motion and state of an undulating robot, displaced and moving."""
    motion = Undulation(0.3, 1.1).motion(ROBOT)
    shape, rates, _ = (part[0] for part in motion_samples(motion, np.zeros(1)))
    flotation = Flotation(ROBOT, WaterSurface(), shape)
    rest = flotation.upright()
    pose = np.array(rest.displaced(0.3 * flotation.roll_mode(rest)).base_pose)
    pose[2] += lift
    twist = flotation.resting_twist(rates) + 0.2 * rng.normal(size=6)
    return motion, np.concatenate((pose, shape, twist, rates))


def test_without_waves_the_record_is_that_of_still_water_and_the_sea_gives_the_same_motion():
    world = WaterSurface(hydrodynamics=FLOW)
    assert isinstance(world.environment(ROBOT), Water)
    motion, state = natrix_state(np.random.default_rng(1))
    tree = ROBOT.tree()
    ends = [
        prescribed_rollout(tree, water, motion, state, 0, 200, 200, 1e-3, NO_WRENCHES)[-1]
        for water in (world.environment(ROBOT), sea_of(world, ROBOT))
    ]
    assert ends[0] == pytest.approx(ends[1], abs=1e-11)
    assert isinstance(still_water(sea_of(world, ROBOT)), Water)


def naive_wave(waves, time, points, depth):
    """Elevation, velocity and acceleration of the water at points (n, 2), each `depth` below the surface."""
    k, w, a = waves.number, waves.rate(), 0.5 * waves.height
    along = np.array([np.cos(waves.direction), np.sin(waves.direction)])
    phase = k * points @ along - w * time + waves.phase
    if waves.depth is None:
        c = s = np.exp(-k * depth)
    else:
        c, s = (f(k * (waves.depth - depth)) / np.sinh(k * waves.depth) for f in (np.cosh, np.sinh))
    forth, up = a * w * c * np.cos(phase), a * w * s * np.sin(phase)
    velocity = np.column_stack((forth[:, None] * along, up))
    ahead = (a * w * w * c * np.sin(phase))[:, None] * along
    return a * np.cos(phase), velocity, np.column_stack((ahead, -a * w * w * s * np.cos(phase)))


@pytest.mark.parametrize("depth", [None, 0.4], ids=["deep", "finite"])
def test_kernel_against_a_naive_box_in_cells(depth):
    """Pressure of the wave integrated over small cells of the immersed part, and Morison's drag and added mass."""
    waves = Waves(0.04, 1.7, direction=0.7, phase=0.4, depth=depth)
    world, box, time = WaterSurface(hydrodynamics=replace(FLOW, wave_damping=0.0), waves=waves), Box(0.17), 0.37
    turn = Rotation.from_rotvec((0.05, 0.1, 1.2))
    place, twist = np.array([0.3, -0.2, 0.004]), np.array([0.1, -0.2, 0.05, 0.3, -0.4, 0.2])
    found = np.zeros((1, 6))
    R = turn.as_matrix()
    wrenches_of(sea_of(world, box), box.tree(), time, R[None], place[None], twist[None], found)
    # Buoyancy and pressure: cells of the box under the exact surface.
    sides = [np.linspace(-0.5, 0.5, 2 * n + 1)[1::2] * size for n, size in zip((60, 40, 40), box.size)]
    cells = np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1).reshape(-1, 3)
    volume = np.prod(box.size) / len(cells)
    world_points = place + cells @ R.T
    level, _, _ = naive_wave(waves, time, world_points[:, :2], 0.0 * world_points[:, 2])
    wet = world_points[:, 2] < level
    _, _, acceleration = naive_wave(waves, time, world_points[wet, :2], (level - world_points[:, 2])[wet])
    forces = 1000.0 * volume * ((acceleration + (0.0, 0.0, G)) @ R)
    force, moment = forces.sum(axis=0), np.cross(cells[wet], forces).sum(axis=0)
    weight = box.tree().mass[0] * np.array([0.0, 0.0, -G]) @ R
    # Drag and added mass at two points of the axis, with the water's motion at the mean depth.
    fraction = wet.mean()
    depth_below = (level - world_points[:, 2])[wet].mean()
    for side in (-1.0, 1.0):
        arm = np.array([side * 0.17 * 0.5 / np.sqrt(3.0), 0.0, 0.0])
        _, u, du = naive_wave(waves, time, (place + R @ arm)[None, :2], np.array([depth_below]))
        u, du = u[0] @ R, du[0] @ R
        v = twist[:3] + np.cross(twist[3:], arm)
        w, across = v - u, np.array([0.0, 1.0, 1.0])
        drag = -(2.0 + 0.5 * 0.5 * 1000.0 * 0.1 * np.linalg.norm(across * w)) * across * w
        drag[0] = -0.1 * 0.5 * 1000.0 * 0.1 * abs(w[0]) * w[0]
        drag *= 0.5 * 0.17 * fraction
        axis_rate = np.array([0.0, twist[5], -twist[4]])
        added = 0.5 * 0.17 * 0.6 * 1000.0 * 0.1 * 0.06
        load = added * (across * du - axis_rate * u[0] - np.array([axis_rate @ u, 0.0, 0.0]))
        force, moment = force + drag + load, moment + np.cross(arm, drag + load)
        moment = moment + added * (np.cross(v, across * v) - np.cross(w, across * w))
    moment[0] -= 0.01 * 0.17 * fraction * twist[3]
    moment += np.cross(box.tree().center[0], weight)
    scale = np.abs(forces.sum(axis=0)).max()
    assert found[0, :3] == pytest.approx(force + weight, abs=4e-3 * scale)
    assert found[0, 3:] == pytest.approx(moment, abs=4e-3 * scale * 0.17)


def test_a_small_box_follows_the_water_at_the_surface():
    """Heave in the ratio 1 / (1 - w^2 / w_0^2) corrected for the wave's acceleration: a box much shorter than the wave.

    Closed form: (m + a) z'' + rho g A (z - elevation) = (m + a) (elevation)'' has the solution z = elevation.
    """
    waves = Waves(0.02, 6.0, phase=0.5)
    world = WaterSurface(hydrodynamics=Hydrodynamics(added_mass=0.5), waves=waves)
    box, time = Box(0.02), 0.0
    level, velocity, _ = naive_wave(waves, time, np.zeros((1, 2)), np.zeros(1))
    state = np.concatenate(((0.0, 0.0, level[0]), (1.0, 0.0, 0.0, 0.0), velocity[0], np.zeros(3)))
    step, steps = 0.002, 900
    states = prescribed_rollout(box.tree(), sea_of(world, box), empty_motion(), state, 0, steps, 1, step, NO_WRENCHES)
    times = step * np.arange(1, steps + 1)
    level = np.array([naive_wave(waves, t, s[None, :2], np.zeros(1))[0][0] for t, s in zip(times, states)])
    assert np.abs(states[:, 2] - level).max() < 0.02 * 0.01
    assert np.ptp(states[:, 0]) == pytest.approx(waves.height, rel=0.15)  # and its orbit


def test_a_long_wave_is_still_water_at_another_level():
    """At 10 km of length the crest lifts the equilibrium by the amplitude; volumes are those of the still water."""
    waves = Waves(0.1, 1e4)
    robot, world = ROBOT, WaterSurface(waves=waves)
    pose = np.array(Flotation(robot, world).upright().base_pose)
    links = np.zeros((1, 15, 7))
    links[:, :, :] = pose
    volumes = np.empty((1, 15))
    calm = np.empty((1, 15))
    sea_volumes(sea_of(WaterSurface(), robot), np.zeros(1), links, calm)
    links[:, :, 2] += 0.05
    sea_volumes(world.environment(robot), np.zeros(1), links, volumes)
    assert volumes == pytest.approx(calm, abs=1e-9)


@pytest.mark.parametrize("lift", [0.0, 0.03])
def test_energy_is_conserved_while_added_mass_follows_the_immersion(lift):
    """A frozen shape falls, rolls and heaves: kinetic energy of bodies and water, and potential energy, sum to one."""
    world = WaterSurface(hydrodynamics=Hydrodynamics(1.0, 1e-3, immersed_added_mass=True))
    _, state = natrix_state(np.random.default_rng(2), lift)
    state[27:] = 0.0
    tree, sea = ROBOT.tree(), world.environment(ROBOT)
    motion = Undulation(0.3, 0.0).motion(ROBOT)
    states = np.vstack([state, prescribed_rollout(tree, sea, motion, state, 0, 2000, 20, 1e-3, NO_WRENCHES)])
    times, still = 0.02 * np.arange(len(states)), np.zeros((len(states), 14))
    survey = survey_states(tree, sea, np.array((0.0, 0.0, -G)), times, states, still, np.zeros((0, 0, 6)))
    energy = survey.energies.sum(axis=1)
    assert np.abs(energy - energy[0]).max() < 1e-6 * np.ptp(survey.energies[:, 0])
    assert np.ptp(survey.energies[:, 2] / survey.energies[:, 0]) > 0.05  # the water's share does change


def test_momentum_and_recursion_agree_in_waves_with_following_added_mass():
    """The integrator goes by momentum, the survey by accelerations: twist rates must agree."""
    flow, waves = replace(FLOW, immersed_added_mass=True), Waves(0.06, 1.2, 0.5)
    world = WaterSurface(hydrodynamics=flow, waves=waves)
    motion, state = natrix_state(np.random.default_rng(3))
    tree, sea = ROBOT.tree(), world.environment(ROBOT)
    states = np.vstack([state, prescribed_rollout(tree, sea, motion, state, 0, 40, 1, 2.5e-4, NO_WRENCHES)])
    times = 2.5e-4 * np.arange(41)
    accelerations = motion_samples(motion, times)[2]
    survey = survey_states(tree, sea, np.array((0.0, 0.0, -G)), times, states, accelerations, np.zeros((0, 0, 6)))
    rate = (states[21, 21:27] - states[19, 21:27]) / 5e-4
    assert rate == pytest.approx(survey.base_rate[20], abs=2e-4 * np.abs(rate).max())


def test_dispersion_and_limits():
    assert Waves(length=2.0).period() == pytest.approx(np.sqrt(2.0 * np.pi * 2.0 / G))
    assert Waves(length=100.0, depth=1.0).rate() == pytest.approx(Waves(length=100.0).number * np.sqrt(G), rel=2e-3)
    with pytest.raises(InvalidValue, match="length / 7"):
        Waves(0.5, 2.0)
    with pytest.raises(InvalidValue, match="0.78 depth"):
        Waves(0.2, 2.0, depth=0.2)
