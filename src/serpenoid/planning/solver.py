"""Trajectory optimisation: one compiled call from a state to a Plan."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Real
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.base import Command
from serpenoid.control.own_shapes import in_a_line
from serpenoid.errors import InvalidValue, positive, require, whole_number
from serpenoid.kernels.ilqr import solve as ilqr
from serpenoid.kernels.ilqr.backward import pad_size
from serpenoid.kernels.ilqr.costs import MOST_RESIDUALS, Knot
from serpenoid.kernels.ilqr.dynamics import CYCLIC, PlanarDynamics, planar_dynamics_work
from serpenoid.kernels.ilqr.forward import predict
from serpenoid.kernels.ilqr.peg_dynamics import PegDynamics, peg_dynamics_work, predict_pegs
from serpenoid.kernels.ilqr.work import Outcome, Task, new_work
from serpenoid.kernels.planar.chain import PlanarModel, planar_model
from serpenoid.kernels.planar.media import LAWS
from serpenoid.kernels.reference import by_reference
from serpenoid.kernels.segments import segment_distance
from serpenoid.planning.compiled import solver_kernel
from serpenoid.planning.costs import Obstacle, terms
from serpenoid.planning.problem import Problem
from serpenoid.support.kernel_inputs import medium_of, numbers
from serpenoid.worlds.peg_board import PegBoard
from serpenoid.worlds.peg_scene import Frames, longest_step, peg_scene

# Weights of the regularisation on the state: positions and angles, velocities and rates.
POSITION_DAMPING, VELOCITY_DAMPING = 0.0, 1e-3
RECEDING_FLOOR = 0.3  # least regularisation if plans are truncated at every tick
NUDGE = 0.15  # fraction of the torque limit that leaves a stationary start; below 0.1 it fails with a path cost
TOLERANCE = 1e-9
CONTACT_STEP = 0.002  # longest integration step of a plan through contact [s]
MOST_MEMORY = 4e9  # of the arrays of a plan [bytes]
CURVED_FROM = 20  # latest iteration from which a solve without a deadline includes the dynamics' curvature

REASONS = {
    ilqr.CONVERGED: "converged: no step reduces the cost",
    ilqr.ITERATIONS: "stopped at the iteration limit",
    ilqr.DEADLINE: "stopped by the deadline",
    ilqr.NO_DESCENT: "stopped: no step length lowers the cost",
    ilqr.NOT_FINITE: "no plan: the cost of the start is not finite",
}


@dataclass(frozen=True)
class Plan:
    """Torques over the horizon with the resulting states, and statistics of the solve."""

    states: NDArray
    """(horizon + 1, states) centre of mass, heading, joint angles, and their rates"""
    torques: NDArray
    """(horizon, joints) [N m]"""
    gains: NDArray
    """(horizon, joints, states): torque + gain (state - planned state) tracks the plan"""
    cost: float
    """sum over the knots"""
    converged: bool
    """whether no step reduces the cost at the least regularisation"""
    reason: str
    """why the solve ended, and any problem with the start"""
    iterations: int
    """completed iterations"""
    seconds: float
    """duration of the solve [s]"""

    def torque(self, knot: int, state: NDArray) -> NDArray:
        """Return the torque at a knot with feedback on the state."""
        return self.torques[knot] + self.gains[knot] @ (np.asarray(state) - self.states[knot])


class Planner:
    """A problem prepared for repeated solves: records and work arrays that are reused."""

    def __init__(self, problem: Problem, floor: float = 0.0):
        chain = problem.pieces.chain
        check_memory(problem)
        self.problem, self.floor = problem, floor
        self.model = planar_model(chain, medium_of(problem.smooth_world, chain))
        self.costs = problem.cost_record()
        self.dynamics, space, cyclic = dynamics_of(problem, self.model)
        self.work = new_work(problem.horizon, problem.states, problem.joints, reach(self.model), space, cyclic)
        self.work.memory[0] = floor
        self.lower, self.upper = problem.torque_limits()
        half = problem.states // 2
        self.damping = np.repeat([POSITION_DAMPING, VELOCITY_DAMPING], half)
        self.holding = holding_gain(problem, self.work.gains.shape[1:])
        self.nudge = nudge(self.lower, self.upper, problem.horizon)
        for term in terms(problem.cost):
            if type(term).Record is not None:
                check_residuals(term, self.work.knot)
        self.referred = by_reference(self.dynamics), by_reference(self.work)
        self.kernel = solver_kernel(problem.user_costs())

    def solve(self, state: NDArray, time: float, iterations: int, deadline: float, tolerance: float) -> Outcome:
        """Improve the plan in the work arrays, which is the initial guess, from a state."""
        self.work.start[:] = state
        curved = math.isinf(deadline) and not self.problem.through_contact
        curved_from = CURVED_FROM if curved else iterations
        task = Task(
            float(time), self.problem.step, self.lower, self.upper, self.damping, self.floor, self.nudge,
            iterations, curved_from, tolerance, float(deadline),
        )  # fmt: skip
        dynamics, work = self.referred
        return Outcome(*self.kernel(dynamics, self.costs, task, work))

    def guess(self, torques: NDArray) -> None:
        """Start the next solve from torques (horizon, joints), without the feedback of an earlier plan."""
        self.work.controls[:] = torques
        self.work.gains[:] = 0.0
        self.work.states[:] = 0.0

    def choose_guess(self, state: NDArray, time: float, guesses: Iterable[NDArray], seconds: float = math.inf) -> bool:
        """Replace the plan by the best of some guesses if that costs less from a state; return whether it does.

        Guesses are angles (horizon, joints) that drives among pegs track. None is tried after the given time [s].
        """
        start = perf_counter()
        work, joints = self.work, self.problem.joints
        parts = (work.states, work.controls, work.gains, work.feedforward)
        kept = [part.copy() for part in parts]
        least, better = self.solve(state, time, 0, math.inf, TOLERANCE).cost, False
        least = least if math.isfinite(least) else math.inf
        for angles in guesses:
            if perf_counter() - start > seconds:
                break
            work.states[:] = 0.0
            work.states[:-1, 3 : 3 + joints], work.controls[:] = angles, 0.0
            work.gains[:], work.feedforward[:] = self.holding, 0.0
            found = self.solve(state, time, 0, math.inf, TOLERANCE).cost
            if found < least:
                least, better = found, True
                kept = [part.copy() for part in parts]
        for part, values in zip(parts, kept):
            part[:] = values
        return better

    def shift(self, count: int) -> None:
        """Start warm after `count` knots were applied: the rest of the plan, then its last torque repeated."""
        work, horizon = self.work, self.problem.horizon
        kept = np.arange(count, horizon + count)
        work.controls[:] = work.controls[np.minimum(kept, horizon - 1)]
        work.gains[:] = work.gains[np.minimum(kept, horizon - 1)]
        work.gains[max(0, horizon - count) :] = self.holding
        work.feedforward[:] = 0.0
        work.states[:-1] = work.states[np.minimum(kept, horizon)]

    def predict(self, state: NDArray, torques: NDArray) -> NDArray:
        """Predict the state after torques (steps, joints) [N m], constant over each step, with the planner's model."""
        ahead = np.empty(self.problem.states)
        run = predict_pegs if self.problem.through_contact else predict
        run(*self.referred, np.asarray(state, dtype=float), np.asarray(torques, dtype=float), ahead)
        return ahead

    def command(self, knot: int) -> Command:
        """Return the command of a knot: torques, or among pegs the angles that the drives track.

        Joints that are not planned are held at 0.
        """
        work, problem = self.work, self.problem
        command, knot = Command.empty(problem.robot.joints), min(knot, problem.horizon - 1)
        if not problem.through_contact:
            return command._replace(torque=work.controls[knot].copy())
        moving, torque, joints = problem.pieces.joints, work.controls[knot], problem.joints
        stiffness = problem.robot.drive.joint_stiffness(problem.robot.joints)[moving]
        tracks = stiffness > 0.0
        angle = work.states[knot, 3 : 3 + joints] + torque / np.where(tracks, stiffness, 1.0)
        command.position[:] = 0.0
        command.position[moving] = np.where(tracks, angle, np.nan)
        command.torque[moving] = np.where(tracks, np.nan, torque)
        return command

    def plan(self, outcome: Outcome) -> Plan:
        """Return a copy of the plan in the work arrays."""
        work = self.work
        found = outcome.status != ilqr.NOT_FINITE
        torques = work.controls.copy() if found else np.zeros_like(work.controls)
        gains = work.gains[:, :, : work.states.shape[1]].copy()
        gains *= outcome.iterations > 0
        notes = [REASONS[outcome.status], *touching(self.problem, self.model, work.states[0])]
        if outcome.status == ilqr.DEADLINE and not outcome.iterations:
            notes[0] = "the deadline is too short for one iteration: this is the initial guess, rolled out"
        return Plan(
            work.states.copy(), torques, gains, float(outcome.cost), outcome.status == ilqr.CONVERGED,
            "; ".join(notes), int(outcome.iterations), float(outcome.seconds),
        )  # fmt: skip


def dynamics_of(problem: Problem, model: PlanarModel) -> tuple[Any, Any, int]:
    """Return the dynamics of a problem, their working arrays, and the number of cyclic states."""
    step = float(problem.step)
    if not problem.through_contact:
        return PlanarDynamics(model, step, *substeps(model, step)), planar_dynamics_work(model), CYCLIC
    robot, pieces, world = problem.robot, problem.pieces, problem.world
    assert isinstance(world, PegBoard)
    scene = peg_scene(robot, pieces, Frames.of(robot, pieces), world)
    record = robot.drive.record(robot.joints)
    drive = type(record)(*(np.ascontiguousarray(part[pieces.joints]) for part in record))
    longest = min(CONTACT_STEP, longest_step(scene, drive.stiffness))
    count = math.ceil(step / longest - 1e-9)
    width = pad_size(problem.states + problem.joints)
    return PegDynamics(scene, drive, model.shift, step / count, count), peg_dynamics_work(scene, width), 0


def holding_gain(problem: Problem, shape: tuple[int, ...]) -> NDArray:
    """Return the gain (joints, padded) of knots without a plan: drives among pegs hold their targets."""
    gain = np.zeros(shape)
    if problem.through_contact:
        joints = problem.pieces.joints
        stiffness = problem.robot.drive.joint_stiffness(problem.robot.joints)[joints]
        gain[np.arange(joints.size), 3 + np.arange(joints.size)] = -stiffness
    return gain


def check_memory(problem: Problem) -> None:
    """Raise if the arrays of a plan are larger than a computer's memory."""
    z = problem.states + problem.joints
    needed = 8.0 * problem.horizon * (problem.states * z + 2 * z * z)
    most = int(problem.horizon * MOST_MEMORY / needed)
    require(needed <= MOST_MEMORY, "horizon", problem.horizon, f"at most {most} with {problem.joints} joints")


def touching(problem: Problem, model: PlanarModel, state: NDArray) -> list[str]:
    """Return a remark for every obstacle that overlaps the snake."""
    points = link_ends(model, state)
    remarks = []
    for i, obstacle in enumerate(problem.obstacles):
        gap = min(clearance(a, b, obstacle, problem.body_radius) for a, b in zip(points, points[1:]))
        if gap < 0.0:
            remarks.append(f"the snake starts {-gap:.3g} m inside obstacle {i}")
    return remarks


def clearance(front: NDArray, back: NDArray, obstacle: Obstacle, body_radius: float) -> float:
    """Return the distance [m] between a link's skin and an obstacle's surface, negative inside.

    front, back: ends of the link's centre line.
    """
    ends = (np.array(obstacle.start, dtype=float), np.array(obstacle.other_end, dtype=float))
    return segment_distance(front, back, *ends)[0] - obstacle.radius - body_radius


def solve(
    problem: Problem,
    state: NDArray,
    deadline: float | None = None,
    iterations: int = 1000,
    guess: NDArray | None = None,
    tolerance: float = TOLERANCE,
) -> Plan:
    """Plan from a state; the guess (horizon, joints) is a sequence of torques, zero if not given.

    With a deadline [s] the best plan found in time is returned, with that reason. Without one, the curvature of the
    dynamics is included after 20 iterations at the latest. This is slow, converges in most cases, and leaves the
    saddles of the dynamics. A straight snake at rest with the goal ahead is a stationary point. There the planner
    starts from a small fixed wave of torque, first bend to the left.
    """
    planner = Planner(problem)
    state = checked_state(problem, state)
    if guess is not None:
        planner.guess(checked_guess(problem, guess))
    limit = math.inf if deadline is None else positive("deadline", deadline)
    whole_number("iterations", iterations, least=1, most=1_000_000)
    if deadline is not None:
        planner.solve(state, 0.0, 0, math.inf, tolerance)  # compiles before the deadline starts
    return planner.plan(planner.solve(state, 0.0, iterations, limit, tolerance))


def check_residuals(cost: Any, knot: Knot) -> None:
    """Evaluate the residuals of a user's cost once in Python, where an index out of bounds raises an error."""
    field, rng = f"{type(cost).__name__}.residuals()", np.random.default_rng(0)
    names = ("state", "torque", "points", "direction")
    read: dict[str, Any] = {name: rng.uniform(0.1, 0.9, np.shape(getattr(knot, name))) for name in names}
    for final in (False, True):
        try:
            found = type(cost).residuals(cost.record(), knot._replace(final=final, **read))
        except Exception as error:  # a user's formula may raise anything
            raise InvalidValue(field, in_a_line(error), "computable from a knot of this robot") from None
        parts = found if isinstance(found, tuple) else (found,)
        good = 1 <= len(parts) <= MOST_RESIDUALS and all(isinstance(part, Real) for part in parts)
        require(good, field, found, f"a number or a tuple of up to {MOST_RESIDUALS} numbers")


def substeps(model: PlanarModel, step: float) -> tuple[int, int]:
    """Return the number of substeps of a step in the model's medium, and of coarse ones for extrapolation (0: none)."""
    law = LAWS[model.medium.kind]
    if law.extrapolated:
        coarse = math.ceil(step / (3.0 * law.longest_substep) - 1e-9)
        return 3 * coarse, coarse
    return math.ceil(step / law.longest_substep - 1e-9), 0


def checked_state(problem: Problem, state: Any) -> NDArray:
    """Return a state as an array; raise InvalidValue for a wrong size."""
    return numbers("state", state, (problem.states,))


def checked_guess(problem: Problem, guess: Any) -> NDArray:
    """Return a guess as an array; raise InvalidValue for a wrong size."""
    return numbers("guess", guess, (problem.horizon, problem.joints))


def reach(model: PlanarModel) -> NDArray:
    """Return reach (n + 1, n): link ends lie at sum_k reach_jk e_k from the centre of mass [m]."""
    length = model.chain.length
    links = length.size
    return np.tril(np.broadcast_to(length, (links + 1, links)), -1) - model.shift


def link_ends(model: PlanarModel, state: NDArray) -> NDArray:
    """Return the ends of the links (n + 1, 2) from the head's tip to the tail's [m]."""
    angles = np.cumsum(state[2 : 2 + model.shift.size])
    return state[:2] + reach(model) @ np.column_stack([np.cos(angles), np.sin(angles)])


def nudge(lower: NDArray, upper: NDArray, horizon: int) -> NDArray:
    """Return a small wave of torque that travels down the body once per horizon and first bends the head left."""
    joints = lower.size
    phase = np.arange(horizon)[:, None] / horizon - np.arange(joints) / (joints + 1)
    size = NUDGE * np.maximum(-lower, upper)
    return np.clip(size * np.sin(2.0 * np.pi * (phase + 0.25)), lower, upper)
