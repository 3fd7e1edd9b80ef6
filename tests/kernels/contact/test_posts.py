"""Posts within reach of each geom of a robot: every post that could touch is selected, against brute force."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from serpenoid.engines.contact.engine import ContactEngine
from serpenoid.kernels.contact.posts import SPARE, slots_needed
from serpenoid.kernels.contact.rollout import find_posts
from serpenoid.robots import SeaSnake
from serpenoid.worlds import Disc, Floor, Ground

RNG = np.random.default_rng(4)
PLACES = RNG.uniform(-1.0, 1.0, (60, 2))
RADII = RNG.uniform(0.01, 0.04, 60)


@dataclass(frozen=True)
class Scattered(Floor):
    """Floor with posts of several widths at random positions."""

    def geometry(self):
        return (Ground((0.0, 0.0, 0.0)), *(Disc(tuple(p), float(r)) for p, r in zip(PLACES, RADII)))


def chosen_by_shape(engine):
    """Return the posts in MuJoCo's pairs, by geom of the robot."""
    model, posts = engine.model, engine.physics.posts
    number = {int(geom): post for post, geom in enumerate(posts.geom)}
    found = []
    for i, slots in enumerate(posts.slot):
        side = model.pair_geom2 if posts.second[i] else model.pair_geom1
        other = model.pair_geom1 if posts.second[i] else model.pair_geom2
        assert all(other[pair] == posts.skin[i] for pair in slots)
        found.append({number[int(side[pair])] for pair in slots if side[pair] != posts.nowhere})
        for pair in slots:
            if side[pair] != posts.nowhere:
                friction = posts.friction[number[int(side[pair])]]
                np.testing.assert_array_equal(model.pair_friction[pair, :2], friction)
    return found


def test_chosen_posts_are_all_within_reach_and_none_is_forgotten():
    engine = ContactEngine(SeaSnake(modules=6), Scattered(), 0.001)
    posts, data = engine.physics.posts, engine.data
    rng, near = np.random.default_rng(5), 0
    for move in range(60):
        if move % 3 == 0:  # a jump, then two small steps that need no new selection
            data.qpos[:2], heading = rng.uniform(-1.0, 1.0, 2), rng.uniform(-np.pi, np.pi)
            data.qpos[3:7] = np.cos(heading / 2), 0.0, 0.0, np.sin(heading / 2)
            data.qpos[7:] = rng.uniform(-0.5, 0.5, 6)
        else:
            data.qpos[:2] += rng.uniform(-0.1, 0.1, 2) * SPARE
        find_posts(engine.physics)
        mujoco.mj_kinematics(engine.model, data)
        for i, found in enumerate(chosen_by_shape(engine)):
            middle = data.geom_xpos[posts.skin[i], :2]
            apart = np.hypot(*(PLACES - middle).T) - RADII - engine.model.geom_rbound[posts.skin[i]]
            near += len(found)
            assert set(np.flatnonzero(apart <= 0.5 * SPARE)) <= found  # all that could touch before the next selection
            assert found <= set(np.flatnonzero(apart <= 1.5 * SPARE))
    assert near > 100


def test_slots_hold_the_most_posts_that_a_shape_can_reach():
    rng = np.random.default_rng(6)
    for _ in range(20):
        places, radii, reach = rng.uniform(0.0, 0.4, (30, 2)), rng.uniform(0.0, 0.02, 30), rng.uniform(0.01, 0.1)
        middles = rng.uniform(0.0, 0.4, (500, 2))
        apart = np.linalg.norm(middles[:, None] - places, axis=2) - radii
        assert (apart <= reach + SPARE).sum(axis=1).max() <= slots_needed(places, radii, reach)
