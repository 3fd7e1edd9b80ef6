"""Parameters of a scenario from a log: least squares over its fields, intervals, and what cannot be told apart."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import changed, walk
from serpenoid.errors import HardwareFault, InvalidValue, SimulationDiverged, UnknownName, require
from serpenoid.hardware.hebi_runs import softly_run
from serpenoid.hardware.module_logs import ModuleLog, log_of
from serpenoid.hardware.safety import Safety
from serpenoid.scenarios.base import Scenario
from serpenoid.trajectory import Trajectory

CONFIDENCE = 0.95
STEP = 2e-3  # of the finite differences, as a share of a parameter's scale
ALIKE = 0.98  # correlation from which on two parameters cannot be told apart
UNKNOWN = 1.0  # standard error, as a share of the value, from which on a log does not tell a parameter
WIDE = 10.0  # how many times farther than usual a parameter is looked for
SINGULAR = 1e-12  # keeps what cannot be told apart at all from dividing by zero
FAR = 1e3  # what a run that diverges counts as, in standard deviations of the noise


class Estimate(NamedTuple):
    """One parameter."""

    name: str
    start: float
    value: float
    low: float  # of the interval
    high: float
    told: bool  # whether the log tells it at all


class Fit(NamedTuple):
    """What a log says about a scenario."""

    estimates: tuple[Estimate, ...]
    noise: dict[str, float]  # rms of what is left, by quantity, in its unit
    alike: tuple[tuple[str, str, float], ...]  # pairs that cannot be told apart, with their correlation
    scenario: Scenario  # with the values that were found
    runs: int


class Axis(NamedTuple):
    """A field that is varied."""

    name: str
    start: float
    scale: float
    low: float
    high: float


def axes_of(scenario: Scenario, names: Sequence[str]) -> list[Axis]:
    """The fields that are named, each a number with limits."""
    fields = {field.name: field for field in walk(scenario)}
    require(bool(names) and len(set(names)) == len(names), "over", ",".join(names), "fields, each named once")
    found = []
    for name in names:
        if name not in fields:
            raise UnknownName("field", name, fields)
        field = fields[name]
        good = isinstance(field.default, float) and field.range is not None
        require(good, name, field.default, "a number with a range, to be fitted")
        assert field.range is not None
        scale = abs(field.default) or 0.5 * max(abs(end) for end in field.range.usual)
        reach = WIDE * max(scale, *(abs(end) for end in field.range.usual))
        low, high = field.range.closed
        found.append(Axis(name, field.default, scale, max(low, -reach), min(high, reach)))
    return found


def simulated(scenario: Scenario, duration: float, log: ModuleLog, safety: Safety | None = None) -> Trajectory:
    """A scenario's run without noise, begun and read as a log was."""
    if not log.sensed:
        return dataclasses.replace(scenario, duration=duration).run()
    rate = (safety or Safety()).start_rate if log.soft else np.inf
    return softly_run(scenario, duration, rate)


class Residuals:
    """The distance of a scenario's runs from a log, in standard deviations of the log's noise."""

    def __init__(self, log: ModuleLog, scenario: Scenario, axes: Sequence[Axis], safety: Safety | None):
        self.log, self.scenario, self.axes, self.safety = log, scenario, axes, safety
        period = scenario.sample_period
        self.duration = period * ceil(log.times[-1] / period - 1e-9)
        self.noise = {name: roughness(values) for name, values in log.values.items()}
        self.runs = 0

    def at(self, units: NDArray) -> Scenario:
        """The scenario with parameters in units of their scales."""
        return changed(self.scenario, {axis.name: float(u * axis.scale) for axis, u in zip(self.axes, units)})

    def distances(self, units: NDArray) -> dict[str, NDArray]:
        """By quantity (samples, joints), in its unit."""
        self.runs += 1
        run = simulated(self.at(units), self.duration, self.log, self.safety)
        ours = log_of(run, self.log.joints)
        return {name: ours.at(name, self.log.times) - values for name, values in self.log.values.items()}

    def __call__(self, units: NDArray) -> NDArray:
        """All of them in a row."""
        try:
            found = self.distances(units)
        except (SimulationDiverged, HardwareFault, InvalidValue):
            return np.full(sum(values.size for values in self.log.values.values()), FAR)
        return np.concatenate([(rows / self.noise[name]).ravel() for name, rows in found.items()])

    def weigh(self, units: NDArray) -> None:
        """Take what is left at a fit as the noise of each quantity."""
        self.noise = {name: rms(rows) or 1e-12 for name, rows in self.distances(units).items()}


def fit(log: ModuleLog, scenario: Scenario, names: Sequence[str], safety: Safety | None = None) -> Fit:
    """The values of some fields of a scenario with which its run lies closest to a log.

    First with the noise that the log itself shows, then with the noise that the first fit leaves. Intervals are those
    of linear least squares at the solution: value +- t s sqrt((J^T J)^-1).
    """
    from scipy.optimize import least_squares

    axes = axes_of(scenario, names)
    residuals = Residuals(log, scenario, axes, safety)
    scales = np.array([axis.scale for axis in axes])
    bounds = np.array([axis.low for axis in axes]) / scales, np.array([axis.high for axis in axes]) / scales
    start = np.array([axis.start for axis in axes]) / scales
    start = np.clip(np.where(start == 0.0, 0.1, start), bounds[0] + 1e-6, bounds[1] - 1e-6)
    for _ in range(2):
        found = least_squares(
            residuals, start, bounds=bounds, diff_step=STEP, x_scale="jac", xtol=1e-6, ftol=1e-8, max_nfev=40
        )
        start = found.x
        residuals.weigh(start)
    error, correlation = uncertainty(found.jac, found.fun)
    told = (error < UNKNOWN * np.abs(found.x)) & np.isfinite(error)
    if not np.isfinite(found.fun).all():
        raise InvalidValue("log", "numbers that are not finite", "a log that the scenario can be compared with")
    return Fit(
        tuple(estimate(axis, unit, width, bool(t)) for axis, unit, width, t in zip(axes, found.x, error, told)),
        residuals.noise, alike(names, correlation), residuals.at(found.x), residuals.runs,
    )  # fmt: skip


def uncertainty(jacobian: NDArray, residuals: NDArray) -> tuple[NDArray, NDArray]:
    """Half widths of the intervals, in units of the scales, and the correlations of the parameters."""
    from scipy.stats import t

    freedom = max(1, residuals.size - jacobian.shape[1])
    length = np.linalg.norm(jacobian, axis=0)
    safe = np.where(length > 0.0, length, 1.0)
    unit = jacobian / safe
    inverse = np.linalg.inv(unit.T @ unit + SINGULAR * np.eye(len(length)))
    spread = np.sqrt(np.diag(inverse).clip(1e-300))
    deviation = np.sqrt(residuals @ residuals / freedom) * spread / safe
    deviation = np.where(length > 0.0, deviation, np.inf)
    return t.ppf(0.5 + 0.5 * CONFIDENCE, freedom) * deviation, inverse / np.outer(spread, spread)


def estimate(axis: Axis, unit: float, width: float, told: bool) -> Estimate:
    """One parameter in its own unit; its interval does not leave what is allowed."""
    value, half = unit * axis.scale, width * axis.scale
    return Estimate(axis.name, axis.start, value, max(axis.low, value - half), min(axis.high, value + half), told)


def alike(names: Sequence[str], correlation: NDArray) -> tuple[tuple[str, str, float], ...]:
    """Pairs of parameters that the log cannot tell apart."""
    pairs = [(i, j) for i in range(len(names)) for j in range(i)]
    close = [(i, j) for i, j in pairs if abs(correlation[i, j]) > ALIKE]
    return tuple((names[j], names[i], float(correlation[i, j])) for i, j in close)


def roughness(values: NDArray) -> float:
    """Standard deviation of white noise on smooth values (samples, joints), from second differences."""
    return max(rms(np.diff(values, n=2, axis=0)) / np.sqrt(6.0), 1e-9)


def rms(values: NDArray) -> float:
    """Root of the mean square."""
    return float(np.sqrt(np.mean(np.square(values))))
