"""Articulated sweep against the dense equations of the whole chain."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from serpenoid.kernels.pegs.articulated_solve import root, solve
from serpenoid.kernels.pegs.records import LinkWork, SweepWork

STEP = 0.01


def random_chain(links, rng):
    """Return inertias (links, 3, 3), asymmetric as at sliding contacts, biases (links, 3), and other inputs."""
    half = rng.normal(size=(links, 3, 3))
    inertia = half @ half.transpose(0, 2, 1) + np.eye(3) + 0.1 * rng.normal(size=(links, 3, 3))
    bias, place, torque = rng.normal(size=(links, 3)), rng.normal(size=(links + 1, 2)), rng.normal(size=links - 1)
    return inertia, bias, place, torque, rng.uniform(0.0, 0.5, links - 1), rng.normal(size=(links, 3))


def arrays_of(chain):
    """Return the same as the arrays of a step."""
    inertia, bias, place, torque, resistance, twist = chain
    links = len(bias)
    line = LinkWork(*(np.zeros(links + 1) for _ in LinkWork._fields))
    line.x[:], line.y[:] = place.T
    line.rate[:links], line.u[:links], line.v[:links] = twist.T
    parts = [*inertia.reshape(links, 9).T.copy(), *bias.T.copy(), *np.zeros((4, links))]
    joints = SimpleNamespace(total=torque, resistance=resistance, acceleration=np.zeros(links - 1))
    return SimpleNamespace(links=line, sweep=SweepWork(*parts), joints=joints)


def dense_solution(chain):
    """Return accelerations of the head, the joints and all links, from one linear system.

    No wrench on the whole, and for each joint S . (wrench of all links behind it) = torque - resistance q''.
    """
    inertia, bias, place, torque, resistance, _ = chain
    links = len(bias)
    columns = [np.tile(np.eye(3), (links, 1, 1))]
    for j in range(1, links):
        x, y = place[j]
        moved = np.where(np.arange(links)[:, None] >= j, np.array([1.0, y, -x]), 0.0)
        columns.append(moved[:, :, None])
    jacobian = np.concatenate(columns, axis=2)  # (links, 3, coordinates)
    matrix = np.einsum("kic,kij,kjd->cd", jacobian, inertia, jacobian)
    matrix += np.diag(np.concatenate([np.zeros(3), resistance]))
    right = np.concatenate([np.zeros(3), torque]) - np.einsum("kic,ki->c", jacobian, bias)
    found = np.linalg.solve(matrix, right)
    return found[:3], found[3:], jacobian @ found


@pytest.mark.parametrize("links", [1, 2, 3, 4, 7, 10])
def test_accelerations_solve_the_dense_equations(links):
    rng = np.random.default_rng(links)
    for _ in range(20):
        chain = random_chain(links, rng)
        work = arrays_of(chain)
        head = solve(links, work, STEP)
        base, turns, accelerations = dense_solution(chain)
        scale = np.abs(accelerations).max()
        np.testing.assert_allclose(head, base, rtol=1e-9, atol=1e-9 * scale)
        np.testing.assert_allclose(work.joints.acceleration, turns, rtol=1e-9, atol=1e-9 * scale)
        after = np.stack([work.links.next_rate, work.links.next_u, work.links.next_v], axis=1)[:links]
        np.testing.assert_allclose(after, chain[-1] + STEP * accelerations, rtol=1e-9, atol=1e-10 * scale)


def test_the_free_body_is_a_linear_solve():
    rng = np.random.default_rng(3)
    for _ in range(50):
        matrix, bias = rng.normal(size=(3, 3)) + 3.0 * np.eye(3), rng.normal(size=3)
        found = root((*matrix.ravel(), *bias))
        np.testing.assert_allclose(found, -np.linalg.solve(matrix, bias), rtol=1e-10, atol=1e-12)
