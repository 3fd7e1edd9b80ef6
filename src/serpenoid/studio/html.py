"""Export of a run as one HTML file that plays offline in any browser: packed data and a small player."""

from __future__ import annotations

import html
import os
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from string import Template

from serpenoid.errors import FileProblem, InvalidValue
from serpenoid.studio.packing import Packed, pack_run
from serpenoid.trajectory import Trajectory
from serpenoid.worlds.geometry import Colour

Progress = Callable[[float], None]  # receives the completed fraction, 0 to 1


def export_html(
    run: Trajectory,
    path: str | os.PathLike[str],
    frames_per_second: float = 30.0,
    progress: Progress | None = None,
) -> Path:
    """Write the animation of a run in real time; return its path."""
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise InvalidValue("path", str(target), "a file name ending in .html")
    page = page_of(run, frames_per_second, progress)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(page, encoding="utf-8")
    except OSError as error:
        raise FileProblem(target, f"cannot be written ({error.strerror or error})") from None
    return target


def page_of(run: Trajectory, frames_per_second: float = 30.0, progress: Progress | None = None) -> str:
    """Return the animation of a run as the text of a page."""
    packed = pack_run(run, frames_per_second, progress or (lambda share: None))
    folder = files("serpenoid.studio") / "player"
    return Template((folder / "player.html").read_text(encoding="utf-8")).substitute(
        title=html.escape(packed.title), heading=html.escape(packed.title.removeprefix("serpenoid: ")),
        cell=f"{packed.cell:g} m", legend=legend(packed), forces_hidden="" if packed.forces else "hidden",
        windows_hidden="" if packed.windows else "hidden", chassis_hidden="" if packed.chassis else "hidden",
        data=packed.text.replace("<", "\\u003c"), script=(folder / "player.js").read_text(encoding="utf-8"),
    )  # fmt: skip


def legend(packed: Packed) -> str:
    """Return the legend of the colours, a line each."""
    return "".join(
        f'<li><i class="{"line" if entry.line else "area"}" style="background: {swatch(entry.colours)}"></i>'
        f"{html.escape(entry.name)}</li>"
        for entry in packed.legend
    )


def swatch(colours: tuple[Colour, ...]) -> str:
    """Return adjacent colours as a CSS gradient."""
    width = 100.0 / len(colours)
    stops = (f"rgb{colour} {i * width:.3g}% {(i + 1) * width:.3g}%" for i, colour in enumerate(colours))
    return f"linear-gradient(90deg, {', '.join(stops)})"
