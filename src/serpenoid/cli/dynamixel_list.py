"""`serpenoid dynamixel list`: the motors on a port, or those of the emulator."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from serpenoid.cli import arguments
from serpenoid.cli.printing import say, table
from serpenoid.errors import Unsupported
from serpenoid.hardware.dynamixel_map import BusSettings, title
from serpenoid.hardware.dynamixel_models import BAUD_RATES, NAMES

if TYPE_CHECKING:
    from serpenoid.hardware.dynamixel_port import PacketPort

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

    rows: list[list[str]] = []
    refused: list[Unsupported] = []
    for rate in BAUD_RATES:
        try:
            opened = PacketPort(replace(BusSettings(port), baud_rate=rate), RealClock())
        except Unsupported as error:
            refused.append(error)
            continue
        try:
            with opened.patiently():
                rows += motors_at(opened, rate)
        finally:
            opened.close()
    if len(refused) == len(BAUD_RATES):
        raise refused[0]
    if refused:  # not every adapter has every rate
        warnings.warn(f"{len(refused)} of {len(BAUD_RATES)} baud rates were not tried: {refused[0]}", stacklevel=2)
    return rows


def motors_at(port: PacketPort, rate: int) -> list[list[str]]:
    """Return the motors that answer at the baud rate of an open port."""
    rows = []
    for identity, (number, firmware) in sorted(port.scan().items()):
        remark = "two motors have this ID" if port.ping(identity)[1] else ""
        rows.append([title(identity), NAMES.get(number, f"number {number}"), str(firmware), str(rate), remark])
    return rows


def twin_rows() -> list[list[str]]:
    """Return the motors of the emulator; this starts no simulation."""
    from serpenoid.hardware.emulator import emulator

    rate = str(BusSettings().baud_rate)
    return [[title(row[0]), *row[1:], rate, ""] for row in emulator("dynamixel").modules()]
