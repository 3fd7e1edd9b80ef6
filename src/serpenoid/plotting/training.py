"""Learning curve of a training."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from serpenoid.plotting.style import ACCENT, COLOURS, INK, dressed, labelled, legend, new_figure, write
from serpenoid.training.store import Layout

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def learning_curve(path: str | os.PathLike[str], figure: str | os.PathLike[str]) -> Path:
    """Write the learning curve of a training, finished or not; return its path."""
    return write(curve_figure(path), figure)


def curve_figure(path: str | os.PathLike[str]) -> Figure:
    """Plot mean and range of the candidates' returns over the generations, and the checks of the mean policy."""
    layout = Layout.read(Path(path))
    done = layout.finished
    returns, checks = layout.rows("returns", done), layout.rows("check", done)[:, 0]
    number, checked = np.arange(1, done + 1), np.isfinite(checks)
    sheet = new_figure(8.0, 3.8)
    axes = dressed(sheet.add_subplot())
    low, mean, high = (f(returns, axis=1) for f in (np.nanmin, np.nanmean, np.nanmax))
    axes.fill_between(number, low, high, color=COLOURS[0], alpha=0.2, linewidth=0.0, label="range of the candidates")
    axes.plot(number, mean, color=COLOURS[0], label="mean of the candidates")
    axes.plot(number[checked], checks[checked], "o-", color=INK, markersize=3, label="mean policy, checked")
    if checked.any():
        best = int(np.nanargmax(checks))
        axes.plot(number[best], checks[best], "o", color=ACCENT, label="result")
    goal = " + ".join(f"{weight:g} {name}" for name, weight in layout.attributes["configuration"]["goal"].items())
    labelled(axes, "generation", "return", goal.replace("+ -", "- "))
    legend(axes)
    return sheet
