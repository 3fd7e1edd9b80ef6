"""Validation of untrusted recordings: sizes before allocation, dimensions, times, attributes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import FileProblem, InvalidValue, short
from serpenoid.support.reading import is_line
from serpenoid.variables import SENSED, VARIABLES, describe

LARGEST = 1 << 33  # bytes of a recording in memory
SMALL, DENSEST = 1 << 26, 1000  # bytes below which any ratio of memory to disk size is accepted; largest ratio above
ACCOUNTS = ("energy_", "power_", "work_")  # prefixes of the sums over the robot, found by analyses
SIZES = {"pose": 7, "twist": 6, "axis": 3}
KINDS = {
    "configuration": str, "script": str, "labels": dict, "versions": dict, "variables": list,
    "unrepeatable": list, "complete": bool, "seed": int,
}  # fmt: skip


def check_attributes(attributes: Mapping[str, Any]) -> None:
    """Raise InvalidValue for attributes of an unexpected type."""
    for name, kind in KINDS.items():
        if not isinstance(attributes.get(name, kind()), kind):
            raise InvalidValue(name, attributes[name], f"of type {kind.__name__}")
    for name in ("variables", "unrepeatable"):
        if not all(isinstance(each, str) for each in attributes.get(name, [])):
            raise InvalidValue(name, attributes[name], "a list of names")
    for dim, names in attributes.get("labels", {}).items():
        if not (isinstance(names, list) and all(map(is_line, names))):
            raise InvalidValue(f"labels.{dim}", names, "a list of names")
    rows = json.loads(attributes.get("script", "[]"))
    if not (isinstance(rows, list) and all(is_row(row) for row in rows)):
        raise InvalidValue("script", rows, "rows of tick, what and value")


def is_row(row: Any) -> bool:
    """Return whether plain data are a row of a script."""
    named = isinstance(row, dict) and set(row) == {"tick", "what", "value"}
    return named and type(row["tick"]) is int and row["tick"] >= 0 and isinstance(row["what"], str)


def array_names(source: Path, labels: Mapping[str, Any]) -> list[str]:
    """Return the names of the arrays of a recording, without labels, which are in its attributes."""
    found = (entry.name for entry in source.iterdir() if (entry / "zarr.json").is_file())
    return sorted(name for name in found if name not in labels)


def check_arrays(source: Path, labels: Mapping[str, tuple[str, ...]]) -> None:
    """Check arrays by their metadata: total size, dimensions, unit and meaning."""
    from serpenoid.support.zarr_store import METADATA, head_of, read_node

    names = array_names(source, labels)
    heads = {name: head_of(source, name) for name in names}
    check_sizes(source, sum(head.nbytes for head in heads.values()))
    sizes: dict[str, int] = {dim: len(each) for dim, each in labels.items()}
    for name, head in heads.items():
        node = read_node(source, f"{name}/{METADATA}")
        dims, words = node.get("dimension_names"), node.get("attributes", {})
        if not (isinstance(dims, list) and len(dims) == len(head.shape) and all(isinstance(dim, str) for dim in dims)):
            raise FileProblem(source, f"is damaged: {name} has dimensions {short(dims)}, its shape is {head.shape}")
        known = known_dimensions(name)
        if known and (tuple(dims) not in known or head.dtype != "float64"):
            raise FileProblem(
                source, f"is damaged: {name} is {head.dtype} over {short(dims)}, must be float64 over {known[0]}"
            )
        if not all(map(is_line, (name, words.get("units"), words.get("long_name")))):
            raise FileProblem(source, f"is damaged: {short(name)} has no unit or no meaning on one line")
        for dim, size in zip(dims, head.shape):
            if size != sizes.setdefault(dim, SIZES.get(dim, size) if known else size):
                raise FileProblem(source, f"is damaged: {name} has {size} along {dim}, others {sizes[dim]}")


def known_dimensions(name: str) -> list[tuple[str, ...]]:
    """Return the dimensions that a variable of the catalogue or an account may have; none for other names."""
    if name in ("time", "tick"):
        return [(name,)]
    row = VARIABLES.get(name) or (describe(name) if name.removeprefix(SENSED) in VARIABLES else None)
    if row is None:
        return [("time",)] if name.startswith(ACCOUNTS) else []
    return [row.dims, row.dims[:-1]] if row.flat else [row.dims]


def check_sizes(source: Path, needed: int) -> None:
    """Raise FileProblem for a recording that needs more memory than its size on disk can plausibly contain."""
    stored = sum(file.stat().st_size for file in source.rglob("*") if file.is_file())
    most = min(LARGEST, SMALL + DENSEST * stored)
    if needed > most:
        raise FileProblem(source, f"takes {needed} bytes in memory: must be at most {most}, it has {stored} on disk")


def check_times(source: Path, times: NDArray, ticks: NDArray | None) -> None:
    """Raise FileProblem for times that are not finite or do not increase."""
    for name, each in (("time", times), ("tick", np.zeros(0) if ticks is None else ticks)):
        if not (np.isfinite(each).all() and (np.diff(each) > 0.0).all()):
            raise FileProblem(source, f"is damaged: {name} does not increase")
