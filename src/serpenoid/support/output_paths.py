"""Output paths: checked before anything is computed, and locked by one process at a time."""

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
HELD: set[BaseFileLock] = set()  # locks of this process, acquired or being acquired


def check_writable(path: Path) -> None:
    """Raise FileProblem for a path that cannot be written or is part of a recording; missing folders are created
    later.
    """
    for folder in path.resolve().parents:
        if (folder / "zarr.json").is_file():
            raise FileProblem(path, f"lies inside {folder.name}, a recording or sweep; choose another path")
    if path.is_symlink() and not path.exists():
        raise FileProblem(path, "is a broken link")
    parent = path.parent
    while not parent.exists():
        parent = parent.parent
    try:
        tempfile.TemporaryFile(dir=parent).close()  # permissions alone are not sufficient, such as below /proc
    except OSError as error:
        why = error.strerror or "no permission, or not a folder"
        raise FileProblem(path, f"cannot be written ({why.lower()})") from error
    if path.exists() and not os.access(path, os.W_OK):
        raise FileProblem(path, "cannot be written (no permission)")


def check_ending(flag: str | None, path: Path, endings: tuple[str, ...]) -> None:
    """Raise FileProblem for a file name with an unsuitable ending; without a flag the name is reported alone."""
    if path.suffix.lower() not in endings:
        raise FileProblem(f"--{flag} {path}" if flag else path, f"must end in {', '.join(filter(None, endings))}")


def check_folder(path: Path) -> None:
    """Raise FileProblem for a folder, such as a saved trajectory, that cannot be written or is a file."""
    check_writable(path)
    if path.is_file():
        raise FileProblem(path, "exists and is a file; a folder is written here")


def check_file(path: Path) -> None:
    """Raise FileProblem for a file that cannot be written; an existing file is replaced."""
    check_writable(path)
    if path.is_dir():
        raise FileProblem(path, "is a folder; give the name of a file")


@contextmanager
def complete_file(path: Path) -> Iterator[Path]:
    """Return a scratch path that takes the given name, replacing an earlier file, when the block ends without error."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as folder:
            yield Path(folder) / path.name
            (Path(folder) / path.name).replace(path)
    except OSError as error:
        raise FileProblem(path, f"cannot be written ({error.strerror or error})") from None


@contextmanager
def lock_path(path: Path, problem: str) -> Iterator[None]:
    """Lock a path by a file beside it until the process ends; raise FileProblem if it is already locked."""
    from filelock import FileLock, Timeout

    place = path.parent / f".{path.name}.lock"
    made = [folder for folder in path.parents if not folder.exists()]
    lock = FileLock(place, timeout=0)
    HELD.add(lock)  # before it is acquired: Ctrl-C may follow immediately
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
        with suppress(OSError):  # a folder with saved data stays
            for folder in made:
                folder.rmdir()


def let_go() -> None:
    """Remove the lock files of this process before it ends."""
    for lock in HELD:
        remove(lock)


def remove(lock: BaseFileLock) -> None:
    """Remove the file of a lock that this process owns; another process's stays."""
    if lock.is_locked:
        with suppress(OSError):  # Windows does not remove an open file
            Path(lock.lock_file).unlink(missing_ok=True)


def free_name(path: Path) -> Path:
    """Return the path, or the first of NAME-2, NAME-3, ... beside it that does not exist."""
    number, free = 1, path
    while free.exists():
        number += 1
        free = path.with_name(f"{path.stem}-{number}{path.suffix}")
    return free
