"""The floor under the links: Coulomb friction, force = -mu N v / s with s = sqrt(v^2 + eps^2).

During a step that changes a velocity by d the mean of v / s is near (v0 + d / 2) / ((s0 + s1) / 2): exactly so along a
line, through rest and back too. Friction is therefore taken as

    force = -G (v0 + w d)     G = mu N / (s0 + w (s1 - s0))

with the share w = 1/2, and a larger one where the link comes to rest (midpoint.py). The first sweep of a step takes the
tangent of the law at v0, on a floor that is alike in all directions exactly, and else as near to it as a symmetric
matrix can be:

    force = -G v + q (q . v - r)     v = v0 + w d, q = G v0 sqrt(share / e), r = sqrt(share e)
                                     e = v0 . G v0, share = v0^2 / s0^2

so that a link that slides and speeds up meets no more friction than Coulomb's. Where the force turns out to be off, the
sweeps that follow take G from the velocity that the last one found (q = r = 0).
"""

from __future__ import annotations

from math import sqrt

from serpenoid.kernels.compile import inner
from serpenoid.kernels.pegs.midpoint import share_of_change

ACCURACY = 0.03  # of a friction force, as a share of mu N
TINY = 1e-30  # keeps a link at rest from 0 / 0 [W]


@inner
def start_floor(scene, work, step):
    """Velocities at the start of the step, and tangents there for its first sweep."""
    floor, links, out = scene.floor, work.links, work.floor
    n, square, slow = links.cosine.size, floor.smoothing * floor.smoothing, 1.0 / (step * floor.grip)
    for station in range(floor.place.size // n):
        start = station * n
        for k in range(n):
            c, s = links.cosine[k], links.sine[k]
            v_along = links.rate[k] * (links.x[k] * s - links.y[k] * c) + links.u[k] * c + links.v[k] * s
            arm = links.x[k] * c + links.y[k] * s + floor.place[start + k]
            v_across = links.rate[k] * arm - links.u[k] * s + links.v[k] * c
            speed = v_along * v_along + v_across * v_across
            size = sqrt(speed + square)
            inverse = 1.0 / size
            along, across = floor.along[start + k] * inverse, floor.across[start + k] * inverse
            energy = along * v_along * v_along + across * v_across * v_across
            ease = sqrt(speed * inverse * inverse / (energy + TINY))
            out.start_along[start + k], out.start_across[start + k], out.start_size[start + k] = v_along, v_across, size
            out.next_along[start + k], out.next_across[start + k] = along, across
            out.next_share[start + k] = share_of_change(size * slow)
            out.ease_along[start + k], out.ease_across[start + k] = ease * along * v_along, ease * across * v_across
            out.ease[start + k] = ease * energy


@inner
def floor_secants(scene, work, step):
    """Forces in use at the twists of the step's end; the law there into the `next` numbers, and whether one is off."""
    floor, links, out = scene.floor, work.links, work.floor
    n, square, slow = links.cosine.size, floor.smoothing * floor.smoothing, 0.5 / (step * floor.grip)
    off = 0.0
    for station in range(floor.place.size // n):
        start = station * n
        for k in range(n):
            i, c, s = start + k, links.cosine[k], links.sine[k]
            v_along = links.next_rate[k] * (links.x[k] * s - links.y[k] * c) + links.next_u[k] * c + links.next_v[k] * s
            arm = links.x[k] * c + links.y[k] * s + floor.place[i]
            v_across = links.next_rate[k] * arm - links.next_u[k] * s + links.next_v[k] * c
            size = sqrt(v_along * v_along + v_across * v_across + square)
            share = share_of_change((size + out.start_size[i]) * slow)
            inverse = 1.0 / (out.start_size[i] + share * (size - out.start_size[i]))
            along, across = floor.along[i] * inverse, floor.across[i] * inverse
            w_along = between(out.start_along[i], v_along, out.share[i])
            w_across = between(out.start_across[i], v_across, out.share[i])
            eased = out.ease_along[i] * w_along + out.ease_across[i] * w_across - out.ease[i]
            drag_along = out.along[i] * w_along - out.ease_along[i] * eased
            drag_across = out.across[i] * w_across - out.ease_across[i] * eased
            d_along = along * between(out.start_along[i], v_along, share) - drag_along
            d_across = across * between(out.start_across[i], v_across, share) - drag_across
            out.end_along[i], out.end_across[i] = v_along, v_across
            out.drag_along[i], out.drag_across[i] = drag_along, drag_across
            most = ACCURACY * ACCURACY * (floor.along[i] * floor.along[i] + floor.across[i] * floor.across[i])
            off = max(off, d_along * d_along + d_across * d_across - most)
            out.next_along[i], out.next_across[i], out.next_share[i] = along, across, share
    return off > 0.0


@inner
def between(start, end, share):
    """start + share (end - start)."""
    return start + share * (end - start)


@inner
def add_floor(scene, work, step, first):
    """Take over the next numbers, in the `first` sweep as tangents, and lay them into inertias and biases.

    With rows J of a station's velocity along and across its link: A += w h J^T (G - q q^T) J, b += J^T G v0.
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
            used.share[start + k] = used.next_share[start + k]
            used.ease_along[start + k], used.ease_across[start + k] = q_along, q_across
            used.ease[start + k] *= keep
            weight = step * used.share[start + k]
            arm_along = links.x[k] * s - links.y[k] * c
            arm_across = links.x[k] * c + links.y[k] * s + floor.place[start + k]
            f_along, f_across = along * used.start_along[start + k], across * used.start_across[start + k]
            along, across, mixed = along - q_along * q_along, across - q_across * q_across, -q_along * q_across
            r_along, r_across = along * arm_along + mixed * arm_across, mixed * arm_along + across * arm_across
            twice = 2.0 * mixed * c * s
            sweep.a00[k] += weight * (r_along * arm_along + r_across * arm_across)
            sweep.a01[k] += weight * (r_along * c - r_across * s)
            sweep.a02[k] += weight * (r_along * s + r_across * c)
            sweep.a11[k] += weight * (along * c * c + across * s * s - twice)
            sweep.a12[k] += weight * ((along - across) * c * s + mixed * (c * c - s * s))
            sweep.a22[k] += weight * (along * s * s + across * c * c + twice)
            sweep.b0[k] += arm_along * f_along + arm_across * f_across
            sweep.b1[k] += c * f_along - s * f_across
            sweep.b2[k] += s * f_along + c * f_across


@inner
def floor_work(work, step):
    """Work of the floor on the links during the step [J]: the force in use times the mean velocity."""
    used, total = work.floor, 0.0
    for i in range(used.share.size):
        total += used.drag_along[i] * (used.start_along[i] + used.end_along[i])
        total += used.drag_across[i] * (used.start_across[i] + used.end_across[i])
    return -0.5 * step * total
