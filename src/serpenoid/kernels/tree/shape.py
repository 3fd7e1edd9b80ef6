"""Instantaneous shape of a tree in base axes: centre of mass, inertia and the momentum of the joints' motion.

The integrators describe a floating tree by its centre of mass, its orientation, and its linear and angular momentum in
world axes. Conserved momenta then stay constant to rounding at any step, and jumps of joint rates need no special case.
"""

from __future__ import annotations

from numba.extending import overload

from serpenoid.kernels.compile import CHOSEN, inner
from serpenoid.kernels.lie import (
    IDENTITY,
    add,
    cross,
    dot,
    normalised,
    put,
    rotate,
    rotate_back,
    rotate_inertia,
    row,
    scale,
    steiner,
    subtract,
    symmetric_inverse,
    symmetric_product,
)
from serpenoid.kernels.simd import shared
from serpenoid.kernels.tree.environment import FOLLOWERS, added_inertia, follow_pose
from serpenoid.kernels.tree.frames import (
    ANGULAR,
    ARM,
    AXIS,
    LINEAR,
    POSITION,
    get_rotation,
    place_base,
    place_body,
)

ZERO = (0.0, 0.0, 0.0)
# Offsets in a shape: all in base axes from the base's origin.
CENTER, DRIFT, SPIN = (
    0,
    3,
    6,
)  # centre of mass [m], its velocity and the angular momentum about it with the base at rest
INERTIA, MASS, ADDED = 9, 15, 16  # about the centre of mass [kg m^2], [kg], whether there is added mass
# With added mass: (6, 6) inertia about the centre of mass, its inverse, (6,) momentum of the shape alone.
COUPLED, INVERSE, OWN = 17, 53, 89
SIZE = OWN + 6
# Offsets in a centroidal motion: centre of mass [m], quaternion, momentum [N s], angular momentum about the centre.
PLACE, ATTITUDE, MOMENTUM, ANGULAR_MOMENTUM, CENTROIDAL = 0, 3, 7, 10, 13


@inner
def compute_shape(world, tree, angles, rates, work, extra, shape):
    """Place and move all bodies with the base at rest, and sum the shape; extra (6, 7) is for added inertia."""
    place_base(IDENTITY, ZERO, work)
    put(work, 0, LINEAR, ZERO)
    put(work, 0, ANGULAR, ZERO)
    R = IDENTITY
    mass = tree.mass[0]
    arm = row(tree.center, 0, 0)
    moment, momentum, angular = scale(mass, arm), ZERO, ZERO
    inertia = sum6(rotate_inertia(R, tree.inertia[0]), steiner(mass, arm))
    for body in range(1, tree.parent.size):
        place_body(tree, body, angles[body - 1], work)
        move_body(tree, body, rates[body - 1], work)
        own = tree.mass[body]
        if own > 0.0:
            R, omega = get_rotation(work, body), row(work, body, ANGULAR)
            arm = rotate(R, row(tree.center, body, 0))
            center = add(row(work, body, POSITION), arm)
            carried = scale(own, add(row(work, body, LINEAR), cross(omega, arm)))
            about_center = rotate_inertia(R, tree.inertia[body])
            mass += own
            moment = add(moment, scale(own, center))
            momentum = add(momentum, carried)
            angular = add(angular, add(symmetric_product(about_center, omega), cross(center, carried)))
            inertia = sum6(inertia, sum6(about_center, steiner(own, center)))
    center = scale(1.0 / mass, moment)
    put_shape(shape, center, scale(1.0 / mass, momentum), subtract(angular, cross(center, momentum)), mass)
    put_six(shape, INERTIA, sum6(inertia, steiner(-mass, center)))
    shape[ADDED] = 0.0
    extra[:] = 0.0
    if added_inertia(world, tree, work, extra):
        couple(shape, extra)


@inner
def move_body(tree, body, rate, work):
    """Compute the velocity of a placed body's origin and its angular velocity from its parent's, (5)."""
    parent = tree.parent[body]
    omega = row(work, parent, ANGULAR)
    put(work, body, LINEAR, add(row(work, parent, LINEAR), cross(omega, row(work, body, ARM))))
    put(work, body, ANGULAR, add(omega, scale(rate, row(work, body, AXIS))))


@inner
def sum6(a, b):
    """Return a + b of six numbers each."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5])


@inner
def put_shape(shape, center, drift, spin, mass):
    """Write the vectors of a shape."""
    for k in range(3):
        shape[CENTER + k], shape[DRIFT + k], shape[SPIN + k] = center[k], drift[k], spin[k]
    shape[MASS] = mass


@inner
def put_six(array, start, values):
    """Write six numbers."""
    for k in range(6):
        array[start + k] = values[k]


@inner
def three(array, start):
    """Return three neighbouring numbers of a flat array."""
    return (array[start], array[start + 1], array[start + 2])


@inner
def put_three(array, start, values):
    """Write three numbers."""
    array[start], array[start + 1], array[start + 2] = values[0], values[1], values[2]


@inner
def inertia_of(shape):
    """Return the shape's inertia about its centre of mass as (xx, yy, zz, xy, xz, yz)."""
    k = INERTIA
    return (shape[k], shape[k + 1], shape[k + 2], shape[k + 3], shape[k + 4], shape[k + 5])


@inner
def velocities(shape, R, momentum, angular_momentum):
    """Return the centre of mass's velocity and the base's angular velocity, base axes, from momenta in world axes."""
    p, h = rotate_back(R, momentum), rotate_back(R, angular_momentum)
    if shared(shape[ADDED]) != 0.0:
        return coupled_velocities(shape, p, h)
    omega = symmetric_product(symmetric_inverse(inertia_of(shape)), subtract(h, three(shape, SPIN)))
    return scale(1.0 / shape[MASS], p), omega


@inner
def base_linear(shape, velocity, omega):
    """Return the velocity of the base's origin from that of the centre of mass, base axes."""
    return subtract(subtract(velocity, three(shape, DRIFT)), cross(omega, three(shape, CENTER)))


@inner
def couple(shape, extra):
    """Add added inertia A and added momentum a, (A | a) in extra (6, 7), to the shape about its centre of mass c.

    With T = ((1, [c]), (0, 1)): K = diag(m 1, J) + T^T A T. The shape stores K, K^-1 and the momentum of the shape
    alone, (0, l) + T^T a - T^T A T (drift, 0). Then (v, omega) = K^-1 ((p, h) - that momentum).
    """
    shape[ADDED] = 1.0
    center, drift = three(shape, CENTER), three(shape, DRIFT)
    for i in range(6):
        put(extra, i, 3, add(row(extra, i, 3), cross(row(extra, i, 0), center)))
    for j in range(7):
        shift = cross((extra[0, j], extra[1, j], extra[2, j]), center)
        for k in range(3):
            extra[3 + k, j] += shift[k]
    for i in range(6):
        shape[OWN + i] = extra[i, 6] - dot(row(extra, i, 0), drift)
        for j in range(6):
            shape[COUPLED + 6 * i + j] = extra[i, j]
    rigid = inertia_of(shape)
    full = (rigid[0], rigid[3], rigid[4], rigid[3], rigid[1], rigid[5], rigid[4], rigid[5], rigid[2])
    for i in range(3):
        shape[OWN + 3 + i] += shape[SPIN + i]
        shape[COUPLED + 7 * i] += shape[MASS]
        for j in range(3):
            shape[COUPLED + 6 * (3 + i) + 3 + j] += full[3 * i + j]
    for k in range(36):
        shape[INVERSE + k] = shape[COUPLED + k]
    invert_six(shape, INVERSE)


@inner
def couple_sea(world, tree, work, extra, shape, R, center):
    """Set a shape's added inertia for an attitude of its base and a place of its centre of mass."""
    if follow_pose(world, tree, work, R, subtract(center, rotate(R, three(shape, CENTER)))):
        extra[:] = 0.0
        added_inertia(world, tree, work, extra)
        couple(shape, extra)


def couple_pose(world, tree, work, extra, shape, R, center):
    """Call couple_sea() in worlds in which added inertia may depend on the pose."""
    if type(world) in FOLLOWERS:
        couple_sea(world, tree, work, extra, shape, R, center)


@overload(couple_pose, jit_options=CHOSEN)
def choose_coupling(world, tree, work, extra, shape, R, center):
    if world.instance_class not in FOLLOWERS:
        return lambda world, tree, work, extra, shape, R, center: None

    def coupled(world, tree, work, extra, shape, R, center):
        couple_sea(world, tree, work, extra, shape, R, center)

    return coupled


@inner
def invert_six(array, start):
    """Invert a positive (6, 6) matrix stored in rows of a flat array, in place (Gauss-Jordan without pivots)."""
    for p in range(6):
        pivot = 1.0 / array[start + 7 * p]
        array[start + 7 * p] = 1.0
        for j in range(6):
            array[start + 6 * p + j] *= pivot
        for i in range(6):
            if i != p:
                factor = array[start + 6 * i + p]
                array[start + 6 * i + p] = 0.0
                for j in range(6):
                    array[start + 6 * i + j] -= factor * array[start + 6 * p + j]


@inner
def coupled_velocities(shape, p, h):
    """Return (v, omega) = K^-1 ((p, h) - momentum of the shape alone)."""
    p, h = subtract(p, three(shape, OWN)), subtract(h, three(shape, OWN + 3))
    return coupled_rows(shape, INVERSE, p, h), coupled_rows(shape, INVERSE + 18, p, h)


@inner
def coupled_rows(shape, start, p, h):
    """Return three rows of a (6, 6) matrix times (p, h)."""
    return (
        dot(three(shape, start), p) + dot(three(shape, start + 3), h),
        dot(three(shape, start + 6), p) + dot(three(shape, start + 9), h),
        dot(three(shape, start + 12), p) + dot(three(shape, start + 15), h),
    )


@inner
def momenta(shape, R, velocity, omega):
    """Return momentum and angular momentum about the centre of mass, world axes, from velocities() in base axes."""
    p = scale(shape[MASS], velocity)
    h = add(symmetric_product(inertia_of(shape), omega), three(shape, SPIN))
    if shared(shape[ADDED]) != 0.0:
        p = add(coupled_rows(shape, COUPLED, velocity, omega), three(shape, OWN))
        h = add(coupled_rows(shape, COUPLED + 18, velocity, omega), three(shape, OWN + 3))
    return rotate(R, p), rotate(R, h)


@inner
def attitude_of(centroidal):
    """Return the unit quaternion of a centroidal motion."""
    k = ATTITUDE
    return normalised((centroidal[k], centroidal[k + 1], centroidal[k + 2], centroidal[k + 3]))
