"""One chart of a page: lines with a legend and values under the cursor, or a map."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.plotting.style import palette
from serpenoid.studio.chart_map import map_html, mark_html
from serpenoid.studio.charts import (
    LINES,
    MAP,
    ROLL,
    Curves,
    Variables,
    has,
    names_of,
    rows_of,
    usual_form,
)

if TYPE_CHECKING:
    import viser

NOW = "#1d2733"
# The playhead is a series with two points, without a value or a dot under the cursor.
PLAYHEAD = {"label": "playhead", "class": "playhead", "stroke": NOW, "width": 1.0, "dash": (4, 3)}
STYLE = "<style>.u-legend .playhead .u-value, .u-cursor-pt.playhead {display: none}</style>"
HEIGHT = 170  # [pixels]
# Sizes of the axes; the page does not adapt them to changing data [pixels].
AXES = ({"size": 32, "space": 45}, {"size": 56, "space": 20})
NOTHING = "(nothing)"
EMPTY = (np.array([0.0, 1.0]), np.array([0.0, 0.0]))
UNSEEN = ({"label": "t [s]"}, {"label": "", "show": False})
NO_AXES = ({"show": False}, {"show": False})
LEGEND, NO_LEGEND = {"show": True, "live": True}, {"show": False}
# One cursor for all charts; the nearest line is highlighted. Dragging zooms, a double-click resets.
CURSOR = {"sync": {"key": "charts"}, "focus": {"prox": 12}, "drag": {"x": True, "y": False}}
APART = 1e-5  # fraction of the chart width between both points of the playhead: uPlot accepts no duplicate times


class Slot:
    """One chart, its variable and its form.

    An empty chart is not removed: a slow page would miss its removal. A chart that appears while its data change may
    lose its time axis (uPlot's redraw() drops a pending new width).
    """

    def __init__(self, server: viser.ViserServer, tab: viser.GuiTabHandle, number: int):
        self.server, self.number = server, number
        gui: Any = server.gui
        first = 10.0 + 5.0 * number
        with tab:
            self.choice = gui.add_dropdown(f"chart {number + 1}", (NOTHING,), hint="chart variable", order=first)
            self.form = gui.add_dropdown(
                "as", (LINES,), hint="lines, a map over time, or a single line", order=first + 1.0, visible=False
            )
            self.plot = gui.add_uplot(
                EMPTY, UNSEEN, scales={"x": {"time": False}}, axes=NO_AXES, legend=NO_LEGEND, height=HEIGHT,
                cursor=CURSOR, focus={"alpha": 0.25}, padding=(8, 12, 0, 0), order=first + 2.0,
            )  # fmt: skip
            self.map = gui.add_html("", order=first + 3.0)
            self.over = gui.add_html("", order=first + 4.0)  # the playhead over the map
        self.curves: Curves | None = None  # as drawn
        self.ghost: Curves | None = None
        self.ends = (0.0, 1.0)  # of the time axis [s]
        self.rows: deque[tuple[float, NDArray]] = deque()  # of a live run

    def offer(self, names: Sequence[str]) -> None:
        """Offer other variables; keep the choice if it is still available."""
        options = tuple(names) or (NOTHING,)
        if options != tuple(self.choice.options):
            before = self.choice.value
            self.choice.options = options
            self.choice.value = before if before in options else options[min(self.number, len(options) - 1)]

    def offer_forms(self, labels: Sequence[str]) -> None:
        """Offer the forms of a variable with these columns; keep the choice if it is still available."""
        options = (LINES, MAP, *labels) if len(labels) > 1 else (LINES,)
        if options != tuple(self.form.options):
            self.form.options, self.form.value = options, usual_form(len(labels))
            self.form.visible = len(options) > 1

    def forget(self) -> None:
        """Clear the chart."""
        self.curves = self.ghost = None
        self.rows.clear()
        with self.server.atomic():
            self.plot.series, self.plot.data, self.plot.title = UNSEEN, EMPTY, None
            self.plot.axes, self.plot.legend, self.plot.visible = NO_AXES, NO_LEGEND, True
            self.map.content = self.over.content = ""
            self.form.visible = False

    def draw(self, curves: Curves, ends: tuple[float, float], now: float | None, ghost: Curves | None = None) -> None:
        """Draw other curves between two times [s], with the playhead at `now`; None for a live run."""
        self.offer_forms(curves.labels)
        self.form.visible = len(self.form.options) > 1
        form = self.form.value
        self.curves, self.ends = curves.chosen(form), ends
        self.ghost = None if ghost is None or form == MAP else ghost.chosen(form if form in ghost.labels else LINES)
        with self.server.atomic():
            if form == MAP:
                self.draw_map(now)
            else:
                self.draw_lines(now)
            self.plot.visible = form != MAP

    def title(self, now: float | None) -> str:
        """Return the title of the chart."""
        assert self.curves is not None
        return f"{self.curves.title} over " + ("time [s], 0 is now" if now is None else "time [s]")

    def draw_map(self, now: float | None) -> None:
        """Draw the map."""
        assert self.curves is not None
        self.map.content = map_html(self.curves, self.ends, self.title(now), now is not None)
        self.mark(now)

    def draw_lines(self, now: float | None) -> None:
        """Draw lines over time, those of the ghost dashed, and the playhead."""
        assert self.curves is not None
        self.map.content = self.over.content = ""
        series = [*lines_of(self.curves), *(lines_of(self.ghost, ", ghost", (6, 4)) if self.ghost else ())]
        self.plot.series = ({"label": "t [s]"}, *series, *([] if now is None else [PLAYHEAD]))
        self.plot.title = self.title(now)
        # Explicit limits: viser's page would otherwise keep its zoom for other data, and lose it.
        height = {} if now is None and np.isfinite(self.curves.values).all() else {"y": {"range": self.height()}}
        self.plot.scales = {"x": {"time": False, "range": self.ends}} | height
        self.plot.data = self.data(now)
        self.plot.axes, self.plot.legend = AXES, LEGEND

    def height(self) -> tuple[float, float]:
        """Return the limits of the value axis."""
        assert self.curves is not None
        drawn = [self.curves.values, *([] if self.ghost is None else [self.ghost.values])]
        return span(np.concatenate([values.ravel() for values in drawn]))

    def data(self, now: float | None) -> tuple[NDArray, ...]:
        """Return the chart data: all curves at the times of each of them, and a vertical line at the playhead."""
        assert self.curves is not None
        if now is None and self.ghost is None:
            return (self.curves.times, *self.curves.values.T)
        found = [self.curves, *([] if self.ghost is None else [self.ghost])]
        head = [] if now is None else [now, now + APART * (self.ends[1] - self.ends[0])]
        times = np.unique(np.concatenate([*(curves.times for curves in found), head]))
        columns = [
            np.interp(times, curves.times, column, np.nan, np.nan) for curves in found for column in curves.values.T
        ]
        if now is None:
            return (times, *columns)
        upright = np.full(times.size, np.nan)
        upright[np.searchsorted(times, head)] = self.height()
        return (times, *columns, upright)

    def mark(self, now: float | None) -> None:
        """Move the playhead to a time [s]; None removes it."""
        if self.curves is None:
            return
        if self.form.value != MAP:
            self.plot.data = self.data(now)
        else:
            share = None if now is None else (now - self.ends[0]) / (self.ends[1] - self.ends[0])
            self.over.content = mark_html(share)

    def roll(
        self, time: float, variables: Variables, labels: Mapping[str, Sequence[str]], seen: float, redraw: bool
    ) -> None:
        """Append a sample of a live run of which `seen` seconds are visible; redraw only occasionally."""
        name = self.choice.value
        if not has(variables, name):
            return
        _, values, unit = rows_of(name, variables)
        if self.rows and self.rows[-1][1].size != values.shape[1]:
            self.forget()
        if self.rows and time <= self.rows[-1][0]:
            return
        row = values[0]
        if name == ROLL and self.rows:  # a single sample cannot be unwrapped
            row = row + 2.0 * np.pi * np.round((self.rows[-1][1] - row) / (2.0 * np.pi))
        self.rows.append((time, row))
        while self.rows[0][0] < time - seen:
            self.rows.popleft()
        if redraw and len(self.rows) > 1:
            times, rows = np.array([row[0] for row in self.rows]), np.array([row[1] for row in self.rows])
            self.redraw(Curves(name, unit, times - time, rows, names_of(name, variables, labels, row.size)), seen)

    def redraw(self, curves: Curves, seen: float) -> None:
        """Draw the latest part of a live run; an unchanged chart only gets new data, which keeps its zoom."""
        if self.curves is None or self.ends != (-seen, 0.0) or not np.isfinite(curves.values).all():
            self.draw(curves, (-seen, 0.0), None)
            return
        self.curves = curves.chosen(self.form.value)
        if self.form.value == MAP:
            self.draw_map(None)
        else:
            self.plot.data = self.data(None)


def lines_of(curves: Curves, note: str = "", dash: tuple[int, ...] = ()) -> list[dict[str, Any]]:
    """Return style and legend names of the lines."""
    from matplotlib.colors import to_hex

    looks = {"width": 1.5, "points": {"show": False}} | ({"dash": dash} if dash else {})
    colours = palette(len(curves.labels))
    return [
        {"label": f"{label}{note}", "stroke": to_hex(colour), **looks} for label, colour in zip(curves.labels, colours)
    ]


def span(values: NDArray) -> tuple[float, float]:
    """Return the limits of an axis that contains all values, with a margin."""
    good = values[np.isfinite(values)]
    low, high = (float(good.min()), float(good.max())) if good.size else (-1.0, 1.0)
    room = 0.06 * (high - low) or 0.1 * abs(high) or 1.0
    return low - room, high + room
