"""One contract over every engine: calls cut anywhere, senses as recorded, balanced books, equal bits, divergence."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.control import Command, Controller
from serpenoid.engines import ENGINES, find_engine
from serpenoid.engines.base import Engine, Initial, Log, Moment
from serpenoid.engines.link_variables import OF_LINKS, LinkFrames
from serpenoid.engines.observation import sensed_at
from serpenoid.errors import SimulationDiverged
from serpenoid.gaits import CompoundSerpenoid, Serpenoid, Undulation
from serpenoid.kernels.motion import motion_samples
from serpenoid.robots import Cascade, MovingFrameChain, Natrix, PlanarSnake, SeaSnake
from serpenoid.robots.drives import PD, Prescribed, SeriesElastic
from serpenoid.runtime.events import Event
from serpenoid.worlds import Floor, FreeSpace, PegBoard, Plane, PushingFloor, Wall, WaterSurface
from serpenoid.worlds.water import Hydrodynamics

STEP = 0.001
ELASTIC = SeriesElastic(
    stiffness=3.0, damping=0.05, torque_limit=1.0, spring=8.0, spring_damping=0.02, rotor_inertia=2e-3
)


class Case(NamedTuple):
    robot: object
    world: object
    gait: object
    initial: Initial = Initial()
    books: float = 1e-6  # tolerance of the closure
    named: str | None = None  # the engine, where it is not the first that fits

    @property
    def engine(self) -> Engine:
        return find_engine(self.robot, self.world, self.named)(self.robot, self.world, STEP)

    def simulate(self, controller, duration, **options):
        options = {"initial": self.initial, "engine": self.named, **options}
        return sp.simulate(self.robot, self.world, controller, duration, **options)


PUSHER = PlanarSnake(links=3, link_length=0.15, link_mass=1.0, link_inertia=0.002, drive=PD(torque_limit=10.0))
CHAIN = MovingFrameChain(bodies=4, fixed_tail=False, drive=PD(1.0, 0.01, 2.0))
WAVE = Serpenoid(amplitude=0.4, frequency=1.0, spatial_frequency=-4.0)
SIDEWINDING = CompoundSerpenoid(0.5, 0.25, phase_offset=0.75 * np.pi)
SPRUNG = SeriesElastic(stiffness=100.0, damping=3.0, torque_limit=7.0, spring_damping=0.3, rotor_inertia=0.02)
HUNG = Initial(base_pose=(0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0))
ROUGHLY = 0.02  # steps of first order
LATERAL = CompoundSerpenoid(0.6, 0.0, frequency=0.5)
SLITHERER = PlanarSnake(links=6, link_length=0.13, link_mass=0.4, drive=PD(20.0, 0.3, 5.0))
PEGS = ((0.3, 0.09), (0.1, -0.08), (0.5, -0.06))
BOARD = PegBoard(layout="list", places=PEGS, walls=(Wall((-0.03, -1.0), (-0.03, 1.0), 0.0),), friction_along=0.2)
TIGHT = Initial(base_pose=(0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0))  # among the pegs, its snout near the wall
CASES = {
    "dry": Case(PlanarSnake(), Plane(), WAVE),
    "fluid, prescribed": Case(PlanarSnake(drive=Prescribed()), Plane("fluid"), WAVE),
    "viscous, springs": Case(PlanarSnake(drive=ELASTIC), Plane("viscous"), WAVE),
    "push": Case(PUSHER, PushingFloor(), WAVE, Initial(joint_position=(-1.2, -1.0))),
    "free": Case(Natrix(), FreeSpace(), Undulation()),
    "free, driven": Case(CHAIN, FreeSpace(gravity=True), WAVE),
    "free, springs": Case(MovingFrameChain(4, fixed_tail=False, drive=ELASTIC), FreeSpace(), WAVE),
    "fixed base": Case(MovingFrameChain(4, drive=PD(1.0, 0.01, 2.0)), FreeSpace(gravity=True), WAVE),
    "pegs": Case(SLITHERER, BOARD, WAVE, TIGHT, ROUGHLY, "pegs"),
    "pegs, springs": Case(dataclasses.replace(SLITHERER, drive=SPRUNG), BOARD, WAVE, TIGHT, ROUGHLY, "pegs"),
    "pegs, lateral": Case(SeaSnake(), PegBoard(), LATERAL, books=ROUGHLY, named="pegs"),
    "floor": Case(SeaSnake(), Floor(), SIDEWINDING, books=ROUGHLY),
    "floor, springs": Case(SeaSnake(drive=SPRUNG), Floor(), SIDEWINDING, books=ROUGHLY),
    "floor, cascade": Case(SeaSnake(drive=Cascade()), Floor(), SIDEWINDING, books=ROUGHLY),
    "floor, planar": Case(PlanarSnake(), Floor(friction_along=0.1), WAVE, books=ROUGHLY),
    "floor, fixed": Case(MovingFrameChain(4, drive=PD(1.0, 0.01, 2.0)), Floor(), WAVE, HUNG, ROUGHLY),
    "water": Case(Natrix(), WaterSurface(hydrodynamics=Hydrodynamics(added_mass=0.5, linear_drag=5.0)), Undulation()),
}
each = pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())


class Steps(Controller):
    """Angles (prescribed joints) or torques (others) that jump at every tick."""

    def __init__(self, torque: bool):
        self.torque = torque

    def start(self, robot, period, rng):
        def law(observation):
            command, drawn = Command.empty(robot.joints), rng.uniform(-0.3, 0.3, robot.joints)
            return command._replace(torque=drawn) if self.torque else command._replace(position=drawn)

        return law


def states_of(case, steps=60, every=10, wrenches=None):
    engine, motion = case.engine, case.gait.motion(case.robot)
    start = engine.initial(case.initial, motion, np.random.default_rng(0))
    return engine, motion, start, engine.rollout(0, start, motion, steps, every, wrenches)


def test_every_engine_stands_here():
    assert {type(case.engine).name for case in CASES.values()} == set(ENGINES)


@each
def test_a_rollout_can_be_cut_anywhere(case):
    engine, motion, start, states = states_of(case)
    middle = engine.rollout(0, start, motion, 23, 23)[-1]
    again = engine.rollout(23, middle, motion, 37, 37)[-1]
    np.testing.assert_allclose(again, states[-1], rtol=1e-9, atol=1e-10)


@each
def test_held_commands_cut_anywhere(case):
    engine, motion, start, _ = states_of(case)
    command = engine.motion_command(5, motion)
    whole = engine.advance(0, start, command, 20)
    pieces = engine.advance(7, engine.advance(0, start, command, 7), command, 13)
    np.testing.assert_allclose(pieces, whole, rtol=1e-9, atol=1e-10)


@each
def test_commands_at_every_step_converge_to_the_rollout(case):
    """A compiled rollout leads the joints by the motion itself."""
    engine, motion, state, states = states_of(case, 30, 30)
    for step in range(30):
        state = engine.advance(step, state, engine.motion_command(step, motion), 1)
    joints = engine.direct("joint_position", states[-1]), engine.direct("joint_position", state)
    np.testing.assert_allclose(*joints, atol=2e-3)


def log_of(engine, motion, state):
    """Return the log of a run at its 60th step."""
    return Log(np.array([60 * STEP]), state[None], Command(*(part[None] for part in engine.motion_command(60, motion))))


@each
def test_what_is_sensed_is_what_is_recorded(case):
    engine, motion, _, states = states_of(case)
    command = engine.motion_command(60, motion)
    seen = sensed_at(Moment(engine, 60 * engine.step, states[-1], command, None))
    recorded = engine.variables(log_of(engine, motion, states[-1]))
    for name in ("joint_position", "joint_velocity", "joint_torque", "accelerometer", "gyroscope"):
        np.testing.assert_array_equal(getattr(seen, name), recorded[name][0], err_msg=name)
    for name in ("base_pose", "base_twist", "link_pose"):
        np.testing.assert_allclose(getattr(seen.truth, name), recorded[name][0], atol=1e-14, err_msg=name)


@each
def test_what_is_asked_for_is_computed_alone(case, monkeypatch):
    """A law that reads one quantity does not wait for all that a trajectory holds."""
    engine, motion, _, states = states_of(case)
    recorded = engine.variables(log_of(engine, motion, states[-1]))
    monkeypatch.setattr(engine, "variables", None)
    seen = sensed_at(Moment(engine, 60 * engine.step, states[-1], engine.motion_command(60, motion), None))
    senses = ("joint_position", "joint_velocity", "joint_torque", "accelerometer", "gyroscope", "motor_position")
    truths = ("base_pose", "base_twist", "link_pose", "contact_force")
    for source, names in ((seen, senses), (seen.truth, truths)):
        for name in set(names) & set(recorded):
            np.testing.assert_allclose(source.read(name), recorded[name][0], atol=1e-13, err_msg=name)


@each
def test_every_engine_has_the_variables_of_the_links(case):
    engine, motion, _, states = states_of(case)
    recorded = engine.variables(log_of(engine, motion, states[-1]))
    moment = Moment(engine, 60 * engine.step, states[-1], engine.motion_command(60, motion), None)
    for name in OF_LINKS:
        np.testing.assert_allclose(moment.quantity(name), recorded[name][0], atol=1e-13, err_msg=name)


@each
def test_velocities_of_the_links_are_differences_of_their_poses(case):
    """Positions of pegs and MuJoCo are half a step from their velocities, hence the tolerance."""
    engine, motion, _, states = states_of(case, 20, 1)
    times = STEP * np.arange(1, 21)
    found = engine.variables(Log(times, states, engine.motion_commands(times, motion)))
    velocity = LinkFrames(engine.parents, found.__getitem__).velocity[1:-1]
    place = found["link_pose"][..., :3]
    difference = (place[2:] - place[:-2]) / (2.0 * STEP)
    np.testing.assert_allclose(velocity, difference, atol=0.05 * np.abs(difference).max() + 1e-9)


def ledger_gap(run):
    """Return the relative error of the energy balance."""
    works = [name for name in run.variables if name.startswith("work_") and name != "work_absolute"]
    energy = np.sum([run[name] for name in run.variables if name.startswith("energy_")], axis=0)
    open_ = energy - energy[0] - np.sum([run[name] for name in works], axis=0)
    return float(np.abs(open_).max() / max(run["work_absolute"][-1], np.ptp(energy), 1e-12))


@each
@pytest.mark.parametrize("sample_period", [0.001, 0.05])
@pytest.mark.parametrize("leads", ["gait", "controller"])
def test_the_books_balance_at_any_sample_period(case, sample_period, leads):
    controller = case.gait if leads == "gait" else Steps(not isinstance(case.robot.drive, Prescribed))
    run = case.simulate(controller, 0.4, sample_period=sample_period)
    assert ledger_gap(run) < case.books


@each
def test_torques_and_powers_are_means_at_any_sample_period(case):
    """Targets jump at every tick, where samples fall; means do not depend on how often they are taken."""
    leads = sp.control.OpenLoop(case.gait)
    coarse, fine = (case.simulate(leads, 0.2, sample_period=period) for period in (0.05, STEP))
    for name in ("joint_torque", "power", "power_drive", "power_damping"):
        if name in fine:
            mean = fine[name][1:].reshape(4, 50, -1).mean(axis=1)
            scale = max(1e-9, np.abs(fine[name]).max())
            np.testing.assert_allclose(coarse[name][1:].reshape(4, -1), mean, atol=1e-9 * scale, err_msg=name)
    assert fine["joint_work"][-1].sum() == pytest.approx(fine["work_drive"][-1], rel=1e-6, abs=1e-9)
    if "motor_position" not in fine:
        rate = 0.5 * (fine["joint_velocity"][1:] + fine["joint_velocity"][:-1])
        done = STEP * (fine["joint_torque"][1:] * rate).sum(axis=0)
        assert done == pytest.approx(fine["joint_work"][-1], abs=0.05 * np.abs(fine["joint_work"]).max())
    squared = STEP * (fine["joint_torque"][1:] ** 2).sum()
    assert squared == pytest.approx(fine["joint_torque_squared"][-1].sum(), rel=0.02)


@each
def test_a_push_on_a_link_enters_the_books(case):
    script = [Event(5, "push.1", (0.6, -0.3, 0.0, 0.0, 0.0, 0.02)), Event(12, "push.1", (0.0,) * 6)]
    run, still = case.simulate(case.gait, 0.2, script=script), case.simulate(case.gait, 0.2)
    assert ledger_gap(run) < case.books
    if getattr(case.robot, "fixed_tail", False):
        assert np.abs(run["joint_position"] - still["joint_position"]).max() > 1e-6
    else:
        assert np.abs(run["base_pose"] - still["base_pose"]).max() > 1e-6
    assert np.abs(run["work_external"]).max() > 0.0 and not still["work_external"].any()
    np.testing.assert_array_equal(sp.repeat(run)["joint_torque"], run["joint_torque"])


@each
def test_a_rerun_has_the_same_bits(case):
    runs = [case.simulate(case.gait, 0.05) for _ in range(2)]
    for name in runs[0].variables:
        np.testing.assert_array_equal(runs[0][name], runs[1][name], err_msg=name)


@each
def test_the_joints_of_a_prescribed_robot_are_the_gaits_own(case):
    if not isinstance(case.robot.drive, Prescribed):
        return
    run = case.simulate(case.gait, 0.1)
    wanted = motion_samples(case.gait.motion(case.robot), run.times)
    np.testing.assert_allclose(run["joint_position"], wanted[0], atol=1e-12)
    np.testing.assert_allclose(run["joint_velocity"], wanted[1], atol=1e-12)


WILD = PD(stiffness=1e9, damping=1e9, torque_limit=1e9)


@pytest.mark.parametrize(
    ("robot", "world"),
    [
        (PlanarSnake(drive=WILD), Plane()),
        (MovingFrameChain(4, fixed_tail=False, drive=WILD), FreeSpace()),
        (PlanarSnake(links=3, drive=WILD), PushingFloor()),
        (SeaSnake(4, drive=WILD, speed_limit=1e6, joint_limit=3.14), Floor()),
    ],
    ids=["planar", "tree", "pushing", "contact"],
)
def test_divergence_is_told_at_the_end_of_its_step_and_keeps_what_there_is(robot, world):
    times = {}
    start = Initial(joint_position=(-1.2, -1.0)) if isinstance(world, PushingFloor) else None
    for sample_period in (0.001, 0.05):
        for leads, controller in (("gait", WAVE), ("law", sp.control.OpenLoop(WAVE, rates=True))):
            with pytest.raises(SimulationDiverged) as caught:
                options = {"sample_period": sample_period, "control_period": 0.001, "initial": start}
                sp.simulate(robot, world, controller, 0.5, **options)
            assert not caught.value.trajectory.complete and caught.value.trajectory.times.size >= 1
            assert np.isfinite(caught.value.trajectory["joint_position"]).all()
            times.setdefault(leads, set()).add(round(caught.value.time, 9))
    assert all(len(found) == 1 for found in times.values()), times


@each
def test_a_batch_is_its_runs(case):
    """Two runs that differ in their gait, together and one by one."""
    engine, gaits = case.engine, (case.gait, dataclasses.replace(case.gait, frequency=1.3))
    motions = [gait.motion(case.robot) for gait in gaits]
    states = np.array([engine.initial(case.initial, motion, np.random.default_rng(0)) for motion in motions])
    together = type(engine).batch([engine, engine], motions, states, 60, 20)
    for i, (motion, state) in enumerate(zip(motions, states)):
        alone = engine.run_alone(motion, state, 60, 20)
        for name in set(together) & set(alone):
            np.testing.assert_allclose(together[name][i], alone[name], rtol=1e-8, atol=1e-9, err_msg=name)
