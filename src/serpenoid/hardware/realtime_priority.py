"""Real-time scheduling of the process while joints move."""

from __future__ import annotations

import gc
import os
import struct
import sys
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

USUAL, HURRIED = 5e-3, 5e-4  # thread switch interval of Python [s]
TASKS = Path("/proc/self/task")  # threads of this process, on Linux
WAKING = Path("/dev/cpu_dma_latency")  # on Linux, while it is open, cores wake within the time written to it

_awake: list[BinaryIO] = []  # open latency request to Linux


def hurry() -> None:
    """Minimise latency: a garbage collection takes up to 60 ms, a thread switch 5 ms.

    The loop creates no reference cycles, so the collector can be off. If the system allows it, to root or by a limit
    `rtprio`, this process gets real-time priority. As root, cores also stay awake, which saves up to 1 ms.
    """
    gc.disable()
    sys.setswitchinterval(HURRIED)
    schedule("SCHED_RR", 1)
    stay_awake()


def calm() -> None:
    """Restore the previous settings."""
    gc.enable()
    sys.setswitchinterval(USUAL)
    schedule("SCHED_OTHER", 0)
    while _awake:
        _awake.pop().close()


def schedule(policy: str, priority: int) -> None:
    """Set the scheduling policy of every thread of this process; do nothing if that is not permitted."""
    if not hasattr(os, "sched_setscheduler") or not TASKS.is_dir():
        return
    for thread in TASKS.iterdir():
        with suppress(OSError):  # not permitted, or the thread has ended
            os.sched_setscheduler(int(thread.name), getattr(os, policy), os.sched_param(priority))


def stay_awake() -> None:
    """Ask Linux to keep idle cores awake; do nothing if that is not permitted."""
    with suppress(OSError):
        if not _awake:
            _awake.append(WAKING.open("wb", buffering=0))
            _awake[0].write(struct.pack("i", 0))
