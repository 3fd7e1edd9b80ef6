"""Hinge table of a robot for kernels; friction and end stops are as stiff as is stable at the given step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.laws.hinges import (
    COLUMNS,
    DAMPER,
    LOSS,
    LOWER,
    MOBILITY,
    PULL,
    RATE,
    SMOOTH,
    SOFT_COLUMNS,
    SPRING,
    UPPER,
)
from serpenoid.kernels.lie import skew
from serpenoid.kernels.planar.chain import PLAIN
from serpenoid.kernels.planar.soft_stops import MOST
from serpenoid.kernels.records import ARMATURE, Tree
from serpenoid.robots.base import PlanarRobot, Robot
from serpenoid.robots.planar import chain_tree
from serpenoid.support.kernel_inputs import chain_of

SLOWEST = 1e-3  # rate [rad/s] below which dry friction fades out, at any step
CARRIED = 1.4  # fastest decay rate of friction x step; RK4 is stable up to 2.8
STOP_STEPS = 2.5  # time constant of an end stop, in steps
LARGEST = 1e9  # represents an unlimited angle [rad]


def hinge_table(robot: Robot, tree: Tree, step: float, driven: bool) -> NDArray:
    """Return hinges (joints, 2), or (joints, COLUMNS) with friction or stops; prescribed joints ignore stops."""
    friction, reach = robot.dry_friction, robot.joint_range if driven else None
    if friction is None and reach is None:
        return tree.hinges
    table = np.zeros((robot.joints, COLUMNS))
    table[:, : tree.hinges.shape[1]] = tree.hinges
    mobility = joint_mobility(tree)
    table[:, LOSS] = 0.0 if friction is None else friction
    root = np.sqrt(table[:, LOSS])
    fastest = np.linalg.eigvalsh(root[:, None] * mobility * root).max()
    table[:, SMOOTH] = max(SLOWEST, fastest * step / CARRIED)
    free = np.tile((-np.inf, np.inf), (robot.joints, 1))
    table[:, (LOWER, UPPER)] = np.clip(free if reach is None else reach, -LARGEST, LARGEST)
    lightest, time = np.linalg.eigvalsh(mobility).max(), STOP_STEPS * step
    table[:, SPRING], table[:, DAMPER] = 1.0 / (lightest * time**2), 2.0 / (lightest * time)
    return table


def planar_hinges(robot: PlanarRobot, step: float, driven: bool) -> NDArray:
    """Return the hinge table of a planar chain; (0, 2) if its hinges have damping only."""
    tree = chain_tree(chain_of(robot), robot.armature)
    table = hinge_table(robot, tree, step, driven)
    if table.shape[1] == COLUMNS and robot.stop_time is not None:
        return soft_table(table, np.diagonal(joint_mobility(tree)), robot.stop_time, step)
    return table if table.shape[1] == COLUMNS or table[:, ARMATURE].any() else PLAIN


def soft_table(table: NDArray, mobility: NDArray, time: float, step: float) -> NDArray:
    """Return hinges with MuJoCo's soft stops of a time constant [s], critically damped, at least two steps long."""
    time = max(time, 2.0 * step)
    soft = np.hstack([table, np.zeros((len(table), SOFT_COLUMNS - COLUMNS))])
    soft[:, (SPRING, DAMPER)] = 0.0
    soft[:, MOBILITY] = mobility
    soft[:, PULL], soft[:, RATE] = 1.0 / (MOST * time) ** 2, 2.0 / (MOST * time)
    return soft


def joint_mobility(tree: Tree) -> NDArray:
    """Return joint accelerations per joint torque (joints, joints) [1/(kg m^2)] of a tree at rest, all angles zero."""
    count = len(tree.parent)
    turns, places = np.tile(np.eye(3), (count, 1, 1)), np.zeros((count, 3))
    carried = np.zeros((count, count - 1), dtype=bool)  # hinges that move a body
    for i in range(1, count):
        parent = int(tree.parent[i])
        turns[i] = turns[parent] @ tree.rotation[i]
        places[i] = places[parent] + turns[parent] @ tree.offset[i]
        carried[i] = carried[parent]
        carried[i, i - 1] = True
    axes = np.einsum("bij,bj->bi", turns, tree.axis)[1:]
    base = 0 if tree.fixed_base else 6
    mass = np.zeros((base + count - 1, base + count - 1))
    for i in range(count):
        middle = places[i] + turns[i] @ tree.center[i]
        turning = np.hstack([np.zeros((3, 3)), np.eye(3)])[:, :base], (axes * carried[i][:, None]).T
        moving = np.hstack([np.eye(3), -skew(middle)])[:, :base], np.cross(turning[1].T, middle - places[1:]).T
        angular, linear = np.hstack(turning), np.hstack(moving)
        inertia = turns[i] @ tree.inertia[i] @ turns[i].T
        mass += tree.mass[i] * linear.T @ linear + angular.T @ inertia @ angular
    mass[base:, base:] += np.diag(tree.armature)
    return np.linalg.inv(mass)[base:, base:]
