"""Parameters of a scenario from a log: least squares over its fields and a delay, and honest intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import changed, walk
from serpenoid.errors import HardwareFault, InvalidValue, SimulationDiverged, UnknownName, require
from serpenoid.hardware.module_logs import ModuleLog
from serpenoid.hardware.replay import simulated
from serpenoid.scenarios.base import Scenario

CONFIDENCE = 0.95
BLOCKS = 3  # stretches of a log whose errors are taken as independent: long ones, as errors last for a cycle of a gait
REACH = 0.05  # of finite differences to each side, as a share of a parameter's value or scale
LONGEST = 0.5  # step of a fit, as a share of a parameter's scale
SHORT = 0.1  # step, as a share of the interval, after which a fit has ended
TINY = 1e-9  # the same where there is no noise at all
WORSE = 1.5  # factor by which a step may worsen the sum of squares, which is rough
MOST_STEPS = 12
FINE = 20  # delays that are tried per integration step
ALIKE = 0.98  # correlation from which on two parameters cannot be told apart
UNKNOWN = 1.0  # half an interval, as a share of the value, from which on a log does not tell a parameter
SMALL = 0.1  # share of its scale below which a value counts as this small, not as 0, in that comparison
WIDE = 10.0  # how many times farther than usual a parameter is looked for
SINGULAR = 1e-12  # keeps what cannot be told apart at all from dividing by zero
LEAST_NOISE = 1e-6  # of a quantity, as a share of its range: more precise than any sensor
DELAY = "delay"  # the name of the parameter that every log of a robot has beside the fields


class Estimate(NamedTuple):
    """One parameter."""

    name: str  # of a field; "delay": from a command to its effect in the readings [s]
    start: float
    value: float
    low: float  # of the interval
    high: float
    told: bool  # whether the log tells it at all


class Fit(NamedTuple):
    """What a log says about a scenario."""

    estimates: tuple[Estimate, ...]  # of the fields, then of the delay where the log is of a robot
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


class Problem:
    """Readings of a log, and what simulations with other parameters say of them.

    Parameters are in units of their scales. The delay is the last one where the log has it: readings with a delay are
    those of the simulation that much earlier, since neither robot nor world depends on time.
    """

    def __init__(self, log: ModuleLog, scenario: Scenario, axes: Sequence[Axis]):
        self.whole, self.log, self.scenario, self.axes = log, log.begun(), scenario, axes
        self.low, self.high = (np.array([getattr(axis, end) / axis.scale for axis in axes]) for end in ("low", "high"))
        self.fields = sum(axis.name != DELAY for axis in axes)  # parameters that need a run of their own
        self.runs = 0
        self.last: tuple[bytes, ModuleLog] | None = None  # the latest run and its parameters

    def at(self, units: NDArray) -> Scenario:
        """The scenario with parameters."""
        values = {axis.name: float(u * axis.scale) for axis, u in zip(self.axes, units) if axis.name != DELAY}
        return changed(self.scenario, values)

    def run(self, units: NDArray) -> ModuleLog:
        """The simulation with parameters; another delay needs no other run."""
        key = np.array([u for axis, u in zip(self.axes, units) if axis.name != DELAY]).tobytes()
        if self.last is None or self.last[0] != key:
            self.runs += 1
            self.last = (key, simulated(self.at(units), self.whole))
        return self.last[1]

    def distances(self, units: NDArray) -> NDArray:
        """Simulated less logged readings (samples, quantities, joints), each quantity in its unit."""
        delay = sum(float(u * axis.scale) for axis, u in zip(self.axes, units) if axis.name == DELAY)
        run, times = self.run(units), self.log.times - delay
        return np.stack([run.at(name, times) - rows for name, rows in self.log.values.items()], axis=1)

    def jacobian(self, units: NDArray) -> NDArray:
        """Derivatives (samples, quantities, joints, parameters) by differences over REACH to both sides.

        Contacts that come and go make readings rough in the parameters: shorter differences show nothing else.
        """
        columns = []
        for j in reversed(range(len(units))):  # the delay first, which the latest run answers
            ends = [units.copy(), units.copy()]
            for end, side in zip(ends, (-REACH, REACH)):
                end[j] = np.clip(units[j] + side * max(1.0, abs(units[j])), self.low[j], self.high[j])
            less, more = (self.distances(end) for end in ends)
            columns.append((more - less) / (ends[1][j] - ends[0][j]))
        return np.stack(columns[::-1], axis=-1)

    def with_best_delay(self, units: NDArray, noise: NDArray) -> NDArray:
        """Return the same fields with the delay that fits them best, since the sum of squares has several dips over it.

        Readings jump where a command arrives: a derivative finds neither the right dip nor the bottom of it.
        """
        if self.axes[-1].name != DELAY:
            return units
        step = self.scenario.step / self.axes[-1].scale
        everywhere = np.arange(self.low[-1], self.high[-1], step)
        units = self.best(units, everywhere, noise)
        return self.best(units, units[-1] + step * np.linspace(-1.0, 1.0, 2 * FINE + 1), noise)

    def best(self, units: NDArray, delays: NDArray, noise: NDArray) -> NDArray:
        """Return the parameters as they are or with one of some delays, whichever fits best."""
        tried = [units, *(np.append(units[:-1], d) for d in np.clip(delays, self.low[-1], self.high[-1]))]
        return min(tried, key=lambda each: float(np.sum((self.distances(each) / noise[:, None]) ** 2)))

    @property
    def resolution(self) -> float:
        """Standard deviation of the errors of command times, in units of the delay's scale; 0 without a delay.

        A simulation takes commands at the nearest step, and modules at a step of their own: two uniform errors.
        """
        return self.scenario.step / np.sqrt(6.0) / self.axes[-1].scale if self.axes[-1].name == DELAY else 0.0


class Solution(NamedTuple):
    """Parameters at the end of a fit, in units of their scales."""

    units: NDArray
    half: NDArray  # half widths of their intervals
    correlation: NDArray
    noise: NDArray  # (quantities,) rms of what is left


def fit(log: ModuleLog, scenario: Scenario, names: Sequence[str]) -> Fit:
    """Find the values of some fields of a scenario with which its run lies closest to a log.

    A log of a robot is simulated as it was made, with its delay as a further parameter. Quantities are weighed by the
    noise that the log itself shows, then by what is left. half_widths() says what the intervals mean.
    """
    axes = [*axes_of(scenario, names), *([delay_axis(scenario, log)] if log.sensed else [])]
    problem = Problem(log, scenario, axes)
    found = solve(problem)
    told = found.half < UNKNOWN * np.maximum(np.abs(found.units), SMALL)
    estimates = tuple(estimate(*row) for row in zip(axes, found.units, found.half, told))
    noise = dict(zip(problem.log.values, found.noise.tolist()))
    alike = alike_pairs([axis.name for axis in axes], found.correlation)
    return Fit(estimates, noise, alike, problem.at(found.units), problem.runs)


def solve(problem: Problem) -> Solution:
    """Gauss-Newton steps within the bounds until they are short beside the intervals."""
    from scipy.optimize import lsq_linear

    rows = list(problem.log.values.values())
    least = np.array([LEAST_NOISE * max(float(np.ptp(values)), 1e-6) for values in rows])
    noise = np.maximum([roughness(values) for values in rows], least)
    units = np.clip([axis.start / axis.scale for axis in problem.axes], problem.low, problem.high)
    if not np.isfinite(problem.distances(units)).all():
        raise InvalidValue("log", "numbers that are not finite", "a log that the scenario can be compared with")
    units = problem.with_best_delay(units, noise)
    origin = np.full(len(units), np.inf)  # where the derivatives were taken
    for _ in range(MOST_STEPS):
        if np.abs(units - origin)[: problem.fields].max() > REACH:
            origin = units
            distances, slopes = problem.distances(units), problem.jacobian(units)
        weighed = (distances / noise[:, None]).ravel()
        jacobian = (slopes / noise[:, None, None]).reshape(weighed.size, -1)
        half, _ = half_widths(jacobian, weighed, len(distances), problem.resolution)
        wanted = lsq_linear(jacobian, -weighed, (problem.low - units - TINY, problem.high - units + TINY)).x
        step = np.clip(wanted, -LONGEST, LONGEST)
        units = problem.with_best_delay(stepped(problem, units, step, weighed @ weighed, noise), noise)
        distances = problem.distances(units)
        noise = np.maximum(np.sqrt(np.mean(distances**2, axis=(0, 2))), least)
        if (np.abs(step) <= np.maximum(SHORT * half, TINY)).all():
            break
    jacobian = (slopes / noise[:, None, None]).reshape(distances.size, -1)
    weighed = (distances / noise[:, None]).ravel()
    half, correlation = half_widths(jacobian, weighed, len(distances), problem.resolution)
    return Solution(units, half, correlation, noise)


def stepped(problem: Problem, units: NDArray, step: NDArray, cost: float, noise: NDArray) -> NDArray:
    """Take a step, or a part of it where the simulation breaks down or gets much worse."""
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
    """The delay [s], within some control periods; below 0 only where a log does not say when commands were sent."""
    most = WIDE * scenario.control_period
    return Axis(DELAY, 0.0, scenario.control_period, -most if log.commands is None else 0.0, most)


def half_widths(jacobian: NDArray, residuals: NDArray, samples: int, resolution: float) -> tuple[NDArray, NDArray]:
    """Half widths of the intervals, in units of the scales, and the correlations of the parameters.

    What is left after a fit is not white: it is correlated in time and from joint to joint. So the log is cut into
    BLOCKS stretches of time, and the parameters are found again without each of them (delete-a-group jackknife, Shao
    and Wu 1989); the quantile is that of Student's t with BLOCKS - 1 degrees of freedom. Errors may be of any kind
    within a stretch; those of different stretches are taken as independent.

    Command times are known to a standard deviation `resolution`, in units of the last parameter, the delay. An error
    that lasts for the whole log is a delay. One that lasts for stretch b shifts the parameters by the last column of
    H^-1 H_b, where H_b is the stretch's part of H = J^T J. The variances of these shifts are added.
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


def estimate(axis: Axis, unit: float, width: float, told: bool) -> Estimate:
    """One parameter in its own unit; its interval does not leave what is allowed."""
    value, half = unit * axis.scale, width * axis.scale
    return Estimate(axis.name, axis.start, value, max(axis.low, value - half), min(axis.high, value + half), bool(told))


def alike_pairs(names: Sequence[str], correlation: NDArray) -> tuple[tuple[str, str, float], ...]:
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
