"""Recorded quantities of every sample of a run among pegs: motion of the pieces, and their contacts."""

from __future__ import annotations

import numpy as np

from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.pegs.contacts import (
    LOAD,
    NORMAL,
    SLIP,
    SLOPE,
    SPRING,
    TANGENT,
    contact_drag,
    contact_speeds,
)
from serpenoid.kernels.pegs.step import accelerate, feel_torques
from serpenoid.kernels.pegs.working_arrays import peg_work

PIECE = 11  # x y angle, their rates, their accelerations, floor force x y
TOUCH = 6  # piece, x y of the point, force x y, slip speed


@kernel
def peg_samples(scene, drive, targets, gains, wrenches, step, states, most):
    """Return pieces, drive torques, touches, and the largest number of touches.

    Shapes: pieces (samples, n, 11), torques (samples, n - 1) [N m], touches (samples, most, 6) with NaN in unused rows.

    Accelerations and forces are those of the step that begins at a sample, with the command from then on. Torques are
    those at the time of the velocities. targets (samples, n - 1) [rad]. gains (3, samples, n - 1) are the commanded
    stiffness, damping and feedforward torque. wrenches (samples, links or 0, 3). At most `most` touches are kept per
    sample.
    """
    samples, n = states.shape[0], scene.chain.mass.size
    pieces, touches = np.empty((samples, n, PIECE)), np.full((samples, most, TOUCH), np.nan)
    torques, work, largest = np.empty((samples, n - 1)), peg_work(scene), 0
    past = np.empty(states.shape[1])
    for i in range(samples):
        for j in range(n - 1):
            work.joints.target[j], work.joints.target_rate[j] = targets[i, j], 0.0
            work.joints.stiffness[j], work.joints.damping[j] = gains[0, i, j], gains[1, i, j]
            work.joints.feedforward[j] = gains[2, i, j]
        feel_torques(scene, drive, work, step, states[i], past, torques[i])
        base, _ = accelerate(scene, drive, work, wrenches[i], step, states[i])
        write_pieces(scene, work, states[i], base, pieces[i])
        largest = max(largest, work.contacts.count[n])
        write_touches(work, states[i], touches[i])
    return pieces, torques, touches, largest


@inner
def write_pieces(scene, work, state, base, out):
    """Write the motion of each piece's front end in world axes, and the floor's force on the piece."""
    links, n, angle, turning = work.links, scene.chain.mass.size, 0.0, base[0]
    ax, ay = base[1], base[2]
    for k in range(n):
        angle += state[2 + k]
        turning += work.joints.acceleration[k - 1] if k > 0 else 0.0
        x, y, w = links.x[k], links.y[k], links.rate[k]
        out[k, 0], out[k, 1], out[k, 2] = state[0] + x, state[1] + y, angle
        out[k, 3], out[k, 4], out[k, 5] = links.u[k] - w * y, links.v[k] + w * x, w
        out[k, 6], out[k, 7], out[k, 8] = ax, ay, turning
        out[k, 9], out[k, 10] = floor_force(work, k)
        dx, dy = links.x[k + 1] - x, links.y[k + 1] - y
        ax, ay = ax - turning * dy - w * w * dx, ay + turning * dx - w * w * dy


@inner
def floor_force(work, k):
    """Return the friction of the floor on a link, world axes [N]."""
    links, floor = work.links, work.floor
    c, s, fx, fy = links.cosine[k], links.sine[k], 0.0, 0.0
    for i in range(k, floor.share.size, links.cosine.size):
        fx -= c * floor.drag_along[i] - s * floor.drag_across[i]
        fy -= s * floor.drag_along[i] + c * floor.drag_across[i]
    return fx, fy


@inner
def write_touches(work, state, out):
    """Write point, force and slip of each contact that pushes."""
    contacts, links = work.contacts, work.links
    at = 0
    for i in range(contacts.count[contacts.count.size - 1]):
        row, k = contacts.row, contacts.link[i]
        if row[i, LOAD] > 0.0 and at < out.shape[0]:
            normal, tangent = contact_speeds(contacts, i, links.next_rate, links.next_u, links.next_v)
            push = row[i, SPRING] - row[i, SLOPE] * normal
            drag = -contact_drag(row, i, tangent, push)
            nx, ny, tx, ty = row[i, NORMAL + 1], row[i, NORMAL + 2], row[i, TANGENT + 1], row[i, TANGENT + 2]
            # The moments of unit forces along normal and tangent give the contact point.
            out[at, 0] = k
            along, across = row[i, NORMAL], row[i, TANGENT]
            out[at, 1] = state[0] + across * nx + along * ny
            out[at, 2] = state[1] + across * ny - along * nx
            out[at, 3], out[at, 4] = push * nx + drag * tx, push * ny + drag * ty
            out[at, 5] = abs(row[i, SLIP])
            at += 1
