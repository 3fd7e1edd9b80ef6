"""Analytic derivatives of the planar chain's accelerations by state and torque, for every medium."""

from __future__ import annotations

from serpenoid.kernels.compile import inlined, inner
from serpenoid.kernels.linear import solve_columns
from serpenoid.kernels.planar.chain import assemble, middle_bias, middle_velocities, solve_accelerations
from serpenoid.kernels.planar.media import acts, has_added_mass
from serpenoid.kernels.planar.slopes import (
    across,
    has_moments,
    multiply_symmetric,
    set_added,
    set_slopes,
    set_total_force,
    symmetric,
    symmetric_pair,
    velocity_columns,
)


@inner
def angle_columns(model, work, tangent, implicit):
    """Write d(forces - inertia - Coriolis terms)/d(absolute angles) to columns[:, :n].

    Rates and accelerations are fixed.
    With E_kl = coupling_kl (sin(k - l) angular_l - cos(k - l) product_l), the mechanics contribute -E_kl and, on the
    diagonal, sum_l E_kl. `implicit` adds the terms that depend on the change of velocity over the step.
    """
    links = work.rate.size
    c, s, out = work.cosine, work.sine, tangent.columns
    for k in range(links):
        out[k, k] = 0.0
    for k in range(links):
        for j in range(k):
            cosine = model.coupling[k, j] * (c[k] * c[j] + s[k] * s[j])
            sine = model.coupling[k, j] * (s[k] * c[j] - c[k] * s[j])
            forward = sine * tangent.angular[j] - cosine * tangent.product[j]
            backward = -sine * tangent.angular[k] - cosine * tangent.product[k]
            out[k, j] = -forward
            out[j, k] = -backward
            out[k, k] += forward
            out[j, j] += backward
        out[links, k] = 0.0
        out[links + 1, k] = 0.0
    if acts(model.medium):
        add_moved_velocities(model, work, tangent, implicit)
        add_turned_forces(model, work, tangent, implicit)


@inner
def compute_motion_term(model, work, tangent, implicit, k, j, link):
    """Return n_k . dP_k/dphi_link through the middles' velocities and accelerations; (k, j) = sorted (row, link)."""
    row = k + j - link
    c, s = work.cosine[row], work.sine[row]
    x, y = work.cosine[link], work.sine[link]
    total = work.rate[link] * across(symmetric_pair(tangent.velocity.pair, k, j), c, s, x, y)
    if implicit:
        total += tangent.jump_rate[link] * across(symmetric_pair(tangent.change.pair, k, j), c, s, x, y)
    if has_added_mass(model.medium):
        angular, product = tangent.angular[link], tangent.product[link]
        total += across(
            symmetric_pair(tangent.added.pair, k, j), c, s, angular * x - product * y, angular * y + product * x
        )
    return -total


@inner
def add_moved_velocities(model, work, tangent, implicit):
    """Add the change of forces as an angle moves the middles of the links: dv_i/dphi_l = -D_il w_l e_l, etc."""
    links = work.rate.size
    out, fluid = tangent.columns, has_added_mass(model.medium)
    for k in range(links):
        for j in range(k + 1):
            out[k, j] += compute_motion_term(model, work, tangent, implicit, k, j, j)
            if j < k:
                out[j, k] += compute_motion_term(model, work, tangent, implicit, k, j, k)
        x, y = work.cosine[k], work.sine[k]
        fx, fy = multiply_symmetric(symmetric(tangent.velocity.single, k), work.rate[k] * x, work.rate[k] * y)
        if implicit:
            jump = tangent.jump_rate[k]
            gx, gy = multiply_symmetric(symmetric(tangent.change.single, k), jump * x, jump * y)
            fx, fy = fx + gx, fy + gy
        if fluid:
            a, p = tangent.angular[k], tangent.product[k]
            gx, gy = multiply_symmetric(symmetric(tangent.added.single, k), a * x - p * y, a * y + p * x)
            fx, fy = fx + gx, fy + gy
        out[links, k] -= fx
        out[links + 1, k] -= fy


@inner
def turned_force(model, work, tangent, implicit, k):
    """Return the change of a link's force and moment with its own angle at fixed velocities: z x F - B (z x v), ..."""
    vx, vy = work.velocity[k, 0], work.velocity[k, 1]
    fx, fy = multiply_symmetric(symmetric(tangent.velocity.local, k), -vy, vx)
    moment = tangent.velocity.lever[k, 1] * vx - tangent.velocity.lever[k, 0] * vy
    if implicit:
        dx, dy = tangent.jump[k, 0], tangent.jump[k, 1]
        gx, gy = multiply_symmetric(symmetric(tangent.change.local, k), -dy, dx)
        fx, fy = fx + gx, fy + gy
        moment += tangent.change.lever[k, 1] * dx - tangent.change.lever[k, 0] * dy
    if has_added_mass(model.medium):
        gx, gy = multiply_symmetric(
            symmetric(tangent.added.local, k), -tangent.acceleration[k, 1], tangent.acceleration[k, 0]
        )
        fx, fy = fx + gx, fy + gy
    return -tangent.force[k, 1] - fx, tangent.force[k, 0] - fy, -moment


@inner
def add_turned_forces(model, work, tangent, implicit):
    """Add the rotation of forces with their own link, and of their levers with the links in front."""
    links = work.rate.size
    c, s, out, force = work.cosine, work.sine, tangent.columns, tangent.force
    totalx, totaly = 0.0, 0.0
    for k in range(links):
        totalx += force[k, 0]
        totaly += force[k, 1]
    behindx, behindy = 0.0, 0.0
    for k in range(links - 1, -1, -1):
        fx, fy, moment = turned_force(model, work, tangent, implicit, k)
        out[links, k] += fx
        out[links + 1, k] += fy
        for row in range(links):
            out[row, k] += model.arm[k, row] * (c[row] * fy - s[row] * fx)
        if has_moments(model.medium):
            subtract_lever(model, work, tangent, tangent.velocity.lever, work.rate, k)
            if implicit:
                subtract_lever(model, work, tangent, tangent.change.lever, tangent.jump_rate, k)
        px = model.chain.length[k] * (behindx + 0.5 * force[k, 0]) - model.shift[k] * totalx
        py = model.chain.length[k] * (behindy + 0.5 * force[k, 1]) - model.shift[k] * totaly
        out[k, k] += moment - c[k] * px - s[k] * py
        behindx += force[k, 0]
        behindy += force[k, 1]


@inner
def subtract_lever(model, work, tangent, lever, rate, k):
    """Subtract the change of the moment on link k as angle j moves its middle: lever_k . (-D_kj rate_j e_j)."""
    x, y = lever[k, 0], lever[k, 1]
    for j in range(rate.size):
        tangent.columns[k, j] -= model.arm[k, j] * rate[j] * (x * work.cosine[j] + y * work.sine[j])


@inner
def torque_columns(columns, links):
    """Write columns of the joint torques, -1 on the link before and +1 on the one behind, to columns[:, 2 n + 2:]."""
    start = 2 * links + 2
    for j in range(links - 1):
        for k in range(links + 2):
            columns[k, start + j] = 0.0
        columns[j, start + j] = -1.0
        columns[j + 1, start + j] = 1.0


@inner
def relative_columns(columns, links):
    """Convert columns of absolute angles and rates to those of heading and joints: each moves all links behind it."""
    for k in range(columns.shape[0]):
        for j in range(links - 2, -1, -1):
            columns[k, j] += columns[k, j + 1]
            columns[k, links + j] += columns[k, links + j + 1]


@inner
def relative_rows(columns, links, count):
    """Convert rows of absolute accelerations to those of heading and joints."""
    for k in range(links - 1, 0, -1):
        for j in range(count):
            columns[k, j] -= columns[k - 1, j]


@inner
def set_columns(model, work, tangent):
    """Compute right-hand columns of the accelerations' derivatives by absolute angles.

    The tangent has the accelerations.
    """
    links = work.rate.size
    if acts(model.medium):
        set_slopes(model, work, tangent.velocity, None)
        if has_added_mass(model.medium):
            set_added(model, work, tangent.added)
            middle_bias(model, work, tangent.product, work.bias)
            middle_velocities(
                model, work, tangent.angular, work.right[links], work.right[links + 1], tangent.acceleration
            )
            for k in range(links):
                tangent.acceleration[k, 0] += work.bias[k, 0]
                tangent.acceleration[k, 1] += work.bias[k, 1]
        set_total_force(model, work, tangent)
    angle_columns(model, work, tangent, False)
    velocity_columns(model, work, tangent.velocity, tangent.added, tangent.factor, tangent.columns, links)


@inlined
def forward_derivatives(model, work, tangent, state, torque, acceleration, by_state, by_torque):
    """Compute accelerations (n + 2,) with derivatives by state (n + 2, 2 (n + 2)) and torque (n + 2, n - 1).

    Writes acceleration, by_state, by_torque; rows and columns are in the order of the state.
    """
    links = work.rate.size
    assemble(model, work, state, torque)
    solve_accelerations(model, work)
    for k in range(links):
        tangent.angular[k] = work.right[k]
        tangent.product[k] = work.square[k]
        tangent.factor[k] = 2.0 * work.rate[k]
        tangent.jump_rate[k] = 0.0
        tangent.jump[k, 0] = 0.0
        tangent.jump[k, 1] = 0.0
    set_columns(model, work, tangent)
    columns = tangent.columns
    torque_columns(columns, links)
    relative_columns(columns, links)
    if has_added_mass(model.medium):
        solve_columns(work.matrix, links + 2, columns)
    else:
        solve_columns(work.matrix, links, columns)
        for j in range(columns.shape[1]):
            columns[links, j] /= model.mass
            columns[links + 1, j] /= model.mass
    relative_rows(columns, links, columns.shape[1])
    write_accelerations(work.right, acceleration)
    write_derivatives(columns, links, by_state, by_torque)


@inner
def write_accelerations(right, acceleration):
    """Write absolute accelerations (angles, x, y) in the order of the state."""
    links = right.size - 2
    acceleration[0] = right[links]
    acceleration[1] = right[links + 1]
    acceleration[2] = right[0]
    for k in range(1, links):
        acceleration[2 + k] = right[k] - right[k - 1]


@inner
def write_derivatives(columns, links, by_state, by_torque):
    """Write solved columns (angles, rates, centre's velocity, torques) in the order of the state."""
    half = links + 2
    for row in range(half):
        source = row - 2 if row >= 2 else links + row
        by_state[row, 0] = 0.0
        by_state[row, 1] = 0.0
        by_state[row, half] = columns[source, 2 * links]
        by_state[row, half + 1] = columns[source, 2 * links + 1]
        for j in range(links):
            by_state[row, 2 + j] = columns[source, j]
            by_state[row, half + 2 + j] = columns[source, links + j]
        for j in range(links - 1):
            by_torque[row, j] = columns[source, 2 * links + 2 + j]
