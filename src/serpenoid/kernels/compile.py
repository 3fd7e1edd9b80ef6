"""The one decorator of the compiled code, and the cache that knows when its sources changed."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numba
from numba.core import caching

from serpenoid.kernels import target
from serpenoid.kernels.libraries import PART, EntryCompiler, EntryDispatcher, PartCacheImpl, PartDispatcher

target.choose()  # before the first function is compiled

# Reassociation without nnan and ninf: guards against NaN must keep working.
FASTMATH = frozenset({"reassoc", "contract", "arcp", "nsz"})
LAID_IN: dict[str, Any] = {"forceinline": True, "_nrt": False}
# Options of @overload for laws that are chosen by the class of a record and laid into their callers.
CHOSEN: dict[str, Any] = {"fastmath": set(FASTMATH), "error_model": "numpy", **LAID_IN, **PART}
PACKAGE = "serpenoid.kernels"


@cache
def source_stamp(path: str) -> str:
    """Hash of a source file and of every kernel file that it imports, directly or not.

    A compiled caller contains its callees, so a changed callee must change the caller's stamp.
    """
    digest = hashlib.sha256()
    for file in sorted(import_closure(Path(path))):
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
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module] + [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
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


class _KernelCacheImpl(caching.CompileResultCacheImpl):
    _locator_classes = LOCATORS


class _PartCacheImpl(PartCacheImpl):
    """Beside the cache of the same function's entry, under a name of its own."""

    _locator_classes = LOCATORS

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        return f"{super().get_filename_base(fullname, abiflags)}.part"


class _KernelCache(caching.FunctionCache):
    """What was compiled here; before it, in a wheel with compiled kernels, what came with the wheel."""

    _impl_class = _KernelCacheImpl

    def __init__(self, py_func: Any) -> None:
        super().__init__(py_func)
        self._shipped = _shipped(self._impl_class)(py_func) if target.MARK.exists() else None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        shipped = self._shipped.load_overload(sig, target_context) if self._shipped else None
        if shipped is not None:
            return shipped
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # whatever unpickling an index of another release, or a damaged one, may raise
            self.flush()
            return None


@cache
def _shipped(kind: type[caching.CompileResultCacheImpl]) -> type[caching.FunctionCache]:
    """A cache of one kind that only reads what lies beside the sources."""

    class Impl(kind):  # type: ignore[valid-type, misc]
        _locator_classes = [_ShippedLocator]

    class Cache(caching.FunctionCache):
        _impl_class = Impl

    return Cache


class _PartCache(_KernelCache):
    _impl_class = _PartCacheImpl


def kernel(function: Callable[..., Any]) -> Any:
    """Compile on first call, without the GIL, cached on disk under the stamp of all its sources."""
    return _compile(function, FASTMATH)


def exact_kernel(function: Callable[..., Any]) -> Any:
    """A kernel whose sums keep their written order: for code that lives off cancellation, such as a range reduction."""
    return _compile(function, frozenset({"contract"}), **LAID_IN)


def inlined(function: Callable[..., Any]) -> Any:
    """A kernel that is laid into its callers and counts no references: it must not allocate arrays.

    Calls push every array of a record on the stack and count references to it: 3 x the time of a tree's recursion.
    """
    return _compile(function, FASTMATH, **LAID_IN)


def inner(function: Callable[..., Any]) -> Any:
    """As `inlined`, for functions that Python never calls."""
    return _compile_part(function, FASTMATH, **LAID_IN)


def bare_kernel(function: Callable[..., Any]) -> Any:
    """A kernel that counts no references and must not allocate; called, not laid into its callers."""
    return _compile(function, FASTMATH, _nrt=False)


def glue(function: Callable[..., Any]) -> Any:
    """Laid into its callers before they are compiled, and never compiled or cached by itself.

    Each level of calls is optimised again with all that lies below it; glue saves a level. It is also what takes
    records of a user's own classes: a cache of its own would hold classes that other programs cannot import. And loops
    over stack memory vectorise where they are seen in one piece with it, so that it is known not to overlap.
    """
    return numba.njit(inline="always")(function)


def kernel_of_sources(function: Callable[..., Any], sources: tuple[str | None, ...]) -> Any:
    """A kernel that also contains code of a user's own: its cache is kept apart, under a hash of those sources.

    Not cached at all where a source is None: what cannot be found again cannot be trusted to be the same.
    """
    compiled = _jit(function, FASTMATH, pipeline_class=EntryCompiler, _nrt=False)
    if None not in sources:
        tag = hashlib.sha256("\n".join(filter(None, sources)).encode()).hexdigest()[:16]
        compiled._cache = _tagged_cache(tag)(function)
    return compiled


def _tagged_cache(tag: str) -> type[_KernelCache]:
    """A cache whose files carry a tag in their names."""

    class Impl(_KernelCacheImpl):
        def get_filename_base(self, fullname: str, abiflags: str) -> str:
            return f"{super().get_filename_base(fullname, abiflags)}.{tag}"

    class Cache(_KernelCache):
        _impl_class = Impl

    return Cache


def _compile(function: Callable[..., Any], fastmath: frozenset[str], **options: Any) -> Any:
    """An entry for Python, and the part that compiled callers take."""
    compiled = _jit(function, fastmath, pipeline_class=EntryCompiler, **options)
    compiled.__class__ = EntryDispatcher
    compiled.part = _compile_part(function, fastmath, **options)
    if _has_source(function):
        compiled._cache = _KernelCache(function)
    return compiled


def _compile_part(function: Callable[..., Any], fastmath: frozenset[str], **options: Any) -> Any:
    compiled = _jit(function, fastmath, **options, **PART)
    compiled.__class__ = PartDispatcher
    if _has_source(function):
        compiled._cache = _PartCache(function)
    return compiled


def _jit(function: Callable[..., Any], fastmath: frozenset[str], **options: Any) -> Any:
    return numba.njit(nogil=True, fastmath=set(fastmath), error_model="numpy", **options)(function)


def _has_source(function: Callable[..., Any]) -> bool:
    return Path(function.__code__.co_filename).exists()
