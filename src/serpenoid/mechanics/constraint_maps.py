"""Linear maps of a push whose constraints all hold: projectors and force ellipsoids, (13) to (19) of Reyes and Ma.

Velocities are v = (centre of mass x, y, heading of link 0, joint angles; object x, y). Forces f are their duals.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from serpenoid.errors import finite
from serpenoid.kernels.push.constraints import link_angles, operators
from serpenoid.kernels.push.records import Push
from serpenoid.kernels.records import ARMATURE
from serpenoid.mechanics.slippage import prepare_push, unit_mass
from serpenoid.robots.base import PlanarRobot
from serpenoid.support.kernel_inputs import numbers
from serpenoid.worlds.pushing import Contact, PushedObject, Support, Wheels

SINGULAR = 1e-12  # singular values below this share of the largest are zero: redundant constraints


@dataclass(frozen=True)
class ConstraintMaps:
    """Maps of one shape at rest, with the contact closed and every wheel holding."""

    rows: tuple[str, ...]
    """names of the constraints"""
    constraint: NDArray
    """(rows, v) A of (13), from velocities to separation rates"""
    inverse_inertia: NDArray
    """(v, v) I^-1 of robot and object"""
    gram: NDArray
    """(rows, rows) Gc = A I^-1 A^T [1/kg]"""
    force_map: NDArray
    """(rows, v) -Gc^-1 A I^-1 of (14) and (17): constraint forces per applied force"""
    projector: NDArray
    """(v, v) 1 - A^T Gc^-1 A I^-1 of (19): the part of an applied force that the constraints do not cancel"""
    torque_map: NDArray
    """(v, joints) applied force per joint torque"""
    force_axes: NDArray
    """(rows, joints) semi-axes of the ellipsoid of constraint forces over the input region (31) [N], longest first"""
    object_axes: NDArray
    """(2, min(2, joints)) semi-axes of the ellipse of the object's acceleration over the region [m/s^2]"""


def constraint_maps(
    robot: PlanarRobot,
    shape: ArrayLike,
    object: PushedObject,
    *,
    wheels: Wheels | str = "ideal",
    contact: Contact | None = None,
    support: Support | None = None,
    heading: float = 0.0,
) -> ConstraintMaps:
    """Return the projectors and force ellipsoids of one shape.

    All constraints are bilateral here. `pushing` solves for contacts that open and for wheels that slip.
    """
    push, names = prepare_push(robot, object, wheels, contact, support)
    angles = numbers("shape", shape, (robot.joints,))
    turned = finite("heading", heading)
    ops = operators(push, turned, angles, np.zeros(2))
    sums = np.eye(robot.joints + 3)
    sums[2:, 2:] = np.tril(np.ones((robot.joints + 1, robot.joints + 1)))  # link angles per heading and joint angle
    constraint = np.hstack([-ops.jacobian @ sums, ops.grip])
    size = constraint.shape[1]
    inertia = np.eye(size) * push.object_mass
    inertia[:-2, :-2] = sums.T @ mass_matrix(push, turned, angles) @ sums
    inverse = np.linalg.inv(inertia)
    gram = constraint @ inverse @ constraint.T
    force_map = -np.linalg.pinv(gram, rcond=SINGULAR, hermitian=True) @ constraint @ inverse
    projector = np.eye(size) + constraint.T @ force_map
    torque_map = np.eye(size)[:, 3:-2]
    to_region = np.linalg.inv(np.linalg.cholesky(ops.mobility * unit_mass(robot))).T
    return ConstraintMaps(
        names, constraint, inverse, gram, force_map, projector, torque_map,
        semi_axes(force_map @ torque_map @ to_region),
        semi_axes((inverse @ projector @ torque_map @ to_region)[-2:]),
    )  # fmt: skip


def mass_matrix(push: Push, heading: float, shape: NDArray) -> NDArray:
    """Return Ms (n + 2, n + 2) in the centre of mass and the link angles, with the armature of the joints."""
    levers, angles = push.levers, link_angles(heading, shape)
    mass = np.diag(np.concatenate([[levers.mass, levers.mass], levers.inertia]))
    mass[2:, 2:] += levers.coupling * np.cos(angles[:, None] - angles)
    for joint, armature in enumerate(levers.hinges[:, ARMATURE]):
        relative = np.zeros(angles.size)
        relative[joint : joint + 2] = -1.0, 1.0
        mass[2:, 2:] += armature * np.outer(relative, relative)
    return mass


def semi_axes(image: NDArray) -> NDArray:
    """Return the semi-axes of the image of the unit ball under a matrix, as columns, longest first."""
    axes, lengths, _ = np.linalg.svd(image, full_matrices=False)
    return axes * lengths
