"""Volume, first moments and depth integral of prisms cut by the water plane z = 0, exact in any pose.

A prism is a simple polygon of vertices (y, z), counter-clockwise, extruded along its body's x from `start` to `end`. A
point r of the body is at height d + n . r above the water, where n is the world's vertical in body axes. Rotate the
section so that its second axis points up the section's slope (u across, h up). The immersed part at station x is then

    h < level(x) = -(d + n_x x) / c,    c = |(n_y, n_z)|

By Green's theorem its integrals are sums over the edges,

    A = sum of int u dh,   H = int h dA = sum of int u h dh,   U = int u dA = sum of int u^2 / 2 dh

each edge taken up to the level. The waterline itself has dh = 0 and contributes nothing, and the polygon need not be
convex.

Consider a piece between two stations at which a vertex crosses the water. On it A is a polynomial of second degree in
x; U, H, x A and the depth integral are of third. Two Gauss points on each piece are therefore exact in any pose. A
convex prism that no vertex crosses along its length, the usual case, needs no clipping. The record has precomputed sums
over its wet vertices, and the two cut edges complete them.

Planes and integrals are those of one pose (floats) or of sixteen (wide vectors). The cuts of a prism are found for all
poses together, its integrals pose by pose.
"""

from __future__ import annotations

from math import sqrt

from serpenoid.kernels.compile import inner
from serpenoid.kernels.simd import where_positive
from serpenoid.kernels.stack import slots

# Integrands over the immersed part of a prism: 1, x, y, z and the depth -(d + n . r).
VOLUME, FIRST_X, FIRST_Y, FIRST_Z, DEPTH = range(5)
INTEGRALS = 5

# Pieces are clipped eight at a time; each row of the work array has one quantity of all eight.
WIDE = 8
SINE, COSINE, LOWER, UPPER, HEIGHT, ACROSS = 0, 8, 16, 24, 32, 40
AREA_LOWER, AREA_UPPER, RISE_LOWER, RISE_UPPER, SWAY_LOWER, SWAY_UPPER = 48, 56, 64, 72, 80, 88
SLOPE, HALF, X_LOWER, X_UPPER, DEPTH_LOWER, DEPTH_UPPER = 96, 104, 112, 120, 128, 136
CUTS = 144  # from here on: the stations at which a vertex crosses the water, in order
MOST_VERTICES = 64
OWNER = CUTS + MOST_VERTICES + 2  # prism and pose of each piece
POSE = OWNER + WIDE
WORK = POSE + WIDE

# Cut of a prism by the water: its plane (n_x, n_y, n_z, d) in the section's axes, the range of its corners' heights,
# the number of vertices that cross the water along it, and the first and last wet vertex at its middle.
PLANE, LOW, HIGH, CROSSING, FIRST_WET, LAST_WET, CUT = 0, 4, 5, 6, 7, 8, 9

GAUSS = 0.5 - 0.5 / sqrt(3.0)
FLAT = 1e-12  # below this slope a section counts as parallel to the water
SAME = 1e-9  # cuts closer than this fraction of the length are merged


@inner
def start_block(work):
    """Clear a block of pieces: levels far below every section, so that unused slots contribute nothing."""
    for i in range(WIDE):
        work[SINE + i], work[COSINE + i] = 0.0, 1.0
        work[LOWER + i] = work[UPPER + i] = -1e9


@inner
def clip_block(polygon, first, last, work):
    """Compute area and first moments (A, H, U) of a block's sections below their two levels each."""
    for i in range(WIDE):
        y, z = polygon[last - 2], polygon[last - 1]
        work[HEIGHT + i] = work[SINE + i] * y + work[COSINE + i] * z
        work[ACROSS + i] = work[COSINE + i] * y - work[SINE + i] * z
        work[AREA_LOWER + i] = work[AREA_UPPER + i] = work[RISE_LOWER + i] = 0.0
        work[RISE_UPPER + i] = work[SWAY_LOWER + i] = work[SWAY_UPPER + i] = 0.0
    for k in range(first, last, 2):
        y, z = polygon[k], polygon[k + 1]
        for i in range(WIDE):
            height_a, across_a = work[HEIGHT + i], work[ACROSS + i]
            height_b = work[SINE + i] * y + work[COSINE + i] * z
            across_b = work[COSINE + i] * y - work[SINE + i] * z
            climb = height_b - height_a
            tilt = (across_b - across_a) / (climb if abs(climb) > 1e-15 else 1e300)
            area, rise, sway = edge_below(work[LOWER + i], height_a, height_b, across_a, tilt)
            work[AREA_LOWER + i] += area
            work[RISE_LOWER + i] += rise
            work[SWAY_LOWER + i] += sway
            area, rise, sway = edge_below(work[UPPER + i], height_a, height_b, across_a, tilt)
            work[AREA_UPPER + i] += area
            work[RISE_UPPER + i] += rise
            work[SWAY_UPPER + i] += sway
            work[HEIGHT + i], work[ACROSS + i] = height_b, across_b


@inner
def edge_below(level, height_a, height_b, across_a, tilt):
    """Return the integrals u dh, u h dh and u^2 / 2 dh over an edge's part below the level; u is linear in h."""
    low, high = min(height_a, level), min(height_b, level)
    u, v = across_a + tilt * (low - height_a), across_a + tilt * (high - height_a)
    step = high - low
    area = 0.5 * step * (u + v)
    rise = step * (low * (2.0 * u + v) + high * (u + 2.0 * v)) * (1.0 / 6.0)
    sway = step * (u * u + u * v + v * v) * (1.0 / 6.0)
    return area, rise, sway


@inner
def finish_block(sections, number, fill, work, integrals):
    """Clip the block's pieces, add their integrals to their prisms, and clear the block."""
    clip_block(sections.polygon, sections.first[number], sections.first[number + 1], work)
    for i in range(fill):
        half, sine, cosine = work[HALF + i], work[SINE + i], work[COSINE + i]
        lower, upper = work[AREA_LOWER + i], work[AREA_UPPER + i]
        rise = work[RISE_LOWER + i] + work[RISE_UPPER + i]
        sway = work[SWAY_LOWER + i] + work[SWAY_UPPER + i]
        out, pose = INTEGRALS * int(work[OWNER + i]), int(work[POSE + i])
        integrals[out + VOLUME, pose] += half * (lower + upper)
        integrals[out + FIRST_X, pose] += half * (work[X_LOWER + i] * lower + work[X_UPPER + i] * upper)
        integrals[out + FIRST_Y, pose] += half * (cosine * sway + sine * rise)
        integrals[out + FIRST_Z, pose] += half * (cosine * rise - sine * sway)
        depth = work[DEPTH_LOWER + i] * lower + work[DEPTH_UPPER + i] * upper - work[SLOPE + i] * rise
        integrals[out + DEPTH, pose] += half * depth
    start_block(work)


@inner
def scan_section(sections, number, start, end, plane, cut):
    """Fill `cut` (CUT,) for a prism under a plane; the wet vertices are meaningful only in a convex section."""
    n_x, n_y, n_z, d = plane
    first, last = sections.first[number], sections.first[number + 1]
    at_start, at_end = d + n_x * start, d + n_x * end
    low, high = 1e300 + 0.0 * d, -1e300 + 0.0 * d
    crossing, entry, leave = 0.0 * d, 0.0 * d, 0.0 * d
    before = 0.5 * (at_start + at_end) + (n_y * sections.polygon[last - 2] + n_z * sections.polygon[last - 1])
    for k in range(first, last, 2):
        height = n_y * sections.polygon[k] + n_z * sections.polygon[k + 1]
        a, b = height + at_start, height + at_end
        now, vertex = 0.5 * (a + b), (k - first) // 2
        previous = vertex - 1 if k > first else (last - first) // 2 - 1
        low, high = min(low, min(a, b)), max(high, max(a, b))
        crossing += where_positive(-a * b, 1.0, 0.0)
        entry = where_positive(-now, where_positive(-before, entry, vertex), entry)
        leave = where_positive(-before, where_positive(-now, leave, previous), leave)
        before = now
    for k in range(4):
        cut[PLANE + k] = plane[k]
    cut[LOW], cut[HIGH], cut[CROSSING], cut[FIRST_WET], cut[LAST_WET] = low, high, crossing, entry, leave


@inner
def find_cuts(sections, number, plane, span, work):
    """Find stations where a vertex crosses the water, in order, including start and end; return their number."""
    n_x, n_y, n_z, d = plane
    start, end = span
    work[CUTS] = start
    last = 0
    for k in range(sections.first[number], sections.first[number + 1], 2):
        height = d + n_y * sections.polygon[k] + n_z * sections.polygon[k + 1]
        if (height + n_x * start) * (height + n_x * end) < 0.0:
            x = -height / n_x
            place = last + 1
            while place > 1 and work[CUTS + place - 1] > x:
                work[CUTS + place] = work[CUTS + place - 1]
                place -= 1
            work[CUTS + place] = x
            last += 1
    work[CUTS + last + 1] = end
    return last + 2


@inner
def add_piece(plane, slope, x_low, x_high, place, work):
    """Add the piece x_low..x_high of a prism to the block: its two Gauss stations and their levels."""
    n_x, n_y, n_z, d = plane
    inset = GAUSS * (x_high - x_low)
    x_a, x_b = x_low + inset, x_high - inset
    depth_a, depth_b = -(d + n_x * x_a), -(d + n_x * x_b)
    if slope > FLAT:
        work[SINE + place], work[COSINE + place] = n_y / slope, n_z / slope
    work[LOWER + place], work[UPPER + place] = depth_a / max(slope, FLAT), depth_b / max(slope, FLAT)
    work[SLOPE + place], work[HALF + place] = slope, 0.5 * (x_high - x_low)
    work[X_LOWER + place], work[X_UPPER + place] = x_a, x_b
    work[DEPTH_LOWER + place], work[DEPTH_UPPER + place] = depth_a, depth_b


@inner
def immerse(sections, number, span, cut, prism, pose, fill, work, integrals):
    """Write the integrals of one prism in one pose, or add it to the block; return the fill of the block.

    cut (CUT, poses), integrals (5 x prisms, poses); span = (start, end). Full blocks are finished here; the caller
    finishes the last one before the next section.
    """
    plane = (cut[PLANE, pose], cut[PLANE + 1, pose], cut[PLANE + 2, pose], cut[PLANE + 3, pose])
    out = INTEGRALS * prism
    for k in range(INTEGRALS):
        integrals[out + k, pose] = 0.0
    if cut[LOW, pose] >= 0.0:
        return fill
    if cut[HIGH, pose] <= 0.0:
        immerse_whole(sections, number, plane, span, out, pose, integrals)
        return fill
    if sections.convex[number] and cut[CROSSING, pose] == 0.0:
        wet = (int(cut[FIRST_WET, pose]), int(cut[LAST_WET, pose]))
        immerse_convex(sections, number, plane, span, wet, out, pose, integrals)
        return fill
    lowest = cut[LOW, pose] - min(plane[0] * span[0], plane[0] * span[1])
    return immerse_pieces(sections, number, plane, span, lowest, (prism, pose), fill, work, integrals)


@inner
def immerse_pieces(sections, number, plane, span, lowest, owner, fill, work, integrals):
    """Add the pieces of a prism between its cuts to the block.

    lowest: smallest d + n_y y + n_z z of its vertices.
    """
    start, end = span
    slope = sqrt(plane[1] * plane[1] + plane[2] * plane[2])
    entries = find_cuts(sections, number, plane, span, work)
    x_low = start
    for k in range(1, entries):
        x_high = work[CUTS + k]
        if k < entries - 1 and x_high - x_low < SAME * (end - start):
            continue
        if lowest + 0.5 * plane[0] * (x_low + x_high) < 0.0:
            add_piece(plane, slope, x_low, x_high, fill, work)
            work[OWNER + fill], work[POSE + fill] = owner
            fill += 1
            if fill == WIDE:
                finish_block(sections, number, fill, work, integrals)
                fill = 0
        x_low = x_high
    return fill


@inner
def fan_edge(y_a, z_a, y_b, z_b):
    """Return area and first moments of the triangle from the origin over an edge."""
    cross = y_a * z_b - y_b * z_a
    return 0.5 * cross, cross * (y_a + y_b) * (1.0 / 6.0), cross * (z_a + z_b) * (1.0 / 6.0)


@inner
def immerse_convex(sections, number, plane, span, wet, out, pose, integrals):
    """Write the integrals of a convex prism that no vertex crosses along x, wet = (first, last wet vertex).

    Sums the fan over its wet vertices and the two cut edges, at two Gauss points.
    """
    n_x, n_y, n_z, d = plane
    first_wet, last_wet = wet
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
    length = span[1] - span[0]
    volume, x_moment, y_moment, z_moment = 0.0, 0.0, 0.0, 0.0
    for side in range(2):
        x = span[0] + (GAUSS if side == 0 else 1.0 - GAUSS) * length
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
    put_integrals(plane, half * volume, half * x_moment, half * y_moment, half * z_moment, out, pose, integrals)


@inner
def immerse_whole(sections, number, plane, span, out, pose, integrals):
    """Write the integrals of a fully immersed prism, from its section's area and first moments."""
    length, middle = span[1] - span[0], 0.5 * (span[0] + span[1])
    volume = length * sections.total[number, 0]
    y, z = length * sections.total[number, 1], length * sections.total[number, 2]
    put_integrals(plane, volume, volume * middle, y, z, out, pose, integrals)


@inner
def put_integrals(plane, volume, x, y, z, out, pose, integrals):
    """Write a volume and its first moments, which also determine the depth integral."""
    integrals[out + VOLUME, pose], integrals[out + FIRST_X, pose] = volume, x
    integrals[out + FIRST_Y, pose], integrals[out + FIRST_Z, pose] = y, z
    integrals[out + DEPTH, pose] = -(plane[3] * volume + plane[0] * x + (plane[1] * y + plane[2] * z))


@inner
def immersed_prisms(sections, prisms, planes, cut, work, integrals):
    """Compute the integrals (prisms, 5, flat) of every prism under its plane.

    planes is flat, (n_x, n_y, n_z, d) per prism. Both are in body axes, floats or vectors, like the scratch cut (CUT,).
    The scratch work (WORK,) has floats. Prisms are in the order of their sections, so that a block has pieces of only
    one section.
    """
    start_block(work)
    cuts, numbers = slots(cut), slots(integrals)
    fill, last = 0, prisms.body.size - 1
    for p in range(last + 1):
        number, c, s = prisms.section[p], prisms.cosine[p], prisms.sine[p]
        n_y, n_z = planes[4 * p + 1], planes[4 * p + 2]
        plane = (planes[4 * p], c * n_y + s * n_z, c * n_z - s * n_y, planes[4 * p + 3])
        scan_section(sections, number, prisms.start[p], prisms.end[p], plane, cut)
        for pose in range(cuts.shape[1]):
            span = (prisms.start[p], prisms.end[p])
            fill = immerse(sections, number, span, cuts, p, pose, fill, work, numbers)
        if fill > 0 and (p == last or prisms.section[p + 1] != number):
            finish_block(sections, number, fill, work, numbers)
            fill = 0
    for p in range(last + 1):
        c, s, y, z = prisms.cosine[p], prisms.sine[p], INTEGRALS * p + FIRST_Y, INTEGRALS * p + FIRST_Z
        integrals[y], integrals[z] = c * integrals[y] - s * integrals[z], s * integrals[y] + c * integrals[z]
