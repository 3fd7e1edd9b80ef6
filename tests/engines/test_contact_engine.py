"""The contact engine: weight, creep, friction by direction, free flight, planar snakes, starts that are refused."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
import pytest
from refusals import refused

import serpenoid as sp
from serpenoid.control import JointAdmittance, OpenLoop, ShapeCompliance
from serpenoid.engines.base import Initial, Log, Moment
from serpenoid.engines.contact.engine import ContactEngine
from serpenoid.engines.observation import sensed_at
from serpenoid.errors import InvalidValue, SimulationDiverged, Unsupported
from serpenoid.gaits import CompoundSerpenoid, Serpenoid, Sidewinding, Slithering
from serpenoid.robots import PD, Cascade, PlanarSnake, Prescribed, SeaSnake, SeriesElastic
from serpenoid.runtime.loop import Loop, run_loop
from serpenoid.runtime.plant import Plant
from serpenoid.runtime.plants import SimulatedPlant
from serpenoid.runtime.stop_rules import LeaveArea
from serpenoid.worlds import ContactSettings, ContactWorld, Disc, Floor, FreeSpace, Ground, Plane
from serpenoid_papers.benchmarks.contact import GAIT, bare_loop, our_loop

STILL = CompoundSerpenoid(0.0, 0.0, frequency=0.0)
LOOSE = ContactSettings("pyramidal", 1.0, 0, 0.02)  # MuJoCo's own defaults


@dataclass(frozen=True)
class Nowhere(ContactWorld):
    """Weight and nothing else."""

    def geometry(self):
        return ()


@dataclass(frozen=True)
class Tilted(Floor):
    """A floor whose slope is half of what its friction holds, as a weight that leans."""

    @property
    def gravity_vector(self):
        angle = np.arctan(0.5 * self.friction)
        return (self.gravity * np.sin(angle), 0.0, -self.gravity * np.cos(angle))


@dataclass(frozen=True)
class Post(Floor):
    """A floor with a post under the snake's middle."""

    def geometry(self):
        return (Ground((0.0, 0.0, 0.0)), Disc((0.0, 0.0), 0.02))


@dataclass(frozen=True)
class Pegged(Floor):
    """A floor with pegs on both sides of a lane."""

    def geometry(self):
        places = [(0.17 * i - 1.0, side * (0.07 + 0.02 * (i % 3))) for i in range(13) for side in (-1, 1)]
        return (Ground((0.0, 0.0, 0.0)), *(Disc(place, 0.02) for place in places))


def axes_of(turn):
    """Unit vectors along links, of quaternions w x y z."""
    w, x, y, z = np.moveaxis(turn, -1, 0)
    return np.stack([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)], axis=-1)


@pytest.fixture(scope="module")
def resting():
    return sp.simulate(SeaSnake(), Floor(), STILL, 1.0)


def test_contact_forces_carry_the_weight(resting):
    weight = 4.067 * 9.81
    np.testing.assert_allclose(resting["contact_force"][-1].sum(axis=0), (0.0, 0.0, weight), atol=1e-4 * weight)
    np.testing.assert_allclose(np.nansum(resting["touch_force"][-1], axis=0), (0.0, 0.0, weight), atol=1e-4 * weight)


def test_a_resting_snake_senses_its_weight(resting):
    np.testing.assert_allclose(resting["accelerometer"][-1].mean(axis=0), (0.0, 0.0, 9.81), atol=1e-2)


def test_single_contacts_add_up_to_those_of_links(resting):
    link, force = resting["touch_link"][50], resting["touch_force"][50]
    for k in range(19):
        np.testing.assert_allclose(force[link == k].sum(axis=0), resting["contact_force"][50, k], atol=1e-9)


def test_the_default_floor_holds_where_mujocos_own_creeps():
    creep = {}
    for name, settings in (("ours", ContactSettings()), ("loose", LOOSE)):
        run = sp.simulate(SeaSnake(), Tilted(contact=settings), STILL, 2.0)
        creep[name] = float(run["center_of_mass"][-1, 0] - run["center_of_mass"][100, 0])
    assert abs(creep["ours"]) < 1e-6 and creep["loose"] > 1e-4


def test_free_flight_is_that_of_the_tree_engine():
    robot = SeaSnake(joint_damping=0.01, joint_armature=0.002, speed_limit=1e3, drive=PD(5.0, 0.1, 100.0))
    start = Initial(base_pose=(0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0), base_twist=(0.1, 0.2, 0.3, 0.2, 0.1, -0.3))
    leads = OpenLoop(CompoundSerpenoid(0.5, 0.25, phase_offset=0.75 * np.pi, frequency=1.0), rates=True)
    flying = Nowhere(contact=ContactSettings(integrator="rk4"))
    runs = [
        sp.simulate(robot, world, leads, 1.0, initial=start, step=0.00025)
        for world in (FreeSpace(gravity=True), flying)
    ]
    for name in ("joint_position", "link_pose", "base_twist", "accelerometer", "gyroscope", "momentum_angular",
                 "energy_kinetic"):  # fmt: skip
        np.testing.assert_allclose(runs[1][name], runs[0][name], atol=1e-6, err_msg=name)
    np.testing.assert_allclose(runs[1]["joint_torque"], runs[0]["joint_torque"], atol=1e-4)


def test_a_planar_snake_goes_as_in_the_planar_engine():
    robot, leads = PlanarSnake(drive=PD(3.0, 0.05, 5.0)), OpenLoop(Serpenoid(0.5, 0.5), rates=True)
    plane = Plane(friction_longitudinal=0.1, friction_transverse=0.5, stations=2, smoothing=0.001)
    ours = sp.simulate(robot, plane, leads, 5.0, step=0.0002, control_period=0.002)
    theirs = sp.simulate(robot, Floor(friction=0.5, friction_along=0.1), leads, 5.0, control_period=0.002)
    paths = [run["center_of_mass"][:, :2] - run["center_of_mass"][0, :2] for run in (ours, theirs)]
    travelled = np.linalg.norm(paths[0][-1])
    assert np.linalg.norm(paths[1] - paths[0], axis=1).max() < 0.005 * travelled
    assert np.abs(ours["joint_position"] - theirs["joint_position"]).max() < 0.01


def test_every_link_of_the_plane_lies_on_the_gauss_points_of_its_own_line():
    run = sp.simulate(PlanarSnake(drive=PD(3.0, 0.05, 5.0)), Floor(), Serpenoid(0.0, 0.5), 0.02)
    head = run["link_pose"][1, 0, 0]
    points = np.sort(run["touch_point"][1, :10, 0]) - head
    wanted = np.add.outer(0.1 + 0.2 * np.arange(5), (-0.1 / np.sqrt(3.0), 0.1 / np.sqrt(3.0))).ravel()
    np.testing.assert_allclose(points, wanted, atol=1e-6)


@pytest.mark.parametrize(("direction", "wanted"), [((1.0, 0.0), 0.1), ((0.0, 1.0), 0.5)])
def test_friction_along_and_across(direction, wanted):
    run = sp.simulate(
        PlanarSnake(drive=PD(30.0, 0.5, 50.0)), Floor(friction=0.5, friction_along=0.1), Serpenoid(0.0, 0.5), 0.1,
        initial=Initial(base_twist=(*direction, 0.0, 0.0, 0.0, 0.0)),
    )  # fmt: skip
    force = run["contact_force"][5].sum(axis=0)
    assert np.linalg.norm(force[:2]) / force[2] == pytest.approx(wanted, rel=0.01)


def test_sliding_contacts_stay_closed():
    run = sp.simulate(SeaSnake(), Floor(), Slithering(), 1.0, sample_period=0.001)
    touching = (run["contact_force"][500:, :, 2] > 0.0).mean(axis=0)
    assert touching.min() > 0.99  # MuJoCo's own settings: 0.4
    share = run["contact_force"][500:, :, 2] / (9.81 * SeaSnake().tree().mass)
    assert share.max() < 2.0  # else blows of ten times a module's weight


def test_no_post_within_reach_is_missed():
    """No link passes through a peg, and each contact above the floor is at one."""
    robot, world = SeaSnake(), Pegged()
    run = sp.simulate(robot, world, Slithering(), 2.0, initial=Initial(joint_position=(0.0,) * 18))
    middle = run["link_pose"][..., :3] + 0.5 * robot.module_length * axes_of(run["link_pose"][..., 3:])
    pegs = np.array([peg.center for peg in world.geometry()[1:]])
    away = np.linalg.norm(middle[:, :, None, :2] - pegs, axis=-1).min(axis=-1)
    assert robot.radius + 0.02 - 0.003 < away.min() < robot.radius + 0.02  # pressed, not passed through
    beside = np.linalg.norm(run["touch_point"][..., None, :2] - pegs, axis=-1).min(axis=-1)
    aloft = run["touch_point"][..., 2] > 0.01
    assert aloft.any() and (np.abs(beside[aloft] - 0.02) < 0.002).all()


def test_a_start_inside_a_post_is_refused():
    with pytest.raises(InvalidValue, match="link_8") as error:
        sp.simulate(SeaSnake(), Post(), STILL, 0.1)
    assert error.value.field == "initial"


def test_prescribed_joints_are_refused():
    with pytest.raises(Unsupported, match="need a drive"):
        sp.simulate(SeaSnake(drive=Prescribed()), Floor(), STILL, 0.1)


def test_a_motor_behind_a_spring_has_a_top_speed():
    """Weightless, from rest, led to an angle far off: no faster than that, apart from the gain of one step."""
    robot = SeaSnake(2, speed_limit=2.0, drive=SeriesElastic(300.0, 3.0, 7.0, rotor_inertia=0.02))
    far, aloft = CompoundSerpenoid(0.0, 0.0, frequency=0.0, offset=1.2), (0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0)
    start = Initial(joint_position=(0.0, 0.0), base_pose=aloft)
    run = sp.simulate(robot, Floor(gravity=0.0), far, 0.3, sample_period=0.01, initial=start)
    assert 1.9 < np.diff(run["motor_position"][:, 0]).max() / 0.01 < 2.0 + 0.001 * 7.0 / 0.02


def test_divergence_leaves_no_log_of_mujocos(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    wild = SeaSnake(4, drive=PD(1e9, 1e9, 1e9), speed_limit=1e6, joint_limit=3.14)
    with pytest.raises(SimulationDiverged) as caught:
        sp.simulate(wild, Floor(), Serpenoid(0.4, 1.0, 1.0), 0.5)
    assert np.isfinite(caught.value.trajectory["joint_position"]).all() and not list(tmp_path.iterdir())


def test_telemetry_of_modules(resting):
    np.testing.assert_array_equal(resting["voltage"], 48.0)
    assert resting["current"].min() >= 0.04 and resting["temperature"].min() >= 25.0
    rise = 1.0 * resting["joint_torque"][-1] ** 2 * (1.0 - np.exp(-1.0 / 600.0))
    np.testing.assert_allclose(resting["temperature"][-1] - 25.0, rise, rtol=0.1, atol=1e-4)


def test_our_loop_makes_the_very_steps_of_mujoco():
    bare, ours = bare_loop(30, with_rates=True)(), our_loop(30, OpenLoop(GAIT, rates=True))()
    np.testing.assert_array_equal(np.append(ours["base_pose"][-1], ours["joint_position"][-1]), bare)


@pytest.mark.parametrize("drive", [PD(30.0, 0.3, 7.0), Cascade()])
def test_what_steps_tell_of_samples_is_what_a_forward_pass_tells(drive):
    robot = SeaSnake(drive=drive)
    engine, motion = ContactEngine(robot, Floor(), 0.001), Sidewinding().motion(robot)
    start = engine.initial(Initial(), motion, np.random.default_rng(0))
    states, times = np.vstack([start, engine.rollout(0, start, motion, 100, 20)]), 0.02 * np.arange(6)
    log = Log(times, states, engine.motion_commands(times, motion))
    noted = engine.variables(log)
    rows = engine.notes.find(np.rint(times / 0.001), states, np.array((*log.commands[:2], log.commands.torque)))
    assert rows.tolist() == [0, 1, 2, 3, 4, -1]  # the last state has no step
    engine.notes.forget()
    for name, values in engine.variables(log).items():
        np.testing.assert_allclose(noted[name], values, rtol=1e-9, atol=1e-9, err_msg=name)


def test_imus_show_what_mujoco_says_of_each_link():
    robot = SeaSnake()
    engine, motion = ContactEngine(robot, Floor(), 0.001), Sidewinding().motion(robot)
    start = engine.initial(Initial(), motion, np.random.default_rng(0))
    state = engine.rollout(0, start, motion, 300, 300)[-1]
    seen = sensed_at(Moment(engine, 0.3, state, engine.motion_command(300, motion), None))
    felt, turning = seen.accelerometer, seen.gyroscope
    told, kind = np.zeros((2, 6)), mujoco.mjtObj.mjOBJ_XBODY
    for link, body in enumerate(engine.physics.link_body):
        mujoco.mj_objectAcceleration(engine.model, engine.data, kind, body, told[0], 1)
        mujoco.mj_objectVelocity(engine.model, engine.data, kind, body, told[1], 1)
        np.testing.assert_allclose((felt[link], turning[link]), (told[0, 3:], told[1, :3]), rtol=1e-9, atol=1e-9)


@pytest.mark.full  # the law and the loop are compiled together: long
@pytest.mark.parametrize("law", [JointAdmittance(), ShapeCompliance.presets()["sidewinding_ac"]()], ids=type)
def test_a_fused_law_is_that_law_called_tick_by_tick(law):
    """The second one reads IMUs."""
    engine = ContactEngine(SeaSnake(), Floor(), 0.001)
    plants = [SimulatedPlant(engine, 0.01, 0.02), SimulatedPlant(engine, 0.01, 0.02)]
    rule = LeaveArea((-2.0, -2.0), (2.0, 2.0))
    fused = run_loop(plants[0], law, 0.3, stop=rule)
    loop = Loop(plants[1], law, stop=rule)
    assert plants[1].can_fuse(loop.running)
    for _ in range(30):
        loop.running.tick += Plant.advance(plants[1], loop.running, 1).size
    called = plants[1].samples()[1]
    np.testing.assert_allclose(fused["joint_position"][:-1], called["joint_position"], atol=1e-12)
    np.testing.assert_allclose(fused["joint_torque"][:-1], called["joint_torque"], atol=1e-9)
    left = run_loop(plants[0], law, 0.3, stop=LeaveArea((5.0, 5.0), (6.0, 6.0)))
    assert left.attributes["stopped"] and left.times[-1] == pytest.approx(0.0, abs=0.011)


@pytest.mark.parametrize("collides", [False, True])
def test_links_collide_with_each_other_where_they_are_asked_to(collides):
    ring = Initial(joint_position=tuple(1.5 if j % 2 == 0 else 0.0 for j in range(12)))
    engine = ContactEngine(SeaSnake(12, self_collision=collides), Floor(), 0.001)
    if collides:
        with refused("initial"):
            engine.initial(ring, None, np.random.default_rng(0))
    else:
        assert engine.initial(ring, None, np.random.default_rng(0)).size == engine.layout.size
