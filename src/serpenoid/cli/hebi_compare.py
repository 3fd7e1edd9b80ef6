"""`serpenoid hebi compare`: a module log compared with the simulation, per joint and in the path."""

from __future__ import annotations

from serpenoid.cli import arguments, compare_log

TITLE = (
    "serpenoid hebi compare LOG --scenario NAME [--field value ...]: "
    "compare a log (.csv, .zarr, .hebilog) with the simulation"
)


def main(words: list[str]) -> int:
    """Compare the log with the scenario."""
    return compare_log.compare(arguments.read(words), TITLE, compare_log.Options("slithering"))
