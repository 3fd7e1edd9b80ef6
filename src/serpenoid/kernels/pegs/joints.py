"""Joints during a step: torques of drives and stops, their slopes by the joint's rate, and their work.

A drive on the joint tracks its target with the angle and the rate in the middle of the step,

    torque = k (target - (q_0 + q_1) / 2) - d (q'_0 + w (q'_1 - q'_0))

with w = 1/2 unless the damping is so large that rates decay within the step (midpoint.py). Above its top speed it does
not accelerate the joint: the torque limit fades over the last twentieth. A light joint would cross that range in one
step at full torque, so the limit uses the rate at the step's end. If a sweep ends on another linear piece of the law,
the next one uses that piece. A stop is a spring and a damper, evaluated at the end of the step like contacts:

    torque = -(k (q_1 - upper) + c q'_1)    if it resists the joint and q_1 > upper; likewise below

Here q_1 = q_m + h/2 q'_1, and q_m is the angle at which the step is solved. Dry friction is treated as viscous during a
step, with a coefficient given by its size at the start of the step. Four joints are processed in parallel.
"""

from __future__ import annotations

from math import isnan

from numba.extending import overload

from serpenoid.kernels.accounts import ABSOLUTE, CONTACT, DAMPING, DRIVE, PER_JOINT
from serpenoid.kernels.compile import CHOSEN, inner
from serpenoid.kernels.laws.drive import wanted_torque
from serpenoid.kernels.motion import joint_motion
from serpenoid.kernels.packed import largest, summed, view_packed
from serpenoid.kernels.records import ElasticDrive, StiffDrive
from serpenoid.kernels.simd import larger, smaller, square_root, where_positive

STOP_STIFFNESS = 2000.0  # of a joint's stop [N m/rad]: the largest torque of a drive deflects it by 0.2 deg
STOP_DAMPING = 4.0  # [N m s/rad]: a link does not bounce
DRIVE_ACCURACY = 0.02  # of a drive's torque, as a fraction of its limit
CREEP = 1e-3  # rate [rad/s] below which dry friction of a joint is reduced


@inner
def aim(lead, work):
    """Set gains and feedforward torque of an Actuation; `follow` sets its targets."""
    joints = work.joints
    for j in range(lead.feedforward.size):
        joints.stiffness[j], joints.damping[j] = lead.drive.stiffness[j], lead.drive.damping[j]
        joints.feedforward[j] = lead.feedforward[j]


@inner
def follow(motion, segment, time, work):
    """Set the targets of a motion at a time [s]."""
    joints = work.joints
    for j in range(motion.rate.size):
        joints.target[j], joints.target_rate[j], _ = joint_motion(motion, segment, time, j)


@inner
def aim_at(drive, position, work):
    """Set commanded angles (joints,) [rad]; a joint with NaN is not driven."""
    joints = work.joints
    for j in range(position.size):
        given = not isnan(position[j])
        joints.target[j] = position[j] if given else 0.0
        joints.stiffness[j] = drive.stiffness[j] if given else 0.0
        joints.damping[j] = drive.damping[j] if given else 0.0
        joints.target_rate[j], joints.feedforward[j] = 0.0, 0.0


@inner
def read_joints(scene, work, state):
    """Copy angles and rates of the joints from a state."""
    joints, links = work.joints, scene.chain.mass.size
    for j in range(links - 1):
        joints.angle[j], joints.rate[j] = state[3 + j], state[links + 5 + j]


@inner
def tracking_torque(joints, j, angle, rate):
    """Return the torque that tracks the target, before limits [N m]; for one joint or four."""
    target = (joints.target[j], joints.target_rate[j])
    return wanted_torque(joints, j, target, joints.feedforward[j], angle, rate)


@inner
def clip_torque(wanted, limit, slope):
    """Return a torque clipped to its limit and its slope by a change of the rate: zero beyond the limit."""
    return smaller(larger(wanted, -limit), limit), where_positive(abs(wanted) - limit, 0.0, slope)


@inner
def stiff_law(four, k, change, landing):
    """Return the torque of drives on the joints in a step that changes their rates, and its slope by that change.

    landing is 1 or 0. With 1, the fading line extends beyond the top speed, for a step that starts at full torque.
    """
    wanted = tracking_torque(four, k, four.angle[k], four.rate[k]) - four.give[k] * change
    torque, slope = clip_torque(wanted, four.limit[k], four.give[k])
    rate = four.rate[k] + change
    side = where_positive(rate, 1.0, -1.0)
    room = four.steep[k] * (four.top[k] - side * rate)
    beyond = side * torque - larger(room, 0.0 * room)
    fades = where_positive(room, 1.0, landing)
    return where_positive(beyond, fades * side * room, torque), where_positive(beyond, fades * four.steep[k], slope)


@inner
def stiff_torques(scene, drive, work, step, state):
    """Set the torques of motors that are fixed to the joints."""
    joints, four, lightest = work.joints, view_packed(work.joints), scene.stops.lightest / step
    for j in range(drive.limit.size):
        joints.limit[j] = drive.limit[j]
    for k in range(four.limit.size):
        damping = four.damping[k]  # its part at the end of the step: see share_of_change()
        four.give[k] = larger(0.5 * damping, damping - lightest) + 0.25 * step * four.stiffness[k]
        four.steep[k] = four.limit[k] * four.fade[k]
        nothing = 0.0 * damping
        four.torque[k], four.slope[k] = stiff_law(four, k, nothing, nothing)


@inner
def revise_stiff(scene, drive, work, step):
    """Use the piece of the law on which the step ends if the torque in use is inaccurate; return whether any is."""
    four = view_packed(work.joints)
    off = 0.0 * four.rate[0]
    for k in range(four.limit.size):
        change, used, slope = step * four.acceleration[k], four.used[k], four.slope[k]
        given = used - slope * change
        landing = where_positive(abs(slope - four.steep[k]), 1.0, 0.0)
        torque, after = stiff_law(four, k, change, landing)
        driven = where_positive(four.top[k] - abs(four.rate[k] + change), 1.0, abs(given))  # else it idles
        miss = where_positive(driven, abs(torque - given) - DRIVE_ACCURACY * four.limit[k], 0.0)
        four.used[k] = where_positive(miss, torque + after * change, used)
        four.slope[k] = where_positive(miss, after, slope)
        off = larger(off, miss)
    return largest(off) > 0.0


@inner
def revise_elastic(scene, drive, work, step):
    """Return False: springs are evaluated at the start of the step."""
    return False


@inner
def elastic_torques(scene, drive, work, step, state):
    """Set the torques of springs between motor and joint: torque = k (motor - q) + d (motor' - q')."""
    joints, count = work.joints, scene.chain.mass.size - 1
    motors = 2 * count + 6
    for j in range(count):
        twist = state[motors + j] - joints.angle[j]
        turning = state[motors + count + j] - joints.rate[j]
        joints.torque[j] = drive.spring[j] * twist + drive.spring_damping[j] * turning
        joints.slope[j] = drive.spring_damping[j]


@inner
def enter_joints(joints, count, step, state, accounts):
    """Add a step with the mean torques of the drives and their work to the accounts of the joints."""
    own = accounts - PER_JOINT * count
    for j in range(count):
        torque = joints.mean[j]
        state[own + j] += step * torque
        state[own + count + j] += step * torque * torque
        state[own + 2 * count + j] += joints.done[j]


@inner
def stiff_work(scene, drive, work, step, state, accounts):
    """Add work and effort of the drives to the accounts, with the step's torques and mean rates."""
    four = view_packed(work.joints)
    given, cost = 0.0 * four.rate[0], 0.0 * four.rate[0]
    for k in range(four.limit.size):
        change = step * four.acceleration[k]
        torque = four.used[k] - four.slope[k] * change
        done = step * torque * (four.rate[k] + 0.5 * change)
        four.mean[k], four.done[k] = torque, done
        given, cost = given + done, cost + abs(done)
    enter_joints(work.joints, scene.chain.mass.size - 1, step, state, accounts)
    state[accounts + DRIVE] += summed(given)
    state[accounts + ABSOLUTE] += summed(cost)


@inner
def elastic_work(scene, drive, work, step, state, accounts):
    """Advance the rates of the motors over the step; account for their work and the friction beside their springs."""
    joints, count = work.joints, scene.chain.mass.size - 1
    motors = 2 * count + 6
    for j in range(count):
        angle, rate = state[motors + j], state[motors + count + j]
        pushed, slope = clip_torque(tracking_torque(joints, j, angle, rate), drive.limit[j], joints.damping[j])
        change = step * joints.acceleration[j]
        torque = joints.torque[j] - joints.slope[j] * change
        gained = step * (pushed - torque) / (drive.rotor_inertia[j] + step * slope)
        joints.mean[j] = torque
        joints.done[j] = step * (pushed - slope * gained) * (rate + 0.5 * gained)
        turning = rate + 0.5 * gained - joints.rate[j] - 0.5 * change
        spring = drive.spring[j] * (angle - joints.angle[j])
        state[accounts + DRIVE] += joints.done[j]
        state[accounts + ABSOLUTE] += abs(joints.done[j])
        state[accounts + DAMPING] -= step * (torque - spring) * turning
        state[motors + count + j] = rate + gained
    enter_joints(joints, count, step, state, accounts)


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


def revise_drives(scene, drive, work, step):
    """Update torques of the drives to the rates at the step's end by class.

    Return whether those in use were inaccurate.
    """
    return REVISIONS[type(drive)](scene, drive, work, step)


@overload(revise_drives, jit_options=CHOSEN)
def choose_revision(scene, drive, work, step):
    law = REVISIONS[drive.instance_class]
    return lambda scene, drive, work, step: law(scene, drive, work, step)


def drive_work(scene, drive, work, step, state, accounts):
    """Compute work of the drives, and advance their own state, by their class."""
    return WORKS[type(drive)](scene, drive, work, step, state, accounts)


@overload(drive_work, jit_options=CHOSEN)
def choose_work(scene, drive, work, step, state, accounts):
    law = WORKS[drive.instance_class]
    return lambda scene, drive, work, step, state, accounts: law(scene, drive, work, step, state, accounts)


@inner
def stop_push(four, k, step, rate):
    """Return the side of the nearer stop, its penetration at the end of a step [rad], and its torque then [N m].

    The angle is that in the middle of the step, the rate that at its end.
    """
    angle, lower, upper = four.angle[k], four.lower[k], four.upper[k]
    side = where_positive(angle - 0.5 * (lower + upper), 1.0, -1.0)
    deep = where_positive(side, angle - upper, lower - angle) + 0.5 * step * side * rate
    return side, deep, STOP_STIFFNESS * deep + STOP_DAMPING * side * rate


@inner
def set_stops(four, k, step):
    """Set the torques of the stops at the rates of the step's start, and their slopes by the rates."""
    rate = four.rate[k]
    side, deep, push = stop_push(four, k, step, rate)
    holds = where_positive(smaller(deep - 0.5 * step * side * rate, push), 1.0, 0.0)  # contact in mid-step
    four.stop[k], four.stop_slope[k] = -holds * side * push, holds * (0.5 * step * STOP_STIFFNESS + STOP_DAMPING)


@inner
def revise_stops(four, k, step):
    """Activate stops that joints reach, and release those that would pull; return 1 where that changed anything."""
    rate, held = four.rate[k], where_positive(four.stop_slope[k], 1.0, 0.0)
    _, deep, push = stop_push(four, k, step, rate + step * four.acceleration[k])
    holds = where_positive(smaller(push, larger(deep, held)), 1.0, 0.0)
    changed = abs(holds - held)
    side, _, push = stop_push(four, k, step, rate)
    slope = holds * (0.5 * step * STOP_STIFFNESS + STOP_DAMPING)
    four.stop[k] = where_positive(changed, -holds * side * push, four.stop[k])
    four.stop_slope[k] = where_positive(changed, slope, four.stop_slope[k])
    return changed


@inner
def set_torques(scene, drive, work, step, state):
    """Set torques at the start of the step and their slopes by the rates, including stops and friction."""
    read_joints(scene, work, state)
    drive_torques(scene, drive, work, step, state)
    four = view_packed(work.joints)
    rubs = 0.0 * four.dry[0]
    for k in range(four.rate.size):
        rubs += four.dry[k]
    if summed(rubs) > 0.0:
        for k in range(four.rate.size):
            rate = four.rate[k]
            four.friction[k] = four.viscous[k] + four.dry[k] / square_root(rate * rate + CREEP * CREEP)
    for k in range(four.rate.size):
        four.used[k] = four.torque[k]
        set_stops(four, k, step)
        add_torques(four, k, step)


@inner
def revise_torques(scene, drive, work, step):
    """Update torques to the rates found by a sweep; return whether those in use were inaccurate."""
    off = revise_drives(scene, drive, work, step)
    four = view_packed(work.joints)
    changed = 0.0 * four.rate[0]
    for k in range(four.rate.size):
        changed = larger(changed, revise_stops(four, k, step))
    off = off or largest(changed) > 0.0
    if off:
        for k in range(four.rate.size):
            add_torques(four, k, step)
    return off


@inner
def add_torques(four, k, step):
    """Sum drives, stops and joint friction."""
    four.total[k] = four.used[k] + four.stop[k] - four.friction[k] * four.rate[k]
    four.resistance[k] = four.armature[k] + step * (four.slope[k] + four.stop_slope[k] + four.friction[k])


@inner
def joint_work_done(scene, drive, work, step, state, accounts):
    """Add the work of drives, stops and joint friction during the step."""
    drive_work(scene, drive, work, step, state, accounts)
    four = view_packed(work.joints)
    rubbed, stopped = 0.0 * four.rate[0], 0.0 * four.rate[0]
    for k in range(four.rate.size):
        rate, change = four.rate[k], step * four.acceleration[k]
        mean = rate + 0.5 * change
        rubbed += four.friction[k] * (rate + change) * mean
        stopped += (four.stop[k] - four.stop_slope[k] * change) * mean
    state[accounts + DAMPING] -= step * summed(rubbed)
    state[accounts + CONTACT] += step * summed(stopped)
