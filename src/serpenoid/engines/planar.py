"""Engine of planar chains: compiled RK4 in centre-of-mass coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.base import Command
from serpenoid.engines.accounts import account_variables, over_intervals
from serpenoid.engines.base import AT_REST, Engine, Initial, Log, Moment, stack_runs
from serpenoid.engines.command_tracking import acceleration, drive_gains, driven_torques, hold_command
from serpenoid.engines.hinges import planar_hinges
from serpenoid.engines.layout import Layout, hashable
from serpenoid.engines.planar_lanes import MOST_LINKS, Sampling, alone, in_lanes, is_wave, wave_starts
from serpenoid.engines.planar_record import OF_FRAMES, JointPowers, planar_variables
from serpenoid.engines.starts import flat_pose, planar_twist
from serpenoid.errors import InvalidValue, whole_number
from serpenoid.kernels.accounts import ACCOUNTS
from serpenoid.kernels.laws.drive import motor_numbers
from serpenoid.kernels.laws.fused_run import FusedRun, FusedTask
from serpenoid.kernels.planar.chain import PlanarModel, planar_model
from serpenoid.kernels.planar.fused import planar_law_rollout
from serpenoid.kernels.planar.samples import link_frames, prescribed_torques, sample_quantities, state_of_head
from serpenoid.kernels.planar.step import driven_rollout, prescribed_rollout
from serpenoid.kernels.records import Motion, StiffDrive
from serpenoid.robots.base import PlanarRobot
from serpenoid.support.kernel_inputs import chain_of, medium_of

CHAIN = (
    "center",
    "heading",
    "joints",
    "center_rate",
    "heading_rate",
    "joint_rates",
)  # parts of a state that describe motion
MOST_SUBSTEPS = 10**6  # limit of Runge-Kutta steps per step


class PlanarEngine(Engine):
    """Simulates a planar chain in free space or on a plane."""

    name: ClassVar[str] = "planar"
    fuses_torques: ClassVar[bool] = True
    heading_first: ClassVar[bool] = True

    def __init__(self, robot: PlanarRobot, world: Any, step: float):
        super().__init__(robot, world, step)
        body = Body(robot, drive_gains(robot, self.name) is not None)
        self.model, self.substeps = (model_of if hashable(body, world) else model_of.__wrapped__)(body, world, step)
        self.set_drive()
        self.fuses = self.driven
        self.layout = layout_of(accounts=ACCOUNTS, **self.chain_parts())

    def set_drive(self) -> None:
        """Set the drive of the joints."""
        self.joints = self.robot.joints
        self.gains = drive_gains(self.robot, self.name)
        self.driven = self.gains is not None
        self.sprung = self.driven and motor_numbers(self.gains) > 0

    def chain_parts(self) -> dict[str, int]:
        """Return the sizes of the parts of a state that belong to the chain and its drives."""
        motors = self.joints if self.sprung else 0
        return {
            "center": 2, "heading": 1, "joints": self.joints, "center_rate": 2, "heading_rate": 1,
            "joint_rates": self.joints, "motors": motors, "motor_rates": motors, "impulses": self.joints,
            "squares": self.joints, "works": self.joints,
        }  # fmt: skip

    def start_state(self, given: Initial, position: NDArray, velocity: NDArray, turn: float) -> NDArray:
        x, y, heading = flat_pose(given.base_pose)
        heading += turn
        spin, drift = planar_twist(given.base_twist, heading)
        head, rates = np.array([x, y, heading, *position]), np.array([*drift, spin, *velocity])
        chain = state_of_head(self.model.shift, head, rates, self.layout.size)
        return self.state_of_parts(**{name: self.layout.part(chain, name) for name in CHAIN})

    def taken_over(self, before: PlanarEngine, state: NDArray) -> NDArray:
        """Convert a state; changed masses or lengths move the centre of mass, not the head."""
        out, arms = state.copy(), self.model.shift - before.model.shift
        angles = np.cumsum(np.append(self.layout.part(state, "heading"), self.layout.part(state, "joints")))
        rates = np.cumsum(np.append(self.layout.part(state, "heading_rate"), self.layout.part(state, "joint_rates")))
        c, s = np.cos(angles), np.sin(angles)
        out[self.layout["center"]] += c @ arms, s @ arms
        out[self.layout["center_rate"]] += -(s * rates) @ arms, (c * rates) @ arms
        return out

    def direct(self, name: str, state: NDArray) -> NDArray | None:
        if name == "chain_state":
            return state[: self.layout["joint_rates"].stop].copy()
        return super().direct(name, state)

    def run(self, first: int, state: NDArray, lead: Any, steps: int, every: int, wrenches: NDArray | None) -> NDArray:
        rollout = prescribed_rollout if isinstance(lead, Motion) else driven_rollout
        return rollout(self.model, lead, planar_wrenches(wrenches), state, *self.finer(first, steps, every))[0]

    def run_law(
        self, state: NDArray, task: FusedTask, wrenches: NDArray | None = None, before: NDArray | None = None
    ) -> FusedRun:
        nothing = np.full(self.joints, np.nan)
        commanded = "torque" if task.torques else "position"
        lead = hold_command(
            self.gains, Command(nothing, nothing, nothing, nothing)._replace(**{commanded: task.target})
        )
        return planar_law_rollout(
            self.model, self.gains, lead, task, planar_wrenches(wrenches), np.ascontiguousarray(state), self.substeps
        )

    def finer(self, first: int, steps: int, every: int) -> tuple[int, float, int, int]:
        """Return first step, step [s], steps and steps per sample, counted in Runge-Kutta steps."""
        fine = self.substeps
        return first * fine, self.step / fine, steps * fine, every * fine

    def check_wrenches(self, wrenches: NDArray) -> None:
        planar_wrenches(wrenches)

    def lanes_key(self, motion: Motion) -> tuple[Any, ...] | None:
        """Return a key shared by runs that can be batched in lanes; None for a run that cannot be batched.

        Engines of the same body, world and step share one model, so comparing model identities is fastest.
        """
        plain = type(self.gains) is StiffDrive and self.joints < MOST_LINKS and not len(self.model.hinges)
        return (type(self), id(self.model)) if plain and is_wave(motion) else None

    @classmethod
    def starts(cls, engines: Sequence[PlanarEngine], given: Sequence[Initial], motions: Sequence[Motion]) -> NDArray:
        if engines[0].lanes_key(motions[0]) is None or any(start is not AT_REST for start in given):
            return super().starts(engines, given, motions)
        return wave_starts(engines[0], motions)

    @classmethod
    def batch(
        cls,
        engines: Sequence[PlanarEngine],
        motions: Sequence[Motion],
        states: NDArray,
        steps: int,
        every: int,
        sampling: Sampling | None = None,
    ) -> dict[str, NDArray]:
        """Return the variables of planar_lanes.KEPT (runs, samples + 1, ...) at time 0 and every `every` steps.

        All runs must have the same lanes_key. Results of a run do not depend on the others. Values are NaN after a
        run diverged.
        """
        if engines[0].lanes_key(motions[0]) is not None:
            return in_lanes(engines, motions, states, steps, every, sampling)
        return stack_runs([alone(*run, steps, every) for run in zip(engines, motions, states)])

    def joint_powers(self, log: Log) -> JointPowers:
        """Return the joint torques and the powers of the drives at the samples."""
        q, dq, motors, rates = (
            self.layout.part(log.states, name) for name in ("joints", "joint_rates", "motors", "motor_rates")
        )
        if self.driven:
            motor = (motors, rates) if motors.size else (q, dq)
            return JointPowers(*driven_torques(self.gains, log.commands, (q, dq), motor))
        wanted = acceleration(q, dq, log.commands, self.step)
        wrenches = sampled_wrenches(log)
        torque = prescribed_torques(self.model, np.ascontiguousarray(log.states), wanted, wrenches)
        return JointPowers(torque, torque * dq, np.zeros_like(torque))

    def computed(self, name: str, moment: Moment) -> NDArray | None:
        if name == "joint_torque":
            return moment.once(self.joint_powers).torque
        if name == "accelerometer":
            return moment.once(self.felt)
        return OF_FRAMES[name](moment.once(self.frames)) if name in OF_FRAMES else None

    def felt(self, log: Log) -> NDArray:
        """Return the specific forces at the link centres (samples, links, 3) [m/s^2]."""
        states, torque = np.ascontiguousarray(log.states), self.joint_powers(log).torque
        return sample_quantities(self.model, states, torque, sampled_wrenches(log))[3]

    def frames(self, log: Log) -> NDArray:
        """Return poses and rates of the link frames (samples, links, 6)."""
        return link_frames(self.model, np.ascontiguousarray(log.states))

    def own_variables(self, log: Log) -> dict[str, NDArray]:
        found = planar_variables(self.model, self.layout, log.states, self.joint_powers(log), sampled_wrenches(log))
        found |= self.spring_variables(log.states)
        return over_intervals(log.times, found | account_variables(self.layout, log.states))


class Body:
    """Robot without its drive; cells of a sweep often share everything but the drive."""

    def __init__(self, robot: PlanarRobot, driven: bool):
        self.robot, self.driven = robot, driven
        kind: Any = type(robot)
        values = vars(robot)
        self.key = (kind, driven, *(values[name] for name in fields_beside_drive(kind)))

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Body) and self.key == other.key


@lru_cache(maxsize=64)
def fields_beside_drive(robot: type) -> tuple[str, ...]:
    """Return the field names of a robot class, except the drive."""
    return tuple(field.name for field in fields(robot) if field.name != "drive")


@lru_cache(maxsize=64)
def model_of(body: Body, world: Any, step: float) -> tuple[PlanarModel, int]:
    """Return the chain in its medium and the Runge-Kutta steps per step; cached for the cells of a sweep."""
    chain = chain_of(body.robot)
    substeps = whole_number(f"{type(world).__name__}.substeps()", world.substeps(chain, step), 1, MOST_SUBSTEPS)
    hinges = planar_hinges(body.robot, step / substeps, body.driven)
    return planar_model(chain, medium_of(world, chain), hinges, body.robot.rail_point), substeps


@lru_cache(maxsize=64)
def layout_of(accounts: int, **parts: int) -> Layout:
    """Return the layout of a chain's state."""
    return Layout(**parts, accounts=accounts)


def planar_wrenches(wrenches: NDArray | None) -> NDArray:
    """Convert wrenches (..., links, 6) to (..., links, 3), force x, y and moment about z; None to (0, 3)."""
    if wrenches is None:
        return np.zeros((0, 3))
    given = np.asarray(wrenches, dtype=float)
    beside = given[..., 2:5]
    if np.any(beside != 0.0):
        wrong = float(beside.flat[np.argmax(np.abs(beside))])
        raise InvalidValue("push", wrong, "in the plane: forces along x and y, moments about z")
    return np.ascontiguousarray(given[..., (0, 1, 5)])


def sampled_wrenches(log: Log) -> NDArray:
    """Return the wrenches at the samples (samples, links, 3), or (samples, 0, 3) without wrenches."""
    return np.zeros((len(log.states), 0, 3)) if log.wrenches is None else planar_wrenches(log.wrenches)
