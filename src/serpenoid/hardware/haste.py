"""What keeps the threads of a program from waiting, for each other or for others, while joints move in real time."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from pathlib import Path

USUAL, HURRIED = 5e-3, 5e-4  # turn of a thread of Python before others get theirs [s]
TASKS = Path("/proc/self/task")  # the threads of this program, where the system is Linux


def hurry() -> None:
    """Let nothing wait: a pass of the collector of garbage takes up to 60 ms, a turn of a thread 5 ms.

    The loop makes no garbage that only the collector finds. Where the system allows it, to root or by a limit `rtprio`,
    this program goes before others that wait for a turn.
    """
    gc.disable()
    sys.setswitchinterval(HURRIED)
    schedule("SCHED_RR", 1)


def calm() -> None:
    """As it was."""
    gc.enable()
    sys.setswitchinterval(USUAL)
    schedule("SCHED_OTHER", 0)


def schedule(policy: str, priority: int) -> None:
    """Give every thread of this program a policy of the system's scheduler; nothing where that is not allowed."""
    if not hasattr(os, "sched_setscheduler") or not TASKS.is_dir():
        return
    for thread in TASKS.iterdir():
        with suppress(OSError):  # not allowed, or it has ended
            os.sched_setscheduler(int(thread.name), getattr(os, policy), os.sched_param(priority))
