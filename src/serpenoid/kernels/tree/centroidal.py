"""Centroidal motion of a floating tree (centre of mass, quaternion, momenta), to and from its base."""

from __future__ import annotations

from serpenoid.kernels.compile import inner
from serpenoid.kernels.lie import add, cross, quaternion_rate, rotate, rotation_of, subtract
from serpenoid.kernels.simd import shared
from serpenoid.kernels.tree.environment import net_wrench
from serpenoid.kernels.tree.scene import push_whole
from serpenoid.kernels.tree.shape import (
    ADDED,
    ANGULAR_MOMENTUM,
    ATTITUDE,
    CENTER,
    MASS,
    MOMENTUM,
    PLACE,
    attitude_of,
    base_linear,
    couple_pose,
    momenta,
    put_three,
    three,
    velocities,
)


@inner
def centroidal_rate(world, tree, outside, work, extra, shape, centroidal, scene, out):
    """Write the rate of (centre of mass, quaternion, momentum, angular momentum) of a floating tree in a known shape.

    outside: wrenches, see scene.push_bodies(). The array extra (6, 7) is for added inertia. Returns position, linear
    and angular velocity of the base.
    """
    R = rotation_of(attitude_of(centroidal))
    couple_pose(world, tree, work, extra, shape, R, three(centroidal, PLACE))
    momentum, center = three(centroidal, MOMENTUM), three(shape, CENTER)
    velocity, omega = velocities(shape, R, momentum, three(centroidal, ANGULAR_MOMENTUM))
    base = (R, subtract(three(centroidal, PLACE), rotate(R, center)), base_linear(shape, velocity, omega), omega)
    force, moment = net_wrench(world, tree, work, shape[MASS], center, base, scene)
    if outside.shape[0] > 0:
        force, moment = push_whole(tree, outside, work, base, three(centroidal, PLACE), force, moment)
    put_centroidal_rate(shape, centroidal, (rotate(R, velocity), omega), (force, moment), out)
    return base[1], base[2], omega


@inner
def put_centroidal_rate(shape, centroidal, motion, wrench, out):
    """Write the rate under a wrench = (force, moment about the centre of mass), world axes.

    The motion is (velocity of the centre of mass in world axes, angular velocity of the base in its own axes). With
    added mass the momentum is not parallel to the velocity; its moment about the moving centre is v x p.
    """
    moment = wrench[1]
    if shared(shape[ADDED]) != 0.0:
        moment = subtract(moment, cross(motion[0], three(centroidal, MOMENTUM)))
    put_three(out, PLACE, motion[0])
    a = ATTITUDE
    rate = quaternion_rate((centroidal[a], centroidal[a + 1], centroidal[a + 2], centroidal[a + 3]), motion[1])
    for k in range(4):
        out[a + k] = rate[k]
    put_three(out, MOMENTUM, wrench[0])
    put_three(out, ANGULAR_MOMENTUM, moment)


@inner
def normalise(centroidal):
    """Normalise the quaternion."""
    quaternion = attitude_of(centroidal)
    for k in range(4):
        centroidal[ATTITUDE + k] = quaternion[k]


@inner
def base_of(world, tree, work, extra, shape, centroidal):
    """Return (rotation, position, linear and angular velocity in base axes) of the base of a tree in a known shape.

    For a fixed base, its own position replaces the centre of mass.
    """
    R, still = rotation_of(attitude_of(centroidal)), (0.0, 0.0, 0.0)
    if tree.fixed_base:
        return R, three(centroidal, PLACE), still, still
    couple_pose(world, tree, work, extra, shape, R, three(centroidal, PLACE))
    velocity, omega = velocities(shape, R, three(centroidal, MOMENTUM), three(centroidal, ANGULAR_MOMENTUM))
    position = subtract(three(centroidal, PLACE), rotate(R, three(shape, CENTER)))
    return R, position, base_linear(shape, velocity, omega), omega


@inner
def gather(world, tree, work, extra, shape, state, joints, centroidal):
    """Compute the centroidal motion from a state whose shape is known."""
    for k in range(4):
        centroidal[ATTITUDE + k] = state[3 + k]
    quaternion = attitude_of(centroidal)
    R = rotation_of(quaternion)
    linear, omega = three(state, 7 + joints), three(state, 10 + joints)
    center = three(shape, CENTER)
    velocity = add(add(linear, cross(omega, center)), three(shape, 3))
    put_three(centroidal, PLACE, add(three(state, 0), rotate(R, center)))
    if tree.fixed_base:
        put_three(centroidal, PLACE, three(state, 0))
    couple_pose(world, tree, work, extra, shape, R, three(centroidal, PLACE))
    momentum, angular = momenta(shape, R, velocity, omega)
    put_three(centroidal, MOMENTUM, momentum)
    put_three(centroidal, ANGULAR_MOMENTUM, angular)
    for k in range(4):
        centroidal[ATTITUDE + k] = quaternion[k]


@inner
def scatter(world, tree, work, extra, shape, centroidal, joints, out):
    """Write the base pose and twist of a state from a centroidal motion."""
    _, position, linear, omega = base_of(world, tree, work, extra, shape, centroidal)
    quaternion = attitude_of(centroidal)
    put_three(out, 0, position)
    for k in range(4):
        out[3 + k] = quaternion[k]
    put_three(out, 7 + joints, linear)
    put_three(out, 10 + joints, omega)
