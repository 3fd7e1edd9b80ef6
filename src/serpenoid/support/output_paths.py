"""Places to write to: refused before anything is computed, and held by one process at a time."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from serpenoid.errors import FileProblem

if TYPE_CHECKING:
    from filelock import BaseFileLock

FIGURES = (".png", ".svg", ".pdf")
PAGES = (".html", ".htm")
RECORDINGS = (".zarr", "")
HELD: set[BaseFileLock] = set()  # locks of this process, held or just being taken


def check_writable(path: Path) -> None:
    """Refuse a place that cannot be written, or that is part of a recording; missing folders will be made."""
    for folder in path.resolve().parents:
        if (folder / "zarr.json").is_file():
            raise FileProblem(path, f"lies inside of {folder.name}, a recording or sweep; choose another place")
    if path.is_symlink() and not path.exists():
        raise FileProblem(path, "is a link to nothing")
    parent = path.parent
    while not parent.exists():
        parent = parent.parent
    try:
        tempfile.TemporaryFile(dir=parent).close()  # permissions alone do not tell, such as below /proc
    except OSError as error:
        why = error.strerror or "no permission, or not a folder"
        raise FileProblem(path, f"cannot be written ({why.lower()})") from error
    if path.exists() and not os.access(path, os.W_OK):
        raise FileProblem(path, "cannot be written (no permission)")


def check_ending(flag: str | None, path: Path, endings: tuple[str, ...]) -> None:
    """Refuse a file name whose ending does not say what will be in it; no flag: the name stands by itself."""
    if path.suffix.lower() not in endings:
        raise FileProblem(f"--{flag} {path}" if flag else path, f"must end in {', '.join(filter(None, endings))}")


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


@contextmanager
def locked(path: Path, problem: str) -> Iterator[None]:
    """Lock a path by a file beside it until the process ends; refuse one that is locked already."""
    from filelock import FileLock, Timeout

    place = path.parent / f".{path.name}.lock"
    made = [folder for folder in path.parents if not folder.exists()]
    lock = FileLock(place, timeout=0)
    HELD.add(lock)  # before it is taken: Ctrl-C may come just after
    try:
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.touch()
            lock.acquire()
        except Timeout:
            raise FileProblem(path, problem) from None
        except OSError as error:
            raise FileProblem(path, f"cannot be written ({error.strerror or error})") from None
        yield
    finally:
        remove(lock)
        HELD.discard(lock)
        lock.release()
        with suppress(OSError):  # a folder that something was saved to stays
            for folder in made:
                folder.rmdir()


def let_go() -> None:
    """Remove the marks of all places that this process holds, as its end is near."""
    for lock in HELD:
        remove(lock)


def remove(lock: BaseFileLock) -> None:
    """Remove the file of a lock while it is held, so that none is left behind; another process's stays."""
    if lock.is_locked:
        with suppress(OSError):  # Windows does not remove what is open
            Path(lock.lock_file).unlink(missing_ok=True)


def free_name(path: Path) -> Path:
    """The path, or the first of NAME-2, NAME-3, ... beside it that does not exist."""
    number, free = 1, path
    while free.exists():
        number += 1
        free = path.with_name(f"{path.stem}-{number}{path.suffix}")
    return free
