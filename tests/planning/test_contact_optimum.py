"""Optima of plans through contact against ipopt on three small problems, whose steps casadi builds a second time."""

from __future__ import annotations

import numpy as np
import pytest
from naive_pegs import Operations, residual

from serpenoid.planning import Limits, Problem, Torque, Velocity
from serpenoid.planning.solver import Planner
from serpenoid.robots import PlanarSnake
from serpenoid.robots.drives import PD
from serpenoid.worlds import PegBoard
from serpenoid.worlds.peg_board import PegTouch

casadi = pytest.importorskip("casadi")

WEIGHT, EFFORT, LIMIT = 10.0, 1e-3, 3.0
# Pegs that the snake pushes against at the start, 0.2 mm deep.
FRONT, MIDDLE, BACK = (0.065, -0.0398), (0.18835, 0.04906), (0.3236, -0.0204)
# links, pegs [m], knots of 4 ms with two steps each, desired velocity [m/s]
PROBLEMS = {
    "one peg": (3, (MIDDLE,), 8, (-0.1, -0.2)),
    "two pegs": (3, (MIDDLE, BACK), 8, (-0.1, -0.2)),
    "three pegs": (4, (FRONT, MIDDLE, BACK), 6, (-0.2, 0.0)),
}


def planner_of(links, pegs, knots, speed):
    snake = PlanarSnake(links=links, link_length=0.13, link_mass=0.4, radius=0.02, drive=PD(20.0, 0.3, 50.0))
    touch = PegTouch(stiffness=2e4, damping=50.0, smoothing=0.02, floor_smoothing=0.02)
    board = PegBoard(layout="list", places=pegs, peg_radius=0.02, friction=0.4, touch=touch)
    cost = Velocity(speed, WEIGHT) + Torque(EFFORT)
    return Planner(Problem(snake, board, cost, knots, 0.004, Limits(-LIMIT, LIMIT, None)))


def ipopt(planner, start, guess, wanted):
    """Return the cost at which ipopt converges from a guess of torques, the velocities as unknowns; inf if it fails."""
    scene, drive, step = planner.dynamics.scene, planner.dynamics.drive, planner.dynamics.step
    links, knots = scene.chain.mass.size, planner.problem.horizon
    half, joints, shift = links + 2, links - 1, planner.dynamics.shift
    ops = Operations(casadi.sqrt, casadi.cos, casadi.sin, lambda value, yes, no: casadi.if_else(value > 0.0, yes, no))
    q, v, a, target = (casadi.SX.sym(name, size) for name, size in zip("qvat", (half, half, half, joints)))
    parts = ([x[i] for i in range(x.numel())] for x in (q, v, a, target))
    equation = casadi.Function("step", [q, v, a, target], [casadi.vertcat(*residual(scene, drive, step, *parts, ops))])
    opti = casadi.Opti()
    torque, speed = opti.variable(joints, knots), opti.variable(half, 2 * knots)
    opti.subject_to(opti.bounded(-LIMIT, casadi.vec(torque), LIMIT))
    opti.set_initial(torque, guess.T)
    place, rate, total = start[:half], start[half:], 0.0
    here, now = start[:half].copy(), start[half:].copy()
    for knot in range(knots + 1):
        total += WEIGHT * casadi.sumsqr(center_speed(casadi, shift, place, rate) - casadi.DM(wanted))
        if knot == knots:
            break
        total += EFFORT * casadi.sumsqr(torque[:, knot])
        aim = place[3:half] + torque[:, knot] / drive.stiffness
        fixed = here[3:half] + guess[knot] / drive.stiffness
        for i in range(2):
            after = speed[:, 2 * knot + i]
            opti.subject_to(equation(place, rate, (after - rate) / step, aim) == 0.0)
            found = casadi.rootfinder("root", "newton", {
                "x": a, "p": casadi.vertcat(q, v, target), "g": equation(q, v, a, target)
            })(x0=np.zeros(half), p=np.concatenate([here, now, fixed]))["x"].full().ravel()  # fmt: skip
            now = now + step * found
            here = here + step * now
            opti.set_initial(after, now)
            rate, place = after, place + step * after
    opti.minimize(total)
    opti.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes", "max_iter": 400, "tol": 1e-7})
    try:
        return float(opti.solve().value(total))
    except RuntimeError:  # the friction's fractions and the contacts have kinks
        return np.inf


def center_speed(numbers, shift, place, rate):
    """Return the velocity of the centre of mass from positions and rates of the head."""
    x, y, angle, turning = rate[0], rate[1], 0.0, 0.0
    for k in range(shift.size):
        angle, turning = angle + place[2 + k], turning + rate[2 + k]
        x, y = x - shift[k] * numbers.sin(angle) * turning, y + shift[k] * numbers.cos(angle) * turning
    return numbers.vertcat(x, y)


@pytest.mark.full
@pytest.mark.parametrize("name", PROBLEMS)
def test_ipopt_finds_no_better_plan(name):
    """From zero and from our plan, ipopt ends at our cost or above it, within 2 %."""
    links, pegs, knots, speed = PROBLEMS[name]
    planner = planner_of(links, pegs, knots, speed)
    head = np.zeros(2 * links + 4)
    head[3 : 2 + links] = 0.15 * (-1.0) ** np.arange(links - 1)
    head[links + 2 : links + 4] = -0.1, 0.02
    angle, shift = np.cumsum(head[2 : 2 + links]), planner.dynamics.shift
    start = head.copy()
    start[:2] += [shift @ np.cos(angle), shift @ np.sin(angle)]  # the head does not turn, nor do the joints
    ours = planner.solve(start, 0.0, 300, np.inf, 1e-10)
    idle = planner_of(links, pegs, knots, speed)
    nothing = idle.solve(start, 0.0, 0, np.inf, 1e-10).cost
    plan = planner.work.controls.copy()
    alone = planner_of(links, ((5.0, 5.0),), knots, speed).solve(start, 0.0, 300, np.inf, 1e-10).cost
    theirs = [ipopt(planner, head, guess, speed) for guess in (plan, np.zeros_like(plan))]
    print(name, "ours", ours.cost, "idle", nothing, "ipopt", theirs, "no pegs", alone)
    assert abs(alone - ours.cost) > 0.01 * alone, "the pegs matter"
    assert ours.cost < 0.98 * nothing
    assert np.isfinite(min(theirs)), "ipopt converges from one of the guesses"
    assert ours.cost < 1.02 * min(theirs)
