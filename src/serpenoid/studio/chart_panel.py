"""Charts of a page, tied to the playhead, or rolling along with a live run."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.plotting.style import COLOURS
from serpenoid.studio.charts import (
    MOST_POINTS,
    ROLL,
    Curves,
    Variables,
    chartable,
    curves_of,
    has,
    labels_of,
    rows_of,
    shown_columns,
)
from serpenoid.studio.events import by_browser
from serpenoid.trajectory import Trajectory

if TYPE_CHECKING:
    import viser

SLOTS = 3
SEEN = 10.0  # of a live run [s]
NOW = "#1d2733"
HEIGHT = 150  # [pixels]
AXES = ({"size": 32}, {"size": 52})  # of times and values [pixels]: the page does not fit them to data that change
NOTHING = "(nothing)"
EMPTY = (np.array([0.0, 1.0]), np.array([0.0, 0.0]))
UNSEEN = ({"label": "t [s]"}, {"label": "", "show": False})
NO_AXES = ({"show": False}, {"show": False})
LEGEND, NO_LEGEND = {"show": True, "live": False}, {"show": False}
SETTLED = 60  # frames after which a browser that has come knows how wide its charts are


class Slot:
    """One chart, and the choice of what it shows.

    The chart itself stays, also where it is empty: a slow page would miss its removal, and one that appears while its
    data change may lose its axis of times (uPlot's redraw() forgets that a new width waits).
    """

    def __init__(self, server: viser.ViserServer, tab: viser.GuiTabHandle, number: int):
        self.server, self.number = server, number
        gui: Any = server.gui
        with tab:
            self.choice = gui.add_dropdown(
                f"chart {number + 1}", (NOTHING,), hint="what this chart shows", order=2.0 * number
            )
            self.plot = gui.add_uplot(
                EMPTY, UNSEEN, scales={"x": {"time": False}}, axes=NO_AXES, legend=NO_LEGEND, height=HEIGHT,
                padding=(8, 12, 0, 0), order=2.0 * number + 1.0,
            )  # fmt: skip
        self.curves: Curves | None = None
        self.rows: deque[tuple[float, NDArray]] = deque(maxlen=MOST_POINTS)

    def offer(self, names: Sequence[str]) -> None:
        """Other variables to choose from; what was chosen stays where it is still there."""
        options = tuple(names) or (NOTHING,)
        if options != tuple(self.choice.options):
            before = self.choice.value
            self.choice.options = options
            self.choice.value = before if before in options else options[min(self.number, len(options) - 1)]

    def forget(self) -> None:
        """Nothing is drawn."""
        self.curves = None
        self.rows.clear()
        with self.server.atomic():
            self.plot.series, self.plot.data, self.plot.title = UNSEEN, EMPTY, None
            self.plot.axes, self.plot.legend = NO_AXES, NO_LEGEND

    def draw(self, curves: Curves, playhead: bool) -> None:
        """Other curves, with a playhead if wanted."""
        self.curves = curves
        lines = [
            {"label": label, "stroke": COLOURS[i % len(COLOURS)], "width": 1.5} for i, label in enumerate(curves.labels)
        ]
        now = [{"label": "now", "stroke": NOW, "width": 1.5}] if playhead else []
        with self.server.atomic():
            self.plot.series = ({"label": "t [s]"}, *lines, *now)
            self.plot.title = f"{curves.title} over " + ("time [s]" if playhead else "time [s], 0 is now")
            self.plot.scales = scales_of(curves.values, ends_of(curves.times) if playhead else (-SEEN, 0.0))
            self.plot.data = self.data(0.0 if playhead else None)
            self.plot.axes, self.plot.legend = AXES, LEGEND if 1 < len(curves.labels) <= len(COLOURS) else NO_LEGEND

    def data(self, now: float | None) -> tuple[NDArray, ...]:
        """What the chart is given: the curves, and a step up where the playhead is."""
        assert self.curves is not None
        times, values = self.curves.times, self.curves.values
        if now is None or not times.size:
            return (times, *values.T)
        low, high = span(values)
        at = int(np.searchsorted(times, now, side="right"))
        between = [np.interp(now, times, column) for column in values.T]
        stepped = np.concatenate([np.full(at + 1, low), np.full(len(times) - at + 1, high)])
        columns = [np.insert(column, at, (middle, middle)) for column, middle in zip(values.T, between)]
        width = max(float(np.ptp(times)), 1e-3)
        across = np.insert(times, at, (now, now + 1e-5 * width))  # uPlot wants no time twice
        return (across, *columns, stepped)

    def mark(self, now: float | None) -> None:
        """The playhead at a time [s]; None: there is none."""
        if self.curves is not None:
            self.plot.data = self.data(now)

    def roll(self, time: float, variables: Variables, labels: Mapping[str, Sequence[str]], redraw: bool) -> None:
        """One more sample of a live run; the chart itself is drawn anew only now and then."""
        name = self.choice.value
        if not has(variables, name):
            return
        _, values, unit = rows_of(name, variables)
        columns = shown_columns(values.shape[1])
        if self.rows and (time <= self.rows[-1][0] or self.rows[-1][1].size != columns.size):
            if self.rows[-1][1].size == columns.size:
                return
            self.forget()
        row = values[0, columns]
        if name == ROLL and self.rows:  # one sample knows of no whole turns
            row = row + 2.0 * np.pi * np.round((self.rows[-1][1] - row) / (2.0 * np.pi))
        self.rows.append((time, row))
        while self.rows[0][0] < time - SEEN:
            self.rows.popleft()
        if redraw and len(self.rows) > 1:
            times, rows = np.array([row[0] for row in self.rows]), np.array([row[1] for row in self.rows])
            curves = Curves(name, unit, times - time, rows, labels_of(name, variables, labels, columns))
            if self.curves is None or not np.isfinite(rows).all():
                self.draw(curves, False)
            else:
                self.curves = curves
                self.plot.data = self.data(None)


class ChartPanel:
    """The charts beside the scene."""

    def __init__(self, server: viser.ViserServer, changed: Callable[[Slot], None]):
        self.server = server
        self.run: Trajectory | None = None
        self.panel = server.gui.add_panel()
        tab = self.panel.add_tab("Charts")
        self.slots = [Slot(server, tab, i) for i in range(SLOTS)]
        self.unsettled = 0  # frames until charts are drawn anew for a browser that has come
        server.on_client_connect(lambda _: setattr(self, "unsettled", SETTLED))
        self.panel.dock_right()
        self.panel.set_width(340)
        for slot in self.slots:
            slot.choice.on_update(by_browser(partial(self.chosen, changed, slot)))

    def chosen(self, changed: Callable[[Slot], None], slot: Slot, _: Any) -> None:
        """Another variable was chosen for a chart."""
        changed(slot)

    def load(self, run: Trajectory | None, names: Sequence[str] = ()) -> None:
        """Charts of a run; of a live one where there is none yet, with these variables to choose from."""
        self.run = run
        for slot in self.slots:
            slot.offer(chartable(run.variables) if run else names)
            self.refresh(slot)

    def clear(self) -> None:
        """Nothing is drawn; what was chosen stays."""
        self.run = None
        for slot in self.slots:
            slot.forget()

    def refresh(self, slot: Slot) -> None:
        """Draw what a slot's choice asks for."""
        slot.forget()
        if self.run is not None and slot.choice.value != NOTHING:
            slot.draw(curves_of(self.run, slot.choice.value), True)

    def settle(self, now: float) -> None:
        """A frame: charts are drawn anew, the playhead at a time [s], once a new browser knows their width."""
        self.unsettled -= 1
        for slot in self.slots if self.unsettled == 0 else ():
            if slot.curves is not None:
                slot.draw(slot.curves, self.run is not None)
                slot.mark(now if self.run is not None else None)

    def mark(self, now: float) -> None:
        """The playhead in all charts."""
        for slot in self.slots:
            slot.mark(now)

    def roll(self, time: float, variables: Variables, labels: Mapping[str, Sequence[str]], redraw: bool) -> None:
        """One more sample of a live run in all charts."""
        for slot in self.slots:
            slot.roll(time, variables, labels, redraw)


def scales_of(values: NDArray, ends: tuple[float, float]) -> dict[str, Any]:
    """The scales of a chart. Its times have fixed ends: viser's page would else keep a zoom of its own, and loses it.

    Where a value is missing the height is said, which the page cannot find by itself then.
    """
    height = {} if np.isfinite(values).all() else {"y": {"range": span(values)}}
    return {"x": {"time": False, "range": ends}} | height


def ends_of(times: NDArray) -> tuple[float, float]:
    """First and last time of a chart, apart from each other [s]."""
    first, last = (float(times[0]), float(times[-1])) if times.size else (0.0, 1.0)
    return first, max(last, first + 1e-3)


def span(values: NDArray) -> tuple[float, float]:
    """Ends of an axis that holds all values, with a little room."""
    good = values[np.isfinite(values)]
    low, high = (float(good.min()), float(good.max())) if good.size else (-1.0, 1.0)
    room = 0.06 * (high - low) or 0.1 * abs(high) or 1.0
    return low - room, high + room
