"""Contacts of links with pegs and walls: where, how deep, and the forces they give during a step.

Numbers of a contact: the row of its normal and that of its tangent about the head's front end (moment, x, y), which
give the speed along them as row . twist; then

    N = spring - slope J_n twist_1          spring = k depth, slope = h k + c: the depth at the end of the step
    F = -friction J_t twist_1               friction = mu N / sqrt(v^2 + eps^2), the secant of Coulomb's law

each written so that it is linear in the twist of one link at the end of the step.
"""

from __future__ import annotations

from math import sqrt

from serpenoid.kernels.compile import inner

NORMAL, TANGENT = 0, 3  # rows of a contact begin here
SPRING, LOAD, FRICTION, NEXT_LOAD, NEXT_FRICTION, OBSTACLE = range(6, 12)


@inner
def find_contacts(scene, work, head_x, head_y):
    """All contacts, link by link."""
    contacts, obstacles = work.contacts, scene.obstacles
    links, pegs = scene.chain.mass.size, obstacles.x.size
    count = 0
    for k in range(links):
        for place in range(k * obstacles.most, k * obstacles.most + contacts.count[k]):
            which = contacts.near[place]
            if which < pegs:
                count += touch_peg(scene, work, k, which, head_x, head_y, count)
            else:
                count += touch_wall(scene, work, k, which - pegs, head_x, head_y, count)
    contacts.count[links] = count


@inner
def touch_peg(scene, work, k, peg, head_x, head_y, count):
    """Enter the contact of link k with a peg where they overlap; 1 or 0."""
    links, obstacles = work.links, scene.obstacles
    c, s = links.cosine[k], links.sine[k]
    dx, dy = head_x + links.x[k] - obstacles.x[peg], head_y + links.y[k] - obstacles.y[peg]
    place = min(max(-(dx * c + dy * s), 0.0), scene.chain.length[k])
    dx, dy = dx + place * c, dy + place * s
    reach, square = scene.radius + obstacles.radius[peg], dx * dx + dy * dy
    if square >= reach * reach or square == 0.0:
        return 0
    apart = sqrt(square)
    at = (links.x[k] + place * c, links.y[k] + place * s)
    enter(scene, work, k, count, at, (dx / apart, dy / apart), reach - apart)
    work.contacts.row[count, OBSTACLE] = peg
    return 1


@inner
def touch_wall(scene, work, k, which, head_x, head_y, count):
    """Enter the contact of one end of link k with the straight part of a wall; 1 or 0."""
    links, obstacles = work.links, scene.obstacles
    w, node = which // 2, k + which % 2
    wx, wy = obstacles.wall[w, 2] - obstacles.wall[w, 0], obstacles.wall[w, 3] - obstacles.wall[w, 1]
    length = sqrt(wx * wx + wy * wy)
    dx, dy = head_x + links.x[node] - obstacles.wall[w, 0], head_y + links.y[node] - obstacles.wall[w, 1]
    along, side = (dx * wx + dy * wy) / length, (wx * dy - wy * dx) / length
    depth = scene.radius + obstacles.wall[w, 4] - abs(side)
    if depth <= 0.0 or along <= 0.0 or along >= length:
        return 0
    sign = 1.0 if side > 0.0 else -1.0
    enter(scene, work, k, count, (links.x[node], links.y[node]), (-sign * wy / length, sign * wx / length), depth)
    work.contacts.row[count, OBSTACLE] = obstacles.x.size + w
    return 1


@inner
def enter(scene, work, k, count, at, normal, depth):
    """Write rows and spring force of a contact at a point of link k's axis; the normal points to the link."""
    row, (nx, ny) = work.contacts.row, normal
    x, y = at[0] - scene.radius * nx, at[1] - scene.radius * ny
    work.contacts.link[count] = k
    row[count, NORMAL], row[count, NORMAL + 1], row[count, NORMAL + 2] = at[0] * ny - at[1] * nx, nx, ny
    row[count, TANGENT], row[count, TANGENT + 1], row[count, TANGENT + 2] = x * nx + y * ny, -ny, nx
    row[count, SPRING] = scene.touch.stiffness * depth


@inner
def contact_speeds(contacts, i, rate, u, v):
    """Speeds along normal and tangent of contact i for twists (n,) of the links [m/s]."""
    k, row = contacts.link[i], contacts.row
    normal = row[i, NORMAL] * rate[k] + row[i, NORMAL + 1] * u[k] + row[i, NORMAL + 2] * v[k]
    tangent = row[i, TANGENT] * rate[k] + row[i, TANGENT + 1] * u[k] + row[i, TANGENT + 2] * v[k]
    return normal, tangent


@inner
def contact_friction(scene, contacts, slope, rate, u, v):
    """What load and secant of each contact would be at given twists; the largest error of those in use.

    The error is that of a friction force over mu N, and 1 where a contact pulls that must not.
    """
    touch, row, worst = scene.touch, contacts.row, 0.0
    for i in range(contacts.count[contacts.count.size - 1]):
        normal, tangent = contact_speeds(contacts, i, rate, u, v)
        load = max(row[i, SPRING] - slope * normal, 0.0)
        size = sqrt(tangent * tangent + touch.smoothing * touch.smoothing)
        row[i, NEXT_LOAD], row[i, NEXT_FRICTION] = load, touch.friction * load / size
        if (load > 0.0) != (row[i, LOAD] > 0.0):
            worst = max(worst, 1.0)
        off = abs(row[i, NEXT_FRICTION] - row[i, FRICTION]) * abs(tangent)
        if off > worst * touch.friction * load:
            worst = max(worst, off / (touch.friction * load) if load > 0.0 else 1.0)
    return worst


@inner
def use_next(contacts):
    """Take over loads and secants for the sweep that comes."""
    row = contacts.row
    for i in range(contacts.count[contacts.count.size - 1]):
        row[i, LOAD], row[i, FRICTION] = row[i, NEXT_LOAD], row[i, NEXT_FRICTION]


@inner
def add_contacts(work, step, slope):
    """Lay all contacts into the inertias and biases of their links."""
    contacts, links = work.contacts, work.links
    for i in range(contacts.count[contacts.count.size - 1]):
        row, k = contacts.row, contacts.link[i]
        if row[i, LOAD] > 0.0:
            normal, tangent = contact_speeds(contacts, i, links.rate, links.u, links.v)
            lay(work.sweep, k, row[i, NORMAL : NORMAL + 3], step * slope, row[i, SPRING] - slope * normal)
            lay(work.sweep, k, row[i, TANGENT : TANGENT + 3], step * row[i, FRICTION], -row[i, FRICTION] * tangent)


@inner
def lay(sweep, k, row, inertia, force):
    """A force along a row that falls with the acceleration along it."""
    r0, r1, r2 = inertia * row[0], inertia * row[1], inertia * row[2]
    sweep.a00[k] += r0 * row[0]
    sweep.a01[k] += r0 * row[1]
    sweep.a02[k] += r0 * row[2]
    sweep.a11[k] += r1 * row[1]
    sweep.a12[k] += r1 * row[2]
    sweep.a22[k] += r2 * row[2]
    sweep.b0[k] -= force * row[0]
    sweep.b1[k] -= force * row[1]
    sweep.b2[k] -= force * row[2]
