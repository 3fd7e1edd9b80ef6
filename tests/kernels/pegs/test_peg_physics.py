"""Physics of the peg boards: closed forms, the free chain against MuJoCo, a slow reference, momentum, invalid input."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.control import Command, Controller
from serpenoid.engines.base import Initial, fused_task
from serpenoid.engines.pegs import PegEngine
from serpenoid.errors import InvalidValue, Unsupported
from serpenoid.gaits import Serpenoid
from serpenoid.kernels.laws.fused_run import Course
from serpenoid.kernels.pegs.joints import STOP_STIFFNESS
from serpenoid.kernels.pegs.search import list_pegs
from serpenoid.robots import PlanarSnake, SeaSnake
from serpenoid.robots.drives import PD, Prescribed
from serpenoid.scenarios.slither_pegs import SlitherPegs
from serpenoid.worlds import PegBoard
from serpenoid.worlds.peg_board import PegTouch
from serpenoid_papers.pegs import closed_forms
from serpenoid_papers.pegs.runs import by_center, carry, course_of, nodes_of, ready, rule_on, twin_of
from serpenoid_papers.references.peg_peer import coordinates, place_state, planar_model
from serpenoid_papers.references.peg_steps import STAGES, recursion, twin_rollout

SNAKE = PlanarSnake(links=6, link_length=0.13, link_mass=0.4, joint_damping=0.0, drive=PD(20.0, 0.3, 5.0))
BARE = PegBoard(density=0.0)
ORIGIN = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


def bare(**fields):
    return PegBoard(density=0.0, **fields)


def test_closed_forms():
    """Sliding, creep and bending by their formulas; the free chain has the energy of MuJoCo's."""
    found = closed_forms.run(closed_forms.Config(), print)
    assert len(found.tilt) == 4 and max(map(abs, found.tilt.values())) < 3e-3
    assert abs(found.creep) < 1e-9
    assert abs(found.bending) < 3e-3 and found.bending_forces < 3e-3
    assert abs(found.energy) < 1e-9  # the same steps


def test_against_the_slow_reference():
    """Half a second among pegs against explicit forces at 0.05 ms."""
    pegs = ((0.3, 0.038), (0.1, -0.037), (0.5, -0.039), (0.7, 0.04))
    world = PegBoard(layout="list", places=pegs, touch=PegTouch(stiffness=1e5, damping=100.0))
    wave = Serpenoid(amplitude=0.5, frequency=1.0, spatial_frequency=-4.0)
    engine = PegEngine(SNAKE, world, 0.00025)
    controller = sp.control.OpenLoop(wave)
    start = Initial(joint_position=(0.0,) * 5, base_pose=ORIGIN)
    run = sp.simulate(
        SNAKE, world, controller, 0.5, initial=start, engine="pegs", step=0.00025, sample_period=0.05
    )  # fmt: skip
    state = by_center(engine, engine.initial(start, None, np.random.default_rng(0)))
    law = controller.start(SNAKE, 0.01, np.random.default_rng(0))
    nodes, stopped = twin_rollout(
        twin_of(engine), law.record, law.memory, rule_on(engine, None), engine.moving, law.target, state,
        Course(0, 5e-5, 200, 50, 1000),
    )  # fmt: skip
    assert np.nanmax(run["touch_slip"]) > 0.01 and not stopped
    np.testing.assert_allclose(run["link_pose"][:, :, :2], nodes[..., :2], atol=2e-3)


def test_a_step_of_the_slow_reference_is_of_second_order_and_stable_up_to_32_decays():
    """Remainder of y' = -z y after a step, by the recursion of the reference implementation."""

    def left(z):
        (_, _, push, _), *rest = recursion(STAGES)
        before, here = 1.0, 1.0 - push * z
        for mu, nu, push, pull in rest:
            before, here = here, (1.0 - mu - nu) + mu * here + nu * before - z * (push * here + pull)
        return here

    errors = [abs(left(z) - np.exp(-z)) for z in (0.02, 0.01)]
    assert 7.8 < errors[0] / errors[1] < 8.2
    assert max(abs(left(z)) for z in np.linspace(0.05, 32.0, 500)) < 1.0


class Hold(Controller):
    """Constant angle of all joints [rad]."""

    def __init__(self, angle):
        self.angle = angle

    def start(self, robot, period, rng):
        return lambda observation: Command.empty(robot.joints)._replace(position=np.full(robot.joints, self.angle))


@dataclass(frozen=True)
class Stopped(PlanarSnake):
    """Snake whose joints have stops and a top speed."""

    joint_limit: float = 0.3
    speed_limit: float = 2.0

    @property
    def joint_range(self):
        return np.tile((-self.joint_limit, self.joint_limit), (self.joints, 1))


def test_joints_end_at_their_stops_and_speed_up_to_their_top_speed_alone():
    """A drive of torque T presses a joint T / k into a stop of stiffness k.

    The energy balance includes the stop's work.
    """
    robot = Stopped(links=2, link_length=0.4, link_mass=4.0, joint_damping=0.0, drive=PD(20.0, 0.3, 5.0))
    run = sp.simulate(robot, bare(friction=0.0), Hold(2.0), 1.0, initial=Initial(base_pose=ORIGIN), engine="pegs")
    assert run["joint_position"][-1, 0] == pytest.approx(0.3 + 5.0 / STOP_STIFFNESS, rel=1e-6)
    assert run["joint_torque"][-1, 0] == pytest.approx(5.0)
    assert 1.9 < run["joint_velocity"].max() < 2.1  # full torque adds that much in one step
    assert sp.analysis.energy_balance(run).residual < 1e-3
    assert run["work_contact"][-1] < 0.0
    free = sp.simulate(SNAKE, bare(friction=0.0), Hold(0.5), 1.0, initial=Initial(base_pose=ORIGIN), engine="pegs")
    assert free["joint_position"][-1, 0] > 0.45  # without stops if a robot has none


def test_a_light_joint_at_full_torque_does_not_pass_its_top_speed():
    """One step at full torque would add 5 rad/s; the law is evaluated at the end of the step."""
    robot = Stopped(
        links=2, link_length=0.1, link_mass=0.6, joint_limit=2.5, joint_damping=0.0, drive=PD(20.0, 0.3, 5.0)
    )
    run = sp.simulate(
        robot, bare(friction=0.0), Hold(2.0), 0.5, initial=Initial(base_pose=ORIGIN), engine="pegs", sample_period=0.001
    )  # fmt: skip
    assert 1.9 < run["joint_velocity"].max() < 2.0
    assert sp.analysis.energy_balance(run).residual < 1e-2


def test_beside_mujoco_on_a_bare_floor():
    """A second of slithering with the same targets; every foot supports its own weight in MuJoCo's model."""
    scenario = SlitherPegs(world=bare(seed=1), duration=1.0)
    engine, state, law = ready(scenario)
    told = engine.run_law(state, fused_task(law, course_of(scenario, 0.001)))
    apart = {}
    for lean in (False, True):
        model = planar_model(engine, lean=lean)
        data, at = place_state(model, engine, state), coordinates(model)
        for target in told.targets[:, engine.moving]:
            data.ctrl[:] = target
            carry(engine, model, data, at[3:], 10)
        apart[lean] = np.linalg.norm(
            (nodes_of(engine, data.qpos[at]) - nodes_of(engine, told.end[:12]))[:, :2].mean(axis=0)
        )
    assert apart[False] < 1e-3 < 5e-3 < apart[True]  # feet at one height: the slow ones support nothing


class Bounded(np.ndarray):
    """Array that rejects indices below 0, which NumPy counts from the end and compiled code reads from elsewhere."""

    def __getitem__(self, at):
        if at < 0:
            raise IndexError(at)
        return super().__getitem__(at)


@pytest.mark.parametrize("place", [(3.0, 0.0), (-3.0, 0.0), (0.2, 3.0), (0.2, -3.0), (3.0, -3.0), (-3.0, 3.0)])
def test_a_link_beside_the_grid_looks_into_none_of_its_squares(place):
    """Run the search in Python, where a read beside an array is an error."""
    board = PegBoard(layout="list", places=((0.0, 0.0), (0.3, 0.1), (0.3, -0.4)))
    scene = PegEngine(SNAKE, board, 0.001).scene
    field = scene.obstacles
    checked = field._replace(first=field.first.view(Bounded), member=field.member.view(Bounded))
    nodes = np.array(place)[:, None] + [[0.0, 0.13], [0.0, 0.0]]
    contacts = SimpleNamespace(seen_x=nodes[0], seen_y=nodes[1], near=np.empty(20, int), count=np.full(7, -1))
    list_pegs(scene._replace(obstacles=checked), contacts, 0)
    assert contacts.count[0] == 0


def test_what_is_refused():
    for robot, world in (
        (SNAKE, PegBoard(touch=PegTouch(stiffness=1e8))),
        (PlanarSnake(drive=PD(stiffness=1e5, torque_limit=1e6)), BARE),
    ):
        with pytest.raises(InvalidValue, match="step") as caught:
            PegEngine(robot, world, 0.001)
        assert (caught.value.field, caught.value.value) == ("step", 0.001)
    with pytest.raises(Unsupported, match="drive"):
        PegEngine(PlanarSnake(drive=Prescribed()), BARE, 0.001)
    inside = Initial(base_pose=ORIGIN)
    with pytest.raises(InvalidValue) as caught:
        board = PegBoard(layout="list", places=((0.1, 0.0),))
        PegEngine(SNAKE, board, 0.001).initial(inside, None, np.random.default_rng(0))
    assert caught.value.field == "base_pose"
    with pytest.raises(InvalidValue) as caught:
        PegEngine(SeaSnake(), BARE, 0.001).initial(Initial(joint_position=(0.1,) * 18), None, np.random.default_rng(0))
    assert caught.value.field == "joint_position"
