"""Built-in costs of a planar chain in one record, so that one compiled solver serves every sum of them."""

from __future__ import annotations

from math import exp, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import inlined, inner
from serpenoid.kernels.ilqr.costs import add_angle_curvature, add_point, register, set_jacobian
from serpenoid.kernels.segments import nearest_share, segment_distance

FARTHEST = 40.0  # exponent beyond which an obstacle is ignored


class Terms(NamedTuple):
    """Parameters of every kind of cost; empty arrays and zero weights for absent kinds."""

    goals: NDArray  # (goals, 7) x, y at time zero [m], weight, smoothing [m], velocity x, y [m/s], 1.0 if squared
    torque: float  # weight of sum tau^2 [1/(N m)^2]
    velocities: NDArray  # (targets, 3) v_x, v_y of the centre of mass [m/s], weight [s^2/m^2]
    joints: NDArray  # (limits, 3) lower, upper [rad], weight [1/rad^2]; each applies to all joints
    obstacles: NDArray  # (obstacles, 7) start x, y, end x, y, radius [m], height [-], slope [1/m]
    path: NDArray  # (points, 2) a polyline [m], empty for none
    path_weights: NDArray  # (2,) of the remaining path length [1/m], of the squared distance from the path [1/m^2]


@inlined
def terms_value(terms, knot):
    """Sum all costs at a knot."""
    total = 0.0
    for j in range(knot.torque.size):
        total += terms.torque * knot.torque[j] * knot.torque[j]
    for g in range(terms.goals.shape[0]):
        total += goal_value(terms.goals[g], knot)
    for v in range(terms.velocities.shape[0]):
        x, y = velocity_error(terms.velocities[v], knot)
        total += terms.velocities[v, 2] * (x * x + y * y)
    for i in range(terms.joints.shape[0]):
        for j in range(knot.torque.size):
            excess = beyond(terms.joints[i], knot.state[3 + j])
            total += terms.joints[i, 2] * excess * excess
    for o in range(terms.obstacles.shape[0]):
        for link in range(knot.direction.shape[0]):
            total += obstacle_value(terms.obstacles[o], knot, link)
    if terms.path.shape[0] > 0:
        left, _, _, x, y, _ = path_error(terms.path, knot)
        total += terms.path_weights[0] * left + terms.path_weights[1] * (x * x + y * y)
    return total


@inlined
def terms_expand(terms, knot, gradient, hessian):
    """Add gradient and curvature of all costs at a knot."""
    states = knot.state.size
    for j in range(knot.torque.size):
        gradient[states + j] += 2.0 * terms.torque * knot.torque[j]
        hessian[states + j, states + j] += 2.0 * terms.torque
    for g in range(terms.goals.shape[0]):
        expand_goal(terms.goals[g], knot, gradient, hessian)
    for v in range(terms.velocities.shape[0]):
        x, y = velocity_error(terms.velocities[v], knot)
        first, weight = states // 2, 2.0 * terms.velocities[v, 2]
        gradient[first] += weight * x
        gradient[first + 1] += weight * y
        hessian[first, first] += weight
        hessian[first + 1, first + 1] += weight
    for i in range(terms.joints.shape[0]):
        expand_limits(terms.joints[i], knot, gradient, hessian)
    for o in range(terms.obstacles.shape[0]):
        for link in range(knot.direction.shape[0]):
            expand_obstacle(terms.obstacles[o], knot, link, gradient, hessian)
    if terms.path.shape[0] > 0:
        expand_path(terms, knot, gradient, hessian)


@inner
def goal_error(goal, knot):
    """Return the head's tip minus the goal at the knot's time [m]."""
    x, y = knot.points[0, 0] - goal[0], knot.points[0, 1] - goal[1]
    return x - goal[4] * knot.time, y - goal[5] * knot.time


@inner
def goal_value(goal, knot):
    """Return weight sqrt(|p_goal - p_0|^2 + s^2), (16), (17), the distance with a rounded tip, or its square."""
    x, y = goal_error(goal, knot)
    if goal[6] != 0.0:
        return goal[2] * (x * x + y * y)
    return goal[2] * sqrt(x * x + y * y + goal[3] * goal[3])


@inner
def expand_goal(goal, knot, gradient, hessian):
    """Add the expansion of the goal's cost, keeping the positive part of its curvature by the links' angles."""
    x, y = goal_error(goal, knot)
    set_jacobian(knot, 0, 0.0)
    if goal[6] != 0.0:
        slope = (2.0 * goal[2] * x, 2.0 * goal[2] * y)
        add_point(knot, gradient, hessian, slope, (2.0 * goal[2], 0.0, 2.0 * goal[2]))
    else:
        inverse = 1.0 / sqrt(x * x + y * y + goal[3] * goal[3])
        x, y, stiffness = x * inverse, y * inverse, goal[2] * inverse
        slope = (goal[2] * x, goal[2] * y)
        second = (stiffness * (1.0 - x * x), -stiffness * x * y, stiffness * (1.0 - y * y))
        add_point(knot, gradient, hessian, slope, second)
    for k in range(knot.direction.shape[0]):
        along = slope[0] * knot.direction[k, 0] + slope[1] * knot.direction[k, 1]
        knot.curvature[k] = max(-knot.reach[0, k] * along, 0.0)
    add_angle_curvature(knot, hessian)


@inner
def velocity_error(target, knot):
    """Return the velocity of the centre of mass minus its target [m/s]."""
    first = knot.state.size // 2
    return knot.state[first] - target[0], knot.state[first + 1] - target[1]


@inner
def beyond(limit, angle):
    """Return the signed distance of an angle outside its limits [rad]."""
    return max(angle - limit[1], 0.0) + min(angle - limit[0], 0.0)


@inner
def expand_limits(limit, knot, gradient, hessian):
    """Add weight (q - limit)^2 of every joint outside its limits."""
    for j in range(knot.torque.size):
        excess = beyond(limit, knot.state[3 + j])
        if excess != 0.0:
            gradient[3 + j] += 2.0 * limit[2] * excess
            hessian[3 + j, 3 + j] += 2.0 * limit[2]


@inner
def obstacle_distance(obstacle, knot, link):
    """Return (distance, fraction along the link, normal x, normal y) between a link and an obstacle's surface."""
    distance, share, x, y = segment_distance(
        knot.points[link], knot.points[link + 1], obstacle[0:2], obstacle[2:4]
    )  # fmt: skip
    return distance - obstacle[4], share, x, y


@inner
def obstacle_value(obstacle, knot, link):
    """Return A / (1 + exp(2 k d)), (18), where d is the distance between link and obstacle, negative inside."""
    distance, _, _, _ = obstacle_distance(obstacle, knot, link)
    exponent = 2.0 * obstacle[6] * distance
    return obstacle[5] / (1.0 + exp(max(exponent, -FARTHEST))) if exponent < FARTHEST else 0.0


@inner
def expand_obstacle(obstacle, knot, link, gradient, hessian):
    """Add the step's slope along the normal, and its curvature where that is positive (outside)."""
    distance, share, x, y = obstacle_distance(obstacle, knot, link)
    exponent = 2.0 * obstacle[6] * distance
    if exponent >= FARTHEST:
        return
    e = exp(max(exponent, -FARTHEST))
    first = -2.0 * obstacle[6] * obstacle[5] * e / (1.0 + e) ** 2
    second = max(-2.0 * obstacle[6] * first * (e - 1.0) / (1.0 + e), 0.0)
    set_jacobian(knot, link, share)
    add_point(knot, gradient, hessian, (first * x, first * y), (second * x * x, second * x * y, second * y * y))


@inner
def path_error(path, knot):
    """Return (remaining length, tangent x, y, offset x, y, beside) at the polyline's point nearest to the head.

    `beside` is 1.0 if the nearest point is inside a segment; at corners and ends the tangent is zero.
    """
    px, py = knot.points[0, 0], knot.points[0, 1]
    best, nearest, where, way = 1e300, 0, 0.0, 0.0
    for i in range(path.shape[0] - 1):
        share = nearest_share(path[i, 0], path[i, 1], path[i + 1, 0], path[i + 1, 1], px, py)
        x = px - path[i, 0] - share * (path[i + 1, 0] - path[i, 0])
        y = py - path[i, 1] - share * (path[i + 1, 1] - path[i, 1])
        if x * x + y * y < best:
            best, nearest, where = x * x + y * y, i, share
    left, tx, ty, ox, oy = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(nearest, path.shape[0] - 1):
        dx, dy = path[i + 1, 0] - path[i, 0], path[i + 1, 1] - path[i, 1]
        way = sqrt(dx * dx + dy * dy)
        if i == nearest:
            left += (1.0 - where) * way
            tx, ty = dx / way, dy / way
            ox, oy = px - path[i, 0] - where * dx, py - path[i, 1] - where * dy
        else:
            left += way
    beside = 1.0 if 0.0 < where < 1.0 else 0.0
    return left, beside * tx, beside * ty, ox, oy, beside


@inner
def expand_path(terms, knot, gradient, hessian):
    """Add weight x remaining length + weight x squared distance from the path."""
    _, tx, ty, x, y, beside = path_error(terms.path, knot)
    progress, lateral = terms.path_weights[0], 2.0 * terms.path_weights[1]
    set_jacobian(knot, 0, 0.0)
    slope = (lateral * x - progress * tx, lateral * y - progress * ty)
    xx, xy, yy = lateral * (1.0 - tx * tx), -lateral * tx * ty, lateral * (1.0 - ty * ty)
    add_point(knot, gradient, hessian, slope, (xx, xy, yy))


register(Terms, terms_value, terms_expand)


def no_terms() -> Terms:
    """Return the record without any cost."""
    return Terms(
        np.zeros((0, 7)), 0.0, np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 7)), np.zeros((0, 2)), np.zeros(2)
    )
