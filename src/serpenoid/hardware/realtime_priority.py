"""What keeps the threads of a program from waiting, for each other or for others, while joints move in real time."""

from __future__ import annotations

import gc
import os
import struct
import sys
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

USUAL, HURRIED = 5e-3, 5e-4  # turn of a thread of Python before others get theirs [s]
TASKS = Path("/proc/self/task")  # the threads of this program, where the system is Linux
WAKING = Path("/dev/cpu_dma_latency")  # there: while it is open, cores wake within the time written to it

_awake: list[BinaryIO] = []  # the request to Linux that holds now


def hurry() -> None:
    """Let nothing wait: a pass of the collector of garbage takes up to 60 ms, a turn of a thread 5 ms.

    The loop makes no garbage that only the collector finds. Where the system allows it, to root or by a limit `rtprio`,
    this program goes before others that wait for a turn; to root, cores stay awake, which else take up to 1 ms.
    """
    gc.disable()
    sys.setswitchinterval(HURRIED)
    schedule("SCHED_RR", 1)
    stay_awake()


def calm() -> None:
    """As it was."""
    gc.enable()
    sys.setswitchinterval(USUAL)
    schedule("SCHED_OTHER", 0)
    while _awake:
        _awake.pop().close()


def schedule(policy: str, priority: int) -> None:
    """Give every thread of this program a policy of the system's scheduler; nothing where that is not allowed."""
    if not hasattr(os, "sched_setscheduler") or not TASKS.is_dir():
        return
    for thread in TASKS.iterdir():
        with suppress(OSError):  # not allowed, or it has ended
            os.sched_setscheduler(int(thread.name), getattr(os, policy), os.sched_param(priority))


def stay_awake() -> None:
    """Ask Linux for cores that wait without sleeping; nothing where that is not allowed."""
    with suppress(OSError):
        if not _awake:
            _awake.append(WAKING.open("wb", buffering=0))
            _awake[0].write(struct.pack("i", 0))
