"""Which posts the shapes of a robot may touch next: MuJoCo is told of those within reach only."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import inner

SPARE = 0.03  # by how much further a post may stand than a shape reaches [m]


class Posts(NamedTuple):
    """Upright posts, the shapes of a robot, and for each shape the pairs (slots) that say which posts it may touch."""

    place: NDArray  # (posts, 2) axes [m]
    radius: NDArray  # (posts,) [m]
    geom: NDArray  # (posts,) int64
    friction: NDArray  # (posts, 2) along and across the body
    nowhere: int  # a geom that nothing ever touches
    skin: NDArray  # (shapes,) int64, geoms of the robot
    reach: NDArray  # (shapes,) from the middle of each [m]
    slot: NDArray  # (shapes, slots) int64, pairs
    second: NDArray  # (shapes,) bool, whether the post is the second geom of these pairs
    pair_one: NDArray  # (pairs,) int32, in MuJoCo's memory
    pair_two: NDArray  # (pairs,) int32
    pair_friction: NDArray  # (pairs, 5)
    geom_place: NDArray  # (geoms, 3) [m]
    seen: NDArray  # (shapes, 2) where each shape was when its posts were chosen [m], NaN: never


@inner
def has_moved(posts):
    """Whether a shape may soon reach a post that was not chosen for it: half of what is spared is used up."""
    for i in range(posts.skin.size):
        place = posts.geom_place[posts.skin[i]]
        x, y = place[0] - posts.seen[i, 0], place[1] - posts.seen[i, 1]
        if not x * x + y * y <= 0.25 * SPARE * SPARE:
            return True
    return False


@inner
def fill(posts, i, slot, geom, along, across):
    """Let a slot of shape i stand for a geom."""
    pair = posts.slot[i, slot]
    if posts.second[i]:
        posts.pair_two[pair] = geom
    else:
        posts.pair_one[pair] = geom
    posts.pair_friction[pair, 0], posts.pair_friction[pair, 1] = along, across


@inner
def choose_posts(posts):
    """Choose the posts within reach of each shape, from where the shapes are now."""
    for i in range(posts.skin.size):
        place, count = posts.geom_place[posts.skin[i]], 0
        posts.seen[i, 0], posts.seen[i, 1] = place[0], place[1]
        for p in range(posts.radius.size):
            x, y = posts.place[p, 0] - place[0], posts.place[p, 1] - place[1]
            limit = posts.reach[i] + posts.radius[p] + SPARE
            if x * x + y * y <= limit * limit:
                fill(posts, i, count, posts.geom[p], posts.friction[p, 0], posts.friction[p, 1])
                count += 1
        for slot in range(count, posts.slot.shape[1]):
            fill(posts, i, slot, posts.nowhere, 0.0, 0.0)


def slots_needed(place: NDArray, radius: NDArray, reach: float) -> int:
    """How many posts a shape can have within reach at once, at most: any two of them are twice that apart at most."""
    limit = 2.0 * (reach + float(radius.max()) + SPARE)
    apart = np.linalg.norm(place[:, None] - place[None], axis=2)
    return int((apart <= limit).sum(axis=1).max())
