"""`serpenoid render`: a saved run as a film or a picture, without a browser."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from serpenoid.cli import arguments
from serpenoid.cli.compile_progress import announced
from serpenoid.cli.console import progress_bar
from serpenoid.cli.printing import number, say
from serpenoid.configuration import above, between, check_fields
from serpenoid.errors import SerpenoidError
from serpenoid.support.output_paths import check_file
from serpenoid.trajectory import Trajectory

TITLE = "serpenoid render RUN.zarr OUT.gif|OUT.mp4|OUT.png: a saved run as a film, or its last moment as a picture"


@dataclass(frozen=True)
class Options:
    """What `render` takes."""

    width: Annotated[int | None, between(32, 4096, usual=(320, 1920))] = None
    """of the picture [pixels]; none: 960, of a GIF 576"""
    height: Annotated[int | None, between(32, 4096, usual=(240, 1080))] = None
    """of the picture [pixels]; none: 540, of a GIF 324"""
    rate: Annotated[float | None, above(0.0, usual=(10.0, 60.0), most=120.0)] = None
    """pictures in a second of the run [1/s]; none: 25, of a GIF 10"""
    follow: bool = True
    """whether the camera goes along with the robot; false: it shows the whole run from one place"""

    def __post_init__(self) -> None:
        check_fields(self)


def main(words: list[str]) -> int:
    """Draw and write."""
    given = arguments.read(words)
    if given.help:
        say(arguments.help_text(TITLE, Options()))
        return 0
    if len(given.positionals) != 2:
        raise SerpenoidError("render takes two paths: a saved run, and the film or picture to write")
    options = arguments.applied(Options(), given.flags)
    source, target = map(Path, given.positionals)
    check_file(target)
    from serpenoid.studio.film import OF_FILM, OF_GIF, render

    run = Trajectory.load(source)
    usual = OF_GIF if target.suffix.lower() == ".gif" else OF_FILM
    rate = options.rate or usual.rate
    check_rate(run, rate)
    size = (options.width or usual.size[0], options.height or usual.size[1])
    with announced(), progress_bar("render") as progress:
        path = render(run, target, size, rate, options.follow, progress)
    say(f"written: {path}")
    return 0


def check_rate(run: Trajectory, rate: float) -> None:
    """Refuse a rate that makes too many frames."""
    from serpenoid.studio import scene

    if (count := scene.frame_count(run, rate)) > scene.MOST_FRAMES:
        advice = f"try --rate {number(scene.highest_rate(run))}"
        raise SerpenoidError(f"--rate {number(rate)}: {count} frames, at most {scene.MOST_FRAMES}; {advice}")
