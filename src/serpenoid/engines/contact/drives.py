"""Drives of a robot in the form of the MuJoCo loop, and their trajectory variables."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.engines.base import Log
from serpenoid.engines.command_tracking import drive_gains, driven_torques
from serpenoid.engines.layout import Layout
from serpenoid.errors import Unsupported
from serpenoid.kernels.contact.records import CASCADE, ELASTIC, STIFF, Servos
from serpenoid.kernels.contact.servos import TAPER
from serpenoid.kernels.laws.cascade import JOINT_MEMORY, VOLTAGE
from serpenoid.kernels.records import CascadeDrive, ElasticDrive, StiffDrive
from serpenoid.robots.base import PlanarRobot, Robot
from serpenoid.robots.cascade import Cascade
from serpenoid.robots.drives import PD
from serpenoid.support.kernel_inputs import chain_of, tree_of

KINDS = {StiffDrive: STIFF, ElasticDrive: ELASTIC, CascadeDrive: CASCADE}  # drives supported by the loop


def servos_of(robot: Robot) -> Servos:
    """Return the drives of all joints as one record."""
    joints = robot.joints
    gains = drive_gains(robot, "contact", KINDS)
    if gains is None:
        raise Unsupported("joints need a drive in worlds with contact: add --robot.drive pd")
    kind = KINDS[type(gains)]
    elastic = gains if kind == ELASTIC else rigid(gains if kind == STIFF else PD().record(joints))
    cascade = gains if kind == CASCADE else Cascade().record(joints)
    telemetry = robot.telemetry
    warmth = (0.0, 0.0) if telemetry is None else (telemetry.heating, telemetry.warming_time)
    speed = np.array(np.broadcast_to(robot.speed_limit, joints), dtype=float)
    return Servos(kind, elastic, cascade, speed, *warmth)


def rigid(gains: StiffDrive) -> ElasticDrive:
    """Return drives without a spring as a record of drives with one."""
    nothing = np.zeros_like(gains.limit)
    return ElasticDrive(gains.stiffness, gains.damping, gains.limit, nothing, nothing, np.ones_like(gains.limit))


def drive_variables(
    damping: NDArray, servos: Servos, layout: Layout, log: Log, torque: NDArray
) -> tuple[dict[str, NDArray], NDArray]:
    """Return powers, motor voltages if there are any, and the power of each motor (samples, joints) [W].

    `damping` is that of each joint (joints,) [N m s/rad].
    """
    parts = ("joints", "joint_rates", "motors", "motor_rates")
    angle, rate, motor, motor_rate = (layout.part(log.states, name) for name in parts)
    if servos.kind == STIFF:
        return powers(torque * rate, -(damping * rate**2)), torque * rate
    record: Any = servos.cascade if servos.kind == CASCADE else servos.elastic
    rubbed = -record.spring_damping * (motor_rate - rate) ** 2 - damping * rate**2
    found = {}
    if servos.kind == CASCADE:
        memory = layout.part(log.states, "memory").reshape(*motor.shape, JOINT_MEMORY)
        pwm = found["pwm"] = memory[..., VOLTAGE]
        given = servos.cascade.stall_torque * (pwm - motor_rate / servos.cascade.top_speed) * motor_rate
    else:
        delivered = driven_torques(servos.elastic, log.commands, (angle, rate), (motor, motor_rate))[1]
        given = np.minimum(delivered, greatest_power(servos, np.abs(motor_rate)))
    return found | powers(given, rubbed), given


def greatest_power(servos: Servos, speed: NDArray) -> NDArray:
    """Return the largest motor power (samples, joints) at speeds [rad/s]; torque fades near the top speed [W]."""
    fade = np.where(np.isinf(servos.speed), 1.0, TAPER * servos.speed)
    return servos.elastic.limit * np.clip((servos.speed - speed) / fade, 0.0, 1.0) * speed


def powers(given: NDArray, lost: NDArray) -> dict[str, NDArray]:
    """Return the powers of the drives (samples, joints) [W], summed over the joints."""
    return {
        "power": np.abs(given).sum(axis=1), "power_drive": given.sum(axis=1), "power_damping": lost.sum(axis=1)
    }  # fmt: skip


def joint_damping(robot: Robot) -> NDArray:
    """Return the viscous friction of each joint (joints,) [N m s/rad]."""
    return chain_of(robot).joint_damping if isinstance(robot, PlanarRobot) else tree_of(robot).damping
