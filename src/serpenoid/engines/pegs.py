"""Engine of peg boards: a planar chain of capsules among pegs, fully compiled."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.base import Command
from serpenoid.engines.accounts import CONTACT_ACCOUNTS as NAMES
from serpenoid.engines.accounts import account_variables, over_intervals
from serpenoid.engines.base import Engine, Initial, Log, Moment
from serpenoid.engines.command_tracking import drive_gains, driven_torques, hold_command
from serpenoid.engines.layout import Layout, hashable
from serpenoid.engines.peg_record import OF_PIECES, OF_TOUCHES, motion_variables, touch_values
from serpenoid.engines.planar import planar_wrenches
from serpenoid.engines.starts import flat_pose, planar_twist
from serpenoid.errors import InvalidValue, Unsupported
from serpenoid.kernels.accounts import CONTACT_ACCOUNTS
from serpenoid.kernels.laws.drive import motor_numbers
from serpenoid.kernels.laws.fused_run import FusedRun, FusedTask
from serpenoid.kernels.pegs.fused import Joints, peg_law_rollout
from serpenoid.kernels.pegs.joints import CREEP, TORQUES
from serpenoid.kernels.pegs.records import PegScene
from serpenoid.kernels.pegs.rollout import peg_rollout
from serpenoid.kernels.pegs.samples import peg_samples
from serpenoid.kernels.planar.samples import state_of_head
from serpenoid.kernels.records import NO_HARMONICS, Actuation, Motion
from serpenoid.robots.base import PlanarPieces, Robot
from serpenoid.worlds.peg_scene import Frames, check_stiffness, peg_scene, pieces_of

TOUCHES = 16  # initial number of contacts per sample


class Body(NamedTuple):
    """Robot on a board."""

    pieces: PlanarPieces
    scene: PegScene
    frames: Frames


class PegEngine(Engine):
    """Simulates a planar chain, or a SEA snake with dorsal joints held at 0, on a board with pegs.

    Trajectories contain all joints and links of the robot; joints that are held have no torque.
    """

    name: ClassVar[str] = "pegs"
    fuses = True

    def __init__(self, robot: Robot, world: Any, step: float):
        super().__init__(robot, world, step)
        self.body = (body_of if hashable(robot, world) else body_of.__wrapped__)(robot, world)
        self.scene, self.moving = self.body.scene, self.body.pieces.joints
        gains = drive_gains(robot, self.name, TORQUES)
        if gains is None:
            raise Unsupported("pegs need joints driven by torques: use robot.drive pd, not prescribed")
        self.gains = type(gains)(*(gain[self.moving] for gain in gains))
        check_stiffness(self.scene, robot.drive.joint_stiffness(robot.joints)[self.moving], step)
        joints = self.moving.size
        motors = joints if motor_numbers(self.gains) > 0 else 0
        self.layout = Layout(
            head=2, heading=1, joints=joints, head_rate=2, heading_rate=1, joint_rates=joints, motors=motors,
            motor_rates=motors, impulses=joints, squares=joints, works=joints, accounts=CONTACT_ACCOUNTS,
        )  # fmt: skip
        self.still = np.setdiff1d(np.arange(robot.joints), self.moving)  # joints held at 0

    def start_state(self, given: Initial, position: NDArray, velocity: NDArray, turn: float) -> NDArray:
        self.refuse_held("joint_position", position)
        angles, chain, radius = position[self.moving], self.body.pieces.chain, self.body.pieces.radius
        free = given.base_pose is None
        x, y, heading = (
            self.world.clear_start(chain.length, radius, angles) if free else flat_pose(given.base_pose, True)
        )
        heading += turn
        gap = self.world.clearance(chain.length, radius, np.append(heading, angles), (x, y))
        if gap < 0.0:
            wanted = f"a start clear of pegs and walls: it is {-1e3 * gap:.3g} mm in one"
            if free:
                raise InvalidValue(
                    "scatter", given.scatter, f"small enough for {wanted}; another seed gives another start"
                )
            raise InvalidValue("base_pose", (round(x, 4), round(y, 4), round(heading, 4)), wanted)
        return self.state_of_head((x, y, heading), given.base_twist, position, velocity)

    def state_at(self, pose: NDArray, twist: NDArray, position: NDArray, velocity: NDArray) -> NDArray:
        return self.state_of_head(flat_pose(tuple(pose), True), tuple(twist), position, velocity)

    def state_of_head(
        self, place: tuple[float, float, float], twist: Any, position: NDArray, velocity: NDArray
    ) -> NDArray:
        """Return the state at x, y [m] and heading [rad] of the head."""
        spin, drift = planar_twist(twist, place[2])
        return self.state_of_parts(
            head=place[:2], heading=place[2], joints=position[self.moving], head_rate=drift, heading_rate=spin,
            joint_rates=velocity[self.moving],
        )  # fmt: skip

    def centers(self, states: NDArray) -> NDArray:
        return np.array([self.chain_state(state)[:2] for state in states])

    def refuse_held(self, field: str, angles: NDArray) -> None:
        """Raise if joints that this engine holds at 0 have another angle."""
        wrong = np.nan_to_num(np.asarray(angles)[..., self.still])
        if np.abs(wrong).max(initial=0.0) > 1e-9:
            value = float(wrong.flat[np.abs(wrong).argmax()])
            raise InvalidValue(field, value, "0 at dorsal joints, which the engine pegs holds: use the engine contact")

    def direct(self, name: str, state: NDArray) -> NDArray | None:
        if name == "chain_state":
            return None if self.still.size else self.chain_state(state)
        return super().direct(name, state)

    def chain_state(self, state: NDArray) -> NDArray:
        """Return the state in centre-of-mass coordinates, as the planar engine and planners use it."""
        chain, half = self.scene.chain, self.scene.chain.mass.size + 2
        behind = chain.mass.sum() - np.cumsum(chain.mass)
        shift = (chain.mass * chain.center + behind * chain.length) / chain.mass.sum()
        return state_of_head(shift, state[:half].copy(), state[half : 2 * half].copy(), 2 * half)

    def lead(self, first: int, state: NDArray, command: Command, steps: int) -> Actuation:
        self.refuse_held("command.position", command.position)
        return hold_command(self.gains, self.commanded(command))

    def commanded(self, command: Command) -> Command:
        """Return the part of a command for the moving joints."""
        return Command(*(np.ascontiguousarray(np.asarray(part, dtype=float)[..., self.moving]) for part in command))

    def motion_lead(self, motion: Motion) -> Actuation:
        self.refuse_held("gait", np.abs(motion.offset) + motion.swing + np.abs(motion.coefficients).sum((0, 1)))
        harmonics = motion.harmonics
        rate, offset, amplitude, lag = (np.ascontiguousarray(part[self.moving]) for part in motion[2:6])
        own = motion._replace(
            rate=rate, offset=offset, amplitude=amplitude, lag=lag,
            coefficients=np.ascontiguousarray(motion.coefficients[..., self.moving]),
            harmonics=np.ascontiguousarray(harmonics[..., self.moving]) if harmonics.size else NO_HARMONICS,
        )  # fmt: skip
        return Actuation(own, self.gains, np.zeros(self.moving.size))

    def run(self, first: int, state: NDArray, lead: Any, steps: int, every: int, wrenches: NDArray | None) -> NDArray:
        wrench = planar_wrenches(wrenches)
        return peg_rollout(self.scene, lead, wrench, np.ascontiguousarray(state), first, self.step, steps, every)[0]

    def run_law(
        self, state: NDArray, task: FusedTask, wrenches: NDArray | None = None, before: NDArray | None = None
    ) -> FusedRun:
        joints = Joints(spread=self.moving, piece=self.body.frames.piece, front=self.body.frames.front)
        run = peg_law_rollout(
            self.scene, self.gains, joints, task, planar_wrenches(wrenches), np.ascontiguousarray(state)
        )  # fmt: skip
        self.refuse_held("command.position", run.targets)
        return run

    def check_wrenches(self, wrenches: NDArray) -> None:
        planar_wrenches(wrenches)

    def computed(self, name: str, moment: Moment) -> NDArray | None:
        if name == "joint_torque":
            return self.shown(moment.once(self.survey)[1])
        if name in OF_PIECES:
            return OF_PIECES[name](self.scene, self.body.frames, moment.once(self.survey)[0], self.pressing)
        if name in OF_TOUCHES:
            pieces, _, touches = moment.once(self.survey)
            return touch_values(self.scene, self.body.frames, pieces, touches, self.pressing)[name]
        return None

    @property
    def pressing(self) -> float:
        """Acceleration normal to the floor [m/s^2]."""
        return -self.world.gravity_vector[2]

    def own_variables(self, log: Log) -> dict[str, NDArray]:
        states, commands = np.ascontiguousarray(log.states), self.commanded(log.commands)
        q, dq, motors, rates = (
            self.layout.part(states, name) for name in ("joints", "joint_rates", "motors", "motor_rates")
        )
        pieces, torque, touches = self.survey(log)
        power, lost = torque * dq, np.zeros_like(dq)
        if motors.size:
            _, power, lost = driven_torques(self.gains, commands, (q, dq), (motors, rates))
        dry = self.scene.stops.friction * np.abs(dq) / np.hypot(dq, CREEP)
        rubbed = -((self.scene.chain.joint_damping * dq + dry * np.sign(dq)) * dq).sum(axis=1)
        found = {
            "joint_position": self.shown(q),
            "joint_velocity": self.shown(dq),
            "joint_torque": self.shown(torque),
            "power": np.abs(power).sum(axis=1),
            "power_drive": power.sum(axis=1),
            "power_damping": rubbed + lost.sum(axis=1),
        }
        found |= motion_variables(self.scene, self.body.frames, pieces, self.pressing)
        found["energy_kinetic"] = found["energy_kinetic"] + 0.5 * (self.scene.stops.armature * dq**2).sum(axis=1)
        found |= self.spring_variables(states)
        found |= account_variables(self.layout, states, NAMES, self.shown)
        touched = touch_values(self.scene, self.body.frames, pieces, touches, self.pressing)
        return over_intervals(log.times, found) | touched

    def survey(self, log: Log) -> tuple[NDArray, NDArray, NDArray]:
        """Return motion of the pieces, torques and contacts at the samples, from the step that begins there."""
        states, lead = np.ascontiguousarray(log.states), hold_command(self.gains, self.commanded(log.commands))
        shape = (len(states), self.moving.size)
        gains = np.array(
            [np.broadcast_to(g, shape) for g in (lead.drive.stiffness, lead.drive.damping, lead.feedforward)]
        )
        wrench = np.zeros((len(states), 0, 3)) if log.wrenches is None else planar_wrenches(log.wrenches)
        targets, most = np.ascontiguousarray(lead.motion.offset), TOUCHES
        while True:
            pieces, torques, touches, found = peg_samples(
                self.scene, self.gains, targets, gains, wrench, self.step, states, most
            )
            if found <= most:
                return pieces, torques, touches
            most = found


@lru_cache(maxsize=16)
def body_of(robot: Robot, world: Any) -> Body:
    """Return a robot on a board; cached, because cells of a sweep may share it."""
    pieces = pieces_of(robot)
    frames = Frames.of(robot, pieces)
    return Body(pieces, peg_scene(robot, pieces, frames, world), frames)
