"""Derivatives of the planar chain's forces and Coriolis terms by angles and velocities.

The medium's force on link i depends on its middle's velocity v_i, its angle and its rate. A step that is implicit in
the velocities adds the change of velocity over the step, and added mass the acceleration. Each dependence is a
symmetric 2 x 2 matrix B_i per link (xx, xy, yy in world axes). The angles' equations need S_kl = sum_i D_ik D_il B_i,
which follows from sums over the links behind. With U_l = sum_i G_il B_i (G is the part of D without the centre of
mass), for k <= l

    S_kl = (length_k - shift_k) U_l - shift_l U_k + shift_k shift_l sum_i B_i - [k = l] length_k^2 / 4 B_k
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import inner
from serpenoid.kernels.planar.media import acts, has_added_mass, reaction, reaction_jacobian


class Slopes(NamedTuple):
    """Derivatives of the force F and moment N on every link by velocity v and rate w of the link, world axes."""

    local: NDArray  # (n, 3) dF/dv as xx, xy, yy
    pair: NDArray  # (n, n, 3) S of the module's text, lower triangle
    single: NDArray  # (n, 3) sum_i D_ik B_i
    total: NDArray  # (3,) sum over the links
    spin: NDArray  # (n, 2) dF/dw
    lever: NDArray  # (n, 2) dN/dv
    turn: NDArray  # (n,) dN/dw


class Tangent(NamedTuple):
    """Linearisation point and derivatives; `change` parts are zero in continuous time."""

    velocity: Slopes  # by the velocities
    change: Slopes  # by their change up to the middle of an implicit step
    added: Slopes  # by the accelerations: -m_a n n^T
    jump: NDArray  # (n, 2) change of the middles' velocities up to the middle of a step, at fixed angles [m/s]
    jump_rate: NDArray  # (n,) the same of the absolute rates [rad/s]
    acceleration: NDArray  # (n, 2) of the middles [m/s^2]
    angular: NDArray  # (n,) absolute angular accelerations [rad/s^2]
    product: NDArray  # (n,) centripetal: w^2, or w (w + change)
    factor: NDArray  # (n,) its derivative by w
    force: NDArray  # (n, 3) total force and moment on each link, added mass included
    columns: NDArray  # (n + 2, 3 n + 1) right-hand sides: angles, rates, velocity of the centre, torques


def new_slopes(links: int) -> Slopes:
    """Allocate zero slopes for a chain of `links` links."""
    return Slopes(
        np.zeros((links, 3)), np.zeros((links, links, 3)), np.zeros((links, 3)), np.zeros(3), np.zeros((links, 2)),
        np.zeros((links, 2)), np.zeros(links),
    )  # fmt: skip


def planar_tangent(links: int) -> Tangent:
    """Allocate the arrays for derivatives of a chain of `links` links."""
    return Tangent(
        velocity=new_slopes(links),
        change=new_slopes(links),
        added=new_slopes(links),
        jump=np.zeros((links, 2)),
        jump_rate=np.zeros(links),
        acceleration=np.zeros((links, 2)),
        angular=np.zeros(links),
        product=np.zeros(links),
        factor=np.zeros(links),
        force=np.zeros((links, 3)),
        columns=np.zeros((links + 2, 3 * links + 1)),
    )


@inner
def set_slopes(model, work, slopes, jump):
    """Compute slopes at the velocities in `work`; a jump adds their change along it, None does not.

    jump: (tangent.jump, tangent.jump_rate) of an implicit step.
    """
    for k in range(work.rate.size):
        c, s, w = work.cosine[k], work.sine[k], work.rate[k]
        vl = c * work.velocity[k, 0] + s * work.velocity[k, 1]
        vt = c * work.velocity[k, 1] - s * work.velocity[k, 0]
        if jump is None:
            slope = reaction_jacobian(model.medium, k, model.chain.length[k], (vl, vt, w), None)
        else:
            slope = reaction_jacobian(model.medium, k, model.chain.length[k], (vl, vt, w), own_axes(jump, c, s, k))
        ll, lt, tt, lw, tw, ww = slope
        ml, mt = lw, tw
        if has_added_mass(model.medium):
            turning = model.medium.turning_mass[k]
            if jump is not None:
                dl, dt, dw = own_axes(jump, c, s, k)
                vl, vt, w = vl + dl, vt + dt, w + dw
            lt += turning * w
            lw, tw = lw + turning * vt, tw + turning * vl
            ml, mt = ml - turning * vt, mt - turning * vl
        slopes.local[k, 0] = c * c * ll - 2.0 * c * s * lt + s * s * tt
        slopes.local[k, 1] = c * s * (ll - tt) + (c * c - s * s) * lt
        slopes.local[k, 2] = s * s * ll + 2.0 * c * s * lt + c * c * tt
        slopes.spin[k, 0] = c * lw - s * tw
        slopes.spin[k, 1] = s * lw + c * tw
        slopes.lever[k, 0] = c * ml - s * mt
        slopes.lever[k, 1] = s * ml + c * mt
        slopes.turn[k] = ww
    gather(model, slopes)


@inner
def own_axes(jump, c, s, k):
    """Return the change (v_l, v_t, w) of a link up to the middle of an implicit step, in the link's axes."""
    return c * jump[0][k, 0] + s * jump[0][k, 1], c * jump[0][k, 1] - s * jump[0][k, 0], jump[1][k]


@inner
def set_added(model, work, slopes):
    """Compute the slopes by acceleration: -m_a n n^T."""
    for k in range(work.rate.size):
        added = model.medium.added_mass[k]
        slopes.local[k, 0] = -added * work.sine[k] * work.sine[k]
        slopes.local[k, 1] = added * work.sine[k] * work.cosine[k]
        slopes.local[k, 2] = -added * work.cosine[k] * work.cosine[k]
    gather(model, slopes)


@inner
def gather(model, slopes):
    """Sum over the links to get total, single and pair from local; `single` stores U temporarily."""
    local, reach, pair, length, shift = slopes.local, slopes.single, slopes.pair, model.chain.length, model.shift
    links = shift.size
    for a in range(3):
        behind = 0.0
        for k in range(links - 1, -1, -1):
            reach[k, a] = length[k] * (behind + 0.5 * local[k, a])
            behind += local[k, a]
        slopes.total[a] = behind
        for k in range(links):
            for j in range(k + 1):
                both = (length[j] - shift[j]) * reach[k, a] - shift[k] * reach[j, a] + shift[k] * shift[j] * behind
                pair[k, j, a] = both
            pair[k, k, a] -= 0.25 * length[k] * length[k] * local[k, a]
        for k in range(links):
            reach[k, a] -= shift[k] * behind


@inner
def symmetric(matrices, k):
    """Return row k of (n, 3) as (xx, xy, yy)."""
    return matrices[k, 0], matrices[k, 1], matrices[k, 2]


@inner
def symmetric_pair(matrices, k, j):
    """Return entry k, j of (n, n, 3) as (xx, xy, yy)."""
    return matrices[k, j, 0], matrices[k, j, 1], matrices[k, j, 2]


@inner
def multiply_symmetric(matrix, x, y):
    """Return symmetric (xx, xy, yy) times a vector."""
    return matrix[0] * x + matrix[1] * y, matrix[1] * x + matrix[2] * y


@inner
def across(matrix, c, s, x, y):
    """Return n . (matrix (x, y)) with n = (-s, c)."""
    fx, fy = multiply_symmetric(matrix, x, y)
    return c * fy - s * fx


@inner
def set_total_force(model, work, tangent):
    """Compute force and moment on every link, with the step's change of velocity and the added mass's acceleration."""
    for k in range(work.rate.size):
        c, s, w = work.cosine[k], work.sine[k], work.rate[k]
        vl = c * work.velocity[k, 0] + s * work.velocity[k, 1]
        vt = c * work.velocity[k, 1] - s * work.velocity[k, 0]
        fl, ft, moment = reaction(model.medium, k, model.chain.length[k], vl, vt, w)
        dx, dy, dw = tangent.jump[k, 0], tangent.jump[k, 1], tangent.jump_rate[k]
        slopes = tangent.change
        fx, fy = multiply_symmetric(symmetric(slopes.local, k), dx, dy)
        fx, fy = fx + slopes.spin[k, 0] * dw, fy + slopes.spin[k, 1] * dw
        moment += slopes.lever[k, 0] * dx + slopes.lever[k, 1] * dy + slopes.turn[k] * dw
        if has_added_mass(model.medium):
            turning = model.medium.turning_mass[k]
            across = s * tangent.acceleration[k, 0] - c * tangent.acceleration[k, 1]
            fl += turning * w * vt
            ft += turning * w * vl + model.medium.added_mass[k] * across
            moment -= turning * vl * vt
        tangent.force[k, 0] = fx + c * fl - s * ft
        tangent.force[k, 1] = fy + s * fl + c * ft
        tangent.force[k, 2] = moment


@inner
def velocity_columns(model, work, slopes, added, factor, out, start):
    """Write d(forces - Coriolis terms)/d(rates, velocity of the centre) to out[:, start : start + n + 2].

    factor_l is the derivative of the centripetal product by the rate; the rows are angles, x, y.
    """
    links = work.rate.size
    c, s, fluid, loaded = work.cosine, work.sine, has_added_mass(model.medium), acts(model.medium)
    for k in range(links):
        for j in range(k + 1):
            sc = model.coupling[k, j] * (s[k] * c[j] - c[k] * s[j])
            forward, backward = -sc * factor[j], sc * factor[k]  # entries (k, j) and (j, k)
            if loaded:
                both = across(symmetric_pair(slopes.pair, k, j), c[k], s[k], -s[j], c[j])
                forward += both
                backward += both
            if fluid:
                A = symmetric_pair(added.pair, k, j)
                forward -= factor[j] * across(A, c[k], s[k], c[j], s[j])
                backward -= factor[k] * across(A, c[j], s[j], c[k], s[k])
            out[k, start + j] = forward
            if j < k:
                out[j, start + k] = backward
    damping = model.chain.joint_damping
    for j in range(links - 1):
        out[j, start + j] -= damping[j]
        out[j + 1, start + j + 1] -= damping[j]
        out[j, start + j + 1] += damping[j]
        out[j + 1, start + j] += damping[j]
    if has_moments(model.medium):
        add_moments(model, work, slopes, out, start)
    center_columns(model, work, slopes, added, factor, out, start)


@inner
def has_moments(medium):
    """Return whether forces have moments about the links' middles or depend on rates; false for a single station."""
    return has_added_mass(medium) or medium.points.size > 1


@inner
def add_moments(model, work, slopes, out, start):
    """Add dF/dw and the moments to the angles' rows: D_lk n_k . spin_l + D_kl lever_k . n_l + turn."""
    links = work.rate.size
    c, s = work.cosine, work.sine
    for k in range(links):
        for j in range(links):
            out[k, start + j] += model.arm[j, k] * (c[k] * slopes.spin[j, 1] - s[k] * slopes.spin[j, 0])
            out[k, start + j] += model.arm[k, j] * (c[j] * slopes.lever[k, 1] - s[j] * slopes.lever[k, 0])
        out[k, start + k] += slopes.turn[k]


@inner
def center_columns(model, work, slopes, added, factor, out, start):
    """Write the translation's rows and the columns of the centre's velocity to out[:, start:]."""
    links = work.rate.size
    c, s = work.cosine, work.sine
    x, y = links, links + 1
    for k in range(links):
        if not acts(model.medium):
            out[x, start + k] = 0.0
            out[y, start + k] = 0.0
            out[k, start + x] = 0.0
            out[k, start + y] = 0.0
            continue
        fx, fy = multiply_symmetric(symmetric(slopes.single, k), -s[k], c[k])
        out[k, start + x] = fx + slopes.lever[k, 0]
        out[k, start + y] = fy + slopes.lever[k, 1]
        fx, fy = fx + slopes.spin[k, 0], fy + slopes.spin[k, 1]
        if has_added_mass(model.medium):
            ax, ay = multiply_symmetric(symmetric(added.single, k), c[k], s[k])
            fx, fy = fx - factor[k] * ax, fy - factor[k] * ay
        out[x, start + k] = fx
        out[y, start + k] = fy
    out[x, start + x] = slopes.total[0]
    out[x, start + y] = slopes.total[1]
    out[y, start + x] = slopes.total[1]
    out[y, start + y] = slopes.total[2]
