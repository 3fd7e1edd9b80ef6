"""Layout of an engine's flat state by part names, and a test of hashable engine inputs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class Layout:
    """Names of the parts of a flat state, in order, each with its size.

    All engines have the parts `joints`, `joint_rates`, `motors`, `motor_rates` and, at the end, `accounts`. The
    motor parts are empty for drives without a state.
    """

    def __init__(self, **sizes: int):
        ends = np.cumsum(list(sizes.values())).tolist()
        self.slices = {name: slice(end - size, end) for (name, size), end in zip(sizes.items(), ends)}
        self.size: int = ends[-1]

    def __getitem__(self, name: str) -> slice:
        return self.slices[name]

    def part(self, states: NDArray, name: str) -> NDArray:
        """Return a part of states (..., numbers)."""
        return states[..., self.slices[name]]

    def state(self, **parts: Any) -> NDArray:
        """Return a state with the given parts, zero elsewhere."""
        out = np.zeros(self.size)
        for name, value in parts.items():
            out[self.slices[name]] = value
        return out


def hashable(*parts: Any) -> bool:
    """Return whether all parts are hashable; a user-defined robot may contain a list."""
    try:
        hash(parts)
    except TypeError:
        return False
    return True
