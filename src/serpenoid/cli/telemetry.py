"""A table that follows modules in a terminal. A process of its own draws it: drawing keeps no loop waiting."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from subprocess import PIPE, Popen
from typing import Any

COLUMNS = {
    "joint_position": "angle [rad]", "joint_torque": "torque [N m]", "temperature": "motor [deg C]",
    "voltage": "supply [V]",
}  # fmt: skip
EVERY = 0.25  # time between two tables [s]


@contextmanager
def telemetry(plant: Any) -> Iterator[None]:
    """What a plant's modules tell, four times a second while it runs, where a terminal is there to show it."""
    from serpenoid.hardware.clock import RealClock
    from serpenoid.support.processes import APART

    if not sys.stderr.isatty():
        yield
        return
    words = [sys.executable, "-P", __file__]
    with Popen(words, stdin=PIPE, stdout=PIPE, bufsize=0, **APART) as artist:  # Ctrl-C does not reach it
        assert artist.stdin is not None and artist.stdout is not None
        artist.stdout.readline()  # it is there
        timer = RealClock().every(EVERY, lambda: tell(plant, artist.stdin))
        try:
            yield
        finally:
            timer.cancel()


def tell(plant: Any, out: Any) -> None:
    """Hand over what is known now; whoever draws it may have gone."""
    from serpenoid.cli.printing import fixed

    found = plant.measured
    if found:
        values = [[fixed(value, places=3) for value in found[name]] for name in COLUMNS]
        rows = [list(row) for row in zip(plant.robot.joint_names, plant.joints.names, *values)]
        with suppress(OSError, ValueError):
            out.write(json.dumps([f"t = {fixed(plant.time, 's')}", rows]).encode() + b"\n")
            out.flush()


def page(time: str, rows: list[list[str]]) -> Any:
    """What modules tell, as a table."""
    from rich.markup import escape
    from rich.table import Table

    found = Table(title=f"{time}   Ctrl-C stops softly")
    for name in ("joint", "module", *COLUMNS.values()):
        found.add_column(escape(name), justify="right")  # units in brackets are no markup
    for row in rows:
        found.add_row(*row)
    return found


def draw() -> None:
    """The process that draws: a line of JSON makes a table; it ends with what it reads from, not by Ctrl-C."""
    from rich.console import Console
    from rich.live import Live

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    print("ready", flush=True)
    with Live(console=Console(stderr=True), auto_refresh=False, transient=True) as live:
        for line in sys.stdin:
            live.update(page(*json.loads(line)), refresh=True)


if __name__ == "__main__":
    draw()
