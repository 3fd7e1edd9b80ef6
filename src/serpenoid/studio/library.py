"""Saved trajectories and sweeps below one folder, by name; nothing outside it is accessible."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from serpenoid.errors import FileProblem, short
from serpenoid.support.output_paths import check_writable, free_name
from serpenoid.support.reading import check_regular
from serpenoid.sweeps import is_sweep
from serpenoid.sweeps.store_checks import attributes_of
from serpenoid.trajectory import Trajectory, is_trajectory

DEEPEST = 4  # folder levels that are searched
MOST = 500  # most listed entries
LONGEST = 200  # longest name [bytes]; temporary files have longer names
NAMING = ("configuration", "script")  # attributes of a recording that may name files
READ = {"file": "", "path": "text"}  # world fields that name a file; it is read unless the second field is set


class SavedEntry(NamedTuple):
    """Saved trajectory or sweep."""

    name: str  # path below the folder, with slashes
    kind: str  # trajectory or sweep


class Library:
    """One folder; names that lead out of it, by .. or by a link, are refused."""

    def __init__(self, folder: str | os.PathLike[str]):
        given = Path(folder)
        if not given.is_dir():
            raise FileProblem(given, "is a file; choose a folder" if given.exists() else "no such folder")
        if not os.access(given, os.R_OK | os.X_OK):
            raise FileProblem(given, "cannot be read (no permission)")
        if is_trajectory(given):
            raise FileProblem(given, "is a recording; choose its parent folder")
        self.folder = given.resolve()

    def entries(self) -> list[SavedEntry]:
        """Return all saved entries, by name."""
        found = []
        for path in self.walk(self.folder, DEEPEST):
            kind = "trajectory" if is_trajectory(path) else "sweep" if is_sweep(path) else ""
            if kind:
                found.append(SavedEntry(path.relative_to(self.folder).as_posix(), kind))
            if len(found) == MOST:
                break
        return sorted(found)

    def walk(self, folder: Path, depth: int) -> Iterator[Path]:
        """Yield folders that contain a Zarr group; do not search inside them, and skip links that lead outside."""
        try:
            inside = sorted(entry for entry in folder.iterdir() if entry.is_dir() and not entry.name.startswith("."))
        except OSError:  # no permission, or deleted meanwhile
            return
        for entry in inside:
            if not entry.resolve().is_relative_to(self.folder):
                continue
            if (entry / "zarr.json").is_file():
                yield entry
            elif depth > 0 and not entry.is_symlink():
                yield from self.walk(entry, depth - 1)

    def path(self, name: str) -> Path:
        """Return the path of a name; raise if it lies outside the folder."""
        if not name or "\0" in name or name != name.strip():
            raise FileProblem(repr(name), "is not a file name")
        try:
            place = (self.folder / name).resolve()
        except (OSError, RuntimeError):  # circular links
            raise FileProblem(name, "cannot be followed") from None
        if not place.is_relative_to(self.folder) or place == self.folder:
            raise FileProblem(name, "lies outside the studio's folder")
        return place

    def existing(self, name: str) -> Path:
        """Return the path of a saved entry; raise if a link inside it leads outside."""
        place = self.path(name)
        if not place.exists():
            raise FileProblem(name, "no such file or folder")
        for folder, folders, files in os.walk(place):
            for entry in (Path(folder) / part for part in (*folders, *files)):
                if entry.is_symlink() and not entry.resolve().is_relative_to(self.folder):
                    raise FileProblem(name, f"contains a link out of the studio's folder: {entry.name}")
                if not (entry.is_dir() or entry.is_file()):
                    raise FileProblem(name, f"contains an entry that is not a regular file: {entry.name}")
        return place

    def file(self, name: str) -> Path:
        """Return the path of a regular file named by a page."""
        place = self.path(name)
        check_regular(place)
        return place

    def own_files(self, plain: Any) -> None:
        """Refuse plain data of a run that would read a file outside the folder."""
        if isinstance(plain, dict):
            for field, unless in READ.items():
                if isinstance(plain.get(field), str) and plain[field] and not plain.get(unless):
                    place = self.path(str(Path(plain[field]).absolute()))
                    if place.exists():
                        check_regular(place)
        for part in plain.values() if isinstance(plain, dict) else plain if isinstance(plain, list) else ():
            self.own_files(part)

    def trajectory(self, name: str) -> Trajectory:
        """Load a saved trajectory."""
        found = Trajectory.load(self.existing(name))
        configured, rows = (json.loads(found.attributes.get(part, "[]")) for part in NAMING)
        changes = [{row["what"].rpartition(".")[2]: row["value"]} for row in rows]
        self.own_files([configured, changes])
        return found

    def sweep(self, name: str) -> Path:
        """Return the folder of a saved sweep."""
        place = self.existing(name)
        if not is_sweep(place):
            raise FileProblem(name, "is not a sweep")
        self.own_files(attributes_of(place).get("configuration"))
        return place

    def new(self, name: str, suffix: str) -> Path:
        """Return a path to write to, with this suffix; raise if it lies outside or contains something else.

        A recording is never replaced: the next free name is used.
        """
        if len(name.encode(errors="replace")) > LONGEST:
            raise FileProblem(short(name), f"is too long: must be at most {LONGEST} bytes")
        self.path(name)  # a name that is only the suffix would pass below
        if any(not part or part.startswith(".") for part in name.split("/")):
            raise FileProblem(name, "must not contain a name that is empty or begins with a dot")
        place = self.path(name if name.endswith(suffix) else name + suffix)
        check_writable(place)
        replaceable = is_trajectory(place) if suffix == ".zarr" else place.is_file()
        if place.exists() and not replaceable:
            raise FileProblem(name, "exists and is of another type; choose another name")
        return free_name(place) if suffix == ".zarr" else place
