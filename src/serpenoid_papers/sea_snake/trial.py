"""Trial of the protocol PB: slithering through pegs, with all measures of the claims."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import pi
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.shape_compliance import ShapeCompliance
from serpenoid.scenarios.base import Quantity
from serpenoid.scenarios.slither_pegs import SlitherPegs, moving_average
from serpenoid.trajectory import Trajectory
from serpenoid_papers.sea_snake.waveform import lag_events, path_curvature, waveform_residual, way_per_cycle

SLOW = 0.0114  # [m/s], a tenth of the median speed of the runs of slithering_aw that left boards 1000-1019


@dataclass(frozen=True)
class PegTrial(SlitherPegs):
    """A snake that slithers among pegs, whose summary also contains the measures of the thesis's claims."""

    kept: ClassVar[tuple[str, ...]] = (*SlitherPegs.kept, "joint_position")

    def summary(self, trajectory: Trajectory) -> dict[str, Quantity]:
        signals = {name: trajectory[name] for name, (axes, *_) in trajectory.variables.items() if axes[0] == "tick"}
        return super().summary(trajectory) | self.signal_measures(signals)

    def measures(self, times: NDArray, variables: Mapping[str, NDArray]) -> dict[str, Quantity]:
        found = super().measures(times, variables)
        place = variables["link_pose"][:, 1:, :2].mean(axis=1)
        rate = self.controller.phase_rate(self.robot)
        cycle = max(1, round(2.0 * pi / (rate * self.sample_period)))
        smooth = moving_average(place, cycle)
        slow = np.linalg.norm(np.gradient(smooth, axis=0), axis=1) < SLOW * self.sample_period
        residual = waveform_residual(variables["joint_position"][:, list(self.robot.yaw_joints)])
        steps = way_per_cycle(smooth, cycle)
        several = steps.size > 1 and steps.mean() > 0.0
        return found | {
            "slow_share": Quantity(float(slow.mean())),
            "residual": Quantity(float(np.sqrt(np.mean(residual**2))), "rad"),
            "residual_slow": Quantity(float(np.sqrt(np.mean(residual[slow] ** 2))) if slow.any() else np.nan, "rad"),
            "way_variation": Quantity(float(steps.std() / steps.mean()) if several else np.nan),
            "way_spread": Quantity(float(steps.std()) if several else np.nan, "m"),
            "path_curvature": Quantity(path_curvature(smooth), "1/m"),
        }

    def signal_measures(self, signals: Mapping[str, NDArray]) -> dict[str, Quantity]:
        """Return measures of the commands and the law's own signals (ticks, ...)."""
        command = np.nan_to_num(signals["command_position"][:, list(self.robot.yaw_joints)])
        found = {
            "commanded_residual": Quantity(float(np.sqrt(np.mean(waveform_residual(command) ** 2))), "rad"),
            "commanded_amplitude": Quantity(float(np.sqrt(2.0 * np.mean(command**2))), "rad"),
        }
        phase = signals.get("shape_phase", signals.get("oscillator_phase"))
        if phase is not None:
            mean = phase if phase.ndim == 1 else np.nanmean(phase, axis=1)
            found["actual_cycles"] = Quantity(float(abs(mean[-1] - mean[0])) / (2.0 * pi))
        law = self.controller
        yields = isinstance(law, ShapeCompliance) and any(p.name == "phase" and p.feels for p in law.parameters)
        return found | (self.jams(signals) if yields and phase is not None and phase.ndim == 1 else {})

    def jams(self, signals: Mapping[str, NDArray]) -> dict[str, Quantity]:
        """Return the events in which a central phase lags by more than 0.5 rad, and the deviations inside and outside
        them.
        """
        law: Any = self.controller
        phase, rate = signals["shape_phase"], law.phase_rate(self.robot)
        lag = phase[0] + rate * self.control_period * np.arange(phase.size) - phase
        events = lag_events(lag, round(2 * 2.0 * pi / (rate * self.control_period)))
        found = {f"lag_{name}": Quantity(float(count)) for name, count in events._asdict().items()}
        inside = lag > 0.5
        for name in ("amplitude", "spatial_frequency"):
            own = next(p for p in law.parameters if p.name == name)
            free = min(law.gait.nominal(name) + own.bias / own.stiffness, own.high)
            values = signals[f"shape_{name}"]
            away = np.abs(values - free) if values.ndim == 1 else np.nanmean(np.abs(values - free), axis=1)
            for word, mask in (("in", inside), ("out", ~inside)):
                found[f"{name}_away_{word}"] = Quantity(float(away[mask].mean()) if mask.any() else np.nan)
        return found
