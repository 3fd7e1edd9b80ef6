"""Trial of the protocol POLE: a helix on a pole, with all measures of the claims."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.scenarios.base import Quantity
from serpenoid.scenarios.helix_start import winding_of
from serpenoid.scenarios.roll_to_pole import WINDING, RollToPole
from serpenoid.trajectory import Trajectory

LEAST_SHARE = 0.02  # smallest share of the body covered by an evaluated window
# smallest share of a window whose winding reflects the pole; a short one at the tail oscillates without contact
WIDE_SHARE = 0.15
ANSWER = 1.0  # interval of the winding's change; a shorter one shows the oscillation of each turn [s]


@dataclass(frozen=True)
class PoleTrial(RollToPole):
    """A helix on a pole, whose summary also contains the measures of the thesis's claims."""

    def summary(self, trajectory: Trajectory) -> dict[str, Quantity]:
        law: Any = self.parts().controller
        robot = self.robot
        own, set_point = winding_of(law), law.gait.nominal("winding")
        settled = round((2.0 if self.wound else self.approach + WINDING) / self.control_period)
        late = slice(min(settled, trajectory["shape_phase"].size // 2), None)
        share = cover_arc(trajectory, np.asarray(robot.arc_positions))[late]
        winding, force = (
            np.reshape(trajectory[name][late], (len(share), -1)) for name in ("shape_winding", "force_winding")
        )
        load = -force / np.maximum(share * max(abs(winding_of(self.controller).bias), 1e-9), 1e-9)
        known = (share > LEAST_SHARE) & np.isfinite(load)
        good = (load >= own.adapt_low) & (load <= own.adapt_high)
        mean = float(np.nansum(share * np.nan_to_num(winding)) / np.nansum(share))
        wide, ticks = np.where(share > WIDE_SHARE, winding, np.nan), round(ANSWER / self.control_period)
        moved = np.abs(wide[ticks:] - wide[:-ticks])
        turned = np.abs(np.diff(trajectory["command_position"], axis=0)) / self.control_period
        return super().summary(trajectory) | {
            "windows_at_start": Quantity(float(windows_on(trajectory, robot.length)[0])),
            "windows_at_end": Quantity(float(windows_on(trajectory, robot.length)[-1])),
            "fastest_target": Quantity(float(np.nanmax(turned, initial=0.0)), "rad/s"),
            "winding": Quantity(mean, "rad/m"),
            "squeeze": Quantity(winding_of(self.controller).bias + own.stiffness * (set_point - mean), "N m^2"),
            "within_share": Quantity(float(good[known].mean()) if known.any() else np.nan),
            "fastest_winding": Quantity(float(np.nanmax(moved, initial=0.0)) / ANSWER, "rad/m/s"),
        }


def windows_on(trajectory: Trajectory, length: float) -> NDArray:
    """Return the number of windows (ticks,) that start on a body of some length [m]; 1 for a single window."""
    if "edge_half_coil" not in trajectory:
        return np.ones(trajectory["shape_phase"].size)
    return np.asarray(np.sum(trajectory["edge_half_coil"] < length, axis=1))


def cover_arc(trajectory: Trajectory, arc: NDArray) -> NDArray:
    """Return the share (ticks, windows) of the arc from the first joint to the last that each window covers."""
    count = trajectory["shape_phase"].size
    if "edge_half_coil" not in trajectory:
        return np.ones((count, 1))
    first, last = float(np.nanmin(arc)), float(np.nanmax(arc))
    starts = np.clip(trajectory["edge_half_coil"], first, last)
    starts[:, 0] = first
    ends = np.hstack([starts[:, 1:], np.full((count, 1), np.nan)])
    return np.nan_to_num(np.where(np.isnan(ends), last, ends) - starts) / (last - first)
