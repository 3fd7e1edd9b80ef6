"""Volume, first moments and depth integral of prisms cut by the water plane z = 0: exact in any pose.

A prism is a simple polygon of vertices (y, z), counter-clockwise, drawn along its body's x from `start` to `end`. A
point r of the body stands at height d + n . r above the water, n being the world's vertical in body axes. In the
section turned so that its second axis points up the section's slope (u across, h up), the immersed part at station x
is h < level(x) = -(d + n_x x) / c, c = |(n_y, n_z)|, and by Green's theorem its integrals are sums over the edges,
    A = sum of int u dh,   H = int h dA = sum of int u h dh,   U = int u dA = sum of int u^2 / 2 dh,
each edge taken up to the level: the waterline itself has dh = 0 and adds nothing, and the polygon need not be convex.

Between two stations at which a vertex crosses the water, A is a polynomial of second degree in x; U, H, x A and the
depth integral are of third. Two Gauss points on each such piece are therefore exact, whatever the pose.
"""

from __future__ import annotations

from math import sqrt

from serpenoid.kernels.compile import inlined

# What is integrated over the immersed part of a prism: 1, x, y, z and the depth -(d + n . r).
VOLUME, FIRST_X, FIRST_Y, FIRST_Z, DEPTH = range(5)
INTEGRALS = 5

# Pieces are clipped eight at a time; each row of the work array holds one quantity of the eight.
WIDE = 8
SINE, COSINE, LOWER, UPPER, HEIGHT, ACROSS = 0, 8, 16, 24, 32, 40
AREA_LOWER, AREA_UPPER, RISE_LOWER, RISE_UPPER, SWAY_LOWER, SWAY_UPPER = 48, 56, 64, 72, 80, 88
SLOPE, HALF, X_LOWER, X_UPPER, DEPTH_LOWER, DEPTH_UPPER = 96, 104, 112, 120, 128, 136
CUTS = 144  # from here on: the stations at which a vertex crosses the water, in order
MOST_VERTICES = 64
OWNER = CUTS + MOST_VERTICES + 2  # the prism that each piece belongs to
WORK = OWNER + WIDE

GAUSS = 0.5 - 0.5 / sqrt(3.0)
FLAT = 1e-12  # below this slope a section counts as parallel to the water
SAME = 1e-9  # cuts closer than this part of the length are one


@inlined
def start_block(work):
    """An empty block of pieces: levels far below every section, so that unfilled places add nothing."""
    for i in range(WIDE):
        work[SINE + i], work[COSINE + i] = 0.0, 1.0
        work[LOWER + i] = work[UPPER + i] = -1e9


@inlined
def clip_block(polygon, first, last, work):
    """Area and first moments (A, H, U) of a block's sections below their two levels each."""
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


@inlined
def edge_below(level, height_a, height_b, across_a, tilt):
    """int u dh, int u h dh and int u^2 / 2 dh over the part of an edge below the level; u is linear in h."""
    low, high = min(height_a, level), min(height_b, level)
    u, v = across_a + tilt * (low - height_a), across_a + tilt * (high - height_a)
    step = high - low
    area = 0.5 * step * (u + v)
    rise = step * (low * (2.0 * u + v) + high * (u + 2.0 * v)) * (1.0 / 6.0)
    sway = step * (u * u + u * v + v * v) * (1.0 / 6.0)
    return area, rise, sway


@inlined
def finish_block(sections, number, fill, work, integrals):
    """Clip the block's pieces and add what they hold to their prisms; empties the block."""
    clip_block(sections.polygon, sections.first[number], sections.first[number + 1], work)
    for i in range(fill):
        half, sine, cosine = work[HALF + i], work[SINE + i], work[COSINE + i]
        lower, upper = work[AREA_LOWER + i], work[AREA_UPPER + i]
        rise = work[RISE_LOWER + i] + work[RISE_UPPER + i]
        sway = work[SWAY_LOWER + i] + work[SWAY_UPPER + i]
        out = INTEGRALS * int(work[OWNER + i])
        integrals[out + VOLUME] += half * (lower + upper)
        integrals[out + FIRST_X] += half * (work[X_LOWER + i] * lower + work[X_UPPER + i] * upper)
        integrals[out + FIRST_Y] += half * (cosine * sway + sine * rise)
        integrals[out + FIRST_Z] += half * (cosine * rise - sine * sway)
        depth = work[DEPTH_LOWER + i] * lower + work[DEPTH_UPPER + i] * upper - work[SLOPE + i] * rise
        integrals[out + DEPTH] += half * depth
    start_block(work)


@inlined
def section_range(sections, number, n_y, n_z):
    """Least and greatest n_y y + n_z z over a section's vertices."""
    low, high = 1e300, -1e300
    for k in range(sections.first[number], sections.first[number + 1], 2):
        value = n_y * sections.polygon[k] + n_z * sections.polygon[k + 1]
        low, high = min(low, value), max(high, value)
    return low, high


@inlined
def find_cuts(sections, number, plane, span, work):
    """Stations where a vertex crosses the water, in order, start first and end last; returns how many."""
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


@inlined
def add_piece(plane, slope, x_low, x_high, place, work):
    """Put the piece x_low..x_high of a prism into the block: its two Gauss stations and their levels."""
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


@inlined
def immerse(sections, number, plane, span, index, fill, work, integrals):
    """Add one prism to the block, or its closed form where it is all wet; returns how full the block is.

    plane = (n_x, n_y, n_z, d), span = (start, end); integrals is flat, five numbers a prism. Full blocks are finished
    here; the caller finishes the last one before it turns to another section.
    """
    n_x, n_y, n_z, d = plane
    start, end = span
    low, high = section_range(sections, number, n_y, n_z)
    lowest, highest = d + min(n_x * start, n_x * end), d + max(n_x * start, n_x * end)
    for k in range(INTEGRALS):
        integrals[INTEGRALS * index + k] = 0.0
    if low + lowest >= 0.0:
        return fill
    if high + highest <= 0.0:
        immerse_whole(sections, number, plane, span, INTEGRALS * index, integrals)
        return fill
    slope = sqrt(n_y * n_y + n_z * n_z)
    entries = find_cuts(sections, number, plane, span, work)
    x_low = start
    for k in range(1, entries):
        x_high = work[CUTS + k]
        if k < entries - 1 and x_high - x_low < SAME * (end - start):
            continue
        if low + d + 0.5 * n_x * (x_low + x_high) < 0.0:
            add_piece(plane, slope, x_low, x_high, fill, work)
            work[OWNER + fill] = index
            fill += 1
            if fill == WIDE:
                finish_block(sections, number, fill, work, integrals)
                fill = 0
        x_low = x_high
    return fill


@inlined
def immerse_whole(sections, number, plane, span, out, integrals):
    """The same integrals of a prism all under water, from its section's area and first moments."""
    n_x, n_y, n_z, d = plane
    length, middle = span[1] - span[0], 0.5 * (span[0] + span[1])
    area, first_y, first_z = sections.total[number, 0], sections.total[number, 1], sections.total[number, 2]
    volume = length * area
    integrals[out + VOLUME] = volume
    integrals[out + FIRST_X] = volume * middle
    integrals[out + FIRST_Y] = length * first_y
    integrals[out + FIRST_Z] = length * first_z
    integrals[out + DEPTH] = -(d * volume + n_x * volume * middle + length * (n_y * first_y + n_z * first_z))


@inlined
def immersed_prisms(sections, prisms, planes, work, integrals):
    """Integrals (prisms, 5, flat) of every prism under its plane; planes is flat, (n_x, n_y, n_z, d) a prism.

    Both in body axes; work (WORK,) is scratch. Prisms stand in the order of their sections, so that a block holds
    pieces of one section only.
    """
    start_block(work)
    fill, last = 0, prisms.body.size - 1
    for p in range(last + 1):
        number, c, s = prisms.section[p], prisms.cosine[p], prisms.sine[p]
        n_y, n_z = planes[4 * p + 1], planes[4 * p + 2]
        plane = (planes[4 * p], c * n_y + s * n_z, c * n_z - s * n_y, planes[4 * p + 3])
        fill = immerse(sections, number, plane, (prisms.start[p], prisms.end[p]), p, fill, work, integrals)
        if fill > 0 and (p == last or prisms.section[p + 1] != number):
            finish_block(sections, number, fill, work, integrals)
            fill = 0
    for p in range(last + 1):
        c, s, y, z = prisms.cosine[p], prisms.sine[p], INTEGRALS * p + FIRST_Y, INTEGRALS * p + FIRST_Z
        integrals[y], integrals[z] = c * integrals[y] - s * integrals[z], s * integrals[y] + c * integrals[z]
