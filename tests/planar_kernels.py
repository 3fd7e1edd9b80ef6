"""Forces, matrices, momentum and coarse steps of the planar chain, composed of its kernels."""

from __future__ import annotations

import numpy as np

from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.planar.chain import add_armature, assemble
from serpenoid.kernels.planar.implicit import (
    set_change,
    set_discrete_columns,
    solve_discrete_columns,
    write_after,
)
from serpenoid.kernels.planar.inverse import absolute_rates, assembled_momentum, fill_matrix, residual


@kernel
def inverse_dynamics(model, work, state, acceleration):
    """Generalised forces (n + 2,) on x_com, y_com, heading and joints that give these accelerations (n + 2,).

    Dry friction and stops of hinges do not count.
    """
    links = work.rate.size
    assemble(model, work, state, np.zeros(links - 1))
    add_armature(model, work)
    fill_matrix(model, work)
    absolute, missing, out = np.empty(links + 2), np.empty(links + 2), np.empty(links + 2)
    absolute_rates(acceleration, 0, absolute)
    residual(work, absolute, missing)
    out[0], out[1] = missing[links], missing[links + 1]
    total = 0.0
    for k in range(links - 1, -1, -1):
        total += missing[k]
        out[2 + k] = total
    return out


@kernel
def mass_matrix(model, work, state):
    """Mass matrix (n + 2, n + 2) in x_com, y_com, heading and joints, added mass included."""
    links = work.rate.size
    assemble(model, work, state, np.zeros(links - 1))
    add_armature(model, work)
    fill_matrix(model, work)
    sums = np.zeros((links + 2, links + 2))  # absolute = sums @ state rates
    sums[links, 0] = 1.0
    sums[links + 1, 1] = 1.0
    for k in range(links):
        sums[k, 2 : 3 + k] = 1.0
    return sums.T @ (work.matrix @ sums)


@kernel
def momentum(model, work, state):
    """Linear momentum x, y [kg m/s] and angular momentum about the world's origin [kg m^2/s], added mass included."""
    links = work.rate.size
    assemble(model, work, state, np.zeros(links - 1))
    fill_matrix(model, work)
    return assembled_momentum(work, state, np.empty(links + 2))


@kernel
def implicit_step(model, space, state, torque, step, substeps, after):
    """Write the state `after` one step [s] with held torques (n - 1,) [N m], in equal substeps."""
    for i in range(state.size):
        after[i] = state[i]
    for _ in range(substeps):
        for i in range(state.size):
            space.start[i] = after[i]
        set_change(model, space, torque, step / substeps)
        write_after(space, step / substeps, after)


@inner
def write_discrete(space, step, by_state, by_torque):
    """Write the derivatives of the substep by state and torque, from the solved columns."""
    columns, half = space.tangent.columns, space.start.size // 2
    links = half - 2
    for i in range(half):
        source = i - 2 if i >= 2 else links + i
        for j in range(half):
            position = columns[source, j - 2] if j >= 2 else 0.0
            speed = columns[source, links + j - 2] if j >= 2 else columns[source, 2 * links + j]
            same = 1.0 if i == j else 0.0
            by_state[i, j] = same + 0.5 * step * position
            by_state[i, half + j] = step * same + 0.5 * step * speed
            by_state[half + i, j] = position
            by_state[half + i, half + j] = same + speed
        for j in range(links - 1):
            torque = columns[source, 2 * links + 2 + j]
            by_torque[i, j] = 0.5 * step * torque
            by_torque[half + i, j] = torque


@kernel
def implicit_derivatives(model, space, state, torque, step, substeps, after, by_state, by_torque):
    """Do `implicit_step` with d after / d state (2 (n + 2), 2 (n + 2)) and d after / d torque (2 (n + 2), n - 1)."""
    one_state, one_torque = np.empty(by_state.shape), np.empty(by_torque.shape)
    for i in range(state.size):
        after[i] = state[i]
    by_state[:], by_torque[:] = np.eye(state.size), 0.0
    for _ in range(substeps):
        for i in range(state.size):
            space.start[i] = after[i]
        set_change(model, space, torque, step / substeps)
        write_after(space, step / substeps, after)
        set_discrete_columns(model, space, step / substeps)
        solve_discrete_columns(space, step / substeps)
        write_discrete(space, step / substeps, one_state, one_torque)
        by_torque[:] = one_torque + one_state @ by_torque
        by_state[:] = one_state @ by_state
