"""Best torque of the input region: to push the object with little slippage, or to move the robot past it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from serpenoid.errors import finite, require
from serpenoid.kernels.push import survey as kernels
from serpenoid.kernels.push.constraints import Operators, operators
from serpenoid.mechanics.bisection import edge_of
from serpenoid.mechanics.slippage import (
    STILL,
    PushResponse,
    input_ball,
    prepare_push,
    pushing,
    unit_mass,
)
from serpenoid.robots.base import PlanarRobot
from serpenoid.support.kernel_inputs import numbers
from serpenoid.worlds.pushing import Contact, PushedObject, Support, Wheels

STARTS = 6  # local searches
TIE = 1e-6  # ratios closer than this are equal, and the harder push wins

GOALS = ("push", "move")

Measure = Callable[[NDArray], tuple[NDArray, NDArray]]  # points of the ball -> norms, and ratios signed by the goal


def best_push(
    robot: PlanarRobot,
    shape: ArrayLike,
    object: PushedObject,
    *,
    wheels: Wheels | str = "ideal",
    contact: Contact | None = None,
    support: Support | None = None,
    goal: Literal["push", "move"] = "push",
    keep_ratio: float | None = None,
    wrench: Sequence[float] = STILL,
    heading: float = 0.0,
) -> PushResponse:
    """Return the response to the best torque of the input region (31).

    Goal "push" maximises the slippage ratio. Among equal ratios it maximises the norm |a_obj| of the object. Goal
    "move" minimises the ratio. Among equal ratios it maximises the norm |qdd| of the robot. With keep_ratio only the
    norm counts, at a ratio of at least ("push") or at most ("move") this value.
    """
    require(goal in GOALS, "goal", goal, "push or move")
    sign, column = (1.0, 0) if goal == "push" else (-1.0, 1)
    keep = None
    if keep_ratio is not None:
        require(0.0 <= finite("keep_ratio", keep_ratio) <= 1.0, "keep_ratio", keep_ratio, "from 0 to 1")
        keep = sign * keep_ratio
    push, _ = prepare_push(robot, object, wheels, contact, support)
    angles, outside = numbers("shape", shape, (robot.joints,)), numbers("wrench", wrench, (3,))
    ops = operators(push, finite("heading", heading), angles, np.zeros(2))
    root = np.linalg.cholesky(ops.mobility * unit_mass(robot))

    def torque_of(points: NDArray) -> NDArray:
        return np.ascontiguousarray(np.linalg.solve(root.T, np.atleast_2d(points).T).T)

    def measure(points: NDArray) -> tuple[NDArray, NDArray]:
        found = kernels.respond(push, heading, angles, torque_of(points), outside)[4]
        return found[:, column], sign * np.nan_to_num(found[:, 3])

    points = np.vstack([input_ball(robot.joints, 40 * 2 ** min(robot.joints, 6), 8), family(ops, root.T)])
    best = search(measure, points, keep)
    if keep is None:
        best = search(measure, np.vstack([points, best]), float(measure(best)[1][0]) - TIE)
    return pushing(
        robot, angles, object, torque_of(best)[0], wheels=wheels, contact=contact, support=support, wrench=wrench,
        heading=heading,
    )  # fmt: skip


def search(measure: Measure, points: NDArray, keep: float | None) -> NDArray:
    """Return the best point after a local search from each of the most promising ones."""
    norm, ratio = measure(points)
    if keep is not None and ratio.max() < keep:
        points = np.vstack([points, climb(measure, points[np.argmax(ratio)], None)])
        norm, ratio = measure(points)
        best = abs(float(ratio.max()))
        limit = f"at most {best:.6g}, the highest" if keep >= 0.0 else f"at least {best:.6g}, the lowest"
        require(ratio.max() >= keep, "keep_ratio", abs(keep), f"{limit} in the input region")
    worth = ratio if keep is None else np.where(ratio >= keep, norm, -1.0)
    starts = points[spread_out(points, np.argsort(-worth), STARTS)]
    pool = np.vstack([points, *(climb(measure, start, keep) for start in starts)])
    return pool[choose(measure, pool, keep)]


def choose(measure: Measure, points: NDArray, keep: float | None) -> int:
    """Return the index of the best point."""
    norm, ratio = measure(points)
    return int(np.argmax(ratio if keep is None else np.where(ratio >= keep, norm, -1.0)))


def climb(measure: Measure, start: NDArray, keep: float | None) -> NDArray:
    """Return a local maximum near a point, inside the ball and at the kept ratio (sequential quadratic programming)."""
    from scipy.optimize import minimize

    scale = max(float(measure(start)[0][0]), 1e-300)

    def goal(point: NDArray) -> float:
        norm, ratio = measure(point)
        return -float(ratio[0]) if keep is None else -float(norm[0]) / scale

    constraints = [{"type": "ineq", "fun": lambda point: 1.0 - point @ point}]
    if keep is not None:
        constraints.append({"type": "ineq", "fun": lambda point: float(measure(point)[1][0]) - keep})
    found = minimize(goal, start, method="SLSQP", constraints=constraints, options={"maxiter": 200, "ftol": 1e-13})
    end = found.x / max(1.0, float(np.linalg.norm(found.x)))
    if keep is None or not np.isfinite(end).all():
        return np.atleast_2d(end if np.isfinite(end).all() else start)
    return np.atleast_2d(pulled_back(measure, start, end, keep))


def pulled_back(measure: Measure, good: NDArray, end: NDArray, keep: float) -> NDArray:
    """Return the last point from a good one towards `end` that keeps the ratio (bisection)."""
    if measure(end)[1][0] >= keep:
        return end
    share, _ = edge_of(lambda share: bool(measure(good + share * (end - good))[1][0] >= keep), 0.0, 1.0, 2.0**-60)
    return good + share * (end - good)


def family(ops: Operators, to_ball: NDArray) -> NDArray:
    """Return exact optima with all wheels sticking and without wheels, at several lengths, as points of the ball.

    There the contact force is g . tau and |qdd|^2 = tau^T P tau. The hardest push at any kept ratio has tau ~ (S + nu
    P)^-1 g for some nu >= 0 (S is the region's matrix). The highest ratio has tau ~ P^-1 g.
    """
    points = []
    for rows in (slice(0, 1), slice(None)):
        gram, drive = ops.gram[rows, rows], ops.drive[rows]
        force = np.linalg.lstsq(gram, drive, rcond=1e-12)[0]  # force of every row per torque
        inside = ops.mobility - drive.T @ force - force.T @ drive + force.T @ ops.chain_gram[rows, rows] @ force
        for weight in (0.0, *np.logspace(-3, 4, 36), np.inf):
            matrix = inside if np.isinf(weight) else ops.mobility + weight * inside
            torque = np.linalg.lstsq(matrix, force[0], rcond=1e-14)[0]
            point = to_ball @ torque
            points += [point / np.linalg.norm(point) * length for length in np.linspace(0.05, 1.0, 20)]
    found = np.array(points)
    return found[np.isfinite(found).all(axis=1)]


def spread_out(points: NDArray, order: NDArray, count: int) -> list[int]:
    """Return the first indices of an order that are not close to one another."""
    chosen: list[int] = []
    for index in order:
        if all(np.linalg.norm(points[index] - points[other]) > 0.1 for other in chosen):
            chosen.append(int(index))
        if len(chosen) == count:
            break
    return chosen
