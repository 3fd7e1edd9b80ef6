"""Forward dynamics of 64 planar chains at once, lane-contiguous; the mathematics is that of chain.py."""

from __future__ import annotations

from typing import NamedTuple

from numpy.typing import NDArray

from serpenoid.kernels.compile import glue
from serpenoid.kernels.planar.media import box_force, dry_force, fluid_force, viscous_force
from serpenoid.kernels.records import BOX, DRY, FLUID, NO_MEDIUM, VISCOUS
from serpenoid.kernels.stack import part
from serpenoid.kernels.trigonometry import sine_cosine

LANES = 64


class Block(NamedTuple):
    """Arrays of the dynamics of 64 chains; the first index of each shape runs slowest."""

    lanes: int  # 64, told at run time: loops of a known length are unrolled instead of made into vectors
    cosine: NDArray  # (n * 64,)
    sine: NDArray  # (n * 64,)
    rate: NDArray  # (n * 64,)
    vx: NDArray  # (64,) velocity of a link's front end, world axes
    vy: NDArray  # (64,)
    ax: NDArray  # (64,) its acceleration at zero angular accelerations
    ay: NDArray  # (64,)
    bias: NDArray  # (64,) the same of a link's middle, across it
    along: NDArray  # (64,) running sums
    across: NDArray  # (64,)
    first: NDArray  # (64,) scratch
    second: NDArray  # (64,)
    fl: NDArray  # (64,) force on a link, its axes
    ft: NDArray  # (64,)
    x: NDArray  # (64,) sum of the forces on all links, world axes
    y: NDArray  # (64,)
    fx: NDArray  # (n * 64,) force on each link, world axes
    fy: NDArray  # (n * 64,)
    moment: NDArray  # (n * 64,)
    matrix: NDArray  # ((n + 2)^2 * 64,) lower triangle
    right: NDArray  # ((n + 2) * 64,)
    row: NDArray  # ((n + 2) * 64,) scratch
    lower: NDArray  # ((n + 2)^2 * 64,) L of the factors, 1 / D on the diagonal
    solution: NDArray  # ((n + 2) * 64,) absolute accelerations


@glue
def block_angles(model, block, position, velocity, links):
    """Sines, cosines and rates of the absolute angles; velocity and bias of the head's front end in vx, vy, ax, ay."""
    angle, speed, vx, vy, ax, ay = block.first, block.second, block.vx, block.vy, block.ax, block.ay
    for lane in range(block.lanes):
        angle[lane] = 0.0
        speed[lane] = 0.0
        vx[lane] = velocity[lane]
        vy[lane] = part(velocity, LANES)[lane]
        ax[lane] = 0.0
        ay[lane] = 0.0
    for k in range(links):
        at, place, shift = k * LANES, (2 + k) * LANES, model.shift[k]
        for lane in range(block.lanes):
            turned, rate = angle[lane] + part(position, place)[lane], speed[lane] + part(velocity, place)[lane]
            s, c = sine_cosine(turned)
            angle[lane], speed[lane] = turned, rate
            part(block.sine, at)[lane], part(block.cosine, at)[lane], part(block.rate, at)[lane] = s, c, rate
            w = shift * rate
            vx[lane] += w * s
            vy[lane] -= w * c
            ax[lane] += w * rate * c
            ay[lane] += w * rate * s


@glue
def block_forces(model, block, links):
    """Forces and moments on every link, world axes: of the medium, and of its own inertia; their sums in x, y."""
    medium = model.medium
    for lane in range(block.lanes):
        block.x[lane] = 0.0
        block.y[lane] = 0.0
    for k in range(links):
        inertia_forces(block, k, model.chain.length[k], model.chain.center[k], model.chain.mass[k])
        if medium.kind != NO_MEDIUM:
            for g in range(medium.points.size):
                station_forces(medium, block, k, medium.points[g] * model.chain.length[k], medium.weights[g])
        if medium.kind == FLUID:
            added_forces(medium.added_mass[k], medium.turning_mass[k], block, k)
        at = k * LANES
        for lane in range(block.lanes):
            c, s = part(block.cosine, at)[lane], part(block.sine, at)[lane]
            fx, fy = c * block.fl[lane] - s * block.ft[lane], s * block.fl[lane] + c * block.ft[lane]
            part(block.fx, at)[lane], part(block.fy, at)[lane] = fx, fy
            block.x[lane] += fx
            block.y[lane] += fy


@glue
def inertia_forces(block, k, length, center, mass):
    """Velocity of link k's middle, and -mass x bias of its centre: the Coriolis terms, as a force and a moment.

    Bias is acceleration at zero angular accelerations; over the chain, mass x bias is zero. chain.py has the same as
    coupling_kl sin(phi_k - phi_l) w_l^2, n^2 terms for these n.
    """
    at, half, beside = k * LANES, 0.5 * length, center - 0.5 * length
    for lane in range(block.lanes):
        c, s, rate = part(block.cosine, at)[lane], part(block.sine, at)[lane], part(block.rate, at)[lane]
        w = half * rate
        x, y = block.vx[lane] - w * s, block.vy[lane] + w * c
        block.vx[lane], block.vy[lane] = x - w * s, y + w * c
        block.first[lane], block.second[lane] = c * x + s * y, c * y - s * x
        square = w * rate
        ax, ay = block.ax[lane] - square * c, block.ay[lane] - square * s
        block.ax[lane], block.ay[lane] = ax - square * c, ay - square * s
        bias = c * ay - s * ax
        block.bias[lane] = bias
        block.fl[lane] = -mass * (c * ax + s * ay - beside * rate * rate)
        block.ft[lane] = -mass * bias
        part(block.moment, at)[lane] = -mass * beside * bias


@glue
def station_forces(medium, block, k, lever, weight):
    """Add the law at one station of link k; one loop over the lanes per law, so that none has a branch inside."""
    vl, vt, rate, at = block.first, block.second, block.rate, k * LANES
    cl, ct, smoothing = medium.longitudinal[k], medium.transverse[k], medium.smoothing[k]
    if medium.kind == DRY:
        for lane in range(block.lanes):
            a, b = dry_force(cl, ct, smoothing, vl[lane], vt[lane] + lever * part(rate, at)[lane])
            block.fl[lane] += weight * a
            block.ft[lane] += weight * b
            part(block.moment, at)[lane] += weight * lever * b
    elif medium.kind == BOX:
        for lane in range(block.lanes):
            a, b = box_force(cl, ct, smoothing, vl[lane], vt[lane] + lever * part(rate, at)[lane])
            block.fl[lane] += weight * a
            block.ft[lane] += weight * b
            part(block.moment, at)[lane] += weight * lever * b
    elif medium.kind == VISCOUS:
        for lane in range(block.lanes):
            a, b = viscous_force(cl, ct, vl[lane], vt[lane] + lever * part(rate, at)[lane])
            block.fl[lane] += weight * a
            block.ft[lane] += weight * b
            part(block.moment, at)[lane] += weight * lever * b
    else:
        for lane in range(block.lanes):
            a, b = fluid_force(cl, ct, vl[lane], vt[lane] + lever * part(rate, at)[lane])
            block.fl[lane] += weight * a
            block.ft[lane] += weight * b
            part(block.moment, at)[lane] += weight * lever * b


@glue
def added_forces(added, turning, block, k):
    """Velocity terms of the added mass of link k: (m_v w v_t, m_v w v_l - m_a bias_t), moment -m_v v_l v_t."""
    at = k * LANES
    for lane in range(block.lanes):
        vl, vt, w, bias = block.first[lane], block.second[lane], part(block.rate, at)[lane], block.bias[lane]
        block.fl[lane] += turning * w * vt
        block.ft[lane] += turning * w * vl - added * bias
        part(block.moment, at)[lane] -= turning * vl * vt


@glue
def block_right(model, block, velocity, torque, links):
    """Right-hand side of the angles: joint torques and damping, and n_k . sum_i D_ik F_i + moment_k of the links."""
    right, behindx, behindy, after = block.right, block.along, block.across, block.first
    for lane in range(block.lanes):
        behindx[lane] = 0.0
        behindy[lane] = 0.0
        after[lane] = 0.0
    for ahead in range(links):
        k = links - 1 - ahead
        at, length, shift = k * LANES, model.chain.length[k], model.shift[k]
        for lane in range(block.lanes):
            fx, fy = part(block.fx, at)[lane], part(block.fy, at)[lane]
            px = length * (behindx[lane] + 0.5 * fx) - shift * block.x[lane]
            py = length * (behindy[lane] + 0.5 * fy) - shift * block.y[lane]
            lift = part(block.cosine, at)[lane] * py - part(block.sine, at)[lane] * px
            part(right, at)[lane] = lift + part(block.moment, at)[lane] - after[lane]
            behindx[lane] += fx
            behindy[lane] += fy
        if k > 0:
            before, speed, damping = (k - 1) * LANES, (2 + k) * LANES, model.chain.joint_damping[k - 1]
            for lane in range(block.lanes):
                after[lane] = part(torque, before)[lane] - damping * part(velocity, speed)[lane]
                part(right, at)[lane] += after[lane]


@glue
def block_translation(model, block, links):
    """Right-hand side of the translation: the sums of the forces, or nothing."""
    right, loaded = block.right, model.medium.kind != NO_MEDIUM
    x, y = links * LANES, (links + 1) * LANES
    for lane in range(block.lanes):
        part(right, x)[lane] = block.x[lane] if loaded else 0.0
    for lane in range(block.lanes):
        part(right, y)[lane] = block.y[lane] if loaded else 0.0


@glue
def block_matrix(model, block, links):
    """Lower triangle of the mass matrix of the angles."""
    c, s, matrix = block.cosine, block.sine, block.matrix
    for k in range(links):
        at = k * LANES
        for j in range(k):
            to, by, coupling = j * LANES, (k * (links + 2) + j) * LANES, model.coupling[k, j]
            for lane in range(block.lanes):
                cosine = part(c, at)[lane] * part(c, to)[lane] + part(s, at)[lane] * part(s, to)[lane]
                part(matrix, by)[lane] = coupling * cosine
        by, coupling = k * (links + 3) * LANES, model.coupling[k, k]
        for lane in range(block.lanes):
            part(matrix, by)[lane] = coupling


@glue
def block_added_mass(model, block, links):
    """Added mass in the matrix, and the rows of the translation."""
    c, s, matrix, row, width = block.cosine, block.sine, block.matrix, block.row, links + 2
    for k in range(links, width):
        for j in range(k + 1):
            by, value = (k * width + j) * LANES, model.mass if j == k else 0.0
            for lane in range(block.lanes):
                part(matrix, by)[lane] = value
    for i in range(links):
        of, added = i * LANES, model.medium.added_mass[i]
        for k in range(links):
            at, arm = k * LANES, model.arm[i, k]
            for lane in range(block.lanes):
                part(row, at)[lane] = arm * (
                    part(c, of)[lane] * part(c, at)[lane] + part(s, of)[lane] * part(s, at)[lane]
                )
        x, y = links * LANES, (links + 1) * LANES
        for lane in range(block.lanes):
            part(row, x)[lane] = -part(s, of)[lane]
        for lane in range(block.lanes):
            part(row, y)[lane] = part(c, of)[lane]
        for k in range(width):
            for j in range(k + 1):
                at, to, by = k * LANES, j * LANES, (k * width + j) * LANES
                for lane in range(block.lanes):
                    part(matrix, by)[lane] += added * part(row, at)[lane] * part(row, to)[lane]


@glue
def block_factorise(block, size, width):
    """L D L^T of the leading `size` rows into `lower`, and L^-1 right in `right`; no loop reads what it writes."""
    matrix, lower, right, column = block.matrix, block.lower, block.right, block.row
    factor, inverse, pivot = block.first, block.second, block.along
    for j in range(size):
        at, diagonal = j * LANES, (j * width + j) * LANES
        for lane in range(block.lanes):
            inverse[lane] = 1.0 / part(matrix, diagonal)[lane]
            part(lower, diagonal)[lane] = inverse[lane]
            pivot[lane] = part(right, at)[lane]
        for i in range(j + 1, size):
            by, to = (i * width + j) * LANES, i * LANES
            for lane in range(block.lanes):
                entry = part(matrix, by)[lane]
                part(column, to)[lane] = entry
                factor[lane] = entry * inverse[lane]
                part(lower, by)[lane] = factor[lane]
                part(right, to)[lane] -= factor[lane] * pivot[lane]
            for k in range(j + 1, i + 1):
                entry_at, above = (i * width + k) * LANES, k * LANES
                for lane in range(block.lanes):
                    part(matrix, entry_at)[lane] -= factor[lane] * part(column, above)[lane]


@glue
def block_substitute(block, size, width):
    """Back substitution: `solution` from `right` and `lower`."""
    lower, right, solution, total = block.lower, block.right, block.solution, block.first
    for i in range(size - 1, -1, -1):
        diagonal, to = (i * width + i) * LANES, i * LANES
        for lane in range(block.lanes):
            total[lane] = part(right, to)[lane] * part(lower, diagonal)[lane]
        for k in range(i + 1, size):
            by, at = (k * width + i) * LANES, k * LANES
            for lane in range(block.lanes):
                total[lane] -= part(lower, by)[lane] * part(solution, at)[lane]
        for lane in range(block.lanes):
            part(solution, to)[lane] = total[lane]


@glue
def block_accelerations(model, block, position, velocity, torque, acceleration):
    """Accelerations ((n + 2) * 64,) of x, y, heading and joints from positions, velocities and torques."""
    links, kind = model.shift.size, model.medium.kind
    block_angles(model, block, position, velocity, links)
    block_forces(model, block, links)
    block_right(model, block, velocity, torque, links)
    block_translation(model, block, links)
    block_matrix(model, block, links)
    if kind == FLUID:
        block_added_mass(model, block, links)
    size = links + 2 if kind == FLUID else links
    block_factorise(block, size, links + 2)
    block_substitute(block, size, links + 2)
    write_block(model, block, acceleration, links)


@glue
def write_block(model, block, acceleration, links):
    """Accelerations in the order of the state."""
    solution, right, inverse = block.solution, block.right, 1.0 / model.mass
    for i in range(2):
        at, to = (links + i) * LANES, i * LANES
        if model.medium.kind == FLUID:
            for lane in range(block.lanes):
                part(acceleration, to)[lane] = part(solution, at)[lane]
        else:
            for lane in range(block.lanes):
                part(acceleration, to)[lane] = inverse * part(right, at)[lane]
    head = 2 * LANES
    for lane in range(block.lanes):
        part(acceleration, head)[lane] = solution[lane]
    for k in range(1, links):
        at, to = k * LANES, (2 + k) * LANES
        for lane in range(block.lanes):
            part(acceleration, to)[lane] = part(solution, at)[lane] - part(solution, at - LANES)[lane]
