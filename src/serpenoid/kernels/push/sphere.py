"""Local maxima of a quadratic function in a ball: the candidates of the trust-region problem.

On the sphere, H y + g = mu y. A global maximum has mu at or above the largest eigenvalue. There is at most one other
local maximum, with mu between the two largest (Martinez 1994). Both are roots of |(mu - H)^-1 g|^2 = radius^2. The left
side is convex between eigenvalues and increases at the second root. A maximum inside solves H y + g = 0.
"""

from __future__ import annotations

import numpy as np

from serpenoid.kernels.compile import inner, kernel

CANDIDATES = 5
HALVINGS = 100
SMALL = 1e-13  # relative size of a difference of eigenvalues that counts as zero


@inner
def excess(values, along, mu, radius, slope):
    """Return |(mu - H)^-1 g|^2 - radius^2, or with `slope` the negative of half its derivative, in eigenvectors."""
    total = 0.0 if slope else -radius * radius
    for k in range(values.size):
        part = along[k] / (mu - values[k])
        total += part * part / (mu - values[k]) if slope else part * part
    return total


@inner
def root_between(values, along, radius, low, high, slope):
    """Return the root of `excess` between `low`, where it is positive, and `high`, where it is negative."""
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if excess(values, along, middle, radius, slope) > 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@inner
def put_point(values, along, vectors, mu, radius, sign, point):
    """Set the point on the sphere with a multiplier; the part along the last eigenvector follows from the radius."""
    last = values.size - 1
    scale = abs(values[0]) + abs(values[last]) + abs(mu)
    rest = radius * radius
    for axis in range(values.size):
        point[axis] = 0.0
    for k in range(last):
        gap = mu - values[k]
        part = along[k] / gap if abs(gap) > SMALL * scale else 0.0
        rest -= part * part
        for axis in range(values.size):
            point[axis] += vectors[axis, k] * part
    for axis in range(values.size):
        point[axis] += vectors[axis, last] * sign * np.sqrt(max(rest, 0.0))


@kernel
def ball_candidates(hessian, gradient, radius, points):
    """Fill points (CANDIDATES, size) with all possible local maxima of y H y / 2 + g y in a ball; return their number.

    The caller selects the best one.
    """
    size = gradient.size
    if size == 0 or radius == 0.0:
        return 1  # the centre
    values, vectors = np.linalg.eigh(hessian)
    along = np.zeros(size)
    total = inside = 0.0
    for k in range(size):
        for axis in range(size):
            along[k] += vectors[axis, k] * gradient[axis]
        total += along[k] * along[k]
        inside += (along[k] / values[k]) ** 2
    last, count = size - 1, 0
    if inside <= radius * radius:  # stationary inside; never true if an eigenvalue is zero
        for k in range(size):
            for axis in range(size):
                points[0, axis] -= vectors[axis, k] * along[k] / values[k]
        count = 1
    low = values[last] + abs(along[last]) / radius
    mu = root_between(values, along, radius, low, values[last] + np.sqrt(total) / radius, False)
    for sign in (-1.0, 1.0):
        put_point(values, along, vectors, mu, radius, sign, points[count])
        count += 1
    if size > 1 and values[last] - values[last - 1] > SMALL * (abs(values[0]) + abs(values[last])):
        middle = root_between(values, along, radius, values[last - 1], values[last], True)
        if excess(values, along, middle, radius, False) < 0.0:
            mu = root_between(values, along, radius, values[last], middle, False)
            for sign in (-1.0, 1.0):
                put_point(values, along, vectors, mu, radius, sign, points[count])
                count += 1
    return count
