"""Live table of module telemetry in a terminal, drawn by a separate process so that the control loop never waits."""

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
EVERY = 0.25  # between two tables [s]


@contextmanager
def telemetry(plant: Any) -> Iterator[None]:
    """Show the telemetry of a plant's modules four times per second while it runs, if there is a terminal."""
    from serpenoid.hardware.clock import RealClock
    from serpenoid.support.processes import APART

    if not sys.stderr.isatty():
        yield
        return
    words = [sys.executable, "-P", __file__]
    with Popen(words, stdin=PIPE, stdout=PIPE, bufsize=0, **APART) as artist:  # Ctrl-C does not reach it
        assert artist.stdin is not None and artist.stdout is not None
        artist.stdout.readline()  # wait until it is ready
        timer = RealClock().every(EVERY, lambda: tell(plant, artist.stdin))
        try:
            yield
        finally:
            timer.cancel()


def tell(plant: Any, out: Any) -> None:
    """Send the current measurements to the drawing process, which may have ended."""
    from serpenoid.cli.printing import format_fixed

    found = plant.measured
    if found:
        values = [[format_fixed(value, places=3) for value in found[name]] for name in COLUMNS]
        rows = [list(row) for row in zip(plant.robot.joint_names, plant.joints.names, *values)]
        with suppress(OSError, ValueError):
            out.write(json.dumps([f"t = {format_fixed(plant.time, 's')}", rows]).encode() + b"\n")
            out.flush()


def page(time: str, rows: list[list[str]]) -> Any:
    """Format module telemetry as a table."""
    from rich.markup import escape
    from rich.table import Table

    found = Table(title=f"{time}   Ctrl-C stops softly")
    for name in ("joint", "module", *COLUMNS.values()):
        found.add_column(escape(name), justify="right")  # unit brackets are not markup
    for row in rows:
        found.add_row(*row)
    return found


def draw() -> None:
    """Draw a table for each line of JSON on standard input until it closes; ignore Ctrl-C."""
    from rich.console import Console
    from rich.live import Live

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    print("ready", flush=True)
    with Live(console=Console(stderr=True), auto_refresh=False, transient=True) as live:
        for line in sys.stdin:
            live.update(page(*json.loads(line)), refresh=True)


if __name__ == "__main__":
    draw()
