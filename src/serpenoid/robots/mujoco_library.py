"""MuJoCo's shared library for compiled callers, with its warnings silenced."""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path
from typing import Any

from serpenoid.errors import SerpenoidError


@cache
def library() -> Any:
    """Return MuJoCo's library with its warnings silenced, which would otherwise go to a log file in the working
    directory.

    The warnings report values that are not finite, which end a run here anyway. Any C function that takes a string
    and has no effect can be the handler. One of C's own needs no GIL.
    """
    import mujoco

    found = sorted(Path(mujoco.__file__).parent.glob("*mujoco.so*")) + sorted(
        Path(mujoco.__file__).parent.glob("libmujoco*.dylib")
    )
    if not found:
        raise SerpenoidError("MuJoCo's library was not found beside its Python package: reinstall mujoco")
    loaded = ctypes.CDLL(str(found[0]))
    handler = ctypes.c_void_p.in_dll(loaded, "mju_user_warning")
    if not handler.value:
        handler.value = ctypes.cast(ctypes.CDLL(None).strlen, ctypes.c_void_p).value
    return loaded
