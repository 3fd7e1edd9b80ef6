"""Whole rollouts of a tree in one compiled call: RK4 on centre of mass, quaternion, momentum and angular momentum.

States are flat: base position (3), quaternion w x y z (4), joint angles, base twist in base axes (6), joint rates.
The world is a record that `environment.py` knows. Joints follow a Motion here; drive.py drives them by torques.
"""

from __future__ import annotations

import numpy as np

from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.lie import add, cross, quaternion_rate, rotate, rotation_of, subtract
from serpenoid.kernels.motion import joint_motion, motion_segment
from serpenoid.kernels.tree.environment import make_scene, net_wrench
from serpenoid.kernels.tree.frames import workspace
from serpenoid.kernels.tree.shape import (
    ADDED,
    ANGULAR_MOMENTUM,
    ATTITUDE,
    CENTER,
    CENTROIDAL,
    MASS,
    MOMENTUM,
    PLACE,
    SIZE,
    attitude_of,
    base_linear,
    compute_shape,
    momenta,
    put_three,
    three,
    velocities,
)

KNOT_TOLERANCE = 1e-9  # of a step: how close a knot may lie to a step's end without cutting it
STARTS, MIDDLE, ENDS = 0, 1, 2


@inner
def centroidal_rate(world, tree, work, shape, centroidal, scene, out):
    """Rate of (centre of mass, quaternion, momentum, angular momentum) of a tree in a known shape."""
    quaternion = attitude_of(centroidal)
    R = rotation_of(quaternion)
    momentum, center = three(centroidal, MOMENTUM), three(shape, CENTER)
    velocity, omega = velocities(shape, R, momentum, three(centroidal, ANGULAR_MOMENTUM))
    base = (R, subtract(three(centroidal, PLACE), rotate(R, center)), base_linear(shape, velocity, omega), omega)
    force, moment = net_wrench(world, tree, work, shape[MASS], center, base, scene)
    moving = rotate(R, velocity)
    if shape[ADDED] != 0.0:
        moment = subtract(moment, cross(moving, momentum))
    put_three(out, PLACE, moving)
    rate = quaternion_rate(
        (centroidal[ATTITUDE], centroidal[ATTITUDE + 1], centroidal[ATTITUDE + 2], centroidal[ATTITUDE + 3]), omega
    )
    for k in range(4):
        out[ATTITUDE + k] = rate[k]
    put_three(out, MOMENTUM, force)
    put_three(out, ANGULAR_MOMENTUM, moment)


@inner
def gather(shape, state, joints, centroidal):
    """Motion of the whole from a state whose shape is known."""
    for k in range(4):
        centroidal[ATTITUDE + k] = state[3 + k]
    quaternion = attitude_of(centroidal)
    R = rotation_of(quaternion)
    linear, omega = three(state, 7 + joints), three(state, 10 + joints)
    center = three(shape, CENTER)
    velocity = add(add(linear, cross(omega, center)), three(shape, 3))
    put_three(centroidal, PLACE, add(three(state, 0), rotate(R, center)))
    momentum, angular = momenta(shape, R, velocity, omega)
    put_three(centroidal, MOMENTUM, momentum)
    put_three(centroidal, ANGULAR_MOMENTUM, angular)
    for k in range(4):
        centroidal[ATTITUDE + k] = quaternion[k]


@inner
def scatter(shape, centroidal, joints, out):
    """Base pose and twist of a state from a centroidal motion."""
    quaternion = attitude_of(centroidal)
    R = rotation_of(quaternion)
    velocity, omega = velocities(shape, R, three(centroidal, MOMENTUM), three(centroidal, ANGULAR_MOMENTUM))
    put_three(out, 0, subtract(three(centroidal, PLACE), rotate(R, three(shape, CENTER))))
    for k in range(4):
        out[3 + k] = quaternion[k]
    put_three(out, 7 + joints, base_linear(shape, velocity, omega))
    put_three(out, 10 + joints, omega)


@inner
def compute_shape_at(world, tree, motion, segment, time, angles, rates, work, extra, shape):
    """Joints of a motion at a time, and the shape they make."""
    for joint in range(angles.size):
        angles[joint], rates[joint], _ = joint_motion(motion, segment, time, joint)
    compute_shape(world, tree, angles, rates, work, extra, shape)


@inner
def next_stop(motion, time, end, tolerance):
    """The first knot of a motion after a time, if it comes before a step's end."""
    for knot in motion.knots:
        if time + tolerance < knot < end - tolerance:
            return knot
    return end


@kernel
def prescribed_rollout(tree, world, motion, state, first, steps, every, step):
    """States (steps / every, numbers) after every `every`-th step of a tree whose joints follow a motion exactly.

    RK4 at `step` [s] from step number `first`; steps are cut at the motion's knots, and each stage takes the motion
    from its own side of a knot. Of the state only the base counts, and the joint rates for its momentum.
    """
    joints = tree.parent.size - 1
    out = np.empty((steps // every, state.size))
    works = (workspace(tree), workspace(tree), workspace(tree))
    shapes, extra, scene = np.zeros((3, SIZE)), np.zeros((6, 7)), make_scene(tree)
    angles, rates = np.zeros((3, joints)), np.zeros((3, joints))
    centroidal, trial, slopes = np.zeros(CENTROIDAL), np.zeros(CENTROIDAL), np.zeros((4, CENTROIDAL))
    compute_shape(world, tree, state[7 : 7 + joints], state[13 + joints :], works[0], extra, shapes[0])
    gather(shapes[0], state, joints, centroidal)
    if tree.fixed_base:
        follow(motion, state, first, every, step, out)
        return out
    known = -2
    for k in range(steps):
        time, end = (first + k) * step, (first + k + 1) * step
        while time < end:
            stop = next_stop(motion, time, end, KNOT_TOLERANCE * step)
            segment = motion_segment(motion, 0.5 * (time + stop))
            for stage in range(STARTS if segment != known else MIDDLE, ENDS + 1):
                moment = time + 0.5 * stage * (stop - time) if stage < ENDS else stop
                work = works[stage]
                compute_shape_at(
                    world, tree, motion, segment, moment, angles[stage], rates[stage], work, extra, shapes[stage]
                )
            known = segment
            runge_kutta(world, tree, works, shapes, stop - time, centroidal, trial, slopes, scene)
            time = stop
            works = (works[ENDS], works[MIDDLE], works[STARTS])
            shapes[STARTS] = shapes[ENDS]
        if (k + 1) % every == 0:
            sample = out[(k + 1) // every - 1]
            scatter(shapes[ENDS], centroidal, joints, sample)
            sample[7 : 7 + joints] = angles[ENDS]
            sample[13 + joints :] = rates[ENDS]
    return out


@kernel
def follow(motion, state, first, every, step, out):
    """States of a tree on a fixed base: only the joints move."""
    joints = motion.offset.size
    for i in range(out.shape[0]):
        time = (first + (i + 1) * every) * step
        segment = motion_segment(motion, time - 0.5 * step)
        out[i] = state
        for joint in range(joints):
            out[i, 7 + joint], out[i, 13 + joints + joint], _ = joint_motion(motion, segment, time, joint)


@inner
def runge_kutta(world, tree, works, shapes, step, centroidal, trial, slopes, scene):
    """One RK4 step of the whole through the shapes at its start, middle and end; the quaternion ends at length one."""
    for stage in range(4):
        moment = (stage + 1) // 2
        reach = 0.0 if stage == 0 else step if stage == 3 else 0.5 * step
        for k in range(CENTROIDAL):
            trial[k] = centroidal[k] + reach * slopes[max(stage - 1, 0), k]
        centroidal_rate(world, tree, works[moment], shapes[moment], trial, scene, slopes[stage])
    for k in range(CENTROIDAL):
        centroidal[k] += step / 6.0 * (slopes[0, k] + 2.0 * (slopes[1, k] + slopes[2, k]) + slopes[3, k])
    quaternion = attitude_of(centroidal)
    for k in range(4):
        centroidal[ATTITUDE + k] = quaternion[k]
