"""Bare real-time loop that only waits for its periods, with the priority of a hardware loop: a baseline of the machine.

`python -m serpenoid_papers.benchmarks.bare_loop SECONDS PERIOD` prints "ready", runs, and prints its lateness as JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic, sleep

import numpy as np
from numpy.typing import NDArray

from serpenoid.hardware import realtime_priority


def lateness(duration: float, period: float) -> list[float]:
    """Return the delay of each wake-up after its period was due [s]."""
    begin, found = monotonic(), list[float]()
    while (due := len(found) * period) < duration:
        sleep(max(0.0, begin + due - monotonic()))
        found.append(monotonic() - begin - due)
    return found


@contextmanager
def run_beside(duration: float, period: float) -> Iterator[Callable[[], NDArray]]:
    """Run such a loop in a separate process during the block; the yielded call returns its delays (periods,) [s]."""
    command = [sys.executable, "-m", __name__, str(duration), str(period)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()  # wait for "ready"
        try:
            yield lambda: np.array(json.loads(process.stdout.readline()))  # type: ignore[union-attr]
        finally:
            process.kill()


if __name__ == "__main__":
    realtime_priority.hurry()
    print("ready", flush=True)
    print(json.dumps(lateness(float(sys.argv[1]), float(sys.argv[2]))), flush=True)
