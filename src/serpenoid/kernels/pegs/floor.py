"""The floor under the links: Coulomb friction by its secant, force = -mu N v / sqrt(v^2 + eps^2)."""

from __future__ import annotations

from math import sqrt

from serpenoid.kernels.compile import inner

ACCURACY = 0.1  # of a friction force, as a share of mu N


@inner
def floor_secants(scene, work, rate, u, v):
    """Secants at given twists (n,) of the links into the `next` ones; whether one in use gives a force that is off."""
    floor, links, out = scene.floor, work.links, work.floor
    n, square = links.cosine.size, floor.smoothing * floor.smoothing
    off = 0.0
    for station in range(floor.place.size // n):
        start = station * n
        for k in range(n):
            c, s, place = links.cosine[k], links.sine[k], floor.place[start + k]
            vx = u[k] - rate[k] * (links.y[k] + place * s)
            vy = v[k] + rate[k] * (links.x[k] + place * c)
            speed = vx * vx + vy * vy
            inverse = 1.0 / sqrt(speed + square)
            along, across = floor.along[start + k] * inverse, floor.across[start + k] * inverse
            d_along, d_across = along - out.along[start + k], across - out.across[start + k]
            most = ACCURACY * ACCURACY * (floor.along[start + k] ** 2 + floor.across[start + k] ** 2)
            off = max(off, (d_along * d_along + d_across * d_across) * speed - most)
            out.next_along[start + k], out.next_across[start + k] = along, across
    return off > 0.0


@inner
def add_floor(scene, work, step):
    """Take over the next secants and lay them into inertias and biases of the links: A += h g J J^T, b += g J J^T v."""
    floor, links, sweep, used = scene.floor, work.links, work.sweep, work.floor
    n = links.cosine.size
    for station in range(floor.place.size // n):
        start = station * n
        for k in range(n):
            c, s = links.cosine[k], links.sine[k]
            along, across = used.next_along[start + k], used.next_across[start + k]
            used.along[start + k], used.across[start + k] = along, across
            arm_along = links.x[k] * s - links.y[k] * c
            arm_across = links.x[k] * c + links.y[k] * s + floor.place[start + k]
            d01, d02 = along * arm_along * c - across * arm_across * s, along * arm_along * s + across * arm_across * c
            d00 = along * arm_along * arm_along + across * arm_across * arm_across
            d11, d22 = along * c * c + across * s * s, along * s * s + across * c * c
            d12 = (along - across) * c * s
            rate, u, v = links.rate[k], links.u[k], links.v[k]
            sweep.a00[k] += step * d00
            sweep.a01[k] += step * d01
            sweep.a02[k] += step * d02
            sweep.a11[k] += step * d11
            sweep.a12[k] += step * d12
            sweep.a22[k] += step * d22
            sweep.b0[k] += d00 * rate + d01 * u + d02 * v
            sweep.b1[k] += d01 * rate + d11 * u + d12 * v
            sweep.b2[k] += d02 * rate + d12 * u + d22 * v


@inner
def floor_work(scene, work, step):
    """Work of the floor on the links during the step [J]: the force in use times the mean velocity."""
    floor, links, used = scene.floor, work.links, work.floor
    n, total = links.cosine.size, 0.0
    for station in range(floor.place.size // n):
        start = station * n
        for k in range(n):
            c, s, place = links.cosine[k], links.sine[k], floor.place[start + k]
            x, y = links.x[k] + place * c, links.y[k] + place * s
            vx, vy = links.u[k] - links.rate[k] * y, links.v[k] + links.rate[k] * x
            wx, wy = links.next_u[k] - links.next_rate[k] * y, links.next_v[k] + links.next_rate[k] * x
            v_along, v_across, w_along, w_across = c * vx + s * vy, c * vy - s * vx, c * wx + s * wy, c * wy - s * wx
            total += used.along[start + k] * w_along * (v_along + w_along)
            total += used.across[start + k] * w_across * (v_across + w_across)
    return -0.5 * step * total
