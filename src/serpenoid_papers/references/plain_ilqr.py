"""Plain iLQR of the MPC paper: explicit Euler, derivatives by finite differences, the head as base.

The state is the paper's: x, y and heading of the head, joint angles, then their rates. The library's planner uses the
centre of mass, a step of second order and analytic derivatives.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import thread_time
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.base import Command, Controller, Observation, Signal
from serpenoid.kernels.compile import kernel
from serpenoid.kernels.ilqr.box_qp import solve_box
from serpenoid.kernels.planar.chain import PlanarModel, forward_dynamics, planar_work
from serpenoid.planning import Problem
from serpenoid.planning.problem import LIMIT_MARGIN, LIMIT_WEIGHT
from serpenoid.planning.solver import RECEDING_FLOOR, VELOCITY_DAMPING, Planner
from serpenoid.robots.base import Robot

Integrator = Literal["euler_head", "euler_center", "planner"]
SHARES = np.array([1.0, 0.5, 0.25, 0.1, 0.03])  # step lengths of the line search
DIFFERENCE = 1e-5  # of central differences


@kernel
def accelerations(model, states, torques):
    """Return accelerations (count, n + 2) of centre of mass, heading and joints at states about the centre of mass."""
    links = model.shift.size
    work, out = planar_work(links), np.empty((states.shape[0], links + 2))
    for i in range(states.shape[0]):
        forward_dynamics(model, work, states[i], torques[i], out[i])
    return out


def arms(model: PlanarModel, angles: NDArray, rates: NDArray) -> tuple[NDArray, ...]:
    """Return the arm (count, 2) from the head to the centre of mass, its rate, and its acceleration at constant rates.

    angles, rates: heading and joints (count, links).
    """
    phi, spin = np.cumsum(angles, axis=1), np.cumsum(rates, axis=1)
    c, s = model.shift * np.cos(phi), model.shift * np.sin(phi)
    arm = np.stack([c.sum(axis=1), s.sum(axis=1)], axis=1)
    rate = np.stack([-(s * spin).sum(axis=1), (c * spin).sum(axis=1)], axis=1)
    bend = np.stack([-(c * spin**2).sum(axis=1), -(s * spin**2).sum(axis=1)], axis=1)
    return arm, rate, bend


def to_center(model: PlanarModel, states: NDArray, sign: float = 1.0) -> NDArray:
    """Convert states (count, states) from the head to the centre of mass; with sign -1 back."""
    half = states.shape[1] // 2
    arm, rate, _ = arms(model, states[:, 2:half], states[:, half + 2 :])
    out = states.copy()
    out[:, :2] += sign * arm
    out[:, half : half + 2] += sign * rate
    return out


@dataclass(frozen=True)
class PlainPlanner(Controller):
    """Receding-horizon control by plain iLQR towards the goal (x, 0) with the torque weight beta."""

    needs_truth: ClassVar[bool] = True

    problem: Problem
    """robot, world, horizon, step and limits; its cost is not read"""
    integrator: Integrator = "euler_head"
    """explicit Euler about the head as in the paper, about the centre of mass, or the library's step"""
    goal: float = -20.0
    """x of the goal [m]"""
    torque_weight: float = 0.01
    """beta [1/(N m)^2]"""
    iterations: int = 4
    """iterations per plan"""

    def start(self, robot: Robot, period: float, rng: np.random.Generator) -> PlainLaw:
        return PlainLaw(self)


class PlainLaw:
    """The current plan."""

    def __init__(self, controller: PlainPlanner):
        self.controller, self.planner = controller, Planner(controller.problem)
        self.model, self.step = self.planner.model, controller.problem.step
        self.torques = self.planner.nudge.copy()
        self.lower, self.upper = self.planner.lower, self.planner.upper
        size = controller.problem.states
        self.damping = np.diag(np.repeat([0.0, VELOCITY_DAMPING], size // 2))
        self.states = np.zeros((len(self.torques) + 1, size))
        self.seconds = 0.0  # processor time of the last plan

    def __call__(self, observation: Observation) -> Command:
        assert observation.truth is not None and observation.truth.chain_state is not None
        state = to_center(self.model, observation.truth.chain_state[None], -1.0)[0]
        start = thread_time()
        self.improve(state)
        self.seconds = thread_time() - start
        first = self.torques[0].copy()
        self.torques = np.vstack([self.torques[1:], self.torques[-1:]])
        return Command.empty(first.size)._replace(torque=first)

    def signals(self) -> dict[str, Signal]:
        path = np.column_stack([self.states[:, :2], np.zeros(len(self.states))])
        return {
            "plan_path": Signal(path, "m", "path of the head in the current plan", ("horizon", "axis")),
            "solve_processor_time": Signal(self.seconds, "s", "processor time of the plan made here", clock=True),
        }

    def advance(self, states: NDArray, torques: NDArray) -> NDArray:
        """Return the states (count, states) one step later."""
        half, kind = states.shape[1] // 2, self.controller.integrator
        center = to_center(self.model, states)
        if kind == "planner":
            after = np.array([self.planner.predict(*pair) for pair in zip(center, torques[:, None])])
            return to_center(self.model, after, -1.0)
        gained = accelerations(self.model, center, np.ascontiguousarray(torques))
        if kind == "euler_center":
            rates = np.hstack([center[:, half:], gained])
            return to_center(self.model, center + self.step * rates, -1.0)
        _, turning, _ = arms(self.model, states[:, 2:half], gained[:, 2:])
        _, _, bend = arms(self.model, states[:, 2:half], states[:, half + 2 :])
        gained[:, :2] -= turning + bend
        return states + self.step * np.hstack([states[:, half:], gained])

    def jacobians(self, states: NDArray, torques: NDArray) -> NDArray:
        """Return derivatives (knots, states, states + torques) of a step by central differences."""
        knots, size, width = len(torques), states.shape[1], states.shape[1] + torques.shape[1]
        points = np.repeat(np.hstack([states, torques])[:, None], 2 * width, axis=1)
        places = np.arange(width)
        points[:, places, places] += DIFFERENCE
        points[:, width + places, places] -= DIFFERENCE
        flat = points.reshape(-1, width)
        after = self.advance(flat[:, :size], flat[:, size:]).reshape(knots, 2, width, size)
        return ((after[:, 0] - after[:, 1]) / (2.0 * DIFFERENCE)).transpose(0, 2, 1)

    def cost(self, states: NDArray, torques: NDArray) -> NDArray:
        """Return (16), (17) of plans (count, knots, ...), and the cost of joint limits."""
        control, joints = self.controller, states[..., 3 : states.shape[-1] // 2]
        distance = np.hypot(states[..., 0] - control.goal, states[..., 1]).sum(axis=-1)
        effort = control.torque_weight * (torques**2).sum(axis=(-2, -1))
        return distance + effort + LIMIT_WEIGHT * (self.beyond(joints) ** 2).sum(axis=(-2, -1))

    def beyond(self, joints: NDArray) -> NDArray:
        """Return the excess of joint angles over their limits, less the margin [rad]."""
        bound = self.controller.problem.limits.joint_angle
        most = np.inf if bound is None else bound - LIMIT_MARGIN
        return joints - np.clip(joints, -most, most)

    def slopes(self, state: NDArray) -> tuple[NDArray, NDArray]:
        """Return gradient and Hessian of the cost of a state."""
        gradient, hessian, half = np.zeros(state.size), np.zeros((state.size, state.size)), state.size // 2
        away = np.array([state[0] - self.controller.goal, state[1]])
        distance = np.hypot(*away)
        gradient[:2] = away / distance
        hessian[:2, :2] = (np.eye(2) - np.outer(gradient[:2], gradient[:2])) / distance
        excess = self.beyond(state[3:half])
        gradient[3:half] = 2.0 * LIMIT_WEIGHT * excess
        hessian[range(3, half), range(3, half)] = 2.0 * LIMIT_WEIGHT * (excess != 0.0)
        return gradient, hessian

    def improve(self, state: NDArray) -> None:
        """Improve the plan from a state by up to `iterations` steps of iLQR."""
        idle, gains = np.zeros_like(self.torques), np.zeros((*self.torques.shape, state.size))
        states, torques, costs = self.roll_out(state, idle, gains, np.zeros(1))
        self.states, best = states[0], costs[0]
        for _ in range(self.controller.iterations):
            feedforward, gains = self.backward()
            states, torques, costs = self.roll_out(state, feedforward, gains, SHARES)
            choice = int(np.nanargmin(np.where(np.isfinite(costs), costs, np.inf)))
            if not costs[choice] < best:
                return
            self.states, self.torques, best = states[choice], torques[choice], costs[choice]

    def roll_out(self, state: NDArray, feedforward: NDArray, gains: NDArray, shares: NDArray) -> tuple[NDArray, ...]:
        """Return states, torques and costs of the plan with a step of each share."""
        count, knots = shares.size, len(self.torques)
        states = np.empty((count, knots + 1, state.size))
        torques = np.empty((count, *self.torques.shape))
        states[:, 0] = state
        for k in range(knots):
            change = shares[:, None] * feedforward[k] + (states[:, k] - self.states[k]) @ gains[k].T
            torques[:, k] = np.clip(self.torques[k] + change, self.lower, self.upper)
            states[:, k + 1] = self.advance(states[:, k], torques[:, k])
        return states, torques, self.cost(states, torques)

    def backward(self) -> tuple[NDArray, NDArray]:
        """Return feedforward torques (knots, joints) and gains (knots, joints, states) within the torque limits."""
        size, joints, weight = self.states.shape[1], self.torques.shape[1], 2.0 * self.controller.torque_weight
        jacobians = self.jacobians(self.states[:-1], self.torques)
        feedforward, gains = np.zeros_like(self.torques), np.zeros((*self.torques.shape, size))
        slope, curve = self.slopes(self.states[-1])
        for k in range(len(self.torques) - 1, -1, -1):
            by_state, by_torque = jacobians[k, :, :size], jacobians[k, :, size:]
            gradient, hessian = self.slopes(self.states[k])
            stiff = curve + RECEDING_FLOOR * self.damping
            q_u = weight * self.torques[k] + by_torque.T @ slope
            q_uu = weight * np.eye(joints) + by_torque.T @ stiff @ by_torque
            q_ux = by_torque.T @ stiff @ by_state
            step, free, factor = np.zeros(joints), np.ones(joints, np.int64), np.zeros((joints, joints))
            room = self.lower - self.torques[k], self.upper - self.torques[k]
            solve_box(q_uu, q_u, *room, step, free, factor, np.zeros((2, joints)))
            moved = np.flatnonzero(free)
            gain = np.zeros((joints, size))
            gain[moved] = -np.linalg.solve(q_uu[np.ix_(moved, moved)], q_ux[moved])
            plain = by_torque.T @ curve @ by_state
            true = weight * np.eye(joints) + by_torque.T @ curve @ by_torque
            slope = gradient + by_state.T @ slope + gain.T @ (true @ step + q_u) + plain.T @ step
            curve = hessian + by_state.T @ curve @ by_state + gain.T @ true @ gain + gain.T @ plain + plain.T @ gain
            curve = 0.5 * (curve + curve.T)
            feedforward[k], gains[k] = step, gain
        return feedforward, gains
