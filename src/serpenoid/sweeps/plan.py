"""Plan of a sweep as a sequence of chunks; the cells of a chunk are computed on demand, never listed."""

from __future__ import annotations

import hashlib
import json
import math
import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from serpenoid import configuration
from serpenoid.errors import InvalidValue, UnknownName, require, whole_number
from serpenoid.scenarios.base import Scenario, goes_in_lanes
from serpenoid.sweeps.axes import Axis, axes_of
from serpenoid.sweeps.chunk_grid import ChunkGrid, block_of

METHODS = ("random", "sobol")
MOST_CELLS, MOST_CHUNKS = 10**9, 10**7
LANES = 64  # runs in lock step
MOST_IN_LANES, MOST_BY_CELL = 1024, 16  # cells per chunk: compiled scenarios run batched, others one by one
AT_LEAST, AT_MOST = 64, 20_000  # chunks, if the grid allows it: work for every core, bounded number of files
DIGITS = 11  # decimals of a value reduced by its period


@dataclass(frozen=True)
class SampledPoints:
    """Points drawn between the ends of the axes, independent of the chunk size."""

    method: str
    count: int

    @classmethod
    def parse(cls, text: str) -> SampledPoints:
        """Parse sobol:100000 or random:5000."""
        method, _, count = str(text).partition(":")
        if method not in METHODS:
            raise UnknownName("sample", method, METHODS)
        if not count:
            raise InvalidValue("sample", text, f"{method}:COUNT, such as {method}:1000")
        return cls(method, whole_number("sample", configuration.parse_as("sample", int, [count]), 1, MOST_CELLS))

    def plain(self) -> str:
        """Return plain data for the configuration in the store."""
        return f"{self.method}:{self.count}"

    def shares(self, seed: int, dimensions: int, first: int, count: int) -> NDArray:
        """Return points first .. first + count - 1 of the sequence, (count, dimensions) in 0..1."""
        if self.method == "random":
            columns = [uniform(seed, axis, first, count) for axis in range(dimensions)]
            return np.stack(columns, axis=1)
        from scipy.stats import qmc

        with warnings.catch_warnings():  # a count that is not a power of two costs balance; the user chose it
            warnings.simplefilter("ignore", UserWarning)
            sequence = qmc.Sobol(dimensions, scramble=True, rng=np.random.default_rng(seed))
            return sequence.fast_forward(first).random(count) if first else sequence.random(count)


def uniform(seed: int, stream: int, first: int, count: int) -> NDArray:
    """Return numbers first .. first + count - 1 of a uniform stream; the generator advances in steps of four."""
    bits = np.random.Philox(key=np.array([seed, stream], dtype=np.uint64))
    skip = first % 4
    return np.random.Generator(bits.advance(first // 4)).random(skip + count)[skip:]


class Points(Protocol):
    """Cells of a plan that is not a grid: drawn in advance, or proposed by a running search."""

    def shares(self, seed: int, dimensions: int, first: int, count: int) -> NDArray:
        """Return points first .. first + count - 1, (count, dimensions) in 0..1 between the ends of the axes."""

    def plain(self) -> str:
        """Return plain data for the configuration in the store."""


@dataclass(frozen=True)
class Plan:
    """Scenario, axes along which it varies, and partition of the cells into chunks."""

    scenario: Scenario
    axes: tuple[Axis, ...]
    sample: Points | None
    grid: ChunkGrid

    @property
    def dims(self) -> tuple[str, ...]:
        """Dimensions of the arrays: one for a sample, one per axis for a grid."""
        return ("cell",) if self.sample else tuple(axis.field for axis in self.axes)

    def columns(self, chunk: int) -> dict[str, list[Any]]:
        """Return the value of each swept field for each cell of a chunk, in the order of the arrays."""
        region = self.grid.region(chunk)
        if self.sample:
            first, count = region[0].start, region[0].stop - region[0].start
            shares = self.sample.shares(self.scenario.seed, len(self.axes), first, count)
            return {axis.field: axis.between(shares[:, i]) for i, axis in enumerate(self.axes)}
        indices = np.indices(self.grid.extent(chunk)).reshape(len(self.axes), -1)
        return {axis.field: axis.at(part.start + indices[i]) for i, (axis, part) in enumerate(zip(self.axes, region))}

    def reduced(self, columns: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
        """Reduce periodic fields to their first period, so that repeated cells become equal."""
        periods = self.scenario.periods(list(columns))
        return {field: reduce(values, periods.get(field)) for field, values in columns.items()}

    def plain(self) -> dict[str, Any]:
        """Return everything that determines the results as plain data; the chunk grid does not."""
        return {
            "scenario": configuration.to_plain(self.scenario),
            "over": {axis.field: axis.plain() for axis in self.axes},
            "sample": self.sample.plain() if self.sample else None,
        }


def digest(plain: Any) -> str:
    """Return the hash of plain data."""
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def reduce(values: list[Any], period: float | None) -> list[Any]:
    """Return values modulo a period, rounded so that 2.1 pi and 0.1 pi become equal."""
    if period is None:
        return values
    rounded = np.round(np.mod(np.asarray(values, dtype=float), period), DIGITS)
    return np.where(rounded >= round(period, DIGITS), 0.0, rounded).tolist()


def make_plan(scenario: Scenario, over: Mapping[str, Any], sample: str | None = None, chunk: int | None = None) -> Plan:
    """Build the plan of a sweep; `chunk` overrides the default number of cells per chunk."""
    drawn = SampledPoints.parse(sample) if sample else None
    axes = axes_of(scenario, over, sampled=drawn is not None)
    shape = (drawn.count,) if drawn else tuple(axis.size for axis in axes)
    if math.prod(shape) > MOST_CELLS:
        raise InvalidValue("over", f"{math.prod(shape)} cells", f"at most {MOST_CELLS} cells")
    if len(shape) > 16:
        raise InvalidValue("over", f"{len(shape)} fields", "at most 16 fields in a grid")
    kept = [False] if drawn else [has_repeats(scenario, axis, [other.field for other in axes]) for axis in axes]
    target = usual_size(scenario, math.prod(shape)) if chunk is None else whole_number("chunk", chunk, 1, 1_000_000)
    grid = ChunkGrid(shape, block_of(shape, kept, target, MOST_IN_LANES))
    least = -(-grid.cells // MOST_CHUNKS)
    require(grid.chunks <= MOST_CHUNKS, "chunk", chunk, f"at least {least} (at most {MOST_CHUNKS} chunks)")
    return Plan(scenario, axes, drawn, grid)


def usual_size(scenario: Scenario, cells: int) -> int:
    """Return the number of cells per chunk: few in small sweeps, so that every core has work, and in full batches."""
    most, unit = (MOST_IN_LANES, LANES) if goes_in_lanes(scenario) else (MOST_BY_CELL, 1)
    wanted = unit * -(-cells // (AT_LEAST * unit))
    return max(min(most, wanted), -(-cells // AT_MOST))


def has_repeats(scenario: Scenario, axis: Axis, swept: Collection[str]) -> bool:
    """Return whether an axis contains the same run more than once."""
    period = scenario.periods(swept).get(axis.field)
    return period is not None and len(set(reduce(axis.at(np.arange(axis.size)), period))) < axis.size
