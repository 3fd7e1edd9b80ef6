"""Naive implicit step among pegs: a dense equation of forces, for complex numbers or for casadi's symbols.

G(q, v_0, a, target) = inertia - forces at v_1 = v_0 + h a is zero at the step's accelerations. Drives must track their
targets within their limits, joints must be within theirs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

LIGHT = 0.25  # effective mass of a contact at the end of a rod, as a fraction of its link's


class Operations(NamedTuple):
    """Functions of the numbers in use."""

    sqrt: Any = np.sqrt
    cos: Any = np.cos
    sin: Any = np.sin
    positive: Any = staticmethod(lambda value, yes, no: yes if np.real(value) > 0.0 else no)


def share(ops, slow):
    return ops.positive(0.5 - slow, 1.0 - slow, 0.5)


def mean_of(ops, start, end, s0, s1, slow):
    """Return (v0 + w (v1 - v0)) / (s0 + w (s1 - s0)) of every component."""
    w = share(ops, (s0 + s1) * slow)
    size = s0 + w * (s1 - s0)
    return [(a + w * (b - a)) / size for a, b in zip(start, end)]


class Chain:
    """Positions of a chain, and velocities of points on it."""

    def __init__(self, scene, q, v, step, a, ops):
        self.n = scene.chain.mass.size
        self.e, self.node, angle, place = [], [], 0.0, (q[0], q[1])
        self.pivot = [place]
        for k in range(self.n):
            angle = angle + q[2 + k]
            self.e.append((ops.cos(angle), ops.sin(angle)))
            self.node.append(place)
            self.pivot.append(place)
            place = tuple(p + float(scene.chain.length[k]) * e for p, e in zip(place, self.e[k]))
        self.v, self.a = v, a
        self.after = [x + step * y for x, y in zip(v, a)]

    def point(self, k, along):
        return tuple(p + along * e for p, e in zip(self.node[k], self.e[k]))

    def rows(self, k, place):
        """Return the Jacobian (2, n + 2) of a point of link k by x, y, heading and joints."""
        x, y = [1.0, 0.0], [0.0, 1.0]
        for j in range(self.n):
            px, py = self.pivot[j + 1]
            x.append(-(place[1] - py) if j <= k else 0.0)
            y.append(place[0] - px if j <= k else 0.0)
        return x, y

    def velocity(self, k, place, rates):
        return [sum(r * v for r, v in zip(row, rates)) for row in self.rows(k, place)]


NUMBERS = Operations()


def residual(scene, drive, step, q, v, a, target, ops=NUMBERS):
    """Return the generalised forces (n + 2,) that are left over."""
    chain = Chain(scene, q, v, step, a, ops)
    n, left = chain.n, [0.0] * (len(q))

    def push(k, place, force, moment=0.0):
        """Subtract a force at a point, and a moment, on link k."""
        rows = chain.rows(k, place)
        for i in range(len(q)):
            turning = moment if 2 <= i <= 2 + k else 0.0
            left[i] = left[i] - rows[0][i] * force[0] - rows[1][i] * force[1] - turning

    rate, turning, bias = 0.0, 0.0, (0.0, 0.0)
    for k in range(n):
        rate, turning = rate + v[2 + k], turning + a[2 + k]
        place = chain.point(k, float(scene.chain.center[k]))
        rows = chain.rows(k, place)
        fast = [
            b - rate * rate * float(scene.chain.center[k]) * e + sum(r * x for r, x in zip(row, a))
            for b, e, row in zip(bias, chain.e[k], rows)
        ]
        bias = tuple(b - rate * rate * float(scene.chain.length[k]) * e for b, e in zip(bias, chain.e[k]))
        weight = (scene.weight_x, scene.weight_y)
        mass = float(scene.chain.mass[k])
        push(k, place, [-mass * (f - w) for f, w in zip(fast, weight)], -float(scene.chain.inertia[k]) * turning)
        add_floor(scene, step, chain, k, push, ops)
        for i in range(scene.obstacles.x.size):
            add_contact(scene, step, chain, k, i, push, ops)
    for j in range(n - 1):
        k, d = float(drive.stiffness[j]), float(drive.damping[j])
        give = max(0.5 * d, d - scene.stops.lightest / step) + 0.25 * step * k
        damped = float(scene.chain.joint_damping[j]) * chain.after[3 + j] + give * step * a[3 + j]
        left[3 + j] = left[3 + j] - (k * (target[j] - q[3 + j]) - d * v[3 + j] - damped)
    return left


def add_floor(scene, step, chain, k, push, ops):
    """Apply floor friction at the stations of a link."""
    floor, n = scene.floor, chain.n
    for i in range(k, floor.place.size, n):
        place, (c, s) = chain.point(k, float(floor.place[i])), chain.e[k]
        ends = []
        for rates in (chain.v, chain.after):
            u, w = chain.velocity(k, place, rates)
            ends.append((u * c + w * s, w * c - u * s))
        sizes = [ops.sqrt(x * x + y * y + floor.smoothing**2) for x, y in ends]
        along, across = mean_of(ops, *ends, *sizes, 0.5 / (step * floor.grip))
        along, across = along * float(floor.along[i]), across * float(floor.across[i])
        push(k, place, [-(c * along - s * across), -(s * along + c * across)])


def add_contact(scene, step, chain, k, i, push, ops):
    """Apply the force of a peg on a link."""
    touch, (c, s), length = scene.touch, chain.e[k], float(scene.chain.length[k])
    peg = (float(scene.obstacles.x[i]), float(scene.obstacles.y[i]))
    dx, dy = (a - b for a, b in zip(chain.node[k], peg))
    along = -(dx * c + dy * s)
    along = ops.positive(along, along, 0.0)
    along = ops.positive(along - length, length, along)
    axis = chain.point(k, along)
    dx, dy = (a - b for a, b in zip(axis, peg))
    apart = ops.sqrt(dx * dx + dy * dy)
    nx, ny = dx / apart, dy / apart
    depth = scene.radius + float(scene.obstacles.radius[i]) - apart
    place = (axis[0] - scene.radius * nx, axis[1] - scene.radius * ny)
    (u0, w0), (u1, w1) = (chain.velocity(k, place, rates) for rates in (chain.v, chain.after))
    g0, g1 = nx * u0 + ny * w0, nx * u1 + ny * w1
    late = 0.5 - depth / (step * ops.positive(-g0 - 1e-12, g0, -1e-12))
    late = ops.positive(-g0, ops.positive(late, late, 0.0), 0.0)
    lasts = ops.positive(depth + 0.5 * step * g0, 1.0, late)
    load = lasts * (touch.stiffness * depth - (0.5 * step * touch.stiffness + touch.damping) * g1)
    load = ops.positive(load, load, 0.0)
    slips = nx * w0 - ny * u0, nx * w1 - ny * u1
    sizes = [ops.sqrt(slip * slip + touch.smoothing**2) for slip in slips]
    firm = ops.positive(load - 1e-9, load, 1e-9)
    slow = 0.5 * LIGHT * float(scene.chain.mass[k]) / (step * touch.friction * firm)
    (sliding,) = mean_of(ops, [slips[0]], [slips[1]], *sizes, slow)
    drag = touch.friction * load * sliding
    push(k, place, [load * nx + drag * ny, load * ny - drag * nx])


def slopes(scene, drive, step, q, v, a, target):
    """Return the derivatives (n + 2, columns) of the accelerations by q, v_0 and targets, by complex steps."""
    parts, tiny = [np.array(part, dtype=complex) for part in (q, v, a, target)], 1e-30
    columns = []
    for part in parts:
        for i in range(part.size):
            part[i] += 1j * tiny
            columns.append(np.imag(residual(scene, drive, step, *parts)) / tiny)
            part[i] -= 1j * tiny
    half = len(q)
    table = np.array(columns).T
    by_a = table[:, 2 * half : 3 * half]
    return -np.linalg.solve(by_a, np.delete(table, np.s_[2 * half : 3 * half], axis=1))
