"""States of a chain for the experiments: random, and along a motion on a fixed tail."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.motion import motion_samples
from serpenoid.kernels.records import Motion, Tree
from serpenoid.worlds.free import STANDARD_GRAVITY

NO_GRAVITY = np.zeros(3)
GRAVITY = np.array([0.0, 0.0, -STANDARD_GRAVITY])


def random_state(rng: np.random.Generator, tree: Tree) -> NDArray:
    """Return random angles [rad], rates [rad/s], pose and twist of unit size; a fixed tail has no twist."""
    joints = tree.parent.size - 1
    state = rng.normal(size=13 + 2 * joints)
    state[3:7] /= np.linalg.norm(state[3:7])
    if tree.fixed_base:
        state[7 + joints : 13 + joints] = 0.0
    return state


def states_of(motion: Motion, times: NDArray) -> tuple[NDArray, NDArray]:
    """Return flat states (times, numbers) of a fixed tail under a motion, and joint accelerations (times, joints)."""
    angles, rates, accelerations = motion_samples(motion, times)
    joints = angles.shape[1]
    states = np.zeros((times.size, 13 + 2 * joints))
    states[:, 3] = 1.0
    states[:, 7 : 7 + joints], states[:, 13 + joints :] = angles, rates
    return states, accelerations
