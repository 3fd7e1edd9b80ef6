"""What still water does to a tree: buoyancy and drag of every wetted body, added to the workspace of the recursion.

All vectors stand in the base's axes, as everywhere in the workspace; `up` is the world's vertical in them. Weight needs
no wrench: it is the acceleration g upwards that the whole tree seems to have.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from serpenoid.kernels.compile import kernel
from serpenoid.kernels.hydrostatics import DEPTH, FIRST_X, INTEGRALS, VOLUME, immersed_prisms
from serpenoid.kernels.lie import add, cross, dot, put, rotate, rotate_back, row, scale, subtract
from serpenoid.kernels.tree_frames import ANGULAR, ARM, FORCE, MOMENT, POSITION, get_rotation, move, place

HALF_SPAN = 0.5 / sqrt(3.0)  # of the two Gauss points from the middle, over the length


@kernel
def immerse_tree(water, up, height, work):
    """Integrals (prisms, 5, flat) of a placed tree whose base's origin stands `height` above the water."""
    prisms = water.prisms
    planes, integrals = water.planes, water.integrals
    for p in range(prisms.body.size):
        body = prisms.body[p]
        n = rotate_back(get_rotation(work, body), up)
        planes[4 * p], planes[4 * p + 1], planes[4 * p + 2] = n
        planes[4 * p + 3] = height + dot(up, row(work, body, POSITION))
    immersed_prisms(water.sections, prisms, planes, water.block, integrals)
    return integrals


@kernel
def load_buoyancy(water, up, integrals, work):
    """Subtract buoyancy, rho g V up at the centroid of V, from beta of every wetted body."""
    weight = water.density * water.gravity
    for p in range(water.prisms.body.size):
        body, k = water.prisms.body[p], INTEGRALS * p
        moment = (integrals[k + FIRST_X], integrals[k + FIRST_X + 1], integrals[k + FIRST_X + 2])
        force = scale(weight * integrals[k + VOLUME], up)
        torque = cross(scale(weight, rotate(get_rotation(work, body), moment)), up)
        put(work, body, FORCE, subtract(row(work, body, FORCE), force))
        put(work, body, MOMENT, subtract(row(work, body, MOMENT), torque))


@kernel
def flotation(water, tree, angles, up, height, work, out):
    """Sums over the whole tree in one shape: out (8,) = immersed volume, its first moment, m c, potential energy.

    First moments (3 each) about the base's origin in its axes; energy [J] = sum of m g z + rho g int depth dV.
    """
    place(tree, angles, work)
    integrals = immerse_tree(water, up, height, work)
    volume, depth = 0.0, 0.0
    wet, heavy = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for p in range(water.prisms.body.size):
        body, k = water.prisms.body[p], INTEGRALS * p
        volume += integrals[k + VOLUME]
        depth += integrals[k + DEPTH]
        own = (integrals[k + FIRST_X], integrals[k + FIRST_X + 1], integrals[k + FIRST_X + 2])
        own = rotate(get_rotation(work, body), own)
        wet = add(wet, add(own, scale(integrals[k + VOLUME], row(work, body, POSITION))))
    mass = 0.0
    for body in range(tree.parent.size):
        center = add(row(work, body, POSITION), rotate(get_rotation(work, body), row(tree.center, body, 0)))
        heavy = add(heavy, scale(tree.mass[body], center))
        mass += tree.mass[body]
    out[0], out[7] = volume, water.gravity * (mass * height + dot(up, heavy) + water.density * depth)
    for k in range(3):
        out[1 + k], out[4 + k] = wet[k], heavy[k]


@kernel
def immersed_volumes(water, tree, angles, up, height, work, out):
    """Immersed volume of every body (bodies,) [m^3]."""
    place(tree, angles, work)
    integrals = immerse_tree(water, up, height, work)
    out[:] = 0.0
    for p in range(water.prisms.body.size):
        out[water.prisms.body[p]] += integrals[INTEGRALS * p + VOLUME]


@kernel
def origin_velocities(tree, twist, work):
    """(bodies, 3) velocities of the bodies' origins, once the workspace holds arms and angular velocities."""
    velocities = np.empty((tree.parent.size, 3))
    put(velocities, 0, 0, (twist[0], twist[1], twist[2]))
    for body in range(1, tree.parent.size):
        parent = tree.parent[body]
        swing = cross(row(work, parent, ANGULAR), row(work, body, ARM))
        put(velocities, body, 0, add(row(velocities, parent, 0), swing))
    return velocities


@kernel
def load_drag(water, up, integrals, velocities, work):
    """Subtract drag and damping from beta of every wetted body, in proportion to its immersed part.

    At two Gauss points of each prism's axis e, per metre: -(c + d |v_t|) v_t - d_l |v_l| v_l e - w (v . up) up, v_t and
    v_l being the velocity across and along e; about e: -r (omega . e) e.
    """
    prisms, flow = water.prisms, water.flow
    for p in range(prisms.body.size):
        body, length = prisms.body[p], prisms.end[p] - prisms.start[p]
        wet = integrals[INTEGRALS * p + VOLUME] / water.sections.whole[prisms.section[p], 0]  # immersed length [m]
        R, omega = get_rotation(work, body), row(work, body, ANGULAR)
        axis = (R[0], R[3], R[6])
        torque = scale(flow.roll[p] * wet * dot(omega, axis), axis)
        total = (0.0, 0.0, 0.0)
        for side in (-HALF_SPAN, HALF_SPAN):
            arm = scale(0.5 * (prisms.start[p] + prisms.end[p]) + side * length, axis)
            v = add(row(velocities, body, 0), cross(omega, arm))
            along = dot(v, axis)
            across = subtract(v, scale(along, axis))
            law = flow.linear[p] + flow.quadratic[p] * sqrt(dot(across, across))
            force = add(scale(law, across), scale(flow.longitudinal[p] * abs(along) * along, axis))
            force = scale(0.5 * wet, add(force, scale(flow.wave[p] * dot(v, up), up)))
            total, torque = add(total, force), add(torque, cross(arm, force))
        put(work, body, FORCE, add(row(work, body, FORCE), total))
        put(work, body, MOMENT, add(row(work, body, MOMENT), torque))


@kernel
def drag_wrench(water, tree, angles, up, height, twist, work, out):
    """Drag on a frozen shape about the base's origin, out (6,) = force [N], moment [N m] in base axes."""
    place(tree, angles, work)
    move(tree, (twist[0], twist[1], twist[2]), (twist[3], twist[4], twist[5]), np.zeros(angles.size), work)
    for body in range(tree.parent.size):
        put(work, body, FORCE, (0.0, 0.0, 0.0))
        put(work, body, MOMENT, (0.0, 0.0, 0.0))
    load_drag(water, up, immerse_tree(water, up, height, work), origin_velocities(tree, twist, work), work)
    for body in range(tree.parent.size):
        force = row(work, body, FORCE)
        moment = add(row(work, body, MOMENT), cross(row(work, body, POSITION), force))
        for k in range(3):
            out[k] -= force[k]
            out[3 + k] -= moment[k]
