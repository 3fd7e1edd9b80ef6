"""Preview of the chosen scenario before it runs: its robot in its world."""

from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING

from serpenoid.errors import SerpenoidError
from serpenoid.scenarios.base import Scenario
from serpenoid.studio.live import first_moment
from serpenoid.trajectory import Trajectory

if TYPE_CHECKING:
    from serpenoid.studio.page import Studio


class Preview:
    """Computes the first sample of a scenario in a thread, once a browser is connected."""

    def __init__(self, studio: Studio):
        self.studio = studio
        self.scenario: Scenario | None = None
        self.replaces = False  # whether it replaces a run or a map
        self.watched = False  # whether a browser has connected
        self.wanted: queue.SimpleQueue[Scenario | None] = queue.SimpleQueue()
        self.thread = threading.Thread(target=self.go, daemon=True, name="preview")
        self.thread.start()
        studio.server.on_client_connect(lambda _: studio.post(self.watch))

    def watch(self) -> None:
        """Show the choice when a browser connects."""
        first, self.watched = not self.watched, True
        if first and self.scenario is not None:
            self.ask(self.scenario)

    def ask(self, scenario: Scenario, replaces: bool = False) -> None:
        """Show a scenario if the stage is empty, or instead of a played run."""
        self.scenario = scenario
        self.replaces = self.replaces or replaces
        if self.watched and self.fits:
            self.wanted.put(scenario)

    @property
    def fits(self) -> bool:
        """Return whether the stage is free; never during a live run."""
        studio = self.studio
        return studio.live is None and (self.replaces or (studio.run is None and studio.sweeps.image is None))

    def go(self) -> None:
        """Run the thread: process the latest request, one at a time."""
        while (scenario := self.wanted.get()) is not None:
            if not self.wanted.empty():
                continue
            try:
                self.studio.post(self.show, first_moment(scenario), scenario)
            except SerpenoidError as error:
                self.studio.post(self.studio.say, str(error))
            except Exception as error:  # a user-defined class may raise anything
                self.studio.post(self.studio.say, f"{type(error).__name__}: {error}")

    def show(self, run: Trajectory, scenario: Scenario) -> None:
        """Put the preview on the stage, unless something else was requested meanwhile."""
        if self.fits and scenario is self.scenario:
            self.studio.set_start(run)

    def close(self) -> None:
        """End the thread after its current work."""
        self.wanted.put(None)
