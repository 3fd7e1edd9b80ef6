"""The decorators of the compiled code: numba's own, with the options of this package."""

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

# Reassociation without nnan and ninf: guards against NaN must keep working. But isfinite(x) asks whether x - x is a
# number, which reassociation makes 0 where x is a sum: abs(x) < inf there.
FASTMATH = frozenset({"reassoc", "contract", "arcp", "nsz"})
# No reference counts, for code that allocates nothing: they take up to three times the time of a tree's recursion.
# numba documents the option with `register_jitable`.
UNCOUNTED: dict[str, Any] = {"_nrt": False}
# Options of @overload for laws that are chosen by the class of a record and inlined into their callers. Not
# inline="always": numba 0.68 then leaves out loops around the call.
CHOSEN: dict[str, Any] = {"fastmath": set(FASTMATH), "error_model": "numpy", "forceinline": True, **UNCOUNTED}


def kernel(function: Callable[..., Any]) -> Any:
    """Compile on first call, without the GIL, cached on disk under the stamp of all its sources."""
    return _compile(function, FASTMATH)


def bare_kernel(function: Callable[..., Any]) -> Any:
    """A kernel that counts no references: it must not allocate arrays."""
    return _compile(function, FASTMATH, **UNCOUNTED)


def inlined(function: Callable[..., Any]) -> Any:
    """A bare kernel that is inlined into its compiled callers."""
    return _compile(function, FASTMATH, forceinline=True, **UNCOUNTED)


def exact_kernel(function: Callable[..., Any]) -> Any:
    """An inlined kernel whose sums keep their written order: for code that relies on cancellation."""
    return _compile(function, frozenset({"contract"}), forceinline=True, **UNCOUNTED)


def inner(function: Callable[..., Any]) -> Any:
    """As `inlined`, for compiled callers only: Python runs it as Python. It compiles faster, without an entry."""
    return register_jitable(cache=_has_source(function), **CHOSEN)(function)


def glue(function: Callable[..., Any]) -> Any:
    """Inline into callers before they are compiled; never compiled or cached by itself.

    Each level of calls is optimised again with all that lies below it; glue saves a level. It also takes records of a
    user's own classes: a cache of its own would hold classes that other programs cannot import. And loops over stack
    memory vectorise where they are compiled together with it, so that it is known not to overlap.
    """
    return numba.njit(inline="always")(function)


def kernel_of_sources(function: Callable[..., Any], sources: tuple[str | None, ...]) -> Any:
    """A kernel that also contains a user's code: its cache is kept apart, under a hash of those sources.

    Not cached at all where a source is None: what cannot be found again cannot be trusted to be the same.
    """
    own = FunctionType(function.__code__, function.__globals__, function.__name__)
    tag = hashlib.sha256("\n".join(filter(None, sources)).encode()).hexdigest()[:16]
    own.__qualname__, own.__module__ = f"{function.__qualname__}.{tag}", function.__module__
    return _compile(own, FASTMATH, None not in sources, **UNCOUNTED)


class Kernel:
    """A compiled function for Python and for compiled callers; one process compiles it while others wait."""

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
        with cache.locked(self.py_func) as lock, event.install_listener("numba:compiler_lock", Release(lock)):
            self.call = self.dispatcher
            try:
                return self.dispatcher(*arguments)
            except NumbaError:
                raise
            except Exception:  # whatever unpickling a damaged cache, or one of another release, may raise
                if not cache.remove_damaged():
                    raise
                return self.dispatcher(*arguments)


class Release(event.Listener):
    """Releases a lock when compilation has ended."""

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
    """Compiled callers see the dispatcher."""
    return typeof(value.dispatcher)


def _compile(function: Callable[..., Any], fastmath: frozenset[str], cached: bool = True, **options: Any) -> Any:
    jit = numba.njit(
        nogil=True, fastmath=set(fastmath), error_model="numpy", cache=cached and _has_source(function), **options
    )  # fmt: skip
    return function if config.DISABLE_JIT else Kernel(jit(function))


def _has_source(function: Callable[..., Any]) -> bool:
    return Path(function.__code__.co_filename).exists()
