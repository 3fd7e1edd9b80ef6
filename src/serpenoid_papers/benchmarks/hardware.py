"""Real-time loop of modules against the clock, with emulated modules over loopback UDP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.control import OpenLoop
from serpenoid.gaits import Slithering
from serpenoid.hardware import Safety, twin
from serpenoid.robots import SeaSnake
from serpenoid.runtime.loop import run_loop
from serpenoid.worlds import Floor
from serpenoid_papers.benchmarks.bare_loop import run_beside
from serpenoid_papers.benchmarks.base import Row

PERIOD = 0.01  # [s]
DURATION = 60.0  # [s]
# late periods are counted here, and do not stop the run
PATIENT = Safety(late_periods=100.0, most_lag=3.0, start_rate=2.0)


class Timed(NamedTuple):
    """Timing of a run against the clock."""

    delays: NDArray  # (ticks,) delay of each command after its tick was due [s]; the first one sets the clock
    periods: float  # elapsed periods of the clock; more than ticks if the OS suspended the process

    @property
    def kept(self) -> float:
        """Share of the clock's periods whose command left within the period."""
        return float(np.sum(self.delays < PERIOD)) / max(self.periods, len(self.delays))


def time_loop(duration: float) -> Timed:
    """Run 18 emulated joints over UDP for `duration` seconds."""
    with twin(SeaSnake(), Floor(), realtime=True, period=PERIOD, safety=PATIENT) as plant:
        run = run_loop(plant, OpenLoop(Slithering(), rates=True), duration)
        periods = (plant.left - plant.began) / PERIOD
    return Timed(run["tick_delay"][np.isfinite(run["tick_delay"])], periods)


def rows() -> Iterator[Row]:
    """Yield the 99.9th percentile of the command delay beside the period, for our loop and for a bare loop."""
    with run_beside(DURATION, PERIOD) as bare:
        ours = time_loop(DURATION)
        theirs = bare()
    bare_loop = Timed(theirs, len(theirs))
    loops = {"command after its tick, 18 joints over UDP": ours, "bare loop at the same rate": bare_loop}
    for name, found in loops.items():
        slowest = 1e6 * float(np.quantile(found.delays, 0.999))
        target = "99.9 % kept" if found is ours else ""
        peer = f"period ({100.0 * found.kept:.3f} % kept)"
        yield Row(f"{name}, 99.9 % of {found.delays.size}", slowest, peer, 1e6 * PERIOD, target)
