"""Slopes of floor friction and of contacts in a linearised step; see tangent.py.

Friction is f = F (v_0 + w (v_1 - v_0)) / s with s = s_0 + w (s_1 - s_0). The fraction w depends on s_0 + s_1 and, at a
contact, on the load (floor.py, contacts.py). The slopes are those of this converged law, not of the secants.
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

# Numbers of a contact.
NX, NY, PLACE = range(3)  # normal; distance of its axis point from the link's front end
SLIDE, ROLL = range(3, 5)  # change of that distance by the motion along the link and by the link's rotation
NEARNESS = 5  # 1 / distance from the peg's axis; 0 at a wall
SIDE, SIDE_AFTER, OPEN, OPEN_AFTER = range(6, 10)  # speed of the axis point along tangent and normal, at both ends
RADIUS = 10  # of the body
BY_DEPTH, BY_OPENING, BY_CLOSING = range(11, 14)  # slopes of the load by depth and by the opening speed at both ends
BY_LOAD, BY_SLIP, BY_SLIP_AFTER = range(14, 17)  # slopes of the drag by load and by the slip at both ends
PUSH, DRAG, AT_X, AT_Y = range(17, 21)  # load, drag, and the contact point about the head's front end
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
    contacts = work.contacts
    for i in range(contacts.count[out.turning.size]):
        row, k, own = contacts.row, contacts.link[i], out.contact[i]
        for j in range(CONTACT_SIZE):
            own[j] = 0.0
        if row[i, LOAD] > 0.0:
            set_contact_place(scene, work, state, i, own)
            set_contact_slopes(scene, work, step, i, own)
            push, drag = own[PUSH], own[DRAG]
            out.wrench[k, 0] -= push * own[NX] + drag * own[NY]
            out.wrench[k, 1] -= push * own[NY] - drag * own[NX]
            for a in range(3):
                for b in range(3):
                    normal, tangent = row[i, NORMAL + b], row[i, TANGENT + b]
                    drags = own[BY_SLIP_AFTER] * tangent + own[BY_LOAD] * own[BY_CLOSING] * normal
                    total = row[i, TANGENT + a] * drags - own[BY_CLOSING] * row[i, NORMAL + a] * normal
                    out.inertia[k, 3 * a + b] += step * total


@inner
def set_contact_place(scene, work, state, i, own):
    """Write where a contact is and how it moves with its link."""
    links, row, k = work.links, work.contacts.row, work.contacts.link[i]
    c, s, nx, ny = links.cosine[k], links.sine[k], row[i, NORMAL + 1], row[i, NORMAL + 2]
    moment, arm = row[i, NORMAL], row[i, TANGENT]
    own[NX], own[NY], own[RADIUS] = nx, ny, scene.radius
    own[AT_X], own[AT_Y] = arm * nx + moment * ny, arm * ny - moment * nx
    ax, ay = own[AT_X] + scene.radius * nx, own[AT_Y] + scene.radius * ny
    place = (ax - links.x[k]) * c + (ay - links.y[k]) * s
    own[PLACE] = place
    which = int(row[i, OBSTACLE])
    if which < scene.obstacles.x.size:
        apart = (state[0] + ax - scene.obstacles.x[which]) * nx + (state[1] + ay - scene.obstacles.y[which]) * ny
        own[NEARNESS] = 1.0 / apart
        if INSIDE < place < scene.chain.length[k] - INSIDE:
            own[SLIDE], own[ROLL] = -1.0, -apart * (ny * c - nx * s)
    for end in range(2):
        rate = links.next_rate[k] if end else links.rate[k]
        u = (links.next_u[k] if end else links.u[k]) - rate * ay
        v = (links.next_v[k] if end else links.v[k]) + rate * ax
        own[SIDE + end], own[OPEN + end] = nx * v - ny * u, nx * u + ny * v


@inner
def set_contact_slopes(scene, work, step, i, own):
    """Write load and drag of a contact that pushes, and their slopes."""
    contacts, links, touch, row, k = work.contacts, work.links, scene.touch, work.contacts.row, work.contacts.link[i]
    after, slip = contact_speeds(contacts, i, links.next_rate, links.next_u, links.next_v)
    load = row[i, SPRING] - row[i, SLOPE] * after
    own[PUSH], own[DRAG] = load, contact_drag(row, i, slip, load)
    lasts = row[i, SLOPE] / (0.5 * step * touch.stiffness + touch.damping)
    own[BY_DEPTH], own[BY_OPENING], own[BY_CLOSING] = lasts * touch.stiffness, 0.0, -row[i, SLOPE]
    if lasts < 1.0 - WHOLE:  # the contact begins within the step
        opening = row[i, OPENING]
        depth = row[i, SPRING] / (lasts * touch.stiffness)
        own[BY_DEPTH] -= load / (lasts * step * opening)
        own[BY_OPENING] = load * depth / (lasts * step * opening * opening)
    load = max(load, 1e-9)
    first, before, smoothing = row[i, SLIP], row[i, SIZE], touch.smoothing
    size = sqrt(slip * slip + smoothing * smoothing)
    slow = 0.5 * LIGHT * scene.chain.mass[k] / (step * touch.friction * load)
    share, per_size = fraction((size + before) * slow, slow)
    inverse, mean = 1.0 / (before + share * (size - before)), first + share * (slip - first)
    rubbing = touch.friction * load * inverse
    by_share = rubbing * ((slip - first) - (size - before) * mean * inverse)
    own[BY_LOAD] = touch.friction * mean * inverse - by_share * per_size * (size + before) / load
    start, end = first / before, slip / size
    own[BY_SLIP] = rubbing * ((1.0 - share) * (1.0 - mean * inverse * start)) + by_share * per_size * start
    own[BY_SLIP_AFTER] = rubbing * (share * (1.0 - mean * inverse * end)) + by_share * per_size * end
