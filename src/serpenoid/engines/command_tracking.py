"""Tracking of held commands: prescribed joints by a second-order filter with limits, driven joints by torque."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.base import Command
from serpenoid.errors import Unsupported
from serpenoid.gaits.base import polynomial
from serpenoid.kernels.laws.drive import JOINT_LAWS, drive_samples
from serpenoid.kernels.laws.following import followed_accelerations, followed_parabolas
from serpenoid.kernels.records import Actuation, DriveRecord, Motion, StiffDrive
from serpenoid.robots.base import Robot
from serpenoid.robots.drives import STIFFEST

KNOWN = "use pd or series_elastic (cascade runs in the engine contact)"  # drives that have laws


def following(position: NDArray, velocity: NDArray, command: Command, start: float, step: float, steps: int) -> Motion:
    """Return joint angles over `steps` steps from a state (joints,) towards a held command: parabolas, a knot per
    step.

    A commanded acceleration is applied directly. Otherwise the joint tracks a commanded position or velocity. A
    joint without a command comes to rest.
    """
    targets = (np.ascontiguousarray(part, dtype=float) for part in command[:3])
    here = (np.ascontiguousarray(position), np.ascontiguousarray(velocity))
    return polynomial(start + step * np.arange(steps + 1), followed_parabolas(*here, *targets, step, steps))


def acceleration(q: NDArray, dq: NDArray, command: Command, step: float) -> NDArray:
    """Return the accelerations of prescribed joints over the next step from states and commands (samples, joints)
    [rad/s^2].
    """
    return followed_accelerations(*(np.ascontiguousarray(part, dtype=float) for part in (q, dq, *command[:3])), step)


def drive_gains(robot: Robot, engine: str, laws: Mapping[type, Any] = JOINT_LAWS) -> Any:
    """Return the record of a robot's drives; None if joints are prescribed.

    Raise if the kernels of an engine have no law for the record; `laws` lists the exact classes that they support. A
    passive joint has its spring and damper instead of a motor, so its gait must command zero.
    """
    record = robot.drive.record(robot.joints)
    if record is not None and type(record) not in laws:
        raise Unsupported(f"drive {type(robot.drive).__name__} has no law in the engine {engine}: {KNOWN}")
    for joint, spring in robot.springs.items():
        if type(record) is not StiffDrive:
            raise Unsupported(f"joint {robot.joint_names[joint]} is passive: use the drive pd")
        for part, value in zip(record, (*spring, STIFFEST)):
            part[joint] = value
    return record


def hold_command(gains: DriveRecord, command: Command) -> Actuation:
    """Convert a held command to an actuation of driven joints; the commanded rate becomes feedforward torque.

    Arrays of the command may be (joints,) or (samples, joints); the actuation has the same shape.
    """
    position, velocity, torque = (np.asarray(part, dtype=float) for part in (command[0], command[1], command[3]))
    tracked = ~np.isnan(position) | ~np.isnan(velocity)
    damping = np.where(tracked, gains.damping, 0.0)
    drive = gains._replace(stiffness=np.where(np.isnan(position), 0.0, gains.stiffness), damping=damping)
    feedforward = np.nan_to_num(torque) + damping * np.nan_to_num(velocity)
    return Actuation(still(np.nan_to_num(position)), drive, feedforward)


def still(position: NDArray) -> Motion:
    """Return a motion that stays at a position."""
    nothing = np.zeros_like(position)
    return Motion(0.0, 0.0, nothing, position, nothing, nothing, np.zeros(2), np.zeros((1, 1, position.shape[-1])))


def driven_torques(gains: Any, commands: Command, joint: Any, motor: Any) -> NDArray:
    """Return joint torques [N m], motor powers and powers lost in the drives [W], (3, samples, joints).

    `joint` and `motor` are (angles, rates), each (samples, joints) [rad, rad/s].
    """
    shape = commands.position.shape
    lead = hold_command(gains, commands)
    flat = type(gains)(*(np.ascontiguousarray(np.broadcast_to(gain, shape)).ravel() for gain in lead.drive))
    sides = (np.stack([np.broadcast_to(part, shape).ravel() for part in side], axis=1) for side in (joint, motor))
    target, nothing = np.ascontiguousarray(lead.motion.offset).ravel(), np.zeros(lead.motion.offset.size)
    found = drive_samples(flat, target, nothing, lead.feedforward.ravel(), *sides)
    return np.ascontiguousarray(found.T.reshape(3, *shape))
