"""Deferred Ctrl-C: a flag that is read between compiled calls, because an exception inside one would lose results."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from serpenoid.support.output_paths import let_go

COMPILERS = ("numba", "llvmlite")
ENDINGS = {"SIGTERM": "kill (SIGTERM)", "SIGHUP": "a closed terminal (SIGHUP)"}  # signals that end a run as Ctrl-C does
CTRL_C = "Ctrl-C"

_cause = [CTRL_C]  # cause of the interruption of the current run


class Interrupted(KeyboardInterrupt):
    """Ctrl-C in a run; `trajectory` has the results so far."""

    def __init__(self, time: float, trajectory: Any):
        self.time, self.trajectory = time, trajectory
        super().__init__(f"interrupted at t = {time:.6g} s")


def never() -> bool:
    """Return False."""
    return False


def nowhere(frame: FrameType | None) -> bool:
    """Return False for every frame."""
    return False


def at_second(again: bool) -> bool:
    """Return whether Ctrl-C was pressed before."""
    return again


@contextmanager
def deferred_interrupts(
    breaks_off: Callable[[bool], bool] = at_second, leaves: Callable[[FrameType | None], bool] = nowhere
) -> Iterator[Callable[[], bool]]:
    """Yield a function that returns whether Ctrl-C was pressed.

    Ctrl-C interrupts as usual only where `breaks_off(pressed before)` or `leaves(frame)` is true.
    """
    pressed = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield pressed.is_set
        return
    before: Any = signal.getsignal(signal.SIGINT)

    def note(number: int, frame: FrameType | None) -> None:
        again = pressed.is_set()
        pressed.set()  # always: an exception may be lost in a callback of Python's own
        if breaks_off(again) or leaves(frame):
            before(number, frame)

    if not callable(before):  # ignored, or not Python's own
        yield pressed.is_set
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield pressed.is_set
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def ended_as_interrupted() -> Iterator[None]:
    """Treat `kill` and a closed terminal as Ctrl-C, for runs that must not leave joints moving; interrupted_by() names
    them.
    """
    numbers = {getattr(signal, name): words for name, words in ENDINGS.items() if hasattr(signal, name)}
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        _cause[0] = numbers[signal.Signals(number)]
        signal.raise_signal(signal.SIGINT)

    before = {number: signal.signal(number, interrupt) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        _cause[0] = CTRL_C


def interrupted_by() -> str:
    """Name what interrupted the run: Ctrl-C, `kill` or a closed terminal."""
    return _cause[0]


@contextmanager
def leaving_at_once(say: Callable[[], None]) -> Iterator[None]:
    """Let Ctrl-C interrupt as usual; end the process while a kernel compiles, which an exception would crash."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def leave(number: int, frame: FrameType | None) -> None:
        if compiling(frame):
            say()
            let_go()
            os._exit(130)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def compiling(frame: FrameType | None) -> bool:
    """Return whether a compiler is among the callers of a frame."""
    while frame is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] in COMPILERS:
            return True
        frame = frame.f_back
    return False


def is_interrupt(error: BaseException | None) -> bool:
    """Return whether an error is Ctrl-C, or the error into which compiled code converts it."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None
