"""Where the parts of an engine's flat state stand, by name; and whether what an engine is made of can be looked up."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class Layout:
    """Names of the parts of a flat state, in their order, each with its size.

    Parts that all engines have: `joints` and `joint_rates`, `motors` and `motor_rates` (empty where the drives have no
    state of their own), and `accounts` at the end.
    """

    def __init__(self, **sizes: int):
        ends = np.cumsum(list(sizes.values())).tolist()
        self.slices = {name: slice(end - size, end) for (name, size), end in zip(sizes.items(), ends)}
        self.size: int = ends[-1]

    def __getitem__(self, name: str) -> slice:
        return self.slices[name]

    def part(self, states: NDArray, name: str) -> NDArray:
        """A part of states (..., numbers)."""
        return states[..., self.slices[name]]

    def state(self, **parts: Any) -> NDArray:
        """A state of the given parts, zero elsewhere."""
        out = np.zeros(self.size)
        for name, value in parts.items():
            out[self.slices[name]] = value
        return out


def hashable(*parts: Any) -> bool:
    """Whether all parts can be looked up; a user's own robot may hold a list."""
    try:
        hash(parts)
    except TypeError:
        return False
    return True
