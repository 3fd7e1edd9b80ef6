"""Functions that the jobs of the SLURM tests run; workers import this module."""

from __future__ import annotations

import os
import time
from pathlib import Path


def square(number: int) -> int:
    """Return the square."""
    return number**2


def kill_at_three(number: int) -> int:
    """Return the square; the process dies at 3."""
    if number == 3:
        os.kill(os.getpid(), 9)
    return number**2


def sleep(number: int) -> int:
    """Return the number after a second."""
    time.sleep(1.0)
    return number


def wait_forever(number: int) -> None:
    """Wait until killed."""
    time.sleep(600.0)


def fail(number: int) -> None:
    """Raise a foreign error."""
    raise FileNotFoundError(Path("pegs.csv"))
