"""Closed triangle meshes of simple solids: vertices (v, 3) [m] and faces (f, 3), counter-clockwise from outside."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

ROUND = 24  # corners of a round section


def circle(radius: float, corners: int = ROUND) -> NDArray:
    """Return a circle as (corners, 2), counter-clockwise."""
    angles = np.arange(corners) * 2.0 * np.pi / corners
    return radius * np.column_stack([np.cos(angles), np.sin(angles)])


def extrude(polygon: NDArray, start: float, end: float) -> tuple[NDArray, NDArray]:
    """Return a prism: a counter-clockwise polygon (y, z) extruded along x, its ends closed from their centres."""
    return loft(np.array([start, start, end, end]), np.stack([0.0 * polygon, polygon, polygon, 0.0 * polygon]))


def loft(stations: NDArray, sections: NDArray) -> tuple[NDArray, NDArray]:
    """Return a skin over sections (stations, corners, 2) at positions along x."""
    count, corners = sections.shape[:2]
    x = np.broadcast_to(stations[:, None, None], (count, corners, 1))
    vertices = np.concatenate([x, sections], axis=2).reshape(-1, 3)
    ring, corner = np.meshgrid(np.arange(count - 1), np.arange(corners), indexing="ij")
    a, b = ring * corners + corner, ring * corners + (corner + 1) % corners
    first = np.stack([a, b, b + corners], axis=-1)
    second = np.stack([a, b + corners, a + corners], axis=-1)
    faces = np.concatenate([first, second]).reshape(-1, 3)
    edges = vertices[faces]
    area = np.linalg.norm(np.cross(edges[:, 1] - edges[:, 0], edges[:, 2] - edges[:, 0]), axis=1)
    return vertices, faces[area > 1e-16]


def turned_profile(start: NDArray, end: NDArray, profile: NDArray) -> tuple[NDArray, NDArray]:
    """Return the surface of revolution of a profile (points, 2), axial position and radius, about a line."""
    way, radius = np.asarray(profile, dtype=float).T
    vertices, faces = loft(way, radius[:, None, None] * circle(1.0)[None])
    return start + vertices @ turned_to(end - start).T, faces


def tube(start: NDArray, end: NDArray, radius: float) -> tuple[NDArray, NDArray]:
    """Return a cylinder between two points."""
    return frustum(start, end, radius, radius)


def frustum(start: NDArray, end: NDArray, first: float, last: float) -> tuple[NDArray, NDArray]:
    """Return a conical frustum between two points, with a radius at each."""
    length = float(np.linalg.norm(end - start))
    return turned_profile(start, end, np.array([(0.0, 0.0), (0.0, first), (length, last), (length, 0.0)]))


def hollow_tube(start: NDArray, end: NDArray, inner: float, outer: float) -> tuple[NDArray, NDArray]:
    """Return a pipe between two points."""
    length = float(np.linalg.norm(end - start))
    corners = [(0.0, inner), (0.0, outer), (length, outer), (length, inner), (0.0, inner)]
    return turned_profile(start, end, np.array(corners))


def capsule(start: NDArray, end: NDArray, radius: float, rings: int = 6) -> tuple[NDArray, NDArray]:
    """Return a cylinder between two points, with round ends beyond them."""
    length = float(np.linalg.norm(end - start))
    angle = np.linspace(0.0, np.pi / 2.0, rings)
    way = np.concatenate([-radius * np.cos(angle), length + radius * np.sin(angle)])
    return turned_profile(start, end, np.column_stack([way, radius * np.r_[np.sin(angle), np.cos(angle)]]))


def turned_to(direction: NDArray) -> NDArray:
    """Return a rotation of x to a direction."""
    x = direction / np.linalg.norm(direction)
    helper = np.array([0.0, 1.0, 0.0]) if abs(x[1]) < 0.9 else np.array([0.0, 0.0, 1.0])
    z = np.cross(x, helper)
    z /= np.linalg.norm(z)
    return np.column_stack([x, np.cross(z, x), z])
