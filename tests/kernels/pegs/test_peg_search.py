"""Neighbour lists of obstacles by the grid against all obstacles one by one."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from serpenoid.engines.pegs import PegEngine
from serpenoid.kernels.pegs.search import SKIN, find_neighbours
from serpenoid.robots import PD, PlanarSnake
from serpenoid.worlds import PegBoard

SNAKE = PlanarSnake(links=6, link_length=0.13, link_mass=0.4, drive=PD(20.0, 0.3, 5.0))
BOARDS = {
    "random": PegBoard(density=12.0, seed=2),
    "hexagonal": PegBoard(layout="hexagonal", density=12.0),
    "list": PegBoard(layout="list", places=((0.0, 0.0), (0.3, 0.1), (0.3, -0.4))),
    "none": PegBoard(density=0.0),
}


def apart(point, start, end):
    """Return the distance of a point from a segment."""
    along = np.clip((point - start) @ (end - start) / ((end - start) @ (end - start)), 0.0, 1.0)
    return np.linalg.norm(point - start - along * (end - start))


def near_by_brute_force(scene, nodes, k):
    """Return indices of the pegs, then of the ends of link k at walls, within reach of a link."""
    field = scene.obstacles
    found = [
        peg
        for peg in range(field.x.size)
        if apart(np.array([field.x[peg], field.y[peg]]), nodes[k], nodes[k + 1])
        < scene.radius + field.radius[peg] + SKIN
    ]
    for w, wall in enumerate(field.wall):
        for end in (0, 1):
            if apart(nodes[k + end], wall[:2], wall[2:4]) < scene.radius + wall[4] + SKIN:
                found.append(field.x.size + 2 * w + end)
    return found


@pytest.mark.parametrize("name", BOARDS)
def test_lists_are_those_of_brute_force(name):
    """Over the board, across its edges and far outside."""
    scene, rng, total = PegEngine(SNAKE, BOARDS[name], 0.001).scene, np.random.default_rng(1), 0
    field, links = scene.obstacles, scene.chain.mass.size
    reach = 2.5 if name == "random" else 0.8
    for _ in range(40):
        head, angles = rng.uniform(-reach, reach, 2), np.cumsum(rng.uniform(-0.8, 0.8, links)) + rng.uniform(-3.0, 3.0)
        steps = scene.chain.length[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1)
        nodes = np.concatenate([[head], head + np.cumsum(steps, axis=0)])
        contacts = SimpleNamespace(
            near=np.full(links * field.most, -1), count=np.zeros(links + 1, int), seen_x=np.full(links + 1, np.inf),
            seen_y=np.full(links + 1, np.inf),
        )  # fmt: skip
        line = SimpleNamespace(x=nodes[:, 0] - head[0], y=nodes[:, 1] - head[1])
        find_neighbours(scene, SimpleNamespace(contacts=contacts, links=line), *head)
        np.testing.assert_allclose(np.stack([contacts.seen_x, contacts.seen_y], axis=1), nodes, atol=1e-12)
        for k in range(links):
            row = contacts.near[k * field.most : k * field.most + contacts.count[k]]
            assert len(row) <= field.most
            assert sorted(row.tolist()) == sorted(near_by_brute_force(scene, nodes, k))
            total += len(row)
    assert (total > 0) == (field.x.size > 0)


def test_lists_hold_until_a_node_has_moved_by_the_skin():
    scene = PegEngine(SNAKE, BOARDS["list"], 0.001).scene
    links = scene.chain.mass.size
    contacts = SimpleNamespace(
        near=np.full(links * scene.obstacles.most, -1), count=np.zeros(links + 1, int),
        seen_x=np.full(links + 1, np.inf), seen_y=np.full(links + 1, np.inf),
    )  # fmt: skip
    line = SimpleNamespace(x=0.13 * np.arange(links + 1), y=np.zeros(links + 1))
    work = SimpleNamespace(contacts=contacts, links=line)
    for move, renewed in ((0.0, True), (0.9 * SKIN, False), (1.1 * SKIN, True), (1.9 * SKIN, False)):
        before = contacts.seen_x[0]
        find_neighbours(scene, work, -0.3 + move, 0.0)
        assert (contacts.seen_x[0] != before) == renewed
