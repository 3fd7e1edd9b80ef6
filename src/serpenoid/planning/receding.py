"""Receding-horizon control: plan, apply the first torques, plan again from the new state."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace
from time import perf_counter, thread_time
from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import at_least, between, check_fields, usual
from serpenoid.control.base import Command, Controller, Observation, Signal
from serpenoid.control.landmarks import Landmarks
from serpenoid.errors import InvalidValue, require
from serpenoid.kernels.ilqr import solve as ilqr
from serpenoid.planning.costs import Cost
from serpenoid.planning.estimators import Estimator, Place, TrueState, head_place
from serpenoid.planning.problem import Problem
from serpenoid.planning.solver import RECEDING_FLOOR, TOLERANCE, Plan, Planner
from serpenoid.robots.base import Robot
from serpenoid.worlds.base import World

if TYPE_CHECKING:
    from serpenoid.kernels.planar.chain import PlanarModel

GUESSING = 0.5  # largest fraction of the deadline for trying guesses


@dataclass(frozen=True)
class RecedingHorizon(Controller):
    """A planner called every control period (or every few), warm-started with the rest of the last plan."""

    problem: Problem
    """planning problem; its step must be the control period"""
    iterations: Annotated[int, between(1, 10_000, usual=(1, 10))] = 4
    """maximum iterations per plan; those after 20 include the curvature of the dynamics unless there is a deadline"""
    deadline: Annotated[float | None, between(1e-9, 1e3, usual=(0.002, 0.05))] = None
    """time limit of a plan [s]; none: all iterations are completed, and a run repeats bit for bit"""
    actions: Annotated[int, between(1, 1000, usual=(1, 5))] = 1
    """number of torques of a plan that are applied before the next plan"""
    delay: Annotated[int, between(0, 100, usual=(0, 5))] = 0
    """latency of a command in ticks; the state is predicted over it with the torques already sent"""
    estimator: Estimator = TrueState()
    """source of the state from which plans start"""
    place: Annotated[Place, usual(-5.0, 5.0)] = (0.0, 0.0, 0.0)
    """known x, y [m] and heading [rad] of the head at the start, for estimators"""
    regularisation: Annotated[float, at_least(0.0, usual=(0.1, 1.0), most=1e6)] = RECEDING_FLOOR
    """least regularisation of a plan, as a multiple of the solver's weights on the state"""

    def __post_init__(self) -> None:
        require(isinstance(self.problem, Problem), "problem", self.problem, "a Problem")
        check_fields(self)
        horizon = self.problem.horizon
        require(self.actions <= horizon, "actions", self.actions, f"at most the horizon, {horizon} steps")

    @property
    def needs_truth(self) -> bool:  # type: ignore[override]
        """True if the estimator reads quantities that only simulations have."""
        return self.estimator.needs_truth

    def start(self, robot: Robot, period: float, rng: np.random.Generator) -> RecedingLaw:
        if abs(period - self.problem.step) > 1e-9:
            raise InvalidValue("problem.step", self.problem.step, f"the control period {period:g} s")
        return RecedingLaw(self, rng)

    def landmarks(self) -> Landmarks:
        """Return goals, route and obstacles of the plans."""
        return self.problem.landmarks()


class RecedingLaw:
    """State of a receding-horizon controller: the current plan, and the number of torques applied."""

    def __init__(self, controller: RecedingHorizon, rng: np.random.Generator):
        self.controller, self.problem = controller, controller.problem
        self.planner = Planner(self.problem, controller.regularisation)
        # Compile now, so that compilation does not count against a deadline.
        rest, idle = np.zeros(self.problem.states), np.zeros(self.problem.joints)
        if controller.delay:
            self.planner.predict(rest, np.zeros((0, idle.size)))
        self.outcome = self.planner.solve(rest, 0.0, 0, math.inf, TOLERANCE)
        self.tracker = controller.estimator.start(self.planner, controller.place, rng)
        self.state = rest  # at the last tick
        # the torque that acted in the last period, then those that do not act yet
        self.given = deque([idle] * (controller.delay + 1), maxlen=controller.delay + 1)
        self.used = controller.actions  # torques of the plan that were commanded; no plan at first
        self.solved = False  # whether the last tick computed a plan
        self.adopted = 0  # plans that began with a guess
        self.processor = math.nan  # processor time of the last plan [s]

    def __call__(self, observation: Observation, guesses: Iterable[NDArray] | None = None) -> Command:
        """Return the command for this period, from the last plan if the observation or the new plan is not finite.

        guesses: angles (horizon, joints) of the planned joints among pegs. A new plan starts from the best of them and
        of the rest of the last plan. They may be computed on demand, which counts against the deadline.
        """
        self.solved = False
        self.state = self.tracker(observation, self.given[0])
        if self.used >= self.controller.actions:
            self.replan(observation.time, guesses)
        knot = min(self.used, self.problem.horizon - 1)
        self.used += 1
        self.given.append(self.planner.work.controls[knot].copy())
        return self.planner.command(knot)

    @property
    def plan(self) -> Plan:
        """Return a copy of the current plan."""
        return self.planner.plan(self.outcome)

    def replan(self, time: float, guesses: Iterable[NDArray] | None) -> None:
        """Shift the last plan by the applied torques and improve it from the state at which its first torque will
        act.
        """
        work, delay = self.planner.work, self.controller.delay
        self.planner.shift(self.used)
        self.used = 0
        state = self.state
        if not np.isfinite(state).all():
            return
        held, states = work.controls.copy(), work.states.copy()
        limit = math.inf if self.controller.deadline is None else self.controller.deadline
        start = thread_time()
        if delay:
            state = self.planner.predict(state, np.array(self.given)[1:])
        begin = time + delay * self.problem.step
        tried = 0.0  # time of the guesses [s]
        if guesses is not None:
            clock = perf_counter()
            self.adopted += self.planner.choose_guess(state, begin, guesses, GUESSING * limit)
            tried = perf_counter() - clock
        found = self.planner.solve(state, begin, self.controller.iterations, max(limit - tried, 1e-9), TOLERANCE)
        self.outcome = found._replace(seconds=tried + found.seconds)
        self.processor, self.solved = thread_time() - start, True
        if self.outcome.status == ilqr.NOT_FINITE or not np.isfinite(work.controls).all():
            work.controls[:], work.states[:] = held, states

    def aim(self, cost: Cost) -> None:
        """Use another cost of the same kinds from the next plan on."""
        self.problem = replace(self.problem, cost=cost)
        self.planner.problem, self.planner.costs = self.problem, self.problem.cost_record()

    def move_to(self, world: World) -> None:
        """Plan in another world from the next plan on, starting from the present plan."""
        self.problem, before = replace(self.problem, world=world), self.planner.work
        self.planner = Planner(self.problem, self.controller.regularisation)
        work = self.planner.work
        for name in ("states", "controls", "gains", "feedforward", "memory"):
            getattr(work, name)[:] = getattr(before, name)

    def signals(self) -> dict[str, Signal]:
        """Return the planned path of the head and statistics of the solve; NaN at ticks without a new plan."""
        made = self.outcome if self.solved else None
        cost, iterations, seconds = (made.cost, made.iterations, made.seconds) if made else (math.nan,) * 3
        wall, processor = "wall-clock time of the plan made here", "processor time of the plan made here"
        path = head_path(self.planner.model, self.planner.work.states)
        place = np.append(head_place(self.planner.model, self.state), 0.0)
        return {
            "estimated_head": Signal(place, "m", "position of the head by the planner's estimator", ("axis",)),
            "plan_path": Signal(path, "m", "path of the head in the current plan", ("horizon", "axis")),
            "plan_cost": Signal(cost, "", "cost of the plan computed at this tick"),
            "plan_iterations": Signal(iterations, "", "iterations of the plan computed at this tick"),
            "solve_time": Signal(seconds, "s", wall, clock=True),
            "solve_processor_time": Signal(self.processor if self.solved else math.nan, "s", processor, clock=True),
        }


def head_path(model: PlanarModel, states: NDArray) -> NDArray:
    """Return positions (knots, 3) of the head's tip [m] at planned states (knots, states)."""
    return np.column_stack([head_place(model, states), np.zeros(len(states))])
