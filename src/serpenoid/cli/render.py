"""`serpenoid render`: a saved run rendered to a film or an image, without a browser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from serpenoid.cli import arguments
from serpenoid.cli.compile_progress import announced
from serpenoid.cli.console import progress_bar
from serpenoid.cli.printing import number, say
from serpenoid.configuration import above, between, check_fields
from serpenoid.errors import SerpenoidError
from serpenoid.support.output_paths import check_file
from serpenoid.trajectory import Trajectory

TITLE = "serpenoid render RUN.zarr OUT.gif|OUT.mp4|OUT.png: render a run to a film, or its last sample to an image"


@dataclass(frozen=True)
class Options:
    """Options of `render`."""

    width: Annotated[int | None, between(32, 4096, usual=(320, 1920))] = None
    """image width [pixels]; none: 960, or 576 for a GIF"""
    height: Annotated[int | None, between(32, 4096, usual=(240, 1080))] = None
    """image height [pixels]; none: 540, or 324 for a GIF"""
    rate: Annotated[float | None, above(0.0, usual=(10.0, 60.0), most=120.0)] = None
    """frames per second [1/s]; none: 25, or 10 for a GIF"""
    follow: bool = True
    """whether the camera follows the robot; false: a fixed camera shows the whole run"""

    def __post_init__(self) -> None:
        check_fields(self)


def main(words: list[str]) -> int:
    """Render and write the file."""
    given = arguments.read_options(words, TITLE, Options())
    if given is None:
        return 0
    paths, options = given
    source, target = arguments.two_paths("render", paths, "a saved run, and the film or image to write")
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
    """Refuse a frame rate that gives too many frames."""
    from serpenoid.studio import scene

    if (count := scene.frame_count(run, rate)) > scene.MOST_FRAMES:
        advice = f"try --rate {number(scene.highest_rate(run))}"
        raise SerpenoidError(f"--rate {number(rate)}: {count} frames, at most {scene.MOST_FRAMES}; {advice}")
