"""Normal forces of a floor under a chain on a fixed tail: N in (75), which the paper's simulation leaves out.

The floor touches each body below its centre, as in (75). It only presses: N >= 0, and N = 0 for a body that is lifted.
Its share of F* = B^T Q is J^T N, with J the vertical velocity rows of B.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import nnls

from serpenoid.errors import require
from serpenoid.robots.base import Robot
from serpenoid.support.kernel_inputs import numbers
from serpenoid_papers.moving_frame.matrices import Matrices, moving_frame_matrices

TOUCH = 1e-6  # height [m] up to which a body lies on the floor
EVEN = 1e-5  # weight of an even distribution of N, relative to the motors' torques


class FloorForces(NamedTuple):
    """Normal forces of the floor on a chain, with its torques and accelerations."""

    normal: NDArray  # (bodies,) N of (75) [N]
    height: NDArray  # (bodies,) of the centres above their height on the floor [m]
    torque: NDArray  # (joints,) of the motors [N m]
    acceleration: NDArray  # (joints,) [rad/s^2]
    support: NDArray  # (joints,) share of the floor in F*, J^T N [N m]; without a floor it adds to the torques


def floor_torques(robot: Robot, shape: ArrayLike, rate: ArrayLike, acceleration: ArrayLike) -> FloorForces:
    """Return the forces of a prescribed movement: the least motor torques that the floor allows.

    A supported chain is statically indeterminate. The least sum of squared torques is that of equally stiff servos.
    Their deflection leaves every body without N on the floor or above it. Two bodies of a piece that
    does not bend vertically share its load evenly if they can; only J^T N is unique there.
    """
    found, height = on_floor(robot, shape, rate)
    wanted = numbers("acceleration", acceleration, height.shape)
    free = found.M_star @ wanted + found.N_star @ numbers("rate", rate, height.shape) - found.weight
    touching = height <= TOUCH
    lift = found.B[2::6][touching]
    normal = np.zeros(height.size)
    if touching.any():
        even = EVEN * np.eye(len(lift)) * np.linalg.norm(lift, 2)
        normal[touching] = nnls(np.vstack([lift.T, even]), np.append(free, np.zeros(len(lift))))[0]
    support = found.B[2::6].T @ normal
    return FloorForces(normal, height, free - support, wanted, support)


def floor_accelerations(robot: Robot, shape: ArrayLike, rate: ArrayLike, torque: ArrayLike) -> FloorForces:
    """Return the response to motor torques by (84): bodies on the floor press on it or leave it.

    By Gauss's principle the forces N >= 0 minimise (J^T N + f)^T M*^-1 (J^T N + f) / 2 + N^T J' q', where f are the
    other forces. A body on the floor that moves upwards is lifted.
    """
    found, height = on_floor(robot, shape, rate)
    given, rates = numbers("torque", torque, height.shape), numbers("rate", rate, height.shape)
    force = given + found.weight - found.N_star @ rates
    touching = (height <= TOUCH) & (found.B[2::6] @ rates <= TOUCH)
    lift, bias = found.B[2::6][touching], (found.B_rate[2::6] @ rates)[touching]
    root = np.linalg.cholesky(found.M_star)
    normal = np.zeros(height.size)
    if touching.any():
        whitened = np.linalg.solve(root, lift.T)
        target = np.linalg.solve(root, force) + np.linalg.lstsq(whitened.T, bias, rcond=None)[0]
        normal[touching] = nnls(whitened, -target)[0]
    support = found.B[2::6].T @ normal
    return FloorForces(normal, height, given, np.linalg.solve(found.M_star, force + support), support)


def on_floor(robot: Robot, shape: ArrayLike, rate: ArrayLike) -> tuple[Matrices, NDArray]:
    """Return the matrices of a chain, and the heights of its bodies above a floor on which its tail lies [m]."""
    tree = robot.tree()
    require(bool(tree.fixed_base), "fixed_tail", False, "true: the paper's chain has a fixed tail")
    found = moving_frame_matrices(robot, shape, rate)
    centers = np.concatenate([tree.center, np.ones((tree.mass.size, 1))], axis=1)
    height = np.einsum("bij,bj->bi", found.E, centers)[1:, 2]
    above = bool(height.min() >= -TOUCH)
    require(above, "shape", np.round(np.asarray(shape), 4).tolist(), "such that no body is below the floor")
    return found, height
