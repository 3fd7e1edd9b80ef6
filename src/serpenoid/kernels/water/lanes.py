"""Many rollouts of one tree afloat in lock-step: tree/lanes.py with buoyancy, 64 runs to a block.

The water of a lane is that of wrenches.py without drag and added mass. Planes, ranges and sums run over the lanes. A
convex prism that no vertex crosses along its length, the usual case, has its wet vertices known from the ranges: sums
over them stand ready in the record. All others go through the clipping of hydrostatics.py, all lanes together.
"""

from __future__ import annotations

import numpy as np

from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.lie import add, cross, dot, normalised, rotate, rotate_back, rotation_of, scale, subtract
from serpenoid.kernels.stack import stack_array
from serpenoid.kernels.tree.block import (
    BODY,
    CENTER_,
    LANES,
    P_,
    SHAPE,
    block_shapes,
    drop,
    hinge_matrices,
    pick,
    pick_rotation,
)
from serpenoid.kernels.tree.lanes import block_rates, close_block, load_waves, open_block
from serpenoid.kernels.tree.shape import ANGULAR_MOMENTUM, ATTITUDE, CENTROIDAL, MOMENTUM, PLACE
from serpenoid.kernels.water.hydrostatics import (
    INTEGRALS,
    WORK,
    finish_block,
    immerse,
    immerse_whole,
    start_block,
)
from serpenoid.kernels.water.wrenches import HALF_SPAN

# Quantities of a lane: the vertical in base axes, height of the base, immersed volume and its first moment.
UP, HEIGHT, WET, FIRST, LANE = 0, 3, 4, 5, 8
# Quantities of a prism in a lane: its plane, its heights' range, how many vertices cross the water along it, and the
# numbers of the first and the last wet vertex at its middle.
PLANE, LOW, HIGH, CROSSING, FIRST_WET, LAST_WET, BEFORE, PRISM = 0, 4, 5, 6, 7, 8, 9, 10


@inner
def lane_rotation(trial, lane):
    """Rotation of the base of one lane."""
    k = ATTITUDE * LANES + lane
    return rotation_of(normalised((trial[k], trial[k + LANES], trial[k + 2 * LANES], trial[k + 3 * LANES])))


@inner
def open_lanes(shapes, trial, lanes):
    """Vertical and height of all lanes; nothing immersed yet."""
    for lane in range(LANES):
        R = lane_rotation(trial, lane)
        up = (R[6], R[7], R[8])
        drop(lanes, UP, lane, up)
        height = trial[(PLACE + 2) * LANES + lane] - dot(up, pick(shapes, CENTER_, lane))
        lanes[HEIGHT * LANES + lane] = height
        lanes[WET * LANES + lane] = 0.0
        drop(lanes, FIRST, lane, (0.0, 0.0, 0.0))


@inner
def set_planes(prisms, p, body, lanes, planes):
    """The water plane of one prism in all lanes, in the axes of its section."""
    c, s = prisms.cosine[p], prisms.sine[p]
    for lane in range(LANES):
        up = pick(lanes, UP, lane)
        n = rotate_back(pick_rotation(body, lane), up)
        drop(planes, PLANE, lane, (n[0], c * n[1] + s * n[2], c * n[2] - s * n[1]))
        planes[3 * LANES + lane] = lanes[HEIGHT * LANES + lane] + dot(up, pick(body, P_, lane))
        planes[LOW * LANES + lane], planes[HIGH * LANES + lane] = 1e300, -1e300
        planes[CROSSING * LANES + lane] = 0.0
        planes[FIRST_WET * LANES + lane], planes[LAST_WET * LANES + lane] = 0.0, 0.0


@inner
def scan_section(sections, number, start, end, planes):
    """Range of the heights of a prism's corners in all lanes, how many of its edges along x cross the water, and which
    vertices of a convex section are the first and the last wet ones."""
    first, last = sections.first[number], sections.first[number + 1]
    y, z, middle = sections.polygon[last - 2], sections.polygon[last - 1], 0.5 * (start + end)
    for lane in range(LANES):
        height = planes[3 * LANES + lane] + planes[LANES + lane] * y + planes[2 * LANES + lane] * z
        planes[BEFORE * LANES + lane] = height + planes[lane] * middle
    for k in range(first, last, 2):
        y, z = sections.polygon[k], sections.polygon[k + 1]
        vertex = float((k - first) // 2)
        previous = vertex - 1.0 if k > first else float((last - first) // 2 - 1)
        for lane in range(LANES):
            height = planes[3 * LANES + lane] + planes[LANES + lane] * y + planes[2 * LANES + lane] * z
            a, b = height + planes[lane] * start, height + planes[lane] * end
            now, before = 0.5 * (a + b), planes[BEFORE * LANES + lane]
            planes[LOW * LANES + lane] = min(planes[LOW * LANES + lane], min(a, b))
            planes[HIGH * LANES + lane] = max(planes[HIGH * LANES + lane], max(a, b))
            planes[CROSSING * LANES + lane] += 1.0 if a * b < 0.0 else 0.0
            entry, leave = planes[FIRST_WET * LANES + lane], planes[LAST_WET * LANES + lane]
            planes[FIRST_WET * LANES + lane] = vertex if (now < 0.0) & (before >= 0.0) else entry
            planes[LAST_WET * LANES + lane] = previous if (now >= 0.0) & (before < 0.0) else leave
            planes[BEFORE * LANES + lane] = now


@inner
def fan_edge(y_a, z_a, y_b, z_b):
    """Area and first moments of the triangle from the origin over an edge."""
    cross = y_a * z_b - y_b * z_a
    return 0.5 * cross, cross * (y_a + y_b) * (1.0 / 6.0), cross * (z_a + z_b) * (1.0 / 6.0)


@inner
def immerse_convex(sections, number, plane, span, first_wet, last_wet, out, integrals):
    """Volume and first moments of a convex prism that no vertex crosses along x: the fan over its wet vertices and the
    two cut edges, at two Gauss points."""
    n_x, n_y, n_z, d = plane
    base, end = sections.first[number], sections.first[number + 1]
    count, fan = (end - base) // 2, 3 * (base // 2 + number)
    low, high = base + 2 * first_wet, base + 2 * last_wet
    under = end - 2 if first_wet == 0 else low - 2
    over = base if last_wet == count - 1 else high + 2
    polygon, prefix = sections.polygon, sections.prefix
    turn = 1.0 if last_wet < first_wet else 0.0
    area = prefix[fan + 3 * last_wet] - prefix[fan + 3 * first_wet] + turn * prefix[fan + 3 * count]
    first_y = prefix[fan + 3 * last_wet + 1] - prefix[fan + 3 * first_wet + 1] + turn * prefix[fan + 3 * count + 1]
    first_z = prefix[fan + 3 * last_wet + 2] - prefix[fan + 3 * first_wet + 2] + turn * prefix[fan + 3 * count + 2]
    y_in, z_in, y_out, z_out = polygon[low], polygon[low + 1], polygon[high], polygon[high + 1]
    dy_in, dz_in = polygon[under] - y_in, polygon[under + 1] - z_in
    dy_out, dz_out = polygon[over] - y_out, polygon[over + 1] - z_out
    rise_in, rise_out = 1.0 / (n_y * dy_in + n_z * dz_in), 1.0 / (n_y * dy_out + n_z * dz_out)
    deep_in, deep_out = d + n_y * y_in + n_z * z_in, d + n_y * y_out + n_z * z_out
    length, middle = span[1] - span[0], 0.5 * (span[0] + span[1])
    volume, x_moment, y_moment, z_moment = 0.0, 0.0, 0.0, 0.0
    for side in range(2):
        x = middle + (2 * side - 1) * HALF_SPAN * length
        t_in, t_out = -(deep_in + n_x * x) * rise_in, -(deep_out + n_x * x) * rise_out
        y_a, z_a = y_in + t_in * dy_in, z_in + t_in * dz_in
        y_b, z_b = y_out + t_out * dy_out, z_out + t_out * dz_out
        p, q, r = fan_edge(y_a, z_a, y_in, z_in), fan_edge(y_out, z_out, y_b, z_b), fan_edge(y_b, z_b, y_a, z_a)
        now = area + p[0] + q[0] + r[0]
        volume += now
        x_moment += x * now
        y_moment += first_y + p[1] + q[1] + r[1]
        z_moment += first_z + p[2] + q[2] + r[2]
    half = 0.5 * length
    integrals[out], integrals[out + 1] = half * volume, half * x_moment
    integrals[out + 2], integrals[out + 3] = half * y_moment, half * z_moment


@inner
def immerse_lanes(sections, number, span, planes, work, integrals):
    """Integrals (64, 5, flat) of one prism in all lanes; the last of each five, the depth, is not asked for."""
    fill, convex = 0, sections.convex[number]
    for k in range(INTEGRALS * LANES):
        integrals[k] = 0.0
    for lane in range(LANES):
        if planes[LOW * LANES + lane] >= 0.0:
            continue
        plane = (planes[lane], planes[LANES + lane], planes[2 * LANES + lane], planes[3 * LANES + lane])
        if planes[HIGH * LANES + lane] <= 0.0:
            immerse_whole(sections, number, plane, span, INTEGRALS * lane, integrals)
        elif convex and planes[CROSSING * LANES + lane] == 0.0:
            first_wet, last_wet = int(planes[FIRST_WET * LANES + lane]), int(planes[LAST_WET * LANES + lane])
            immerse_convex(sections, number, plane, span, first_wet, last_wet, INTEGRALS * lane, integrals)
        else:
            fill = immerse(sections, number, plane, span, lane, fill, work, integrals)
    if fill > 0:
        finish_block(sections, number, fill, work, integrals)


@inner
def add_prism(prisms, p, body, integrals, lanes):
    """Add a prism's immersed volume and its first moment, base axes, to all lanes."""
    c, s = prisms.cosine[p], prisms.sine[p]
    for lane in range(LANES):
        k = INTEGRALS * lane
        volume, y, z = integrals[k], integrals[k + 2], integrals[k + 3]
        own = rotate(pick_rotation(body, lane), (integrals[k + 1], c * y - s * z, s * y + c * z))
        lanes[WET * LANES + lane] += volume
        moved = add(own, scale(volume, pick(body, P_, lane)))
        drop(lanes, FIRST, lane, add(pick(lanes, FIRST, lane), moved))


@inner
def add_buoyancy(water, shapes, trial, lanes, slope):
    """Add rho g V and the moment rho g (S - V c) x up about the centre of mass to the rates of all lanes."""
    weight = water.density * water.gravity
    for lane in range(LANES):
        volume, center = lanes[WET * LANES + lane], pick(shapes, CENTER_, lane)
        lever = scale(weight, subtract(pick(lanes, FIRST, lane), scale(volume, center)))
        torque = rotate(lane_rotation(trial, lane), cross(lever, pick(lanes, UP, lane)))
        slope[(MOMENTUM + 2) * LANES + lane] += weight * volume
        drop(slope, ANGULAR_MOMENTUM, lane, add(pick(slope, ANGULAR_MOMENTUM, lane), torque))


@kernel
def buoyant_rates(water, shapes, storage, mass, trial, slope):
    """Rates of the whole (13 x 64,) in all lanes under weight and buoyancy; storage as block_shapes() left it."""
    now, body, work = stack_array(SHAPE * LANES), stack_array(BODY * LANES), stack_array(WORK)
    lanes, planes = stack_array(LANE * LANES), stack_array(PRISM * LANES)
    integrals = stack_array(INTEGRALS * LANES)
    for k in range(SHAPE * LANES):
        now[k] = shapes[k]
    block_rates(now, mass, (0.0, 0.0, -water.gravity), trial, slope)
    open_lanes(now, trial, lanes)
    start_block(work)
    for p in range(water.prisms.body.size):
        for k in range((P_ + 3) * LANES):
            body[k] = storage[water.prisms.body[p], k]
        set_planes(water.prisms, p, body, lanes, planes)
        number, span = water.prisms.section[p], (water.prisms.start[p], water.prisms.end[p])
        scan_section(water.sections, number, span[0], span[1], planes)
        immerse_lanes(water.sections, number, span, planes, work, integrals)
        add_prism(water.prisms, p, body, integrals, lanes)
    add_buoyancy(water, now, trial, lanes, slope)


@kernel
def buoyant_step(water, shapes, storages, mass, step, state, scratch):
    """One RK4 step of all lanes through the shapes at its start, middle and end; scratch (3, 13 x 64)."""
    trial, slope, total = scratch[0], scratch[1], scratch[2]
    for k in range(CENTROIDAL * LANES):
        trial[k] = state[k]
        total[k] = 0.0
    for stage in range(4):
        moment = (stage + 1) // 2
        buoyant_rates(water, shapes[moment], storages[moment], mass, trial, slope)
        weight = 1.0 if stage == 0 or stage == 3 else 2.0
        reach = step if stage == 2 else 0.5 * step
        for k in range(CENTROIDAL * LANES):
            total[k] += weight * slope[k]
            trial[k] = state[k] + reach * slope[k]
    for k in range(CENTROIDAL * LANES):
        state[k] += step / 6.0 * total[k]
    for lane in range(LANES):
        a = ATTITUDE * LANES + lane
        q = normalised((state[a], state[a + LANES], state[a + 2 * LANES], state[a + 3 * LANES]))
        for k in range(4):
            state[a + k * LANES] = q[k]


@kernel
def afloat_rollouts(tree, water, joints, states, first, steps, every, step):
    """States (runs, steps / every, numbers) of many runs of one tree afloat, each led by its own waves.

    As wave_rollouts() of tree/lanes.py; the water must hold neither drag nor added mass.
    """
    runs, bodies = states.shape[0], tree.parent.size
    out = np.empty((runs, steps // every, states.shape[1]))
    hinges, waves = hinge_matrices(tree), np.empty((bodies - 1, 4 * LANES))
    storages, scratch = np.empty((3, bodies, BODY * LANES)), np.empty((3, CENTROIDAL * LANES))
    shapes, state = np.empty((3, SHAPE * LANES)), np.empty(CENTROIDAL * LANES)
    for start in range(0, runs, LANES):
        load_waves(joints, start, waves)
        open_block(water, tree, states, start, state)
        block_shapes(tree, hinges, waves, first * step, storages[0], shapes[0])
        for k in range(steps):
            time = (first + k) * step
            block_shapes(tree, hinges, waves, time + 0.5 * step, storages[1], shapes[1])
            mass = block_shapes(tree, hinges, waves, time + step, storages[2], shapes[2])
            buoyant_step(water, shapes, storages, mass, step, state, scratch)
            shapes[0] = shapes[2]
            storages[0] = storages[2]
            if (k + 1) % every == 0:
                close_block(water, tree, joints, start, (first + k + 1) * step, state, out[:, (k + 1) // every - 1])
    return out
