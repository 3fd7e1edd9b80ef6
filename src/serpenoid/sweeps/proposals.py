"""Plan of a search: every trial is a point within the ranges, run once for each averaged value."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid import configuration
from serpenoid.errors import InvalidValue, SerpenoidError, instance, require, whole_number
from serpenoid.scenarios.base import Scenario
from serpenoid.sweeps.axes import Axis, Spaced, axis_of
from serpenoid.sweeps.chunk_grid import ChunkGrid
from serpenoid.sweeps.plan import MOST_CELLS, Plan

RANGE = "low:high or log:low:high with low < high"
DECADES = 100.0  # positive ranges whose ends differ by this factor or more are searched logarithmically
MOST_TOGETHER = 8  # runs of a trial per chunk, at most; a kill loses one chunk


@dataclass(frozen=True)
class Trials:
    """Points of a search, as far as the generations are known."""

    count: int
    """total number of trials"""
    averaged: tuple[int, ...]
    """number of values of each averaged field"""
    best: str
    """quantity and direction, NAME:max or NAME:min"""
    points: tuple[tuple[float, ...], ...] = ()
    """known trials, each with a fraction in 0..1 per searched field"""

    @property
    def runs(self) -> int:
        """Number of runs per trial."""
        return math.prod(self.averaged)

    def shares(self, seed: int, dimensions: int, first: int, count: int) -> NDArray:
        """Return cells first .. first + count - 1, (count, dimensions): the trial's point, then the averaged fields."""
        cells = np.arange(first, first + count)
        places = np.stack(np.unravel_index(cells % self.runs, self.averaged or (1,)), axis=1)
        middles = (places + 0.5) / np.array(self.averaged or (1,))
        points = np.array(self.points)[cells // self.runs]
        return np.hstack([points, middles[:, : len(self.averaged)]])

    def plain(self) -> str:
        """Return plain data for the configuration in the store."""
        return f"cma:{self.count} trials of {self.runs} runs by {self.best}"


def make_search(
    scenario: Scenario, over: Mapping[str, Any], average: Mapping[str, Any] | None, best: str, trials: int
) -> Plan:
    """Build the plan of a search without any points yet; refuse fields that cannot be searched."""
    instance("over", over, Mapping, "a dictionary of fields and their ranges")
    if not over:
        raise SerpenoidError(f"--over: must be at least one field with its range: {RANGE}")
    searched = tuple(range_of(scenario, field, values) for field, values in over.items())
    averaged = tuple(values_of(scenario, field, values) for field, values in (average or {}).items())
    for axis in averaged:
        require(axis.field not in over, axis.field, over.get(axis.field), "either searched or averaged over, not both")
    count = whole_number("trials", trials, 1, 1_000_000)
    drawn = Trials(count, tuple(axis.size for axis in averaged), best)
    if count * drawn.runs > MOST_CELLS:
        raise InvalidValue("trials", f"{count} of {drawn.runs} runs", f"at most {MOST_CELLS} runs in all")
    block = max(size for size in range(1, MOST_TOGETHER + 1) if drawn.runs % size == 0)
    return Plan(scenario, (*searched, *averaged), drawn, ChunkGrid((count * drawn.runs,), (block,)))


def range_of(scenario: Scenario, field: str, values: Any) -> Spaced:
    """Build the range of a field of real numbers; both ends must be valid."""
    axis = axis_of(scenario, field, values)
    if not isinstance(axis, Spaced) or axis.count or not axis.start < axis.stop:
        raise InvalidValue(field, values, RANGE)
    if axis.whole:
        raise InvalidValue(field, values, "a field of real numbers; sweep integers with `serpenoid sweep`")
    for end in (axis.start, axis.stop):
        configuration.changed(scenario, {field: end})
    return replace(axis, logarithmic=axis.logarithmic or (axis.start > 0.0 and axis.stop >= DECADES * axis.start))


def values_of(scenario: Scenario, field: str, values: Any) -> Axis:
    """Build the values over which a trial is averaged; A:B of an integer field includes all integers and both ends."""
    axis = axis_of(scenario, field, values)
    if not isinstance(axis, Spaced) or axis.count:
        return axis
    if not axis.whole or not axis.start < axis.stop:
        raise InvalidValue(field, values, "integers A:B (all from A to B), start:stop:count or a list a,b,c")
    return replace(axis, count=round(axis.stop - axis.start) + 1)


def beyond(plan: Plan) -> Iterator[tuple[str, float]]:
    """Yield searched fields, with their values, for which the scenario lies at an end of the range or outside it."""
    assert isinstance(plan.sample, Trials)
    for axis in plan.axes[: len(plan.axes) - len(plan.sample.averaged)]:
        value = configuration.get(plan.scenario, axis.field)
        if isinstance(axis, Spaced) and isinstance(value, int | float) and not axis.start < value < axis.stop:
            yield axis.field, value


def share_of(axis: Spaced, value: Any) -> float:
    """Return the position of a value within a range as a fraction in 0..1; 0.5 if it is not a number."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        return 0.5
    if axis.logarithmic:
        value = max(value, axis.start)
        return min(math.log(value / axis.start) / math.log(axis.stop / axis.start), 1.0)
    return min(max((value - axis.start) / (axis.stop - axis.start), 0.0), 1.0)
