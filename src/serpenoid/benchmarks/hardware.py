"""The loop of real modules against the clock, on their twin over loopback UDP."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from serpenoid.benchmarks.base import Row
from serpenoid.control.follow import FollowGait
from serpenoid.gaits import Slithering
from serpenoid.hardware import Safety, twin
from serpenoid.loop import run_loop
from serpenoid.robots import SeaSnake
from serpenoid.worlds import Floor

PERIOD = 0.01  # [s]
DURATION = 60.0  # [s]
PATIENT = Safety(late_periods=100.0, most_lag=3.0, start_rate=2.0)  # late periods are counted here, not held for


def delays(duration: float) -> NDArray:
    """How long after each tick was due its command left [s], at 18 joints; the first one sets the clock."""
    with twin(SeaSnake(), Floor(), realtime=True, period=PERIOD, safety=PATIENT) as plant:
        run = run_loop(plant, FollowGait(Slithering()), duration)
    return run["tick_delay"][np.isfinite(run["tick_delay"])]


def periods_kept(late: NDArray) -> float:
    """Share of the clock's periods within which a command left; whole ones that went by before a late one are lost."""
    return float(np.sum(late < PERIOD) / np.sum(1.0 + np.floor(np.maximum(late, 0.0) / PERIOD)))


def rows() -> Iterator[Row]:
    """What 99.9 % of the commands keep to, beside the period that is theirs."""
    late = delays(DURATION)
    name = f"command after its tick, 99.9 % of {late.size} at 18 joints over UDP"
    slowest = 1e6 * float(np.quantile(late, 0.999))
    yield Row(name, slowest, f"period ({100.0 * periods_kept(late):.3f} % kept)", 1e6 * PERIOD, "99.9 % kept")
