"""Bounded reading of untrusted files: regular files only, never a pipe, a device or a folder."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

from serpenoid.errors import FileProblem, require

MOST_BYTES = 1 << 28  # limit of a text file: tables, models and meshes
MOST_JSON = 1 << 25  # limit of a JSON file, which needs many times its size in memory
MOST_DIMENSIONS = 32
MOST_LETTERS = 1000  # limit of a unit, a meaning or a name


def check_regular(path: Path, most: int = MOST_BYTES) -> None:
    """Raise FileProblem for a file that is not regular, which might block or never end, or exceeds `most` bytes."""
    try:
        found = path.stat()
    except FileNotFoundError:
        raise FileProblem(path, "no such file") from None
    except (OSError, ValueError) as error:  # circular links, names that are too long or contain a zero byte
        raise FileProblem(path, f"cannot be read ({getattr(error, 'strerror', None) or error})") from None
    if not stat.S_ISREG(found.st_mode):
        raise FileProblem(path, f"is a {kind_of(found.st_mode)}: must be a regular file")
    if found.st_size > most:
        raise FileProblem(path, f"has {found.st_size} bytes: must be at most {most}")


def kind_of(mode: int) -> str:
    """Return the word for a file that is not regular."""
    kinds = {stat.S_IFDIR: "folder", stat.S_IFIFO: "pipe", stat.S_IFSOCK: "socket"}
    return kinds.get(stat.S_IFMT(mode), "device")


def read_bytes(path: str | os.PathLike[str], most: int = MOST_BYTES) -> bytes:
    """Read a regular file."""
    source = Path(path)
    check_regular(source, most)
    try:
        return source.read_bytes()
    except OSError as error:
        raise FileProblem(source, f"cannot be read ({error.strerror or error})") from None


def read_text(path: str | os.PathLike[str], encoding: str = "utf-8", errors: str = "strict") -> str:
    """Read a regular file as text, with its line ends unchanged."""
    try:
        return read_bytes(path).decode(encoding, errors)
    except UnicodeDecodeError:
        raise FileProblem(path, "cannot be read (it is not UTF-8 text)") from None


def read_json(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a regular file that contains a JSON object."""
    try:
        found = json.loads(read_bytes(path, MOST_JSON))
    except (ValueError, RecursionError) as error:
        problem = (str(error).splitlines() or [type(error).__name__])[0]
        raise FileProblem(path, f"cannot be read as JSON ({problem})") from None
    if not isinstance(found, dict):
        raise FileProblem(path, "cannot be read as JSON (it does not contain an object)")
    return found


def decimal(text: str) -> float:
    """Convert a decimal number to a float; raise ValueError for 1_0 and for digits of other scripts, as float() does
    not."""
    if "_" in text or not text.isascii():
        raise ValueError(text)
    return float(text)


def is_line(found: Any) -> bool:
    """Return whether metadata are a one-line text: units, meanings and names."""
    return isinstance(found, str) and len(found) <= MOST_LETTERS and found.isprintable()


def are_sizes(found: Any, least: int) -> bool:
    """Return whether metadata are whole numbers, from `least`, one for each of a few dimensions."""
    return (
        isinstance(found, list)
        and len(found) <= MOST_DIMENSIONS
        and all(type(size) is int and size >= least for size in found)
    )


def checked_path(path: Any) -> Path:
    """Return a path; raise InvalidValue for other types."""
    require(isinstance(path, str | os.PathLike), "path", path, "a path, such as 'run.zarr'")
    return Path(path)
