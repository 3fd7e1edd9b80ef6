"""Moving chain and round object: gaps, constraint rows and their velocity terms.

The state y consists of

- positions (n + 2): x, y of the centre of mass, heading, joint angles
- their rates (n + 2)
- object x, y, vx, vy
- the object's direction of sliding (2)
- the drives' own state, if any
- the accounts of joints and of work

Rows: one contact per link, then the wheels, A = [-J_s  G^T]. The row velocity of a contact is the rate of its gap. The
row velocity of a wheel is its slip to the right of the link.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.laws.hinges import COLUMNS, hinge_torque
from serpenoid.kernels.push.constraints import factor_rotation, point_row, solve_mass
from serpenoid.kernels.push.sliding import BRACKET
from serpenoid.kernels.records import ARMATURE, DAMPING

SLIDE, MOTORS = 4, 6  # start of direction and drives in y, after the chain's 2 (n + 2) numbers


class PushWork(NamedTuple):
    """Working arrays of one state."""

    angle: NDArray  # (n,) of the links [rad]
    rate: NDArray  # (n,) [rad/s]
    factor: NDArray  # (n, n) factors of the rotational mass matrix
    row: NDArray  # (rows, n + 2) chain part of A over (centre of mass, link angles)
    response: NDArray  # (rows, n + 2) Ms^-1 times it
    grip: NDArray  # (rows, 2) object part of A
    slip: NDArray  # (rows,) A v [m/s]
    bias: NDArray  # (rows,) (dA/dt) v [m/s^2]
    gap: NDArray  # (n,) between each link and the object [m]
    along: NDArray  # (n,) position of the object's centre along each link's line, from the front joint [m]
    part: NDArray  # (n,) int64, part of a link nearest to the object: -1 front end, 0 face, 1 rear end
    gram: NDArray  # (rows, rows) A I^-1 A^T [1/kg]
    force: NDArray  # (rows,) constraint and friction forces [N]
    acceleration: NDArray  # (n + 2,) of the centre of mass and the link angles
    body: NDArray  # (2,) acceleration of the object [m/s^2]
    free: NDArray  # (n + 2,) acceleration without constraint forces
    load: NDArray  # (n + 2,) scratch
    offset: NDArray  # (rows,) scratch
    limits: NDArray  # (rows, 2) of the forces, or (0, 0) if a row is inactive
    state: NDArray  # (rows,) int64, of the complementarity problem
    members: NDArray  # (rows,) int64, scratch
    factors: NDArray  # (rows + 1, rows) scratch
    bracket: NDArray  # (BRACKET,) of the direction of sliding


@kernel
def push_work(links, wheels):
    """Allocate arrays for a chain with `links` links and `wheels` wheels."""
    rows, size = links + wheels, links + 2
    return PushWork(
        angle=np.empty(links),
        rate=np.empty(links),
        factor=np.zeros((links, links)),
        row=np.empty((rows, size)),
        response=np.empty((rows, size)),
        grip=np.zeros((rows, 2)),
        slip=np.empty(rows),
        bias=np.empty(rows),
        gap=np.empty(links),
        along=np.empty(links),
        part=np.zeros(links, np.int64),
        gram=np.empty((rows, rows)),
        force=np.zeros(rows),
        acceleration=np.empty(size),
        body=np.empty(2),
        free=np.empty(size),
        load=np.empty(size),
        offset=np.empty(rows),
        limits=np.empty((rows, 2)),
        state=np.empty(rows, np.int64),
        members=np.empty(rows, np.int64),
        factors=np.empty((rows + 1, rows)),
        bracket=np.empty(BRACKET),
    )


@inner
def set_angles(y, work):
    """Set link angles and rates from a state."""
    n = work.angle.size
    angle = rate = 0.0
    for k in range(n):
        angle += y[2 + k]
        rate += y[n + 4 + k]
        work.angle[k], work.rate[k] = angle, rate


@inner
def point_state(scene, work, y, link, position):
    """Return (x, y, vx, vy) of a point of a link, position from its front joint [m]."""
    n = work.angle.size
    px, py, vx, vy = y[0], y[1], y[n + 2], y[n + 3]
    for k in range(n):
        lever = scene.levers.joint[link, k] + (position if k == link else 0.0)
        c, s = lever * np.cos(work.angle[k]), lever * np.sin(work.angle[k])
        px += c
        py += s
        vx -= s * work.rate[k]
        vy += c * work.rate[k]
    return px, py, vx, vy


@inner
def centripetal(scene, work, link, position, x, y):
    """Return the velocity-dependent part of a point's acceleration along (x, y): -sum lever_k rate_k^2 u_k . (x, y)."""
    total = 0.0
    for k in range(work.angle.size):
        lever = scene.levers.joint[link, k] + (position if k == link else 0.0)
        along = np.cos(work.angle[k]) * x + np.sin(work.angle[k]) * y
        total -= lever * work.rate[k] * work.rate[k] * along
    return total


@inner
def nearest_position(scene, work, y, link):
    """Return the position of the object's centre along a link's line, from the front joint [m].

    Positions outside 0 .. length are beyond its ends.
    """
    at = 2 * (work.angle.size + 2)
    x, y0 = y[at] - y[0], y[at + 1] - y[1]
    for k in range(work.angle.size):
        x -= scene.levers.joint[link, k] * np.cos(work.angle[k])
        y0 -= scene.levers.joint[link, k] * np.sin(work.angle[k])
    return np.cos(work.angle[link]) * x + np.sin(work.angle[link]) * y0


@inner
def nearest_part(scene, work, link):
    """Return the part of a link that is nearest to the object."""
    along = work.along[link]
    return -1 if along < 0.0 else 1 if along > scene.length[link] else 0


@inner
def contact_row(scene, work, y, link, point):
    """Compute gap, grip, slip and bias of a link's point nearest to the object, with state `point`; return its normal.

    Between the ends gap'' = n . (a_obj - a_foot) - rate^2 (gap + radius) - 2 side rate u . w. At an end gap'' = n .
    (a_obj - a_foot) + (|w|^2 - (n . w)^2) / distance. Here w = v_obj - v_foot.
    """
    at = 2 * (work.angle.size + 2)
    dx, dy = y[at] - point[0], y[at + 1] - point[1]
    distance = np.sqrt(dx * dx + dy * dy)
    nx, ny = dx / distance, dy / distance
    wx, wy = y[at + 2] - point[2], y[at + 3] - point[3]
    slip = nx * wx + ny * wy
    work.gap[link] = distance - scene.radius
    work.grip[link, 0], work.grip[link, 1] = nx, ny
    work.slip[link] = slip
    if work.part[link] == 0:
        c, s, rate = np.cos(work.angle[link]), np.sin(work.angle[link]), work.rate[link]
        side = 1.0 if c * ny - s * nx > 0.0 else -1.0
        work.bias[link] = -rate * rate * distance - 2.0 * side * rate * (c * wx + s * wy)
    else:
        work.bias[link] = (wx * wx + wy * wy - slip * slip) / distance
    return nx, ny


@inner
def wheel_row(scene, work, row, link, point):
    """Compute slip and bias of a wheel, (e . v)' = e . a - rate u . v with e across its link; return e."""
    c, s = np.cos(work.angle[link]), np.sin(work.angle[link])
    work.slip[row] = s * point[2] - c * point[3]
    work.bias[row] = work.rate[link] * (c * point[2] + s * point[3])
    return -s, c


@inner
def contact_foot(scene, y, work, link, keep):
    """Return the point of a link that touches the object first, from its front joint [m].

    With `keep` it is on the same part of the link as before.
    """
    work.along[link] = nearest_position(scene, work, y, link)
    if not keep:
        work.part[link] = nearest_part(scene, work, link)
    part = work.part[link]
    return work.along[link] if part == 0 else 0.0 if part < 0 else scene.length[link]


@inner
def fill_rows(scene, y, work, modes, keep):
    """Compute all entries of PushWork for a state, except gram, forces and accelerations.

    With `keep`, closed contacts stay on the same part of their link, so that motions in a mode are smooth.
    """
    n = work.angle.size
    set_angles(y, work)
    factor_rotation(scene.levers, work.angle, work.factor)
    for row in range(work.slip.size):
        link = row if row < n else scene.wheel_link[row - n]
        if row < n:
            foot = contact_foot(scene, y, work, link, keep and modes[link] != 0)
        else:
            foot = scene.wheel_position[row - n]
        point = point_state(scene, work, y, link, foot)
        normal = contact_row(scene, work, y, link, point) if row < n else wheel_row(scene, work, row, link, point)
        work.bias[row] -= centripetal(scene, work, link, foot, normal[0], normal[1])
        point_row(scene.levers, work.angle, link, foot, normal, work.row[row])
        for k in range(n + 2):
            work.row[row, k] = -work.row[row, k]
        solve_mass(scene.levers, work.factor, work.row[row], work.response[row])


@inner
def fill_gram(scene, work, mobile):
    """Compute A I^-1 A^T with the object free (mobile = 1) or fixed to the ground (0)."""
    for row in range(work.slip.size):
        for other in range(work.slip.size):
            shared = work.grip[row, 0] * work.grip[other, 0] + work.grip[row, 1] * work.grip[other, 1]
            value = mobile * shared / scene.object_mass
            for k in range(work.free.size):
                value += work.row[row, k] * work.response[other, k]
            work.gram[row, other] = value


@inner
def free_motion(scene, y, work, torque, wrench):
    """Compute the acceleration without constraint forces, work.free = Ms^-1 (B tau - friction - c + W).

    c_k = sum_l coupling_kl sin(theta_k - theta_l) rate_l^2. W: external forces at the links' centres of mass and
    moments, wrench (n, 3) [N, N m] or (0, 3).
    """
    n, hinges = work.angle.size, scene.levers.hinges
    force = work.load
    for k in range(n + 2):
        force[k] = 0.0
    for k in range(n):
        for m in range(n):
            swing = scene.levers.coupling[k, m] * np.sin(work.angle[k] - work.angle[m])
            force[k + 2] -= swing * work.rate[m] * work.rate[m]
    for joint in range(n - 1):
        drive = torque[joint] - hinges[joint, DAMPING] * y[n + 5 + joint]
        if hinges.shape[1] == COLUMNS:
            drive += hinge_torque(hinges, joint, y[3 + joint], y[n + 5 + joint])
        force[joint + 2] -= drive
        force[joint + 3] += drive
    for link in range(wrench.shape[0]):
        force[0] += wrench[link, 0]
        force[1] += wrench[link, 1]
        force[link + 2] += wrench[link, 2]
        for k in range(n):
            lever = scene.levers.joint[link, k] + (scene.center[link] if k == link else 0.0)
            across = np.cos(work.angle[k]) * wrench[link, 1] - np.sin(work.angle[k]) * wrench[link, 0]
            force[k + 2] += lever * across
    solve_mass(scene.levers, work.factor, force, work.free)


@inner
def external_power(scene, y, work, wrench):
    """Return the power of external wrenches [W]; the angles must be set."""
    power = 0.0
    for link in range(wrench.shape[0]):
        _, _, vx, vy = point_state(scene, work, y, link, scene.center[link])
        power += wrench[link, 0] * vx + wrench[link, 1] * vy + wrench[link, 2] * work.rate[link]
    return power


@inner
def kinetic_energy(scene, y, work):
    """Return kinetic energies of chain and object [J] for the velocities in y; the angles must be set."""
    n = work.angle.size
    at = 2 * (n + 2)
    chain = scene.levers.mass * (y[n + 2] ** 2 + y[n + 3] ** 2)
    rate = 0.0
    for k in range(n):
        rate += y[n + 4 + k]
        chain += scene.levers.inertia[k] * rate * rate
        other = 0.0
        for m in range(n):
            other += y[n + 4 + m]
            chain += scene.levers.coupling[k, m] * np.cos(work.angle[k] - work.angle[m]) * rate * other
    for j in range(n - 1):
        chain += scene.levers.hinges[j, ARMATURE] * y[n + 5 + j] ** 2
    return 0.5 * chain, 0.5 * scene.object_mass * (y[at + 2] ** 2 + y[at + 3] ** 2)
