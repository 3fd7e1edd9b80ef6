"""Sweep as an image from which cells are selected by position."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.plotting.style import new_figure
from serpenoid.plotting.sweeps import cloud, front_of, map_of, numbers, positions
from serpenoid.sweeps.result import Cells, fields_at, front, select
from serpenoid.sweeps.store import SweepLayout

WIDTH, HEIGHT, DOTS = 5.6, 4.2, 170  # of the image [inch, inch, per inch]


class SweepMap:
    """Map of a quantity over two fields, or the front of gain against cost."""

    def __init__(self, path: Path, quantity: str, second: str = "", fields: tuple[str, str] | None = None):
        """Draw the image; `second` is the cost of a front, without it a map over two fields."""
        self.path, self.layout, self.quantity, self.second = path, SweepLayout.read(path), quantity, second
        figure = new_figure(WIDTH, HEIGHT)
        axes = figure.add_subplot()
        self.fields = fields or tuple(self.layout.swept[:2])
        if second:
            front_of(path, quantity, second, axes)
        else:
            map_of(path, quantity, self.fields, axes)  # type: ignore[arg-type]
        page = io.BytesIO()
        figure.savefig(page, format="rgba", dpi=DOTS)
        size = (round(WIDTH * DOTS), round(HEIGHT * DOTS))
        self.image = np.frombuffer(page.getvalue(), np.uint8).reshape(size[1], size[0], 4)[..., :3].copy()
        self.size = np.array(size, dtype=float)
        self.axes = axes
        figure.dpi = DOTS
        self.to_dots: Any = axes.transData.frozen()

    def pick(self, across: float, down: float) -> dict[str, Any]:
        """Return the swept values of the cell nearest to an image position, 0 to 1 from the upper left corner."""
        place = np.array([across, 1.0 - down]) * self.size
        if self.second:
            cells = front(self.path, self.quantity, self.second)
            points = np.column_stack([cells.quantities[self.second], cells.quantities[self.quantity]])
            return self.nearest(cells, points, place)
        if self.layout.attributes["sampled"]:
            cells = cloud(self.layout)
            points = np.column_stack([numbers(self.layout, field, cells) for field in self.fields])
            return self.nearest(cells, points, place)
        indices = {field: self.index_along(i, field, place) for i, field in enumerate(self.fields)}
        return self.best_of(indices)

    def nearest(self, cells: Cells, points: NDArray, place: NDArray) -> dict[str, Any]:
        """Return the cell whose point is nearest to an image position."""
        away = np.linalg.norm(self.to_dots.transform(points) - place, axis=1)
        chosen = cells.indices[[int(np.nanargmin(away))]]
        return {name: values[0] for name, values in fields_at(self.layout, chosen).items()}

    def index_along(self, axis: int, field: str, place: NDArray) -> int:
        """Return the index of the value of a field nearest to an image position."""
        values = np.asarray(positions(self.layout, field), dtype=float)
        points = np.zeros((values.size, 2))
        points[:, axis] = values
        points[:, 1 - axis] = np.asarray(positions(self.layout, self.fields[1 - axis]), dtype=float)[0]
        return int(np.argmin(np.abs(self.to_dots.transform(points)[:, axis] - place[axis])))

    def best_of(self, indices: dict[str, int]) -> dict[str, Any]:
        """Return the best cell among those with these indices along some fields."""
        where = [self.layout.swept.index(field) for field in indices]
        wanted = np.array(list(indices.values()))

        def choose(cells: NDArray, values: dict[str, NDArray]) -> NDArray:
            places = np.stack(np.unravel_index(cells, self.layout.grid.shape), axis=1)
            inside = np.flatnonzero((places[:, where] == wanted).all(axis=1))
            column = np.where(np.isnan(values[self.quantity][inside]), -np.inf, values[self.quantity][inside])
            return inside[[int(np.argmax(column))]] if inside.size else inside

        found = select(self.layout, choose)
        return {name: values[0] for name, values in found.fields.items()} if len(found.indices) else {}
