"""The receding-horizon controller: plan, carry out the first torques, plan again from where the robot then is."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from time import thread_time

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.base import Command, Controller, Observation
from serpenoid.errors import positive, require, whole_number
from serpenoid.kernels.ilqr import solve as ilqr
from serpenoid.kernels.ilqr.work import Outcome
from serpenoid.planning.problem import Problem
from serpenoid.planning.solver import RECEDING_FLOOR, TOLERANCE, Plan, Planner


@dataclass
class Memory:
    """What a controller keeps between its commands."""

    planner: Planner | None = None
    outcome: Outcome | None = None
    used: int = 0  # torques of the plan that have been commanded
    given: list[NDArray] = field(default_factory=list)  # the torques that have not yet begun to act, oldest first
    times: list[float] = field(default_factory=list)  # [s] of the plans
    seconds: list[float] = field(default_factory=list)  # each solve took, by the clock
    processor: list[float] = field(default_factory=list)  # each solve took, of the processor [s]
    iterations: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class RecedingHorizon(Controller):
    """Plans at every control period (or every few), starting from the rest of the last plan."""

    problem: Problem
    """what is to be planned; its step must be the control period"""
    iterations: int = 4
    """iterations per plan at most; those after 20 count the curvature of the dynamics unless there is a deadline"""
    deadline: float | None = None
    """time for a plan [s]; none: its iterations are always completed, and a run repeats bit for bit"""
    actions: int = 1
    """how many torques of a plan are carried out before the next plan"""
    delay: int = 0
    """ticks until a command acts; the state is predicted ahead by so many with the torques already given"""
    memory: Memory = field(default_factory=Memory, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        require(isinstance(self.problem, Problem), "problem", self.problem, "a Problem")
        whole_number("iterations", self.iterations, least=1, most=10_000)
        whole_number("actions", self.actions, least=1, most=self.problem.horizon)
        whole_number("delay", self.delay, least=0, most=100)
        if self.deadline is not None:
            positive("deadline", self.deadline)

    def reset(self) -> None:
        """Forget all plans; compiles now, so that no deadline has to pay for it."""
        idle = [np.zeros(self.problem.robot.joints)] * self.delay
        memory = Memory(planner=Planner(self.problem, RECEDING_FLOOR), given=idle)
        assert memory.planner is not None
        rest = np.zeros(self.problem.states)
        memory.planner.predict(rest, np.zeros((0, self.problem.robot.joints)))
        memory.planner.solve(rest, 0.0, 0, math.inf, TOLERANCE)
        vars(self.memory).update(vars(memory))

    def command(self, observation: Observation) -> Command:
        """The torque for this period; from the last plan where the observation or the new plan is not finite."""
        if self.memory.planner is None:
            self.reset()
        if self.memory.outcome is None or self.memory.used >= self.actions:
            self.replan(observation)
        torque = self.planner.work.controls[min(self.memory.used, self.problem.horizon - 1)].copy()
        self.memory.used += 1
        self.memory.given = [*self.memory.given, torque][1:] if self.delay else []
        return Command.empty(torque.size)._replace(torque=torque)

    @property
    def planner(self) -> Planner:
        """The planner at work."""
        assert self.memory.planner is not None
        return self.memory.planner

    @property
    def plan(self) -> Plan:
        """A copy of the plan in force."""
        if self.memory.outcome is None:
            self.reset()
            self.memory.outcome = self.planner.solve(np.zeros(self.problem.states), 0.0, 0, math.inf, TOLERANCE)
        return self.planner.plan(self.memory.outcome)

    def replan(self, observation: Observation) -> None:
        """Shift the last plan by what was carried out and improve it from where its first torque will act."""
        memory, work = self.memory, self.planner.work
        ilqr.shift_plan(work, memory.used)
        memory.used = 0
        state = observed_state(self.planner.model, observation)
        if not np.isfinite(state).all():
            return
        held, states = work.controls.copy(), work.states.copy()
        limit = math.inf if self.deadline is None else self.deadline
        start = thread_time()
        if self.delay:
            state = self.planner.predict(state, np.array(memory.given))
        begin = observation.time + self.delay * self.problem.step
        outcome = self.planner.solve(state, begin, self.iterations, limit, TOLERANCE)
        memory.processor.append(thread_time() - start)
        memory.times.append(observation.time)
        memory.seconds.append(outcome.seconds)
        memory.iterations.append(outcome.iterations)
        if outcome.status == ilqr.NOT_FINITE or not np.isfinite(work.controls).all():
            work.controls[:], work.states[:] = held, states
        memory.outcome = outcome


def observed_state(model: object, observation: Observation) -> NDArray:
    """The planner's state from what a robot tells: pose and twist of the head, joint angles and rates."""
    pose, twist = observation.base_pose, observation.base_twist
    heading = 2.0 * math.atan2(pose[6], pose[3])
    c, s = math.cos(heading), math.sin(heading)
    angles = heading + np.r_[0.0, np.cumsum(observation.joint_position)]
    rates = twist[5] + np.r_[0.0, np.cumsum(observation.joint_velocity)]
    shift = model.shift  # type: ignore[attr-defined]
    arm_x, arm_y = shift * np.cos(angles), shift * np.sin(angles)
    return np.concatenate([
        [pose[0] + arm_x.sum(), pose[1] + arm_y.sum(), heading], observation.joint_position,
        [c * twist[0] - s * twist[1] - arm_y @ rates, s * twist[0] + c * twist[1] + arm_x @ rates, twist[5]],
        observation.joint_velocity,
    ])  # fmt: skip
