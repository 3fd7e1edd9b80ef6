"""Joints during a step: torques of their drives and stops, how they fall with the joint's rate, the work they do.

A drive on the joint tracks its target with the angle and the rate in the middle of the step,

    torque = k (target - (q_0 + q_1) / 2) - d (q'_0 + w (q'_1 - q'_0))

w = 1/2 unless the damping is so large that rates decay within the step (midpoint.py). It does not push on beyond its
top speed: the torque that it may give fades over the last twentieth of it. A light joint would pass all of that in one
step at full torque, so this is taken at the rate of the step's end: where a sweep ends on another straight piece of the
law, the next one takes that piece. A stop is a spring and a damper, taken at the end of the step as contacts are:

    torque = -(k (q_1 - upper) + c q'_1)     where that holds the joint back and q_1 > upper; likewise below

q_1 = q_m + h/2 q'_1, q_m being the angle that a step is solved at. Dry friction is taken as viscous during a step, of a
coefficient that its size at the start of the step gives.
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

STOP_STIFFNESS = 2000.0  # of a joint's stop [N m/rad]: the largest torque of a drive gives 0.2 deg
STOP_DAMPING = 4.0  # [N m s/rad]: a link does not bounce
DRIVE_ACCURACY = 0.02  # of a drive's torque, as a share of its limit
CREEP = 1e-3  # rate [rad/s] below which dry friction of a joint is weaker


@inner
def aim(lead, work):
    """Gains and torque besides of an Actuation; its targets come from `follow`."""
    joints = work.joints
    for j in range(joints.target.size):
        joints.stiffness[j], joints.damping[j] = lead.drive.stiffness[j], lead.drive.damping[j]
        joints.feedforward[j] = lead.feedforward[j]


@inner
def follow(motion, segment, time, work):
    """Targets of a motion at a time [s]."""
    joints = work.joints
    for j in range(joints.target.size):
        joints.target[j], joints.target_rate[j], _ = joint_motion(motion, segment, time, j)


@inner
def aim_at(drive, position, work):
    """Hold commanded angles (joints,) [rad]; NaN where none is: such a joint is not driven."""
    joints = work.joints
    for j in range(joints.target.size):
        given = not isnan(position[j])
        joints.target[j] = position[j] if given else 0.0
        joints.stiffness[j] = drive.stiffness[j] if given else 0.0
        joints.damping[j] = drive.damping[j] if given else 0.0
        joints.target_rate[j], joints.feedforward[j] = 0.0, 0.0


@inner
def tracking(joints, limit, slope, j, angle, rate, change):
    """Torque that tracks the target and falls with a change of the rate, and its slope: none at its limit."""
    target = (joints.target[j], joints.target_rate[j])
    wanted = wanted_torque(joints, j, target, joints.feedforward[j], angle, rate) - slope * change
    torque = min(max(wanted, -limit), limit)
    return torque, slope if torque == wanted else 0.0


@inner
def stiff_law(joints, limit, top, j, angle, rate, change, landing):
    """Torque of a drive on the joint in a step that changes a rate, and by how much it falls with that change.

    landing: the line along which it fades goes on beyond the top speed, for a step that comes from full torque.
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
    """The motor sits on the joint."""
    joints, half = work.joints, scene.chain.mass.size + 2
    for j in range(joints.target.size):
        limit, top, damping = drive.limit[j], scene.stops.speed[j], joints.damping[j]
        give = max(0.5 * damping, damping - scene.stops.lightest / step)  # see share_of_change()
        joints.give[j] = give + 0.25 * step * joints.stiffness[j]
        angle, rate = state[3 + j], state[half + 3 + j]
        joints.torque[j], joints.slope[j] = stiff_law(joints, limit, top, j, angle, rate, 0.0, False)


@inner
def revise_stiff(scene, drive, work, step, state):
    """Take the piece of the law on which the step ends where the torque in use is off there; whether any is."""
    joints, half, off = work.joints, scene.chain.mass.size + 2, False
    for j in range(joints.target.size):
        limit, top, change = drive.limit[j], scene.stops.speed[j], step * joints.acceleration[j]
        angle, rate = state[3 + j], state[half + 3 + j]
        given = joints.used[j] - joints.slope[j] * change
        slow = abs(rate + change) <= (1.0 - TAPER) * top
        if slow and joints.slope[j] == joints.give[j] and abs(given) <= limit:
            continue  # it tracks, as it did at the start
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
    """A spring is taken as it is at the start."""
    return False


@inner
def elastic_torques(scene, drive, work, step, state):
    """A spring between motor and joint: torque = k (motor - q) + d (motor' - q')."""
    joints, half = work.joints, scene.chain.mass.size + 2
    count = joints.target.size
    for j in range(count):
        twist = state[2 * half + j] - state[3 + j]
        turning = state[2 * half + count + j] - state[half + 3 + j]
        joints.torque[j] = drive.spring[j] * twist + drive.spring_damping[j] * turning
        joints.slope[j] = drive.spring_damping[j]


@inner
def enter_joint(joints, j, step, torque, done, state, accounts):
    """Add a step with a torque on a joint [N m] and the work of its drive [J] to the joint's own accounts."""
    count = joints.target.size
    own = accounts - PER_JOINT * count + j
    state[own] += step * torque
    state[own + count] += step * torque * torque
    state[own + 2 * count] += done


@inner
def stiff_work(scene, drive, work, step, state, accounts):
    """Work of the drives and what it costs, into the accounts; torques as the step used them, rates at their mean."""
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
    """Rates of the motors at the end of the step; enter what they and the friction beside their springs do."""
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
    """Torques of the drives by their class."""
    return TORQUES[type(drive)](scene, drive, work, step, state)


@overload(drive_torques, jit_options=CHOSEN)
def choose_torques(scene, drive, work, step, state):
    law = TORQUES[drive.instance_class]
    return lambda scene, drive, work, step, state: law(scene, drive, work, step, state)


def revise_drives(scene, drive, work, step, state):
    """Torques of the drives at the rates of the step's end by their class; whether those in use were off."""
    return REVISIONS[type(drive)](scene, drive, work, step, state)


@overload(revise_drives, jit_options=CHOSEN)
def choose_revision(scene, drive, work, step, state):
    law = REVISIONS[drive.instance_class]
    return lambda scene, drive, work, step, state: law(scene, drive, work, step, state)


def drive_work(scene, drive, work, step, state, accounts):
    """Work of the drives, and their own motion, by their class."""
    return WORKS[type(drive)](scene, drive, work, step, state, accounts)


@overload(drive_work, jit_options=CHOSEN)
def choose_work(scene, drive, work, step, state, accounts):
    law = WORKS[drive.instance_class]
    return lambda scene, drive, work, step, state, accounts: law(scene, drive, work, step, state, accounts)


@inner
def friction_of(scene, j, rate):
    """Viscous friction of a joint during a step [N m s/rad], its dry friction included."""
    viscous, dry = scene.chain.joint_damping[j], scene.stops.friction[j]
    return viscous if dry == 0.0 else viscous + dry / sqrt(rate * rate + CREEP * CREEP)


@inner
def stop_push(stops, step, j, angle, rate):
    """Side of the nearer stop; how deep the joint is in it at the end of a step [rad], what it pushes then [N m].

    angle: in the middle of the step; rate: at its end.
    """
    side = 1.0 if angle > 0.5 * (stops.lower[j] + stops.upper[j]) else -1.0
    deep = angle - stops.upper[j] if side > 0.0 else stops.lower[j] - angle
    deep += 0.5 * step * side * rate
    return side, deep, STOP_STIFFNESS * deep + STOP_DAMPING * side * rate


@inner
def set_stop(joints, stops, step, j, angle, rate):
    """Torque of a joint's stop at the rate of the step's start, and by how much it falls with the rate."""
    side, deep, push = stop_push(stops, step, j, angle, rate)
    holds = deep > 0.5 * step * side * rate and push > 0.0  # in it in the middle of the step
    joints.stop[j] = -side * push if holds else 0.0
    joints.stop_slope[j] = 0.5 * step * STOP_STIFFNESS + STOP_DAMPING if holds else 0.0


@inner
def revise_stop(joints, stops, step, j, angle, rate):
    """Let a stop hold that the joint runs into, and leave off one that would pull; whether that changed anything."""
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
    """Torques at the start of the step and how they fall with the rates, those of stops and friction with them."""
    joints, half = work.joints, scene.chain.mass.size + 2
    drive_torques(scene, drive, work, step, state)
    for j in range(joints.target.size):
        joints.used[j] = joints.torque[j]
        set_stop(joints, scene.stops, step, j, state[3 + j], state[half + 3 + j])
    add_torques(scene, work, step, state)


@inner
def revise_torques(scene, drive, work, step, state):
    """Torques at the rates that a sweep found; whether those in use were off."""
    joints, half = work.joints, scene.chain.mass.size + 2
    off = revise_drives(scene, drive, work, step, state)
    for j in range(joints.target.size):
        off |= revise_stop(joints, scene.stops, step, j, state[3 + j], state[half + 3 + j])
    if off:
        add_torques(scene, work, step, state)
    return off


@inner
def add_torques(scene, work, step, state):
    """Sums over drive, stop and the joint's own friction; what turns with the joint alone resists too."""
    joints, half = work.joints, scene.chain.mass.size + 2
    for j in range(joints.target.size):
        rate = state[half + 3 + j]
        friction = friction_of(scene, j, rate)
        joints.total[j] = joints.used[j] + joints.stop[j] - friction * rate
        joints.resistance[j] = joints.slope[j] + joints.stop_slope[j] + friction + scene.stops.armature[j] / step


@inner
def joint_work_done(scene, drive, work, step, state, accounts):
    """Work of drives, stops and the joints' own friction during the step; `state` holds the rates of its start."""
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
