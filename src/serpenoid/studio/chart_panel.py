"""Charts of a page, tied to the playhead, or rolling along with a live run."""

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
SEEN = 10.0  # of a live run [s]
WHOLE = "whole run"
SPANS = {WHOLE: 0.0, "60 s": 60.0, "10 s": 10.0, "2 s": 2.0}  # of the times that charts show [s]
SETTLED = 60  # frames after which a browser that has come knows how wide its charts are


class ChartPanel:
    """The charts beside the scene."""

    def __init__(self, server: viser.ViserServer, changed: Callable[[Slot], None]):
        self.server = server
        self.run: Trajectory | None = None
        self.other: Trajectory | None = None  # the ghost
        self.now = 0.0  # where the playhead is [s]
        self.panel = server.gui.add_panel()
        tab = self.panel.add_tab("Charts")
        gui: Any = server.gui
        with tab:
            self.span = gui.add_dropdown(
                "times", tuple(SPANS), order=0.0,
                hint="what charts show about the playhead or of a live run; drag in one to zoom, double click: all",
            )  # fmt: skip
            gui.add_html(STYLE, order=1.0)
        self.slots = [Slot(server, tab, i) for i in range(SLOTS)]
        self.unsettled = 0  # frames until charts are drawn anew for a browser that has come
        server.on_client_connect(lambda _: self.unsettle())
        self.panel.dock_right()
        self.panel.set_width(340)
        for slot in self.slots:
            for control in (slot.choice, slot.form):
                control.on_update(by_browser(partial(self.chosen, changed, slot)))
            self.span.on_update(by_browser(partial(self.chosen, changed, slot)))

    def unsettle(self) -> None:
        """Charts have appeared in a browser."""
        self.unsettled = SETTLED

    def chosen(self, changed: Callable[[Slot], None], slot: Slot, _: Any) -> None:
        """Another variable, form or span was chosen for a chart."""
        changed(slot)

    def load(self, run: Trajectory | None, names: Sequence[str] = ()) -> None:
        """Charts of a run; of a live one where there is none yet, with these variables to choose from."""
        self.run, self.now = run, 0.0
        for slot in self.slots:
            slot.offer(chartable(run.variables) if run else names)
            self.refresh(slot)

    def beside(self, other: Trajectory | None) -> None:
        """Another ghost, or none."""
        if other is not self.other:
            self.other = other
            for slot in self.slots:
                self.refresh(slot)

    def clear(self) -> None:
        """Draw nothing; what was chosen stays."""
        self.run = None
        for slot in self.slots:
            slot.forget()

    def refresh(self, slot: Slot) -> None:
        """Draw what a slot's choices ask for."""
        hidden = not slot.plot.visible
        slot.forget()
        if self.run is not None and slot.choice.value != NOTHING:
            curves = curves_of(self.run, slot.choice.value, self.window())
            slot.draw(curves, self.window() or ends_of(curves), self.now, self.ghost_of(slot.choice.value))
        if hidden and slot.plot.visible:
            self.unsettle()

    def ghost_of(self, name: str) -> Curves | None:
        """The same variable of the ghost."""
        if self.other is None or not has(self.other.variables, name):
            return None
        return curves_of(self.other, name, self.window())

    def window(self) -> tuple[float, float] | None:
        """First and last time of the stretch that the playhead is in [s]; None: of the whole run."""
        span = SPANS[self.span.value]
        first = span * (self.now // span) if span else 0.0
        return (first, first + span) if span else None

    def settle(self) -> None:
        """A frame: charts are drawn anew once a new browser knows their width."""
        self.unsettled -= 1
        for slot in self.slots if self.unsettled == 0 else ():
            if slot.curves is not None:
                self.refresh(slot)

    def mark(self, now: float) -> None:
        """The playhead in all charts."""
        before, self.now = self.window(), now
        for slot in self.slots:
            if self.window() != before:
                self.refresh(slot)
            else:
                slot.mark(now)

    def roll(self, time: float, variables: Variables, labels: Mapping[str, Sequence[str]], redraw: bool) -> None:
        """One more sample of a live run in all charts."""
        for slot in self.slots:
            slot.roll(time, variables, labels, SPANS[self.span.value] or SEEN, redraw)


def ends_of(curves: Curves) -> tuple[float, float]:
    """First and last time of a chart, apart from each other [s]."""
    first, last = (float(curves.times[0]), float(curves.times[-1])) if curves.times.size else (0.0, 1.0)
    return first, max(last, first + 1e-3)
