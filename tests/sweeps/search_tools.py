"""Shared tools of the search tests: a bowl with known minimum, and drivers for separate processes."""

from __future__ import annotations

import math
import os
import signal
from dataclasses import dataclass

from toy_scenario import Toy

import serpenoid as sp
from serpenoid.scenarios.base import Quantity
from serpenoid.sweeps import Optimum, Threads
from serpenoid.sweeps.store import Writer

RANGES = {"gait.frequency": "0.1:30", "gait.amplitude": "-1:1"}
AVERAGE = {"gait.lag": "0:1.5:4"}


@dataclass(frozen=True)
class Bowl(Toy):
    """Height whose mean over the lags 0, 0.5, 1, 1.5 is least at 3 Hz and 0.2 rad; for a single lag elsewhere."""

    def height(self) -> float:
        """Return the height of the bowl at the wave's fields [m]."""
        wave = self.gait
        x, y = math.log(wave.frequency / 3.0), wave.amplitude - 0.2
        tilt = (wave.lag - 0.75) * (x + 2.0 * y)  # zero mean over the lags
        return x * x + x * y + 3.0 * y * y + tilt

    def run(self, progress=None):
        return self.height()

    def summary(self, trajectory):
        return {"height": Quantity(trajectory, "m")}


def run_search(store: str, seed: int = 0, trials: int = 72, threads: int = 2) -> Optimum:
    """Run the search that is killed and continued."""
    with Threads(threads) as executor:
        return sp.optimise(Bowl(seed=seed), RANGES, "height:min", store, AVERAGE, trials, executor)


def run_search_until_mark(store: str, count: int) -> None:
    """Run the same search, which kills itself between the arrays of its `count`-th chunk and that chunk's marker."""

    class Suicidal(Writer):
        marks = 0

        def mark(self, chunk: int, state: int, quantities: int) -> None:
            Suicidal.marks += 1
            if Suicidal.marks == count:
                os.kill(os.getpid(), signal.SIGKILL)
            super().mark(chunk, state, quantities)

    from serpenoid.sweeps import access
    from serpenoid.sweeps import store as module

    access.Writer = module.Writer = Suicidal
    run_search(store)
