"""A sweep as a list of chunks: which cells a chunk holds is computed when it is asked for, never listed."""

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
LANES = 64  # runs in lock-step
MOST_IN_LANES, MOST_BY_CELL = 1024, 16  # cells per chunk: compiled scenarios run in lanes, the others cell by cell
AT_LEAST, AT_MOST = 64, 20_000  # chunks, where the grid allows it: work for every core, and a bounded number of files
DIGITS = 11  # decimals of a value reduced by its period


@dataclass(frozen=True)
class Sample:
    """Points drawn between the ends of the axes, the same for every chunking."""

    method: str
    count: int

    @classmethod
    def parse(cls, text: str) -> Sample:
        """From sobol:100000 or random:5000."""
        method, _, count = str(text).partition(":")
        if method not in METHODS:
            raise UnknownName("sample", method, METHODS)
        if not count:
            raise InvalidValue("sample", text, f"{method}:COUNT, such as {method}:1000")
        return cls(method, whole_number("sample", configuration.parse_as("sample", int, [count]), 1, MOST_CELLS))

    def plain(self) -> str:
        """For the configuration in the store."""
        return f"{self.method}:{self.count}"

    def shares(self, seed: int, dimensions: int, first: int, count: int) -> NDArray:
        """Points first .. first + count - 1 of the sequence, (count, dimensions) in 0..1."""
        if self.method == "random":
            columns = [uniform(seed, axis, first, count) for axis in range(dimensions)]
            return np.stack(columns, axis=1)
        from scipy.stats import qmc

        with warnings.catch_warnings():  # that a count is no power of two costs balance, and is the user's choice
            warnings.simplefilter("ignore", UserWarning)
            sequence = qmc.Sobol(dimensions, scramble=True, rng=np.random.default_rng(seed))
            return sequence.fast_forward(first).random(count) if first else sequence.random(count)


def uniform(seed: int, stream: int, first: int, count: int) -> NDArray:
    """Numbers first .. first + count - 1 of a stream of uniform ones; the generator counts in steps of four."""
    bits = np.random.Philox(key=np.array([seed, stream], dtype=np.uint64))
    skip = first % 4
    return np.random.Generator(bits.advance(first // 4)).random(skip + count)[skip:]


class Points(Protocol):
    """Where the cells of a plan lie that is no grid: drawn beforehand, or proposed by a search as it goes."""

    def shares(self, seed: int, dimensions: int, first: int, count: int) -> NDArray:
        """Points first .. first + count - 1, (count, dimensions) in 0..1 between the ends of the axes."""

    def plain(self) -> str:
        """For the configuration in the store."""


@dataclass(frozen=True)
class Plan:
    """A scenario, the axes it is varied along, and how the cells are cut into chunks."""

    scenario: Scenario
    axes: tuple[Axis, ...]
    sample: Points | None
    grid: ChunkGrid

    @property
    def dims(self) -> tuple[str, ...]:
        """The dimensions of the arrays: a sample has one, a grid one per axis."""
        return ("cell",) if self.sample else tuple(axis.field for axis in self.axes)

    def columns(self, chunk: int) -> dict[str, list[Any]]:
        """The value of each swept field for each cell of a chunk, in the order of the arrays."""
        region = self.grid.region(chunk)
        if self.sample:
            first, count = region[0].start, region[0].stop - region[0].start
            shares = self.sample.shares(self.scenario.seed, len(self.axes), first, count)
            return {axis.field: axis.between(shares[:, i]) for i, axis in enumerate(self.axes)}
        indices = np.indices(self.grid.extent(chunk)).reshape(len(self.axes), -1)
        return {axis.field: axis.at(part.start + indices[i]) for i, (axis, part) in enumerate(zip(self.axes, region))}

    def reduced(self, columns: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
        """Columns with periodic fields brought into their first period, so that repeated cells become equal."""
        periods = self.scenario.periods(list(columns))
        return {field: reduce(values, periods.get(field)) for field, values in columns.items()}

    def plain(self) -> dict[str, Any]:
        """All that the results depend on, as plain data; the grid into chunks is no part of it."""
        return {
            "scenario": configuration.to_plain(self.scenario),
            "over": {axis.field: axis.plain() for axis in self.axes},
            "sample": self.sample.plain() if self.sample else None,
        }


def digest(plain: Any) -> str:
    """The hash of plain data."""
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def reduce(values: list[Any], period: float | None) -> list[Any]:
    """Values modulo a period, rounded so that 2.1 pi and 0.1 pi become the same number."""
    if period is None:
        return values
    rounded = np.round(np.mod(np.asarray(values, dtype=float), period), DIGITS)
    return np.where(rounded >= round(period, DIGITS), 0.0, rounded).tolist()


def make_plan(scenario: Scenario, over: Mapping[str, Any], sample: str | None = None, chunk: int | None = None) -> Plan:
    """The plan of a sweep; `chunk` cells per chunk where the default does not suit."""
    drawn = Sample.parse(sample) if sample else None
    axes = axes_of(scenario, over, sampled=drawn is not None)
    shape = (drawn.count,) if drawn else tuple(axis.size for axis in axes)
    if math.prod(shape) > MOST_CELLS:
        raise InvalidValue("over", f"{math.prod(shape)} cells", f"at most {MOST_CELLS} cells")
    if len(shape) > 16:
        raise InvalidValue("over", f"{len(shape)} fields", "at most 16 fields in a grid")
    kept = [False] if drawn else [repeats(scenario, axis, [other.field for other in axes]) for axis in axes]
    target = usual_size(scenario, math.prod(shape)) if chunk is None else whole_number("chunk", chunk, 1, 1_000_000)
    grid = ChunkGrid(shape, block_of(shape, kept, target, MOST_IN_LANES))
    least = -(-grid.cells // MOST_CHUNKS)
    require(grid.chunks <= MOST_CHUNKS, "chunk", chunk, f"at least {least}: {MOST_CHUNKS} chunks at most")
    return Plan(scenario, axes, drawn, grid)


def usual_size(scenario: Scenario, cells: int) -> int:
    """Return how many cells a chunk has: fewer in small sweeps, for work on every core; lanes are filled."""
    most, unit = (MOST_IN_LANES, LANES) if goes_in_lanes(scenario) else (MOST_BY_CELL, 1)
    wanted = unit * -(-cells // (AT_LEAST * unit))
    return max(min(most, wanted), -(-cells // AT_MOST))


def repeats(scenario: Scenario, axis: Axis, swept: Collection[str]) -> bool:
    """Whether an axis holds the same run more than once."""
    period = scenario.periods(swept).get(axis.field)
    return period is not None and len(set(reduce(axis.at(np.arange(axis.size)), period))) < axis.size
