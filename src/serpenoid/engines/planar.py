"""The planar chain's engine: compiled RK4 in centre-of-mass coordinates."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.base import Command, Observation
from serpenoid.engines.base import Engine, Initial, Log, Variable
from serpenoid.engines.following import following, held
from serpenoid.engines.planar_record import planar_variables
from serpenoid.errors import InvalidValue, SimulationDiverged
from serpenoid.kernels.motion import motion_samples
from serpenoid.kernels.planar.chain import planar_model, planar_work
from serpenoid.kernels.planar.inverse import prescribed_dynamics
from serpenoid.kernels.planar.step import driven_rollout, prescribed_rollout
from serpenoid.kernels.records import Actuation, Motion
from serpenoid.robots.drives import PD


class PlanarEngine(Engine):
    """Carries a planar chain through free space or over a plane."""

    name: ClassVar[str] = "planar"

    def __init__(self, robot: Any, world: Any, step: float):
        super().__init__(robot, world, step)
        chain = robot.chain()
        world.check_step(chain, step)
        self.model = planar_model(chain, world.medium_record(chain))
        self.joints = robot.joints
        self.driven = isinstance(robot.drive, PD)

    def initial(self, given: Initial, motion: Motion | None) -> NDArray:
        position, velocity = (given.joint_array(name, self.joints) for name in ("joint_position", "joint_velocity"))
        if motion is not None:
            start, rate, _ = (part[0] for part in motion_samples(motion, np.zeros(1)))
            position = start if position is None or not self.driven else position
            velocity = (
                (np.zeros(self.joints) if self.driven else rate) if velocity is None or not self.driven else velocity
            )
        position = np.zeros(self.joints) if position is None else position
        velocity = np.zeros(self.joints) if velocity is None else velocity
        heading, head = planar_pose(given.base_pose)
        turn, drift = planar_twist(given.base_twist, heading)
        return self.state_of(np.r_[head, heading, position], np.r_[drift, turn, velocity])

    def state_of(self, pose: NDArray, rates: NDArray) -> NDArray:
        """The state from the head's front end: x, y, heading, joint angles, and their rates."""
        angle, rate = np.cumsum(pose[2:]), np.cumsum(rates[2:])
        arm = self.model.shift * np.array([np.cos(angle), np.sin(angle)])  # (2, links)
        pose, rates = pose.copy(), rates.copy()
        pose[:2] += arm.sum(axis=1)
        rates[:2] += (-arm[1] @ rate, arm[0] @ rate)
        return np.concatenate([pose, rates])

    def observe(self, first: int, state: NDArray, command: Command) -> Observation:
        time = first * self.step
        batch = Command(*(np.asarray(part, dtype=float)[None] for part in command))
        seen = self.variables(Log(np.array([time]), state[None], batch))
        gyroscope = np.zeros((self.joints + 1, 3))
        gyroscope[:, 2] = np.cumsum(state[self.joints + 5 :])
        return Observation(
            time, seen["joint_position"].values[0], seen["joint_velocity"].values[0], seen["joint_torque"].values[0],
            seen["base_pose"].values[0], seen["base_twist"].values[0], seen["accelerometer"].values[0], gyroscope,
        )  # fmt: skip

    def advance(self, first: int, state: NDArray, command: Command, steps: int) -> NDArray:
        if self.driven:
            states, diverged = driven_rollout(
                self.model, held(self.robot.drive.record(self.joints), command), state, first, self.step, steps, steps
            )
        else:
            q, dq = np.split(state, 2)[0][3:], np.split(state, 2)[1][3:]
            motion = following(q, dq, command, first * self.step, self.step, steps)
            states, diverged = prescribed_rollout(self.model, motion, state, first, self.step, steps, steps)
        if diverged >= 0:
            raise SimulationDiverged(diverged * self.step, state)
        return states[-1]

    def rollout(self, first: int, state: NDArray, motion: Motion, steps: int, every: int) -> NDArray:
        if self.driven:
            leading = Actuation(motion, self.robot.drive.record(self.joints), np.zeros(self.joints))
            return driven_rollout(self.model, leading, state, first, self.step, steps, every)[0]
        return prescribed_rollout(self.model, motion, state, first, self.step, steps, every)[0]

    def motion_commands(self, times: NDArray, motion: Motion) -> Command:
        angle, rate, acceleration = motion_samples(motion, np.asarray(times, dtype=float))
        return Command(angle, rate, acceleration, np.full_like(angle, np.nan))

    def torques(self, log: Log) -> NDArray:
        """Joint torques at the samples, (samples, joints) [N m]."""
        half = self.joints + 3
        q, dq = log.states[:, 3:half], log.states[:, half + 3 :]
        if self.driven:
            gains = self.robot.drive.record(self.joints)
            target = log.commands
            pull = np.nan_to_num(gains.stiffness * (target.position - q))
            tracked = ~np.isnan(target.position) | ~np.isnan(target.velocity)
            brake = np.where(tracked, gains.damping * (np.nan_to_num(target.velocity) - dq), 0.0)
            return np.clip(pull + brake + np.nan_to_num(target.torque), -gains.limit, gains.limit)
        work, out = planar_work(self.joints + 1), np.empty_like(q)
        acceleration = np.empty(half)
        for i, state in enumerate(log.states):
            wanted = np.nan_to_num(log.commands.acceleration[i])
            prescribed_dynamics(self.model, work, np.ascontiguousarray(state), wanted, acceleration, out[i])
        return out

    def variables(self, log: Log) -> dict[str, Variable]:
        return planar_variables(self.model, log.states, self.torques(log))


def planar_pose(pose: tuple[float, ...] | None) -> tuple[float, NDArray]:
    """Heading and position of a pose that must lie in the plane."""
    if pose is None:
        return 0.0, np.zeros(2)
    x, y, z, qw, qx, qy, qz = (float(value) for value in pose)
    if max(abs(z), abs(qx), abs(qy)) > 1e-12 or abs(np.hypot(qw, qz) - 1.0) > 1e-9:
        raise InvalidValue("base_pose", pose, "in the plane: z = 0 and a unit quaternion about z")
    return 2.0 * float(np.arctan2(qz, qw)), np.array([x, y])


def planar_twist(twist: tuple[float, ...] | None, heading: float) -> tuple[float, NDArray]:
    """Turning rate and velocity in world axes of a twist that must lie in the plane."""
    if twist is None:
        return 0.0, np.zeros(2)
    vx, vy, vz, wx, wy, wz = (float(value) for value in twist)
    if max(abs(vz), abs(wx), abs(wy)) > 1e-12:
        raise InvalidValue(
            "base_twist", twist, "in the plane: only the linear x, y and the angular z may differ from 0"
        )
    c, s = np.cos(heading), np.sin(heading)
    return wz, np.array([c * vx - s * vy, s * vx + c * vy])
