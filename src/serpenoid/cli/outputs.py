"""Output files of a command: checked before anything is computed, never lost and never silently replaced."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from serpenoid.cli.console import progress_bar
from serpenoid.cli.exit_messages import add_saved
from serpenoid.errors import FileProblem
from serpenoid.support.output_paths import (
    FIGURES,
    PAGES,
    RECORDINGS,
    check_ending,
    check_file,
    check_folder,
    free_name,
    lock_path,
)
from serpenoid.trajectory import Trajectory, is_trajectory

BUSY = "another run is being saved here; wait until it ends, or choose another name"
TAKEN = "exists; choose another name, or add --overwrite true"


@dataclass(frozen=True)
class Output:
    """Path of a recording, locked for one run."""

    path: Path

    @classmethod
    @contextmanager
    def at(cls, path: Path, overwrite: bool, flag: str | None = "out") -> Iterator[Output]:
        """Lock the requested path; raise if it contains anything but a recording, or one that must not be replaced."""
        check_ending(flag, path, RECORDINGS)
        check_folder(path)
        with lock_path(path, BUSY):
            if path.exists() and not is_trajectory(path):
                raise FileProblem(path, "exists and is not a recording; choose another name")
            if path.exists() and not overwrite:
                raise FileProblem(path, TAKEN)
            yield cls(path)

    @classmethod
    @contextmanager
    def first_free(cls, path: Path) -> Iterator[Output]:
        """Lock the path, or the next NAME-2, NAME-3, ... that neither exists nor is locked by another run."""
        check_folder(path)
        number, free = 1, path
        while True:
            try:
                with lock_path(free, BUSY):
                    if not free.exists():
                        yield cls(free)
                        return
            except FileProblem as error:
                if error.problem != BUSY:
                    raise
            number += 1
            free = path.with_name(f"{path.stem}-{number}{path.suffix}")

    def save(self, trajectory: Trajectory) -> Path:
        """Save a completed run."""
        path = trajectory.save(self.path, replace=True)  # the path is locked, and replacing it was requested
        add_saved(path)
        return path

    def keep(self, trajectory: Trajectory) -> Path:
        """Save a run that ended early; an existing recording at the path is kept, and this one is saved next to it."""
        beside = self.path.with_name(f"{self.path.stem}-incomplete{self.path.suffix}")
        return trajectory.save(free_name(beside) if self.path.exists() else self.path)


@contextmanager
def place_of(name: str, out: str | None, overwrite: bool) -> Iterator[Output]:
    """Lock the output path of a run: the requested one, or the first free one of out/NAME.zarr, NAME-2, ..."""
    if out is None:
        with Output.first_free(Path("out") / f"{name}.zarr") as output:
            yield output
    else:
        with Output.at(Path(out), overwrite) as output:
            yield output


def check_pictures(plot: str | None, html: str | None, out: str | None = None) -> None:
    """Refuse figure and page paths with a wrong suffix, that cannot be written, or that lie inside the output
    folder."""
    for flag, name, endings in (("plot", plot, FIGURES), ("html", html, PAGES)):
        if name:
            check_ending(flag, Path(name), endings)
            if out and Path(out).resolve() in Path(name).resolve().parents:
                raise FileProblem(name, f"lies inside the recording {out}; choose another path")
            check_file(Path(name))


def pictures(trajectory: Trajectory, html: str | None, plot: str | None) -> list[str]:
    """Write the requested figure and animation; return one line for each."""
    written = []
    if html:
        from serpenoid.studio import export_html

        with progress_bar("animation") as progress:
            written.append(f"animation: {export_html(trajectory, html, progress=progress)}")
    if plot:
        from serpenoid.plotting import overview

        written.append(f"figure: {overview(trajectory, plot)}")
    return written
