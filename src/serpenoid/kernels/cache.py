"""Disk cache of compiled code, stamped with all its sources and filled by one process at a time.

Nothing here enters the compiled code, so the stamps exclude this file and `target.py`. The processor's name is already
in numba's own key. Changing either file therefore recompiles nothing.
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
# Find imports of kernels without parsing: every start reads some fifty files.
FROM = re.compile(r"^[ \t]*from[ \t]+(serpenoid\.kernels[\w.]*)[ \t]+import[ \t]*(\([^)]*\)|[^\n]*)", re.M)
IMPORT = re.compile(r"^[ \t]*import[ \t][^\n]*", re.M)
SHIPPED = Path(__file__).with_name("compiled_for.txt")  # mark file of a wheel with compiled kernels
PATIENCE = 300.0  # longest wait for a kernel that another process compiles [s]; afterwards it is compiled here as well


@cache
def source_stamp(path: str) -> str:
    """Return the hash of a source file and of every kernel file that it imports, directly or indirectly.

    A compiled caller contains its callees, so a changed callee must change the caller's stamp.
    """
    digest = hashlib.sha256()
    for file in sorted(import_closure(Path(path)).difference(UNSTAMPED)):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def import_closure(path: Path) -> set[Path]:
    """Return the file and the kernel files reachable from it through imports."""
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
    """Return the kernel files of this package that one file imports."""
    text, names = path.read_text(), []
    for module, parts in FROM.findall(text):
        names += [module] + [f"{module}.{part}" for part in re.findall(r"\w+", parts)]
    for line in IMPORT.findall(text):
        names += re.findall(r"serpenoid\.kernels[\w.]*", line)
    return [file for name in names for file in kernel_files(name)]


@cache
def kernel_files(module: str) -> tuple[Path, ...]:
    """Return the sources that importing a kernel module executes: its own and the `__init__.py` files above it.

    The result is empty if the name is not a kernel module of this package.
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
    """Cache locator of numba for files that import kernels; its stamp covers everything that a file imports."""

    found: set[str] = set()  # writable folders

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
            if SHIPPED.exists():
                copy_shipped(self.source.parent / "__pycache__", Path(folder))
            self.found.add(folder)


class ProvidedLocator(Stamped, caching.UserProvidedCacheLocator):
    """Locator for the folder named by NUMBA_CACHE_DIR."""


class InTreeLocator(Stamped, caching.InTreeCacheLocator):
    """Locator for the folder beside the sources, if it is writable."""


class UserWideLocator(Stamped, caching.UserWideCacheLocator):
    """Locator for the user's cache folder."""


OURS = (ProvidedLocator, InTreeLocator, UserWideLocator)
THEIRS = (
    "UserProvidedCacheLocator", "InTreeCacheLocator", "UserWideCacheLocator", "IPythonCacheLocator", "ZipCacheLocator",
)  # fmt: skip


def choose() -> None:
    """Make numba try our locators first; a list set by the user follows."""
    ours = (f"{__name__}.{locator.__name__}" for locator in OURS)
    config.CACHE_LOCATOR_CLASSES = ",".join((*ours, config.CACHE_LOCATOR_CLASSES or ",".join(THEIRS)))


def copy_shipped(source: Path, folder: Path) -> None:
    """Copy the compiled files of a wheel to the cache folder; newer files there stay."""
    for file in source.glob("*.nb[ic]"):
        kept = folder / file.name
        if not kept.exists() or kept.stat().st_mtime < file.stat().st_mtime:
            shutil.copy2(file, kept)


@contextmanager
def hold_lock(function: Any) -> Iterator[Any]:
    """Hold the lock of a function once it is free; proceed without it if it cannot be acquired."""
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
    """Delete unreadable files from the cache; return whether there were any."""
    files = [file for folder in Stamped.found for file in Path(folder).glob("*.nb[ic]")]
    damaged = [file for file in files if not readable(file)]
    for file in damaged:
        file.unlink(missing_ok=True)
    return bool(damaged)


def readable(file: Path) -> bool:
    """Return whether a file contains pickles of importable objects."""
    try:
        with file.open("rb") as stream:
            while stream.peek(1):  # type: ignore[attr-defined]
                pickle.load(stream)
        return file.stat().st_size > 0
    except Exception:
        return False
