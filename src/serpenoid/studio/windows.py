"""Windows of compliance along a body: the window of each link, and the identity of travelling windows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from serpenoid.plotting.style import COLOURS
from serpenoid.robots.base import Robot
from serpenoid.studio.charts import Variables

WINDOW = "window"  # dimension of variables with one number per window
EDGE = "edge_"  # prefix of signals with the starts of windows, from the snout [m]
NOWHERE = (150, 150, 150)  # a link without a window
PALETTE = np.array([*([int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in COLOURS), NOWHERE], dtype=np.uint8)


def body_places(robot: Robot) -> NDArray | None:
    """Return the approximate centre (links,) of each link along the straight body, from the snout [m]; None if
    undefined."""
    if robot.arc_positions is None:
        return None
    fronts = np.array([0.0, *robot.arc_positions])
    return fronts + 0.5 * float(np.nanmax(fronts)) / max(1, np.isfinite(fronts).sum() - 1)


def window_sets(variables: Variables) -> list[str]:
    """Return the signals with the starts of windows."""
    return [name for name, (dims, *_) in variables.items() if name.startswith(EDGE) and dims == ("tick", WINDOW)]


def edges_of(variables: Variables, name: str) -> str:
    """Return the signal with the window edges of a variable: itself, or the first with as many windows."""
    counts = np.isfinite(variables[name][1]).sum(axis=1)
    sets = window_sets(variables)
    same = (other for other in sets if np.array_equal(np.isfinite(variables[other][1]).sum(axis=1), counts))
    return name if name in sets else next(same, "")


def window_of(edges: NDArray, places: NDArray) -> NDArray:
    """Return (links,) the window of each link (the last that begins before it, else the first); -1 without a
    position."""
    found = np.searchsorted(edges[np.isfinite(edges)], places, side="right") - 1
    return np.where(np.isfinite(places), np.maximum(found, 0), -1)


def first_windows(edges: NDArray) -> NDArray:
    """Return (ticks,) the number of the first window, from edges (ticks, windows) in order from the head.

    A window keeps its number while it travels. If a window appears at the head, the number of the first one falls by
    one. If the first one leaves over the head, it rises by one.
    """
    before, now = edges[:-1], edges[1:]
    stays = np.abs(now[:, 0] - before[:, 0])
    second = edges[:, 1] if edges.shape[1] > 1 else np.full(len(edges), np.nan)
    born = np.abs(second[1:] - before[:, 0]) < stays
    left = np.abs(now[:, 0] - second[:-1]) < stays
    return np.concatenate([[0], np.cumsum(left.astype(int) - born)])


def joined_with(name: str) -> str:
    """Return the signal that marks windows joined with the next, from the signal with their edges."""
    return f"joined_{name.removeprefix(EDGE)}"


def window_colours(edges: NDArray, first: int, places: NDArray, joined: NDArray | None = None) -> NDArray:
    """Return (links,) the palette index of each link by its window number; the last one without a window.

    Joined windows (windows,) have the colour of their first.
    """
    window, last = window_of(edges, places), len(PALETTE) - 1
    if joined is not None:
        own = np.append(True, joined[:-1] != 1.0)
        window = np.where(window < 0, window, np.maximum.accumulate(np.where(own, np.arange(own.size), 0))[window])
    return np.where(window < 0, last, (first + window) % last)
