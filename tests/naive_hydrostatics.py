"""Slow, naive references of the hydrostatics: convex hulls cut by half-spaces, and Monte Carlo."""

from __future__ import annotations

import numpy as np
from scipy.spatial import ConvexHull, HalfspaceIntersection, QhullError


def convex_immersion(polygon, start, end, plane):
    """Volume and centroid of the part of a convex prism with n . r + d < 0, from its half-spaces."""
    *normal, d = plane
    halfspaces = [[-1.0, 0.0, 0.0, start], [1.0, 0.0, 0.0, -end], [*normal, d]]
    for (y, z), (y_next, z_next) in zip(polygon, np.roll(polygon, -1, axis=0)):
        across, up = z_next - z, y - y_next
        halfspaces.append([0.0, across, up, -(across * y + up * z)])
    halfspaces = np.array(halfspaces) / np.linalg.norm(np.array(halfspaces)[:, :3], axis=1)[:, None]
    corners = np.array([[x, y, z] for x in (start, end) for y, z in polygon])
    heights = corners @ np.array(normal) + d
    if heights.min() > -1e-9:
        return 0.0, np.zeros(3)
    # A point inside: between the deepest corner and the prism's centre, as far up as the water lets it.
    deepest, centre = corners[heights.argmin()], corners.mean(axis=0)
    top = centre @ np.array(normal) + d
    share = 0.5 if top <= 0.0 else 0.5 * heights.min() / (heights.min() - top)
    try:
        points = HalfspaceIntersection(halfspaces, deepest + share * (centre - deepest)).intersections
    except QhullError:
        return 0.0, np.zeros(3)
    return hull_volume_and_centroid(points)


def hull_volume_and_centroid(points):
    """Volume and centroid of a convex hull, as a sum of tetrahedra about its mean point."""
    hull = ConvexHull(points)
    inside = points.mean(axis=0)
    volume, moment = 0.0, np.zeros(3)
    for simplex in hull.simplices:
        a, b, c = points[simplex] - inside
        part = abs(np.linalg.det([a, b, c])) / 6.0
        volume += part
        moment += part * (inside + (a + b + c) / 4.0)
    return volume, moment / volume


def inside_polygon(polygon, points):
    """Even-odd rule for points (n, 2)."""
    inside = np.zeros(len(points), dtype=bool)
    for (y, z), (y_next, z_next) in zip(polygon, np.roll(polygon, -1, axis=0)):
        crosses = (z > points[:, 1]) != (z_next > points[:, 1])
        with np.errstate(divide="ignore", invalid="ignore"):
            at = y + (points[:, 1] - z) * (y_next - y) / (z_next - z)
        inside ^= crosses & (points[:, 0] < at)
    return inside


def monte_carlo_immersion(polygon, start, end, plane, count, rng):
    """Volume and first moments of the immersed part, with their standard errors."""
    low, high = polygon.min(axis=0), polygon.max(axis=0)
    points = np.column_stack((rng.uniform(start, end, count), rng.uniform(low, high, (count, 2))))
    wet = inside_polygon(polygon, points[:, 1:]) & (points @ np.array(plane[:3]) + plane[3] < 0.0)
    box = (end - start) * np.prod(high - low)
    samples = box * np.column_stack((wet, wet[:, None] * points))
    return samples.mean(axis=0), samples.std(axis=0) / np.sqrt(count)
