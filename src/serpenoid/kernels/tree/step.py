"""Whole rollouts of a tree in one compiled call: RK4 on centre of mass, quaternion, momentum and angular momentum.

States are flat: base position (3), quaternion w x y z (4), joint angles, base twist in base axes (6), joint rates, and
the accounts of ledger.py if they are kept. The world is a record that `environment.py` knows. Joints follow a Motion
here; drive.py drives them by torques.
"""

from __future__ import annotations

import numpy as np

from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.lie import add, cross, quaternion_rate, rotate, rotation_of, subtract
from serpenoid.kernels.motion import joint_motion, motion_segment
from serpenoid.kernels.tree.environment import net_wrench
from serpenoid.kernels.tree.frames import workspace
from serpenoid.kernels.tree.ledger import (
    ACCOUNTS,
    WORK_DRIVE,
    WORK_MEDIUM,
    balance,
    energy_of_motion,
    open_books,
    stored_potential,
)
from serpenoid.kernels.tree.scene import push_whole
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
LARGEST = 1e6  # a state with a number beyond this has diverged
STARTS, MIDDLE, ENDS = 0, 1, 2


@inner
def within(vector):
    """Whether three numbers are finite and of a size that a state may have."""
    return abs(vector[0]) <= LARGEST and abs(vector[1]) <= LARGEST and abs(vector[2]) <= LARGEST


@inner
def state_is_sound(state, numbers):
    """Whether the first so many numbers of a state are finite and not beyond LARGEST."""
    for k in range(numbers):
        if not abs(state[k]) <= LARGEST:
            return False
    return True


@inner
def centroidal_rate(world, tree, outside, work, shape, centroidal, scene, out):
    """Rate of (centre of mass, quaternion, momentum, angular momentum) of a tree in a known shape.

    outside: wrenches, see scene.push_bodies(). Returns whether the base's place and twist are sound.
    """
    quaternion = attitude_of(centroidal)
    R = rotation_of(quaternion)
    momentum, center = three(centroidal, MOMENTUM), three(shape, CENTER)
    velocity, omega = velocities(shape, R, momentum, three(centroidal, ANGULAR_MOMENTUM))
    base = (R, subtract(three(centroidal, PLACE), rotate(R, center)), base_linear(shape, velocity, omega), omega)
    force, moment = net_wrench(world, tree, work, shape[MASS], center, base, scene)
    if outside.shape[0] > 0:
        force, moment = push_whole(tree, outside, work, base, three(centroidal, PLACE), force, moment)
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
    return within(base[1]) and within(base[2]) and within(omega)


@inner
def base_of(tree, shape, centroidal):
    """(rotation, position, linear and angular velocity in base axes) of the base of a tree in a known shape.

    For a base that is held, its own place stands where the centre of mass would.
    """
    R, still = rotation_of(attitude_of(centroidal)), (0.0, 0.0, 0.0)
    if tree.fixed_base:
        return R, three(centroidal, PLACE), still, still
    velocity, omega = velocities(shape, R, three(centroidal, MOMENTUM), three(centroidal, ANGULAR_MOMENTUM))
    position = subtract(three(centroidal, PLACE), rotate(R, three(shape, CENTER)))
    return R, position, base_linear(shape, velocity, omega), omega


@inner
def gather(tree, shape, state, joints, centroidal):
    """Motion of the whole from a state whose shape is known."""
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
    momentum, angular = momenta(shape, R, velocity, omega)
    put_three(centroidal, MOMENTUM, momentum)
    put_three(centroidal, ANGULAR_MOMENTUM, angular)
    for k in range(4):
        centroidal[ATTITUDE + k] = quaternion[k]


@inner
def scatter(tree, shape, centroidal, joints, out):
    """Base pose and twist of a state from a centroidal motion."""
    _, position, linear, omega = base_of(tree, shape, centroidal)
    quaternion = attitude_of(centroidal)
    put_three(out, 0, position)
    for k in range(4):
        out[3 + k] = quaternion[k]
    put_three(out, 7 + joints, linear)
    put_three(out, 10 + joints, omega)


@inner
def next_stop(motion, time, end, tolerance):
    """The first knot of a motion after a time, if it comes before a step's end."""
    for knot in motion.knots:
        if time + tolerance < knot < end - tolerance:
            return knot
    return end


@kernel
def prescribed_rollout(tree, world, motion, state, first, steps, every, step, outside):
    """States (steps / every, numbers) after every `every`-th step of a tree whose joints follow a motion exactly.

    RK4 at `step` [s] from step number `first`; steps are cut at the motion's knots, and each stage takes the motion
    from its own side of a knot. Of the state only the base counts, the joint rates for its momentum, and the accounts.
    outside: wrenches that hold all the time, see scene.push_bodies(). Rows are NaN from the step on in which a number
    of the state leaves its range.
    """
    joints = tree.parent.size - 1
    out = np.full((steps // every, state.size), np.nan)
    works = (workspace(tree), workspace(tree), workspace(tree))
    shapes, extra, books = np.zeros((3, SIZE)), np.zeros((6, 7)), open_books(tree)
    angles, rates, accelerations = np.zeros((3, joints)), np.zeros((3, joints)), np.zeros((3, joints))
    centroidal, trial, slopes = np.zeros(CENTROIDAL), np.zeros(CENTROIDAL), np.zeros((4, CENTROIDAL))
    accounts = state[13 + 2 * joints :].copy()
    keeps = accounts.size > 0
    angles[ENDS], rates[ENDS] = state[7 : 7 + joints], state[13 + joints : 13 + 2 * joints]
    compute_shape(world, tree, angles[ENDS], rates[ENDS], works[STARTS], extra, shapes[STARTS])
    gather(tree, shapes[STARTS], state, joints, centroidal)
    if keeps:
        base = base_of(tree, shapes[STARTS], centroidal)
        accounts[WORK_MEDIUM] -= stored_potential(world, tree, works[STARTS], base, books.scene)
    known, good = -2, True
    for k in range(steps):
        time, end = (first + k) * step, (first + k + 1) * step
        while good and time < end:
            stop = next_stop(motion, time, end, KNOT_TOLERANCE * step)
            segment = motion_segment(motion, 0.5 * (time + stop))
            fresh = segment != known
            if keeps and fresh:
                jump(world, tree, rates[ENDS], works[STARTS], shapes[STARTS], centroidal, -1.0, books, accounts)
            for stage in range(STARTS if fresh else MIDDLE, ENDS + 1):
                moment = time + 0.5 * stage * (stop - time) if stage < ENDS else stop
                for joint in range(joints):
                    q, dq, ddq = joint_motion(motion, segment, moment, joint)
                    angles[stage, joint], rates[stage, joint], accelerations[stage, joint] = q, dq, ddq
                compute_shape(world, tree, angles[stage], rates[stage], works[stage], extra, shapes[stage])
            known = segment
            moves = (angles, rates, accelerations)
            if keeps and fresh:
                jump(world, tree, rates[STARTS], works[STARTS], shapes[STARTS], centroidal, 1.0, books, accounts)
                enter(world, tree, outside, moves, STARTS, works[STARTS], shapes[STARTS], centroidal, books)
            good = tree.fixed_base or runge_kutta(
                world, tree, outside, works, shapes, stop - time, centroidal, trial, slopes, books.scene
            )
            if keeps:
                middle_of_step(stop - time, centroidal, slopes, trial)
                enter(world, tree, outside, moves, MIDDLE, works[MIDDLE], shapes[MIDDLE], trial, books)
                enter(world, tree, outside, moves, ENDS, works[ENDS], shapes[ENDS], centroidal, books)
                add_up(books.powers, stop - time, accounts)
            time = stop
            works = (works[ENDS], works[MIDDLE], works[STARTS])
            shapes[STARTS] = shapes[ENDS]
        if not good:
            break
        if (k + 1) % every == 0:
            sample = out[(k + 1) // every - 1]
            scatter(tree, shapes[ENDS], centroidal, joints, sample)
            sample[7 : 7 + joints] = angles[ENDS]
            sample[13 + joints : 13 + 2 * joints] = rates[ENDS]
            if keeps:
                base = base_of(tree, shapes[ENDS], centroidal)
                sample[13 + 2 * joints :] = accounts
                sample[13 + 2 * joints + WORK_MEDIUM] += stored_potential(
                    world, tree, works[STARTS], base, books.scene
                )
            if not state_is_sound(sample, 13 + 2 * joints):
                sample[:] = np.nan
                break
    return out


@inner
def runge_kutta(world, tree, outside, works, shapes, step, centroidal, trial, slopes, scene):
    """One RK4 step of the whole through the shapes at its start, middle and end; the quaternion ends at length one.

    Returns whether the state that it started from was sound.
    """
    sound = True
    for stage in range(4):
        moment = (stage + 1) // 2
        reach = 0.0 if stage == 0 else step if stage == 3 else 0.5 * step
        for k in range(CENTROIDAL):
            trial[k] = centroidal[k] + reach * slopes[max(stage - 1, 0), k]
        fine = centroidal_rate(world, tree, outside, works[moment], shapes[moment], trial, scene, slopes[stage])
        sound = fine if stage == 0 else sound
    for k in range(CENTROIDAL):
        centroidal[k] += step / 6.0 * (slopes[0, k] + 2.0 * (slopes[1, k] + slopes[2, k]) + slopes[3, k])
    quaternion = attitude_of(centroidal)
    for k in range(4):
        centroidal[ATTITUDE + k] = quaternion[k]
    return sound


@inner
def middle_of_step(step, centroidal, slopes, out):
    """The motion of the whole in the middle of an RK4 step that ended in `centroidal`, of third order like its stages.

    The continuous extension of RK4 at one half: y0 + h (5 k1 + 4 k2 + 4 k3 - k4) / 24.
    """
    for k in range(CENTROIDAL):
        back = 5.0 * slopes[3, k] + 4.0 * (slopes[1, k] + slopes[2, k]) - slopes[0, k]
        out[k] = centroidal[k] - step / 24.0 * back


@kernel
def enter(world, tree, outside, moves, moment, work, shape, centroidal, books):
    """Work rates at one of a step's three moments, into the books."""
    joints = (moves[0][moment], moves[1][moment], moves[2][moment])
    balance(world, tree, outside, joints, work, base_of(tree, shape, centroidal), books, books.powers[moment])


@inner
def add_up(powers, step, accounts):
    """Simpson's rule, the weights of RK4, over a step; what was its end becomes the next one's start."""
    for k in range(ACCOUNTS):
        accounts[k] += step / 6.0 * (powers[STARTS, k] + 4.0 * powers[MIDDLE, k] + powers[ENDS, k])
        powers[STARTS, k] = powers[ENDS, k]


@kernel
def jump(world, tree, rates, work, shape, centroidal, sign, books, accounts):
    """Where joint rates jump the drive does the work that kinetic energy gains: before with sign -1, after with 1."""
    energy = energy_of_motion(world, tree, rates, work, base_of(tree, shape, centroidal), books.scene)
    accounts[WORK_DRIVE] += sign * energy
