"""Head of an exported run: everything but the numbers, as one JSON text in MCAP and parquet files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from serpenoid.errors import FileProblem, InvalidValue
from serpenoid.support.reading import MOST_JSON, are_sizes, is_line
from serpenoid.support.recording_checks import check_attributes
from serpenoid.support.zarr_store import ITEM_SIZES
from serpenoid.trajectory import SCHEMA_VERSION, TIMES, Trajectory
from serpenoid.variables import Variable

NAME = "serpenoid"  # of the metadata in a file
MOST_VALUES = 1 << 20  # values per sample
LAST_SECOND = 2.0**31  # limit of the stamps of ROS 2 [s]


class Row(NamedTuple):
    """A variable without its values; the two clocks are variables as well."""

    dims: tuple[str, ...]
    shape: tuple[int, ...]  # of a sample
    dtype: str
    unit: str
    meaning: str


class Head(NamedTuple):
    """Variables, labels and attributes of a run."""

    rows: dict[str, Row]
    labels: dict[str, tuple[str, ...]]
    attributes: dict[str, Any]
    frames: dict[str, str]  # frames of moving objects, with the variable that moves each

    def text(self) -> str:
        """Return the JSON text."""
        rows = {name: row._asdict() for name, row in self.rows.items()}
        return json.dumps({**self._asdict(), "rows": rows})

    def names(self, dim: str, size: int) -> tuple[str, ...]:
        """Return the labels along a dimension; its indices if it has none."""
        return self.labels[dim] if dim in self.labels else tuple(map(str, range(size)))


def head_of(run: Trajectory, frames: Mapping[str, str]) -> Head:
    """Return the head of a run."""
    clocks = {name: ((name,), run[name], "s", meaning) for name, meaning in run.axes().items()}
    rows = {
        name: Row(tuple(dims), values.shape[1:], str(values.dtype), unit, meaning)
        for name, (dims, values, unit, meaning) in {**clocks, **run.variables}.items()
    }
    for name, row in rows.items():
        if row.dtype in ("int64", "uint64") and not (run[name].astype(float).astype(row.dtype) == run[name]).all():
            raise InvalidValue(name, "whole numbers", "at most 2^53, which a float64 holds")
    return Head(rows, run.used_labels(), dict(run.attributes), dict(frames))


def read_head(path: Path, text: str) -> Head:
    """Read the head of a file; raise FileProblem if it is not one of ours."""
    try:
        if len(text) > MOST_JSON:
            raise InvalidValue("size", len(text), f"at most {MOST_JSON}")
        found = json.loads(text)
        rows = {
            name: Row(tuple(row["dims"]), tuple(row["shape"]), row["dtype"], row["unit"], row["meaning"])
            for name, row in found["rows"].items()
        }
        labels = {dim: tuple(names) for dim, names in found["labels"].items()}
        head = Head(rows, labels, dict(found["attributes"]), dict(found["frames"]))
        check_attributes({**head.attributes, "labels": found["labels"]})
        check_rows(head)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        problem = (str(error).splitlines() or [""])[0]
        raise FileProblem(path, f"is damaged: its metadata {NAME!r} ({type(error).__name__}: {problem})") from None
    version = head.attributes.get("schema_version")
    if version != SCHEMA_VERSION:
        raise FileProblem(path, f"has schema version {version}; this release reads {SCHEMA_VERSION}")
    return head


def check_rows(head: Head) -> None:
    """Raise InvalidValue for variables that no recording has."""
    total = 0
    for name, row in head.rows.items():
        whole = are_sizes(list(row.shape), least=0) and len(row.dims) == len(row.shape) + 1
        if not (whole and row.dims[0] in TIMES and row.dtype in ITEM_SIZES and row.dims[0] in head.rows):
            raise InvalidValue(name, row, "over time or tick, of plain numbers")
        if not all(map(is_line, (name, row.unit, row.meaning, *row.dims))) or "/" in name:
            raise InvalidValue(name, row, "named on one line")
        total += prod(row.shape)
        if total > MOST_VALUES:
            raise InvalidValue(name, row.shape, f"at most {MOST_VALUES} values per sample in total")
        for dim, size in zip(row.dims[1:], row.shape):
            if len(head.labels.get(dim, range(size))) != size:
                raise InvalidValue(name, size, f"as long as the labels of {dim}")
    if "time" not in head.rows or any(head.rows[clock].shape for clock in TIMES if clock in head.rows):
        raise InvalidValue("time", None, "a variable without dimensions besides time")
    for frame, name in head.frames.items():
        if not is_line(frame) or name not in head.rows or head.rows[name].shape not in ((3,), (7,)):
            raise InvalidValue("frames", {frame: name}, "positions or poses of the run")


def run_of(path: Path, head: Head, arrays: Mapping[str, Any]) -> Trajectory:
    """Return the run with this head and these values of all its variables."""
    values = {name: array.astype(head.rows[name].dtype, copy=False) for name, array in arrays.items()}
    variables = {
        name: Variable(row.dims, values[name], row.unit, row.meaning)
        for name, row in head.rows.items()
        if name not in TIMES
    }
    return Trajectory(values["time"], variables, head.labels, head.attributes, values.get("tick"))


def nanoseconds(name: str, times: Any) -> Any:
    """Return times [s] as whole nanoseconds; raise InvalidValue if stamps of ROS 2 cannot hold them."""
    if times.size and not (times[0] >= 0.0 and times[-1] < LAST_SECOND):
        raise InvalidValue(name, (float(times[0]), float(times[-1])), f"from 0 to {LAST_SECOND:g} s")
    found = np.round(np.asarray(times) * 1e9).astype(np.int64)
    if (np.diff(found) <= 0).any():
        raise InvalidValue(name, float(np.diff(times).min()), "at least 1 ns between two samples")
    return found
