"""Decorators of compiled code: numba's own with the options of this package."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import update_wrapper
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
from numba import config, typeof
from numba.core import event
from numba.core.errors import NumbaError
from numba.extending import register_jitable, typeof_impl

from serpenoid.kernels import cache, target

target.choose()  # before the first function is compiled
cache.choose()

# Reassociation without nnan and ninf: checks for NaN must keep working. isfinite(x) tests x - x, which reassociation
# turns into 0 if x is a sum. Use abs(x) < inf there.
FASTMATH = frozenset({"reassoc", "contract", "arcp", "nsz"})
# Without reference counts, for code that allocates nothing: counting takes up to three times as long as a tree
# recursion. numba documents the option with `register_jitable`.
UNCOUNTED: dict[str, Any] = {"_nrt": False}
# Options of @overload for laws that are selected by a record's class and inlined into their callers. inline="always" is
# not used: numba 0.68 then drops loops around the call.
CHOSEN: dict[str, Any] = {"fastmath": set(FASTMATH), "error_model": "numpy", "forceinline": True, **UNCOUNTED}


def kernel(function: Callable[..., Any]) -> Any:
    """Compile on first call, without the GIL, cached on disk under the stamp of all sources."""
    return _compile(function, FASTMATH)


def bare_kernel(function: Callable[..., Any]) -> Any:
    """Compile a kernel without reference counting; it must not allocate arrays."""
    return _compile(function, FASTMATH, **UNCOUNTED)


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a bare kernel that is inlined into its compiled callers."""
    return _compile(function, FASTMATH, forceinline=True, **UNCOUNTED)


def exact_kernel(function: Callable[..., Any]) -> Any:
    """Compile an inlined kernel that keeps the written order of sums, for code that relies on cancellation."""
    return _compile(function, frozenset({"contract"}), forceinline=True, **UNCOUNTED)


def inner(function: Callable[..., Any]) -> Any:
    """Mark a function as `inlined` for compiled callers only; Python runs it uncompiled.

    It compiles faster, without an entry.
    """
    return register_jitable(cache=_has_source(function), **CHOSEN)(function)


def glue(function: Callable[..., Any]) -> Any:
    """Inline into callers before they are compiled; never compile or cache separately.

    Each level of calls is optimised again together with all levels below it; glue saves one level. Glue also accepts
    records of user-defined classes. A cache of its own would hold classes that other programs cannot import. Loops over
    stack memory vectorise if both are compiled together, because the compiler then knows that the arrays do not
    overlap.
    """
    return numba.njit(inline="always")(function)


def kernel_of_sources(function: Callable[..., Any], sources: tuple[str | None, ...]) -> Any:
    """Compile a kernel that also contains user code; its cache is separate, under a hash of those sources.

    It is not cached at all if a source is None: code whose source cannot be found cannot be verified.
    """
    own = FunctionType(function.__code__, function.__globals__, function.__name__)
    tag = hashlib.sha256("\n".join(filter(None, sources)).encode()).hexdigest()[:16]
    own.__qualname__, own.__module__ = f"{function.__qualname__}.{tag}", function.__module__
    return _compile(own, FASTMATH, None not in sources, **UNCOUNTED)


class Kernel:
    """Compiled function for Python and for compiled callers. One process compiles it while others wait."""

    def __init__(self, dispatcher: Any) -> None:
        update_wrapper(self, dispatcher.py_func)
        self.dispatcher, self.call = dispatcher, self.first

    def __call__(self, *arguments: Any) -> Any:
        return self.call(*arguments)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.dispatcher, name)

    def __reduce__(self) -> Any:
        return (Kernel, (self.dispatcher,)) if "<locals>" in self.__qualname__ else self.__qualname__

    def first(self, *arguments: Any) -> Any:
        """Compile or load under a lock, which is released before the function runs."""
        with cache.hold_lock(self.py_func) as lock, event.install_listener("numba:compiler_lock", Release(lock)):
            self.call = self.dispatcher
            try:
                return self.dispatcher(*arguments)
            except NumbaError:
                raise
            except Exception:  # any exception from unpickling a cache that is damaged or from another release
                if not cache.remove_damaged():
                    raise
                return self.dispatcher(*arguments)


class Release(event.Listener):
    """Listener that releases a lock when compilation has ended."""

    def __init__(self, lock: Any) -> None:
        self.lock, self.depth = lock, 0

    def on_start(self, event: Any) -> None:
        self.depth += 1

    def on_end(self, event: Any) -> None:
        self.depth -= 1
        if self.depth == 0:
            self.lock.release()


@typeof_impl.register(Kernel)
def type_of_kernel(value: Kernel, context: Any) -> Any:
    """Return the type of the dispatcher, which compiled callers use."""
    return typeof(value.dispatcher)


def _compile(function: Callable[..., Any], fastmath: frozenset[str], cached: bool = True, **options: Any) -> Any:
    jit = numba.njit(
        nogil=True, fastmath=set(fastmath), error_model="numpy", cache=cached and _has_source(function), **options
    )  # fmt: skip
    return function if config.DISABLE_JIT else Kernel(jit(function))


def _has_source(function: Callable[..., Any]) -> bool:
    return Path(function.__code__.co_filename).exists()
