"""Vectors of numbers behave like floats, and the planner's derivatives four at a time like one at a time."""

import math
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba.core.errors import TypingError
from planar_kernels import implicit_derivatives

from serpenoid.kernels.compile import bare_kernel, inner
from serpenoid.kernels.planar.implicit import implicit_work
from serpenoid.kernels.simd import (
    WIDE,
    allocate_aligned,
    floor,
    larger,
    load,
    shared,
    smaller,
    store,
    transpose,
    vectorise_record,
    vectors,
    where_positive,
)
from serpenoid.kernels.stack import slots, stack_vectors
from serpenoid.kernels.trigonometry import sine_cosine
from serpenoid.planning import Goal, Problem, Torque
from serpenoid.planning.solver import TOLERANCE, Planner
from serpenoid.robots import PlanarSnake
from serpenoid.worlds import Plane


class Record(NamedTuple):
    vector: Any
    matrix: Any
    factor: float


@inner
def arithmetic(record):
    """Apply each kind of operation, on floats or on vectors."""
    total = 0.0
    for i in range(record.vector.size):
        x = record.vector[i]
        for _ in range(2):  # the inner of two loops
            total += x * record.matrix[i, 0] - 0.5 * math.sqrt(abs(x)) / record.factor
        total -= where_positive(x, x * x, -1.0) + floor(x) + larger(x, 0.25) - smaller(x, record.factor)
        record.matrix[i, 1] = min(max(x, -0.5), record.factor) / (1.0 + x * x)
    return -total


@bare_kernel
def one_by_one(record):
    return arithmetic(record)


@bare_kernel
def four_at_once(record, out):
    four, result = vectors(record), vectors(out)
    result[0] = arithmetic(four)


@bare_kernel
def sixteen_at_once(vector, matrix, factor, out):
    """Apply the same to a record of wide vectors on the stack, filled and read slot by slot."""
    record = Record(stack_vectors((vector.shape[0],)), stack_vectors((matrix.shape[0], 2)), factor)
    for i in range(vector.shape[0]):
        for slot in range(WIDE):
            slots(record.vector)[i, slot] = vector[i, slot]
            slots(record.matrix)[i, 0, slot] = matrix[i, 0, slot]
    store(out, 0, 1, arithmetic(record))
    for i in range(vector.shape[0]):
        for slot in range(WIDE):
            matrix[i, 1, slot] = slots(record.matrix)[i, 1, slot]


@bare_kernel
def first_number(record):
    return shared(vectors(record).vector[0])


@bare_kernel
def angles(angle, out):
    given, result = vectors(angle), vectors(out)
    for i in range(given.size):
        result[i, 0], result[i, 1] = sine_cosine(given[i])


@bare_kernel
def exponentials(exponent, out):
    given, result = vectors(exponent), vectors(out)
    for i in range(given.size):
        result[i] = math.exp(given[i])


@bare_kernel
def turn_over(matrix, out):
    a, b, c, d = transpose(load(matrix, 0, 1), load(matrix, 1, 1), load(matrix, 2, 1), load(matrix, 3, 1))
    store(out, 0, 2, a)
    store(out, 1, 2, b)
    store(out, 2, 2, c)
    store(out, 3, 2, d)


def test_a_vector_is_four_floats():
    rng = np.random.default_rng(0)
    record = Record(rng.normal(size=(5, 4)), rng.normal(size=(5, 2, 4)), 0.7)
    single = [Record(record.vector[:, i].copy(), record.matrix[:, :, i].copy(), 0.7) for i in range(4)]
    out = np.zeros((1, 4))
    four_at_once(record, out)
    np.testing.assert_allclose(out[0], [one_by_one(each) for each in single], rtol=1e-14)
    np.testing.assert_allclose(record.matrix, np.stack([each.matrix for each in single], axis=-1), rtol=1e-14)


def test_a_wide_vector_is_sixteen_floats():
    rng = np.random.default_rng(5)
    vector, matrix, out = rng.normal(size=(5, WIDE)), rng.normal(size=(5, 2, WIDE)), np.zeros((1, WIDE + 2))
    single = [Record(vector[:, i].copy(), matrix[:, :, i].copy(), 0.7) for i in range(WIDE)]
    sixteen_at_once(vector, matrix, 0.7, out)
    np.testing.assert_allclose(out[0, 1:-1], [one_by_one(each) for each in single], rtol=1e-14)
    np.testing.assert_allclose(matrix, np.stack([each.matrix for each in single], axis=-1), rtol=1e-14)
    assert out[0, 0] == out[0, -1] == 0.0


def test_records_with_other_arrays_are_not_seen_as_vectors():
    """A view that passes on an array of integers would release it twice."""
    assert first_number(Record(np.full((2, 4), 3.0), np.zeros((1, 4)), 1.0)) == 3.0
    with pytest.raises(TypingError):
        first_number(Record(np.full((2, 4), 3.0), np.arange(4), 1.0))


def test_helpers_are_python_too():
    assert (larger(1.0, 2.0), smaller(1.0, 2.0)) == (2.0, 1.0)
    assert (floor(-1.5), where_positive(1.0, 2.0, 3.0), where_positive(0.0, 2.0, 3.0)) == (-2.0, 2.0, 3.0)


def test_sines_of_vectors():
    angle = np.random.default_rng(1).uniform(-1e3, 1e3, size=(50, 4))
    out = np.zeros((50, 2, 4))
    angles(angle, out)
    np.testing.assert_allclose(out, np.stack([np.sin(angle), np.cos(angle)], axis=1), atol=1e-15)


def test_exponentials_of_vectors():
    exponent = np.random.default_rng(1).uniform(-20.0, 20.0, size=(50, 4))
    out = np.zeros((50, 4))
    exponentials(exponent, out)
    np.testing.assert_allclose(out, np.exp(exponent), rtol=1e-15)


def test_loads_stores_and_transposition():
    matrix, out = np.random.default_rng(2).normal(size=(4, 7)), np.zeros((4, 9))
    turn_over(matrix, out)
    np.testing.assert_array_equal(out[:, 2:6], matrix[:, 1:5].T)
    assert not out[:, :2].any()
    assert not out[:, 6:].any()


def test_arrays_for_vectors():
    record = vectorise_record(Record(np.ones(3), Record(np.ones((2, 2)), np.ones(3), 1.0), 2.0))
    assert record.vector.shape == (3, 4)
    assert record.matrix.vector.shape == (2, 2, 4)
    assert record.matrix.matrix.shape == (3, 4)
    assert (record.matrix.factor, record.factor) == (1.0, 2.0)
    assert allocate_aligned((3, 5)).ctypes.data % 64 == 0


@pytest.mark.parametrize("medium", ["dry", "viscous", "fluid"])
@pytest.mark.parametrize("horizon", [6, 8])
def test_derivatives_four_at_a_time(medium, horizon):
    """A converged plan has the derivatives at its own knots."""
    problem = Problem(PlanarSnake(), Plane(medium), Goal((-20.0, 0.5)) + Torque(1.0), horizon)
    planner = Planner(problem)
    state = np.concatenate([[0.5, 0.0, 0.1, 0.3, -0.2, 0.4, 0.1], np.linspace(-0.3, 0.4, 7)])
    assert planner.plan(planner.solve(state, 0.0, 500, math.inf, TOLERANCE)).converged
    work, (model, step, substeps, coarse) = planner.work, planner.dynamics
    for knot in range(horizon):
        both = one_at_a_time(model, work.states[knot], work.controls[knot], step, substeps)
        if coarse:
            other = one_at_a_time(model, work.states[knot], work.controls[knot], step, coarse)
            both += (both - other) / ((substeps / coarse) ** 2 - 1.0)
        np.testing.assert_allclose(both[:, 0], work.states[knot + 1], atol=1e-12)
        slopes = both[:, 3:]
        np.testing.assert_allclose(work.jacobians[knot, :, :16], slopes, atol=1e-10 * np.abs(slopes).max())


def one_at_a_time(model, state, control, step, substeps):
    """Return the state after a step, and its derivatives by state and torque, as columns."""
    after, by_state, by_torque = np.empty(14), np.empty((14, 14)), np.empty((14, 4))
    implicit_derivatives(model, implicit_work(5), state, control, step, substeps, after, by_state, by_torque)
    return np.c_[after, by_state, by_torque]
