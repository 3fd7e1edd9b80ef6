"""Pipe to crawl through: straight or bent, level or upright, of constant or varying radius."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, cos, pi, sin
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, at_least, between
from serpenoid.errors import InvalidValue, require
from serpenoid.robots.base import Robot
from serpenoid.worlds.contact import ContactWorld, Solid
from serpenoid.worlds.geometry import Ground, Shape
from serpenoid.worlds.initial_pose import base_to_world, coil_of, links_of, lying_pose, moved_pose, skin_of, wound_pose
from serpenoid.worlds.solids import Box, Pipe


class Stations(NamedTuple):
    """Consecutive sections of a pipe."""

    center: NDArray  # (n, 3) [m]
    ahead: NDArray  # (n, 3) unit vectors along the pipe
    side: NDArray  # (n, 3) unit vectors to the left
    up: NDArray  # (n, 3) unit vectors across both
    radius: NDArray  # (n,) inner radius [m]


@dataclass(frozen=True)
class Pipeline(ContactWorld):
    """Pipe on a level floor from the origin towards -x, or upwards, built from rings of flat boxes."""

    bore: Annotated[float, above(0.0, usual=(0.06, 0.2))] = 0.1
    """inner radius [m]"""
    length: Annotated[float, above(0.0, usual=(1.0, 5.0))] = 3.0
    """length of the straight piece before the bend [m]"""
    bend: Annotated[float, between(-pi, pi, usual=(-pi / 2, pi / 2))] = 0.0
    """angle of the bend at its end, positive to the left [rad]; 0: a straight pipe"""
    bend_radius: Annotated[float, above(0.0, usual=(0.3, 2.0))] = 0.6
    """radius of the bend's middle line [m]"""
    length_after: Annotated[float, at_least(0.0, usual=(0.0, 3.0))] = 1.5
    """length of the straight piece after a bend [m]"""
    waist: Annotated[float | None, above(0.0, usual=(0.05, 0.2))] = None
    """inner radius in the middle of the first piece [m]; none: constant radius"""
    waist_length: Annotated[float, above(0.0, usual=(0.2, 2.0))] = 0.6
    """length over which the radius changes and returns [m]"""
    inclination: Annotated[float, between(0.0, pi / 2, usual=(0.0, pi / 2))] = 0.0
    """inclination of the pipe [rad]; pi/2: upright"""
    staves: Annotated[int, between(24, 120, usual=(24, 48))] = 24
    """flat boxes per ring"""
    ring: Annotated[float, above(0.0, usual=(0.02, 0.1))] = 0.05
    """largest length of a ring where the pipe bends or its radius changes [m]"""
    thickness: Annotated[float, above(0.0, usual=(0.005, 0.03))] = 0.02
    """thickness of the wall [m]"""
    pipe_friction: Annotated[float, at_least(0.0, usual=(0.2, 1.0))] = 0.5
    """coefficient of friction of the pipe's inside [-]"""

    def __post_init__(self) -> None:
        super().__post_init__()
        wider = self.bore + self.thickness
        require(self.bend == 0.0 or self.bend_radius > wider, "bend_radius", self.bend_radius, f"above {wider:g} m")
        require(self.waist_length <= self.length, "waist_length", self.waist_length, f"at most {self.length:g} m")

    def stations(self) -> Stations:
        """Return the stations along the pipe at which rings begin and end."""
        way = self.ways()
        angle = np.clip((way - self.length) / self.bend_radius, 0.0, abs(self.bend)) * np.sign(self.bend)
        beyond = np.maximum(way - self.length - abs(self.bend) * self.bend_radius, 0.0)
        straight, sign = np.minimum(way, self.length), 1.0 if self.bend >= 0.0 else -1.0
        along = straight + self.bend_radius * np.sin(np.abs(angle)) + beyond * np.cos(angle)
        aside = sign * self.bend_radius * (1.0 - np.cos(angle)) + beyond * np.sin(angle)
        forward, left, up = self.frame()
        foot = np.array([0.0, 0.0, (self.bore + self.thickness) * cos(self.inclination)])
        center = foot + np.outer(along, forward) + np.outer(aside, left)
        ahead = np.outer(np.cos(angle), forward) + np.outer(np.sin(angle), left)
        side = np.outer(np.cos(angle), left) - np.outer(np.sin(angle), forward)
        return Stations(center, ahead, side, np.tile(up, (way.size, 1)), self.bore_at(way))

    def frame(self) -> tuple[NDArray, NDArray, NDArray]:
        """Return unit vectors of the first piece: along it, to its left, normal to both."""
        c, s = cos(self.inclination), sin(self.inclination)
        return np.array([-c, 0.0, s]), np.array([0.0, -1.0, 0.0]), np.array([s, 0.0, c])

    def ways(self) -> NDArray:
        """Return arc lengths at which rings meet [m]; dense only where the pipe bends or its radius changes."""
        marks = [np.array([0.0, self.length])]
        if self.waist is not None:
            middle, half = 0.5 * self.length, 0.5 * self.waist_length
            marks.append(np.linspace(middle - half, middle + half, 2 * ceil(half / self.ring) + 1))
        if self.bend != 0.0:
            arc = abs(self.bend) * self.bend_radius
            marks.append(self.length + np.linspace(0.0, arc, ceil(arc / self.ring) + 1))
            marks.append(np.array([self.length + arc + self.length_after]))
        return np.unique(np.round(np.concatenate(marks), 9))

    def bore_at(self, way: NDArray) -> NDArray:
        """Return the inner radius at arc lengths along the centre line [m]."""
        if self.waist is None:
            return np.full(way.shape, self.bore)
        share = np.clip((way - 0.5 * self.length) / self.waist_length, -0.5, 0.5)
        return self.bore + (self.waist - self.bore) * np.cos(pi * share) ** 2

    def geometry(self) -> tuple[Shape, ...]:
        """Return the floor, and the pipe as glass."""
        at = self.stations()
        rings = [
            Pipe(tuple(first.tolist()), tuple(last.tolist()), float(radius), self.thickness)
            for first, last, radius in zip(at.center, at.center[1:], 0.5 * (at.radius + at.radius[1:]))
        ]
        return (Ground((0.0, 0.0, 0.0)), *rings)

    def solids(self) -> tuple[Solid, ...]:
        """Return the floor, and the boxes of the pipe."""
        grip = (self.pipe_friction, self.pipe_friction)
        floor = Solid(Ground((0.0, 0.0, 0.0)), self.ground_friction)
        return (floor, *(Solid(stave, grip) for stave in self.stave_boxes()))

    def stave_boxes(self) -> list[Box]:
        """Return each box of the wall; its inner face touches the inner radius along its centre line."""
        at, found = self.stations(), []
        angles = 2.0 * pi * np.arange(self.staves) / self.staves
        for i in range(len(at.center) - 1):
            width = 2.0 * (max(at.radius[i : i + 2]) + self.thickness) * np.tan(pi / self.staves)
            for angle in angles:
                out = np.cos(angle) * at.side[i : i + 2] + np.sin(angle) * at.up[i : i + 2]
                ends = at.center[i : i + 2] + at.radius[i : i + 2, None] * out
                found.append(stave(ends, out.sum(axis=0), float(width), self.thickness))
        return found

    def resting_pose(self, robot: Robot, shape: NDArray) -> tuple[float, ...]:
        """Return a pose inside the pipe, at its beginning, head first: a helix about the axis, other shapes on the
        bottom.
        """
        forward, _, _ = self.frame()
        first, coil = self.stations().center[0], coil_of(robot, shape)
        if coil is not None:
            return wound_pose(robot, shape, coil, first, forward, 0.0)
        if self.inclination > 0.0:
            raise InvalidValue("inclination", self.inclination, "0 unless the start is a helix")
        pose = lying_pose(robot, shape, lambda places: np.full(len(places), self.thickness))
        return moved_pose(
            pose, (-float(base_to_world(pose, skin_of(robot, links_of(robot, shape)))[:, 0].max()), 0.0, 0.0)
        )


def stave(ends: NDArray, out: NDArray, width: float, thickness: float) -> Box:
    """Return a box along a line (2, 3) in the middle of its inner face, which faces against `out`."""
    from scipy.spatial.transform import Rotation

    along = ends[1] - ends[0]
    length = float(np.linalg.norm(along))
    along = along / length
    out = out - (out @ along) * along
    out = out / np.linalg.norm(out)
    turn = Rotation.from_matrix(np.column_stack([along, np.cross(out, along), out])).as_quat(scalar_first=True)
    center = ends.mean(axis=0) + 0.5 * thickness * out
    return Box(tuple(center.tolist()), (length, width, thickness), tuple(turn.tolist()))
