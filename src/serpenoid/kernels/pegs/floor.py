"""The floor under the links: Coulomb friction, force = -G v with the secants G = mu N / sqrt(v^2 + eps^2).

The first sweep of a step takes the tangent of this law at the speed v0 of the start, on a floor that is alike in all
directions exactly, and else as near to it as a symmetric matrix can be:

    force = -G v + q (q . v - r)     q = G v0 sqrt(share / e), r = sqrt(share e)
                                     e = v0 . G v0, share = v0^2 / (v0^2 + eps^2)

so that a link that slides and speeds up meets no more friction than Coulomb's. Where the force turns out to be off,
the sweeps that follow take secants alone (q = r = 0): they converge from anywhere.
"""

from __future__ import annotations

from math import sqrt

from serpenoid.kernels.compile import inner

ACCURACY = 0.1  # of a friction force, as a share of mu N
TINY = 1e-30  # keeps a link at rest from 0 / 0 [W]


@inner
def start_floor(scene, work):
    """Secants and tangents at the twists of the step's start, for its first sweep."""
    floor, links, out = scene.floor, work.links, work.floor
    n, square = links.cosine.size, floor.smoothing * floor.smoothing
    for station in range(floor.place.size // n):
        start = station * n
        for k in range(n):
            c, s = links.cosine[k], links.sine[k]
            v_along = links.rate[k] * (links.x[k] * s - links.y[k] * c) + links.u[k] * c + links.v[k] * s
            arm = links.x[k] * c + links.y[k] * s + floor.place[start + k]
            v_across = links.rate[k] * arm - links.u[k] * s + links.v[k] * c
            speed = v_along * v_along + v_across * v_across
            inverse = 1.0 / sqrt(speed + square)
            along, across = floor.along[start + k] * inverse, floor.across[start + k] * inverse
            energy = along * v_along * v_along + across * v_across * v_across
            ease = sqrt(speed * inverse * inverse / (energy + TINY))
            out.next_along[start + k], out.next_across[start + k] = along, across
            out.ease_along[start + k], out.ease_across[start + k] = ease * along * v_along, ease * across * v_across
            out.ease[start + k] = ease * energy


@inner
def floor_secants(scene, work):
    """Secants at the twists of the step's end into the `next` ones; whether a force in use is off there."""
    floor, links, out = scene.floor, work.links, work.floor
    n, square = links.cosine.size, floor.smoothing * floor.smoothing
    off = 0.0
    for station in range(floor.place.size // n):
        start = station * n
        for k in range(n):
            c, s = links.cosine[k], links.sine[k]
            v_along = links.next_rate[k] * (links.x[k] * s - links.y[k] * c) + links.next_u[k] * c + links.next_v[k] * s
            arm = links.x[k] * c + links.y[k] * s + floor.place[start + k]
            v_across = links.next_rate[k] * arm - links.next_u[k] * s + links.next_v[k] * c
            inverse = 1.0 / sqrt(v_along * v_along + v_across * v_across + square)
            along, across = floor.along[start + k] * inverse, floor.across[start + k] * inverse
            used_along, used_across = floor_drag(out, start + k, v_along, v_across)
            d_along, d_across = along * v_along - used_along, across * v_across - used_across
            most = ACCURACY * ACCURACY * (floor.along[start + k] ** 2 + floor.across[start + k] ** 2)
            off = max(off, d_along * d_along + d_across * d_across - most)
            out.next_along[start + k], out.next_across[start + k] = along, across
    return off > 0.0


@inner
def add_floor(scene, work, step, first):
    """Take over the next secants, in the `first` sweep with their tangents, and lay them into inertias and biases.

    With rows J of a station's velocity along and across its link: A += h J^T (G - q q^T) J, b += J^T G v0.
    """
    floor, links, sweep, used = scene.floor, work.links, work.sweep, work.floor
    n, keep = links.cosine.size, 1.0 if first else 0.0
    for station in range(floor.place.size // n):
        start = station * n
        for k in range(n):
            c, s = links.cosine[k], links.sine[k]
            along, across = used.next_along[start + k], used.next_across[start + k]
            q_along, q_across = keep * used.ease_along[start + k], keep * used.ease_across[start + k]
            used.along[start + k], used.across[start + k] = along, across
            used.ease_along[start + k], used.ease_across[start + k] = q_along, q_across
            used.ease[start + k] *= keep
            arm_along = links.x[k] * s - links.y[k] * c
            arm_across = links.x[k] * c + links.y[k] * s + floor.place[start + k]
            f_along = along * (links.rate[k] * arm_along + links.u[k] * c + links.v[k] * s)
            f_across = across * (links.rate[k] * arm_across - links.u[k] * s + links.v[k] * c)
            along, across, mixed = along - q_along * q_along, across - q_across * q_across, -q_along * q_across
            r_along, r_across = along * arm_along + mixed * arm_across, mixed * arm_along + across * arm_across
            twice = 2.0 * mixed * c * s
            sweep.a00[k] += step * (r_along * arm_along + r_across * arm_across)
            sweep.a01[k] += step * (r_along * c - r_across * s)
            sweep.a02[k] += step * (r_along * s + r_across * c)
            sweep.a11[k] += step * (along * c * c + across * s * s - twice)
            sweep.a12[k] += step * ((along - across) * c * s + mixed * (c * c - s * s))
            sweep.a22[k] += step * (along * s * s + across * c * c + twice)
            sweep.b0[k] += arm_along * f_along + arm_across * f_across
            sweep.b1[k] += c * f_along - s * f_across
            sweep.b2[k] += s * f_along + c * f_across


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
            along, across = floor_drag(used, start + k, w_along, w_across)
            total += along * (v_along + w_along) + across * (v_across + w_across)
    return -0.5 * step * total


@inner
def floor_drag(used, i, v_along, v_across):
    """What the floor holds against a station's velocity at the end of the step, along and across its link [N]."""
    q_along, q_across = used.ease_along[i], used.ease_across[i]
    eased = q_along * v_along + q_across * v_across - used.ease[i]
    return used.along[i] * v_along - q_along * eased, used.across[i] * v_across - q_across * eased
