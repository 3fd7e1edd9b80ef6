"""Map of a variable in a page: joints or links over time, with a colour scale."""

from __future__ import annotations

import base64
import html
import io

import numpy as np
from numpy.typing import NDArray

from serpenoid.plotting.style import map_scale
from serpenoid.studio.charts import COLUMNS, Curves

LEFT, RIGHT, TOP, HIGH = 64, 18, 30, 112  # position of the map in its chart [pixels]
FOOT = 40  # space below the map for times and the colour scale [pixels]
NAMES = 9  # most labelled rows
SPOTS = 900  # most cells with values under the cursor
TIMES = 5  # marks along the time axis
SHADES = 9  # of the colour scale
INSIDE = f"calc(100% - {LEFT + RIGHT}px)"
TEXT = "font:11px sans-serif;color:#495057;white-space:nowrap"


def map_html(curves: Curves, ends: tuple[float, float], title: str, spots: bool) -> str:
    """Return a map as the content of an HTML element; `spots` adds values under the cursor."""
    grid = on_grid(curves, ends)
    name, low, high = map_scale(grid)
    box = f"position:absolute;left:{LEFT}px;width:{INSIDE};top:{TOP}px;height:{HIGH}px"
    source = png_of(grid, name, low, high)
    picture = f"<img alt='' decoding='sync' src='{source}' style='{box};image-rendering:pixelated'>"
    hints = f"<div style='{box};display:grid;{grid_style(grid)}'>{spots_of(curves, grid, ends)}</div>" if spots else ""
    heading = f"<div style='{TEXT};font-size:14px;text-align:center;padding-top:5px'>{html.escape(title)}</div>"
    around = "".join([row_names(curves.labels), time_marks(ends), scale(name, low, high, curves.unit)])
    return f"<div style='position:relative;height:{TOP + HIGH + FOOT}px'>{heading}{picture}{hints}{around}</div>"


def mark_html(share: float | None) -> str:
    """Return the playhead over the map above this element, at a fraction of its width; empty for None."""
    if share is None:
        return ""
    place = f"left:calc({LEFT}px + (100% - {LEFT + RIGHT}px) * {share:.5f});bottom:{FOOT}px;height:{HIGH}px"
    line = f"<div style='position:absolute;{place};border-left:1.5px dashed #1d2733;pointer-events:none'></div>"
    return f"<div style='position:relative;height:0'>{line}</div>"


def on_grid(curves: Curves, ends: tuple[float, float]) -> NDArray:
    """Resample values to even times, (rows, columns); a column shows the largest of its samples."""
    columns = int(min(COLUMNS, max(1, curves.times.size)))
    place = np.clip((curves.times - ends[0]) / (ends[1] - ends[0]) * columns, 0, columns - 1e-9).astype(int)
    grid = np.full((curves.values.shape[1], columns), np.nan)
    for at, row in zip(place, curves.values):
        grid[:, at] = np.fmax(grid[:, at], row)
    filled = np.maximum.accumulate(np.where(np.isin(np.arange(columns), place), np.arange(columns), -1))
    return np.where(filled >= 0, grid[:, filled], np.nan)


def png_of(grid: NDArray, name: str, low: float, high: float) -> str:
    """Encode the colours of a map, one pixel per value, as a PNG data URL."""
    from matplotlib import colormaps
    from PIL import Image

    shades = colormaps[name]((grid - low) / (high - low), bytes=True)[..., :3].copy()
    shades[np.isnan(grid)] = 235
    page = io.BytesIO()
    Image.fromarray(shades).save(page, "png")
    return f"data:image/png;base64,{base64.b64encode(page.getvalue()).decode()}"


def parts_of(grid: NDArray) -> int:
    """Return the number of cells per row with values under the cursor."""
    return max(1, min(grid.shape[1], SPOTS // len(grid)))


def grid_style(grid: NDArray) -> str:
    """Return the CSS of an even grid of the cells."""
    return f"grid-template-columns:repeat({parts_of(grid)},1fr);grid-template-rows:repeat({len(grid)},1fr)"


def spots_of(curves: Curves, grid: NDArray, ends: tuple[float, float]) -> str:
    """Return the cells of a map, each with name, times and value range as a tooltip."""
    count, found = parts_of(grid), []
    edges, times = np.linspace(0, grid.shape[1], count + 1).astype(int), np.linspace(*ends, count + 1)
    for label, row in zip(curves.labels, grid):
        for k in range(count):
            piece = row[edges[k] : edges[k + 1]]
            piece = piece[np.isfinite(piece)]
            said = f"{piece.min():.3g} to {piece.max():.3g} {curves.unit}" if piece.size else "no value"
            words = html.escape(f"{label}, {times[k]:.3g} to {times[k + 1]:.3g} s: {said}", quote=True)
            found.append(f"<i title='{words}'></i>")
    return "".join(found)


def row_names(labels: tuple[str, ...]) -> str:
    """Return the names of the rows, or of every n-th."""
    every = -(-len(labels) // NAMES)
    style = f"position:absolute;left:0;width:{LEFT - 6}px;text-align:right;overflow:hidden;line-height:12px;{TEXT}"
    return "".join(
        f"<div style='{style};top:{TOP + HIGH * (i + 0.5) / len(labels) - 6:.1f}px'>{html.escape(labels[i])}</div>"
        for i in range(0, len(labels), every)
    )


def time_marks(ends: tuple[float, float]) -> str:
    """Return the times below a map."""
    style = f"position:absolute;top:{TOP + HIGH + 3}px;transform:translateX(-50%);{TEXT}"
    return "".join(
        f"<div style='{style};left:calc({LEFT}px + (100% - {LEFT + RIGHT}px) * {k / (TIMES - 1):.4f})'>"
        f"{ends[0] + (ends[1] - ends[0]) * k / (TIMES - 1):.4g}</div>"
        for k in range(TIMES)
    )


def scale(name: str, low: float, high: float, unit: str) -> str:
    """Return the colour scale with its ends and unit."""
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    shades = ",".join(to_hex(colormaps[name](x)) for x in np.linspace(0.0, 1.0, SHADES))
    bar = f"<div style='flex:1;height:8px;background:linear-gradient(90deg,{shades})'></div>"
    place = f"position:absolute;left:{LEFT}px;width:{INSIDE};top:{TOP + HIGH + 20}px"
    style = f"{place};display:flex;gap:6px;align-items:center;{TEXT}"
    return f"<div style='{style}'>{low:.3g}{bar}{high:.3g} {html.escape(unit)}</div>"
