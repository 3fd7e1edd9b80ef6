"""Weight, buoyancy and drag of a tree in still water, as wrenches on its bodies or summed over the whole.

`up` is the world's vertical in the current axes; the integrals of hydrostatics.py are in the water's record.
"""

from __future__ import annotations

from math import sqrt

from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.lie import add, cross, dot, put, rotate, rotate_back, rotation_of, row, scale, subtract
from serpenoid.kernels.tree.frames import ANGULAR, LINEAR, POSITION, get_rotation, place
from serpenoid.kernels.water.hydrostatics import DEPTH, FIRST_X, FIRST_Y, FIRST_Z, INTEGRALS, VOLUME, immersed_prisms

HALF_SPAN = 0.5 / sqrt(3.0)  # of the two Gauss points from the middle, over the length


@inner
def set_plane(water, p, up, height):
    """Set the water plane of one prism in its body's axes, with its body's origin at `height` [m]."""
    water.planes[4 * p], water.planes[4 * p + 1], water.planes[4 * p + 2] = up
    water.planes[4 * p + 3] = height


@inner
def plane_of(water, p):
    """Return the world's vertical in the axes of a prism's body."""
    return (water.planes[4 * p], water.planes[4 * p + 1], water.planes[4 * p + 2])


@inner
def immerse_planes(water):
    """Compute water.integrals from water.planes."""
    immersed_prisms(water.sections, water.prisms, water.planes, water.cut, water.block, water.integrals)


@inner
def immerse_tree(water, up, height, work):
    """Compute water.integrals for a tree placed in base axes, with its base's origin `height` above the water."""
    for p in range(water.prisms.body.size):
        body = water.prisms.body[p]
        lift = height + dot(up, row(work, body, POSITION))
        set_plane(water, p, rotate_back(get_rotation(work, body), up), lift)
    immerse_planes(water)


@inner
def first_moment(water, p):
    """Return the first moment of a prism's immersed volume about its body's origin, in body axes [m^4]."""
    k = INTEGRALS * p
    return (water.integrals[k + FIRST_X], water.integrals[k + FIRST_Y], water.integrals[k + FIRST_Z])


@inner
def prism_drag(water, p, linear, angular):
    """Return drag and damping on one immersed prism, body axes: force [N] and moment about the body's origin [N m].

    At two Gauss points of its axis, per metre: -(c + d |v_t|) v_t - d_l |v_x| v_x e_x - w (v . up) up, where v_t is the
    velocity normal to x. About x: -r omega_x. All are proportional to the prism's immersed part.
    """
    prisms, flow, up = water.prisms, water.flow, plane_of(water, p)
    middle, length = 0.5 * (prisms.start[p] + prisms.end[p]), prisms.end[p] - prisms.start[p]
    wet = water.integrals[INTEGRALS * p + VOLUME] / water.sections.total[prisms.section[p], 0]  # immersed length [m]
    force, moment = (0.0, 0.0, 0.0), (-flow.roll[p] * wet * angular[0], 0.0, 0.0)
    for side in range(2):
        x = middle + (2 * side - 1) * HALF_SPAN * length
        v = (linear[0], linear[1] + angular[2] * x, linear[2] - angular[1] * x)
        law = flow.linear[p] + flow.quadratic[p] * sqrt(v[1] * v[1] + v[2] * v[2])
        push = (flow.longitudinal[p] * abs(v[0]) * v[0], law * v[1], law * v[2])
        push = scale(-0.5 * wet, add(push, scale(flow.wave[p] * dot(v, up), up)))
        force = add(force, push)
        moment = add(moment, (0.0, -x * push[2], x * push[1]))
    return force, moment


@inner
def body_weights(water, tree, rotations, out):
    """Write the weight of every body, out (bodies, 6)."""
    for body in range(tree.parent.size):
        up = (rotations[body, 2, 0], rotations[body, 2, 1], rotations[body, 2, 2])
        force = scale(-tree.mass[body] * water.gravity, up)
        put(out, body, 0, force)
        put(out, body, 3, cross(row(tree.center, body, 0), force))


@inner
def water_wrenches(water, tree, rotations, positions, twists, out):
    """Compute weight, buoyancy and drag on every body, out (bodies, 6): force, moment about its origin, body axes."""
    body_weights(water, tree, rotations, out)
    for p in range(water.prisms.body.size):
        body = water.prisms.body[p]
        up = (rotations[body, 2, 0], rotations[body, 2, 1], rotations[body, 2, 2])
        set_plane(water, p, up, positions[body, 2])
    immerse_planes(water)
    weight = water.density * water.gravity
    for p in range(water.prisms.body.size):
        body, up = water.prisms.body[p], plane_of(water, p)
        force = scale(weight * water.integrals[INTEGRALS * p + VOLUME], up)
        moment = cross(scale(weight, first_moment(water, p)), up)
        if water.flow.moves:
            drag, turning = prism_drag(water, p, row(twists, body, 0), row(twists, body, 3))
            force, moment = add(force, drag), add(moment, turning)
        put(out, body, 0, add(row(out, body, 0), force))
        put(out, body, 3, add(row(out, body, 3), moment))


@inner
def water_potential(water, tree, rotations, positions):
    """Return the potential energy of weight and buoyancy: sum of m g z + rho g int depth dV [J]."""
    energy = potential_of_weight(water, tree, rotations, positions)
    for p in range(water.prisms.body.size):
        body = water.prisms.body[p]
        up = (rotations[body, 2, 0], rotations[body, 2, 1], rotations[body, 2, 2])
        set_plane(water, p, up, positions[body, 2])
    immerse_planes(water)
    for p in range(water.prisms.body.size):
        energy += water.density * water.gravity * water.integrals[INTEGRALS * p + DEPTH]
    return energy


@inner
def potential_of_weight(water, tree, rotations, positions):
    """Return the sum of m g z over the bodies [J]."""
    energy = 0.0
    for body in range(tree.parent.size):
        up = (rotations[body, 2, 0], rotations[body, 2, 1], rotations[body, 2, 2])
        energy += tree.mass[body] * water.gravity * (positions[body, 2] + dot(up, row(tree.center, body, 0)))
    return energy


@inner
def immersed_sums(water, work):
    """Return the immersed volume of the whole [m^3] and its first moment about the base's origin, base axes [m^4]."""
    volume, moment = 0.0, (0.0, 0.0, 0.0)
    for p in range(water.prisms.body.size):
        body, own = water.prisms.body[p], water.integrals[INTEGRALS * p + VOLUME]
        volume += own
        moment = add(moment, scale(own, row(work, body, POSITION)))
        moment = add(moment, rotate(get_rotation(work, body), first_moment(water, p)))
    return volume, moment


@inner
def drag_on_whole(water, work, linear, angular):
    """Return the drag on an immersed tree about the base's origin, base axes; the base moves with (linear, angular).

    The workspace has the bodies' velocities with the base at rest.
    """
    force, moment = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for p in range(water.prisms.body.size):
        body = water.prisms.body[p]
        R, position = get_rotation(work, body), row(work, body, POSITION)
        velocity = add(add(linear, cross(angular, position)), row(work, body, LINEAR))
        omega = add(angular, row(work, body, ANGULAR))
        push, turning = prism_drag(water, p, rotate_back(R, velocity), rotate_back(R, omega))
        push = rotate(R, push)
        force, moment = add(force, push), add(moment, add(rotate(R, turning), cross(position, push)))
    return force, moment


@inner
def lift_whole(water, work, mass, center, base):
    """Return the total upward force of weight and buoyancy, and its moment about the centre of mass in base axes.

    base = (rotation, position, linear, angular velocity in base axes); center in base axes. The moment of buoyancy is
    rho g (S - V c) x up with S the first moment of the immersed volume V.
    """
    R, position, _, _ = base
    up = (R[6], R[7], R[8])
    immerse_tree(water, up, position[2], work)
    volume, moment = immersed_sums(water, work)
    weight = water.density * water.gravity
    torque = cross(scale(weight, subtract(moment, scale(volume, center))), up)
    return weight * volume - mass * water.gravity, torque


@inner
def net_buoyancy(water, tree, work, mass, center, base, scene):
    """Return weight and buoyancy on the whole: force and moment about the centre of mass, world axes [N, N m]."""
    lift, torque = lift_whole(water, work, mass, center, base)
    return (0.0, 0.0, lift), rotate(base[0], torque)


@inner
def net_water(water, tree, work, mass, center, base, scene):
    """Return weight, buoyancy and drag on the whole, as `net_buoyancy` does."""
    R, _, linear, angular = base
    lift, torque = lift_whole(water, work, mass, center, base)
    if water.flow.moves:
        drag, turning = drag_on_whole(water, work, linear, angular)
        torque = add(torque, subtract(turning, cross(center, drag)))
        drag = rotate(R, drag)
        return (drag[0], drag[1], drag[2] + lift), rotate(R, torque)
    return (0.0, 0.0, lift), rotate(R, torque)


@kernel
def flotation(water, tree, angles, up, height, work, out):
    """Compute sums over the whole tree in one shape.

    out (8,) = immersed volume, its first moment, m c, potential energy. First moments (3 each) are about the base's
    origin in its axes; energy [J] = sum of m g z + rho g int depth dV.
    """
    place(tree, angles, work)
    immerse_tree(water, up, height, work)
    volume, wet = immersed_sums(water, work)
    mass, heavy, depth = 0.0, (0.0, 0.0, 0.0), 0.0
    for p in range(water.prisms.body.size):
        depth += water.integrals[INTEGRALS * p + DEPTH]
    for body in range(tree.parent.size):
        center = add(row(work, body, POSITION), rotate(get_rotation(work, body), row(tree.center, body, 0)))
        heavy = add(heavy, scale(tree.mass[body], center))
        mass += tree.mass[body]
    out[0], out[7] = volume, water.gravity * (mass * height + dot(up, heavy) + water.density * depth)
    for k in range(3):
        out[1 + k], out[4 + k] = wet[k], heavy[k]


@kernel
def pose_volumes(water, links, out):
    """Compute the immersed volume of every body, out (samples, bodies) [m^3], for world poses (samples, bodies, 7)."""
    out[:] = 0.0
    for i in range(links.shape[0]):
        for p in range(water.prisms.body.size):
            pose = links[i, water.prisms.body[p]]
            R = rotation_of((pose[3], pose[4], pose[5], pose[6]))
            set_plane(water, p, (R[6], R[7], R[8]), pose[2])
        immerse_planes(water)
        for p in range(water.prisms.body.size):
            out[i, water.prisms.body[p]] += water.integrals[INTEGRALS * p + VOLUME]


@kernel
def net_drag(water, tree, angles, up, height, twist, work, out):
    """Compute the drag on a frozen shape about the base's origin, out (6,) = force [N], moment [N m] in base axes."""
    place(tree, angles, work)
    immerse_tree(water, up, height, work)
    for body in range(tree.parent.size):
        put(work, body, LINEAR, (0.0, 0.0, 0.0))
        put(work, body, ANGULAR, (0.0, 0.0, 0.0))
    force, moment = drag_on_whole(water, work, (twist[0], twist[1], twist[2]), (twist[3], twist[4], twist[5]))
    for k in range(3):
        out[k], out[3 + k] = force[k], moment[k]
