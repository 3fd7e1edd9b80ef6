"""Where compiled code is kept: under a stamp of all its sources, and made by one process at a time.

Nothing here enters the code that is compiled, so that this file and the processor's (whose name is in numba's own key)
are left out of the stamps: a change of them compiles nothing anew.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from numba.core import caching, event
from numba.core.registry import cpu_target
from numba.core.runtime import rtsys

from serpenoid.kernels import target
from serpenoid.kernels.libraries import EntryCacheImpl, PartCacheImpl
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


class _Stamped:
    """Replaces the stamp of a file by the stamp of the file and all it imports."""

    _py_file: str

    def get_source_stamp(self) -> str:
        return source_stamp(self._py_file)


class _ProvidedLocator(_Stamped, caching.UserProvidedCacheLocator): ...


class _InTreeLocator(_Stamped, caching.InTreeCacheLocator): ...


class _UserWideLocator(_Stamped, caching.UserWideCacheLocator): ...


class _ShippedLocator(_Stamped, caching.InTreeCacheLocator):
    """The code that a wheel brought, beside its sources: read, never written."""

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> Any:
        return cls(py_func, py_file)


LOCATORS = [_ProvidedLocator, _InTreeLocator, _UserWideLocator]


class _KernelCacheImpl(EntryCacheImpl):
    _locator_classes = LOCATORS


class _PartCacheImpl(PartCacheImpl):
    """Beside the cache of the same function's entry, under a name of its own."""

    _locator_classes = LOCATORS

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        return f"{super().get_filename_base(fullname, abiflags)}.part"


class KernelCache(caching.FunctionCache):
    """What was compiled here; before it, in a wheel with compiled kernels, what came with the wheel."""

    _impl_class = _KernelCacheImpl

    def __init__(self, py_func: Any) -> None:
        super().__init__(py_func)
        self.ours = py_func.__module__.startswith(PACKAGE)
        self._shipped = _shipped(self._impl_class)(py_func) if target.MARK.exists() else None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What was compiled before. numba would first load all that it compiles with, which takes as long as itself.

        Our kernels need nothing of that to run; those of users may.
        """
        if self.ours:
            rtsys.initialize(target_context)
        else:
            target_context.refresh()
        shipped = self._shipped._load_overload(sig, target_context) if self._shipped else None
        if shipped is not None:
            return shipped
        try:
            with self._guard_against_spurious_io_errors():
                return self._load_overload(sig, target_context)
        except Exception:  # whatever unpickling an index of another release, or a damaged one, may raise
            self.flush()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        with self.locked("index"):  # or of two processes that add to it one loses its entry
            super().save_overload(sig, data)

    def alone(self, sig: Any) -> AbstractContextManager[None]:
        """Where a signature has to be compiled: others wait meanwhile, and then find it here."""
        return nullcontext() if self.holds(sig) else self.locked(hashlib.sha256(str(sig).encode()).hexdigest()[:16])

    def holds(self, sig: Any) -> bool:
        """Whether a signature was compiled already, by the index."""
        key = self._index_key(sig, cpu_target.target_context.codegen())
        files = [kept._cache_file for kept in (self, self._shipped) if kept]
        try:
            return any(key in file._load_index() for file in files)
        except Exception:  # as above
            return False

    @contextmanager
    def locked(self, name: str) -> Iterator[None]:
        """Hold one of this function's locks, as soon as it is free; not where it cannot be had."""
        from filelock import FileLock, Timeout

        folder = Path(self._impl.locator.get_cache_path())
        lock = FileLock(folder / f"{self._impl.filename_base}.{name}.lock", timeout=PATIENCE)
        with suppress(OSError, Timeout):
            folder.mkdir(parents=True, exist_ok=True)
            with event.trigger_event(WAITING, {"dispatcher": self._py_func}):
                lock.acquire()
        try:
            yield
        finally:
            if lock.is_locked:
                lock.release()
                with suppress(OSError):
                    Path(lock.lock_file).unlink()


@cache
def _shipped(kind: type[caching.CompileResultCacheImpl]) -> type[caching.FunctionCache]:
    """A cache of one kind that only reads what lies beside the sources."""

    class Impl(kind):  # type: ignore[valid-type, misc]
        _locator_classes = [_ShippedLocator]

    class Cache(caching.FunctionCache):
        _impl_class = Impl

    return Cache


class PartCache(KernelCache):
    _impl_class = _PartCacheImpl


def tagged_cache(tag: str) -> type[KernelCache]:
    """A cache whose files carry a tag in their names, of kernels that contain a user's code."""

    class Impl(_KernelCacheImpl):
        def get_filename_base(self, fullname: str, abiflags: str) -> str:
            return f"{super().get_filename_base(fullname, abiflags)}.{tag}"

    class Cache(KernelCache):
        _impl_class = Impl

        def __init__(self, py_func: Any) -> None:
            super().__init__(py_func)
            self.ours = False

    return Cache
