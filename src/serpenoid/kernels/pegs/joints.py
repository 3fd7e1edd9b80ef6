"""Joints during a step: torques of drives and stops, their slopes by the joint's rate, and their work.

A drive on the joint tracks its target with the angle and the rate in the middle of the step,

    torque = k (target - (q_0 + q_1) / 2) - d (q'_0 + w (q'_1 - q'_0))

with w = 1/2 unless the damping is so large that rates decay within the step (midpoint.py). Above its top speed it does
not accelerate the joint: the torque limit fades over the last twentieth. A light joint would cross that range in one
step at full torque, so the limit uses the rate at the step's end. If a sweep ends on another linear piece of the law,
the next one uses that piece. A stop is a spring and a damper, evaluated at the end of the step like contacts:

    torque = -(k (q_1 - upper) + c q'_1)    if it resists the joint and q_1 > upper; likewise below

Here q_1 = q_m + h/2 q'_1, and q_m is the angle at which the step is solved. Dry friction is treated as viscous during a
step, with a coefficient given by its size at the start of the step.
"""

from __future__ import annotations

from math import inf, isnan, sqrt

from numba.extending import overload

from serpenoid.kernels.accounts import ABSOLUTE, CONTACT, DAMPING, DRIVE, PER_JOINT
from serpenoid.kernels.compile import CHOSEN, inner
from serpenoid.kernels.contact.servos import TAPER
from serpenoid.kernels.laws.drive import wanted_torque
from serpenoid.kernels.motion import joint_motion
from serpenoid.kernels.records import ElasticDrive, StiffDrive

STOP_STIFFNESS = 2000.0  # of a joint's stop [N m/rad]: the largest torque of a drive deflects it by 0.2 deg
STOP_DAMPING = 4.0  # [N m s/rad]: a link does not bounce
DRIVE_ACCURACY = 0.02  # of a drive's torque, as a fraction of its limit
CREEP = 1e-3  # rate [rad/s] below which dry friction of a joint is reduced


@inner
def aim(lead, work):
    """Set gains and feedforward torque of an Actuation; `follow` sets its targets."""
    joints = work.joints
    for j in range(joints.target.size):
        joints.stiffness[j], joints.damping[j] = lead.drive.stiffness[j], lead.drive.damping[j]
        joints.feedforward[j] = lead.feedforward[j]


@inner
def follow(motion, segment, time, work):
    """Set the targets of a motion at a time [s]."""
    joints = work.joints
    for j in range(joints.target.size):
        joints.target[j], joints.target_rate[j], _ = joint_motion(motion, segment, time, j)


@inner
def aim_at(drive, position, work):
    """Set commanded angles (joints,) [rad]; a joint with NaN is not driven."""
    joints = work.joints
    for j in range(joints.target.size):
        given = not isnan(position[j])
        joints.target[j] = position[j] if given else 0.0
        joints.stiffness[j] = drive.stiffness[j] if given else 0.0
        joints.damping[j] = drive.damping[j] if given else 0.0
        joints.target_rate[j], joints.feedforward[j] = 0.0, 0.0


@inner
def tracking(joints, limit, slope, j, angle, rate, change):
    """Return the torque that tracks the target, and its slope by a change of the rate: zero at its limit."""
    target = (joints.target[j], joints.target_rate[j])
    wanted = wanted_torque(joints, j, target, joints.feedforward[j], angle, rate) - slope * change
    torque = min(max(wanted, -limit), limit)
    return torque, slope if torque == wanted else 0.0


@inner
def stiff_law(joints, limit, top, j, angle, rate, change, landing):
    """Return the torque of a drive on the joint in a step that changes a rate, and its slope by that change.

    landing: extends the fading line beyond the top speed, for a step that starts at full torque.
    """
    torque, slope = tracking(joints, limit, joints.give[j], j, angle, rate, change)
    rate += change
    if top == inf:
        return torque, slope
    side = 1.0 if rate > 0.0 else -1.0
    room = limit * (top - side * rate) / (TAPER * top)
    if side * torque <= max(room, 0.0):
        return torque, slope
    if room > 0.0 or landing:
        return side * room, limit / (TAPER * top)
    return 0.0, 0.0


@inner
def stiff_torques(scene, drive, work, step, state):
    """Set the torques of motors that are fixed to the joints."""
    joints, half = work.joints, scene.chain.mass.size + 2
    for j in range(joints.target.size):
        limit, top, damping = drive.limit[j], scene.stops.speed[j], joints.damping[j]
        give = max(0.5 * damping, damping - scene.stops.lightest / step)  # see share_of_change()
        joints.give[j] = give + 0.25 * step * joints.stiffness[j]
        angle, rate = state[3 + j], state[half + 3 + j]
        joints.torque[j], joints.slope[j] = stiff_law(joints, limit, top, j, angle, rate, 0.0, False)


@inner
def revise_stiff(scene, drive, work, step, state):
    """Use the piece of the law on which the step ends if the torque in use is inaccurate; return whether any is."""
    joints, half, off = work.joints, scene.chain.mass.size + 2, False
    for j in range(joints.target.size):
        limit, top, change = drive.limit[j], scene.stops.speed[j], step * joints.acceleration[j]
        angle, rate = state[3 + j], state[half + 3 + j]
        given = joints.used[j] - joints.slope[j] * change
        slow = abs(rate + change) <= (1.0 - TAPER) * top
        if slow and joints.slope[j] == joints.give[j] and abs(given) <= limit:
            continue  # it tracks, as at the start
        landing = joints.slope[j] != limit / (TAPER * top)
        torque, slope = stiff_law(joints, limit, top, j, angle, rate, change, landing)
        idle = given == 0.0 and abs(rate + change) >= top
        if abs(torque - given) > DRIVE_ACCURACY * limit and not idle:
            off = True
            joints.slope[j] = slope
            joints.used[j] = torque + slope * change
    return off


@inner
def revise_elastic(scene, drive, work, step, state):
    """Return False: springs are evaluated at the start of the step."""
    return False


@inner
def elastic_torques(scene, drive, work, step, state):
    """Set the torques of springs between motor and joint: torque = k (motor - q) + d (motor' - q')."""
    joints, half = work.joints, scene.chain.mass.size + 2
    count = joints.target.size
    for j in range(count):
        twist = state[2 * half + j] - state[3 + j]
        turning = state[2 * half + count + j] - state[half + 3 + j]
        joints.torque[j] = drive.spring[j] * twist + drive.spring_damping[j] * turning
        joints.slope[j] = drive.spring_damping[j]


@inner
def enter_joint(joints, j, step, torque, done, state, accounts):
    """Add a step with a torque on a joint [N m] and the work of its drive [J] to the joint's accounts."""
    count = joints.target.size
    own = accounts - PER_JOINT * count + j
    state[own] += step * torque
    state[own + count] += step * torque * torque
    state[own + 2 * count] += done


@inner
def stiff_work(scene, drive, work, step, state, accounts):
    """Add work and effort of the drives to the accounts, with the step's torques and mean rates."""
    joints, half, given, cost = work.joints, scene.chain.mass.size + 2, 0.0, 0.0
    for j in range(joints.target.size):
        change = step * joints.acceleration[j]
        torque = joints.used[j] - joints.slope[j] * change
        done = step * torque * (state[half + 3 + j] + 0.5 * change)
        enter_joint(joints, j, step, torque, done, state, accounts)
        given += done
        cost += abs(done)
    state[accounts + DRIVE] += given
    state[accounts + ABSOLUTE] += cost


@inner
def elastic_work(scene, drive, work, step, state, accounts):
    """Advance the rates of the motors over the step; account for their work and the friction beside their springs."""
    joints, half = work.joints, scene.chain.mass.size + 2
    count = joints.target.size
    for j in range(count):
        angle, rate = state[2 * half + j], state[2 * half + count + j]
        pushed, slope = tracking(joints, drive.limit[j], joints.damping[j], j, angle, rate, 0.0)
        change = step * joints.acceleration[j]
        torque = joints.torque[j] - joints.slope[j] * change
        gained = step * (pushed - torque) / (drive.rotor_inertia[j] + step * slope)
        rate_after = rate + gained
        done = step * (pushed - slope * gained) * (rate + 0.5 * gained)
        turning = rate + 0.5 * gained - state[half + 3 + j] - 0.5 * change
        spring = drive.spring[j] * (angle - state[3 + j])
        enter_joint(joints, j, step, torque, done, state, accounts)
        state[accounts + DRIVE] += done
        state[accounts + ABSOLUTE] += abs(done)
        state[accounts + DAMPING] -= step * (torque - spring) * turning
        state[2 * half + count + j] = rate_after


TORQUES = {StiffDrive: stiff_torques, ElasticDrive: elastic_torques}
REVISIONS = {StiffDrive: revise_stiff, ElasticDrive: revise_elastic}
WORKS = {StiffDrive: stiff_work, ElasticDrive: elastic_work}


def drive_torques(scene, drive, work, step, state):
    """Compute torques of the drives by their class."""
    return TORQUES[type(drive)](scene, drive, work, step, state)


@overload(drive_torques, jit_options=CHOSEN)
def choose_torques(scene, drive, work, step, state):
    law = TORQUES[drive.instance_class]
    return lambda scene, drive, work, step, state: law(scene, drive, work, step, state)


def revise_drives(scene, drive, work, step, state):
    """Update torques of the drives to the rates at the step's end by class.

    Return whether those in use were inaccurate.
    """
    return REVISIONS[type(drive)](scene, drive, work, step, state)


@overload(revise_drives, jit_options=CHOSEN)
def choose_revision(scene, drive, work, step, state):
    law = REVISIONS[drive.instance_class]
    return lambda scene, drive, work, step, state: law(scene, drive, work, step, state)


def drive_work(scene, drive, work, step, state, accounts):
    """Compute work of the drives, and advance their own state, by their class."""
    return WORKS[type(drive)](scene, drive, work, step, state, accounts)


@overload(drive_work, jit_options=CHOSEN)
def choose_work(scene, drive, work, step, state, accounts):
    law = WORKS[drive.instance_class]
    return lambda scene, drive, work, step, state, accounts: law(scene, drive, work, step, state, accounts)


@inner
def friction_of(scene, j, rate):
    """Return the viscous friction of a joint during a step [N m s/rad], including its dry friction."""
    viscous, dry = scene.chain.joint_damping[j], scene.stops.friction[j]
    return viscous if dry == 0.0 else viscous + dry / sqrt(rate * rate + CREEP * CREEP)


@inner
def stop_push(stops, step, j, angle, rate):
    """Return the side of the nearer stop, its penetration at the end of a step [rad], and its torque then [N m].

    The angle is that in the middle of the step, the rate that at its end.
    """
    side = 1.0 if angle > 0.5 * (stops.lower[j] + stops.upper[j]) else -1.0
    deep = angle - stops.upper[j] if side > 0.0 else stops.lower[j] - angle
    deep += 0.5 * step * side * rate
    return side, deep, STOP_STIFFNESS * deep + STOP_DAMPING * side * rate


@inner
def set_stop(joints, stops, step, j, angle, rate):
    """Set the torque of a joint's stop at the rate of the step's start, and its slope by the rate."""
    side, deep, push = stop_push(stops, step, j, angle, rate)
    holds = deep > 0.5 * step * side * rate and push > 0.0  # in contact in the middle of the step
    joints.stop[j] = -side * push if holds else 0.0
    joints.stop_slope[j] = 0.5 * step * STOP_STIFFNESS + STOP_DAMPING if holds else 0.0


@inner
def revise_stop(joints, stops, step, j, angle, rate):
    """Activate a stop that the joint reaches, and release one that would pull; return whether that changed anything."""
    held = joints.stop_slope[j] > 0.0
    _, deep, push = stop_push(stops, step, j, angle, rate + step * joints.acceleration[j])
    holds = push > 0.0 and (held or deep > 0.0)
    if holds == held:
        return False
    side, _, push = stop_push(stops, step, j, angle, rate)
    joints.stop[j] = -side * push if holds else 0.0
    joints.stop_slope[j] = 0.5 * step * STOP_STIFFNESS + STOP_DAMPING if holds else 0.0
    return True


@inner
def set_torques(scene, drive, work, step, state):
    """Set torques at the start of the step and their slopes by the rates, including stops and friction."""
    joints, half = work.joints, scene.chain.mass.size + 2
    drive_torques(scene, drive, work, step, state)
    for j in range(joints.target.size):
        joints.used[j] = joints.torque[j]
        set_stop(joints, scene.stops, step, j, state[3 + j], state[half + 3 + j])
    add_torques(scene, work, step, state)


@inner
def revise_torques(scene, drive, work, step, state):
    """Update torques to the rates found by a sweep; return whether those in use were inaccurate."""
    joints, half = work.joints, scene.chain.mass.size + 2
    off = revise_drives(scene, drive, work, step, state)
    for j in range(joints.target.size):
        off |= revise_stop(joints, scene.stops, step, j, state[3 + j], state[half + 3 + j])
    if off:
        add_torques(scene, work, step, state)
    return off


@inner
def add_torques(scene, work, step, state):
    """Sum drive, stop and joint friction; armature adds to the resistance."""
    joints, half = work.joints, scene.chain.mass.size + 2
    for j in range(joints.target.size):
        rate = state[half + 3 + j]
        friction = friction_of(scene, j, rate)
        joints.total[j] = joints.used[j] + joints.stop[j] - friction * rate
        joints.resistance[j] = joints.slope[j] + joints.stop_slope[j] + friction + scene.stops.armature[j] / step


@inner
def joint_work_done(scene, drive, work, step, state, accounts):
    """Add the work of drives, stops and joint friction during the step; `state` contains the rates of its start."""
    joints, half, rubbed, stopped = work.joints, scene.chain.mass.size + 2, 0.0, 0.0
    drive_work(scene, drive, work, step, state, accounts)
    for j in range(joints.target.size):
        change = step * joints.acceleration[j]
        rate = state[half + 3 + j]
        mean, held = rate + 0.5 * change, joints.stop[j] - joints.stop_slope[j] * change
        rubbed += friction_of(scene, j, rate) * (rate + change) * mean
        stopped += held * mean
    state[accounts + DAMPING] -= step * rubbed
    state[accounts + CONTACT] += step * stopped
