"""Trajectories: named arrays with units, saved as Zarr with everything needed to repeat the run."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import FileProblem, UnknownName, require
from serpenoid.support.reading import checked_path, read_json
from serpenoid.support.recording_checks import array_names, check_arrays, check_attributes, check_times

if TYPE_CHECKING:
    import xarray

LARGEST_VALUE = 1e100  # limit of a variable: states of a run end at 1e6, and figures need squares and sums
SCHEMA_VERSION = 3
POSE = ("x", "y", "z", "qw", "qx", "qy", "qz")
TWIST = ("vx", "vy", "vz", "wx", "wy", "wz")
LABELS = {"axis": ("x", "y", "z"), "pose": POSE, "twist": TWIST}
TIMES = {"time": "time", "tick": "time at which the controller was called"}
PARTS = ("robot", "world", "controller")  # parts in the configuration of a run
CHUNK = 1 << 20  # values per chunk at most


class Trajectory:
    """A run over time: variables by name, each with dims, unit and meaning, and its configuration.

    Variables are tuples (dims, values, unit, meaning). Their first dimension is time (the robot's samples) or tick
    (the calls of a controller). Then follow joint, link, axis, pose, twist, or a law's own dimension.
    """

    def __init__(
        self,
        times: NDArray,
        variables: Mapping[str, tuple[tuple[str, ...], NDArray, str, str]],
        labels: Mapping[str, tuple[str, ...]],
        attributes: Mapping[str, Any],
        ticks: NDArray | None = None,
    ):
        self.times = np.asarray(times, dtype=float)
        self.ticks = np.zeros(0) if ticks is None else np.asarray(ticks, dtype=float)
        self.variables = dict(variables)
        self.labels = {**LABELS, **labels}
        self.attributes = {"schema_version": SCHEMA_VERSION, **attributes}
        self._dataset: xarray.Dataset | None = None

    def __getitem__(self, name: str) -> NDArray:
        """Return the values of a variable; `time` and `tick` are the times of the two first dimensions [s]."""
        require(isinstance(name, str), "variable", name, "a name, such as 'joint_position'")
        if name in ("time", "tick"):
            return self.times if name == "time" else self.ticks
        if name not in self.variables:
            raise UnknownName("variable", name, ["time", "tick", *self.variables])
        return self.variables[name][1]

    def __contains__(self, name: str) -> bool:
        return name in self.variables

    def __repr__(self) -> str:
        return f"<Trajectory: {self.times.size} samples, {self.duration:g} s, {', '.join(self.variables)}>"

    @property
    def duration(self) -> float:
        """Time from the first to the last sample [s]."""
        return float(self.times[-1] - self.times[0]) if self.times.size else 0.0

    @property
    def complete(self) -> bool:
        """True if the run reached its end."""
        return bool(self.attributes.get("complete", False))

    @property
    def configuration(self) -> dict[str, Any]:
        """Configuration of this run as plain data, without the parts that cannot be restored."""
        return json.loads(self.attributes.get("configuration", "{}"))

    def unit(self, name: str) -> str:
        """Return the unit of a variable."""
        self[name]
        return "s" if name in TIMES else self.variables[name][2]

    def meaning(self, name: str) -> str:
        """Return the meaning of a variable."""
        self[name]
        return TIMES[name] if name in TIMES else self.variables[name][3]

    @property
    def dataset(self) -> xarray.Dataset:
        """The run as an xarray.Dataset."""
        if self._dataset is None:
            import xarray

            arrays = {
                name: xarray.Variable(dims, values, {"units": unit, "long_name": meaning})
                for name, (dims, values, unit, meaning) in self.variables.items()
            }
            coordinates: dict[str, Any] = {
                name: (name, self[name], {"units": "s", "long_name": meaning}) for name, meaning in self.axes().items()
            }
            coordinates |= {dim: (dim, list(names)) for dim, names in self.used_labels().items()}
            self._dataset = xarray.Dataset(arrays, coordinates, dict(self.attributes))
        return self._dataset

    def used_labels(self) -> dict[str, tuple[str, ...]]:
        """Return the names along the dimensions of the variables."""
        used = {dim for dims, *_ in self.variables.values() for dim in dims}
        return {dim: tuple(names) for dim, names in self.labels.items() if dim in used}

    def axes(self) -> dict[str, str]:
        """Return the dimensions of time in the run, with their meanings."""
        return {name: meaning for name, meaning in TIMES.items() if name == "time" or self.ticks.size}

    def save(self, path: str | os.PathLike[str], replace: bool = False) -> Path:
        """Write to a Zarr folder; with `replace` an existing recording is removed once the new one is complete."""
        target = checked_path(path)
        there = os.path.exists(target)  # noqa: PTH110, also of names that the system refuses
        if there and not is_trajectory(target):
            raise FileProblem(target, "exists and is not a recording; choose another name")
        if there and not replace:
            raise FileProblem(target, "exists; choose another name, or save with replace=True")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            scratch = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
        except (OSError, ValueError) as error:  # ValueError: an invalid file name
            raise FileProblem(target, f"cannot be written ({getattr(error, 'strerror', error)})") from None
        try:
            self._write(scratch / "new")
            if target.exists():
                target.rename(scratch / "old")
            (scratch / "new").rename(target)
        except OSError as error:
            raise FileProblem(target, f"cannot be written ({error.strerror or error})") from None
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        return target

    def _write(self, folder: Path) -> None:
        import zarr
        import zarr.codecs

        group = zarr.create_group(folder)
        axes = {name: ((name,), self[name], "s", meaning) for name, meaning in self.axes().items()}
        entries = {**axes, **self.variables}
        for name, (dims, values, unit, meaning) in entries.items():
            array = zarr.create_array(
                group.store,
                name=name,
                shape=values.shape,
                dtype=values.dtype,
                chunks=chunks_of(values),
                compressors=[zarr.codecs.ZstdCodec(level=3), zarr.codecs.Crc32cCodec()],
                dimension_names=dims,
                attributes={"units": unit, "long_name": meaning},
                config={"write_empty_chunks": True},
            )
            array[...] = values
        labels = {dim: list(names) for dim, names in self.labels.items()}
        for dim, names in self.used_labels().items():  # coordinates of xarray; load() reads the attributes
            kwargs: Any = {"shape": (len(names),), "dtype": str, "dimension_names": (dim,), "compressors": None}
            zarr.create_array(group.store, name=dim, **kwargs)[...] = np.array(names, dtype=object)
        group.update_attributes({**self.attributes, "labels": labels})
        with warnings.catch_warnings():  # part of Zarr's next standard, which xarray reads first
            warnings.simplefilter("ignore")
            zarr.consolidate_metadata(group.store)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Trajectory:
        """Read a saved trajectory; raise FileProblem if it is damaged, truncated or of a newer version."""
        source = checked_path(path)
        if not os.path.exists(source):  # noqa: PTH110, also of names that the system refuses
            raise FileProblem(source, "no such file or folder")
        if is_locked(source):
            raise FileProblem(source, "cannot be read (permission denied)")
        if not is_trajectory(source):
            raise FileProblem(source, "must be a recording: a .zarr folder that a run has saved")
        try:
            return cls._read(source)
        except FileProblem:
            raise
        except Exception as error:
            problem = (str(error).splitlines() or [""])[0]
            raise FileProblem(source, f"is damaged ({type(error).__name__}: {problem})") from None

    @classmethod
    def _read(cls, source: Path) -> Trajectory:
        from serpenoid.support.zarr_store import METADATA, open_array, read_node

        attributes: dict[str, Any] = dict(read_node(source, METADATA)["attributes"])
        version = attributes.get("schema_version")
        if version != SCHEMA_VERSION:
            raise FileProblem(source, f"has schema version {version}; this release reads {SCHEMA_VERSION}")
        check_attributes(attributes)
        check_named(json.loads(attributes.get("configuration", "{}")))
        labels = {dim: tuple(names) for dim, names in attributes.pop("labels").items()}
        check_arrays(source, labels)
        variables: dict[str, Any] = {}
        for name in array_names(source, labels):
            array = open_array(source, name)
            if array.nchunks_initialized != array.nchunks:
                part = " in part" if array.nchunks_initialized else ""
                raise FileProblem(source, f"is damaged: {name} is missing{part}")
            dims = tuple(array.metadata.dimension_names)
            variables[name] = (dims, values_of(source, name, array), array.attrs["units"], array.attrs["long_name"])
        missing = set(attributes.get("variables", ())) - set(variables)
        if "time" not in variables or missing:
            names = sorted(missing | {"time"} - set(variables))
            raise FileProblem(source, f"is damaged: {', '.join(names)} {'are' if len(names) > 1 else 'is'} missing")
        times, ticks = variables.pop("time")[1], variables.pop("tick", (None, None))[1]
        check_times(source, times, ticks)
        return cls(times, variables, labels, attributes, ticks)


def values_of(source: Path, name: str, array: Any) -> NDArray:
    """Read an array of a recording; raise FileProblem with its name if its bytes are not those written."""
    try:
        found = array[...]
    except FileProblem:
        raise
    except Exception as error:
        raise FileProblem(source, f"is damaged: {name} ({str(error).partition('. ')[0]})") from None
    if (np.isfinite(found) & (np.abs(found) > LARGEST_VALUE)).any():
        raise FileProblem(source, f"is damaged: {name} has values beyond {LARGEST_VALUE:g}")
    return found


def check_named(plain: Any) -> None:
    """Raise FileProblem for a configuration whose parts do not name their classes."""
    named = [plain[name] for name in (*PARTS, "scenario") if name in plain]
    if not isinstance(plain, Mapping) or not all(
        isinstance(data, Mapping) and isinstance(data.get("type"), str) for data in named
    ):
        raise ValueError("its configuration names no classes")


def chunks_of(values: NDArray) -> tuple[int, ...]:
    """Return the chunk shape: whole rows along the first axis, as many as fit."""
    row = max(1, int(np.prod(values.shape[1:], dtype=int)))
    return (max(1, min(values.shape[0], CHUNK // row)), *(max(1, size) for size in values.shape[1:]))


def is_locked(path: Path) -> bool:
    """Return whether permissions prevent reading the metadata of a folder."""
    metadata = path / "zarr.json"
    try:
        return metadata.is_file() and not os.access(metadata, os.R_OK)
    except PermissionError:
        return True


def is_trajectory(path: Path) -> bool:
    """Return whether a folder looks like a saved trajectory (complete or not)."""
    try:
        attributes = read_json(path / "zarr.json").get("attributes")
    except FileProblem:
        return False
    return isinstance(attributes, dict) and "schema_version" in attributes and "labels" in attributes
