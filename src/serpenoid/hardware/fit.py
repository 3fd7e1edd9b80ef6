"""Parameter identification from logs: least squares over a scenario's fields and a delay, with confidence intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import changed, walk
from serpenoid.errors import HardwareFault, InvalidValue, SimulationDiverged, UnknownName, require
from serpenoid.hardware.module_logs import ModuleLog
from serpenoid.hardware.replay import simulate_log
from serpenoid.scenarios.base import Scenario

CONFIDENCE = 0.95
BLOCKS = 3  # parts of a log whose errors are assumed independent; long, because errors last for a gait cycle
REACH = 0.05  # finite-difference step to each side, as a fraction of a parameter's value or scale
LONGEST = 0.5  # largest step of a fit, as a fraction of a parameter's scale
SHORT = 0.1  # step, as a fraction of the interval, at which a fit has converged
TINY = 1e-9  # the same without any noise
WORSE = 1.5  # factor by which a step may increase the sum of squares, which is not smooth
MOST_STEPS = 12
FINE = 20  # delays tried per integration step
ALIKE = 0.98  # correlation from which two parameters are not separately identifiable
UNKNOWN = 1.0  # half interval, as a fraction of the value, from which a parameter is not identifiable
SMALL = 0.1  # fraction of its scale that replaces smaller values in that comparison
WIDE = 10.0  # search range as a multiple of the usual range
SINGULAR = 1e-12  # prevents division by zero for indistinguishable parameters
LEAST_NOISE = 1e-6  # least noise of a quantity, as a fraction of its range; no sensor is more precise
DELAY = "delay"  # name of the parameter that every robot log has in addition to the fields


class Estimate(NamedTuple):
    """Estimate of one parameter."""

    name: str  # of a field, or "delay", the time from a command to its effect in the readings [s]
    start: float
    value: float
    low: float  # lower end of the interval
    high: float
    determined: bool  # whether the log identifies it


class Fit(NamedTuple):
    """Result of fitting a scenario to a log."""

    estimates: tuple[Estimate, ...]  # of the fields, then of the delay if the log is of a robot
    noise: dict[str, float]  # rms residual by quantity, in its unit
    alike: tuple[tuple[str, str, float], ...]  # pairs that are not separately identifiable, with their correlation
    scenario: Scenario  # with the fitted values
    runs: int


class Axis(NamedTuple):
    """A field that is varied."""

    name: str
    start: float
    scale: float
    low: float
    high: float


def axes_of(scenario: Scenario, names: Sequence[str]) -> list[Axis]:
    """Return the named fields, each a number with limits."""
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


class Problem:
    """Readings of a log, compared with simulations for other parameters.

    Parameters are in units of their scales. The delay is the last one, if the log has it. Delayed readings
    equal those of the simulation at an earlier time, because neither robot nor world depends on time.
    """

    def __init__(self, log: ModuleLog, scenario: Scenario, axes: Sequence[Axis]):
        self.whole, self.log, self.scenario, self.axes = log, log.begun(), scenario, axes
        self.low, self.high = (np.array([getattr(axis, end) / axis.scale for axis in axes]) for end in ("low", "high"))
        self.fields = sum(axis.name != DELAY for axis in axes)  # parameters that need their own run
        self.runs = 0
        self.last: tuple[bytes, ModuleLog] | None = None  # latest run and its parameters

    def at(self, units: NDArray) -> Scenario:
        """Return the scenario with these parameters."""
        values = {axis.name: float(u * axis.scale) for axis, u in zip(self.axes, units) if axis.name != DELAY}
        return changed(self.scenario, values)

    def run(self, units: NDArray) -> ModuleLog:
        """Return the simulation with these parameters; another delay needs no other run."""
        key = np.array([u for axis, u in zip(self.axes, units) if axis.name != DELAY]).tobytes()
        if self.last is None or self.last[0] != key:
            self.runs += 1
            self.last = (key, simulate_log(self.at(units), self.whole))
        return self.last[1]

    def distances(self, units: NDArray) -> NDArray:
        """Return simulated minus logged readings (samples, quantities, joints), each quantity in its unit."""
        delay = sum(float(u * axis.scale) for axis, u in zip(self.axes, units) if axis.name == DELAY)
        run, times = self.run(units), self.log.times - delay
        return np.stack([run.at(name, times) - rows for name, rows in self.log.values.items()], axis=1)

    def jacobian(self, units: NDArray) -> NDArray:
        """Return derivatives (samples, quantities, joints, parameters) by central differences over REACH.

        Intermittent contacts make readings non-smooth in the parameters, so shorter differences would show only that.
        """
        columns = []
        for j in reversed(range(len(units))):  # the delay first, which uses the latest run
            ends = [units.copy(), units.copy()]
            for end, side in zip(ends, (-REACH, REACH)):
                end[j] = np.clip(units[j] + side * max(1.0, abs(units[j])), self.low[j], self.high[j])
            less, more = (self.distances(end) for end in ends)
            columns.append((more - less) / (ends[1][j] - ends[0][j]))
        return np.stack(columns[::-1], axis=-1)

    def with_best_delay(self, units: NDArray, noise: NDArray) -> NDArray:
        """Return the same fields with the delay that fits them best; the sum of squares has several minima over the
        delay.

        Readings jump when a command arrives, so a derivative finds neither the right minimum nor its bottom.
        """
        if self.axes[-1].name != DELAY:
            return units
        step = self.scenario.step / self.axes[-1].scale
        everywhere = np.arange(self.low[-1], self.high[-1], step)
        units = self.best(units, everywhere, noise)
        return self.best(units, units[-1] + step * np.linspace(-1.0, 1.0, 2 * FINE + 1), noise)

    def best(self, units: NDArray, delays: NDArray, noise: NDArray) -> NDArray:
        """Return the parameters with the best-fitting delay among the present one and the given ones."""
        tried = [units, *(np.append(units[:-1], d) for d in np.clip(delays, self.low[-1], self.high[-1]))]
        return min(tried, key=lambda each: float(np.sum((self.distances(each) / noise[:, None]) ** 2)))

    @property
    def resolution(self) -> float:
        """Return the standard deviation of command-time errors, in units of the delay's scale; 0 without a delay.

        A simulation accepts commands at the nearest step, and modules at their own steps: two uniform errors.
        """
        return self.scenario.step / np.sqrt(6.0) / self.axes[-1].scale if self.axes[-1].name == DELAY else 0.0


class Solution(NamedTuple):
    """Fitted parameters, in units of their scales."""

    units: NDArray
    half: NDArray  # half widths of their intervals
    correlation: NDArray
    noise: NDArray  # (quantities,) rms residual


def fit(log: ModuleLog, scenario: Scenario, names: Sequence[str]) -> Fit:
    """Fit fields of a scenario so that its run is closest to a log.

    A robot log is simulated under its conditions, with its delay as a further parameter. Quantities are weighted by
    the log's own noise, then by the residual. half_widths() defines the intervals.
    """
    axes = [*axes_of(scenario, names), *([delay_axis(scenario, log)] if log.sensed else [])]
    problem = Problem(log, scenario, axes)
    found = solve(problem)
    determined = found.half < UNKNOWN * np.maximum(np.abs(found.units), SMALL)
    estimates = tuple(estimate(*row) for row in zip(axes, found.units, found.half, determined))
    noise = dict(zip(problem.log.values, found.noise.tolist()))
    alike = alike_pairs([axis.name for axis in axes], found.correlation)
    return Fit(estimates, noise, alike, problem.at(found.units), problem.runs)


def solve(problem: Problem) -> Solution:
    """Iterate Gauss-Newton steps within the bounds until they are small compared with the intervals."""
    from scipy.optimize import lsq_linear

    rows = list(problem.log.values.values())
    least = np.array([LEAST_NOISE * max(float(np.ptp(values)), 1e-6) for values in rows])
    noise = np.maximum([roughness(values) for values in rows], least)
    units = np.clip([axis.start / axis.scale for axis in problem.axes], problem.low, problem.high)
    if not np.isfinite(problem.distances(units)).all():
        raise InvalidValue("log", "numbers that are not finite", "a log that the scenario can be compared with")
    units = problem.with_best_delay(units, noise)
    origin = np.full(len(units), np.inf)  # point at which the derivatives were evaluated
    for _ in range(MOST_STEPS):
        if np.abs(units - origin)[: problem.fields].max() > REACH:
            origin = units
            distances, slopes = problem.distances(units), problem.jacobian(units)
        weighed = (distances / noise[:, None]).ravel()
        jacobian = (slopes / noise[:, None, None]).reshape(weighed.size, -1)
        half, _ = half_widths(jacobian, weighed, len(distances), problem.resolution)
        wanted = lsq_linear(jacobian, -weighed, (problem.low - units - TINY, problem.high - units + TINY)).x
        step = np.clip(wanted, -LONGEST, LONGEST)
        units = problem.with_best_delay(take_step(problem, units, step, weighed @ weighed, noise), noise)
        distances = problem.distances(units)
        noise = np.maximum(np.sqrt(np.mean(distances**2, axis=(0, 2))), least)
        if (np.abs(step) <= np.maximum(SHORT * half, TINY)).all():
            break
    jacobian = (slopes / noise[:, None, None]).reshape(distances.size, -1)
    weighed = (distances / noise[:, None]).ravel()
    half, correlation = half_widths(jacobian, weighed, len(distances), problem.resolution)
    return Solution(units, half, correlation, noise)


def take_step(problem: Problem, units: NDArray, step: NDArray, cost: float, noise: NDArray) -> NDArray:
    """Apply a step, or a part of it if the simulation fails or becomes much worse."""
    for share in (1.0, 0.5, 0.25, 0.1):
        try:
            tried = np.clip(units + share * step, problem.low, problem.high)
            distances = problem.distances(tried)
        except (SimulationDiverged, HardwareFault, InvalidValue):
            continue
        if share == 0.1 or np.sum((distances / noise[:, None]) ** 2) < WORSE * cost:
            return tried
    return units


def delay_axis(scenario: Scenario, log: ModuleLog) -> Axis:
    """Return the axis of the delay [s], within a few control periods; below 0 only if a log lacks command times."""
    most = WIDE * scenario.control_period
    return Axis(DELAY, 0.0, scenario.control_period, -most if log.commands is None else 0.0, most)


def half_widths(jacobian: NDArray, residuals: NDArray, samples: int, resolution: float) -> tuple[NDArray, NDArray]:
    """Return half widths of the intervals, in units of the scales, and the correlations of the parameters.

    Residuals of a fit are not white: they are correlated in time and between joints. The log is therefore cut into
    BLOCKS parts, and the parameters are estimated again without each of them (delete-a-group jackknife, Shao and Wu
    1989). The quantile is that of Student's t with BLOCKS - 1 degrees of freedom. Errors within a part may be of any
    kind; those of different parts are assumed independent.

    Command times are known to a standard deviation `resolution`, in units of the last parameter, the delay. An error
    that lasts for the whole log is a delay. One that lasts for part b shifts the parameters by the last column of
    H^-1 H_b. H_b is the part's contribution to H = J^T J. The variances of these shifts are added.
    """
    from scipy.stats import t

    length = np.linalg.norm(jacobian, axis=0)
    safe = np.where(length > 0.0, length, 1.0)
    unit, ridge = jacobian / safe, SINGULAR * np.eye(len(length))
    blocks = min(BLOCKS, samples)
    parts = zip(*(np.array_split(rows.reshape(samples, -1), blocks) for rows in (unit, residuals)))
    pairs = [(rows.reshape(-1, len(length)), values.ravel()) for rows, values in parts]
    sums = np.array([rows.T @ rows for rows, _ in pairs]), np.array([rows.T @ values for rows, values in pairs])
    whole, score = sums[0].sum(axis=0) + ridge, sums[1].sum(axis=0)
    shifts = np.array([np.linalg.solve(whole - h, score - g) for h, g in zip(*sums)]) - np.linalg.solve(whole, score)
    scatter = t.ppf(0.5 + 0.5 * CONFIDENCE, blocks - 1) ** 2 * (1.0 - 1.0 / blocks) * np.sum(shifts**2, axis=0)
    moved = resolution * safe[-1] * np.linalg.solve(whole, sums[0])[:, :, -1]
    timing = t.ppf(0.5 + 0.5 * CONFIDENCE, np.inf) ** 2 * np.sum(moved**2, axis=0)
    inverse = np.linalg.inv(whole)
    spread = np.sqrt(np.diag(inverse).clip(1e-300))
    half = np.where(length > 0.0, np.sqrt(scatter + timing) / safe, np.inf)
    return half, inverse / np.outer(spread, spread)


def estimate(axis: Axis, unit: float, width: float, determined: bool) -> Estimate:
    """Return one estimate in its own unit, with the interval clipped to the permitted range."""
    value, half = unit * axis.scale, width * axis.scale
    return Estimate(
        axis.name, axis.start, value, max(axis.low, value - half), min(axis.high, value + half), bool(determined)
    )


def alike_pairs(names: Sequence[str], correlation: NDArray) -> tuple[tuple[str, str, float], ...]:
    """Return pairs of parameters that the log cannot identify separately."""
    pairs = [(i, j) for i in range(len(names)) for j in range(i)]
    close = [(i, j) for i, j in pairs if abs(correlation[i, j]) > ALIKE]
    return tuple((names[j], names[i], float(correlation[i, j])) for i, j in close)


def roughness(values: NDArray) -> float:
    """Return the standard deviation of white noise on smooth values (samples, joints), from second differences."""
    return max(rms(np.diff(values, n=2, axis=0)) / np.sqrt(6.0), 1e-9)


def rms(values: NDArray) -> float:
    """Return the root mean square."""
    return float(np.sqrt(np.mean(np.square(values))))
