"""Store of a training: one row per generation in Zarr arrays, with checksums, and a marker per generation last.

A killed training repeats the same draws, reads the finished generations and resumes to the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import FileProblem
from serpenoid.support.output_paths import lock_path
from serpenoid.support.versions import versions
from serpenoid.support.zarr_store import open_array
from serpenoid.sweeps.access import compare_plain, remove_partial_files
from serpenoid.sweeps.chunk_grid import ChunkGrid
from serpenoid.sweeps.plan import digest
from serpenoid.sweeps.store import DAMAGES, attributes_of, create, one_line, writing
from serpenoid.training.task import Task

KIND, SCHEMA_VERSION = "training", 1
MARKER = "finished"
MOST_NUMBERS = 1 << 30  # limit of a stored array


class Row(NamedTuple):
    """Results of one generation."""

    returns: NDArray  # (candidates,) mean over the runs
    moments: NDArray  # (1 + 2 inputs,) count, sums and squares of the inputs of all generations so far
    center: NDArray  # (genes,) mean policy after the generation
    check: NDArray  # (1,) its return in the check, NaN without one


class Layout(NamedTuple):
    """Store of a training, open for reading."""

    path: Path
    attributes: dict[str, Any]

    @classmethod
    def read(cls, path: Path) -> Layout:
        """Open a store; raise FileProblem if it is not one, is newer or is damaged."""
        attributes = attributes_of(path)
        if attributes.get("kind") != KIND:
            raise FileProblem(path, "is not a training (a Zarr folder written by `serpenoid learn`)")
        if attributes.get("schema_version") != SCHEMA_VERSION:
            version = attributes.get("schema_version")
            raise FileProblem(path, f"has schema version {version}; this release reads {SCHEMA_VERSION}")
        if digest(attributes.get("configuration")) != attributes.get("configuration_hash"):
            raise FileProblem(path, "is damaged: the configuration in zarr.json does not match its hash")
        return cls(path, attributes)

    @property
    def finished(self) -> int:
        """Number of finished generations."""
        number = 0
        while (self.path / MARKER / f"c.{number}").exists():
            number += 1
        return number

    def array(self, name: str) -> Any:
        """Open an array."""
        try:
            found = open_array(self.path, name)
        except (ValueError, KeyError, TypeError, OSError) as error:
            raise FileProblem(self.path, f"is damaged: {name}/zarr.json ({one_line(error)})") from None
        if found.size > MOST_NUMBERS or found.ndim not in (1, 2) or found.dtype != "float64":
            raise FileProblem(self.path, f"is damaged: {name} is not an array of a training")
        return found

    def rows(self, name: str, count: int) -> NDArray:
        """Return an array's rows of the first generations, with verified checksums."""
        try:
            return np.asarray(self.array(name)[:count])
        except (*DAMAGES, OSError) as error:
            raise FileProblem(self.path, f"is damaged: {name} ({one_line(error)}); start a new training") from None


class Writer:
    """Write access by one process: the arrays of a generation first, its marker last."""

    def __init__(self, layout: Layout):
        self.layout = layout
        self.arrays = {name: open_array(layout.path, name, True) for name in (*Row._fields, MARKER)}

    def write(self, generation: int, row: Row) -> None:
        """Write a generation."""
        with writing(self.layout.path):
            for name, values in row._asdict().items():
                self.arrays[name][generation] = values
            self.arrays[MARKER][generation] = 1.0


@contextmanager
def open_for_writing(path: Path, task: Task, sizes: dict[str, int]) -> Iterator[Writer]:
    """Open the store of a task, new or existing; raise if another process writes it or its task differs.

    sizes: numbers of a row of each array.
    """
    if path.is_dir() and not (path / "zarr.json").exists() and not (path / MARKER).exists() and any(path.iterdir()):
        raise FileProblem(path, "exists and is not a training; choose another name")
    if path.exists() and not path.is_dir():
        raise FileProblem(path, "exists and is a file; a training is a folder")
    with writing(path):
        path.mkdir(parents=True, exist_ok=True)
    with lock_path(path, "another training is writing to it; wait until it ends, or stop it"):
        remove_partial_files(path)
        if not (path / "zarr.json").exists():
            create_store(path, task, sizes)
        layout = Layout.read(path)
        check_same(layout, task)
        yield Writer(layout)


def create_store(path: Path, task: Task, sizes: dict[str, int]) -> None:
    """Create the arrays; the group's zarr.json is written last, so that an interrupted creation starts again."""
    import zarr

    count, plain = task.search.generations, task.plain()
    with writing(path):
        create(path, MARKER, ChunkGrid((count,), (1,)), ("generation",), {}, fill=0.0)
        for name, size in sizes.items():
            create(path, name, ChunkGrid((count, size), (1, size)), ("generation", "number"), {})
        own = {"kind": KIND, "schema_version": SCHEMA_VERSION, "versions": versions()}
        zarr.create_group(path, attributes={**own, "configuration": plain, "configuration_hash": digest(plain)})


def check_same(layout: Layout, task: Task) -> None:
    """Refuse the store of another training and list the differences."""
    theirs, ours = layout.attributes["configuration"], json.loads(json.dumps(task.plain()))
    if found := compare_plain(theirs, ours):
        raise FileProblem(layout.path, f"contains another training: {found}. Choose another name or the same values")
