"""Command `serpenoid demo`: a first overview, with a table, pictures, recordings and animations."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from serpenoid.cli import arguments
from serpenoid.cli.compile_progress import announced
from serpenoid.cli.printing import entry, say, table
from serpenoid.errors import SerpenoidError
from serpenoid.scenarios.base import without_rounding
from serpenoid.support.output_paths import check_writable

TITLE = "serpenoid demo: three media and NATRIX, a table, pictures, animations"


@dataclass(frozen=True)
class Options:
    """Options of `demo`."""

    out: str = "demo"
    """folder for pictures, recordings and animations"""


def main(words: list[str]) -> int:
    """Run three media and NATRIX; write pictures, recordings and animations."""
    given = arguments.read_options(words, TITLE, Options())
    if given is None:
        return 0
    positionals, options = given
    if positionals:
        raise SerpenoidError(f"demo {' '.join(positionals)}: must have no arguments except --out FOLDER")
    out = Path(options.out)
    check_writable(out / "planar_dry.zarr")
    from serpenoid_papers.demo import demonstrate

    with announced():
        outcomes = list(demonstrate(out))
    header = ["run", "speed [m/s]", "power [W]", "energy residual", "times real time"]
    rows = [
        [name, without_rounding(speed, "m/s"), power, residual, round(times)]
        for name, speed, power, residual, times, _ in outcomes
    ]
    say(table(rows, header))
    say("\nfiles written:")
    for outcome in outcomes:
        say(entry(outcome.name, "  ".join(str(path) for path in outcome.files), 16))
    say("\nThe .html files open in any browser; `serpenoid show PATH` reads the .zarr recordings.")
    return 0
