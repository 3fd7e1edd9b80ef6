"""Slopes of floor friction and of contacts in a linearised step; see tangent.py.

Friction is f = F (v_0 + w (v_1 - v_0)) / s with s = s_0 + w (s_1 - s_0), and the fraction w depends on s_0 + s_1 and,
at a contact, on the load (floor.py, contacts.py). The slopes are those of this converged law, not of the secants.

The numbers of a contact are, in order: normal x, y; place of its axis point along the link; 1 if that point can slide
along the link, minus this times the slide per rotation of the link (2); 1 / distance from the peg's axis (0: a wall);
speed of the axis point along the tangent at both ends of the step (2), along the normal (2); radius of the body; slopes
of the load by depth, opening and closing speed (3); of the drag by load and slip at both ends (3); load, drag; and the
contact point x, y about the head's front end.
"""

from __future__ import annotations

from math import sqrt

from serpenoid.kernels.compile import inner
from serpenoid.kernels.pegs.contacts import (
    LIGHT,
    LOAD,
    NORMAL,
    OBSTACLE,
    OPENING,
    SIZE,
    SLIP,
    SLOPE,
    SPRING,
    TANGENT,
    contact_drag,
    contact_speeds,
)

CONTACT_SIZE = 21
WHOLE = 1e-9  # rounding of a fraction of a step
INSIDE = 1e-9  # distance from the ends of a link within which its nearest point is an end [m]


@inner
def set_floor_tangents(scene, work, step, out):
    """Add floor friction to forces and inertias, and write its slopes by the motion of each link's front end."""
    floor, smoothing, n = work.floor, scene.floor.smoothing, out.turning.size
    slow, padded = 0.5 / (step * scene.floor.grip), work.links.mass.size
    for k in range(n):
        table, fe, fn = out.slope[k], 0.0, 0.0
        for i in range(3):
            for j in range(6):
                table[i, j] = 0.0
        for i in range(k, floor.share.size, padded):
            add_station(floor, work.links, out.front[k], k, i, smoothing, slow, table)
            fe += floor.drag_along[i]
            fn += floor.drag_across[i]
        out.drag[k, 0], out.drag[k, 1] = fe, fn
        c, s = work.links.cosine[k], work.links.sine[k]
        out.wrench[k, 0] += c * fe - s * fn
        out.wrench[k, 1] += s * fe + c * fn
        add_floor_inertia(work.links, k, step, table, out.inertia[k])


@inner
def add_station(floor, links, front, k, i, smoothing, slow, table):
    """Add the slopes of friction at one station of link k."""
    place = floor.place[i]
    a0, b0 = front[0], front[1] + place * links.rate[k]
    a1, b1 = front[2], front[3] + place * links.next_rate[k]
    s0, s1 = sqrt(a0 * a0 + b0 * b0 + smoothing * smoothing), sqrt(a1 * a1 + b1 * b1 + smoothing * smoothing)
    share, per_size = fraction((s0 + s1) * slow, slow)
    size = 1.0 / (s0 + share * (s1 - s0))
    va, vb = a0 + share * (a1 - a0), b0 + share * (b1 - b0)
    for column in range(4):
        start = column < 2
        along = column % 2 == 0
        change = (a0 if along else b0) / s0 if start else (a1 if along else b1) / s1  # of s_0 or s_1
        weight, d_share = (1.0 - share if start else share), per_size * change
        d_size = weight * change + (s1 - s0) * d_share
        fa = floor.most_along[i] * size * ((a1 - a0) * d_share - size * va * d_size)
        fb = floor.most_across[i] * size * ((b1 - b0) * d_share - size * vb * d_size)
        if along:
            fa += floor.most_along[i] * size * weight
        else:
            fb += floor.most_across[i] * size * weight
        place_in = (column % 2) + (0 if start else 3)
        table[0, place_in] += fa
        table[1, place_in] += fb
        table[2, place_in] += place * fb
        if not along:
            table[0, place_in + 1] += place * fa
            table[1, place_in + 1] += place * fb
            table[2, place_in + 1] += place * place * fb


@inner
def fraction(slow, slope):
    """Return the fraction w of share_of_change(slow), and its slope by a quantity by which `slow` has a slope."""
    if slow < 0.5:
        return 1.0 - slow, -slope
    return 0.5, 0.0


@inner
def add_floor_inertia(links, k, step, table, inertia):
    """Add h T^T K T: K are the slopes by the motion at the step's end, T that motion per acceleration."""
    c, s = links.cosine[k], links.sine[k]
    along, across = links.arm_along[k], links.arm_across[k]
    for i in range(3):
        ti0, ti1, ti2 = row_of(i, along, across, c, s)
        for j in range(3):
            tj0, tj1, tj2 = row_of(j, along, across, c, s)
            total = ti0 * (table[0, 3] * tj0 + table[0, 4] * tj1 + table[0, 5] * tj2)
            total += ti1 * (table[1, 3] * tj0 + table[1, 4] * tj1 + table[1, 5] * tj2)
            total += ti2 * (table[2, 3] * tj0 + table[2, 4] * tj1 + table[2, 5] * tj2)
            inertia[3 * i + j] += step * total


@inner
def row_of(column, along, across, c, s):
    """Return a column of T: motion of the front end along e and n, and rotation, per acceleration (angular, x, y)."""
    if column == 0:
        return along, across, 1.0
    if column == 1:
        return c, -s, 0.0
    return s, c, 0.0


@inner
def set_contact_tangents(scene, work, step, state, out):
    """Write the numbers of all contacts, and add their forces and inertias to those of their links."""
    contacts, links = work.contacts, work.links
    for i in range(contacts.count[out.turning.size]):
        row, k, own = contacts.row, contacts.link[i], out.contact[i]
        for j in range(CONTACT_SIZE):
            own[j] = 0.0
        if row[i, LOAD] > 0.0:
            set_contact_place(scene, work, state, i, own)
            set_contact_slopes(scene, work, step, i, own)
            push, drag = own[17], own[18]
            out.wrench[k, 0] -= push * own[0] + drag * own[1]
            out.wrench[k, 1] -= push * own[1] - drag * own[0]
            for a in range(3):
                for b in range(3):
                    normal, tangent = row[i, NORMAL + b], row[i, TANGENT + b]
                    drags = own[16] * tangent + own[14] * own[13] * normal
                    total = row[i, TANGENT + a] * drags - own[13] * row[i, NORMAL + a] * normal
                    out.inertia[k, 3 * a + b] += step * total


@inner
def set_contact_place(scene, work, state, i, own):
    """Write where a contact is and how it moves with its link."""
    links, row, k = work.links, work.contacts.row, work.contacts.link[i]
    c, s, nx, ny = links.cosine[k], links.sine[k], row[i, NORMAL + 1], row[i, NORMAL + 2]
    moment, arm = row[i, NORMAL], row[i, TANGENT]
    own[0], own[1], own[10] = nx, ny, scene.radius
    own[19], own[20] = arm * nx + moment * ny, arm * ny - moment * nx
    ax, ay = own[19] + scene.radius * nx, own[20] + scene.radius * ny
    place = (ax - links.x[k]) * c + (ay - links.y[k]) * s
    own[2] = place
    which = int(row[i, OBSTACLE])
    if which < scene.obstacles.x.size:
        apart = (state[0] + ax - scene.obstacles.x[which]) * nx + (state[1] + ay - scene.obstacles.y[which]) * ny
        own[5] = 1.0 / apart
        if INSIDE < place < scene.chain.length[k] - INSIDE:
            own[3], own[4] = -1.0, -apart * (ny * c - nx * s)
    for end in range(2):
        rate = links.next_rate[k] if end else links.rate[k]
        u = (links.next_u[k] if end else links.u[k]) - rate * ay
        v = (links.next_v[k] if end else links.v[k]) + rate * ax
        own[6 + end], own[8 + end] = nx * v - ny * u, nx * u + ny * v


@inner
def set_contact_slopes(scene, work, step, i, own):
    """Write load and drag of a contact that pushes, and their slopes."""
    contacts, links, touch, row, k = work.contacts, work.links, scene.touch, work.contacts.row, work.contacts.link[i]
    after, slip = contact_speeds(contacts, i, links.next_rate, links.next_u, links.next_v)
    load = row[i, SPRING] - row[i, SLOPE] * after
    own[17], own[18] = load, contact_drag(row, i, slip, load)
    lasts = row[i, SLOPE] / (0.5 * step * touch.stiffness + touch.damping)
    own[11], own[12], own[13] = lasts * touch.stiffness, 0.0, -row[i, SLOPE]
    if lasts < 1.0 - WHOLE:  # the contact begins within the step
        opening = row[i, OPENING]
        depth = row[i, SPRING] / (lasts * touch.stiffness)
        own[11] -= load / (lasts * step * opening)
        own[12] = load * depth / (lasts * step * opening * opening)
    load = max(load, 1e-9)
    first, before, smoothing = row[i, SLIP], row[i, SIZE], touch.smoothing
    size = sqrt(slip * slip + smoothing * smoothing)
    slow = 0.5 * LIGHT * scene.chain.mass[k] / (step * touch.friction * load)
    share, per_size = fraction((size + before) * slow, slow)
    inverse, mean = 1.0 / (before + share * (size - before)), first + share * (slip - first)
    rubbing = touch.friction * load * inverse
    by_share = rubbing * ((slip - first) - (size - before) * mean * inverse)
    own[14] = touch.friction * mean * inverse - by_share * per_size * (size + before) / load
    start, end = first / before, slip / size
    own[15] = rubbing * ((1.0 - share) * (1.0 - mean * inverse * start)) + by_share * per_size * start
    own[16] = rubbing * (share * (1.0 - mean * inverse * end)) + by_share * per_size * end
