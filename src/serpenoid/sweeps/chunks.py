"""Computation of one chunk of a sweep: the same function for a thread, a local process and a cluster."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid import configuration
from serpenoid.errors import SerpenoidError, within_field
from serpenoid.scenarios.base import Quantity, Scenario
from serpenoid.support.versions import versions

if TYPE_CHECKING:
    from serpenoid.sweeps.plan import Plan

LONGEST_REASON = 200  # longest stored reason [bytes]
MOST_SEED = 2**31


class ChunkOutcome(NamedTuple):
    """Result of a chunk; cells in the order of the arrays."""

    values: dict[str, NDArray]  # quantity -> (cells,), NaN if a cell failed
    units: dict[str, str]
    reasons: dict[int, str]  # cell within the chunk -> reason of its failure
    host: str
    seconds: float
    runs: int  # computed cells; repeated cells count once


class Failure(NamedTuple):
    """Reason why a cell could not be computed."""

    reason: str


def run_chunk(plan: Plan, chunk: int, expected: Mapping[str, str]) -> ChunkOutcome:
    """Compute a chunk; a failed cell is NaN with its reason. Raise if the versions differ from the coordinator's."""
    here = versions()
    if here != expected:
        raise SerpenoidError(f"{platform.node()} has {difference(here, expected)}; all machines need the same versions")
    start = perf_counter()
    columns = plan.reduced(plan.columns(chunk))
    rows, where = distinct_rows(columns)
    built = scenarios_of(plan.scenario, list(columns), rows)
    units: dict[str, str] = {}
    results = evaluate(built, units)
    found: list[Mapping[str, float]] = [{} if isinstance(result, Failure) else result for result in results]
    values = {name: np.array([cell.get(name, np.nan) for cell in found])[where] for name in units}
    failed = {i: result.reason for i, result in enumerate(results) if isinstance(result, Failure)}
    reasons = {cell: failed[row] for cell, row in enumerate(where.tolist()) if row in failed}
    return ChunkOutcome(values, units, reasons, platform.node(), perf_counter() - start, len(rows))


def difference(here: Mapping[str, str], there: Mapping[str, str]) -> str:
    """List the versions that differ."""
    names = [name for name in {**here, **there} if here.get(name) != there.get(name)]
    return ", ".join(f"{name} {here.get(name, 'missing')} instead of {there.get(name, 'none')}" for name in names)


def distinct_rows(columns: Mapping[str, list[Any]]) -> tuple[list[tuple[Any, ...]], NDArray]:
    """Return the distinct cells of a chunk and, for each cell, its index among them."""
    index: dict[tuple[Any, ...], int] = {}
    where = [index.setdefault(row, len(index)) for row in zip(*columns.values())]
    return list(index), np.array(where)


def scenarios_of(
    scenario: Scenario, fields: Sequence[str], rows: Sequence[tuple[Any, ...]]
) -> list[Scenario | Failure]:
    """Build the scenario of each cell; parts shared by cells (a gait, a robot) are built once."""
    groups: dict[str, list[int]] = {}
    for i, field in enumerate(fields):
        groups.setdefault(field.partition(".")[0], []).append(i)
    built: dict[tuple[Any, ...], Any] = {}

    def part(head: str, positions: list[int], row: tuple[Any, ...]) -> Any:
        key = (head, *(row[i] for i in positions))
        if key not in built:
            built[key] = changed_part(scenario, head, {fields[i]: row[i] for i in positions})
        return built[key]

    def cell(row: tuple[Any, ...]) -> Scenario | Failure:
        try:
            parts = {head: part(head, positions, row) for head, positions in groups.items()}
            return replace(scenario, **{"seed": seed_of(scenario.seed, fields, row), **parts})
        except (SerpenoidError, ArithmeticError, TypeError, ValueError) as error:
            return Failure(reason_of(error))

    return [cell(row) for row in rows]


def changed_part(scenario: Scenario, head: str, changes: Mapping[str, Any]) -> Any:
    """Return a changed part of the scenario without rebuilding the whole scenario."""
    if head in changes:
        return getattr(configuration.changed(scenario, changes), head)
    with within_field(head):
        below = {name.partition(".")[2]: value for name, value in changes.items()}
        return configuration.changed(getattr(scenario, head), below)


def seed_of(seed: int, fields: Sequence[str], row: tuple[Any, ...]) -> int:
    """Derive the seed of a cell from the seed of the sweep and the cell's values, independent of their order."""
    text = repr((seed, sorted(zip(fields, map(repr, row)))))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little") % MOST_SEED


Result = Mapping[str, float] | Failure


def evaluate(built: Sequence[Scenario | Failure], units: dict[str, str]) -> list[Result]:
    """Compute the summaries of scenarios and add their units to `units`; batched if the scenario supports it."""
    good = [item for item in built if isinstance(item, Scenario)]
    results = iter(evaluate_all(good, units) if good else [])
    return [item if isinstance(item, Failure) else next(results) for item in built]


def evaluate_all(scenarios: list[Scenario], units: dict[str, str]) -> list[Result]:
    """Evaluate scenarios as a batch or one by one; a failing batch is halved until the failing scenarios are
    isolated."""
    try:
        batch = type(scenarios[0]).batch(scenarios)
    except Exception as error:
        if len(scenarios) == 1:
            return [Failure(reason_of(error))]
        middle = len(scenarios) // 2
        return evaluate_all(scenarios[:middle], units) + evaluate_all(scenarios[middle:], units)
    if batch is None:
        return [evaluate_one(scenario, units) for scenario in scenarios]
    table = np.stack([np.asarray(quantity.value, dtype=float) for quantity in batch.values()], axis=1)
    diverged = np.isnan(table).all(axis=1).tolist()
    lost = Failure("simulation diverged")
    if not all(diverged):  # a sweep in which every cell failed has no quantities
        units |= {name: quantity.unit for name, quantity in batch.items()}
    return [lost if gone else dict(zip(batch, row)) for gone, row in zip(diverged, table.tolist())]


def evaluate_one(scenario: Scenario, units: dict[str, str]) -> Result:
    """Evaluate one run; any exception becomes its reason."""
    try:
        summary = {name: q for name, q in scenario.summary(scenario.run()).items() if is_stored(q)}
        values = {name: float(quantity.value) for name, quantity in summary.items()}
    except Exception as error:
        return Failure(reason_of(error))
    units |= {name: quantity.unit for name, quantity in summary.items()}
    return values


def is_stored(quantity: Quantity) -> bool:
    """Return whether a quantity is stored: a number that is reproducible on any machine."""
    return not (quantity.clock or isinstance(quantity.value, str))


def reason_of(error: BaseException) -> str:
    """Format an error as one line of bounded length; foreign errors are prefixed with their type."""
    text = " ".join(str(error).split())
    text = text if isinstance(error, SerpenoidError) else f"{type(error).__name__}: {text}"
    return text.encode()[:LONGEST_REASON].decode(errors="ignore")
