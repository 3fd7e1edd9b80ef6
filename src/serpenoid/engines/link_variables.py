"""Variables of every engine that follow from its link frames: a row of OF_LINKS adds one to all engines.

An engine computes the variables of INPUTS itself, in `own_variables` and in `computed`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from serpenoid.robots.imus import frame_motion

INPUTS = ("link_pose", "gyroscope", "base_twist")


class LinkFrames:
    """Poses and rates of the link frames at the samples, each computed when it is first read."""

    def __init__(self, parents: NDArray | None, known: Callable[[str], NDArray]):
        self.parents, self.known = parents, known

    @cached_property
    def pose(self) -> NDArray:
        """Poses (samples, links, 7): x y z [m], quaternion w x y z."""
        return self.known("link_pose")

    @cached_property
    def spin(self) -> NDArray:
        """Angular velocities (samples, links, 3) in each link's axes [rad/s]."""
        return self.known("gyroscope")

    @cached_property
    def base_twist(self) -> NDArray:
        """Twist (samples, 6) of link 0 in its own axes [m/s, rad/s]."""
        return self.known("base_twist")

    @cached_property
    def velocity(self) -> NDArray:
        """Velocities (samples, links, 3) of the frame origins in world axes [m/s]."""
        chain = np.arange(self.pose.shape[1]) - 1
        parents = chain if self.parents is None else self.parents
        return frame_motion(parents, self.pose, self.spin, self.base_twist)[1]


OF_LINKS: dict[str, Callable[[LinkFrames], NDArray]] = {
    "base_pose": lambda links: links.pose[:, 0],
}


def link_variables(parents: NDArray | None, known: Mapping[str, NDArray]) -> dict[str, NDArray]:
    """Return the rows of OF_LINKS that an engine did not compute itself."""
    if not known.keys() >= set(INPUTS):
        return {}
    links = LinkFrames(parents, known.__getitem__)
    return {name: of(links) for name, of in OF_LINKS.items() if name not in known}
