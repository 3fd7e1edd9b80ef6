"""Dry friction, armature and stops of hinges in every engine: closed forms, MuJoCo, and books that balance."""

import mujoco
import numpy as np
import pytest
from planar_kernels import mass_matrix
from refusals import refused

from serpenoid import simulate
from serpenoid.analysis import energy_residual
from serpenoid.control.base import Idle
from serpenoid.engines import find_engine
from serpenoid.engines.base import Initial
from serpenoid.engines.hinges import STOP_STEPS, joint_mobility
from serpenoid.errors import InvalidValue
from serpenoid.gaits import Serpenoid
from serpenoid.kernels.pegs.joints import STOP_STIFFNESS
from serpenoid.kernels.planar.chain import planar_work
from serpenoid.robots import Body, BodyTree, PlanarSnake
from serpenoid.robots.drives import PD, Prescribed
from serpenoid.robots.export import mujoco_model
from serpenoid.robots.planar import chain_tree
from serpenoid.worlds import Floor, FreeSpace, PegBoard, Plane, PushingFloor

LOOSE = PD(0.0, 0.0, 1.0)
LOSS = 0.02


def flywheel(**hinge):
    """A wheel on a fixed axle: one hinge, of inertia 0.01 about it."""
    wheel = Body("wheel", "base", mass=1.0, inertia=(0.01, 0.01, 0.01, 0.0, 0.0, 0.0), **hinge)
    return BodyTree((Body("base"), wheel), fixed_base=True, drive=LOOSE)


def test_a_wheel_with_dry_friction_stops_after_its_time():
    inertia = 0.01 + 0.002
    run = simulate(
        flywheel(friction=LOSS, armature=0.002), FreeSpace(), Idle(), 2.0, initial=Initial(joint_velocity=(2.0,))
    )
    rate, time = run["joint_velocity"][:, 0], run.times
    moving = time < 0.95 * 2.0 * inertia / LOSS
    np.testing.assert_allclose(rate[moving], (2.0 - LOSS / inertia * time)[moving], atol=0.01)
    assert abs(rate[-1]) < 1e-6
    assert energy_residual(run) < 1e-6


@pytest.mark.parametrize("world", [FreeSpace(), PushingFloor(gap=1.0)], ids=["planar", "pushing"])
def test_a_loose_chain_loses_to_friction_what_its_joints_travel(world):
    robot = PlanarSnake(3, 0.15, 1.0, 0.002, joint_damping=0.0, joint_friction=LOSS, joint_armature=0.003, drive=LOOSE)
    run = simulate(robot, world, Idle(), 0.15, initial=Initial(joint_velocity=(3.0, -2.0)), sample_period=0.001)
    energy, travel = run["energy_kinetic"], np.abs(np.diff(run["joint_position"], axis=0)).sum()
    assert run["joint_velocity"][-1, 0] > 0.5 and run["joint_velocity"][-1, 1] < -0.5  # both still turn
    if "wheel_slip" not in run:
        assert energy[0] - energy[-1] == pytest.approx(LOSS * travel, rel=1e-3)
    assert run["work_damping"][-1] == pytest.approx(-LOSS * travel, rel=1e-3)
    assert energy_residual(run) < 1e-6


def test_a_prescribed_joint_pays_for_its_friction():
    gait, free = Serpenoid(0.3, 1.0), FreeSpace()
    with_friction = PlanarSnake(drive=Prescribed(), joint_friction=LOSS)
    run, plain = (simulate(robot, free, gait, 1.0) for robot in (with_friction, PlanarSnake(drive=Prescribed())))
    travel = np.abs(np.diff(run["joint_position"], axis=0)).sum()
    assert run["work_drive"][-1] - plain["work_drive"][-1] == pytest.approx(LOSS * travel, rel=1e-2)
    more = run["joint_torque"] - plain["joint_torque"]
    turning = np.abs(run["joint_velocity"]) > 0.4
    np.testing.assert_allclose(more[turning], LOSS * np.sign(run["joint_velocity"][turning]), atol=0.05 * LOSS)
    assert energy_residual(run) < 1e-5


def test_mass_matrix_and_mobility_are_mujocos():
    robot = PlanarSnake(4, (0.1, 0.2, 0.15, 0.1), joint_armature=(0.001, 0.0, 0.002), drive=LOOSE)
    engine, state = find_engine(robot, FreeSpace())(robot, FreeSpace(), 1e-3), np.zeros(2 * 6)
    ours = mass_matrix(engine.model, planar_work(4), state)
    peer = mujoco_model(robot)
    data, theirs = mujoco.MjData(peer), np.zeros((peer.nv, peer.nv))
    mujoco.mj_forward(peer, data)
    mujoco.mj_fullM(peer, data, theirs) if mujoco.__version__ >= "3.4" else mujoco.mj_fullM(peer, theirs, data.qM)
    mobility = np.linalg.inv(theirs)[3:, 3:]
    np.testing.assert_allclose(np.linalg.inv(ours)[3:, 3:], mobility, rtol=1e-9)
    np.testing.assert_allclose(joint_mobility(chain_tree(robot.chain(), robot.armature)), mobility, rtol=1e-9)


STRONG = PD(5.0, 0.1, 0.5)
STOPPED = PlanarSnake(4, joint_lower=-0.2, joint_upper=0.4, joint_friction=0.01, drive=STRONG)
TREE = BodyTree(
    (
        Body("head", mass=0.2, center=(0.1, 0.0, 0.0), inertia=(1e-4, 7e-4, 7e-4, 0.0, 0.0, 0.0)),
        Body("tail", "head", (0.2, 0.0, 0.0), mass=0.2, center=(0.1, 0.0, 0.0), lower=-0.2, upper=0.4,
             friction=0.01, inertia=(1e-4, 7e-4, 7e-4, 0.0, 0.0, 0.0)),
    ),
    drive=STRONG,
)  # fmt: skip


class Beyond(Idle):
    """Commands beyond every stop, to one side and to the other."""

    def start(self, robot, period, rng):
        from serpenoid.control.base import Command

        def law(observation):
            nothing = Command.empty(robot.joints)
            return nothing._replace(position=np.full(robot.joints, 1.0 if observation.time < 0.5 else -1.0))

        return law


def stiffness(engine, robot):
    """Least stiffness of a stop [N m/rad] at a step of 1 ms; MuJoCo's is one of accelerations, here of the lightest."""
    mobility = joint_mobility(
        robot.tree() if isinstance(robot, BodyTree) else chain_tree(robot.chain(), robot.armature)
    )
    return STOP_STIFFNESS if engine == "pegs" else 1.0 / (np.linalg.eigvalsh(mobility).max() * (STOP_STEPS * 1e-3) ** 2)


@pytest.mark.parametrize(
    "engine, robot, world",
    [
        ("planar", STOPPED, Plane()), ("pegs", STOPPED, PegBoard(density=0.0)), ("contact", STOPPED, Floor()),
        ("tree", TREE, FreeSpace()),
    ],
)  # fmt: skip
def test_stops_hold_joints_in_every_engine(engine, robot, world):
    """A stop absorbs the energy of the links and of the drive: k x^2 / 2 < E + M x. Then it supports the drive.

    The links swing into it at 15 to 40 rad/s.
    """
    run = simulate(robot, world, Beyond(), 1.0, engine=engine, sample_period=1e-3)
    angle, k = run["joint_position"], stiffness(engine, robot)
    leaning = STRONG.torque_limit / k
    deepest = leaning + np.sqrt(leaning**2 + 2.0 * run["energy_kinetic"].max() / k)
    assert 0.4 < angle.max() < 0.4 + deepest and -0.2 > angle.min() > -0.2 - deepest
    held = [angle[np.searchsorted(run.times, time)] for time in (0.49, 0.99)]
    np.testing.assert_allclose(held, np.outer((0.4, -0.2), np.ones(robot.joints)), atol=1.05 * leaning)


def test_a_gait_beyond_the_stops_is_refused_in_one_line():
    with pytest.raises(InvalidValue, match=r"angle of joint_0 = 0.5: must be from -0.2 to 0.4 rad"):
        simulate(STOPPED, Plane(), Serpenoid(0.5), 0.1)


def test_fields_have_one_number_or_one_for_each():
    with pytest.raises(InvalidValue, match="link_length.* one number or 3"):
        PlanarSnake(3, (0.1, 0.2))
    with refused("joint_lower"):
        PlanarSnake(3, joint_lower=0.5, joint_upper=0.4)
