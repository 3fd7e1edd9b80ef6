"""Runs as flat tables (CSV, parquet): one row per sample or tick, one column per number, with its unit in the header.

Joint and IMU readings have the columns of the log format in estimation/tables.py, so that logs and exports are read by
the same commands. Any other number has the column `variable.label.label [unit]`. An empty cell has no value.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import InvalidValue, Unsupported
from serpenoid.interchange.head import NAME, Head, Row, head_of, nanoseconds
from serpenoid.robots.sensors import SENSED
from serpenoid.trajectory import TIMES, Trajectory

BLOCK = 1000  # rows that are in memory as text
INSTALL = "parquet needs the package pyarrow: pip install 'serpenoid[parquet]'"
TIME, SAMPLE, TICK = "time_s", "sample [s]", "tick [s]"


class Column(NamedTuple):
    """Columns of a variable."""

    variable: str
    clock: str
    names: list[str]  # one per value of a sample, in C order


def columns_for(head: Head) -> list[Column]:
    """Return the columns of all variables besides the clocks."""
    found = []
    for name, row in head.rows.items():
        if name not in TIMES:
            labels = [head.names(dim, size) for dim, size in zip(row.dims[1:], row.shape)]
            names = [
                column_name(name, row, tuple(each[i] for each, i in zip(labels, index)), index)
                for index in np.ndindex(row.shape)
            ]
            found.append(Column(name, row.dims[0], names))
    every = [TIME, *clock_columns(head), *(name for column in found for name in column.names)]
    if len(set(every)) < len(every):
        twice = next(name for name in every if every.count(name) > 1)
        raise InvalidValue("column", twice, "unique: two values of a sample have the same labels")
    return found


def clock_columns(head: Head) -> list[str]:
    """Return the columns with the times of samples and of ticks, if a run has both."""
    return [SAMPLE, TICK] if "tick" in head.rows else []


def column_name(name: str, row: Row, labels: tuple[str, ...], index: tuple[int, ...]) -> str:
    """Return the header of a value."""
    sensed = SENSED.get(name)
    if sensed and sensed.columns and row.dims == ("time", "joint"):
        return labels[0] + next(iter(sensed.columns))
    if sensed and sensed.link_columns and row.dims == ("time", "link", "axis"):
        return sensed.link_columns.format(index[0], labels[1])
    if name == "base_pose" and labels[0] in ("x", "y", "z"):
        return f"{labels[0]}_m"
    parts = row.unit.split(", ")  # of a pose or a twist: of its places, then of its turns
    unit = parts[-1] if labels and labels[-1][:1] in ("q", "w") else parts[0]
    return f"{'.'.join((name, *labels))} [{unit or '-'}]"


def blocks(run: Trajectory, head: Head) -> Iterator[NDArray]:
    """Return the table in blocks of rows; NaN where a clock has no value."""
    columns = columns_for(head)
    stamps = {clock: nanoseconds(clock, run[clock]) for clock in run.axes()}
    every = np.unique(np.concatenate(list(stamps.values())))
    places = {clock: np.searchsorted(every, stamp) for clock, stamp in stamps.items()}
    width = 1 + len(clock_columns(head)) + sum(len(column.names) for column in columns)
    for start in range(0, every.size, BLOCK):
        block = np.full((min(BLOCK, every.size - start), width), np.nan)
        some = {
            clock: slice(*np.searchsorted(place, (start, start + len(block))).tolist())
            for clock, place in places.items()
        }
        rows = {clock: places[clock][some[clock]] - start for clock in places}
        for clock in reversed(list(places)):  # the time of a sample where both coincide
            block[rows[clock], 0] = run[clock][some[clock]]
        at = 1
        for clock in places if "tick" in places else ():
            block[rows[clock], at] = run[clock][some[clock]]
            at += 1
        for column in columns:
            values = run[column.variable][some[column.clock]]
            block[rows[column.clock], at : at + len(column.names)] = values.reshape(len(values), len(column.names))
            at += len(column.names)
        yield block


def header_of(head: Head) -> list[str]:
    """Return all column names in order."""
    return [TIME, *clock_columns(head), *(name for column in columns_for(head) for name in column.names)]


def write_csv(run: Trajectory, path: Path, progress: Callable[[float], Any] | None = None) -> None:
    """Write a table whose numbers are those of the run to the last bit."""
    head = head_of(run, {})
    with path.open("w", newline="", encoding="utf-8") as file:
        text = StringIO()
        csv.writer(text, lineterminator="\n").writerow(header_of(head))
        file.write(text.getvalue())
        for number, block in enumerate(blocks(run, head)):
            for row in block.tolist():
                file.write(",".join("" if value != value else repr(value) for value in row) + "\n")
            if progress:
                progress(min(1.0, (number + 1) * BLOCK / max(run.times.size, run.ticks.size)))


def write_parquet(run: Trajectory, path: Path, progress: Callable[[float], Any] | None = None) -> None:
    """Write the same table as parquet, with the head of the run in its metadata."""
    arrow, parquet = pyarrow()
    head = head_of(run, {})
    schema = arrow.schema([(name, arrow.float64()) for name in header_of(head)], metadata={NAME: head.text()})
    with parquet.ParquetWriter(path, schema, compression="zstd", write_page_checksum=True) as writer:
        for number, block in enumerate(blocks(run, head)):
            writer.write_table(arrow.table([arrow.array(column) for column in block.T], schema=schema))
            if progress:
                progress(min(1.0, (number + 1) * BLOCK / max(run.times.size, run.ticks.size)))


def pyarrow() -> tuple[Any, Any]:
    """Return pyarrow and its part for parquet."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise Unsupported(INSTALL) from None
    return pyarrow, pyarrow.parquet
