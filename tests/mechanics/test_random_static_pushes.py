"""Random pushes from rest: none is refused, and the conditions hold in other coordinates, from dense matrices."""

import numpy as np
import pytest
from naive_pushing import naive_push

from serpenoid.mechanics import pushing
from serpenoid.robots import PlanarSnake
from serpenoid.worlds.pushing import Contact, PushedObject, Wheels


def random_problem(seed):
    """Wheels of all kinds, up to three at a link, rough ground, any link in contact, a force from outside or none."""
    rng = np.random.default_rng([31, seed])
    links = int(rng.integers(2, 8))
    robot = PlanarSnake(links, 0.15, 1.0, 0.002)
    stations = ((0.0,), (-0.3, 0.3), (-0.4, 0.0, 0.4))[int(rng.integers(3))]
    on = (None, tuple(range(links)), (1,))[int(rng.integers(3))]
    wheels = Wheels(("friction", "ideal")[seed % 2], 10 ** rng.uniform(-2, 0), on, stations)
    thing = PushedObject(rng.uniform(1.0, 50.0), friction=10 ** rng.uniform(-4, 0))
    contact = Contact(int(rng.integers(links)), rng.uniform(-0.5, 0.5), str(rng.choice(["left", "right"])))
    wrench = np.append(rng.uniform(-1, 1, 2) * rng.choice([0.0, 0.1, 1.0, 10.0]), 0.0)
    shape, torque = rng.uniform(-2, 2, links - 1), rng.uniform(-1, 1, links - 1) * 10 ** rng.uniform(-2, 1)
    return robot, shape, thing, torque, wheels, contact, wrench


def check_problem(seed):
    """The conditions of a convex problem: a solution that satisfies them has the unique acceleration."""
    robot, shape, thing, torque, wheels, contact, wrench = random_problem(seed)
    found = pushing(robot, shape, thing, torque, wheels=wheels, contact=contact, wrench=wrench)
    chain = robot.chain()
    places = wheels.places(chain.mass.size, contact.link)
    side = 1.0 if contact.side == "left" else -1.0
    rows = [(contact.link, chain.length[0] * (0.5 + contact.point), side, True)]
    rows += [(link, chain.length[0] * (0.5 + station), 1.0, False) for link, station in places]
    mass, torque_map, constraint, grasp = naive_push(chain, shape, 0.0, rows, thing.mass)
    force, body = found.force[:-1], found.object_acceleration[:2]
    loads = np.linalg.solve(mass, np.column_stack([torque_map @ torque, -constraint.T * force]))
    slip = grasp.T @ body - constraint @ loads.sum(axis=1)
    size = 1e-7 * (np.abs(constraint @ loads).sum(axis=1).max() + np.abs(body).max())
    assert force[0] >= 0.0
    assert slip[0] >= -size
    assert force[0] == 0.0 or slip[0] <= size
    limit = wheels.limit(1.0)
    assert (np.abs(force[1:]) <= limit).all()
    held = np.abs(force[1:]) < limit
    assert np.abs(slip[1:][held]).max(initial=0.0) <= size
    assert (slip[1:][~held] * force[1:][~held]).max(initial=0.0) <= size * limit
    ground = thing.mass * body - grasp @ force - wrench[:2]
    most = thing.friction * thing.mass * 9.81
    scale = 1e-9 * (most + np.abs(force).max() + np.abs(wrench).max())
    assert np.hypot(*ground) <= most + scale
    if thing.mass * np.hypot(*body) > 100.0 * scale:
        assert np.allclose(ground, -most * body / np.hypot(*body), atol=1e-6 * most)
    return found


def test_random_static_pushes_are_solved():
    found = [check_problem(seed) for seed in range(200)]
    assert max(answer.residual for answer in found) < 1e-9
    assert 20 < sum(bool(answer.slips[-1]) for answer in found) < 180
    assert 20 < sum(bool(answer.contact_holds) for answer in found) < 180
    assert sum(len(answer.redundant) > 0 for answer in found) > 50


@pytest.mark.full
def test_three_thousand_random_static_pushes_are_solved():
    for seed in range(3000):
        check_problem(seed)
