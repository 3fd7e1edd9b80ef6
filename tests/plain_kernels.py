"""Kernels as Python runs them: their source without compilation, for functions that only compiled code can call."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any


def plain(kernel: Any, made: dict[Any, Any] | None = None) -> Callable[..., Any]:
    """Return the Python function of a kernel, in which the kernels that it calls are Python functions too."""
    made = {} if made is None else made
    source = kernel.py_func
    if source not in made:
        names = dict(source.__globals__)
        made[source] = FunctionType(source.__code__, names, source.__name__, source.__defaults__, source.__closure__)
        for name in source.__code__.co_names:
            if hasattr(names.get(name), "py_func"):
                names[name] = plain(names[name], made)
    return made[source]
