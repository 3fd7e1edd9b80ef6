"""Pushing from rest against a naive implementation, the paper's closed forms, and changes of coordinates and units."""

import numpy as np
import pytest
from naive_pushing import closed_form, naive_push, naive_response

from serpenoid.kernels.push.constraints import levers
from serpenoid.kernels.push.records import Push
from serpenoid.kernels.push.survey import dependent_rows, region_torques, respond, survey
from serpenoid.kernels.records import Chain

INF = np.inf


def chain_of(links, rng=None):
    """Return the paper's links, or unequal ones."""
    vary = np.ones(links) if rng is None else rng.uniform(0.5, 2.0, links)
    length = 0.15 * vary
    return Chain(length, length * (0.5 if rng is None else 0.3), 1.0 * vary, 0.002 * vary, np.zeros(links - 1))


def push_of(chain, limit, object_mass, link=0, position=None, side=1.0, wheels=True):
    """Return a contact on one link and a wheel in the middle of each other one."""
    others = [k for k in range(chain.mass.size) if k != link] if wheels else []
    links = np.array([link, *others])
    position = chain.length[links] * 0.5 if position is None else np.array([position, *chain.length[others] * 0.5])
    limits = np.array([[0.0, INF]] + [[-limit, limit]] * len(others))
    directions = np.array([[0.0, side]] + [[0.0, 1.0]] * len(others))
    return Push(levers(chain), links, position, directions, first_presses(links.size), limits, object_mass, 0.1, 0.0)


def first_presses(rows):
    """Return 1 for the contact and 0 for the other rows."""
    return np.eye(rows)[0]


def rows_of(push):
    return [
        (int(k), float(s), float(d), i == 0)
        for i, (k, s, d) in enumerate(zip(push.link, push.position, push.direction[:, 1]))
    ]


@pytest.mark.parametrize("limit", [0.0, 0.981, INF])
def test_responses_match_the_dense_reference_in_other_coordinates(limit):
    rng = np.random.default_rng(1)
    for links in (2, 3, 4, 6):
        chain = chain_of(links, rng)
        link, side = int(rng.integers(links)), float(rng.choice([-1.0, 1.0]))
        push = push_of(chain, limit, 7.0, link, rng.uniform(0, chain.length[link]), side)
        shape, heading = rng.uniform(-2, 2, links - 1), rng.uniform(-3, 3)
        torques, wrench = rng.uniform(-0.3, 0.3, (8, links - 1)), rng.uniform(-0.2, 0.2, 3)
        found = respond(push, heading, shape, torques, wrench)
        parts = naive_push(chain, shape, heading, rows_of(push), push.object_mass)
        for i, torque in enumerate(torques):
            twin = naive_response(parts, torque, wrench, push.limits, push.object_mass, push.object_inertia)
            assert np.allclose(found[2][i], twin[2], atol=1e-9)
            assert np.allclose(found[0][i][2:], twin[0][2:], atol=1e-9 * np.abs(twin[0]).max())
            assert np.allclose(found[1][i], twin[1], atol=1e-12)
            assert np.allclose(found[4][i, :3], twin[3], rtol=1e-9, atol=1e-12)
            assert found[4][i, 4] < 1e-12


@pytest.mark.parametrize("mass", [1.0, 2.5])
def test_ideal_wheels_are_the_closed_forms(mass):
    rng = np.random.default_rng(2)
    chain = chain_of(4)
    chain = chain._replace(mass=chain.mass * mass, inertia=chain.inertia * mass)
    kappa = 100.0
    push, shape = push_of(chain, INF, kappa * mass), rng.uniform(-2, 2, 3)
    mappings = closed_form(naive_push(chain, shape, 0.3, rows_of(push), None), mass, kappa)
    torques = rng.uniform(-0.3, 0.3, (50, 3))
    wrench = np.array([0.03, -0.04, 0.0])
    found = respond(push, 0.3, shape, torques, wrench)
    closed = found[3][:, 0] == 0
    assert 10 < closed.sum() < 50
    for i in np.flatnonzero(closed):
        acceleration = mappings[22] @ torques[i] + mappings[23] @ wrench[:2]
        body = mappings[24] @ torques[i] + mappings[25] @ wrench[:2]
        assert np.allclose(found[0][i, 2:], acceleration[2:], rtol=1e-9, atol=1e-9)
        assert np.allclose(found[1][i, :2], body, rtol=1e-9, atol=1e-12)
    alone = respond(push, 0.3, shape, torques, np.zeros(3))
    for i in np.flatnonzero(alone[3][:, 0] == 0):
        assert np.isclose(alone[4][i, 1], torques[i] @ mappings[28] @ torques[i], rtol=1e-9)
        assert np.isclose(alone[4][i, 0], torques[i] @ mappings[29] @ torques[i], rtol=1e-9)


def test_limits_of_friction_are_the_other_scenarios():
    rng = np.random.default_rng(3)
    chain, shape, still = chain_of(4), rng.uniform(-2, 2, 3), np.zeros(3)
    torques = rng.uniform(-0.3, 0.3, (200, 3))
    none = respond(push_of(chain, 0.0, 50.0, wheels=False), 0.0, shape, torques, still)
    ideal = respond(push_of(chain, INF, 50.0), 0.0, shape, torques, still)
    zero = respond(push_of(chain, 0.0, 50.0), 0.0, shape, torques, still)
    huge = respond(push_of(chain, 1e6, 50.0), 0.0, shape, torques, still)
    assert np.allclose(zero[4][:, :4], none[4][:, :4], rtol=1e-9)
    assert np.allclose(huge[4][:, :4], ideal[4][:, :4], rtol=1e-9)


def test_norms_and_ratio_do_not_know_metres_from_millimetres():
    rng = np.random.default_rng(4)
    chain, shape = chain_of(4, rng), rng.uniform(-2, 2, 3)
    torques, wrench = rng.uniform(-0.3, 0.3, (40, 3)), np.array([0.02, -0.01, 0.001])
    metres = push_of(chain, 0.981, 9.0)
    large = chain._replace(length=chain.length * 1e3, center=chain.center * 1e3, inertia=chain.inertia * 1e6)
    millimetres = push_of(large, 0.981e3, 9.0)._replace(object_inertia=0.1e6)
    a = respond(metres, 0.4, shape, torques, wrench)
    b = respond(millimetres, -1.9, shape, torques * 1e6, turned(wrench, -2.3) * np.array([1e3, 1e3, 1e6]))
    assert np.allclose(b[4][:, :3] / 1e6, a[4][:, :3], rtol=1e-10)
    assert np.allclose(b[4][:, 3], a[4][:, 3], rtol=1e-10)
    assert np.array_equal(a[3], b[3])


def turned(wrench, angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * wrench[0] - s * wrench[1], s * wrench[0] + c * wrench[1], wrench[2]])


@pytest.mark.parametrize(
    ("limit", "norm", "ratio"), [(0.0, 0.00707, 0.017), (0.981, 0.00845, 0.917), (INF, 0.00845, 0.987)]
)
def test_the_numbers_of_the_example_shape(limit, norm, ratio):
    angle = np.linspace(0, 2 * np.pi, 720, endpoint=False)
    rim, shape = np.stack([np.cos(angle), np.sin(angle)], axis=1), np.radians([-135.0, -135.0])
    push = push_of(chain_of(3), limit, 100.0)
    greatest, _, residual = survey(push, shape[None], 1.0, rim)
    assert greatest[0, 0] == pytest.approx(norm, rel=0.02)
    assert greatest[0, 3] == pytest.approx(0.987 if limit else 0.017, rel=0.02)  # inside the region scenario 2 is 3
    torques = region_torques(push, shape[None], 1.0, rim)[0]
    at_rim = respond(push, 0.0, shape, torques, np.zeros(3))[4]
    assert at_rim[:, 3].max() == pytest.approx(ratio, rel=0.02)
    assert residual < 1e-10


def test_two_wheels_on_one_axle_are_redundant_and_change_nothing():
    chain, shape, still = chain_of(3), np.array([0.4, -0.8]), np.zeros(3)
    torques = np.random.default_rng(5).uniform(-0.2, 0.2, (50, 2))
    single = push_of(chain, 0.981, 20.0)
    again = [1, 1, 2, 2, 2]
    double = Push(
        single.levers, np.array([0, *again]), np.full(6, 0.075), np.tile([0.0, 1.0], (6, 1)), first_presses(6),
        np.array([[0.0, INF]] + [[-0.4905, 0.4905]] * 2 + [[-0.327, 0.327]] * 3), 20.0, 0.1, 0.0,
    )  # fmt: skip
    assert dependent_rows(single, shape).tolist() == [False, False, False]
    assert dependent_rows(double, shape).tolist() == [False, False, True, False, True, True]
    one, two = (respond(push, 0.0, shape, torques, still) for push in (single, double))
    assert np.allclose(one[0], two[0], rtol=1e-9, atol=1e-9)
    assert np.allclose(one[4][:, :4], two[4][:, :4], rtol=1e-9)
    assert np.allclose(one[2][:, 1], two[2][:, 1:3].sum(axis=1), atol=1e-12)
    assert two[4][:, 4].max() < 1e-12


def test_the_ground_holds_an_object_up_to_its_friction_in_any_direction():
    chain, shape = chain_of(3), np.array([0.4, -0.8])
    bare = push_of(chain, INF, 5.0)
    limit = 0.2
    row = np.append
    push = bare._replace(
        link=row(bare.link, -1), position=row(bare.position, 0.0),
        direction=np.vstack([bare.direction, [0.0, 0.0]]), presses=row(bare.presses, 0.0),
        limits=np.vstack([bare.limits, [-limit, limit]]),
    )  # fmt: skip
    rng = np.random.default_rng(11)
    seen = set()
    for _ in range(60):
        torque, wrench = rng.uniform(-0.08, 0.08, (1, 2)), np.append(rng.uniform(-0.3, 0.3, 2), 0.0)
        _, body, force, state, measures = respond(push, 0.0, shape, torque, wrench)
        net = force[0, 0] * np.array([0.0, 1.0]) + wrench[:2]  # contact of link 0, heading 0, and the wrench
        seen.add((int(state[0, 0]), bool(np.hypot(*net) > limit)))
        excess = max(0.0, 1.0 - limit / np.hypot(*net)) * net / 5.0
        assert np.allclose(body[0, :2], excess, atol=1e-12)
        assert measures[0, 4] < 1e-10
    assert len(seen) == 4
