"""Style of all figures (sizes, colours, grids and legends) and their display in notebooks."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import FileProblem, InvalidValue

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SUFFIXES = (".png", ".svg", ".pdf")
INK, GREY, ACCENT, AMBER, SLATE = "#1d2733", "#8b98a5", "#d1495b", "#edae49", "#5c656d"
LEGEND_BELOW = 0.44  # [in] from the axes, below ticks and label
COLOURS = ("#00798c", "#d1495b", "#edae49", "#30638e", "#6a994e", "#8d5a97", "#3d405b", "#bc6c25")


def new_figure(width: float = 7.0, height: float = 4.0) -> Figure:
    """Create a pyplot figure if figures are displayed, otherwise one without display that needs no closing."""
    from matplotlib.figure import Figure

    make: Any = Figure
    if figures_displayed():
        from matplotlib import pyplot

        make = pyplot.figure
    return make(figsize=(width, height), layout="constrained", facecolor="white")


def figures_displayed() -> bool:
    """Return whether figures are displayed: in a notebook, or if pyplot is interactive."""
    return in_notebook() or ("matplotlib.pyplot" in sys.modules and sys.modules["matplotlib"].is_interactive())


def in_notebook() -> bool:
    """Return whether this process is a notebook kernel."""
    if "IPython" not in sys.modules:
        return False
    shell = sys.modules["IPython"].get_ipython()
    return shell is not None and shell.has_trait("kernel")


def axes_or_new(axes: Axes | None, width: float = 7.0, height: float = 4.0) -> Axes:
    """Return the given axes, or those of a new figure."""
    return dressed(new_figure(width, height).add_subplot() if axes is None else axes)


def dressed(axes: Axes) -> Axes:
    """Add a light grid to the axes and remove the box."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(GREY)
    axes.tick_params(colors=INK, labelsize=8.5)
    axes.grid(True, color="#e3e8ec", linewidth=0.7)
    axes.set_axisbelow(True)
    return axes


def labelled(axes: Axes, x: str, y: str, title: str = "") -> Axes:
    """Label the axes with names and units."""
    axes.set_xlabel(x, fontsize=9.5, color=INK)
    axes.set_ylabel(y, fontsize=9.5, color=INK)
    if title:
        axes.set_title(title, fontsize=10.5, color=INK, loc="left")
    return axes


def plain(text: str) -> str:
    """Escape dollar signs in a text of an untrusted recording, so that it starts no formula."""
    return text.replace("$", r"\$")


def legend(axes: Axes, **options: Any) -> None:
    """Draw a legend below the axes, in as many columns as fit their width."""
    from matplotlib.transforms import ScaledTranslation

    handles, names = axes.get_legend_handles_labels()
    if not handles:
        return
    figure: Any = axes.figure
    below = axes.transAxes + ScaledTranslation(0.0, -LEGEND_BELOW, figure.dpi_scale_trans)
    place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (0.0, 0.0), "borderaxespad": 0.0}
    place |= {"ncols": legend_columns(axes, names)} | ({} if "bbox_to_anchor" in options else {"bbox_transform": below})
    axes.legend(handles, names, fontsize=8, frameon=False, handlelength=1.4, columnspacing=1.0, **place | options)


def legend_columns(axes: Axes, names: Sequence[str]) -> int:
    """Return the number of legend columns that fit the width of the axes, by an estimate of the text width."""
    figure: Any = axes.figure
    spec = axes.get_subplotspec()
    share = len(spec.colspan) / spec.get_gridspec().ncols if spec else axes.get_position().width
    room = share * figure.bbox.width / figure.dpi - 0.8  # [in], without the labels of the y axis
    for columns in range(len(names), 1, -1):
        rows = -(-len(names) // columns)
        widest = [max(map(len, names[i : i + rows])) for i in range(0, len(names), rows)]
        if sum(0.34 + 0.058 * letters for letters in widest) <= room:  # [in] of a handle and of a letter
            return columns
    return 1


def gradient(count: int) -> NDArray:
    """Return (count, 4) colours from head (dark) to tail (light) for ordered series."""
    from matplotlib import colormaps

    return np.asarray(colormaps["viridis"](np.linspace(0.05, 0.9, count) if count > 1 else [0.35]))


def map_scale(values: NDArray) -> tuple[str, float, float]:
    """Return colour map and scale ends for a map of values: red above 0, blue below, white near 0."""
    good = values[np.isfinite(values)]
    low, high = (float(good.min()), float(good.max())) if good.size else (0.0, 1.0)
    if low < 0.0 < high:
        low, high = -max(-low, high), max(-low, high)
        return "RdBu_r", low, high
    return "Blues_r" if low < 0.0 else "Reds", low, high if high > low else low + 1.0


def palette(count: int) -> Sequence[Any]:
    """Return colours for a few series, or a gradient for many."""
    return COLOURS[:count] if count <= len(COLOURS) else list(gradient(count))


def write(figure: Figure, path: str | os.PathLike[str]) -> Path:
    """Save a figure and create its folder if necessary."""
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise InvalidValue("path", str(target), f"a file name ending in {', '.join(SUFFIXES)}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(target, dpi=120)
    except OSError as error:
        raise FileProblem(target, f"cannot be written ({error.strerror or error})") from None
    finally:
        if "matplotlib.pyplot" in sys.modules:  # a figure written to a file is not displayed as well
            sys.modules["matplotlib.pyplot"].close(figure)
    return target
