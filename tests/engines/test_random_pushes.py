"""Random pushes over time: none is refused, the energy balance closes and the contact conditions hold."""

import numpy as np
import pytest
from naive_push_run import link_points, naive_run

from serpenoid.control.torque import HeldTorque
from serpenoid.engines.base import Initial
from serpenoid.errors import InvalidValue
from serpenoid.robots import PD, PlanarSnake
from serpenoid.scenarios.push import Push
from serpenoid.simulation import simulate
from serpenoid.worlds.pushing import Contact, PushedObject, PushingFloor, Wheels


def random_floor(rng, kind, links):
    """An object of any size, rough or smooth, at any link, with one wheel or two at each link."""
    contact = Contact(int(rng.integers(links)), rng.uniform(-0.5, 0.5), str(rng.choice(["left", "right"])))
    friction = float(rng.choice([0.0, 10 ** rng.uniform(-3.5, -1)]))
    thing = PushedObject(10 ** rng.uniform(0, 1.5), rng.uniform(0.03, 0.2), friction)
    stations = ((0.0,), (-0.3, 0.3))[int(rng.random() < 0.3)]
    on = tuple(range(links)) if rng.random() < 0.2 else None
    gap = float(rng.choice([0.0, rng.uniform(0.0, 0.02)]))
    return PushingFloor(thing, Wheels(kind, 10 ** rng.uniform(-2, 0), on, stations), contact, gap)


def random_push(seed, duration):
    """A run from a random shape whose links do not lie in the object."""
    rng = np.random.default_rng([30, seed])
    links, kind = int(rng.integers(2, 7)), ("none", "friction", "ideal")[seed % 3]
    robot = PlanarSnake(links, 0.15, 1.0, 0.002, joint_damping=0.001, drive=PD(torque_limit=10.0))
    floor, torque = random_floor(rng, kind, links), tuple(rng.uniform(-0.1, 0.1, links - 1))
    for _ in range(200):
        start = Initial(joint_position=tuple(rng.uniform(-1.5, 1.5, links - 1)))
        try:
            return floor, simulate(
                robot, floor, HeldTorque(torque), duration, initial=start, control_period=0.005, sample_period=0.005
            )
        except InvalidValue as error:
            assert error.field == "joint_position"
    raise AssertionError("no shape without overlap")


def energy_error(found):
    """Greatest error of the energy balance, relative to the energy that passed."""
    energy = found["energy_kinetic"] + found["energy_object"]
    names = ("work_drive", "work_damping", "work_wheels", "work_ground", "work_impacts")
    error = energy - energy[0] - sum(found[name] for name in names)
    return np.abs(error).max() / (max(energy.max(), np.abs(found["work_drive"]).max()) + 1e-9)


def check_conditions(floor, found):
    """Complementarity of the contacts, limits of the wheels, and losses that only grow."""
    assert found["gap"].min() > -1e-6
    assert found["contact_force"].min() >= 0.0
    assert np.abs(found["gap"] * found["contact_force"]).max() < 1e-6
    for name in ("work_wheels", "work_ground", "work_impacts"):
        assert np.diff(found[name]).max() < 1e-12
    if floor.wheels.kind == "friction":
        limit = floor.wheels.limit(1.0) * len(floor.wheels.stations)
        assert np.nanmax(np.abs(found["wheel_force"])) <= limit * (1 + 1e-6)


def check_pushes(seeds, duration):
    errors = []
    for seed in seeds:
        floor, found = random_push(seed, duration)
        check_conditions(floor, found)
        errors.append(energy_error(found))
    return np.array(errors)


def test_random_pushes_are_solved():
    errors = check_pushes(range(60), 1.0)
    assert np.median(errors) < 1e-8
    assert np.mean(errors < 1e-5) > 0.95


@pytest.mark.full
def test_a_thousand_random_pushes_are_solved():
    errors = check_pushes(range(1000), 2.0)
    assert np.median(errors) < 1e-8
    assert np.mean(errors < 1e-5) > 0.95


def test_an_object_that_rolls_over_a_joint_agrees_with_time_stepping():
    robot = PlanarSnake(3, 0.15, 1.0, 0.002, joint_damping=0.0, drive=PD(torque_limit=10.0))
    shape, torque = (-0.34, -0.33), (-0.063, -0.007)
    found = Push(robot=robot, wheels="none", shape=shape, torque=torque, duration=0.5).run()
    pressed = (found["contact_force"] > 0.0).any(axis=0)
    assert pressed[0]
    chain = robot.chain()
    errors = []
    for step in (2e-3, 1e-3):
        q = np.array([0.0, 0.0, 0.0, *shape])
        q, center = naive_run(
            chain, q, np.array([0.075, 0.1]), 0.1, 20.0, [], 0.0, np.array(torque), step, round(0.5 / step)
        )
        ends = link_points(chain, q)[:3]
        errors.append(np.abs(ends - found["link_pose"][-1, :, :2]).max())
        errors[-1] = max(errors[-1], np.abs(center - found["object_position"][-1, :2]).max())
    moved = np.abs(found["link_pose"][-1, :, :2] - found["link_pose"][0, :, :2]).max()
    assert errors[1] < 0.02 * moved
    assert errors[1] < 0.7 * errors[0]
