"""Distances between straight segments in the plane, negative where they cross."""

from __future__ import annotations

from math import sqrt

from serpenoid.kernels.compile import inlined, inner


@inner
def nearest_share(ax, ay, bx, by, px, py):
    """Return the position of the point of segment a-b nearest to p as a fraction 0..1; 0 for a segment of length 0."""
    dx, dy = bx - ax, by - ay
    square = dx * dx + dy * dy
    if square == 0.0:
        return 0.0
    return min(max(((px - ax) * dx + (py - ay) * dy) / square, 0.0), 1.0)


@inner
def crossing(ax, ay, bx, by, cx, cy, dx, dy):
    """Return whether the segments a-b and c-d cross in their interiors."""
    first = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    second = (bx - ax) * (dy - ay) - (by - ay) * (dx - ax)
    third = (dx - cx) * (ay - cy) - (dy - cy) * (ax - cx)
    fourth = (dx - cx) * (by - cy) - (dy - cy) * (bx - cx)
    return first * second < 0.0 and third * fourth < 0.0


@inlined
def segment_distance(a, b, c, d):
    """Return (distance, fraction along a-b, normal x, normal y) of two segments.

    The segments are given by their ends, each an array (2,) [m].
    The normal is the gradient of the distance with respect to the nearest point of a-b. If the segments cross, the
    distance is minus the shortest distance from an end to the other segment.
    """
    ax, ay, bx, by = a[0], a[1], b[0], b[1]
    cx, cy, dx, dy = c[0], c[1], d[0], d[1]
    best, share, gx, gy = 1e300, 0.0, 0.0, 0.0
    for i in range(4):
        if i < 2:  # an end of a-b against c-d
            own = float(i)
            other = nearest_share(cx, cy, dx, dy, ax if i == 0 else bx, ay if i == 0 else by)
        else:  # an end of c-d against a-b
            other = float(i - 2)
            own = nearest_share(ax, ay, bx, by, cx if i == 2 else dx, cy if i == 2 else dy)
        x = ax + own * (bx - ax) - cx - other * (dx - cx)
        y = ay + own * (by - ay) - cy - other * (dy - cy)
        square = x * x + y * y
        if square < best:
            best, share, gx, gy = square, own, x, y
    distance = sqrt(best)
    if distance < 1e-12:  # touching: use any normal of a-b
        length = sqrt((bx - ax) ** 2 + (by - ay) ** 2)
        return 0.0, share, (ay - by) / length, (bx - ax) / length
    if crossing(ax, ay, bx, by, cx, cy, dx, dy):
        distance = -distance
    return distance, share, gx / distance, gy / distance
