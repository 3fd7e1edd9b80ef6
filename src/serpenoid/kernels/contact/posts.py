"""Posts within reach of a robot's geoms: only these are passed to MuJoCo's collision detection."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import inner

SPARE = 0.03  # extra distance beyond a geom's reach within which posts are selected [m]


class Posts(NamedTuple):
    """Upright posts, the geoms of a robot, and the pairs (slots) that define which posts each geom may touch."""

    place: NDArray  # (posts, 2) axes [m]
    radius: NDArray  # (posts,) [m]
    geom: NDArray  # (posts,) int64
    friction: NDArray  # (posts, 2) along and across the body
    nowhere: int  # a geom that is never touched
    skin: NDArray  # (shapes,) int64, geoms of the robot
    reach: NDArray  # (shapes,) from the centre of each [m]
    slot: NDArray  # (shapes, slots) int64, pairs
    second: NDArray  # (shapes,) bool, whether the post is the second geom of these pairs
    pair_one: NDArray  # (pairs,) int32, in MuJoCo's memory
    pair_two: NDArray  # (pairs,) int32
    pair_friction: NDArray  # (pairs, 5)
    geom_place: NDArray  # (geoms, 3) [m]
    seen: NDArray  # (shapes, 2) position of each geom when its posts were selected [m], NaN: never


@inner
def has_moved(posts):
    """Return whether a geom may soon reach a post that was not selected for it: half of SPARE is used up."""
    for i in range(posts.skin.size):
        place = posts.geom_place[posts.skin[i]]
        x, y = place[0] - posts.seen[i, 0], place[1] - posts.seen[i, 1]
        if not x * x + y * y <= 0.25 * SPARE * SPARE:
            return True
    return False


@inner
def fill(posts, i, slot, geom, along, across):
    """Assign a geom to a slot of shape i."""
    pair = posts.slot[i, slot]
    if posts.second[i]:
        posts.pair_two[pair] = geom
    else:
        posts.pair_one[pair] = geom
    posts.pair_friction[pair, 0], posts.pair_friction[pair, 1] = along, across


@inner
def choose_posts(posts):
    """Select the posts within reach of each geom, from the geoms' current positions."""
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
    """Return the largest number of posts that can be within a shape's reach at once.

    Any two of them are at most twice the reach apart.
    """
    limit = 2.0 * (reach + float(radius.max()) + SPARE)
    apart = np.linalg.norm(place[:, None] - place[None], axis=2)
    return int((apart <= limit).sum(axis=1).max())
