"""Drive laws of a joint, selected by the class of the drive's record: PD control with an optional series spring.

Register a drive by one line in each of the two tables. Its law

    law(drive, at, reference, feedforward, joint, motor) -> torque on the joint [N m], power of the motor [W],
                                                            power lost in the drive [W], motor acceleration [rad/s^2]

reads gains at index `at`; reference, joint and motor are each (angle, rate) [rad, rad/s]. The drive's own state, if
any, is (motor angles, motor rates), each (joints,).
"""

from __future__ import annotations

import numpy as np
from numba.extending import overload

from serpenoid.kernels.compile import CHOSEN, inner, kernel
from serpenoid.kernels.motion import joint_motion
from serpenoid.kernels.records import ElasticDrive, StiffDrive


@inner
def wanted_torque(gains, at, reference, feedforward, angle, rate):
    """Return the PD torque before limits, stiffness (q_ref - q) + damping (dq_ref - dq) + feedforward [N m]."""
    return gains.stiffness[at] * (reference[0] - angle) + gains.damping[at] * (reference[1] - rate) + feedforward


@inner
def pd_torque(drive, at, reference, feedforward, angle, rate):
    """Return the PD torque clipped to +-limit [N m]."""
    wanted = wanted_torque(drive, at, reference, feedforward, angle, rate)
    return min(max(wanted, -drive.limit[at]), drive.limit[at])


@inner
def stiff_joint(drive, at, reference, feedforward, joint, motor):
    """Evaluate a motor that is fixed to the joint."""
    torque = pd_torque(drive, at, reference, feedforward, joint[0], joint[1])
    return torque, torque * joint[1], 0.0, 0.0


@inner
def elastic_joint(drive, at, reference, feedforward, joint, motor):
    """Evaluate a motor with a series spring.

    J motor'' = torque_motor - torque,    torque = k (motor - q) + d (motor' - dq)
    """
    pushed = pd_torque(drive, at, reference, feedforward, motor[0], motor[1])
    twist, turning = motor[0] - joint[0], motor[1] - joint[1]
    rubbed = drive.spring_damping[at] * turning
    torque = drive.spring[at] * twist + rubbed
    return torque, pushed * motor[1], -rubbed * turning, (pushed - torque) / drive.rotor_inertia[at]


JOINT_LAWS = {StiffDrive: stiff_joint, ElasticDrive: elastic_joint}
MOTOR_NUMBERS = {StiffDrive: 0, ElasticDrive: 2}


def drive_joint(drive, at, reference, feedforward, joint, motor):
    """Evaluate the law of the drive's class; see the module."""
    return JOINT_LAWS[type(drive)](drive, at, reference, feedforward, joint, motor)


@overload(drive_joint, jit_options=CHOSEN)
def choose_law(drive, at, reference, feedforward, joint, motor):
    law = JOINT_LAWS[drive.instance_class]

    def chosen(drive, at, reference, feedforward, joint, motor):
        return law(drive, at, reference, feedforward, joint, motor)

    return chosen


def motor_numbers(drive):
    """Return the number of state variables of a drive per joint."""
    return MOTOR_NUMBERS[type(drive)]


@overload(motor_numbers, jit_options=CHOSEN)
def choose_motor_numbers(drive):
    numbers = MOTOR_NUMBERS[drive.instance_class]
    return lambda drive: numbers


@inner
def drive_slope(lead, segment, time, state, places, torque, slope):
    """Compute joint torques [N m] in `torque` (joints,) and rates of the motor state in `slope`; return powers [W].

    `lead` is an Actuation. `places` are the offsets of joint angles, joint rates and the drive's own state in `state`.
    The rates of each joint's accounts follow the motor state in `slope`. The powers are the total of the motors, the
    sum of its absolute values, and the loss in the drives.
    """
    angles, rates, motors = places
    joints, numbers = torque.size, motor_numbers(lead.drive)
    own = motors + numbers * joints
    given, cost, lost = 0.0, 0.0, 0.0
    for j in range(joints):
        target, target_rate, _ = joint_motion(lead.motion, segment, time, j)
        motor = (state[motors + j], state[motors + joints + j]) if numbers > 0 else (0.0, 0.0)
        torque[j], power, loss, acceleration = drive_joint(
            lead.drive, j, (target, target_rate), lead.feedforward[j], (state[angles + j], state[rates + j]), motor
        )
        slope[own + j], slope[own + joints + j], slope[own + 2 * joints + j] = torque[j], torque[j] * torque[j], power
        given += power
        cost += abs(power)
        lost += loss
        if numbers > 0:
            slope[motors + j] = motor[1]
            slope[motors + joints + j] = acceleration
    return given, cost, lost


@kernel
def drive_samples(drive, position, velocity, feedforward, joint, motor):
    """Return joint torques [N m], motor powers and drive losses [W], (count, 3), for flat arguments.

    The gains of `drive` are flat as well; joint and motor (count, 2) are angles and rates.
    """
    out = np.empty((position.size, 3))
    for i in range(position.size):
        out[i, 0], out[i, 1], out[i, 2], _ = drive_joint(
            drive, i, (position[i], velocity[i]), feedforward[i], (joint[i, 0], joint[i, 1]), (motor[i, 0], motor[i, 1])
        )
    return out
