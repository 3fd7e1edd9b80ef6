"""Coulomb friction of the floor under the links: force = -mu N v / s with s = sqrt(v^2 + eps^2).

During a step that changes a velocity by d, the mean of v / s is close to (v0 + d / 2) / ((s0 + s1) / 2). This is exact
along a line, also through rest and back. Friction is therefore

    force = -G (v0 + w d)       G = mu N / (s0 + w (s1 - s0))

with the fraction w = 1/2, or larger if the link comes to rest (midpoint.py). The first sweep of a step uses the law's
tangent at v0 (its closest symmetric matrix on an anisotropic floor):

    force = -G v + G v0 (t G v0 . v - r)        v = v0 + w d, r = v0^2 / s0^2, t = r / (v0 . G v0)

A sliding link that accelerates then has no more than Coulomb friction. If the force is inaccurate, later sweeps take G
from the velocity of the previous one (t = r = 0). Four links are processed in parallel.
"""

from __future__ import annotations

from serpenoid.kernels.compile import inner
from serpenoid.kernels.packed import largest, summed, view_packed
from serpenoid.kernels.pegs.midpoint import share_of_change
from serpenoid.kernels.simd import square_root, where_positive

ACCURACY = 0.03  # of a friction force, as a fraction of mu N
TINY = 1e-30  # avoids 0 / 0 for a link at rest [W]


@inner
def start_floor(scene, work, step):
    """Compute velocities at the start of the step, and tangents there for its first sweep."""
    links, out, smoothing = view_packed(work.links), view_packed(work.floor), scene.floor.smoothing
    n, square, slow = links.cosine.size, smoothing * smoothing, 1.0 / (step * scene.floor.grip)
    for k in range(n):
        v_along, side = link_speeds(links, k, links.rate[k], links.u[k], links.v[k])
        for i in range(k, out.place.size, n):
            v_across = side + links.rate[k] * out.place[i]
            speed = v_along * v_along + v_across * v_across
            size = square_root(speed + square)
            inverse = 1.0 / size
            along, across = out.most_along[i] * inverse, out.most_across[i] * inverse
            shed = speed * inverse * inverse
            out.start_along[i], out.start_across[i], out.start_size[i] = v_along, v_across, size
            out.along[i], out.across[i], out.share[i] = along, across, share_of_change(size * slow)
            out.ease[i] = shed / (along * v_along * v_along + across * v_across * v_across + TINY)
            out.shed[i] = shed


@inner
def link_speeds(links, k, rate, u, v):
    """Return speeds of a link's front end along and across it for a twist [m/s]."""
    c, s = links.cosine[k], links.sine[k]
    return rate * links.arm_along[k] + u * c + v * s, rate * links.arm_across[k] - u * s + v * c


@inner
def floor_secants(scene, work, step):
    """Compute forces in use at the end-of-step twists and the law for the next sweep; return whether one is off."""
    links, out, smoothing = view_packed(work.links), view_packed(work.floor), scene.floor.smoothing
    n, square, slow = links.cosine.size, smoothing * smoothing, 0.5 / (step * scene.floor.grip)
    off = 0.0 * links.cosine[0]
    for k in range(n):
        v_along, side = link_speeds(links, k, links.next_rate[k], links.next_u[k], links.next_v[k])
        for i in range(k, out.place.size, n):
            v_across, before = side + links.next_rate[k] * out.place[i], out.start_size[i]
            size = square_root(v_along * v_along + v_across * v_across + square)
            share = share_of_change((size + before) * slow)
            inverse = 1.0 / between(before, size, share)
            along, across = out.most_along[i] * inverse, out.most_across[i] * inverse
            drag_along, drag_across = drag_in_use(out, i, v_along, v_across)
            d_along = along * between(out.start_along[i], v_along, share) - drag_along
            d_across = across * between(out.start_across[i], v_across, share) - drag_across
            out.end_along[i], out.end_across[i] = v_along, v_across
            out.drag_along[i], out.drag_across[i] = drag_along, drag_across
            beyond = d_along * d_along + d_across * d_across - out.tolerance[i]
            off = where_positive(beyond, beyond, off)
            out.along[i], out.across[i], out.share[i] = along, across, share
            out.ease[i], out.shed[i] = 0.0, 0.0
    return largest(off) > 0.0


@inner
def drag_in_use(used, i, v_along, v_across):
    """Return the friction force of the last sweep against velocities at the end of the step [N]."""
    w_along = between(used.start_along[i], v_along, used.share[i])
    w_across = between(used.start_across[i], v_across, used.share[i])
    p_along, p_across = used.along[i] * used.start_along[i], used.across[i] * used.start_across[i]
    eased = used.ease[i] * (p_along * w_along + p_across * w_across) - used.shed[i]
    return used.along[i] * w_along - p_along * eased, used.across[i] * w_across - p_across * eased


@inner
def between(start, end, share):
    """Return start + share (end - start)."""
    return start + share * (end - start)


@inner
def start_sweep(work, step):
    """Compute inertias and biases of the links about the head's front end: rigid body plus floor.

    Let J be the rows of a station's velocity along and across its link, and p = G v0:

        A += w h J^T (G - t p p^T) J,    b += J^T p
    """
    links, sweep, used = view_packed(work.links), view_packed(work.sweep), view_packed(work.floor)
    n = links.cosine.size
    for k in range(n):
        c, s, x, y, m = links.cosine[k], links.sine[k], links.center_x[k], links.center_y[k], links.mass[k]
        # Along and across the link, about the head's front end; rotated to world axes at the end.
        a00, a01, a02 = links.inertia[k] + m * (x * x + y * y), 0.0 * m, 0.0 * m
        a11, a12, a22, b0, b1, b2 = m, 0.0 * m, m, -links.push0[k], 0.0 * m, 0.0 * m
        arm_along = links.arm_along[k]
        for i in range(k, used.place.size, n):
            along, across, weight = used.along[i], used.across[i], step * used.share[i]
            p_along, p_across = along * used.start_along[i], across * used.start_across[i]
            arm_across = links.arm_across[k] + used.place[i]
            q_along, q_across = used.ease[i] * p_along, used.ease[i] * p_across
            along, across = weight * (along - q_along * p_along), weight * (across - q_across * p_across)
            mixed = -weight * q_along * p_across
            r_along, r_across = along * arm_along + mixed * arm_across, mixed * arm_along + across * arm_across
            a00 += r_along * arm_along + r_across * arm_across
            a01, a02, a11, a12, a22 = a01 + r_along, a02 + r_across, a11 + along, a12 + mixed, a22 + across
            b0, b1, b2 = b0 + arm_along * p_along + arm_across * p_across, b1 + p_along, b2 + p_across
        sweep.a00[k], sweep.b0[k] = a00, b0
        a01, a02 = c * a01 - s * a02 - m * y, s * a01 + c * a02 + m * x
        sweep.a01[k], sweep.a10[k], sweep.a02[k], sweep.a20[k] = a01, a01, a02, a02
        sweep.b1[k], sweep.b2[k] = c * b1 - s * b2 - links.push1[k], s * b1 + c * b2 - links.push2[k]
        turned, twice = (a11 - a22) * c * s + a12 * (c * c - s * s), 2.0 * a12 * c * s
        sweep.a11[k] = a11 * c * c + a22 * s * s - twice
        sweep.a12[k], sweep.a21[k], sweep.a22[k] = turned, turned, a11 * s * s + a22 * c * c + twice


@inner
def floor_work(work, step):
    """Return the work of the floor on the links during the step [J]: the force in use times the mean velocity."""
    used = view_packed(work.floor)
    total = 0.0 * used.place[0]
    for i in range(used.place.size):
        total += used.drag_along[i] * (used.start_along[i] + used.end_along[i])
        total += used.drag_across[i] * (used.start_across[i] + used.end_across[i])
    return -0.5 * step * summed(total)
