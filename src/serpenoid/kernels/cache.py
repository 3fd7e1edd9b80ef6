"""Where compiled code is kept: under a stamp of all its sources, and made by one process at a time.

Nothing here enters the code that is compiled, so that this file and the processor's (whose name is in numba's own key)
are left out of the stamps: a change of them compiles nothing anew.
"""

from __future__ import annotations

import getpass
import hashlib
import inspect
import pickle
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from numba import config
from numba.core import caching, event

from serpenoid.kernels import target
from serpenoid.support.compiling import WAITING

PACKAGE = "serpenoid.kernels"
UNSTAMPED = (Path(__file__), Path(target.__file__))
# Imports of kernels, found without parsing: every start reads some fifty files.
FROM = re.compile(r"^[ \t]*from[ \t]+(serpenoid\.kernels[\w.]*)[ \t]+import[ \t]*(\([^)]*\)|[^\n]*)", re.M)
IMPORT = re.compile(r"^[ \t]*import[ \t][^\n]*", re.M)
PATIENCE = 300.0  # for a kernel that another process compiles [s]; then it is compiled here as well


@cache
def source_stamp(path: str) -> str:
    """Hash of a source file and of every kernel file that it imports, directly or not.

    A compiled caller contains its callees, so a changed callee must change the caller's stamp.
    """
    digest = hashlib.sha256()
    for file in sorted(import_closure(Path(path)).difference(UNSTAMPED)):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def import_closure(path: Path) -> set[Path]:
    """The file and the kernel files reachable from it through imports."""
    seen: set[Path] = set()
    queue = [path]
    while queue:
        file = queue.pop()
        if file not in seen:
            seen.add(file)
            queue.extend(imported_kernels(file))
    return seen


@cache
def imported_kernels(path: Path) -> list[Path]:
    """Files of this package's kernels that one file imports."""
    text, names = path.read_text(), []
    for module, parts in FROM.findall(text):
        names += [module] + [f"{module}.{part}" for part in re.findall(r"\w+", parts)]
    for line in IMPORT.findall(text):
        names += re.findall(r"serpenoid\.kernels[\w.]*", line)
    return [file for name in names for file in kernel_files(name)]


@cache
def kernel_files(module: str) -> tuple[Path, ...]:
    """The sources that importing a kernel module runs: its own and the `__init__.py` of the rooms it lies in.

    None where the name is not one of this package's modules.
    """
    if not module.startswith(PACKAGE + ".") or not find_spec(PACKAGE):
        return ()
    folder, files = Path(__file__).parent, []
    for part in module.removeprefix(PACKAGE + ".").split("."):
        files.append(folder / f"{part}.py")
        folder = folder / part
        files.append(folder / "__init__.py")
    return tuple(file for file in files if file.exists())


class Stamped:
    """A locator of numba's for files that import kernels: its stamp covers all that a file imports."""

    found: set[str] = set()  # folders that can be written

    def __init__(self, py_func: Any, py_file: str) -> None:
        super().__init__(py_func, py_file)  # type: ignore[call-arg]
        self.source = Path(py_file)

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> Any:
        file = Path(py_file)
        return super().from_function(py_func, py_file) if file.exists() and imported_kernels(file) else None  # type: ignore[misc]

    def get_source_stamp(self) -> str:
        return source_stamp(str(self.source))

    def ensure_cache_path(self) -> None:
        folder = self.get_cache_path()  # type: ignore[attr-defined]
        if folder not in self.found:
            super().ensure_cache_path()  # type: ignore[misc]
            if target.MARK.exists():
                copy_shipped(self.source.parent / "__pycache__", Path(folder))
            self.found.add(folder)


class ProvidedLocator(Stamped, caching.UserProvidedCacheLocator):
    """The folder that NUMBA_CACHE_DIR names."""


class InTreeLocator(Stamped, caching.InTreeCacheLocator):
    """Beside the sources, where that can be written."""


class UserWideLocator(Stamped, caching.UserWideCacheLocator):
    """The user's cache."""


OURS = (ProvidedLocator, InTreeLocator, UserWideLocator)
THEIRS = (
    "UserProvidedCacheLocator", "InTreeCacheLocator", "UserWideCacheLocator", "IPythonCacheLocator", "ZipCacheLocator",
)  # fmt: skip


def choose() -> None:
    """Let numba ask our locators first; a list that the user has set comes after them."""
    ours = (f"{__name__}.{locator.__name__}" for locator in OURS)
    config.CACHE_LOCATOR_CLASSES = ",".join((*ours, config.CACHE_LOCATOR_CLASSES or ",".join(THEIRS)))


def copy_shipped(source: Path, folder: Path) -> None:
    """Copy what a wheel brought to where code is kept; newer files there stay."""
    for file in source.glob("*.nb[ic]"):
        kept = folder / file.name
        if not kept.exists() or kept.stat().st_mtime < file.stat().st_mtime:
            shutil.copy2(file, kept)


@contextmanager
def locked(function: Any) -> Iterator[Any]:
    """Hold the lock of a function as soon as it is free; go on without it where it cannot be had."""
    from filelock import FileLock, Timeout

    source = inspect.getfile(function)
    name = hashlib.sha256(f"{source} {function.__qualname__}".encode()).hexdigest()
    folder = Path(config.CACHE_DIR or tempfile.gettempdir()) / f"serpenoid_locks_{getpass.getuser()}"
    lock = FileLock(folder / name, timeout=PATIENCE)
    with suppress(OSError, Timeout):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire(timeout=0.0)
        except Timeout:
            with event.trigger_event(WAITING, {"dispatcher": function}):
                lock.acquire()
    try:
        yield lock
    finally:
        lock.release()


def remove_damaged() -> bool:
    """Delete cached code that cannot be read; whether there was any."""
    files = [file for folder in Stamped.found for file in Path(folder).glob("*.nb[ic]")]
    damaged = [file for file in files if not readable(file)]
    for file in damaged:
        file.unlink(missing_ok=True)
    return bool(damaged)


def readable(file: Path) -> bool:
    """Whether a file holds pickles of things that can be imported."""
    try:
        with file.open("rb") as stream:
            while stream.peek(1):  # type: ignore[attr-defined]
                pickle.load(stream)
        return file.stat().st_size > 0
    except Exception:
        return False
