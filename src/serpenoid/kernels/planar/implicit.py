"""Coarse planning step of the planar chain, linearly implicit in the velocities, with exact derivatives.

With phi_m = phi + h/2 w and the unknown change of velocity d,

    M(phi_m) d/h = F(phi_m, v) + 1/2 dF/dv d + torques

F contains the forces of the medium, the joints' friction and the Coriolis terms. Then v' = v + d, and positions advance
with v + d/2, which is the second-order midpoint rule. If F is linear or quadratic in v, the step is time-reversible and
its error has only even powers of h. It stays bounded for arbitrarily stiff friction. Each step solves one linear
system. Linear momentum is conserved to rounding, since the centre of mass is the base.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import inner
from serpenoid.kernels.linear import factorise_lu, solve_lu
from serpenoid.kernels.planar.chain import PlanarWork, assemble, middle_bias, middle_velocities, planar_work
from serpenoid.kernels.planar.derivatives import angle_columns, relative_columns, relative_rows, torque_columns
from serpenoid.kernels.planar.inverse import fill_matrix
from serpenoid.kernels.planar.media import acts, has_added_mass
from serpenoid.kernels.planar.slopes import (
    Tangent,
    planar_tangent,
    set_added,
    set_slopes,
    set_total_force,
    velocity_columns,
)


class ImplicitWork(NamedTuple):
    """Arrays of the implicit step and its derivatives; one set per thread."""

    work: PlanarWork
    tangent: Tangent
    start: NDArray  # (2 (n + 2),) state before a substep
    middle: NDArray  # (2 (n + 2),) positions advanced by half a substep


def implicit_work(links: int) -> ImplicitWork:
    """Allocate the arrays for a chain of `links` links."""
    size = 2 * (links + 2)
    return ImplicitWork(planar_work.py_func(links), planar_tangent(links), np.empty(size), np.empty(size))


@inner
def set_change(model, space, torque, step):
    """Compute the change of rates and centre velocity from space.start in columns[:, 0]; the LU factors are kept."""
    work, tangent, start, middle = space.work, space.tangent, space.start, space.middle
    half = start.size // 2
    for i in range(half):
        middle[i] = start[i] + 0.5 * step * start[half + i]
        middle[half + i] = start[half + i]
    assemble(model, work, middle, torque)
    fill_matrix(model, work)
    if acts(model.medium):
        set_slopes(model, work, tangent.change, None)
        if has_added_mass(model.medium):
            set_added(model, work, tangent.added)
    for k in range(half - 2):
        tangent.factor[k] = 2.0 * work.rate[k]
    velocity_columns(model, work, tangent.change, tangent.added, tangent.factor, tangent.columns, 0)
    for i in range(half):
        for j in range(half):
            work.matrix[i, j] -= 0.5 * step * tangent.columns[i, j]
    for i in range(half):
        tangent.columns[i, 0] = step * work.right[i]
    factorise_lu(work.matrix, half)
    solve_lu(work.matrix, half, tangent.columns, 1)


@inner
def write_after(space, step, after):
    """Write the state after the substep, from the change in columns[:, 0]."""
    half = after.size // 2
    links = half - 2
    before = 0.0
    for i in range(half):
        if i < 2:
            change = space.tangent.columns[links + i, 0]
        else:
            change = space.tangent.columns[i - 2, 0] - before
            before = space.tangent.columns[i - 2, 0]
        speed = space.start[half + i]
        after[i] = space.start[i] + step * (speed + 0.5 * change)
        after[half + i] = speed + change


@inner
def set_discrete_columns(model, space, step):
    """Compute right-hand columns of the derivatives of the change, which `set_change` has left in columns[:, 0]."""
    work, tangent = space.work, space.tangent
    links = work.rate.size
    for k in range(links):
        change, rate = tangent.columns[k, 0], work.rate[k]
        tangent.jump_rate[k] = 0.5 * change
        tangent.angular[k] = change / step
        tangent.product[k] = rate * (rate + change)
        tangent.factor[k] = 2.0 * rate + change
    if acts(model.medium):
        vx, vy = tangent.columns[links, 0], tangent.columns[links + 1, 0]
        middle_velocities(model, work, tangent.jump_rate, 0.5 * vx, 0.5 * vy, tangent.jump)
        middle_velocities(model, work, tangent.angular, vx / step, vy / step, tangent.acceleration)
        middle_bias(model, work, tangent.product, work.bias)
        for k in range(links):
            tangent.acceleration[k, 0] += work.bias[k, 0]
            tangent.acceleration[k, 1] += work.bias[k, 1]
        set_slopes(model, work, tangent.velocity, (tangent.jump, tangent.jump_rate))
        set_total_force(model, work, tangent)
    angle_columns(model, work, tangent, True)
    velocity_columns(model, work, tangent.velocity, tangent.added, tangent.factor, tangent.columns, links)
    torque_columns(tangent.columns, links)


@inner
def solve_discrete_columns(space, step):
    """Solve for d(change)/d(angles, rates, centre's velocity, torques) in relative coordinates, in columns."""
    work, tangent = space.work, space.tangent
    links = work.rate.size
    columns = tangent.columns
    for i in range(links + 2):
        for j in range(links):
            columns[i, links + j] += 0.5 * step * columns[i, j]
        for j in range(columns.shape[1]):
            columns[i, j] *= step
    relative_columns(columns, links)
    solve_lu(work.matrix, links + 2, columns, columns.shape[1])
    relative_rows(columns, links, columns.shape[1])
