"""What a command leaves on disk: checked before anything is computed, never lost and never silently replaced."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from serpenoid.cli.console import progress_bar
from serpenoid.cli.exit_messages import saves
from serpenoid.errors import FileProblem
from serpenoid.support.output_paths import (
    FIGURES,
    PAGES,
    RECORDINGS,
    check_ending,
    check_file,
    check_folder,
    free_name,
    locked,
)
from serpenoid.trajectory import Trajectory, is_trajectory

BUSY = "another run is being saved here; wait for its end, or choose another --out"
TAKEN = "exists; choose another --out, or add --overwrite true"


@dataclass(frozen=True)
class Output:
    """The place of a recording, held for one run."""

    path: Path

    @classmethod
    @contextmanager
    def at(cls, path: Path, overwrite: bool) -> Iterator[Output]:
        """A path that was asked for; refused where it holds something else, or a recording that is to stay."""
        check_ending("out", path, RECORDINGS)
        check_folder(path)
        with locked(path, BUSY):
            if path.exists() and not is_trajectory(path):
                raise FileProblem(path, "exists and is no recording; choose another --out")
            if path.exists() and not overwrite:
                raise FileProblem(path, TAKEN)
            yield cls(path)

    @classmethod
    @contextmanager
    def first_free(cls, path: Path) -> Iterator[Output]:
        """The path, or the next NAME-2, NAME-3, ... that neither exists nor is held by another run."""
        check_folder(path)
        number, free = 1, path
        while True:
            try:
                with locked(free, BUSY):
                    if not free.exists():
                        yield cls(free)
                        return
            except FileProblem as error:
                if error.problem != BUSY:
                    raise
            number += 1
            free = path.with_name(f"{path.stem}-{number}{path.suffix}")

    def save(self, trajectory: Trajectory) -> Path:
        """Save a run that reached its end."""
        path = trajectory.save(self.path, replace=True)  # the place is held, and was asked for
        saves(path)
        return path

    def keep(self, trajectory: Trajectory) -> Path:
        """Save a run that ended early; what stands at the path stays, and this goes beside it."""
        beside = self.path.with_name(f"{self.path.stem}-incomplete{self.path.suffix}")
        return trajectory.save(free_name(beside) if self.path.exists() else self.path)


@contextmanager
def place_of(name: str, out: str | None, overwrite: bool) -> Iterator[Output]:
    """Where a run goes: the path that is asked for, or the first free one of out/NAME.zarr, NAME-2, ..."""
    if out is None:
        with Output.first_free(Path("out") / f"{name}.zarr") as output:
            yield output
    else:
        with Output.at(Path(out), overwrite) as output:
            yield output


def check_pictures(plot: str | None, html: str | None, out: str | None = None) -> None:
    """Refuse figures and pages whose names end wrongly, that cannot be written, or would lie among the numbers."""
    for flag, name, endings in (("plot", plot, FIGURES), ("html", html, PAGES)):
        if name:
            check_ending(flag, Path(name), endings)
            if out and Path(out).resolve() in Path(name).resolve().parents:
                raise FileProblem(name, f"lies inside of {out}, where the numbers go; choose another place")
            check_file(Path(name))


def pictures(trajectory: Trajectory, html: str | None, plot: str | None) -> list[str]:
    """Write the pictures that were asked for; a line for each."""
    written = []
    if html:
        from serpenoid.studio import export_html

        with progress_bar("animation") as progress:
            written.append(f"animation: {export_html(trajectory, html, progress=progress)}")
    if plot:
        from serpenoid.plotting import overview

        written.append(f"figure: {overview(trajectory, plot)}")
    return written
