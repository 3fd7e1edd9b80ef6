"""Dynamics for iLQR, selected by the class of their record: linear, planar chain, chain among pegs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from serpenoid.kernels.compile import inner
from serpenoid.kernels.ilqr.costs import OPTIONS
from serpenoid.kernels.ilqr.peg_dynamics import PegDynamics
from serpenoid.kernels.planar.chain import PlanarModel
from serpenoid.kernels.planar.implicit import (
    ImplicitWork,
    implicit_work,
    set_change,
    set_discrete_columns,
    solve_discrete_columns,
    write_after,
)
from serpenoid.kernels.simd import vectorise_record

CYCLIC = 2  # leading states on which no dynamics here depend: the position of the chain


class PlanarDynamics(NamedTuple):
    """Planar chain in its medium, by linearly implicit substeps of second order.

    With `coarse` > 0 the step is repeated with `coarse` substeps, and the difference extrapolated to order four:

        x = x_fine + (x_fine - x_coarse) / ((substeps / coarse)^2 - 1)

    Both counts must be odd or both even. The result then stays bounded under stiff drag, where a substep reverses the
    sign of a velocity.
    """

    model: PlanarModel
    step: float  # [s]
    substeps: int  # per step
    coarse: int  # 0: no extrapolation


class PlanarDynamicsWork(NamedTuple):
    """Working arrays of PlanarDynamics."""

    space: ImplicitWork
    after: NDArray  # (states,)
    coarse: NDArray  # (states,) after the coarse substeps
    change: NDArray  # (n + 2, 3 n + 1) derivatives of the change of velocity over a substep
    jacobian: NDArray  # (states, 3 n + 1) of the coarse substeps


def planar_dynamics_work(model: PlanarModel) -> PlanarDynamicsWork:
    """Allocate the working arrays for four states at a time."""
    half = model.shift.size + 2
    width = 3 * half - 5
    return vectorise_record(
        PlanarDynamicsWork(
            implicit_work(half - 2),
            np.zeros(2 * half),
            np.zeros(2 * half),
            np.zeros((half, width)),
            np.zeros((2 * half, width)),
        )  # fmt: skip
    )


@inner
def weight(dynamics):
    """Return the fraction of the difference between fine and coarse substeps that is added to the fine ones."""
    if dynamics.coarse == 0:
        return 0.0
    ratio = dynamics.substeps / dynamics.coarse
    return 1.0 / (ratio * ratio - 1.0)


def planar_advance(dynamics, work, state, control, following):
    """Advance the chain by one step; coarse substeps first, if any, then the fine ones."""
    for fine in range(2):
        count = dynamics.substeps if fine else dynamics.coarse
        for i in range(state.size):
            work.coarse[i] = following[i] if fine else state[i]
            following[i] = state[i]
        for _ in range(count):
            for i in range(state.size):
                work.space.start[i] = following[i]
            set_change(dynamics.model, work.space, control, dynamics.step / count)
            write_after(work.space, dynamics.step / count, following)
    share = weight(dynamics)
    for i in range(state.size):
        following[i] += share * (following[i] - work.coarse[i])


def planar_linearise(dynamics, work, state, control, jacobian):
    """Compute derivatives of one step by non-cyclic states and controls."""
    width = work.jacobian.shape[1]
    for fine in range(2):
        count = dynamics.substeps if fine else dynamics.coarse
        for i in range(state.size):
            work.after[i] = state[i]
            for j in range(width):
                work.jacobian[i, j] = jacobian[i, j]
        for substep in range(count):
            for i in range(state.size):
                work.space.start[i] = work.after[i]
            set_change(dynamics.model, work.space, control, dynamics.step / count)
            write_after(work.space, dynamics.step / count, work.after)
            set_discrete_columns(dynamics.model, work.space, dynamics.step / count)
            solve_discrete_columns(work.space, dynamics.step / count)
            if substep == 0:
                first_substep(work.space.tangent.columns, jacobian, dynamics.step / count)
            else:
                chain_substep(work.space.tangent.columns, work.change, jacobian, dynamics.step / count)
    share = weight(dynamics)
    for i in range(state.size):
        for j in range(width):
            jacobian[i, j] += share * (jacobian[i, j] - work.jacobian[i, j])


@inner
def first_substep(columns, jacobian, step):
    """Compute derivatives of the first substep, without earlier ones to chain; see `chain_substep`."""
    half = columns.shape[0]
    links = half - 2
    for i in range(half):
        source = i - 2 if i >= 2 else links + i
        for j in range(3 * links + 1):
            # columns have angles, rates, centre's velocity, torques; jacobian has angles, centre's velocity, rates,
            # torques
            place = j if j < links or j >= 2 * links + 2 else j + 2 if j < 2 * links else j - links
            change = columns[source, j]
            jacobian[i, place] = 0.5 * step * change
            jacobian[half + i, place] = change
        if i >= 2:
            jacobian[i, i - 2] += 1.0
        jacobian[i, links + i] += step
        jacobian[half + i, links + i] += 1.0


@inner
def chain_substep(columns, change, jacobian, step):
    """Chain a substep with the accumulated ones.

    With d the change of velocity, v' = v + d and p' = p + step (v + d / 2). `columns` has the derivatives of d by
    angles, rates, the centre's velocity and torques; its rows start with the angles.
    """
    half, width = change.shape
    links = half - 2
    torques = 2 * links + 2
    for i in range(half):
        source = i - 2 if i >= 2 else links + i
        for j in range(width):
            change[i, j] = 0.0
        for k in range(0, 2 * links, 2):
            first = 2 + k if k < links else half + 2 + k - links
            second = 3 + k if k + 1 < links else half + 3 + k - links
            u, v = columns[source, k], columns[source, k + 1]
            for j in range(width):
                change[i, j] += u * jacobian[first, j] + v * jacobian[second, j]
        u, v = columns[source, 2 * links], columns[source, 2 * links + 1]
        for j in range(width):
            change[i, j] += u * jacobian[half, j] + v * jacobian[half + 1, j]
        for j in range(links - 1):
            change[i, torques + j] += columns[source, torques + j]
    for i in range(half):
        for j in range(width):
            jacobian[i, j] += step * (jacobian[half + i, j] + 0.5 * change[i, j])
            jacobian[half + i, j] += change[i, j]


class LinearDynamics(NamedTuple):
    """Linear dynamics x' = A x + B u, to check the planner; the first CYCLIC columns of A must be unit vectors."""

    state_matrix: NDArray  # (states, states)
    control_matrix: NDArray  # (states, controls)


def advance(dynamics, work, state, control, following):
    """Write the next state (compiled code only)."""
    raise NotImplementedError


def linearise(dynamics, work, state, control, jacobian):
    """Write d following / d (non-cyclic states, controls) to jacobian (states, padded) (compiled code only)."""
    raise NotImplementedError


@overload(advance, jit_options=OPTIONS)
def _advance(dynamics, work, state, control, following):
    if dynamics.instance_class is LinearDynamics:

        def linear(dynamics, work, state, control, following):
            for i in range(state.size):
                total = 0.0
                for j in range(state.size):
                    total += dynamics.state_matrix[i, j] * state[j]
                for j in range(control.size):
                    total += dynamics.control_matrix[i, j] * control[j]
                following[i] = total

        return linear
    if dynamics.instance_class is PegDynamics:
        return lambda dynamics, work, state, control, following: None  # peg_dynamics.py rolls out whole plans
    return planar_advance


@overload(linearise, jit_options=OPTIONS)
def _linearise(dynamics, work, state, control, jacobian):
    if dynamics.instance_class is LinearDynamics:

        def linear(dynamics, work, state, control, jacobian):
            for i in range(state.size):
                for j in range(CYCLIC, state.size):
                    jacobian[i, j - CYCLIC] = dynamics.state_matrix[i, j]
                for j in range(control.size):
                    jacobian[i, state.size - CYCLIC + j] = dynamics.control_matrix[i, j]

        return linear
    if dynamics.instance_class is PegDynamics:
        return lambda dynamics, work, state, control, jacobian: None
    return planar_linearise
