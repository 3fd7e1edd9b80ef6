"""Independent casadi version of the planner's discrete problem for ipopt, without our kernels."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import casadi as ca  # optional peer; import this module only where it is used
import numpy as np
from numpy.typing import NDArray

from serpenoid.robots import PlanarSnake
from serpenoid.worlds import Plane
from serpenoid.worlds.free import STANDARD_GRAVITY

OPTIONS: dict[str, Any] = {
    "ipopt.print_level": 0,
    "print_time": 0,
    "ipopt.tol": 1e-8,
    "ipopt.max_iter": 500,
    "ipopt.sb": "yes",
}
# A barrier so small that ipopt starts at the given point, even at the bounds.
NEAR: dict[str, Any] = {
    "ipopt.mu_init": 1e-9,
    "ipopt.bound_push": 1e-9,
    "ipopt.bound_frac": 1e-9,
    "ipopt.mu_strategy": "monotone",
}


class SymbolicSnake:
    """A chain of equal rods in a medium by the planner's step, with absolute angles internally."""

    def __init__(self, robot: PlanarSnake, world: Plane, step: float, substeps: int, coarse: int):
        self.n, self.step, self.world = robot.links, step, world
        self.substeps, self.coarse = substeps, coarse
        chain = robot.chain()  # of equal links
        self.mass, self.length = float(chain.mass[0]), float(chain.length[0])
        self.damping = float(chain.joint_damping[0])
        n, length = self.n, self.length
        inertia = self.mass * length**2 / 12.0
        reach = np.array([[length if k < i else 0.5 * length if k == i else 0.0 for k in range(n)] for i in range(n)])
        self.shift = reach.mean(axis=0)
        self.arm = reach - self.shift
        self.coupling = self.mass * self.arm.T @ self.arm + inertia * np.eye(n)
        self.added = world.density * np.pi * world.added_mass * world.height**2 / 4 * length
        if world.medium != "fluid":
            self.added = 0.0
        self.turning = self.added if world.added_mass_velocity_terms else 0.0

    def law(self, along: Any, across: Any) -> tuple[Any, Any]:
        """Return the forces along and across a link."""
        world = self.world
        if world.medium == "viscous":
            return -world.viscous_longitudinal * along, -world.viscous_transverse * across
        if world.medium == "fluid":
            friction = np.pi * world.drag_longitudinal * (world.height + world.width) / 4
            pressure = 0.5 * world.density * self.length
            drag = pressure * world.drag_transverse * world.height
            return -pressure * friction * ca.fabs(along) * along, -drag * ca.fabs(across) * across
        a, b = world.friction_longitudinal, world.friction_transverse
        root = ca.sqrt((a * along) ** 2 + (b * across) ** 2 + world.eps**2)
        weight = self.mass * STANDARD_GRAVITY
        return -weight * a * a * along / root, -weight * b * b * across / root

    def forces(self, angle: Any, velocity: Any, with_added: bool) -> Any:
        """Return generalised forces of the medium and the joints' friction, or of the added mass's velocity terms."""
        n = self.n
        out = [ca.SX(0) for _ in range(n + 2)]
        for i in range(n):
            c, s = ca.cos(angle[i]), ca.sin(angle[i])
            vx = velocity[n] - sum(self.arm[i, k] * velocity[k] * ca.sin(angle[k]) for k in range(n))
            vy = velocity[n + 1] + sum(self.arm[i, k] * velocity[k] * ca.cos(angle[k]) for k in range(n))
            along, across, turn = c * vx + s * vy, c * vy - s * vx, velocity[i]
            if with_added:
                fl, ft = self.turning * turn * across, self.turning * turn * along
                out[i] -= self.turning * along * across
            else:
                fl, ft = self.law(along, across)
            self.add_force(out, angle, i, c * fl - s * ft, s * fl + c * ft)
        if not with_added:
            for j in range(n - 1):
                friction = self.damping * (velocity[j + 1] - velocity[j])
                out[j] += friction
                out[j + 1] -= friction
        return ca.vertcat(*out)

    def add_force(self, out: list[Any], angle: Any, i: int, fx: Any, fy: Any) -> None:
        """Add the generalised forces of a force at the middle of link i."""
        for k in range(self.n):
            out[k] += self.arm[i, k] * (ca.cos(angle[k]) * fy - ca.sin(angle[k]) * fx)
        out[self.n] += fx
        out[self.n + 1] += fy

    def inertia_and_bias(self, angle: Any, product: Any) -> tuple[Any, Any]:
        """Return the mass matrix, and centripetal forces with w^2 replaced by a product of rates."""
        n = self.n
        matrix = ca.SX.zeros(n + 2, n + 2)
        bias = [ca.SX(0) for _ in range(n + 2)]
        for k in range(n):
            for j in range(n):
                matrix[k, j] = self.coupling[k, j] * ca.cos(angle[k] - angle[j])
                bias[k] -= self.coupling[k, j] * ca.sin(angle[k] - angle[j]) * product[j]
        matrix[n, n] = matrix[n + 1, n + 1] = n * self.mass
        for i in range(n if self.added else 0):
            row = ca.vertcat(
                *[self.arm[i, k] * ca.cos(angle[i] - angle[k]) for k in range(n)], -ca.sin(angle[i]), ca.cos(angle[i])
            )
            matrix += self.added * row @ row.T
            ax = -sum(self.arm[i, k] * product[k] * ca.cos(angle[k]) for k in range(n))
            ay = -sum(self.arm[i, k] * product[k] * ca.sin(angle[k]) for k in range(n))
            push = -self.added * (ca.cos(angle[i]) * ay - ca.sin(angle[i]) * ax)
            self.add_force(bias, angle, i, -ca.sin(angle[i]) * push, ca.cos(angle[i]) * push)
        return matrix, ca.vertcat(*bias)

    def substep(self, angle: Any, centre: Any, velocity: Any, torque: Any, h: float) -> tuple[Any, Any, Any]:
        """Return (angles, centre, velocities) after a substep."""
        n = self.n
        middle = angle + 0.5 * h * velocity[:n]
        speed, change = ca.SX.sym("v", n + 2), ca.SX.sym("d", n + 2)
        plain, added = self.forces(middle, speed, False), self.forces(middle, speed, True)
        matrix, bias = self.inertia_and_bias(middle, speed[:n] * (speed[:n] + change[:n]))
        force = plain + added
        right = force + 0.5 * ca.jacobian(force, speed) @ change + bias
        for j in range(n - 1):
            right[j] -= torque[j]
            right[j + 1] += torque[j]
        residual = matrix @ change / h - right
        slope = ca.jacobian(residual, change)
        start = ca.substitute(residual, change, ca.SX.zeros(n + 2))
        slope, start = (ca.substitute(e, speed, velocity) for e in (slope, start))
        found = -ca.solve(slope, start)
        mean = velocity + 0.5 * found
        return angle + h * mean[:n], centre + h * mean[n:], velocity + found

    def function(self) -> Any:
        """Return next = f(state, torque), with the planner's state of relative angles."""
        state, torque = ca.SX.sym("x", 2 * self.n + 4), ca.SX.sym("u", self.n - 1)
        following = self.after(state, torque, self.substeps)
        if self.coarse:
            other = self.after(state, torque, self.coarse)
            following += (following - other) / ((self.substeps / self.coarse) ** 2 - 1.0)
        return ca.Function("step", [state, torque], [following])

    def after(self, state: Any, torque: Any, substeps: int) -> Any:
        """Return the state after a step of `substeps` substeps."""
        n = self.n
        angle, centre = ca.cumsum(state[2 : n + 2]), state[:2]
        velocity = ca.vertcat(ca.cumsum(state[n + 4 :]), state[n + 2 : n + 4])
        for _ in range(substeps):
            angle, centre, velocity = self.substep(angle, centre, velocity, torque, self.step / substeps)
        relative = ca.vertcat(angle[0], ca.diff(angle))
        rates = ca.vertcat(velocity[0], ca.diff(velocity[:n]))
        return ca.vertcat(centre, relative, velocity[n:], rates)

    def head(self, state: Any) -> Any:
        """Return the position of the head's tip."""
        angle = ca.cumsum(state[2 : self.n + 2])
        return state[:2] - ca.vertcat(ca.dot(self.shift, ca.cos(angle)), ca.dot(self.shift, ca.sin(angle)))


class SymbolicPlanner:
    """Multiple shooting over the horizon, solved by ipopt."""

    def __init__(
        self, snake: SymbolicSnake, horizon: int, goal: tuple[float, float], torque_weight: float, bound: float,
        smoothing: float = 1e-3,
    ):  # fmt: skip
        states, joints = 2 * snake.n + 4, snake.n - 1
        self.step, self.horizon, self.joints = snake.function(), horizon, joints
        xs, us, x0 = ca.MX.sym("X", states, horizon), ca.MX.sym("U", joints, horizon), ca.MX.sym("x0", states)
        knots = ca.horzcat(x0, xs)
        head = ca.Function("head", [s := ca.SX.sym("s", states)], [snake.head(s)]).map(horizon + 1)(knots)
        gap = head - ca.repmat(ca.DM(goal), 1, horizon + 1)
        cost = ca.sum2(ca.sqrt(ca.sum1(gap**2) + smoothing**2)) + torque_weight * ca.sumsqr(us)
        defect = self.step.map(horizon)(knots[:, :horizon], us) - xs
        self.program = nlp = {"x": ca.vertcat(ca.vec(xs), ca.vec(us)), "p": x0, "f": cost, "g": ca.vec(defect)}
        self.solver = ca.nlpsol("planner", "ipopt", nlp, OPTIONS)
        wide = np.full(states * horizon, np.inf)
        self.upper = np.concatenate([wide, np.full(joints * horizon, bound)])

    @cached_property
    def refiner(self) -> Any:
        """Solver that starts at the given point; built only if two costs differ."""
        return ca.nlpsol("refiner", "ipopt", self.program, OPTIONS | NEAR)

    def solve(self, state: NDArray, torques: NDArray, near: bool = False) -> tuple[float, NDArray, bool]:
        """Solve from a rolled-out guess of torques and return (cost, torques, success); `near` keeps the first steps
        close.
        """
        solver = self.refiner if near else self.solver
        states, x = [], np.array(state)
        for torque in torques:
            x = np.array(self.step(x, torque)).ravel()
            states.append(x)
        guess = np.concatenate([np.ravel(states), np.ravel(torques)])
        found = solver(x0=guess, p=state, lbx=-self.upper, ubx=self.upper, lbg=0, ubg=0)
        flat = np.array(found["x"]).ravel()[-self.horizon * self.joints :]
        return float(found["f"]), flat.reshape(self.horizon, self.joints), bool(solver.stats()["success"])
