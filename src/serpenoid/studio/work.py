"""Background computation of whole runs, one at a time; a stopped run is shown up to that point."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from serpenoid.errors import SerpenoidError, SimulationDiverged
from serpenoid.scenarios.base import Scenario
from serpenoid.support.interrupts import Interrupted

if TYPE_CHECKING:
    from serpenoid.studio.page import Studio


class BackgroundRun:
    """Run that is being computed."""

    def __init__(self, studio: Studio):
        self.studio = studio
        self.thread: threading.Thread | None = None
        self.stopping = threading.Event()

    @property
    def running(self) -> bool:
        """True while a run is being computed."""
        return self.thread is not None and self.thread.is_alive()

    def start(self, scenario: Scenario, name: str, then: Callable[[], Any] = lambda: None) -> None:
        """Compute a run in a thread, play it, and then call `then`."""
        if self.running:
            self.studio.say("a run is being computed; wait until it ends, or press Stop")
            return
        self.stopping.clear()
        self.studio.say(f"computing {name} ...")
        self.thread = threading.Thread(target=self.go, args=(scenario, name, then), daemon=True, name="run")
        self.thread.start()

    def stop(self) -> bool:
        """Stop the run at its next progress report; return whether there is one."""
        if self.running:
            self.stopping.set()
            self.studio.say("stopping ...")
        return self.running

    def go(self, scenario: Scenario, name: str, then: Callable[[], Any]) -> None:
        """Run the thread; a run that diverges or is stopped is shown up to that point."""
        post, problem = self.studio.post, ""
        try:
            run = scenario.run(self.progress)
        except SimulationDiverged as error:
            run, problem = error.trajectory, f"the run diverged at {error.time:.4g} s and was stopped"
        except Interrupted as error:
            run = error.trajectory
            run.attributes["ended_by"] = "stopped"
        except KeyboardInterrupt:
            run, problem = None, f"{name} was stopped before its first sample"
        except SerpenoidError as error:
            run, problem = None, str(error)
        except Exception as error:  # a user-defined class may raise anything
            run, problem = None, f"{type(error).__name__}: {error}"
        if run is not None and run.times.size:
            post(self.studio.take_run, run, name, then)
        if problem:
            post(self.studio.say, problem)

    def progress(self, share: float) -> None:
        """Show the progress; end the run if requested."""
        if self.stopping.is_set():
            raise KeyboardInterrupt
        self.studio.post(self.studio.say, f"computing: {100.0 * share:.0f} %; press Stop to end it")
