"""Helices that fit a pole or a pipe: straight links touch the wall before an ideal helix of the same radius would."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from math import ceil, pi

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import InvalidValue, Unsupported
from serpenoid.gaits.helix import RollingHelix, module_length
from serpenoid.kernels.motion import motion_samples
from serpenoid.robots.base import Robot
from serpenoid.robots.shapes import Segment, segments
from serpenoid.support.kernel_inputs import motion_of
from serpenoid.worlds.coil import fit_coil
from serpenoid.worlds.initial_pose import links_of

PHASES = 4  # phases of a cycle at which a helix is checked
STATIONS = np.linspace(0.0, 1.0, 9)  # positions along a link
WIDEST = 5.0  # largest helix radius searched, relative to that of the pole or pipe


def helix_shape(robot: Robot, gait: RollingHelix, phase: float = 0.0) -> NDArray:
    """Return the joint angles (joints,) [rad] of a helix at a phase after its start."""
    shifted = replace(gait, phase=gait.phase + phase)
    return motion_samples(motion_of(shifted, robot), np.zeros(1))[0][0]


def reach_from_axis(robot: Robot, shape: NDArray, pieces: list[Segment]) -> tuple[float, float]:
    """Return the smallest and largest distance [m] of the body's centre line, given as pieces, from the helix axis."""
    links = links_of(robot, shape)
    coil = fit_coil(links.place[1:])
    ends = np.array([(piece.body, *piece.start, *piece.end) for piece in pieces])
    body, start, end = ends[:, 0].astype(int), ends[:, 1:4], ends[:, 4:]
    local = start[:, None] + STATIONS[:, None] * (end - start)[:, None]
    line = links.place[body][:, None] + np.einsum("bij,bsj->bsi", links.turn[body], local)
    away = np.linalg.norm(np.cross(line - coil.center, coil.axis), axis=-1)
    return float(away.min()), float(away.max())


def body_radius(robot: Robot) -> float:
    """Return the radius of a round body [m]; raise for a robot that is not round."""
    if robot.radius is None:
        raise Unsupported(f"{robot.called} is not round: a helix cannot be fitted to it")
    return robot.radius


@lru_cache(maxsize=64)
def fitted_helix(
    robot: Robot, gait: RollingHelix, wall: float, inside: bool = False, tighter: float = 0.0
) -> RollingHelix:
    """Return a gait with a radius fitted to a pole (or, inside, a pipe) of radius `wall` [m].

    At its nearest phase the robot just touches the wall. `tighter` [m] then reduces (inside: increases) the radius,
    to press against the wall.
    """
    from scipy.optimize import brentq

    pieces, thick = segments(robot), body_radius(robot)

    def touched(radius: float) -> float:
        """Return the radius of the wall that a helix just touches [m]."""
        shapes = (helix_shape(robot, replace(gait, radius=radius), 2.0 * pi * k / PHASES) for k in range(PHASES))
        reaches = [reach_from_axis(robot, shape, pieces)[inside] for shape in shapes]
        return max(reaches) + thick if inside else min(reaches) - thick

    tightest = tightest_radius(robot, gait)
    pressed = 0.0 if inside else max(tighter, 0.0)
    least = touched(tightest + pressed)
    if wall < least:
        name, by = ("bore" if inside else "radius"), f" and press against it by {1e3 * pressed:g} mm" if pressed else ""
        around = "in a narrower pipe" if inside else "around a thinner pole"
        raise InvalidValue(
            name, wall, f"at least {rounded_up(least)} m: joints at their limits cannot wind {around}{by}"
        )
    if not touched(tightest) <= wall <= touched(WIDEST * wall):
        raise Unsupported(f"no helix with a pitch of {gait.pitch:g} m touches a wall with a radius of {wall:g} m")
    fit = brentq(lambda radius: touched(radius) - wall, tightest, WIDEST * wall, xtol=1e-4)
    return replace(gait, radius=fit + tighter if inside else max(fit - tighter, tightest))


def rounded_up(length: float) -> str:
    """Return the length [m], rounded up to whole tenths of a millimetre."""
    return f"{ceil(1e4 * length) / 1e4:g}"


def tightest_radius(robot: Robot, gait: RollingHelix) -> float:
    """Return the smallest radius [m] that the joint limits allow at a gait's pitch; a steep helix may have any."""
    limits = robot.joint_range
    small = 0.25 * module_length(robot)
    if limits is None:
        return small
    limit = float(np.abs(limits).min())
    radii = np.linspace(small, max(6.0, 3.0 / limit) * module_length(robot), 400)
    bends = np.array([replace(gait, radius=float(radius)).winding(robot)[0] for radius in radii])
    wide = np.flatnonzero(bends > 0.999 * limit)
    return float(radii[wide[-1] + 1]) if wide.size else small
