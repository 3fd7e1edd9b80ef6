"""Plots of sweeps: maps over two fields, slices through the best cell, fronts of gain against cost."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import FileProblem, UnknownName
from serpenoid.plotting.style import ACCENT, COLOURS, GREY, INK, dressed, labelled, new_figure, plain, write
from serpenoid.scenarios import name_of_kind
from serpenoid.sweeps.result import Cells, Where, best, fields_at, front, scan
from serpenoid.sweeps.store import OPEN, SweepLayout

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_POINTS = 20_000  # drawn in a scatter plot
MOST_PANELS = 8  # slices per page
MOST_TICKS = 6  # on a logarithmic axis


def overview(path: Where, figure: str | os.PathLike[str], quantity: str | None = None, smallest: bool = False) -> Path:
    """Write a page with a map, a front and slices of a sweep, finished or not; return its path."""
    return write(overview_figure(path, quantity, smallest), figure)


def overview_figure(path: Where, quantity: str | None = None, smallest: bool = False) -> Figure:
    """Return the page as a figure."""
    layout = SweepLayout.read(Path(path))
    if not layout.quantities:
        raise FileProblem(path, "has no finished cells to plot yet")
    chosen = quantity or layout.quantities[0]
    cost = cost_of(path, layout, chosen)
    sliced = layout.swept[:MOST_PANELS]
    columns = min(4, len(sliced))
    mapped = len(layout.swept) > 1
    tops = int(mapped) + int(cost is not None)
    above = int(tops > 0)
    rows = above + -(-len(sliced) // columns)
    figure = new_figure(13.0, 3.7 * rows + 0.4)
    bands = figure.subfigures(rows, 1, squeeze=False)[:, 0]
    if mapped:
        map_of(path, chosen, axes=bands[0].add_subplot(1, tops, 1), smallest=smallest)
    if cost is not None:
        front_of(path, chosen, cost, axes=bands[0].add_subplot(1, tops, tops))
    for i, field in enumerate(sliced):
        axes = bands[above + i // columns].add_subplot(1, columns, i % columns + 1)
        slice_of(path, chosen, field, axes=axes, smallest=smallest)
    figure.suptitle(title_of(layout), fontsize=12, color=INK, x=0.01, ha="left")
    return figure


def cost_of(path: Where, layout: SweepLayout, gain: str) -> str | None:
    """Return the cost for a front: the power, or the first other quantity whose front has more than one cell."""
    others = sorted((name for name in layout.quantities if name != gain), key=lambda name: name != "power")
    return next((name for name in others if len(front(path, gain, name).indices) > 1), None)


def map_of(
    path: Where,
    quantity: str,
    fields: tuple[str, str] | None = None,
    axes: Axes | None = None,
    smallest: bool = False,
) -> Axes:
    """Plot a quantity over two fields, optimised over all other fields. A sample is drawn as points."""
    layout = layout_with(path, quantity, *(fields or ()))
    across, up = fields or sorted(layout.swept, key=lambda field: labels_of(layout, field) is not None)[:2]
    axes = dressed(new_figure(6.5, 4.5).add_subplot()) if axes is None else dressed(axes)
    if layout.attributes["sampled"]:
        points = cloud(layout)
        image: Any = axes.scatter(
            numbers(layout, across, points),
            numbers(layout, up, points),
            c=points.quantities[quantity],
            s=6,
            rasterized=True,
        )
    else:
        values = best_along(layout, quantity, (across, up), smallest)
        axes.grid(False)
        x, y = (edges(layout, field) for field in (across, up))
        image = axes.pcolormesh(x, y, values.T, shading="flat", rasterized=True)
        axes.set(xlim=(x[0], x[-1]), ylim=(y[0], y[-1]))
    colours = axes.figure.colorbar(image, ax=axes)
    colours.set_label(name_of(layout, quantity), fontsize=9.5, color=INK)
    scale(layout, across, axes, "x")
    scale(layout, up, axes, "y")
    rest = [] if layout.attributes["sampled"] else [f for f in layout.swept if f not in (across, up)]
    note = f", {'minimum' if smallest else 'maximum'} over {', '.join(rest)}" if rest else ""
    return labelled(axes, name_of(layout, across), name_of(layout, up), words(quantity) + note)


def front_of(path: Where, gain: str, cost: str, axes: Axes | None = None) -> Axes:
    """Plot gain against cost: the cells as points, and the Pareto front as a line."""
    layout = layout_with(path, gain, cost)
    axes = dressed(new_figure(6.5, 4.5).add_subplot()) if axes is None else dressed(axes)
    points, line = cloud(layout), front(path, gain, cost)
    axes.plot(
        points.quantities[cost], points.quantities[gain], ".", color=GREY, markersize=2, alpha=0.5, rasterized=True
    )
    axes.plot(line.quantities[cost], line.quantities[gain], "-", color=ACCENT, drawstyle="steps-post")
    axes.plot(line.quantities[cost], line.quantities[gain], ".", color=ACCENT, markersize=5)
    show_front(axes, points, line, gain, cost)
    return labelled(
        axes, name_of(layout, cost), name_of(layout, gain), f"Pareto front: best {words(gain)} for each {words(cost)}"
    )


def show_front(axes: Axes, points: Cells, line: Cells, gain: str, cost: str) -> None:
    """Set limits around the front and the cells next to it; cells of much higher cost would squeeze it."""
    costs, front_costs, front_gains = points.quantities[cost], line.quantities[cost], line.quantities[gain]
    if not front_costs.size:
        return
    low, high = float(front_costs.min()), float(front_costs.max())
    span = (high - low) or float(np.nanmax(costs, initial=high)) - low or 1.0
    limits = low - 0.05 * span, min(high + 0.25 * span, float(np.nanmax(costs, initial=high)) + 0.05 * span)
    near = points.quantities[gain][(costs >= limits[0]) & (costs <= limits[1])]
    shown = np.concatenate([near, front_gains])  # of a large sweep only part of the cells is drawn, but the whole front
    room = 0.05 * (float(np.ptp(shown)) or 1.0)
    axes.set_xlim(*limits)
    axes.set_ylim(float(shown.min()) - room, float(shown.max()) + room)
    beyond = float(np.mean(costs > limits[1])) if costs.size else 0.0
    if beyond > 0.0:
        remark = f"{100.0 * beyond:.2g} % of the cells lie to the right"
        axes.text(0.99, 0.02, remark, transform=axes.transAxes, ha="right", va="bottom", fontsize=8, color=INK)


def slice_of(path: Where, quantity: str, field: str, axes: Axes | None = None, smallest: bool = False) -> Axes:
    """Plot a quantity along one field through the best cell; a sample is drawn as points over that field."""
    layout = layout_with(path, quantity, field)
    axes = dressed(new_figure(5.0, 3.6).add_subplot()) if axes is None else dressed(axes)
    if layout.attributes["sampled"]:
        points = cloud(layout)
        axes.plot(numbers(layout, field, points), points.quantities[quantity], ".", color=COLOURS[0], markersize=2)
        title = ""
    else:
        top = best(path, quantity, 1, smallest)
        title = ""
        if len(top.indices):
            title = fixed_at({name: values[0] for name, values in top.fields.items() if name != field})
            index = list(map(int, top.indices[0]))
            axis = layout.swept.index(field)
            index[axis : axis + 1] = [slice(None)]  # type: ignore[list-item]
            values = layout.array(quantity)[tuple(index)]
            style = "none" if labels_of(layout, field) else "-"
            axes.plot(positions(layout, field), values, color=COLOURS[0], marker=".", linestyle=style, linewidth=1.2)
    scale(layout, field, axes, "x")
    axes.set_title(title, fontsize=8.5, color=INK, loc="left")
    return labelled(axes, name_of(layout, field), name_of(layout, quantity))


def fixed_at(values: dict[str, Any]) -> str:
    """Format the values of the other fields at the best cell, one per line."""
    named = [
        f"{name} = {value:.4g}" if isinstance(value, float) else f"{name} = {value}" for name, value in values.items()
    ]
    return "others fixed at\n" + ",\n".join(named) if named else ""


def best_along(layout: SweepLayout, quantity: str, fields: tuple[str, str], smallest: bool) -> NDArray:
    """Return the best value over all other fields, (first, second) of the two; read chunk by chunk."""
    kept = [layout.swept.index(field) for field in fields]
    others = tuple(i for i in range(len(layout.swept)) if i not in kept)
    better = np.fmin if smallest else np.fmax
    result = np.full([layout.grid.shape[i] for i in sorted(kept)], np.nan)
    for chunk in np.flatnonzero(layout.states() != OPEN).tolist():
        if layout.file(quantity, chunk).exists():
            region = layout.grid.region(chunk)
            where = tuple(region[i] for i in sorted(kept))
            result[where] = better(result[where], better.reduce(layout.read_chunk(quantity, chunk), axis=others))
    return result if kept == sorted(kept) else result.T


def cloud(layout: SweepLayout) -> Cells:
    """Return cells spread evenly over the computed ones, few enough to draw."""
    every = max(1, layout.grid.cells // MOST_POINTS)
    cells: list[NDArray] = [np.empty(0, dtype=np.int64)]
    values: dict[str, list[NDArray]] = {name: [np.empty(0)] for name in layout.quantities}
    for where, found in scan(layout):
        taken = slice(int(where[0]) % every, None, every)
        cells.append(where[taken])
        for name in values:
            values[name].append(found[name][taken])
    indices = np.stack(np.unravel_index(np.concatenate(cells), layout.grid.shape), axis=1)
    fields = fields_at(layout, indices) if layout.attributes["sampled"] else {}
    return Cells(indices, fields, {name: np.concatenate(parts) for name, parts in values.items()})


def layout_with(path: Where, quantity: str, *names: str) -> SweepLayout:
    """Read the layout of a sweep and check that it has a quantity and these fields or quantities."""
    layout = SweepLayout.read(Path(path))
    for name in (quantity, *names):
        if name not in (*layout.quantities, *layout.swept):
            raise UnknownName("quantity or field", name, [*layout.quantities, *layout.swept])
    return layout


def positions(layout: SweepLayout, field: str) -> NDArray:
    """Return the positions of the values of an axis; labels are at 0, 1, 2, ..."""
    return layout.array(field)[...]


def edges(layout: SweepLayout, field: str) -> NDArray:
    """Return the cell boundaries of a map along an axis: midpoints of its values, geometric on a logarithmic axis."""
    values = positions(layout, field).astype(float)
    if is_logarithmic(layout, field):
        return np.exp(midpoints(np.log(values)))
    return midpoints(values)


def midpoints(values: NDArray) -> NDArray:
    """Return the midpoints between values, extended beyond the first and the last."""
    if values.size == 1:
        return values[0] + 0.5 * np.array([-1.0, 1.0])
    middles = 0.5 * (values[1:] + values[:-1])
    return np.concatenate([[2.0 * values[0] - middles[0]], middles, [2.0 * values[-1] - middles[-1]]])


def is_logarithmic(layout: SweepLayout, field: str) -> bool:
    """Return whether an axis is logarithmic."""
    plain = layout.attributes["configuration"]["over"][field]
    return isinstance(plain, dict) and bool(plain["logarithmic"])


def numbers(layout: SweepLayout, field: str, points: Cells) -> list[float]:
    """Return the values of a field at points of a sample; labels as their index."""
    labels = labels_of(layout, field)
    return [labels.index(value) for value in points.fields[field]] if labels else points.fields[field]


def labels_of(layout: SweepLayout, field: str) -> list[str] | None:
    """Return the labels of a field; None if its values are numbers."""
    return layout.array(field).attrs.get("labels")


def scale(layout: SweepLayout, field: str, axes: Axes, direction: str) -> None:
    """Set labels as ticks if a field has them, and a logarithmic scale if its axis is logarithmic."""
    labels, axis = labels_of(layout, field), getattr(axes, f"{direction}axis")
    if labels:
        axis.set_ticks(range(len(labels)), labels=[plain(label) for label in labels])
    elif is_logarithmic(layout, field):
        from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

        getattr(axes, f"set_{direction}scale")("log")
        if layout.attributes["sampled"]:
            axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        else:  # ticks at computed values: a short axis may contain no round number
            values = positions(layout, field)
            axis.set_ticks(values[:: -(-values.size // MOST_TICKS)])
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.3g}"))
        axis.set_minor_locator(NullLocator())


def name_of(layout: SweepLayout, quantity: str) -> str:
    """Return a quantity or a field with its unit."""
    unit = plain(layout.array(quantity).attrs["units"])
    name = quantity if quantity in layout.swept else words(quantity)
    return f"{name} [{unit}]" if unit else name


def words(name: str) -> str:
    """Replace underscores by spaces."""
    return name.replace("_", " ")


def title_of(layout: SweepLayout) -> str:
    """Return the scenario and the progress of the sweep."""
    kind = name_of_kind(layout.attributes["configuration"]["scenario"]["type"])
    left = int(np.sum(layout.states() == OPEN))
    state = f", {100 * (1 - left / layout.grid.chunks):.0f} % computed" if left else ""
    return f"{kind}: {layout.grid.cells} cells{state}"
