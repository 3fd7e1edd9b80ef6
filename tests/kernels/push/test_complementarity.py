"""Exact solver against a QP solver and against every combination of rows, including dependent rows."""

import numpy as np
import pytest
from naive_pushing import naive_box

from serpenoid.kernels.push.complementarity import FREE, residual_of, solve_box

CASES, DEPENDENT = 10_000, 2_000


def random_case(rng, dependent):
    """Return gram = W W^T and an offset in the range of W, as for constraints; some rows are combinations of others."""
    rows, width = int(rng.integers(1, 8)), int(rng.integers(8, 12))
    W = rng.standard_normal((rows, width)) * 10.0 ** rng.uniform(-1, 1, (rows, 1))
    if dependent:
        rows = max(rows, 2)
        W = rng.standard_normal((rows, width))
        for row in rng.choice(np.arange(1, rows), size=int(rng.integers(1, rows)), replace=False):
            others = rng.standard_normal(row) * (rng.random(row) < 0.6)
            W[row] = others @ W[:row] if others.any() else W[0] * rng.choice([-2.0, 1.0])
    offset = W @ rng.standard_normal(width)
    limits = np.empty((rows, 2))
    for row in range(rows):
        kind = rng.integers(0, 3)
        bound = [np.inf, rng.uniform(0.0, 1.0) / np.abs(W[row]).max(), 0.0][0 if kind == 1 else 1]
        limits[row] = (0.0, np.inf) if kind == 0 else (-bound, bound)
    return W @ W.T, offset, limits


def ours(gram, offset, limits):
    """Return the kernel's force from a cold start, with its residual."""
    rows = offset.size
    force, state = np.zeros(rows), np.full(rows, FREE)
    assert solve_box(gram, offset, limits, force, state, np.empty((rows + 1, rows)), np.empty(rows, np.int64))
    return force, state, residual_of(gram, offset, limits, force)


def peer_force(proxqp, gram, offset, limits):
    """Solve the same as a quadratic program: least force^T gram force / 2 + offset^T force within the limits."""
    rows = offset.size
    qp = proxqp.dense.QP(rows, 0, rows)
    qp.settings.eps_abs, qp.settings.eps_rel, qp.settings.max_iter = 1e-12, 0.0, 10_000
    qp.settings.eps_dual_inf = 1e-16  # a singular gram looks unbounded to it otherwise
    qp.init(gram, offset, None, None, np.eye(rows), *np.clip(limits, -1e20, 1e20).T)
    qp.solve()
    return qp.results.x


def test_agrees_with_a_qp_solver_also_on_dependent_rows():
    proxqp = pytest.importorskip("proxsuite").proxqp
    rng = np.random.default_rng(6)
    worst = worst_residual = 0.0
    dependent = 0
    for case in range(CASES):
        gram, offset, limits = random_case(rng, dependent=case < DEPENDENT)
        dependent += case < DEPENDENT and np.linalg.matrix_rank(gram) < offset.size
        force, _, residual = ours(gram, offset, limits)
        peer = peer_force(proxqp, gram, offset, limits)
        worst = max(worst, np.abs(gram @ (force - peer)).max() / np.abs(offset).max())
        worst_residual = max(worst_residual, residual)
    assert dependent >= 1000
    assert worst_residual < 1e-10
    assert worst < 1e-7  # accuracy of the peer


def test_agrees_with_every_combination_tried():
    rng = np.random.default_rng(7)
    for case in range(300):
        gram, offset, limits = random_case(rng, dependent=case % 3 == 0)
        if offset.size > 5:
            continue
        force, _, _ = ours(gram, offset, limits)
        twin = naive_box(gram, offset, *limits.T)
        assert np.abs(gram @ (force - twin)).max() < 1e-8 * np.abs(offset).max()


def test_warm_start_gives_the_cold_answer():
    rng = np.random.default_rng(8)
    for _ in range(200):
        gram, offset, limits = random_case(rng, dependent=False)
        rows = offset.size
        force, state = np.zeros(rows), np.full(rows, FREE)
        work, members = np.empty((rows + 1, rows)), np.empty(rows, np.int64)
        for _ in range(5):
            offset = rng.standard_normal(rows)
            solve_box(gram, offset, limits, force, state, work, members)
            cold, _, _ = ours(gram, offset, limits)
            assert np.allclose(force, cold, rtol=1e-8, atol=1e-9 * np.abs(cold).max())


def test_a_broken_solution_shows_in_the_residual():
    gram, offset, limits = random_case(np.random.default_rng(9), dependent=False)
    force, _, residual = ours(gram, offset, limits)
    assert residual < 1e-13
    assert residual_of(gram, offset, limits, force + 1e-3) > 1e-6
    assert not residual_of(gram, offset, limits, force * np.nan) < 1.0
