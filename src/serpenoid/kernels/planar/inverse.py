"""Generalised forces, prescribed joints, energy, momentum and link poses of the planar chain."""

from __future__ import annotations

import numpy as np

from serpenoid.kernels.compile import inlined, inner
from serpenoid.kernels.linear import factorise, solve
from serpenoid.kernels.planar.chain import add_armature, add_wrenches, assemble, middle_velocities, set_angles
from serpenoid.kernels.planar.media import has_added_mass
from serpenoid.kernels.records import ARMATURE


@inner
def fill_matrix(model, work):
    """Complete the assembled matrix: upper triangle, and the translation's rows if they are decoupled."""
    links = work.rate.size
    matrix = work.matrix
    if not has_added_mass(model.medium):
        for k in range(links + 2):
            matrix[links, k] = 0.0
            matrix[links + 1, k] = 0.0
        matrix[links, links] = model.mass
        matrix[links + 1, links + 1] = model.mass
    for k in range(links + 2):
        for j in range(k):
            matrix[j, k] = matrix[k, j]


@inner
def residual(work, absolute, out):
    """Compute out = matrix absolute - right, the missing generalised force (n + 2,) on angles, x, y."""
    size = absolute.size
    for k in range(size):
        total = -work.right[k]
        for j in range(size):
            total += work.matrix[k, j] * absolute[j]
        out[k] = total


@inner
def absolute_rates(rates, first, out):
    """Compute rates or accelerations of the absolute angles and of x, y, (n + 2,), from those of a state at `first`.

    Loops replace numpy sums and slice assignments here and below: each of those takes half a second to compile.
    """
    links, total = out.size - 2, 0.0
    for k in range(links):
        total += rates[first + 2 + k]
        out[k] = total
    out[links], out[links + 1] = rates[first], rates[first + 1]


@inlined
def prescribed_dynamics(model, work, state, joint_acceleration, wrench, acceleration, torque):
    """Compute base acceleration and joint torques [N m] of prescribed joints; damping and armature count as load.

    wrench as in add_wrenches(), whose power [W] is returned. The sum of the angles' equations (the heading's) and the
    translation's equations determine three unknowns. The partial sums of the remaining residual are the torques:
    tau_{k-1} - tau_k = residual_k.
    """
    links = work.rate.size
    for k in range(links - 1):
        torque[k] = 0.0
    assemble(model, work, state, torque)
    add_armature(model, work)
    power = add_wrenches(model, work, state, wrench)
    fill_matrix(model, work)
    base_acceleration(work, joint_acceleration, acceleration)
    total = 0.0
    for k in range(links - 1):
        angular = acceleration[2]
        row = work.matrix[k, links] * acceleration[0] + work.matrix[k, links + 1] * acceleration[1] - work.right[k]
        for j in range(links):
            row += work.matrix[k, j] * angular
            if j < links - 1:
                angular += joint_acceleration[j]
        total += row
        torque[k] = -total
    return power


@inner
def base_acceleration(work, joint_acceleration, acceleration):
    """Solve the three equations of the base and write all accelerations (n + 2,)."""
    links = work.rate.size
    small, right = work.base, work.base[3]
    small[0, 0], small[1, 0], small[2, 0], right[0] = 0.0, 0.0, 0.0, 0.0
    small[1, 1] = work.matrix[links, links]
    small[2, 1] = work.matrix[links + 1, links]
    small[2, 2] = work.matrix[links + 1, links + 1]
    right[1] = work.right[links]
    right[2] = work.right[links + 1]
    relative = 0.0  # absolute acceleration of link k minus the head's
    for k in range(links):
        column = 0.0
        for j in range(links):
            column += work.matrix[j, k]
        small[0, 0] += column
        small[1, 0] += work.matrix[links, k]
        small[2, 0] += work.matrix[links + 1, k]
        right[0] += work.right[k] - column * relative
        right[1] -= work.matrix[links, k] * relative
        right[2] -= work.matrix[links + 1, k] * relative
        if k < links - 1:
            relative += joint_acceleration[k]
            acceleration[3 + k] = joint_acceleration[k]
    factorise(small, 3)
    solve(small, 3, right)
    acceleration[0] = right[1]
    acceleration[1] = right[2]
    acceleration[2] = right[0]


@inlined
def kinetic_energy(model, work, state):
    """Return the kinetic energies (of the bodies, of the added mass) [J]."""
    links = work.rate.size
    vx, vy = state[links + 2], state[links + 3]
    set_angles(work, state)
    middle_velocities(model, work, work.rate, vx, vy, work.velocity)
    bodies = 0.5 * model.mass * (vx * vx + vy * vy)
    added = 0.0
    for k in range(links):
        for j in range(links):
            cosine = work.cosine[k] * work.cosine[j] + work.sine[k] * work.sine[j]
            bodies += 0.5 * model.coupling[k, j] * cosine * work.rate[k] * work.rate[j]
        vt = work.cosine[k] * work.velocity[k, 1] - work.sine[k] * work.velocity[k, 0]
        if has_added_mass(model.medium):
            added += 0.5 * model.medium.added_mass[k] * vt * vt
    for j in range(model.hinges.shape[0]):
        rate = state[links + 5 + j]
        bodies += 0.5 * model.hinges[j, ARMATURE] * rate * rate
    return bodies, added


@inner
def assembled_momentum(work, state, absolute):
    """Return linear momentum x, y [kg m/s] and angular momentum about the world's origin [kg m^2/s], with added mass.

    The full matrix of the state must be assembled; absolute (n + 2,) is scratch.
    """
    links = work.rate.size
    absolute_rates(state, links + 2, absolute)
    px, py, turning = 0.0, 0.0, 0.0
    for j in range(links + 2):
        px += work.matrix[links, j] * absolute[j]
        py += work.matrix[links + 1, j] * absolute[j]
        for k in range(links):
            turning += work.matrix[k, j] * absolute[j]
    return px, py, turning + state[0] * py - state[1] * px


@inlined
def link_poses(model, state, out):
    """Write x, y of each link's front end and its angle, (n, 3) [m, m, rad]."""
    links = model.shift.size
    x, y, angle = state[0], state[1], 0.0
    for k in range(links):
        angle += state[2 + k]
        out[k, 2] = angle
        x -= model.shift[k] * np.cos(angle)
        y -= model.shift[k] * np.sin(angle)
    for k in range(links):
        out[k, 0] = x
        out[k, 1] = y
        x += model.chain.length[k] * np.cos(out[k, 2])
        y += model.chain.length[k] * np.sin(out[k, 2])
