"""`serpenoid dynamixel list`: the motors on a port, or those of the emulator."""

from __future__ import annotations

from dataclasses import dataclass, replace

from serpenoid.cli import arguments
from serpenoid.cli.printing import say, table
from serpenoid.hardware.dynamixel_map import BusSettings, title
from serpenoid.hardware.dynamixel_models import BAUD_RATES, NAMES

TITLE = "serpenoid dynamixel list [--port PORT] [--twin]: motors on a serial port, at every baud rate, or emulated ones"


@dataclass(frozen=True)
class Options:
    """Options of `list`."""

    port: str = BusSettings().port
    """serial port"""
    twin: bool = False
    """list the emulated motors instead"""


def main(words: list[str]) -> int:
    """List the motors."""
    given = arguments.read_options(words, TITLE, Options())
    if given is None:
        return 0
    _, options = given
    rows = twin_rows() if options.twin else port_rows(options.port)
    header = ["motor", "model", "firmware", "baud rate", ""]
    say(table(rows, header) if rows else f"no motors on {options.port} at any baud rate")
    return 0


def port_rows(port: str) -> list[list[str]]:
    """Return the motors that answer at any baud rate."""
    from serpenoid.hardware.clock import RealClock
    from serpenoid.hardware.dynamixel_port import PacketPort

    rows = []
    for rate in BAUD_RATES:
        opened = PacketPort(replace(BusSettings(port), baud_rate=rate), RealClock())
        try:
            for identity, (number, firmware) in sorted(opened.scan().items()):
                remark = "two motors have this ID" if opened.ping(identity)[1] else ""
                rows.append([title(identity), NAMES.get(number, f"number {number}"), str(firmware), str(rate), remark])
        finally:
            opened.close()
    return rows


def twin_rows() -> list[list[str]]:
    """Return the motors of the emulator; this starts no simulation."""
    from serpenoid.hardware.emulator import emulator

    rate = str(BusSettings().baud_rate)
    return [[title(row[0]), *row[1:], rate, ""] for row in emulator("dynamixel").modules()]
