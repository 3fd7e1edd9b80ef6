"""Colours along the body: by a variable, or by the window of compliance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.robots.base import Robot
from serpenoid.studio.charts import Variables
from serpenoid.studio.overlays import colours_of, link_values, paintable, row, value_range
from serpenoid.studio.windows import PALETTE, body_places, edges_of, first_windows, joined_with, window_colours

if TYPE_CHECKING:
    from serpenoid.studio.page import Studio

PLAIN = "default"


class Paint:
    """Selection of the variable that colours the links."""

    def __init__(self, studio: Studio):
        self.studio = studio
        gui: Any = studio.server.gui
        self.choice = gui.add_dropdown("colours", (PLAIN,), hint="links coloured by a variable or by their windows")
        self.legend = ""  # meaning of the colours, in a line
        self.reset()

    def reset(self) -> None:
        """Reset the colours for another scene."""
        self.ranges: dict[str, tuple[float, float]] = {}  # of each variable, so far
        self.first: dict[str, NDArray] = {}  # number of the first window at each tick of a whole run
        self.before: tuple[NDArray, int] | None = None  # last edges of a live run, and their first number
        self.places: NDArray | None = None

    def offer(self, variables: Variables) -> None:
        """Offer the available variables; keep the choice if possible."""
        options = (PLAIN, *paintable(variables))
        if options != tuple(self.choice.options):
            before = self.choice.value
            self.choice.options = options
            self.choice.value = before if before in options else PLAIN

    def show(self, variables: Variables, sample: int, tick: int, whole: bool, robot: Robot) -> None:
        """Colour the links at a sample and a tick of a whole run, or at the only sample of a live run."""
        self.offer(variables)
        name, stage = self.choice.value, self.studio.stage
        if stage is None:
            return
        if name == PLAIN or name not in variables:
            self.legend = ""
            stage.paint(None)
            return
        if self.places is None:
            found = body_places(robot)
            self.places = np.full(len(stage.poses), np.nan) if found is None else found
        if edges_of(variables, name) == name and variables[name][0][1] == "window":
            stage.paint(self.window_colours(variables, name, tick, whole))
            self.legend = "colours: each window keeps its colour"
            return
        values = link_values(variables, name, tick if variables[name][0][0] == "tick" else sample, self.places)
        low, high = self.range_of(variables, name, values, whole)
        stage.paint(colours_of(values, low, high))
        self.legend = f"colours: {low:.2g} blue to {high:.2g} red, {variables[name][2] or 'no unit'}"

    def range_of(self, variables: Variables, name: str, values: NDArray, whole: bool) -> tuple[float, float]:
        """Return the ends of the colour ramp: of the whole run, or of a live run so far."""
        if whole:
            if name not in self.ranges:
                self.ranges[name] = value_range(variables, name)
            return self.ranges[name]
        low, high = self.ranges.get(name, (np.inf, -np.inf))
        good = values[np.isfinite(values)]
        self.ranges[name] = (min(low, *good), max(high, *good)) if good.size else (low, high)
        return self.ranges[name]

    def window_colours(self, variables: Variables, name: str, tick: int, whole: bool) -> NDArray:
        """Return colours (links, 3) by window; a window keeps its colour while it travels along the body."""
        assert self.places is not None
        edges = row(variables, name, tick)
        if whole:
            if name not in self.first:
                self.first[name] = first_windows(variables[name][1])
            first = int(self.first[name][min(tick, len(self.first[name]) - 1)])
        else:
            rows = np.array([edges if self.before is None else self.before[0], edges])
            first = (0 if self.before is None else self.before[1]) + int(first_windows(rows)[-1])
            self.before = (edges.copy(), first)
        joined = row(variables, joined_with(name), tick) if joined_with(name) in variables else None
        return PALETTE[window_colours(edges, first, self.places, joined)]
