"""Pushes over time: first instant, energy balance, conditions, and an independent reference implementation."""

import numpy as np
import pytest
from naive_push_run import link_points, naive_run

from serpenoid.analysis import energy_residual
from serpenoid.control.torque import HeldTorque
from serpenoid.engines.base import Initial
from serpenoid.errors import InvalidValue, Unsupported
from serpenoid.mechanics import pushing
from serpenoid.robots import PD, PlanarSnake, Prescribed
from serpenoid.scenarios.push import Push
from serpenoid.simulation import simulate
from serpenoid.worlds.pushing import Contact, PushedObject, PushingFloor, Wheels
from serpenoid_papers.pushing import in_time

ROBOT = PlanarSnake(3, 0.15, 1.0, 0.002, joint_damping=0.001, drive=PD(torque_limit=10.0))
SHAPE, TORQUE = (-1.2, -1.0), (0.06, 0.03)


def run(floor, torque=TORQUE, duration=0.6, shape=SHAPE, robot=ROBOT, **options):
    return simulate(
        robot, floor, HeldTorque(torque), duration, initial=Initial(joint_position=shape), control_period=0.005,
        sample_period=0.005, **options,
    )  # fmt: skip


def test_the_first_instant_is_the_static_analysis():
    rng = np.random.default_rng(1)
    for case in range(30):
        links = int(rng.integers(2, 6))
        robot = PlanarSnake(links, 0.15, 1.0, 0.002, drive=PD(torque_limit=10.0))
        contact = Contact(int(rng.integers(links)), rng.uniform(-0.4, 0.4), str(rng.choice(["left", "right"])))
        friction = (0.0, 0.003, 0.1)[case % 3]
        floor = PushingFloor(
            PushedObject(10.0, 0.03, friction), Wheels(("none", "friction", "ideal")[case // 3 % 3], 0.05), contact
        )
        shape, torque = rng.uniform(-0.5, 0.5, links - 1), rng.uniform(-0.2, 0.2, links - 1)
        found = run(floor, tuple(torque), 0.005, tuple(shape), robot)
        static = pushing(robot, shape, floor.object, torque, wheels=floor.wheels, contact=contact)
        wheels = found["wheel_force"][0]
        assert found["contact_force"][0, contact.link] == pytest.approx(static.force[0], abs=1e-10)
        assert wheels[~np.isnan(wheels)] == pytest.approx(
            static.force[1 : links * (floor.wheels.kind != "none")], abs=1e-10
        )
        closed = found["contact_force"][0] > 0
        assert closed[contact.link] == (static.contact_holds and static.force[0] > 0)


@pytest.mark.parametrize("wheels", ["none", "friction", "ideal"])
@pytest.mark.parametrize(("gap", "friction"), [(0.0, 0.0), (0.004, 0.001)])
def test_books_balance_and_conditions_hold(wheels, gap, friction):
    floor = PushingFloor(PushedObject(5.0, friction=friction), Wheels(wheels, 0.05), gap=gap)
    found = run(floor, duration=1.0)
    assert energy_residual(found) < 1e-6
    assert found["gap"].min() > -1e-9
    assert found["contact_force"].min() > -1e-9
    assert np.abs(found["gap"] * found["contact_force"]).max() < 1e-9
    assert found["contact_force"].max() > 0.1
    if gap:
        assert found["work_impacts"][-1] < 0.0
        assert found["contact_force"][0].max() == 0.0
    if friction:
        assert found["work_ground"][-1] < 0.0
    if wheels == "none":
        return
    slip, force, holds = (found[name][:, 1:] for name in ("wheel_slip", "wheel_force", "wheel_holds"))
    assert np.abs(slip[holds == 1]).max() < 1e-8
    if wheels == "friction":
        limit = 0.05 * 9.81
        assert np.abs(force).max() <= limit * (1 + 1e-8)
        assert (holds == 0).any()
        assert np.allclose(force[holds == 0], -limit * np.sign(slip[holds == 0]), atol=1e-9) or (
            np.abs(slip[holds == 0]).min() < 1e-8
        )


def test_momentum_stays_without_wheels_and_friction():
    floor = PushingFloor(PushedObject(5.0), Wheels("none"), gap=0.004)
    found = run(floor)
    total = found["momentum_linear"] + 5.0 * found["object_velocity"]
    place, speed = found["object_position"], found["object_velocity"]
    spin = found["momentum_angular"] + 5.0 * (place[:, 0] * speed[:, 1] - place[:, 1] * speed[:, 0])
    assert np.abs(5.0 * found["object_velocity"]).max() > 0.05
    assert np.abs(total).max() < 1e-10
    assert np.abs(spin).max() < 1e-6 * np.abs(found["momentum_angular"]).max()  # error of the step


def test_accelerometers_show_the_accelerations_of_the_links():
    found = run(PushingFloor(PushedObject(5.0), Wheels("friction", 0.3)), duration=0.1)
    angle = 2.0 * np.arctan2(found["link_pose"][..., 6], found["link_pose"][..., 3])
    along = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    across = np.stack([-np.sin(angle), np.cos(angle)], axis=-1)
    middle = found["link_pose"][..., :2] + 0.075 * along
    measured = (middle[2:] - 2.0 * middle[1:-1] + middle[:-2]) / 0.005**2
    seen = found["accelerometer"][1:-1]
    scale = np.abs(measured).max()
    assert np.abs((measured * along[1:-1]).sum(axis=-1) - seen[..., 0]).max() < 0.01 * scale
    assert np.abs((measured * across[1:-1]).sum(axis=-1) - seen[..., 1]).max() < 0.01 * scale


@pytest.mark.parametrize(("kind", "limit"), [("none", 0.0), ("friction", 0.05 * 9.81), ("ideal", np.inf)])
def test_agrees_with_time_stepping_as_its_step_shrinks(kind, limit):
    chain = ROBOT.chain()._replace(joint_damping=np.zeros(2))
    robot = PlanarSnake(3, 0.15, 1.0, 0.002, joint_damping=0.0, drive=PD(torque_limit=10.0))
    floor = PushingFloor(PushedObject(5.0, 0.1), Wheels(kind, 0.05), gap=0.002)
    found = run(floor, duration=0.4, robot=robot)
    q = np.array([0.0, 0.0, 0.0, *SHAPE])
    wheels = [(1, 0.075), (2, 0.075)] if kind != "none" else []
    errors = []
    for step in (2e-3, 1e-3):
        start = np.array([0.075, 0.102])
        q_end, center = naive_run(chain, q, start, 0.1, 5.0, wheels, limit, np.array(TORQUE), step, round(0.4 / step))
        ends = link_points(chain, q_end)[:3]
        errors.append(
            max(
                np.abs(ends - found["link_pose"][-1, :, :2]).max(),
                np.abs(center - found["object_position"][-1, :2]).max(),
            )
        )
    moved = np.abs(found["link_pose"][-1, :, :2] - found["link_pose"][0, :, :2]).max()
    assert moved > 0.02
    assert errors[1] < 0.02 * moved
    assert errors[1] < 0.7 * errors[0]  # first order, as the reference is


def test_what_cannot_be_run_is_said_in_one_line():
    with pytest.raises(Unsupported):
        run(PushingFloor(), robot=PlanarSnake(3, drive=Prescribed()))
    with pytest.raises(InvalidValue, match="link 2 is .* deep"):
        run(PushingFloor(), shape=(-2.356, -2.356))
    with pytest.raises(InvalidValue, match="torque = .*: must be 2 numbers, one per joint"):
        run(PushingFloor(), torque=(0.1,))
    with pytest.raises(InvalidValue, match="shape = .*: must be 2 numbers"):
        Push(shape=(0.1,))


def test_a_gait_can_push_too():
    from serpenoid.gaits import Serpenoid

    found = simulate(ROBOT, PushingFloor(PushedObject(2.0), Wheels("friction", 0.3)), Serpenoid(), 0.5)
    assert energy_residual(found) < 1e-6
    assert found["work_drive"][-1] > 0.0


def test_the_experiment_over_time_draws_its_figure(tmp_path):
    result = in_time.run(in_time.Config(duration=0.05, release=0.02), lambda text: None)
    assert [path.stat().st_size > 5_000 for path in in_time.figure(result, tmp_path)] == [True]
    assert in_time.claims(result) == []


def test_the_scenario_reports_its_first_instant_and_its_books():
    scenario = Push(duration=0.2, wheels="ideal")
    summary = scenario.summary(scenario.run())
    assert summary["static_force_error"].value < 1e-9
    assert summary["energy_residual"].value < 1e-6
    assert summary["object_moved"].value > 0.0
