"""Flat tables (CSV, parquet) read back as runs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import FileProblem, InvalidValue, short
from serpenoid.estimation.tables import (
    check_times,
    columns_of,
    ending_of,
    in_order,
    read_columns,
    stack_columns,
    triples,
)
from serpenoid.interchange.head import NAME, Head, Row, check_rows, read_head, run_of
from serpenoid.interchange.tables import SAMPLE, TICK, TIME, columns_for, header_of, pyarrow
from serpenoid.robots.sensors import SENSED
from serpenoid.support.reading import MOST_BYTES, check_regular
from serpenoid.trajectory import LABELS, TIMES, Trajectory
from serpenoid.variables import describe

LINK_COLUMN = re.compile(r"([^.\[\]]+)\.?(.*) \[(.*)\]", re.DOTALL)  # variable, labels, unit
PLACE = {f"{axis}_m": f"base_pose.{axis} [m]" for axis in "xyz"}


def read_parquet(path: Path) -> Trajectory:
    """Read a parquet file that write_parquet() wrote."""
    check_regular(path, MOST_BYTES)
    arrow, parquet = pyarrow()
    try:
        with parquet.ParquetFile(path, page_checksum_verification=True) as file:
            text = (file.schema_arrow.metadata or {}).get(NAME.encode())
            if text is None:
                raise FileProblem(path, "was not written by serpenoid export: its metadata have no head")
            head = read_head(path, text.decode())
            names = header_of(head)
            if file.schema_arrow.names != names or any(kind != arrow.float64() for kind in file.schema_arrow.types):
                raise FileProblem(path, "is damaged: its columns are not those that its metadata describe")
            if file.metadata.num_rows * len(names) * 8 > MOST_BYTES * 8:
                raise FileProblem(
                    path, f"has {file.metadata.num_rows} rows of {len(names)} numbers: too many to import"
                )
            table = file.read()
    except FileProblem:
        raise
    except (arrow.ArrowException, OSError, ValueError) as error:
        raise FileProblem(path, f"cannot be read as parquet ({(str(error).splitlines() or [''])[0]})") from None
    return run_in(path, head, {name: table[name].to_numpy() for name in names})


def run_in(path: Path, head: Head, columns: Mapping[str, NDArray]) -> Trajectory:
    """Return the run in the columns of a table."""
    both = "tick" in head.rows
    times = {"time": columns[SAMPLE], "tick": columns[TICK]} if both else {"time": columns[TIME]}
    kept = {clock: np.isfinite(values) for clock, values in times.items()}
    arrays = {clock: times[clock][rows] for clock, rows in kept.items()}
    for column in columns_for(head):
        found = np.array([columns[name][kept[column.clock]] for name in column.names])
        arrays[column.variable] = found.T.reshape(-1, *head.rows[column.variable].shape)
    return run_of(path, head, arrays)


def read_table(path: Path) -> Trajectory:
    """Read a CSV file: a log, or a table that write_csv() wrote. Columns of neither are named in a warning."""
    columns = read_columns(path)
    check_times(path, columns[TIME])
    rows = {"time": Row(("time",), (), "float64", "s", TIMES["time"])}
    if SAMPLE in columns and TICK in columns:
        rows["tick"] = Row(("tick",), (), "float64", "s", TIMES["tick"])
    labels = dict(LABELS)
    readings = joint_readings(path, columns, rows, labels) | link_readings(columns, rows)
    add_others(columns, rows, labels)
    head = Head(rows, labels, {"imported": {"file": path.name}, "complete": True}, {})
    try:
        check_rows(head)
        names = set(header_of(head))
    except InvalidValue as error:
        raise FileProblem(path, str(error)) from None
    left = sorted(columns.keys() - names - readings.keys() - {column for column in columns if ending_of(column)})
    if left:
        warn(f"{path.name}: columns omitted: {short(', '.join(left), 200)}", stacklevel=2)
    return run_in(path, head, {**columns, **readings})


def row_of(name: str, shape: tuple[int, ...], clocks: Mapping[str, Row], unit: str = "") -> Row:
    """Return the row of a variable, by the catalogue if it is there."""
    try:
        known = describe(name)
    except InvalidValue:  # a signal of a law
        clock = "tick" if "tick" in clocks else "time"
        return Row((clock, *(f"{name}_{k}" for k in range(len(shape)))), shape, "float64", unit, name.replace("_", " "))
    return Row(known.dims[: len(shape) + 1], shape, "float64", known.unit, known.meaning)


def joint_readings(
    path: Path, columns: dict[str, NDArray], rows: dict[str, Row], labels: dict[str, tuple[str, ...]]
) -> dict[str, NDArray]:
    """Add the readings of joints; return their columns in SI units."""
    found: dict[str, NDArray] = {}
    for name, sensed in SENSED.items():
        own = in_order(path, columns_of(name, columns), None)
        if own and sensed.columns:
            names = tuple(column.removesuffix(ending_of(column)) for column in own)
            if labels.setdefault("joint", names) != names:
                raise FileProblem(path, f"has {name} of {short(names)}, other readings of {short(labels['joint'])}")
            rows[name] = row_of(name, (len(names),), rows)
            suffix = next(iter(sensed.columns))
            found |= {joint + suffix: values for joint, values in zip(names, stack_columns(name, own, columns).T)}
    return found


def link_readings(columns: dict[str, NDArray], rows: dict[str, Row]) -> dict[str, NDArray]:
    """Add the readings of links; their columns need no conversion."""
    for name, sensed in SENSED.items():
        vectors = triples(columns, sensed.link_columns, set()) if sensed.link_columns else None
        if vectors is not None:
            rows[name] = row_of(name, vectors.shape[1:], rows)
    return {}


def add_others(columns: dict[str, NDArray], rows: dict[str, Row], labels: dict[str, tuple[str, ...]]) -> None:
    """Add the variables of columns with a unit in brackets, if the table has all of their values."""
    groups: dict[str, tuple[list[tuple[str, ...]], str]] = {}
    for column in columns:
        match = LINK_COLUMN.fullmatch(PLACE.get(column, column))
        if match and column not in (SAMPLE, TICK):
            groups.setdefault(match[1], ([], match[3]))[0].append(tuple(filter(None, match[2].split("."))))
    for name, (indices, unit) in groups.items():
        each = [tuple(dict.fromkeys(level)) for level in zip(*indices)]
        if list(product(*each)) != indices or len({len(index) for index in indices}) > 1:
            continue
        row = row_of(name, tuple(map(len, each)), rows, "" if unit == "-" else unit)
        named = {dim: own for dim, own in zip(row.dims[1:], each) if own != tuple(map(str, range(len(own))))}
        fits = len(row.dims) == len(row.shape) + 1 and row.dims[0] in rows
        if fits and all(labels.get(dim, own) == own for dim, own in named.items()):
            rows[name] = row
            labels.update(named)
