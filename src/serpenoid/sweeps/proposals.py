"""A search as a plan: every trial is a point between the ranges, run once for each value that is averaged over."""

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

RANGE = "low:high or log:low:high, two numbers of which the first is less"
DECADES = 100.0  # a range above 0 whose ends differ by this factor or more is searched on a logarithmic scale
MOST_TOGETHER = 8  # runs of a trial that make a chunk: what a kill may lose


@dataclass(frozen=True)
class Trials:
    """The points of a search: those of the generations that are known so far."""

    count: int
    """trials in all"""
    averaged: tuple[int, ...]
    """how many values each field has that is averaged over"""
    best: str
    """the quantity and its better end, NAME:max or NAME:min"""
    points: tuple[tuple[float, ...], ...] = ()
    """the trials known so far, each a share of 0..1 per searched field"""

    @property
    def runs(self) -> int:
        """Runs of a trial."""
        return math.prod(self.averaged)

    def shares(self, seed: int, dimensions: int, first: int, count: int) -> NDArray:
        """Cells first .. first + count - 1, (count, dimensions): the trial's point, then what is averaged over."""
        cells = np.arange(first, first + count)
        places = np.stack(np.unravel_index(cells % self.runs, self.averaged or (1,)), axis=1)
        middles = (places + 0.5) / np.array(self.averaged or (1,))
        points = np.array(self.points)[cells // self.runs]
        return np.hstack([points, middles[:, : len(self.averaged)]])

    def plain(self) -> str:
        """For the configuration in the store."""
        return f"cma:{self.count} trials of {self.runs} runs by {self.best}"


def make_search(
    scenario: Scenario, over: Mapping[str, Any], average: Mapping[str, Any] | None, best: str, trials: int
) -> Plan:
    """The plan of a search, of which no point is known yet; what cannot be searched is refused."""
    instance("over", over, Mapping, "a dictionary of fields and their ranges")
    if not over:
        raise SerpenoidError(f"which fields are searched? over needs at least one field with its range: {RANGE}")
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
    """The range of a field that takes real numbers; both ends must be allowed."""
    axis = axis_of(scenario, field, values)
    if not isinstance(axis, Spaced) or axis.count or not axis.start < axis.stop:
        raise InvalidValue(field, values, RANGE)
    if axis.whole:
        raise InvalidValue(field, values, "a field of real numbers; whole numbers can be swept (serpenoid sweep)")
    for end in (axis.start, axis.stop):
        configuration.changed(scenario, {field: end})
    return replace(axis, logarithmic=axis.logarithmic or (axis.start > 0.0 and axis.stop >= DECADES * axis.start))


def values_of(scenario: Scenario, field: str, values: Any) -> Axis:
    """The values that a trial is averaged over; A:B of a field of whole numbers means all of them, both ends too."""
    axis = axis_of(scenario, field, values)
    if not isinstance(axis, Spaced) or axis.count:
        return axis
    if not axis.whole or not axis.start < axis.stop:
        raise InvalidValue(field, values, "whole numbers A:B (all from A to B), start:stop:count or a list a,b,c")
    return replace(axis, count=round(axis.stop - axis.start) + 1)


def beyond(plan: Plan) -> Iterator[tuple[str, float]]:
    """Searched fields, with their values, that the scenario itself has at an end of their range, or outside of it."""
    assert isinstance(plan.sample, Trials)
    for axis in plan.axes[: len(plan.axes) - len(plan.sample.averaged)]:
        value = configuration.get(plan.scenario, axis.field)
        if isinstance(axis, Spaced) and isinstance(value, int | float) and not axis.start < value < axis.stop:
            yield axis.field, value


def share_of(axis: Spaced, value: Any) -> float:
    """Where a value lies between the ends of a range, 0..1; the middle where it is no number."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        return 0.5
    if axis.logarithmic:
        value = max(value, axis.start)
        return min(math.log(value / axis.start) / math.log(axis.stop / axis.start), 1.0)
    return min(max((value - axis.start) / (axis.stop - axis.start), 0.0), 1.0)
