"""`serpenoid export`: a saved run as a file that other tools open."""

from __future__ import annotations

from dataclasses import dataclass

from serpenoid.cli import arguments
from serpenoid.cli.console import progress_bar
from serpenoid.cli.printing import note, say
from serpenoid.trajectory import Trajectory

TITLE = (
    "serpenoid export RUN.zarr OUT.mcap|OUT.csv|OUT.parquet: write a run as ROS 2 messages (MCAP) for Foxglove, "
    "PlotJuggler and RViz, or as a table"
)


@dataclass(frozen=True)
class Options:
    """Options of `export`."""

    overwrite: bool = False
    """replace an existing file"""


def main(words: list[str]) -> int:
    """Write the file and print the parts that viewers do not show."""
    given = arguments.read_options(words, TITLE, Options())
    if given is None:
        return 0
    paths, options = given
    source, target = arguments.two_paths("export", paths, "a saved run, and the .mcap, .csv or .parquet file to write")
    from serpenoid.interchange.exporting import check_target, export_run

    check_target(target, options.overwrite)
    with progress_bar("export") as progress:
        remarks = export_run(Trajectory.load(source), target, options.overwrite, progress)
    for remark in remarks:
        note(f"{target}: {remark}")
    say(f"written: {target}")
    return 0
