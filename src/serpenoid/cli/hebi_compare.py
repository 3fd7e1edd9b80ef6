"""`serpenoid hebi compare`: a log of modules laid over the simulation, per joint and in the path."""

from __future__ import annotations

from serpenoid.cli import arguments, compare_log

TITLE = (
    "serpenoid hebi compare LOG --scenario NAME [--field value ...]: a log (.csv, .zarr, .hebilog) over the simulation"
)


def main(words: list[str]) -> int:
    """Lay the log over the scenario."""
    return compare_log.compare(arguments.read(words), TITLE, compare_log.Options("slithering"))
