"""Added mass of the wetted bodies of a tree: slender strips with water moving across their axis and about it.

A strip at rho from the base's origin, of added mass a and axis e, has the momentum p = a P v. Here P = 1 - e e^T and v
is its velocity; about e it has J (omega . e) e. By Kirchhoff's equations the water reacts with the force -dp/dt. About
the base's origin it adds the moment -(rho x dp/dt + v x p) (the last term is Munk's), and -d/dt of the rotational part.
Two Gauss points per prism are exact for a rigid prism, because v is linear along it.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.lie import add, cross, dot, put, rotate, row, scale, subtract
from serpenoid.kernels.linear import factorise, solve
from serpenoid.kernels.tree.forward import A, B, C
from serpenoid.kernels.tree.frames import (
    ANGULAR,
    ARM,
    CENTER,
    FORCE,
    INERTIA,
    LINEAR,
    MASS,
    MOMENT,
    POSITION,
    SPIN,
    get_rotation,
)

HALF_SPAN = 0.5 / sqrt(3.0)  # of the two Gauss points from the middle, over the length


@inner
def strip_arm(prisms, p, side, axis):
    """Return the vector from a body's origin to one of the two Gauss points of its prism."""
    middle, length = 0.5 * (prisms.start[p] + prisms.end[p]), prisms.end[p] - prisms.start[p]
    return scale(middle + side * HALF_SPAN * length, axis)


@inner
def across(axis, v):
    """Return P v, the part of a vector normal to a unit vector."""
    return subtract(v, scale(dot(axis, v), axis))


@inner
def water_added_inertia(water, tree, work, extra):
    """Add the inertia of a tree's strips about the base's origin, base axes, to extra (6, 7).

    Return whether there is any.

    The last column receives the momentum (linear, angular) due to the joints' motion with the base at rest.
    """
    if not water.flow.adds:
        return False
    prisms, flow = water.prisms, water.flow
    for p in range(prisms.body.size):
        body, length = prisms.body[p], prisms.end[p] - prisms.start[p]
        R, omega = get_rotation(work, body), row(work, body, ANGULAR)
        axis = (R[0], R[3], R[6])
        for side in range(2):
            arm = strip_arm(prisms, p, 2.0 * side - 1.0, axis)
            rho = add(row(work, body, POSITION), arm)
            own = add(row(work, body, LINEAR), cross(omega, arm))
            share = 0.5 * length * flow.added_mass[p]
            for k in range(7):
                velocity = own if k == 6 else unit_velocity(k, rho)
                momentum = scale(share, across(axis, velocity))
                angular = cross(rho, momentum)
                for i in range(3):
                    extra[i, k] += momentum[i]
                    extra[3 + i, k] += angular[i]
        roll = flow.added_roll[p] * length
        for i in range(3):
            for k in range(3):
                extra[3 + i, 3 + k] += roll * axis[i] * axis[k]
            extra[3 + i, 6] += roll * dot(omega, axis) * axis[i]
    return True


@inner
def unit_velocity(k, rho):
    """Return the velocity at rho if the base moves with the k-th unit twist."""
    x, y, z = rho
    if k < 3:
        return (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
    if k == 3:
        return (0.0, -z, y)
    if k == 4:
        return (z, 0.0, -x)
    return (-y, x, 0.0)


@inner
def water_added_energy(water, twists):
    """Return the kinetic energy of the strips [J], a (P v)^2 / 2 + J (omega . e)^2 / 2, for twists in body axes."""
    if not water.flow.adds:
        return 0.0
    prisms, flow, energy = water.prisms, water.flow, 0.0
    for p in range(prisms.body.size):
        twist, length = twists[prisms.body[p]], prisms.end[p] - prisms.start[p]
        energy += 0.5 * flow.added_roll[p] * length * twist[3] * twist[3]
        for side in range(2):
            x = 0.5 * (prisms.start[p] + prisms.end[p]) + (2 * side - 1) * HALF_SPAN * length
            y, z = twist[1] + x * twist[5], twist[2] - x * twist[4]
            energy += 0.25 * length * flow.added_mass[p] * (y * y + z * z)
    return energy


@inner
def stiffen_strips(water, twists, work, articulated):
    """Add the strips to the articulated bodies of tree/forward.py, base axes, about each body's origin.

    For a strip at r = x e from the body's origin, since P [r] = [r],

        A += a P,    B -= a [r],    C += a x^2 P + J e e^T

    Its velocity-dependent reaction, strip_loads() without accelerations, is added to the forces.
    """
    if not water.flow.adds:
        return
    prisms, flow = water.prisms, water.flow
    for p in range(prisms.body.size):
        body, length = prisms.body[p], prisms.end[p] - prisms.start[p]
        R, omega, a = get_rotation(work, body), row(work, body, ANGULAR), articulated[body]
        axis = (R[0], R[3], R[6])
        axis_rate, roll = cross(omega, axis), flow.added_roll[p] * length
        velocity = rotate(R, row(twists, body, 0))
        force, torque = row(work, body, FORCE), row(work, body, MOMENT)
        torque = add(torque, scale(roll * dot(omega, axis), axis_rate))
        put_strip(a, 0.0, 0.0, 0.0, roll, axis)
        for side in (-1.0, 1.0):
            arm, share = strip_arm(prisms, p, side, axis), 0.5 * length * flow.added_mass[p]
            put_strip(a, share, share * dot(arm, axis), share * dot(arm, arm), 0.0, axis)
            v = add(velocity, cross(omega, arm))
            rate = across(axis, cross(omega, cross(omega, arm)))
            rate = subtract(rate, add(scale(dot(axis, v), axis_rate), scale(dot(axis_rate, v), axis)))
            force = add(force, scale(share, rate))
            torque = add(torque, scale(share, add(cross(arm, rate), cross(v, across(axis, v)))))
        put(work, body, FORCE, force)
        put(work, body, MOMENT, torque)


@inner
def put_strip(a, zeroth, first, second, roll, e):
    """Add A += zeroth P, B -= first [e], C += second P + roll e e^T to an articulated inertia, P = 1 - e e^T."""
    for i in range(3):
        j = (i + 1) % 3
        square, mixed = e[i] * e[i], e[i] * e[j]
        a[A + i] += zeroth * (1.0 - square)
        a[C + i] += second * (1.0 - square) + roll * square
        k = 3 if i == 0 else 5 if i == 1 else 4
        a[A + k] -= zeroth * mixed
        a[C + k] += (roll - second) * mixed
    a[B + 1] += first * e[2]
    a[B + 2] -= first * e[1]
    a[B + 3] -= first * e[2]
    a[B + 5] += first * e[0]
    a[B + 6] += first * e[1]
    a[B + 7] -= first * e[0]


@kernel
def shape_added_inertia(water, tree, work, extra):
    """Call water_added_inertia() as a separate function."""
    water_added_inertia(water, tree, work, extra)


class ReactionSpace(NamedTuple):
    """Working arrays for the reaction of added mass."""

    velocities: NDArray  # (bodies, 3) of the origins, base axes [m/s]
    known: NDArray  # (bodies, 6) accelerations of origins and angular ones [m/s^2, rad/s^2]
    loads: NDArray  # (bodies, 6) wrenches about the origins, base axes [N, N m]
    matrix: NDArray  # (6, 6) inertia of the whole
    extra: NDArray  # (6, 7) of the strips
    right: NDArray  # (6,)


@kernel
def reaction_space(tree):
    """Allocate a ReactionSpace for one tree."""
    bodies = tree.parent.size
    return ReactionSpace(
        np.zeros((bodies, 3)), np.zeros((bodies, 6)), np.zeros((bodies, 6)), np.zeros((6, 6)), np.zeros((6, 7)),
        np.zeros(6),
    )  # fmt: skip


@inner
def known_accelerations(tree, work, known):
    """Compute (bodies, 6) linear and angular accelerations of origins due to the joints alone, with a fixed base."""
    known[0] = 0.0
    for body in range(1, tree.parent.size):
        parent = tree.parent[body]
        turning = row(known, parent, 3)
        shift = add(row(known, parent, 0), cross(turning, row(work, body, ARM)))
        put(known, body, 0, add(shift, row(work, body, LINEAR)))
        put(known, body, 3, add(turning, row(work, body, SPIN)))


@inner
def strip_loads(water, velocities, accelerations, work, loads):
    """Compute the water's wrench on every body about its own origin for known accelerations, loads (bodies, 6)."""
    prisms, flow = water.prisms, water.flow
    loads[:] = 0.0
    for p in range(prisms.body.size):
        body, length = prisms.body[p], prisms.end[p] - prisms.start[p]
        R, omega, spin = get_rotation(work, body), row(work, body, ANGULAR), row(accelerations, body, 3)
        axis = (R[0], R[3], R[6])
        axis_rate = cross(omega, axis)
        turning = add(scale(dot(spin, axis), axis), scale(dot(omega, axis), axis_rate))
        force, torque = row(loads, body, 0), row(loads, body, 3)
        torque = subtract(torque, scale(flow.added_roll[p] * length, turning))
        for side in (-1.0, 1.0):
            arm, share = strip_arm(prisms, p, side, axis), 0.5 * length * flow.added_mass[p]
            v = add(row(velocities, body, 0), cross(omega, arm))
            a = add(row(accelerations, body, 0), add(cross(spin, arm), cross(omega, cross(omega, arm))))
            # d/dt P v = P a - e' (e . v) - e (e' . v)
            rate = subtract(across(axis, a), add(scale(dot(axis, v), axis_rate), scale(dot(axis_rate, v), axis)))
            rate = scale(share, rate)
            force = subtract(force, rate)
            torque = subtract(torque, add(cross(arm, rate), scale(share, cross(v, across(axis, v)))))
        put(loads, body, 0, force)
        put(loads, body, 3, torque)


@inner
def whole_inertia(work, matrix):
    """Compute the (6, 6) inertia of the composite body in row 0 of a workspace, about the base's origin."""
    m, h = work[0, MASS], row(work, 0, CENTER)
    own = work[0]
    matrix[:] = 0.0
    for k in range(3):
        matrix[k, k] = m
        matrix[3 + k, 3 + k] = own[INERTIA + k]
    matrix[3, 4], matrix[3, 5], matrix[4, 5] = own[INERTIA + 3], own[INERTIA + 4], own[INERTIA + 5]
    matrix[4, 3], matrix[5, 3], matrix[5, 4] = own[INERTIA + 3], own[INERTIA + 4], own[INERTIA + 5]
    matrix[0, 4], matrix[0, 5], matrix[1, 3], matrix[1, 5] = h[2], -h[1], -h[2], h[0]
    matrix[2, 3], matrix[2, 4] = h[1], -h[0]
    matrix[4, 0], matrix[5, 0], matrix[3, 1], matrix[5, 1] = h[2], -h[1], -h[2], h[0]
    matrix[3, 2], matrix[4, 2] = h[1], -h[0]


@inner
def solve_with_added_mass(tree, water, space, work):
    """Return the base origin's acceleration and angular acceleration.

    inward() must have summed the rigid part in row 0 of the workspace. `space` has the velocities and the result of
    known_accelerations() from before inward().
    """
    matrix, right, loads = space.matrix, space.right, space.loads
    whole_inertia(work, matrix)
    space.extra[:] = 0.0
    water_added_inertia(water, tree, work, space.extra)
    for i in range(6):
        for k in range(6):
            matrix[i, k] += space.extra[i, k]
    strip_loads(water, space.velocities, space.known, work, loads)
    right[:] = 0.0
    for body in range(tree.parent.size):
        force = row(loads, body, 0)
        torque = add(row(loads, body, 3), cross(row(work, body, POSITION), force))
        for k in range(3):
            right[k] += force[k]
            right[3 + k] += torque[k]
    for k in range(3):
        right[k] -= work[0, FORCE + k]
        right[3 + k] -= work[0, MOMENT + k]
    factorise(matrix, 6)
    solve(matrix, 6, right)
    return (right[0], right[1], right[2]), (right[3], right[4], right[5])
