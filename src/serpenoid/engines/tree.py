"""Engine of trees: compiled RK4 of a floating or fixed tree in momentum coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.base import Command
from serpenoid.engines.accounts import account_variables, over_intervals
from serpenoid.engines.base import Engine, Initial, Log, Moment
from serpenoid.engines.command_tracking import acceleration as followed_acceleration
from serpenoid.engines.command_tracking import drive_gains, driven_torques, hold_command
from serpenoid.engines.hinges import hinge_table
from serpenoid.engines.layout import Layout, hashable
from serpenoid.engines.starts import start_pose
from serpenoid.engines.tree_lanes import base_motions, fits_lanes, poses_alone, poses_in_lanes
from serpenoid.engines.tree_record import SURVEYED, tree_variables
from serpenoid.errors import InvalidValue
from serpenoid.kernels.accounts import ACCOUNTS, DAMPING
from serpenoid.kernels.laws.drive import motor_numbers
from serpenoid.kernels.records import Motion, Tree
from serpenoid.kernels.tree.drive import driven_accelerations, driven_rollout
from serpenoid.kernels.tree.samples import Survey, resting_twist, survey_states
from serpenoid.kernels.tree.scene import NO_WRENCHES
from serpenoid.kernels.tree.step import prescribed_rollout
from serpenoid.robots.base import TreeRobot
from serpenoid.support.kernel_inputs import environment_of, still_water, tree_of


def hinged_tree(robot: TreeRobot, step: float) -> Tree:
    """Return the robot's bodies, with friction and end stops of its hinges."""
    tree = tree_of(robot)
    return tree._replace(hinges=hinge_table(robot, tree, step, not robot.drive.prescribed))


class TreeEngine(Engine):
    """Simulates a tree of bodies in a world that provides its environment as a record."""

    name: ClassVar[str] = "tree"

    def __init__(self, robot: TreeRobot, world: Any, step: float):
        super().__init__(robot, world, step)
        self.tree = hinged_tree(robot, step)
        self.environment = environment_of(world, robot)
        self.gravity = np.array(world.gravity_vector)
        self.joints = robot.joints
        self.gains = drive_gains(robot, self.name)
        self.driven = self.gains is not None
        motors = self.joints * motor_numbers(self.gains) // 2 if self.driven else 0
        self.layout = Layout(
            base_pose=7, joints=self.joints, base_twist=6, joint_rates=self.joints, motors=motors, motor_rates=motors,
            impulses=self.joints, squares=self.joints, works=self.joints, accounts=ACCOUNTS,
        )  # fmt: skip

    def start_state(self, given: Initial, position: NDArray, velocity: NDArray, turn: float) -> NDArray:
        rest = given.base_pose or self.world.resting_pose(self.robot, position)
        pose = start_pose(rest, 0.0 if self.tree.fixed_base else turn)
        twist = self.initial_twist(given, position, velocity)
        return self.state_of_parts(base_pose=pose, joints=position, base_twist=twist, joint_rates=velocity)

    def initial_twist(self, given: Initial, position: NDArray, velocity: NDArray) -> NDArray:
        """Return the given twist, or the one with zero total momentum; zero for a fixed base."""
        if self.tree.fixed_base:
            if given.base_twist is not None and any(given.base_twist):
                raise InvalidValue("base_twist", given.base_twist, "zero for a base that is fixed in the world")
            return np.zeros(6)
        if given.base_twist is not None:
            return np.array(given.base_twist, dtype=float)
        return resting_twist(self.tree, still_water(self.environment), position, velocity)

    def direct(self, name: str, state: NDArray) -> NDArray | None:
        own = name in ("base_pose", "base_twist")
        return self.layout.part(state, name).copy() if own else super().direct(name, state)

    def run(self, first: int, state: NDArray, lead: Any, steps: int, every: int, wrenches: NDArray | None) -> NDArray:
        kernel = prescribed_rollout if isinstance(lead, Motion) else driven_rollout
        outside = NO_WRENCHES if wrenches is None else np.ascontiguousarray(wrenches, dtype=float)
        state = np.ascontiguousarray(state)
        return kernel(self.tree, self.environment, lead, state, first, steps, every, self.step, outside)

    def lanes_key(self, motion: Motion) -> tuple[Any, ...] | None:
        """Return a key shared by runs that can be batched in lanes; None for a run that cannot be batched."""
        fits = fits_lanes(self, motion) and hashable(self.robot, self.world)
        return (type(self), self.robot, self.world, self.step) if fits else None

    @classmethod
    def batch(
        cls, engines: Sequence[TreeEngine], motions: Sequence[Motion], states: NDArray, steps: int, every: int
    ) -> dict[str, NDArray]:
        """Return base_pose, roll, pitch and heave (runs, samples + 1, ...) at time 0 and every `every` steps.

        All runs must have the same lanes_key. Values are NaN after a run diverged. A single run does not use lanes.
        """
        if len(engines) > 1 and engines[0].lanes_key(motions[0]) is not None:
            poses = poses_in_lanes(engines[0], motions, states, steps, every)
        else:
            poses = np.array([poses_alone(*run, steps, every) for run in zip(engines, motions, states)])
        return base_motions(np.concatenate([states[:, None, :7], poses], axis=1))

    def survey(self, log: Log) -> Survey:
        """Return energies, momenta, torques and sensor readings at the samples."""
        states, wanted = np.ascontiguousarray(log.states), np.ascontiguousarray(self.accelerations(log))
        outside = np.zeros((0, 0, 6)) if log.wrenches is None else np.ascontiguousarray(log.wrenches, dtype=float)
        times = np.ascontiguousarray(log.times, dtype=float)
        return survey_states(self.tree, self.environment, self.gravity, times, states, wanted, outside)

    def computed(self, name: str, moment: Moment) -> NDArray | None:
        field = SURVEYED.get(name)
        return None if field is None else getattr(moment.once(self.survey), field)

    def accelerations(self, log: Log) -> NDArray:
        """Return the joint accelerations at the samples (samples, joints) [rad/s^2]."""
        if self.gains is None:
            angles, rates = self.layout.part(log.states, "joints"), self.layout.part(log.states, "joint_rates")
            return followed_acceleration(angles, rates, log.commands, self.step)
        out = np.empty((len(log.states), self.joints))
        for i, state in enumerate(np.ascontiguousarray(log.states)):
            lead = hold_command(self.gains, Command(*(part[i] for part in log.commands)))
            outside = NO_WRENCHES if log.wrenches is None else np.ascontiguousarray(log.wrenches[i], dtype=float)
            time = float(log.times[i])
            driven_accelerations(self.tree, self.environment, lead, time, state, outside, out[i])
        return out

    def own_variables(self, log: Log) -> dict[str, NDArray]:
        survey = self.survey(log)
        found = tree_variables(self.layout, log.states, survey, float(self.tree.mass.sum()))
        found |= self.drive_variables(log)
        found |= account_variables(self.layout, log.states)
        return over_intervals(log.times, found) | self.world.variables(self.robot, log.times, survey.links)

    def drive_variables(self, log: Log) -> dict[str, NDArray]:
        """Return the powers of motors behind springs, instead of those at the joints, and the energy of the springs."""
        found = self.spring_variables(log.states)
        if found:
            parts = (self.layout.part(log.states, n) for n in ("joints", "joint_rates", "motors", "motor_rates"))
            q, dq, motors, rates = parts
            _, power, lost = driven_torques(self.gains, log.commands, (q, dq), (motors, rates))
            found["power"] = np.abs(power).sum(axis=1)
            found["power_drive"] = power.sum(axis=1)
            found["power_damping"] = lost.sum(axis=1) + self.survey(log).powers[:, DAMPING]
        return found
