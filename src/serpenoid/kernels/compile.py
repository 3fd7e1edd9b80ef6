"""The one decorator of the compiled code."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numba

from serpenoid.kernels import target
from serpenoid.kernels.cache import KernelCache, PartCache, tagged_cache
from serpenoid.kernels.libraries import PART, EntryCompiler, EntryDispatcher, OnceDispatcher, PartDispatcher

target.choose()  # before the first function is compiled

# Reassociation without nnan and ninf: guards against NaN must keep working. But isfinite(x) asks whether x - x is a
# number, which reassociation makes 0 where x is a sum: abs(x) < inf there.
FASTMATH = frozenset({"reassoc", "contract", "arcp", "nsz"})
LAID_IN: dict[str, Any] = {"forceinline": True, "_nrt": False}
# Options of @overload for laws that are chosen by the class of a record and laid into their callers.
CHOSEN: dict[str, Any] = {"fastmath": set(FASTMATH), "error_model": "numpy", **LAID_IN, **PART}


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
        compiled._cache = tagged_cache(tag)(function)
    return compiled


def _compile(function: Callable[..., Any], fastmath: frozenset[str], **options: Any) -> Any:
    """An entry for Python, and the part that compiled callers take."""
    compiled = _jit(function, fastmath, pipeline_class=EntryCompiler, **options)
    compiled.make_part = partial(_compile_part, function, fastmath, **options)
    return _dispatched(compiled, EntryDispatcher, KernelCache)


def _compile_part(function: Callable[..., Any], fastmath: frozenset[str], **options: Any) -> Any:
    return _dispatched(_jit(function, fastmath, **options, **PART), PartDispatcher, PartCache)


def _dispatched(compiled: Any, kind: type[OnceDispatcher], cache: type[KernelCache]) -> Any:
    """The same as a dispatcher of ours, which opens its cache when it is first used: most of them are not in a run."""
    compiled.__class__ = kind
    if _has_source(compiled.py_func):
        del compiled._cache  # numba's, which keeps nothing
        compiled.make_cache = partial(cache, compiled.py_func)
    return compiled


def _jit(function: Callable[..., Any], fastmath: frozenset[str], **options: Any) -> Any:
    return numba.njit(nogil=True, fastmath=set(fastmath), error_model="numpy", **options)(function)


def _has_source(function: Callable[..., Any]) -> bool:
    return Path(function.__code__.co_filename).exists()
