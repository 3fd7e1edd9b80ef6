"""Neighbour lists of obstacles near each link, valid until a node has moved by half a skin's width."""

from __future__ import annotations

from math import floor

from serpenoid.kernels.compile import inner

SKIN = 0.02  # [m]


@inner
def find_neighbours(scene, work, head_x, head_y):
    """Rebuild the lists if any node may have come closer to an obstacle than the last ones cover."""
    contacts, x, y = work.contacts, work.links.x, work.links.y
    valid = True
    for k in range(contacts.seen_x.size):
        dx, dy = head_x + x[k] - contacts.seen_x[k], head_y + y[k] - contacts.seen_y[k]
        valid = valid & (dx * dx + dy * dy < SKIN * SKIN)
    if valid:
        return
    for k in range(contacts.seen_x.size):
        contacts.seen_x[k], contacts.seen_y[k] = head_x + x[k], head_y + y[k]
    for k in range(contacts.seen_x.size - 1):
        list_pegs(scene, contacts, k)
        list_walls(scene, contacts, k)


@inner
def list_pegs(scene, contacts, k):
    """List the pegs that link k can touch before a node has moved by the skin's width, by the squares of the grid."""
    field, length = scene.obstacles, scene.chain.length[k]
    x0, y0, x1, y1 = contacts.seen_x[k], contacts.seen_y[k], contacts.seen_x[k + 1], contacts.seen_y[k + 1]
    reach = scene.radius + field.widest + SKIN
    left = max(int(floor((min(x0, x1) - reach - field.low_x) / field.cell)), 0)
    right = min(int(floor((max(x0, x1) + reach - field.low_x) / field.cell)), field.columns - 1)
    low = max(int(floor((min(y0, y1) - reach - field.low_y) / field.cell)), 0)
    high = min(int(floor((max(y0, y1) + reach - field.low_y) / field.cell)), field.rows - 1)
    high = high if left <= right else low - 1  # beside the grid
    count, start = 0, k * field.most
    ex, ey = (x1 - x0) / length, (y1 - y0) / length
    for row in range(low, high + 1):
        for place in range(field.first[row * field.columns + left], field.first[row * field.columns + right + 1]):
            peg = field.member[place]
            dx, dy = field.x[peg] - x0, field.y[peg] - y0
            along = min(max(dx * ex + dy * ey, 0.0), length)
            dx, dy = dx - along * ex, dy - along * ey
            near = scene.radius + field.radius[peg] + SKIN
            if dx * dx + dy * dy < near * near:
                contacts.near[start + count] = peg
                count += 1
    contacts.count[k] = count


@inner
def list_walls(scene, contacts, k):
    """List the walls that an end of link k can touch before a node has moved by the skin's width."""
    field = scene.obstacles
    start = k * field.most
    for w in range(field.wall.shape[0]):
        near = scene.radius + field.wall[w, 4] + SKIN
        wx, wy = field.wall[w, 2] - field.wall[w, 0], field.wall[w, 3] - field.wall[w, 1]
        square = wx * wx + wy * wy
        for end in range(k, k + 2):
            dx, dy = contacts.seen_x[end] - field.wall[w, 0], contacts.seen_y[end] - field.wall[w, 1]
            along = min(max((dx * wx + dy * wy) / square, 0.0), 1.0)
            dx, dy = dx - along * wx, dy - along * wy
            if dx * dx + dy * dy < near * near:
                contacts.near[start + contacts.count[k]] = field.x.size + 2 * w + end - k
                contacts.count[k] += 1
