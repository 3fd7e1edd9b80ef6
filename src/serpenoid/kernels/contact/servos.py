"""Drives in the loop around MuJoCo: their torques at a step, and the motion of their motors.

MuJoCo receives each drive's torque as constant + position part x angle + velocity part x rate, clipped, and integrates
the velocity part implicitly. With a series spring, that torque is the spring's, and its motor is integrated here.
"""

from __future__ import annotations

from math import inf, isnan

from serpenoid.kernels.accounts import ABSOLUTE, CONTACT, DAMPING, DRIVE, EXTERNAL
from serpenoid.kernels.compile import inner
from serpenoid.kernels.contact.records import CASCADE, STIFF
from serpenoid.kernels.laws.cascade import JOINT_MEMORY, clip_value, motor_voltage
from serpenoid.kernels.laws.drive import pd_torque
from serpenoid.kernels.motion import joint_motion

TAPER = 0.05  # fraction of the top speed over which a drive's torque fades


@inner
def target_of(lead, segment, time, joint):
    """Return commanded angle [rad], rate [rad/s] and torque [N m] of a joint, NaN where not commanded."""
    if lead.led:
        angle, rate, _ = joint_motion(lead.motion, segment, time, joint)
        return angle, rate, lead.torque[joint]
    return lead.position[joint], lead.velocity[joint], lead.torque[joint]


@inner
def spring_of(servos, joint):
    """Return stiffness [N m/rad] and damping [N m s/rad] of a motor's series spring."""
    if servos.kind == CASCADE:
        return servos.cascade.spring[joint], servos.cascade.spring_damping[joint]
    return servos.elastic.spring[joint], servos.elastic.spring_damping[joint]


@inner
def torque_bounds(limit, top, rate):
    """Return the torque limits [N m] of a drive at a rate; they fade near its top speed [rad/s]."""
    if top == inf:
        return -limit, limit
    fade = TAPER * top
    return -limit * clip_value((top + rate) / fade, 0.0, 1.0), limit * clip_value((top - rate) / fade, 0.0, 1.0)


@inner
def stiff_pull(physics, servos, joint, target, rate):
    """Set the PD law of a drive on the joint as MuJoCo's coefficients; its limit decreases near the top speed."""
    angle, speed, torque = target
    followed = not (isnan(angle) and isnan(speed))
    kp = 0.0 if isnan(angle) else servos.elastic.stiffness[joint]
    kd = servos.elastic.damping[joint] if followed else 0.0
    constant = 0.0 if isnan(angle) else kp * angle
    constant += 0.0 if isnan(speed) else kd * speed
    constant += 0.0 if isnan(torque) else torque
    physics.bias[joint, 0], physics.bias[joint, 1], physics.bias[joint, 2] = constant, -kp, -kd
    low, high = torque_bounds(servos.elastic.limit[joint], servos.speed[joint], rate)
    physics.range[joint, 0], physics.range[joint, 1] = low, high


@inner
def pull(physics, servos, lead, segment, time, places, state):
    """Set the torques of all drives in MuJoCo at a time."""
    for j in range(physics.joint_dof.size):
        if servos.kind == STIFF:
            rate = physics.qvel[physics.joint_dof[j]]
            stiff_pull(physics, servos, j, target_of(lead, segment, time, j), rate)
        else:
            spring, damping = spring_of(servos, j)
            physics.bias[j, 0] = spring * state[places.motors + j] + damping * state[places.motor_rates + j]
            physics.bias[j, 1], physics.bias[j, 2] = -spring, -damping


@inner
def motor_torque(servos, joint, target, seen, motor, memory, at, step):
    """Return the torque of a motor [N m] and its decrease per rate [N m s/rad].

    seen: angle, rate, spring torque.
    """
    if servos.kind == CASCADE:
        drive = servos.cascade
        voltage = motor_voltage(drive, joint, memory, at, target, seen, step)
        slope = drive.stall_torque[joint] / drive.top_speed[joint]
        return drive.stall_torque[joint] * voltage - slope * motor[1], slope
    drive = servos.elastic
    angle, speed, torque = target
    followed = not (isnan(angle) and isnan(speed))
    reference = (motor[0] if isnan(angle) else angle, 0.0 if isnan(speed) else speed)
    feed = 0.0 if isnan(torque) else torque
    low, high = torque_bounds(drive.limit[joint], servos.speed[joint], motor[1])
    wanted = pd_torque(drive, joint, reference, feed, motor[0], motor[1]) if followed else feed
    pushed = clip_value(wanted, low, high)
    if low < pushed < high:
        return pushed, drive.damping[joint] if followed else 0.0
    fading = 0.0 < abs(pushed) < drive.limit[joint]
    return pushed, drive.limit[joint] / (TAPER * servos.speed[joint]) if fading else 0.0


@inner
def mean_torque(physics, joint, before, after):
    """Return the mean torque on a joint over the last MuJoCo step [N m], from rates before and after it [rad/s].

    The velocity part uses the rate at the end of the step, as in its integration, unless the torque is at its limit.
    Runge-Kutta leaves the torque of the step's end, so half of its change is subtracted.
    """
    torque = physics.torque[joint]
    if physics.range[joint, 0] < torque < physics.range[joint, 1]:
        change = physics.bias[joint, 2] * (after - before)
        turned = 0.5 * physics.step * (before + after)
        torque += change if physics.splits else -0.5 * (change + physics.bias[joint, 1] * turned)
    return torque


@inner
def enter_joint(places, state, joint, step, torque, work):
    """Add a step with a torque on a joint [N m] and the work of its motor [J] to the joint's accounts."""
    state[places.impulses + joint] += step * torque
    state[places.squares + joint] += step * torque * torque
    state[places.works + joint] += work


@inner
def turn_motors(physics, servos, lead, segment, time, places, state):
    """Advance the motors behind springs by a step, J m'' = torque - spring - damper, and account for their work.

    The step is implicit in the motor's rate; joints are as before the step.
    """
    step = physics.step
    for j in range(physics.joint_dof.size):
        spring, damping = spring_of(servos, j)
        inertia = servos.cascade.rotor_inertia[j] if servos.kind == CASCADE else servos.elastic.rotor_inertia[j]
        angle, rate = state[places.joints + j], state[places.rates + j]
        motor = (state[places.motors + j], state[places.motor_rates + j])
        held = spring * (motor[0] - angle)
        target = target_of(lead, segment, time, j)
        at = places.memory + JOINT_MEMORY * j
        torque, slope = motor_torque(servos, j, target, (angle, rate, held), motor, state, at, step)
        pushed = torque - held - damping * (motor[1] - rate)
        gained = step * pushed / (inertia + step * (slope + damping))
        state[places.motor_rates + j] += gained
        state[places.motors + j] += step * state[places.motor_rates + j]
        mean = motor[1] + 0.5 * gained
        work = step * (torque - slope * gained) * mean
        after = physics.qvel[physics.joint_dof[j]]
        turning = mean - 0.5 * (rate + after)
        enter_joint(places, state, j, step, mean_torque(physics, j, rate, after), work)
        state[places.accounts + DRIVE] += work
        state[places.accounts + ABSOLUTE] += abs(work)
        state[places.accounts + DAMPING] -= step * damping * turning * turning


@inner
def book_drives(physics, places, state):
    """Add the work of drives on the joints over the last MuJoCo step; `state` contains rates before it."""
    for j in range(physics.joint_dof.size):
        before, after = state[places.rates + j], physics.qvel[physics.joint_dof[j]]
        torque = mean_torque(physics, j, before, after)
        work = 0.5 * physics.step * torque * (before + after)
        enter_joint(places, state, j, physics.step, torque, work)
        state[places.accounts + DRIVE] += work
        state[places.accounts + ABSOLUTE] += abs(work)


@inner
def is_pushed(physics):
    """Return whether any external push acts."""
    for body in range(physics.outside.shape[0]):
        for c in range(6):
            if physics.outside[body, c] != 0.0:
                return True
    return False


@inner
def book(physics, places, state):
    """Add the work of joint friction, contacts and pushes over a step: force x (v + v') / 2 x step."""
    step, before = physics.step, physics.before
    damping, external, contact = 0.0, 0.0, 0.0
    for d in range(physics.qvel.size):
        mean = 0.5 * (before[d] + physics.qvel[d])
        damping -= physics.damping[d] * physics.qvel[d] * mean
        contact += physics.constrained[d] * mean
        known = physics.passive[d] - physics.inner[d] + physics.driven[d]
        external += (physics.smooth[d] - known) * mean
    state[places.accounts + DAMPING] += step * damping
    state[places.accounts + CONTACT] += step * contact
    if is_pushed(physics):  # otherwise the remainder is rounding
        state[places.accounts + EXTERNAL] += step * external


@inner
def warm_up(physics, servos, places, state):
    """Advance the modules' temperatures: T' = (heating torque^2 - T) / warming, T above ambient [K]."""
    share = physics.step / servos.warming
    for j in range(physics.torque.size):
        torque = physics.torque[j]
        state[places.heat + j] += share * (servos.heating * torque * torque - state[places.heat + j])
