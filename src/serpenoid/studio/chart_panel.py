"""Charts of a page, synchronised with the playhead or scrolling with a live run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from serpenoid.studio.chart_slot import NOTHING, STYLE, Slot
from serpenoid.studio.charts import Curves, Variables, chartable, curves_of, has
from serpenoid.studio.events import by_browser
from serpenoid.trajectory import Trajectory

if TYPE_CHECKING:
    import viser

SLOTS = 3
SEEN = 10.0  # visible part of a live run [s]
WHOLE = "whole run"
SPANS = {WHOLE: 0.0, "60 s": 60.0, "10 s": 10.0, "2 s": 2.0}  # visible time spans of charts [s]
SETTLED = 60  # frames after which the width of the charts is known in a new browser


class ChartPanel:
    """Charts next to the scene."""

    def __init__(self, server: viser.ViserServer, changed: Callable[[Slot], None]):
        self.server = server
        self.run: Trajectory | None = None
        self.other: Trajectory | None = None  # the ghost
        self.now = 0.0  # time of the playhead [s]
        self.panel = server.gui.add_panel()
        tab = self.panel.add_tab("Charts")
        gui: Any = server.gui
        with tab:
            self.span = gui.add_dropdown(
                "times", tuple(SPANS), order=0.0,
                hint="time span around the playhead or of a live run; drag to zoom, double-click to reset",
            )  # fmt: skip
            gui.add_html(STYLE, order=1.0)
        self.slots = [Slot(server, tab, i) for i in range(SLOTS)]
        self.unsettled = 0  # frames until charts are redrawn for a new browser
        server.on_client_connect(lambda _: self.unsettle())
        self.panel.dock_right()
        self.panel.set_width(340)
        for slot in self.slots:
            for control in (slot.choice, slot.form):
                control.on_update(by_browser(partial(self.chosen, changed, slot)))
            self.span.on_update(by_browser(partial(self.chosen, changed, slot)))

    def unsettle(self) -> None:
        """Schedule a redraw after charts appeared in a browser."""
        self.unsettled = SETTLED

    def chosen(self, changed: Callable[[Slot], None], slot: Slot, _: Any) -> None:
        """Handle the choice of another variable, form or span for a chart."""
        changed(slot)

    def load(self, run: Trajectory | None, names: Sequence[str] = ()) -> None:
        """Load the charts of a run, or of a live run without samples yet with these variables to choose from."""
        self.run, self.now = run, 0.0
        for slot in self.slots:
            slot.offer(chartable(run.variables) if run else names)
            self.refresh(slot)

    def beside(self, other: Trajectory | None) -> None:
        """Set or remove the ghost."""
        if other is not self.other:
            self.other = other
            for slot in self.slots:
                self.refresh(slot)

    def clear(self) -> None:
        """Clear the charts; the choices stay."""
        self.run = None
        for slot in self.slots:
            slot.forget()

    def refresh(self, slot: Slot) -> None:
        """Draw the selection of a slot."""
        hidden = not slot.plot.visible
        slot.forget()
        if self.run is not None and slot.choice.value != NOTHING:
            curves = curves_of(self.run, slot.choice.value, self.window())
            slot.draw(curves, self.window() or ends_of(curves), self.now, self.ghost_of(slot.choice.value))
        if hidden and slot.plot.visible:
            self.unsettle()

    def ghost_of(self, name: str) -> Curves | None:
        """Return the same variable of the ghost."""
        if self.other is None or not has(self.other.variables, name):
            return None
        return curves_of(self.other, name, self.window())

    def window(self) -> tuple[float, float] | None:
        """Return first and last time of the span around the playhead [s]; None for the whole run."""
        span = SPANS[self.span.value]
        first = span * (self.now // span) if span else 0.0
        return (first, first + span) if span else None

    def settle(self) -> None:
        """Draw the charts again once their width is known in a new browser; called every frame."""
        self.unsettled -= 1
        for slot in self.slots if self.unsettled == 0 else ():
            if slot.curves is not None:
                self.refresh(slot)

    def mark(self, now: float) -> None:
        """Move the playhead in all charts."""
        before, self.now = self.window(), now
        for slot in self.slots:
            if self.window() != before:
                self.refresh(slot)
            else:
                slot.mark(now)

    def roll(self, time: float, variables: Variables, labels: Mapping[str, Sequence[str]], redraw: bool) -> None:
        """Append a sample of a live run to all charts."""
        for slot in self.slots:
            slot.roll(time, variables, labels, SPANS[self.span.value] or SEEN, redraw)


def ends_of(curves: Curves) -> tuple[float, float]:
    """Return the first and last time of a chart, which differ [s]."""
    first, last = (float(curves.times[0]), float(curves.times[-1])) if curves.times.size else (0.0, 1.0)
    return first, max(last, first + 1e-3)
