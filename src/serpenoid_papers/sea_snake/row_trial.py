"""Trial of the protocol ROW: sidewinding through a row of pegs, with all measures of the claims."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

import numpy as np
from numpy.typing import NDArray

from serpenoid.scenarios.base import Quantity
from serpenoid.scenarios.sidewind_pegs import SidewindPegs
from serpenoid.trajectory import Trajectory


@dataclass(frozen=True)
class RowTrial(SidewindPegs):
    """A snake that sidewinds through a row of pegs, whose summary also contains the measures of the thesis's claims."""

    def summary(self, trajectory: Trajectory) -> dict[str, Quantity]:
        found = super().summary(trajectory)
        return found | self.turn_over(trajectory) | self.while_touching(trajectory)

    def turn_over(self, trajectory: Trajectory) -> dict[str, Quantity]:
        """Return whether the heading reaches pi/2 before beta, and the ratio of their rise times; NaN without a
        reversal.
        """
        nothing = {"heading_first": Quantity(np.nan), "rise_ratio": Quantity(np.nan)}
        if "chassis_heading" not in trajectory:
            return nothing
        heading, beta = (np.abs(trajectory[name]) for name in ("chassis_heading", "shape_reversal"))
        if heading.max() < 0.9 * pi or beta.max() < 0.9 * pi:
            return nothing
        rises = [rise(values, self.control_period) for values in (heading, beta)]
        first = crossing(heading, 0.5 * pi) < crossing(beta, 0.5 * pi)
        return {"heading_first": Quantity(float(first)), "rise_ratio": Quantity(rises[1] / max(rises[0], 1e-9))}

    def while_touching(self, trajectory: Trajectory) -> dict[str, Quantity]:
        """Return axial length and amplitude with and without contact, and the correlation of speed and amplitude."""
        touching = self.touching(trajectory)
        place = trajectory["link_pose"][:, :, :2]
        length = np.linalg.norm(place[:, 0] - place[:, -1], axis=1)
        amplitude = np.full(touching.size, np.nan)
        if "shape_amplitude" in trajectory:
            rows = trajectory["shape_amplitude"]
            mean = rows if rows.ndim == 1 else np.nanmean(rows, axis=1)
            amplitude = np.interp(trajectory.times, self.control_period * np.arange(mean.size), mean)
        speed = np.gradient(place[:, :, 1].mean(axis=1), self.sample_period)
        found = {}
        for word, mask in (("touching", touching), ("free", ~touching)):
            for name, values in (("length", length), ("amplitude", amplitude)):
                found[f"{name}_{word}"] = Quantity(float(values[mask].mean()) if mask.any() else np.nan)
        several = touching.sum() > 20 and np.ptp(amplitude[touching]) > 1e-6
        together = np.corrcoef(speed[touching], amplitude[touching])[0, 1] if several else np.nan
        return found | {"push_correlation": Quantity(float(together))}


def crossing(values: NDArray, level: float) -> int:
    """Return the first index at which values (ticks,) exceed a level; their number if they never do."""
    above = values > level
    return int(above.argmax()) if above.any() else values.size


def rise(values: NDArray, period: float) -> float:
    """Return the time [s] from the last tick below 10 % of pi to the first above 90 %."""
    end = crossing(values, 0.9 * pi)
    below = np.flatnonzero(values[:end] < 0.1 * pi)
    return float(end - (below[-1] if below.size else 0)) * period
