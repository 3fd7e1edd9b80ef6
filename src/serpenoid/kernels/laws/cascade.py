"""PID loops of a module's joint, and the four strategies by which they set the voltage of its motor.

The memory of a loop has MEMORY numbers:

- a flag that it has begun
- the filtered target
- the previous error or feedback
- the integral part of the output
- the filtered output

All are zero before the first step and without a target.
"""

from __future__ import annotations

from math import isnan, nan

from serpenoid.kernels.compile import inner, kernel

KP, KI, KD, FEED_FORWARD, DEAD_ZONE, I_CLAMP, PUNCH, MIN_TARGET, MAX_TARGET, TARGET_LOWPASS = range(10)
GAINS = 14
MIN_OUTPUT, MAX_OUTPUT, OUTPUT_LOWPASS, D_ON_ERROR = range(10, GAINS)
POSITION, VELOCITY, EFFORT = range(3)
BEGUN, TARGET, BEFORE, INTEGRAL, OUTPUT = range(5)
MEMORY = 5
VOLTAGE = 3 * MEMORY  # offset of the voltage in a joint's memory
JOINT_MEMORY = VOLTAGE + 1


@inner
def clip_value(value, low, high):
    """Return the value clipped to low..high."""
    return min(max(value, low), high)


@inner
def pid(gains, memory, at, target, feedback, step):
    """Return the output of one loop; its memory starts at memory[at]. A NaN target switches the loop off (output 0).

        out = kp e + I + kd e' + feed_forward target + punch sign(e),    I' = ki e

    The error e is 0 inside the dead zone.
    """
    if isnan(target):
        for i in range(at, at + MEMORY):
            memory[i] = 0.0
        return 0.0
    begun = memory[at + BEGUN] > 0.0
    wanted = clip_value(target, gains[MIN_TARGET], gains[MAX_TARGET])
    if begun:
        wanted = memory[at + TARGET] + gains[TARGET_LOWPASS] * (wanted - memory[at + TARGET])
    error = wanted - feedback
    if abs(error) <= gains[DEAD_ZONE]:
        error = 0.0
    watched = error if gains[D_ON_ERROR] > 0.0 else -feedback
    slope = (watched - memory[at + BEFORE]) / step if begun else 0.0
    integral = clip_value(memory[at + INTEGRAL] + gains[KI] * error * step, -gains[I_CLAMP], gains[I_CLAMP])
    punch = gains[PUNCH] if error > 0.0 else (-gains[PUNCH] if error < 0.0 else 0.0)
    output = gains[KP] * error + integral + gains[KD] * slope + gains[FEED_FORWARD] * wanted + punch
    output = clip_value(output, gains[MIN_OUTPUT], gains[MAX_OUTPUT])
    if begun:
        output = memory[at + OUTPUT] + gains[OUTPUT_LOWPASS] * (output - memory[at + OUTPUT])
    memory[at + BEGUN], memory[at + TARGET], memory[at + BEFORE] = 1.0, wanted, watched
    memory[at + INTEGRAL], memory[at + OUTPUT] = integral, output
    return output


@inner
def motor_voltage(drive, joint, memory, at, command, feedback, step):
    """Return the voltage of a motor, -1 to 1; the joint's JOINT_MEMORY numbers start at memory[at].

    The command is angle [rad], rate [rad/s] and torque [N m], NaN where not commanded. The feedback has the same
    entries; its torque is measured by the spring's deflection.
    """
    gains = drive.gains[joint]
    torque = command[2]
    if drive.strategy == 1:
        voltage = 0.0 if isnan(torque) else torque / drive.stall_torque[joint]
    else:
        turned = pid(gains[POSITION], memory, at, command[0], feedback[0], step)
        sped = pid(gains[VELOCITY], memory, at + MEMORY, command[1], feedback[1], step)
        if drive.strategy != 3:
            inner_velocity = drive.strategy == 2 and not isnan(command[1])
            wanted = (0.0 if isnan(torque) else torque) + turned + (sped if inner_velocity else 0.0)
            nothing = isnan(torque) and isnan(command[0]) and not inner_velocity
            torque = nan if nothing else wanted
        voltage = pid(gains[EFFORT], memory, at + 2 * MEMORY, torque, feedback[2], step)
        voltage += turned if drive.strategy == 3 else 0.0
        voltage += sped if drive.strategy != 2 else 0.0
    memory[at + VOLTAGE] = clip_value(voltage, -1.0, 1.0)
    return memory[at + VOLTAGE]


@kernel
def voltage_series(drive, commands, feedbacks, memory, step, out):
    """Write voltages (samples,) of the first joint for commands and feedbacks (samples, 3); updates its memory."""
    for i in range(out.size):
        command = (commands[i, 0], commands[i, 1], commands[i, 2])
        feedback = (feedbacks[i, 0], feedbacks[i, 1], feedbacks[i, 2])
        out[i] = motor_voltage(drive, 0, memory, 0, command, feedback, step)
