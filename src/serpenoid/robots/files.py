"""Robots from files: TOML with the fields of the dataclass, MJCF or URDF."""

from __future__ import annotations

import os
from pathlib import Path

from serpenoid.configuration import from_plain, read_toml
from serpenoid.errors import FileProblem, SerpenoidError
from serpenoid.robots.base import Robot
from serpenoid.support.reading import checked_path


def load(path: str | os.PathLike[str]) -> Robot:
    """Read a robot; the file extension selects the format."""
    source = checked_path(path)
    ending = source.suffix.lower()
    if os.path.isdir(source):  # noqa: PTH112, also of names that the system refuses
        raise FileProblem(source, "is a folder: must be a file, .toml, .xml, .mjcf or .urdf")
    if ending == ".toml":
        return from_toml(source)
    if ending in (".xml", ".mjcf", ".urdf"):
        from serpenoid.robots.formats import read_model

        return read_model(source)
    raise FileProblem(source, "is not a robot file: .toml, .xml, .mjcf or .urdf")


def from_toml(path: Path) -> Robot:
    """Read `schema = 1`, `type` (natrix, planar_snake, ... or your own module:Class) and the fields of that robot."""
    from serpenoid.robots import ROBOTS

    data = read_toml(path)
    if "type" not in data:
        raise FileProblem(path, f"must name its type: {', '.join(ROBOTS)} or module:Class")
    try:
        return from_plain(data, Robot, known=ROBOTS)
    except SerpenoidError as error:
        raise FileProblem(path, str(error)) from None
