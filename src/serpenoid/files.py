"""Places to write to, refused before anything is computed."""

from __future__ import annotations

import os
from pathlib import Path

from serpenoid.errors import FileProblem


def check_writable(path: Path) -> None:
    """Refuse a place that cannot be written; folders on the way to it may still be missing."""
    parent = path.parent
    while not parent.exists():
        parent = parent.parent
    if not parent.is_dir() or not os.access(parent, os.W_OK):
        raise FileProblem(path, "cannot be written (no permission, or not a folder)")


def check_folder(path: Path) -> None:
    """Refuse a folder, such as a saved trajectory, that cannot be written, or whose name is a file's."""
    check_writable(path)
    if path.is_file():
        raise FileProblem(path, "exists and is a file; a folder is written here")


def check_file(path: Path) -> None:
    """Refuse a file that cannot be written; one that exists is replaced."""
    check_writable(path)
    if path.is_dir():
        raise FileProblem(path, "is a folder; give the name of a file")
