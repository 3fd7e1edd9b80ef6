"""Pushing an object from rest with a planar snake: accelerations, forces, norms, slippage ratio."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from serpenoid.errors import InvalidValue, finite, require, whole_number
from serpenoid.kernels.push import survey as kernels
from serpenoid.kernels.push.complementarity import AT_LOWER, AT_UPPER
from serpenoid.kernels.push.faces import choices_of, raise_to_maxima
from serpenoid.kernels.push.records import Push
from serpenoid.robots.base import PlanarRobot
from serpenoid.support.kernel_inputs import ANY, chain_of, numbers
from serpenoid.worlds.pushing import Contact, PushedObject, Support, Wheels, push_record, wheels_of

RESIDUAL = 1e-9  # a solution with a larger residual raises an error
STILL = (0.0, 0.0, 0.0)
MOST_FACES = 20_000  # per shape, for exact maxima


@dataclass(frozen=True)
class PushResponse:
    """Response at the instant after the torques act; the first axis is over torques, absent for a single one."""

    torque: NDArray
    """(..., joints) joint torques [N m]"""
    acceleration: NDArray
    """(..., links + 2) of the centre of mass x, y [m/s^2], the heading of link 0 and the joints [rad/s^2]"""
    object_acceleration: NDArray
    """(..., 3) of the object x, y [m/s^2] and its angle [rad/s^2]"""
    rows: tuple[str, ...]
    """names of the constraints"""
    force: NDArray
    """(..., rows) constraint forces [N]: contacts press, each wheel's is to the right of its link"""
    contact_holds: NDArray
    """(...) whether robot and object stay in contact"""
    slips: NDArray
    """(..., rows) whether a row is at its limit: a slipping wheel, an object that slides on the ground"""
    object_norm: NDArray
    """(...) |a_obj|^2 = a^T Iobj a [N^2/kg]"""
    robot_norm: NDArray
    """(...) |qdd|^2 = qdd^T Ms qdd [N^2/kg]"""
    force_norm: NDArray
    """(...) |lambda|^2 = lambda^T Gc lambda [N^2/kg]"""
    ratio: NDArray
    """(...) slippage ratio (30), 0 to 1; NaN if nothing moves"""
    residual: NDArray
    """(...) greatest violation of the complementarity conditions, relative to the terms that cancel in them"""
    redundant: tuple[str, ...]
    """constraints that depend linearly on earlier ones: motions are unique, the distribution of force among these is
    not
    """


class PushSurvey(NamedTuple):
    """Greatest values over the input region for many shapes; exact, or the best of the samples."""

    shapes: NDArray  # (count, joints) [rad]
    object_norm: NDArray  # (count,) [N^2/kg]
    robot_norm: NDArray  # (count,) [N^2/kg]
    force_norm: NDArray  # (count,) [N^2/kg]
    ratio: NDArray  # (count,)
    torque: NDArray  # (count, 4, joints) torques of each of the four maxima [N m]
    samples: int  # torques tried at each shape, besides those of an exact search
    exact: bool  # whether the values are the exact maxima
    distance: NDArray  # (count,) of the centre of mass from the contact point [m]
    angle: NDArray  # (count,) of the centre of mass, seen from the contact point along the contact link [rad]
    residual: float  # largest of all


def pushing(
    robot: PlanarRobot,
    shape: ArrayLike,
    object: PushedObject,
    torque: ArrayLike | None = None,
    *,
    wheels: Wheels | str = "ideal",
    contact: Contact | None = None,
    support: Support | None = None,
    wrench: Sequence[float] = STILL,
    heading: float = 0.0,
) -> PushResponse:
    """Push from rest with one torque (joints,), or many (count, joints); by default sample the input region.

    shape (joints,) joint angles [rad]. wrench: external force on the object in world axes [N] and torque [N m].
    heading: angle of link 0 in the world [rad]. support: more contacts, walls, a fixed link.
    """
    push, names = prepare_push(robot, object, wheels, contact, support)
    angles = numbers("shape", shape, (robot.joints,))
    if torque is None:
        torque = kernels.region_torques(push, angles[None], unit_mass(robot), input_ball(robot.joints))[0]
    given = numbers("torque", torque)
    if given.ndim not in (1, 2) or given.shape[-1] != robot.joints:
        raise InvalidValue("torque", torque, f"{robot.joints} numbers, one per joint, or an array of such rows")
    outside = numbers("wrench", wrench, (3,))
    parts = kernels.respond(push, finite("heading", heading), angles, np.atleast_2d(given), outside)
    response = name_results(np.atleast_2d(given), parts, names, push, redundant_rows(push, angles, names))
    return response if given.ndim == 2 else first_of(response)


def name_results(
    torque: NDArray, parts: Any, names: tuple[str, ...], push: Push, redundant: tuple[str, ...]
) -> PushResponse:
    """Return the kernel's result by name; raise an error if a condition is violated."""
    acceleration, bodies, force, state, measures = parts
    residual = measures[:, 4]
    if not np.all(residual <= RESIDUAL):
        worst = int(np.argmax(np.where(np.isnan(residual), np.inf, residual)))
        raise InvalidValue("torque", torque[worst].tolist(), "such that the contact problem can be solved")
    one_sided = np.isinf(push.limits[:, 1]) & np.isfinite(push.limits[:, 0])
    return PushResponse(
        torque, acceleration, bodies, names, force,
        ((state != AT_LOWER) & (push.presses > 0.0)).any(axis=1),
        (state == AT_UPPER) | ((state == AT_LOWER) & ~one_sided),
        measures[:, 0], measures[:, 1], measures[:, 2], measures[:, 3], residual, redundant,
    )  # fmt: skip


def first_of(response: PushResponse) -> PushResponse:
    """Return the response to a single torque, without the axis over torques."""
    values = {k: v[0] if isinstance(v, np.ndarray) else v for k, v in vars(response).items()}
    return PushResponse(**values)


def push_survey(
    robot: PlanarRobot,
    shapes: ArrayLike,
    object: PushedObject,
    *,
    wheels: Wheels | str = "ideal",
    contact: Contact | None = None,
    support: Support | None = None,
    directions: int = 100,
    radii: int = 5,
) -> PushSurvey:
    """Return the greatest norms and ratio over the input region (31), for every shape of an array (count, joints)
    [rad].

    Torques are sampled in `directions` at `radii` distances. The values are raised to the exact maxima if the response
    has at most MOST_FACES faces, as with up to five wheels that can slip. Otherwise they are too low.
    """
    push, _ = prepare_push(robot, object, wheels, contact, support)
    several = object.friction > 0.0 and push.presses.sum() > 1.0
    require(not several, "object.friction", object.friction, "0 for a survey with several contacts")
    angles = numbers("shapes", shapes)
    if angles.ndim != 2 or angles.shape[1] != robot.joints:
        raise InvalidValue("shapes", shapes, f"an array of rows of {robot.joints} joint angles")
    ball = input_ball(robot.joints, directions, radii)
    greatest, best, residual = kernels.survey(push, angles, unit_mass(robot), ball)
    choices = choices_of(push.limits)
    exact = prod(map(len, choices)) <= MOST_FACES
    if exact:
        counts, table = (
            np.array([len(row) for row in choices]),
            np.array([row + [0] * (5 - len(row)) for row in choices]),
        )
        residual = max(residual, raise_to_maxima(push, angles, unit_mass(robot), table, counts, greatest, best))
    require(residual <= RESIDUAL, "shapes", shapes, "such that the contact problem can be solved")
    polar = kernels.polar_center(push, angles)
    of_object, of_robot, of_force, ratio = greatest.T
    return PushSurvey(
        angles, of_object, of_robot, of_force, ratio, best, len(ball) + 8, exact, polar[:, 0], polar[:, 1], residual
    )


def input_torques(robot: PlanarRobot, shape: ArrayLike, ball: NDArray) -> NDArray:
    """Return the torques [N m] of the input region for points of the unit ball (count, joints)."""
    push, _ = prepare_push(robot, PushedObject(), "none", None)
    points = numbers("ball", ball, (ANY, robot.joints))
    return kernels.region_torques(push, numbers("shape", shape, (robot.joints,))[None], unit_mass(robot), points)[0]


def input_ball(joints: int, directions: int = 100, radii: int = 5) -> NDArray:
    """Return points that fill the unit ball, (directions * radii, joints): each direction at equal steps up to the
    surface.
    """
    whole_number("directions", directions, 2, 10**7)
    whole_number("radii", radii, 1, 10**4)
    steps = np.arange(1, radii + 1) / radii
    points = unit_directions(joints, directions)[:, None, :] * steps[None, :, None]
    return np.ascontiguousarray(points.reshape(-1, joints))


def unit_directions(joints: int, count: int) -> NDArray:
    """Return directions on the sphere: evenly spaced up to three joints, random with a fixed seed beyond."""
    if joints == 1:
        return np.where(np.arange(count) < count / 2, 1.0, -1.0)[:, None]
    index = np.arange(count) + 0.5
    if joints == 2:
        angle = 2.0 * np.pi * index / count
        return np.stack([np.cos(angle), np.sin(angle)], axis=1)
    if joints == 3:  # golden-angle spiral
        z, angle = 1.0 - 2.0 * index / count, index * np.pi * (3.0 - np.sqrt(5.0))
        r = np.sqrt(1.0 - z * z)
        return np.stack([r * np.cos(angle), r * np.sin(angle), z], axis=1)
    normal = np.random.default_rng(0).standard_normal((count, joints))
    return normal / np.linalg.norm(normal, axis=1, keepdims=True)


def prepare_push(
    robot: PlanarRobot,
    object: PushedObject,
    wheels: Wheels | str,
    contact: Contact | None = None,
    support: Support | None = None,
) -> tuple[Push, tuple[str, ...]]:
    """Return the record of a push and the names of its rows, from checked input."""
    require(isinstance(object, PushedObject), "object", object, "a PushedObject")
    require(contact is None or isinstance(contact, Contact), "contact", contact, "a Contact")
    require(support is None or isinstance(support, Support), "support", support, "a Support")
    return push_record(robot, object, wheels_of(wheels), contact or Contact(), support or Support())


def unit_mass(robot: PlanarRobot) -> float:
    """Return the mass [kg] by which the paper's unit-mass matrices are divided: the mean of the links."""
    return float(chain_of(robot).mass.mean())


def redundant_rows(push: Push, shape: NDArray, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of the rows that depend on earlier ones."""
    return tuple(name for name, found in zip(names, kernels.dependent_rows(push, shape)) if found)
