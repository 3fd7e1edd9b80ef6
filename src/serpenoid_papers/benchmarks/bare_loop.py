"""A loop that only waits for its periods, with the haste of one that leads modules: what it loses, the machine loses.

`python -m serpenoid_papers.benchmarks.bare_loop SECONDS PERIOD` says "ready", runs, and prints its lateness as JSON.
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
    """How long after each of its periods was due the loop was there [s]."""
    begin, found = monotonic(), list[float]()
    while (due := len(found) * period) < duration:
        sleep(max(0.0, begin + due - monotonic()))
        found.append(monotonic() - begin - due)
    return found


@contextmanager
def beside(duration: float, period: float) -> Iterator[Callable[[], NDArray]]:
    """Such a loop in a process of its own while something else runs [s]; afterwards, how late it was (periods,) [s]."""
    command = [sys.executable, "-m", __name__, str(duration), str(period)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()  # it is there
        try:
            yield lambda: np.array(json.loads(process.stdout.readline()))  # type: ignore[union-attr]
        finally:
            process.kill()


if __name__ == "__main__":
    realtime_priority.hurry()
    print("ready", flush=True)
    print(json.dumps(lateness(float(sys.argv[1]), float(sys.argv[2]))), flush=True)
