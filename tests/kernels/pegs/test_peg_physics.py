"""Physics of the peg boards: closed forms, the free chain beside MuJoCo, a slow twin, momentum, what is refused."""

from __future__ import annotations

from types import SimpleNamespace

import mujoco
import numpy as np
import pytest

import serpenoid as sp
from serpenoid.control import Command, Controller
from serpenoid.engines.base import Initial
from serpenoid.engines.pegs import PegEngine
from serpenoid.errors import InvalidValue, Unsupported
from serpenoid.gaits import Serpenoid
from serpenoid.kernels.pegs.search import list_pegs
from serpenoid.robots import PlanarSnake, SeaSnake
from serpenoid.robots.drives import PD, Prescribed
from serpenoid.worlds import PegBoard
from serpenoid.worlds.peg_board import PegTouch
from tests.naive_pegs import twin_of, twin_run

G = 9.80665
SNAKE = PlanarSnake(links=6, link_length=0.13, link_mass=0.4, joint_damping=0.0, drive=PD(20.0, 0.3, 5.0))
BARE = PegBoard(density=0.0)
ORIGIN = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


def bare(**fields):
    return PegBoard(density=0.0, **fields)


@pytest.mark.parametrize("step", [0.001, 0.0001])
@pytest.mark.parametrize("tilt", [0.35, 0.5])
def test_sliding_down_a_tilt(step, tilt):
    """s = (g sin - mu g cos) t^2 / 2: friction does not grow with the speed, nor with what a step adds to it."""
    friction, time = 0.3, 1.0
    world = bare(tilt=tilt, friction=friction)
    run = sp.simulate(SNAKE, world, None, time, initial=Initial(base_pose=ORIGIN), engine="pegs", step=step)
    wanted = 0.5 * G * (np.sin(tilt) - friction * np.cos(tilt)) * time**2
    moved = run["center_of_mass"][-1, 0] - run["center_of_mass"][0, 0]
    assert moved == pytest.approx(wanted, rel=3e-3)


def test_creep_at_half_the_cone_is_a_share_of_the_smoothing():
    """v / sqrt(v^2 + eps^2) = 1/2 where the slope asks for half of the friction: v = eps / sqrt(3)."""
    friction = 0.3
    world = bare(tilt=float(np.arctan(0.5 * friction)), friction=friction)
    run = sp.simulate(SNAKE, world, None, 1.0, initial=Initial(base_pose=ORIGIN), engine="pegs")
    assert run["center_velocity"][-1, 0] == pytest.approx(1e-4 / np.sqrt(3.0), rel=1e-9)


class Hold(Controller):
    """One angle for all joints [rad]."""

    def __init__(self, angle):
        self.angle = angle

    def start(self, robot, period, rng):
        return lambda observation: Command.empty(robot.joints)._replace(position=np.full(robot.joints, self.angle))


def test_bending_between_three_pegs():
    """Two links, pressed by their joint's spring k against a peg at the joint and one on each arm, a from the joint.

    Balance of an arm: F a = k (target - q). The joint's peg takes F from each capsule, so all four springs give by
    F / K, and a q / 2 = 2 F / K: q = 4 k target / (K a^2 + 4 k).
    """
    length, spring, target, arm, contact = 0.2, 5.0, 0.1, 0.15, 1e5
    robot = PlanarSnake(links=2, link_length=length, link_mass=0.3, radius=0.02, drive=PD(spring, 0.5, 50.0))
    away = 0.02 + 0.015
    places = ((length - arm, -away), (length, away), (length + arm, -away))
    world = PegBoard(layout="list", places=places, friction=0.0, peg_friction=0.5, touch=PegTouch(contact))
    run = sp.simulate(robot, world, Hold(-target), 1.0, initial=Initial(base_pose=ORIGIN), engine="pegs")
    bend = 4.0 * spring * target / (contact * arm**2 + 4.0 * spring)
    assert -run["joint_position"][-1, 0] == pytest.approx(bend, rel=3e-3)
    forces = np.linalg.norm(run["touch_force"][-1], axis=-1)
    np.testing.assert_allclose(forces[~np.isnan(forces)], np.full(4, spring * (target - bend) / arm), rtol=3e-3)


def chain_xml(robot):
    chain, xml = robot.chain(), ""
    for k in reversed(range(robot.links)):
        place = "0 0 0" if k == 0 else f"{chain.length[k - 1]} 0 0"
        joints = (
            '<joint type="hinge" axis="0 0 1"/>'
            if k
            else (
                '<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint type="hinge" axis="0 0 1"/>'
            )
        )
        xml = (
            f'<body pos="{place}">{joints}<inertial pos="{chain.center[k]} 0 0" mass="{chain.mass[k]}" '
            f'diaginertia="1e-3 1e-3 {chain.inertia[k]}"/>{xml}</body>'
        )
    return (
        '<mujoco><option timestep="0.001" gravity="0 0 0" integrator="implicitfast">'
        f'<flag contact="disable"/></option><worldbody>{xml}</worldbody></mujoco>'
    )


def test_the_free_chain_goes_as_in_mujoco():
    """Without friction and drives both take the same semi-implicit steps: the same energy after 5 s, at 0.1 %."""
    robot = PlanarSnake(links=6, link_length=0.13, link_mass=0.4, joint_damping=0.0, drive=PD(0.0, 0.0, 5.0))
    rng = np.random.default_rng(3)
    angles, rates = rng.uniform(-0.6, 0.6, 5), rng.uniform(-3.0, 3.0, 5)
    start = Initial(tuple(angles.tolist()), tuple(rates.tolist()), ORIGIN)
    run = sp.simulate(robot, bare(friction=0.0), None, 5.0, initial=start, engine="pegs")
    model = mujoco.MjModel.from_xml_string(chain_xml(robot))
    data = mujoco.MjData(model)
    data.qpos[3:], data.qvel[3:] = angles, rates
    for _ in range(5000):
        mujoco.mj_step(model, data)
    mujoco.mj_forward(model, data)
    mujoco.mj_energyVel(model, data)
    theirs, first = data.energy[1], run["energy_kinetic"][0]
    assert abs(run["energy_kinetic"][-1] - theirs) < 1e-3 * first
    np.testing.assert_allclose(run["joint_position"][-1], data.qpos[3:], atol=1e-6)
    np.testing.assert_allclose(
        run["momentum_linear"], np.tile(run["momentum_linear"][0], (len(run.times), 1)), atol=2e-2
    )


def test_beside_the_slow_twin():
    """Half a second among pegs against explicit forces and RK4 at 0.05 ms."""
    pegs = ((0.3, 0.038), (0.1, -0.037), (0.5, -0.039), (0.7, 0.04))
    world = PegBoard(layout="list", places=pegs, touch=PegTouch(stiffness=1e5, damping=100.0))
    wave = Serpenoid(amplitude=0.5, frequency=1.0, phase_shift=1.0)
    engine = PegEngine(SNAKE, world, 0.00025)
    motion = wave.motion(SNAKE)
    controller = sp.control.OpenLoop(wave)
    start = Initial(joint_position=(0.0,) * 5, base_pose=ORIGIN)
    run = sp.simulate(
        SNAKE, world, controller, 0.5, initial=start, engine="pegs", step=0.00025, sample_period=0.05
    )  # fmt: skip
    state = engine.chain_state(engine.initial(start, None, np.random.default_rng(0)))
    nodes = twin_run(twin_of(engine.scene, engine.gains, motion), state, 5e-5, 10_000, 200, 1000)
    assert np.nanmax(run["touch_slip"]) > 0.01
    np.testing.assert_allclose(run["link_pose"][1:, :, :2], nodes[..., :2], atol=2e-3)


class Bounded(np.ndarray):
    """Refuses numbers below 0, which NumPy would count from the end and compiled code read from elsewhere."""

    def __getitem__(self, at):
        if at < 0:
            raise IndexError(at)
        return super().__getitem__(at)


@pytest.mark.parametrize("place", [(3.0, 0.0), (-3.0, 0.0), (0.2, 3.0), (0.2, -3.0), (3.0, -3.0), (-3.0, 3.0)])
def test_a_link_beside_the_grid_looks_into_none_of_its_squares(place):
    """The search as Python runs it, where a read beside an array is an error."""
    board = PegBoard(layout="list", places=((0.0, 0.0), (0.3, 0.1), (0.3, -0.4)))
    scene = PegEngine(SNAKE, board, 0.001).scene
    field = scene.obstacles
    checked = field._replace(first=field.first.view(Bounded), member=field.member.view(Bounded))
    nodes = np.array(place)[:, None] + [[0.0, 0.13], [0.0, 0.0]]
    contacts = SimpleNamespace(seen_x=nodes[0], seen_y=nodes[1], near=np.empty(20, int), count=np.full(7, -1))
    list_pegs.py_func(scene._replace(obstacles=checked), contacts, 0)
    assert contacts.count[0] == 0


def test_what_is_refused():
    for robot, world, says in (
        (SNAKE, PegBoard(touch=PegTouch(stiffness=1e8)), "step = 0.001: must be at most"),
        (PlanarSnake(drive=PD(stiffness=1e5, torque_limit=1e6)), BARE, "step = 0.001: must be at most"),
    ):
        with pytest.raises(InvalidValue, match=says):
            PegEngine(robot, world, 0.001)
    with pytest.raises(Unsupported, match="driven by torques"):
        PegEngine(PlanarSnake(drive=Prescribed()), BARE, 0.001)
    inside = Initial(base_pose=ORIGIN)
    with pytest.raises(InvalidValue, match="clear of pegs"):
        board = PegBoard(layout="list", places=((0.1, 0.0),))
        PegEngine(SNAKE, board, 0.001).initial(inside, None, np.random.default_rng(0))
    with pytest.raises(InvalidValue, match="dorsal"):
        PegEngine(SeaSnake(), BARE, 0.001).initial(Initial(joint_position=(0.1,) * 18), None, np.random.default_rng(0))
