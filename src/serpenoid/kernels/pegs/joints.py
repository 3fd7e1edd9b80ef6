"""Joints during a step: torques of their drives, how they fall with the joint's rate, and the work they do."""

from __future__ import annotations

from math import isnan

from numba.extending import overload

from serpenoid.kernels.accounts import ABSOLUTE, DAMPING, DRIVE
from serpenoid.kernels.compile import CHOSEN, inner
from serpenoid.kernels.motion import joint_motion
from serpenoid.kernels.records import Drive, ElasticDrive


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
def tracking(joints, limit, j, angle, rate):
    """Torque that tracks the target, and its slope: a torque at its limit does not fall with the rate."""
    wanted = joints.stiffness[j] * (joints.target[j] - angle) + joints.damping[j] * (joints.target_rate[j] - rate)
    wanted += joints.feedforward[j]
    torque = min(max(wanted, -limit), limit)
    return torque, joints.damping[j] if torque == wanted else 0.0


@inner
def stiff_torques(scene, drive, work, state):
    """The motor sits on the joint."""
    joints, half = work.joints, scene.chain.mass.size + 2
    for j in range(joints.target.size):
        joints.torque[j], joints.slope[j] = tracking(joints, drive.limit[j], j, state[3 + j], state[half + 3 + j])


@inner
def elastic_torques(scene, drive, work, state):
    """A spring between motor and joint: torque = k (motor - q) + d (motor' - q')."""
    joints, half = work.joints, scene.chain.mass.size + 2
    count = joints.target.size
    for j in range(count):
        twist = state[2 * half + j] - state[3 + j]
        turning = state[2 * half + count + j] - state[half + 3 + j]
        joints.torque[j] = drive.spring[j] * twist + drive.spring_damping[j] * turning
        joints.slope[j] = drive.spring_damping[j]


@inner
def stiff_work(scene, drive, work, step, state, accounts):
    """Work of the drives and what it costs, into the accounts; torques as the step used them, rates at their mean."""
    joints, half = work.joints, scene.chain.mass.size + 2
    for j in range(joints.target.size):
        change = step * joints.acceleration[j]
        done = step * (joints.torque[j] - joints.slope[j] * change) * (state[half + 3 + j] + 0.5 * change)
        state[accounts + DRIVE] += done
        state[accounts + ABSOLUTE] += abs(done)


@inner
def elastic_work(scene, drive, work, step, state, accounts):
    """Carry the motors through the step, and enter what they and the friction beside their springs do."""
    joints, half = work.joints, scene.chain.mass.size + 2
    count = joints.target.size
    for j in range(count):
        angle, rate = state[2 * half + j], state[2 * half + count + j]
        pushed, slope = tracking(joints, drive.limit[j], j, angle, rate)
        change = step * joints.acceleration[j]
        torque = joints.torque[j] - joints.slope[j] * change
        gained = step * (pushed - torque) / (drive.rotor_inertia[j] + step * slope)
        rate_after = rate + gained
        done = step * (pushed - slope * gained) * (rate + 0.5 * gained)
        turning = rate + 0.5 * gained - state[half + 3 + j] - 0.5 * change
        spring = drive.spring[j] * (angle - state[3 + j])
        state[accounts + DRIVE] += done
        state[accounts + ABSOLUTE] += abs(done)
        state[accounts + DAMPING] -= step * (torque - spring) * turning
        state[2 * half + j] = angle + step * rate_after
        state[2 * half + count + j] = rate_after


TORQUES = {Drive: stiff_torques, ElasticDrive: elastic_torques}
WORKS = {Drive: stiff_work, ElasticDrive: elastic_work}


def drive_torques(scene, drive, work, state):
    """Torques of the drives by their class."""
    raise NotImplementedError("for compiled code")


@overload(drive_torques, jit_options=CHOSEN)
def choose_torques(scene, drive, work, state):
    law = TORQUES[drive.instance_class]
    return lambda scene, drive, work, state: law(scene, drive, work, state)


def drive_work(scene, drive, work, step, state, accounts):
    """Work of the drives, and their own motion, by their class."""
    raise NotImplementedError("for compiled code")


@overload(drive_work, jit_options=CHOSEN)
def choose_work(scene, drive, work, step, state, accounts):
    law = WORKS[drive.instance_class]
    return lambda scene, drive, work, step, state, accounts: law(scene, drive, work, step, state, accounts)


@inner
def set_torques(scene, drive, work, state):
    """Torques at the start of the step and how they fall with the rates, the joints' own friction with them."""
    joints, half = work.joints, scene.chain.mass.size + 2
    drive_torques(scene, drive, work, state)
    for j in range(joints.target.size):
        friction = scene.chain.joint_damping[j]
        joints.total[j] = joints.torque[j] - friction * state[half + 3 + j]
        joints.resistance[j] = joints.slope[j] + friction


@inner
def joint_work_done(scene, drive, work, step, state, accounts):
    """Work of drives and of the joints' own friction during the step; `state` holds the rates of its start."""
    joints, half = work.joints, scene.chain.mass.size + 2
    drive_work(scene, drive, work, step, state, accounts)
    for j in range(joints.target.size):
        change = step * joints.acceleration[j]
        rate = state[half + 3 + j]
        state[accounts + DAMPING] -= step * scene.chain.joint_damping[j] * (rate + change) * (rate + 0.5 * change)
