"""Attributes of a sweep, read from a store that may be untrusted, and their validation."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from serpenoid.errors import FileProblem, require
from serpenoid.support.reading import are_sizes, is_line, read_json
from serpenoid.sweeps.chunk_grid import ChunkGrid
from serpenoid.sweeps.plan import MOST_CELLS, MOST_CHUNKS

NAME = r"\w[\w.\[\]-]*"  # of a field or a quantity; also a folder name

FOLDERS = ("chunks", "sessions")  # present in every store


def attributes_of(path: Path) -> dict[str, Any]:
    """Read the attributes of a Zarr folder."""
    if not (path / "zarr.json").exists():
        problem = (
            "is not a sweep (a Zarr folder written by `serpenoid sweep`)" if path.exists() else "no such file or folder"
        )
        raise FileProblem(path, problem)
    try:
        attributes = read_json(path / "zarr.json").get("attributes")
    except FileProblem as error:
        raise FileProblem(path, f"is damaged: zarr.json {error.problem}") from None
    if not isinstance(attributes, dict):
        raise FileProblem(path, "is damaged: zarr.json has no attributes")
    return attributes


def check_attributes(path: Path, attributes: Mapping[str, Any]) -> None:
    """Refuse inconsistent attributes."""
    configured: Any = attributes.get("configuration")
    parts: Any = configured if isinstance(configured, dict) else {}
    over, scenario, sampled = parts.get("over"), parts.get("scenario"), attributes.get("sampled") is True
    good = isinstance(over, dict) and isinstance(scenario, dict) and isinstance(scenario.get("type"), str)
    good = good and all(re.fullmatch(NAME, name) for name in over) and isinstance(attributes.get("sampled"), bool)
    good = good and attributes.get("dims") == (["cell"] if sampled else list(over)) and is_grid(attributes)
    good = good and ("search" not in attributes or (sampled and is_search_of(attributes["search"], over)))
    if not good:
        raise FileProblem(path, "is damaged: zarr.json does not describe a sweep")


def is_grid(attributes: Mapping[str, Any]) -> bool:
    """Return whether attributes define a bounded number of cells and chunks."""
    dims: Any = attributes.get("dims")
    sizes: Any = [attributes.get(name) for name in ("shape", "block")]
    if not all(are_sizes(each, 1) and len(each) == len(dims) for each in sizes):
        return False
    grid = ChunkGrid(*map(tuple, sizes))
    return math.prod(grid.shape) <= MOST_CELLS and grid.chunks <= MOST_CHUNKS


def is_search_of(search: Any, over: Mapping[str, Any]) -> bool:
    """Return whether an attribute describes a search of these fields."""
    if not isinstance(search, dict) or not are_sizes([search.get("trials"), search.get("runs")], 1):
        return False
    searched, best = search.get("searched"), search.get("best")
    known = isinstance(searched, list) and all(name in list(over) for name in searched) and bool(searched)
    return known and isinstance(best, str) and bool(re.fullmatch(f"{NAME}(/{NAME})*(:min|:max)?", best))


def are_labels(found: Any) -> bool:
    """Return whether an attribute is missing or is a list of labels."""
    return found is None or (isinstance(found, list) and all(map(is_line, found)))


def check_quantity(name: Any, swept: Sequence[str]) -> None:
    """Refuse a quantity whose name cannot be a folder name in the store."""
    good = isinstance(name, str) and re.fullmatch(NAME, name) and name not in (*FOLDERS, *swept)
    require(bool(good), "quantity", name, f"a name other than {', '.join((*FOLDERS, *swept))}")
