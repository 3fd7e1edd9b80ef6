"""Zarr store of a sweep: arrays over its cells, written chunk by chunk by one process, a marker per chunk last.

Files:

    map.zarr/
      zarr.json             attributes: configuration, its hash, versions, seed, chunk grid
      gait.frequency/ ...   swept values: one array per axis of a grid, one value per cell of a sample
      speed/ power/ ...     a quantity of the summary for each cell, NaN if a cell is open or failed
      chunks/marker         per chunk its state (0 open, 1 done, 2 done with failed cells) and number of quantities
      chunks/reason         reason why a cell failed, as the bytes of a line
      sessions/zarr.json    attributes: host, executor and wall time of each session
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from serpenoid import configuration
from serpenoid.errors import FileProblem
from serpenoid.support.reading import is_line, read_json
from serpenoid.sweeps.chunk_grid import ChunkGrid
from serpenoid.sweeps.chunks import LONGEST_REASON, ChunkOutcome
from serpenoid.sweeps.plan import Plan, digest
from serpenoid.sweeps.store_checks import are_labels, attributes_of, check_attributes, check_quantity

if TYPE_CHECKING:
    from serpenoid.scenarios.base import Scenario

SCHEMA_VERSION = 1
OPEN, DONE, FAILED = 0, 1, 2
STATES = ("open", "done", "failed")
MARKER, REASON, SESSIONS = "chunks/marker", "chunks/reason", "sessions"
WHOLE: Any = {"write_empty_chunks": True}  # also write chunks that are all NaN, so that none is missing
DAMAGES = (ValueError, RuntimeError, FileProblem)  # raised for unreadable chunks
MARKED = re.compile(r"c\.([0-9]{1,18})\.0")  # file name of a chunk's marker
ROW = 1 << 20  # values of a coordinate written at once


class SweepLayout:
    """Layout of a store, from its attributes, with read access."""

    writable = False

    def __init__(self, path: Path, attributes: dict[str, Any]):
        self.path = path
        self.attributes = attributes
        self.dims = tuple(attributes["dims"])
        self.grid = ChunkGrid(tuple(attributes["shape"]), tuple(attributes["block"]))
        self._arrays: dict[str, Any] = {}

    @classmethod
    def read(cls, path: Path) -> SweepLayout:
        """Read the layout of an existing store; refuse one that is not a sweep, is newer or is damaged."""
        attributes = attributes_of(path)
        if attributes.get("kind") != "sweep":
            raise FileProblem(path, "is not a sweep (a Zarr folder written by `serpenoid sweep`)")
        version = attributes.get("schema_version")
        if version != SCHEMA_VERSION:
            raise FileProblem(path, f"has schema version {version}; this release reads {SCHEMA_VERSION}")
        if digest(attributes.get("configuration")) != attributes.get("configuration_hash"):
            raise FileProblem(path, "is damaged: the configuration in zarr.json does not match its hash")
        check_attributes(path, attributes)
        return cls(path, attributes)

    def array(self, name: str) -> Any:
        """Return an array of the store; open it once."""
        if name not in self._arrays:
            import zarr

            from serpenoid.support.zarr_store import open_array

            try:
                with zarr.config.set({f"array.{key}": value for key, value in WHOLE.items()}):  # open ignores `config`
                    found = open_array(self.path, name, self.writable)
            except (ValueError, KeyError, TypeError, OSError) as error:
                raise FileProblem(self.path, f"is damaged: {name}/zarr.json ({one_line(error)})") from None
            self.check(name, found)
            self._arrays[name] = found
        return self._arrays[name]

    def check(self, name: str, array: Any) -> None:
        """Refuse an array whose size, type or attributes do not match the sweep."""
        dtype, attrs = {MARKER: "int16", REASON: "uint8"}.get(name, "float64"), array.attrs
        good = array.shape == self.shape(name) and array.dtype == dtype
        good &= array.chunks == self.grid.block or name in (MARKER, REASON) or name in self.axes
        if name not in (MARKER, REASON):
            good &= is_line(attrs.get("units")) and isinstance(attrs.get("rank", 0), int)
            good &= are_labels(attrs.get("labels")) and (name in self.swept or "rank" in attrs)
        if not good:
            raise FileProblem(self.path, f"is damaged: {name} is not an array of this sweep")

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape that an array must have."""
        if name == MARKER:
            return self.grid.chunks, 2
        if name == REASON:
            return (*self.grid.shape, LONGEST_REASON)
        return (self.grid.shape[self.axes.index(name)],) if name in self.axes else self.grid.shape

    @property
    def axes(self) -> list[str]:
        """Names of the swept fields that are axes of a grid."""
        return [] if self.attributes["sampled"] else self.swept

    @property
    def swept(self) -> list[str]:
        """Names of the swept fields."""
        return list(self.attributes["configuration"]["over"])

    @property
    def quantities(self) -> list[str]:
        """Names of the quantities found so far, in the order of the summary."""
        others = {"chunks", SESSIONS, *self.swept}
        names = [entry.parent.name for entry in self.path.glob("*/zarr.json") if entry.parent.name not in others]
        return sorted(names, key=lambda name: (self.array(name).attrs["rank"], name))

    @property
    def coordinates(self) -> list[str]:
        """Names of the swept fields that are stored cell by cell, for a sample."""
        return self.swept if self.attributes["sampled"] else []

    def states(self) -> NDArray:
        """Return the state of every chunk; a chunk with an unreadable marker counts as open."""
        states = np.full(self.grid.chunks, OPEN, dtype=np.int16)
        marked = np.array(self.marked(), dtype=np.int64)
        try:
            states[marked] = self.array(MARKER).get_orthogonal_selection((marked, 0)) if marked.size else OPEN
        except DAMAGES:
            states[marked] = [self.marker(chunk)[0] for chunk in marked.tolist()]
        return states

    def marked(self) -> list[int]:
        """Return the chunks that have a marker."""
        try:
            names = [entry.name for entry in (self.path / MARKER).iterdir()]
        except OSError as error:
            raise FileProblem(self.path, f"is damaged: {MARKER} ({error.strerror})") from None
        found = (int(match[1]) for match in map(MARKED.fullmatch, names) if match)
        return sorted(chunk for chunk in found if chunk < self.grid.chunks)

    def marker(self, chunk: int) -> tuple[int, int]:
        """Return the state and number of quantities of a chunk; open if unreadable."""
        try:
            state, quantities = self.array(MARKER)[chunk]
        except DAMAGES:
            return OPEN, 0
        return int(state), int(quantities)

    def read_chunk(self, name: str, chunk: int) -> NDArray:
        """Read the values of a chunk and verify the checksum; the error names a damaged chunk."""
        try:
            return self.array(name).get_block_selection(self.grid.position(chunk))
        except (*DAMAGES, OSError) as error:
            raise FileProblem(self.path, f"is damaged: chunk {chunk} of {name} ({one_line(error)})") from None

    def reasons(self, chunk: int) -> dict[int, str]:
        """Return the reasons for failed cells of a chunk, by their number within it."""
        if not self.file(REASON, chunk).exists():
            return {}
        try:
            rows = self.array(REASON).get_block_selection((*self.grid.position(chunk), 0)).reshape(-1, LONGEST_REASON)
        except DAMAGES as error:
            raise FileProblem(self.path, f"is damaged: chunk {chunk} of {REASON} ({one_line(error)})") from None
        return {int(i): rows[i].tobytes().rstrip(b"\0").decode() for i in np.flatnonzero(rows[:, 0])}

    def file(self, name: str, chunk: int) -> Path:
        """Return the file of a chunk of an array."""
        if name == MARKER:
            return self.path / name / f"c.{chunk}.0"
        position = (*self.grid.position(chunk), 0) if name == REASON else self.grid.position(chunk)
        return self.path / name / ".".join(["c", *map(str, position)])

    def damage(self) -> Iterator[tuple[int, str]]:
        """Yield chunks that are marked as computed but unreadable, each with the problem."""
        quantities = self.quantities
        for chunk in self.marked():
            problem = self.problem(chunk, quantities)
            if problem:
                yield chunk, problem

    def damaged_axes(self) -> list[str]:
        """Return the axes of a grid whose values are unreadable."""
        damaged = []
        for name in self.axes:
            try:
                array = self.array(name)
                whole = array.nchunks_initialized == array.nchunks and array[...] is not None
            except DAMAGES:
                whole = False
            damaged += [] if whole else [name]
        return damaged

    def problem(self, chunk: int, quantities: Sequence[str]) -> str:
        """Return the problem of a marked chunk; empty if there is none."""
        state, count = self.marker(chunk)
        if state == OPEN:
            return "its marker is damaged"
        present = [name for name in quantities if self.file(name, chunk).exists()]
        needed = [*present, *self.coordinates, *([REASON] if state == FAILED else [])]
        missing = [name for name in needed if not self.file(name, chunk).exists()]
        if missing or len(present) != count:
            return f"{', '.join(missing) or f'{count - len(present)} of {count} quantities'} missing"
        try:
            for name in needed:
                self.reasons(chunk) if name == REASON else self.read_chunk(name, chunk)
        except FileProblem as error:
            return error.problem.removeprefix("is damaged: ")
        return ""

    @property
    def sessions(self) -> list[dict[str, Any]]:
        """Host, executor and wall time of each session."""
        try:
            found = read_json(self.path / SESSIONS / "zarr.json")["attributes"]["sessions"]
        except (FileProblem, KeyError, TypeError):
            return []
        good = isinstance(found, list) and all(isinstance(entry, dict) for entry in found)
        return found if good and all(isinstance(entry.get("seconds"), int | float) for entry in found) else []


class Writer(SweepLayout):
    """Write access to a store by one process: chunk-aligned, arrays first, the marker last."""

    writable = True

    def write(self, chunk: int, outcome: ChunkOutcome, coordinates: Mapping[str, NDArray]) -> None:
        """Write the values and reasons of a chunk, then its marker."""
        with writing(self.path):
            self.write_arrays(chunk, outcome, coordinates)
            self.mark(chunk, FAILED if outcome.reasons else DONE, len(outcome.values))

    def write_arrays(self, chunk: int, outcome: ChunkOutcome, coordinates: Mapping[str, NDArray]) -> None:
        """Write quantities, swept values of a sample, and reasons."""
        position, extent = self.grid.position(chunk), self.grid.extent(chunk)
        for rank, (name, values) in enumerate(outcome.values.items()):
            self.ensure(name, {"units": outcome.units[name], "rank": rank})
            self.array(name).set_block_selection(position, values.reshape(extent))
        for name, values in coordinates.items():
            self.array(name).set_block_selection(position, values)
        if outcome.reasons:
            rows = reason_rows(outcome.reasons, math.prod(extent)).reshape(*extent, LONGEST_REASON)
            self.array(REASON).set_block_selection((*position, 0), rows)

    def mark(self, chunk: int, state: int, quantities: int) -> None:
        """Set the marker of a chunk."""
        self.array(MARKER)[chunk] = (state, quantities)

    def reopen(self, chunk: int) -> None:
        """Delete a chunk: its marker first, then its values."""
        with writing(self.path):
            for name in [MARKER, REASON, *self.quantities, *self.coordinates]:
                self.file(name, chunk).unlink(missing_ok=True)

    def ensure(self, name: str, attributes: dict[str, Any]) -> None:
        """Create the array of a quantity when it first appears."""
        check_quantity(name, self.swept)
        if name not in self._arrays and not (self.path / name / "zarr.json").exists():
            create(self.path, name, self.grid, self.dims, attributes)

    def consolidate(self) -> None:
        """Copy the metadata of all arrays into zarr.json, where xarray looks first.

        Sessions are excluded: they contain times, and equal sweeps must have equal bytes.
        """
        place, names = self.path / "zarr.json", sorted([*self.swept, *self.quantities, "chunks", MARKER, REASON])
        found = {name: json.loads((self.path / name / "zarr.json").read_text()) for name in names}
        whole = {"kind": "inline", "must_understand": False, "metadata": found}
        group = json.loads(place.read_text())
        if group.get("consolidated_metadata") == whole:
            return
        with writing(self.path):
            scratch = place.with_suffix(".json.partial")
            scratch.write_text(json.dumps({**group, "consolidated_metadata": whole}, indent=2))
            scratch.replace(place)

    def log(self, session: dict[str, Any]) -> None:
        """Write the record of a session, replacing its older version."""
        import zarr

        others = [entry for entry in self.sessions if entry.get("started") != session["started"]]
        with writing(self.path):
            zarr.open_group(self.path / SESSIONS, mode="a", zarr_format=3).update_attributes(
                {"sessions": [*others, session]}
            )


def create_store(path: Path, plan: Plan, attributes: dict[str, Any]) -> Writer:
    """Create a store; its own zarr.json is written last, so that an interrupted creation starts again."""
    import zarr

    plain = plan.plain()
    own = {
        "kind": "sweep", "schema_version": SCHEMA_VERSION, "configuration": plain, "configuration_hash": digest(plain),
        "dims": plan.dims, "shape": plan.grid.shape, "block": plan.grid.block, "sampled": plan.sample is not None,
        **attributes,
    }  # fmt: skip
    with writing(path):
        zarr.create_group(path / "chunks", overwrite=True)
        markers, reasons = ChunkGrid((plan.grid.chunks, 2), (1, 2)), plan.grid.with_dimension(LONGEST_REASON)
        create(path, MARKER, markers, ("chunk", "entry"), {"states": STATES}, dtype="int16", fill=OPEN)
        create(path, REASON, reasons, (*plan.dims, "byte"), {}, dtype="uint8", fill=0)
        write_axes(path, plan)
        zarr.create_group(path / SESSIONS, attributes={"sessions": []}, overwrite=True)
        zarr.create_group(path, attributes=own)
    return Writer(path, json.loads(json.dumps(own)))


def write_axes(path: Path, plan: Plan) -> None:
    """Write the swept values of a grid; those of a sample are written with each chunk."""
    for axis in plan.axes:
        attributes = {**meaning(plan.scenario, axis.field), **({"labels": axis.labels} if axis.labels else {})}
        if plan.sample:
            create(path, axis.field, plan.grid, plan.dims, attributes)
            continue
        array = create(path, axis.field, ChunkGrid((axis.size,), (min(axis.size, ROW),)), (axis.field,), attributes)
        for first in range(0, axis.size, ROW):
            indices = np.arange(first, min(first + ROW, axis.size))
            array[indices[0] : indices[-1] + 1] = axis.stored(axis.at(indices))


def meaning(scenario: Scenario, field: str) -> dict[str, str]:
    """Return the description of a field, and its unit if the description contains one in brackets."""
    words = next((entry.doc for entry in configuration.walk(scenario) if entry.name == field), "")
    unit = re.search(r"\[([^\]]+)\]", words)
    rest = re.sub(r"\s*\[[^\]]+\]", "", words, count=1).strip()
    return {"long_name": f"{field}: {rest}" if rest else field, "units": unit.group(1) if unit else ""}


def create(
    path: Path, name: str, grid: ChunkGrid, dims: tuple[str, ...], attributes: dict[str, Any],
    dtype: str = "float64", fill: float = math.nan,
) -> Any:  # fmt: skip
    """Create an array with checksums, one file per chunk in one folder; all-NaN chunks are written too."""
    import zarr

    return zarr.create_array(
        path / name,
        shape=grid.shape,
        chunks=grid.block,
        dtype=dtype,
        fill_value=fill,
        compressors=[zarr.codecs.ZstdCodec(level=3), zarr.codecs.Crc32cCodec()],
        chunk_key_encoding={"name": "default", "separator": "."},
        dimension_names=dims,
        attributes=attributes,
        config=WHOLE,
        overwrite=True,
    )


def reason_rows(reasons: dict[int, str], cells: int) -> NDArray:
    """Encode reasons as bytes, one row per cell."""
    rows = np.zeros((cells, LONGEST_REASON), dtype=np.uint8)
    for cell, reason in reasons.items():
        text = np.frombuffer(reason.encode(), dtype=np.uint8)
        rows[cell, : text.size] = text
    return rows


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Convert a failed write (e.g. a full disk) to one line; earlier chunks stay readable."""
    try:
        yield
    except OSError as error:
        what = error.strerror or one_line(error)
        raise FileProblem(
            path, f"cannot be written ({what}); finished chunks are saved, and the same command resumes"
        ) from None


def one_line(error: BaseException) -> str:
    """Return the first line of an error; without the path for a FileProblem, which the caller names."""
    if isinstance(error, FileProblem):
        return error.problem.removeprefix("is damaged: ")
    return (str(error).splitlines() or [type(error).__name__])[0]
