"""Contacts of links with pegs and walls: position, depth and the forces during a step.

The numbers of a contact begin with the rows of its normal and its tangent about the head's front end (moment, x, y).
The speed along each is row . twist. Then

    N = spring - slope J_n twist_1      spring = f k depth, slope = f (h k / 2 + c): the depth at the step's end
    F = -friction (v0 + keep (v1 - v0)) - tilt (N - load)
                                        friction = mu load / s, tilt = mu (v0 + w (v1 - v0)) / s, keep = w,
                                        s = s0 + w (s1 - s0), s_i = sqrt(v_i^2 + eps^2)

Each force is linear in the twist of one link at the end of the step. Friction is that of floor.py about the slip v1 and
load of the previous sweep. The first sweep uses those of the start with the tangent of the law, keep = w eps^2 / s0^2.

`tilt` makes friction follow the load found by the sweep itself. With such stiff springs the load changes by a tenth or
more per step, while the slip changes little. A contact that begins within the step acts for the remaining fraction f.
Otherwise links would penetrate deeper, and rebound more, the earlier in the step they arrive.
"""

from __future__ import annotations

from math import sqrt

from serpenoid.kernels.compile import inner
from serpenoid.kernels.pegs.floor import between
from serpenoid.kernels.pegs.midpoint import share_of_change

NORMAL, TANGENT = 0, 3  # start of the rows of a contact
SPRING, SLOPE, OPENING, SLIP = range(6, 10)  # of the load; speeds along normal and tangent at the start of the step
SIZE, LOAD, FRICTION, KEEP, TILT = range(10, 15)  # SIZE is s0, the others as used by the last sweep
NEXT_LOAD, NEXT_FRICTION, NEXT_KEEP, NEXT_TILT, OBSTACLE = range(15, 20)  # and as used by the next sweep
LIGHT = 0.25  # of its link's mass: effective mass of a contact at the end of a rod
FASTEST = 2.0  # at which links approach pegs [m/s]


@inner
def find_contacts(scene, work, step, head_x, head_y):
    """Find all contacts, link by link."""
    contacts, obstacles = work.contacts, scene.obstacles
    links, pegs = scene.chain.mass.size, obstacles.x.size
    count = 0
    for k in range(links):
        for place in range(k * obstacles.most, k * obstacles.most + contacts.count[k]):
            which = contacts.near[place]
            if which < pegs:
                count += touch_peg(scene, work, step, k, which, head_x, head_y, count)
            else:
                count += touch_wall(scene, work, step, k, which - pegs, head_x, head_y, count)
    contacts.count[links] = count


@inner
def touch_peg(scene, work, step, k, peg, head_x, head_y, count):
    """Add the contact of link k with a peg if they overlap during the step; return 1 or 0."""
    links, obstacles = work.links, scene.obstacles
    c, s = links.cosine[k], links.sine[k]
    dx, dy = head_x + links.x[k] - obstacles.x[peg], head_y + links.y[k] - obstacles.y[peg]
    place = min(max(-(dx * c + dy * s), 0.0), scene.chain.length[k])
    dx, dy = dx + place * c, dy + place * s
    reach, square = scene.radius + obstacles.radius[peg], dx * dx + dy * dy
    far = reach + 0.5 * step * FASTEST
    if square >= far * far or square == 0.0:
        return 0
    apart = sqrt(square)
    at = (links.x[k] + place * c, links.y[k] + place * s)
    work.contacts.row[count, OBSTACLE] = peg
    return enter(scene, work, step, k, count, at, (dx / apart, dy / apart), reach - apart)


@inner
def touch_wall(scene, work, step, k, which, head_x, head_y, count):
    """Add the contact of one end of link k with the straight part of a wall; return 1 or 0."""
    links, obstacles = work.links, scene.obstacles
    w, node = which // 2, k + which % 2
    wx, wy = obstacles.wall[w, 2] - obstacles.wall[w, 0], obstacles.wall[w, 3] - obstacles.wall[w, 1]
    length = sqrt(wx * wx + wy * wy)
    dx, dy = head_x + links.x[node] - obstacles.wall[w, 0], head_y + links.y[node] - obstacles.wall[w, 1]
    along, side = (dx * wx + dy * wy) / length, (wx * dy - wy * dx) / length
    depth = scene.radius + obstacles.wall[w, 4] - abs(side)
    if depth <= -0.5 * step * FASTEST or along <= 0.0 or along >= length:
        return 0
    sign = 1.0 if side > 0.0 else -1.0
    at, normal = (links.x[node], links.y[node]), (-sign * wy / length, sign * wx / length)
    work.contacts.row[count, OBSTACLE] = obstacles.x.size + w
    return enter(scene, work, step, k, count, at, normal, depth)


@inner
def enter(scene, work, step, k, count, at, normal, depth):
    """Write rows and load of a contact at a point of link k's axis; the normal points to the link.

    depth: in the middle of the step. Returns 0 if the contact does not begin before the step ends at its current speed.
    """
    row, (nx, ny) = work.contacts.row, normal
    x, y = at[0] - scene.radius * nx, at[1] - scene.radius * ny
    work.contacts.link[count] = k
    row[count, NORMAL], row[count, NORMAL + 1], row[count, NORMAL + 2] = at[0] * ny - at[1] * nx, nx, ny
    row[count, TANGENT], row[count, TANGENT + 1], row[count, TANGENT + 2] = x * nx + y * ny, -ny, nx
    links, touch, half = work.links, scene.touch, 0.5 * step
    opening, slip = contact_speeds(work.contacts, count, links.rate, links.u, links.v)
    row[count, SLIP], row[count, SIZE] = slip, sqrt(slip * slip + touch.smoothing * touch.smoothing)
    lasts = 1.0
    if depth + half * opening < 0.0:  # separated at the start of the step
        lasts = 0.5 - depth / (step * opening) if opening < 0.0 else 0.0
        if lasts <= 0.0:
            return 0
    row[count, SPRING], row[count, OPENING] = lasts * touch.stiffness * depth, opening
    row[count, SLOPE] = lasts * (half * touch.stiffness + touch.damping)
    return 1


@inner
def contact_speeds(contacts, i, rate, u, v):
    """Return speeds along normal and tangent of contact i for twists (n,) of the links [m/s]."""
    k, row = contacts.link[i], contacts.row
    normal = row[i, NORMAL] * rate[k] + row[i, NORMAL + 1] * u[k] + row[i, NORMAL + 2] * v[k]
    tangent = row[i, TANGENT] * rate[k] + row[i, TANGENT + 1] * u[k] + row[i, TANGENT + 2] * v[k]
    return normal, tangent


@inner
def contact_friction(scene, contacts, step, rate, u, v):
    """Compute load and secant of each contact at given twists; return the largest error of those in use.

    The error is that of a friction force over mu N, and 1 for a contact that would pull.
    """
    touch, row, worst = scene.touch, contacts.row, 0.0
    for i in range(contacts.count[contacts.count.size - 1]):
        normal, tangent = contact_speeds(contacts, i, rate, u, v)
        pushed = row[i, SPRING] - row[i, SLOPE] * normal
        load = max(pushed, 0.0)
        size, start = sqrt(tangent * tangent + touch.smoothing * touch.smoothing), row[i, SIZE]
        light = LIGHT * scene.chain.mass[contacts.link[i]]
        share = share_of_change(0.5 * (size + start) * light / (step * touch.friction * load))
        rubbing = touch.friction / between(start, size, share)
        row[i, NEXT_LOAD], row[i, NEXT_KEEP], row[i, NEXT_FRICTION] = load, share, rubbing * load
        row[i, NEXT_TILT] = rubbing * between(row[i, SLIP], tangent, share) if load > 0.0 else 0.0
        if (load > 0.0) != (row[i, LOAD] > 0.0):
            worst = max(worst, 1.0)
        off = abs(row[i, NEXT_TILT] * load - contact_drag(row, i, tangent, pushed))
        if off > worst * touch.friction * load:
            worst = max(worst, off / (touch.friction * load) if load > 0.0 else 1.0)
    return worst


@inner
def contact_drag(row, i, slip, load):
    """Return the friction force in use against the slip of contact i at the end of the step, at its load there [N]."""
    return row[i, FRICTION] * between(row[i, SLIP], slip, row[i, KEEP]) + row[i, TILT] * (load - row[i, LOAD])


@inner
def use_next(scene, contacts, first):
    """Select loads and secants for the next sweep; as tangents for the `first` one."""
    row, square = contacts.row, scene.touch.smoothing * scene.touch.smoothing
    for i in range(contacts.count[contacts.count.size - 1]):
        row[i, LOAD], row[i, FRICTION], row[i, TILT] = row[i, NEXT_LOAD], row[i, NEXT_FRICTION], row[i, NEXT_TILT]
        row[i, KEEP] = row[i, NEXT_KEEP] * (square / (row[i, SIZE] * row[i, SIZE]) if first else 1.0)


@inner
def add_contacts(work, step):
    """Add all contacts to the inertias and biases of their links."""
    contacts = work.contacts
    for i in range(contacts.count[contacts.count.size - 1]):
        row, k = contacts.row, contacts.link[i]
        if row[i, LOAD] > 0.0:
            friction, push = row[i, FRICTION], row[i, SPRING] - row[i, SLOPE] * row[i, OPENING]
            drag = friction * row[i, SLIP] + row[i, TILT] * (push - row[i, LOAD])
            normal, tangent = row[i, NORMAL : NORMAL + 3], row[i, TANGENT : TANGENT + 3]
            lay(work.sweep, k, normal, normal, step * row[i, SLOPE], push)
            lay(work.sweep, k, tangent, tangent, step * friction * row[i, KEEP], -drag)
            lay(work.sweep, k, tangent, normal, -step * row[i, SLOPE] * row[i, TILT], 0.0)


@inner
def lay(sweep, k, row, by, inertia, force):
    """Add a force along a row that decreases with the acceleration along another one."""
    r0, r1, r2 = inertia * by[0], inertia * by[1], inertia * by[2]
    sweep.a00[k] += row[0] * r0
    sweep.a01[k] += row[0] * r1
    sweep.a02[k] += row[0] * r2
    sweep.a10[k] += row[1] * r0
    sweep.a11[k] += row[1] * r1
    sweep.a12[k] += row[1] * r2
    sweep.a20[k] += row[2] * r0
    sweep.a21[k] += row[2] * r1
    sweep.a22[k] += row[2] * r2
    sweep.b0[k] -= force * row[0]
    sweep.b1[k] -= force * row[1]
    sweep.b2[k] -= force * row[2]
