"""Progress of a search: the value of each trial and its position in the ranges."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from serpenoid.plotting.style import ACCENT, COLOURS, GREY, INK, dressed, labelled, legend, new_figure, plain, write
from serpenoid.plotting.sweeps import name_of
from serpenoid.sweeps.result import Where
from serpenoid.sweeps.search_result import optimum, trials
from serpenoid.sweeps.store import SweepLayout

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ACROSS = 3  # field panels per row


def progress(path: Where, figure: str | os.PathLike[str]) -> Path:
    """Write a page with the progress of a search, finished or not; return its path."""
    return write(progress_figure(path), figure)


def progress_figure(path: Where) -> Figure:
    """Plot the mean of each trial with its standard error and the best so far; below, each field over the trials."""
    from matplotlib.ticker import MaxNLocator

    layout = SweepLayout.read(Path(path))
    search, axes_of = layout.attributes["search"], layout.attributes["configuration"]["over"]
    found, made = optimum(path), trials(path)
    fields = search["searched"]
    across = max(1, min(ACROSS, len(fields)))
    rows = 1 + -(-len(fields) // across)
    figure = new_figure(11.0, 3.4 * rows)
    bands = figure.subfigures(rows, 1, squeeze=False)[:, 0]
    numbers, values = np.array([t.number for t in made]), np.array([t.value for t in made])
    finite = np.isfinite(values)
    keep = np.fmin.accumulate if search["best"].endswith(":min") else np.fmax.accumulate
    top = dressed(bands[0].add_subplot())
    errors = np.array([t.error for t in made])
    top.errorbar(numbers[finite], values[finite], errors[finite], fmt=".", color=COLOURS[0], ecolor=GREY, label="trial")
    top.plot(numbers, keep(values), color=INK, drawstyle="steps-post", label="best so far")
    top.plot(found.trial.number, found.trial.value, "o", color=ACCENT, label="best")
    unit = plain(f" [{found.unit}]") if found.unit else ""
    name = found.quantity.replace("_", " ")
    pool = "pooled over" if "/" in found.quantity else "mean of"
    labelled(
        top, "trial", name + unit, f"{name}, {pool} {search['runs']} runs per trial" if search["runs"] > 1 else name
    )
    top.xaxis.set_major_locator(MaxNLocator(integer=True))
    legend(top)
    for i, field in enumerate(fields):
        axes = dressed(bands[1 + i // across].add_subplot(1, across, i % across + 1))
        axes.plot(numbers, [t.fields[field] for t in made], ".", color=COLOURS[0])
        axes.plot(found.trial.number, found.trial.fields[field], "o", color=ACCENT)
        axes.set_yscale("log" if axes_of[field]["logarithmic"] else "linear")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        labelled(axes, "trial", name_of(layout, field))
    return figure
