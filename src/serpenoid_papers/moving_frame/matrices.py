"""Matrices of the moving frame method for one state of a robot, with the symbols of the paper."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from serpenoid.kernels.tree.frames import POSITION
from serpenoid.robots.base import Robot
from serpenoid.support.kernel_inputs import numbers
from serpenoid.worlds.free import STANDARD_GRAVITY
from serpenoid_papers.references import moving_frame as kernels

NO_TWIST = (0.0,) * 6


@dataclass(frozen=True)
class Matrices:
    """Matrices of (81), M* q'' + N* q' = F*.

    Rows come in blocks of six per moving body: velocity of the centre in world axes, angular velocity in body axes.
    Columns are the joints, after the base twist (linear, angular, in base axes) if the base floats.
    """

    E: NDArray
    """(bodies, 4, 4) frame connections, from a body's frame at its joint to the world, (19)"""
    B: NDArray
    """(rows, columns) velocities X' = B q', (85) to (115)"""
    B_rate: NDArray
    """(rows, columns) rate of B"""
    M_star: NDArray
    """(columns, columns) B^T M B, (82)"""
    N_star: NDArray
    """(columns, columns) B^T (M B' + D M B), (83)"""
    weight: NDArray
    """(columns,) share of gravity in F* = B^T Q, (79) [N, N m]; motor torques add to the columns of the joints"""


def moving_frame_matrices(
    robot: Robot,
    shape: ArrayLike,
    rate: ArrayLike,
    *,
    twist: ArrayLike = NO_TWIST,
    gravity: ArrayLike = (0.0, 0.0, -STANDARD_GRAVITY),
) -> Matrices:
    """Return the matrices of a robot with its base at the origin of the world.

    shape and rate (joints,): joint angles [rad] and rates [rad/s]. twist (6,): base velocity [m/s] and angular velocity
    [rad/s] in base axes, ignored on a fixed base. gravity (3,) [m/s^2].
    """
    tree = robot.tree()
    joints = tree.parent.size - 1
    pose = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    angles, rates = numbers("shape", shape, (joints,)), numbers("rate", rate, (joints,))
    base = np.zeros(6) if tree.fixed_base else numbers("twist", twist, (6,))
    state = np.concatenate([pose, angles, base, rates])
    work, space = kernels.frames(tree, state), kernels.matrix_space(tree)
    mass, coupling, weight = kernels.reduced_equations(tree, state, numbers("gravity", gravity, (3,)), space)
    connections = np.tile(np.eye(4), (joints + 1, 1, 1))
    connections[:, :3, :3] = work[:, :9].reshape(-1, 3, 3)
    connections[:, :3, 3] = work[:, POSITION : POSITION + 3]
    rate_of_b = kernels.b_matrix_rate(tree, work, kernels.empty_matrix(tree))
    return Matrices(connections, space.b.copy(), rate_of_b, mass.copy(), coupling.copy(), weight)
