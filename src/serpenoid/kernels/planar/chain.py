"""Mechanics of the planar chain in centre-of-mass coordinates: forward, inverse and prescribed dynamics.

A state begins with 2 (n + 2) numbers: x_com, y_com, heading of link 0, n - 1 joint angles, and their rates. Optional
entries after them, the state of the drives and the accounts, are not used here.

The internal coordinates are the links' absolute angles phi_k = heading + q_0 + .. + q_{k-1}. Let e_k = (cos phi_k, sin
phi_k), from head to tail, and n_k = z x e_k. The middle of link i has v_i = v_com + sum_k D_ik w_k n_k with constant D.
The mass matrix is M_kl = coupling_kl cos(phi_k - phi_l), independent of the translation. Added mass couples the two.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import inlined, inner, kernel
from serpenoid.kernels.linear import factorise, solve
from serpenoid.kernels.planar.media import Medium, acts, has_added_mass, reaction
from serpenoid.kernels.records import ARMATURE, Chain
from serpenoid.kernels.trigonometry import sine_cosine


class PlanarModel(NamedTuple):
    """Chain in a medium with the constants of its mass matrix; see `planar_model`."""

    chain: Chain
    medium: Medium
    mass: float  # of the whole chain [kg]
    shift: NDArray  # (n,) s_k: the centre of mass is sum_k s_k e_k from the head's front end [m]
    arm: NDArray  # (n, n) D_ik: the middle of link i is sum_k D_ik e_k from the centre of mass [m]
    coupling: NDArray  # (n, n) sum_i m_i K_ik K_il, inertias on the diagonal; K like D, for centres of mass [kg m^2]
    hinges: NDArray  # (n - 1, columns) of laws/hinges.py, excluding damping; or (0, 2) without friction and stops
    lever: NDArray  # (n,) of rails.py [m]; or (0,) without rails


class PlanarWork(NamedTuple):
    """Working arrays of the dynamics; one set per thread."""

    cosine: NDArray  # (n,) of the absolute angles
    sine: NDArray  # (n,)
    rate: NDArray  # (n,) absolute angular rates [rad/s]
    square: NDArray  # (n,) their squares
    velocity: NDArray  # (n, 2) of the links' middles, world axes [m/s]
    bias: NDArray  # (n, 2) acceleration of the middles at zero accelerations [m/s^2]
    row: NDArray  # (n,) scratch
    force: NDArray  # (n, 3) of the medium on the links: x, y, moment about the middle
    matrix: NDArray  # (n + 2, n + 2) angles first, then x and y; factorised in place
    right: NDArray  # (n + 2,) right-hand side, then the accelerations
    base: NDArray  # (4, 3) equations of the base alone, right-hand side last


PLAIN = np.zeros((0, 2))  # hinges with damping only


def planar_model(chain: Chain, medium: Medium, hinges: NDArray = PLAIN, rails: float | None = None) -> PlanarModel:
    """Compute the constants of a chain in a medium; `rails` carry a point behind the head's front end [m]."""
    links = chain.mass.size
    total = float(chain.mass.sum())
    reach = np.tril(np.broadcast_to(chain.length, (links, links)), -1) + np.diag(chain.center)
    shift = chain.mass @ reach / total
    offset = reach - shift
    coupling = offset.T @ (chain.mass[:, None] * offset) + np.diag(chain.inertia)
    arm = np.ascontiguousarray(offset + np.diag(0.5 * chain.length - chain.center))
    lever = np.zeros(0) if rails is None else shift - np.append(rails, np.zeros(links - 1))
    return PlanarModel(chain, medium, total, shift, arm, np.ascontiguousarray(coupling), hinges, lever)


@kernel
def planar_work(links):
    """Allocate the working arrays for a chain of `links` links."""
    return PlanarWork(
        cosine=np.empty(links),
        sine=np.empty(links),
        rate=np.empty(links),
        square=np.empty(links),
        velocity=np.empty((links, 2)),
        bias=np.empty((links, 2)),
        row=np.empty(links),
        force=np.zeros((links, 3)),
        matrix=np.empty((links + 2, links + 2)),
        right=np.empty(links + 2),
        base=np.empty((4, 3)),
    )


@inner
def set_angles(work, state):
    """Set sines, cosines and rates of the absolute angles from the state."""
    links = work.rate.size
    angle, rate = 0.0, 0.0
    for k in range(links):
        angle += state[2 + k]
        rate += state[links + 4 + k]
        work.sine[k], work.cosine[k] = sine_cosine(angle)
        work.rate[k] = rate
        work.square[k] = rate * rate


@inner
def middle_velocities(model, work, rate, vx, vy, out):
    """Write v + sum_k D_ik rate_k n_k for every link's middle (n, 2): velocities, or part of accelerations."""
    length, shift = model.chain.length, model.shift
    for k in range(shift.size):
        vx += shift[k] * rate[k] * work.sine[k]
        vy -= shift[k] * rate[k] * work.cosine[k]
    for k in range(shift.size):
        half = 0.5 * length[k] * rate[k]
        vx -= half * work.sine[k]
        vy += half * work.cosine[k]
        out[k, 0] = vx
        out[k, 1] = vy
        vx -= half * work.sine[k]
        vy += half * work.cosine[k]


@inner
def middle_bias(model, work, square, out):
    """Write -sum_k D_ik square_k e_k for every link's middle (n, 2): accelerations at zero angular accelerations."""
    length, shift = model.chain.length, model.shift
    ax, ay = 0.0, 0.0
    for k in range(shift.size):
        ax += shift[k] * square[k] * work.cosine[k]
        ay += shift[k] * square[k] * work.sine[k]
    for k in range(shift.size):
        half = 0.5 * length[k] * square[k]
        ax -= half * work.cosine[k]
        ay -= half * work.sine[k]
        out[k, 0] = ax
        out[k, 1] = ay
        ax -= half * work.cosine[k]
        ay -= half * work.sine[k]


@inner
def set_forces(model, work):
    """Compute forces and moments of the medium on every link, including the velocity terms of the added mass.

        f_l += m_v w v_t,  f_t += m_v w v_l - m_a bias_t,  moment -= m_v v_l v_t

    The added mass's kinetic energy m_a v_t^2 / 2 is a function of heading. The turning mass m_v is m_a, or zero in a
    fluid without these terms.
    """
    for k in range(work.rate.size):
        c, s, w = work.cosine[k], work.sine[k], work.rate[k]
        vl = c * work.velocity[k, 0] + s * work.velocity[k, 1]
        vt = c * work.velocity[k, 1] - s * work.velocity[k, 0]
        fl, ft, moment = reaction(model.medium, k, model.chain.length[k], vl, vt, w)
        if has_added_mass(model.medium):
            turning = model.medium.turning_mass[k]
            fl += turning * w * vt
            ft += turning * w * vl + model.medium.added_mass[k] * (s * work.bias[k, 0] - c * work.bias[k, 1])
            moment -= turning * vl * vt
        work.force[k, 0] = c * fl - s * ft
        work.force[k, 1] = s * fl + c * ft
        work.force[k, 2] = moment


@inner
def set_right(model, work, state, torque):
    """Compute the right-hand side `right`: joint torques and damping, Coriolis terms, and the medium's forces."""
    links = work.rate.size
    right, damping = work.right, model.chain.joint_damping
    before = 0.0
    for k in range(links - 1):
        after = torque[k] - damping[k] * state[links + 5 + k]
        right[k] = before - after
        before = after
    right[links - 1] = before
    right[links] = 0.0
    right[links + 1] = 0.0
    if acts(model.medium):
        add_forces(model, work)


@inner
def add_forces(model, work):
    """Add the generalised forces of the medium.

    The angles receive n_k . sum_i D_ik F_i + moment_k, the translation sum_i F_i.
    """
    length, shift, force, right = model.chain.length, model.shift, work.force, work.right
    links = shift.size
    totalx, totaly = 0.0, 0.0
    for k in range(links):
        totalx += force[k, 0]
        totaly += force[k, 1]
    behindx, behindy = 0.0, 0.0
    for k in range(links - 1, -1, -1):
        px = length[k] * (behindx + 0.5 * force[k, 0]) - shift[k] * totalx
        py = length[k] * (behindy + 0.5 * force[k, 1]) - shift[k] * totaly
        right[k] += work.cosine[k] * py - work.sine[k] * px + force[k, 2]
        behindx += force[k, 0]
        behindy += force[k, 1]
    right[links] += totalx
    right[links + 1] += totaly


@inner
def set_matrix(model, work):
    """Compute the lower triangle of the angles' mass matrix and the Coriolis terms -coupling_kl sin(k - l) w_l^2."""
    c, s, square, right, coupling = work.cosine, work.sine, work.square, work.right, model.coupling
    for k in range(c.size):
        total = right[k]
        for j in range(k):
            sine = coupling[k, j] * (s[k] * c[j] - c[k] * s[j])
            work.matrix[k, j] = coupling[k, j] * (c[k] * c[j] + s[k] * s[j])
            total -= sine * square[j]
            right[j] += sine * square[k]
        right[k] = total
        work.matrix[k, k] = coupling[k, k]


@inner
def add_added_mass(model, work):
    """Add the added mass to the matrix: sum_i m_i t_i t_i^T, t_i = (D_ik cos(phi_i - phi_k), n_i).

    This also fills the rows of x and y.
    """
    links = work.rate.size
    c, s, matrix, added = work.cosine, work.sine, work.matrix, model.medium.added_mass
    matrix[links, links] = model.mass
    matrix[links + 1, links + 1] = model.mass
    matrix[links + 1, links] = 0.0
    for k in range(links):
        matrix[links, k] = 0.0
        matrix[links + 1, k] = 0.0
    row = work.row
    for i in range(links):
        for k in range(links):
            row[k] = model.arm[i, k] * (c[i] * c[k] + s[i] * s[k])
        for k in range(links):
            scaled = added[i] * row[k]
            for j in range(k + 1):
                matrix[k, j] += scaled * row[j]
            matrix[links, k] -= scaled * s[i]
            matrix[links + 1, k] += scaled * c[i]
        matrix[links, links] += added[i] * s[i] * s[i]
        matrix[links + 1, links] -= added[i] * s[i] * c[i]
        matrix[links + 1, links + 1] += added[i] * c[i] * c[i]


@inner
def assemble(model, work, state, torque):
    """Assemble matrix and right-hand side of the equations of motion in absolute angles."""
    set_angles(work, state)
    if acts(model.medium):
        links = work.rate.size
        middle_velocities(model, work, work.rate, state[links + 2], state[links + 3], work.velocity)
        if has_added_mass(model.medium):
            middle_bias(model, work, work.square, work.bias)
        set_forces(model, work)
    set_right(model, work, state, torque)
    set_matrix(model, work)
    if has_added_mass(model.medium):
        add_added_mass(model, work)


@inner
def solve_accelerations(model, work):
    """Solve for the absolute accelerations (angles, x, y) in `right`: n equations, or n + 2 coupled by added mass."""
    links = work.rate.size
    if has_added_mass(model.medium):
        factorise(work.matrix, links + 2)
        solve(work.matrix, links + 2, work.right)
    else:
        factorise(work.matrix, links)
        solve(work.matrix, links, work.right)
        work.right[links] /= model.mass
        work.right[links + 1] /= model.mass


@inner
def medium_power(model, work):
    """Return the power of the medium on the links [W] from an assembled state, without the added mass's own energy.

    The forces contain the velocity terms of the added mass; m_a (bias_t - w v_l) v_t removes them. If the fluid omits
    some of these terms, the resulting gain or loss of energy is attributed to the medium.
    """
    power = 0.0
    if not acts(model.medium):
        return power
    for k in range(work.rate.size):
        vx, vy, w = work.velocity[k, 0], work.velocity[k, 1], work.rate[k]
        power += work.force[k, 0] * vx + work.force[k, 1] * vy + work.force[k, 2] * w
        if has_added_mass(model.medium):
            c, s = work.cosine[k], work.sine[k]
            bias = c * work.bias[k, 1] - s * work.bias[k, 0]
            power += model.medium.added_mass[k] * (bias - w * (c * vx + s * vy)) * (c * vy - s * vx)
    return power


@inner
def damping_power(model, state):
    """Return the power of the joints' viscous friction [W]."""
    links, power = model.shift.size, 0.0
    for j in range(links - 1):
        rate = state[links + 5 + j]
        power -= model.chain.joint_damping[j] * rate * rate
    return power


@inner
def add_wrenches(model, work, state, wrench):
    """Add forces at the links' centres of mass and moments, wrench (n, 3) [N, N m], to an assembled state.

    Returns their power [W]. A wrench without rows has no effect.
    """
    power = 0.0
    if wrench.shape[0] == 0:
        return power
    length, center, shift, right = model.chain.length, model.chain.center, model.shift, work.right
    links = shift.size
    middle_velocities(model, work, work.rate, state[links + 2], state[links + 3], work.velocity)
    totalx, totaly = 0.0, 0.0
    for k in range(links):
        totalx += wrench[k, 0]
        totaly += wrench[k, 1]
        ahead = (center[k] - 0.5 * length[k]) * work.rate[k]
        power += wrench[k, 0] * (work.velocity[k, 0] - ahead * work.sine[k]) + wrench[k, 2] * work.rate[k]
        power += wrench[k, 1] * (work.velocity[k, 1] + ahead * work.cosine[k])
    behindx, behindy = 0.0, 0.0
    for k in range(links - 1, -1, -1):
        px = length[k] * behindx + center[k] * wrench[k, 0] - shift[k] * totalx
        py = length[k] * behindy + center[k] * wrench[k, 1] - shift[k] * totaly
        right[k] += work.cosine[k] * py - work.sine[k] * px + wrench[k, 2]
        behindx += wrench[k, 0]
        behindy += wrench[k, 1]
    right[links] += totalx
    right[links + 1] += totaly
    return power


@inner
def add_armature(model, work):
    """Add the inertia that rotates only with the hinges to the lower triangle of an assembled matrix."""
    for j in range(model.hinges.shape[0]):
        armature = model.hinges[j, ARMATURE]
        work.matrix[j, j] += armature
        work.matrix[j + 1, j + 1] += armature
        work.matrix[j + 1, j] -= armature


@inlined
def forward_dynamics(model, work, state, torque, acceleration):
    """Write the accelerations (n + 2,) of x_com, y_com, heading and joints under joint torques (n - 1,) [N m]."""
    assemble(model, work, state, torque)
    solve_accelerations(model, work)
    write_accelerations(work, acceleration)


@inner
def write_accelerations(work, acceleration):
    """Write the accelerations (n + 2,) in the order of the state from the solution in `right`."""
    links, right = work.rate.size, work.right
    acceleration[0] = right[links]
    acceleration[1] = right[links + 1]
    acceleration[2] = right[0]
    for k in range(1, links):
        acceleration[2 + k] = right[k] - right[k - 1]
