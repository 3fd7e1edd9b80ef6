"""Results of a sweep: its dataset, best cells, Pareto front and failures, read chunk by chunk."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid import configuration
from serpenoid.analysis.pareto import pareto_front
from serpenoid.errors import FileProblem, UnknownName
from serpenoid.scenarios.base import Scenario
from serpenoid.sweeps.chunks import Failure, scenarios_of
from serpenoid.sweeps.plan import reduce
from serpenoid.sweeps.store import FAILED, OPEN, STATES, SweepLayout, one_line
from serpenoid.sweeps.store_checks import attributes_of

if TYPE_CHECKING:
    import xarray

Where = str | os.PathLike[str]


class Cells(NamedTuple):
    """Selected cells of a sweep with their positions and values."""

    indices: NDArray  # (cells, dimensions) into the arrays
    fields: dict[str, list[Any]]  # swept field -> value per cell
    quantities: dict[str, NDArray]  # quantity -> value per cell


def is_sweep(path: Where) -> bool:
    """Return whether a folder is the store of a sweep (finished or not)."""
    try:
        return attributes_of(Path(path)).get("kind") == "sweep"
    except FileProblem:
        return False


def open_sweep(path: Where) -> xarray.Dataset:
    """Open the dataset of a sweep lazily; open cells are NaN if the sweep is still running."""
    import xarray

    from serpenoid.support.zarr_store import open_store

    layout = SweepLayout.read(Path(path))
    for name in (*layout.swept, *layout.quantities):
        layout.array(name)  # checked before xarray opens all of them
    with warnings.catch_warnings():  # about folders in which an array is just being created
        warnings.simplefilter("ignore", UserWarning)
        try:
            dataset = xarray.open_dataset(
                open_store(layout.path),  # type: ignore[arg-type]
                engine="zarr",
                consolidated=False,
                zarr_format=3,
                decode_times=False,
                chunks=None,
            )
        except (ValueError, TypeError, KeyError) as error:
            raise FileProblem(path, f"is damaged: {one_line(error)}") from None
    dataset = dataset.set_coords([name for name in layout.swept if name in dataset])
    for name in layout.swept:
        labels = dataset[name].attrs.pop("labels", None)
        if labels:
            words = np.array(words_of(layout, name, dataset[name].values.ravel(), labels)).reshape(dataset[name].shape)
            dataset = dataset.assign_coords({name: (dataset[name].dims, words)})
    order = [name for name in layout.quantities if name in dataset]
    dataset = dataset[order]
    states = layout.states()
    dataset.attrs["chunks"] = {name: int(np.sum(states == i)) for i, name in enumerate(STATES)}
    return dataset


def scan(layout: SweepLayout) -> Iterator[tuple[NDArray, dict[str, NDArray]]]:
    """Yield, chunk by chunk, the flat index of each cell and its quantities."""
    names = layout.quantities
    for chunk in np.flatnonzero(layout.states() != OPEN).tolist():
        ranges = [np.arange(part.start, part.stop) for part in layout.grid.region(chunk)]
        where = np.ravel_multi_index(np.ix_(*ranges), layout.grid.shape).ravel()
        present = {name for name in names if layout.file(name, chunk).exists()}
        unknown = np.full(where.size, np.nan)
        yield where, {n: layout.read_chunk(n, chunk).ravel() if n in present else unknown for n in names}


def select(layout: SweepLayout, choose: Callable[[NDArray, dict[str, NDArray]], NDArray]) -> Cells:
    """Return the cells kept by `choose`, which is applied chunk by chunk to the kept and the new cells."""
    cells = np.empty(0, dtype=np.int64)
    values = {name: np.empty(0) for name in layout.quantities}
    for where, found in scan(layout):
        cells = np.concatenate([cells, where])
        values = {name: np.concatenate([values[name], found[name]]) for name in values}
        kept = choose(cells, values)
        cells, values = cells[kept], {name: column[kept] for name, column in values.items()}
    indices = np.stack(np.unravel_index(cells, layout.grid.shape), axis=1)
    return Cells(indices, fields_at(layout, indices), values)


def best(path: Where, quantity: str, count: int = 10, smallest: bool = False) -> Cells:
    """Return the cells with the largest (or smallest) values of a quantity, best first; ties by position."""

    def choose(cells: NDArray, values: dict[str, NDArray]) -> NDArray:
        column = values[quantity] if smallest else -values[quantity]
        return np.lexsort((cells, column))[: min(count, int(np.sum(~np.isnan(column))))]

    return select(read_layout(path, quantity), choose)


def front(path: Where, gain: str, cost: str) -> Cells:
    """Return the cells that no other cell beats in both gain and cost, by increasing cost."""
    return select(read_layout(path, gain, cost), lambda cells, values: pareto_front(values[gain], values[cost]))


def failures(path: Where) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield every failed cell with its swept values and the reason."""
    layout = SweepLayout.read(Path(path))
    for chunk in np.flatnonzero(layout.states() == FAILED).tolist():
        reasons = layout.reasons(chunk)
        starts = [part.start for part in layout.grid.region(chunk)]
        within = np.unravel_index(np.array(list(reasons)), layout.grid.extent(chunk))
        indices = np.stack([start + part for start, part in zip(starts, within)], axis=1)
        fields = fields_at(layout, indices)
        for i, reason in enumerate(reasons.values()):
            yield {name: values[i] for name, values in fields.items()}, reason


def cell_scenario(path: Where, fields: dict[str, Any]) -> Scenario:
    """Return the scenario of one cell as the sweep ran it, including its seed, to run it separately."""
    layout = SweepLayout.read(Path(path))
    base = configuration.from_plain(layout.attributes["configuration"]["scenario"], Scenario)
    for name in fields:
        if name not in layout.swept:
            raise UnknownName("swept field", name, layout.swept)
    row = tuple(reduce([fields[name]], base.periods(layout.swept).get(name))[0] for name in layout.swept)
    built = scenarios_of(base, list(layout.swept), [row])[0]
    if isinstance(built, Failure):
        raise FileProblem(path, f"does not contain this cell ({built.reason})")
    return built


def read_layout(path: Where, *quantities: str) -> SweepLayout:
    """Read the layout of a store and check that it has these quantities."""
    layout = SweepLayout.read(Path(path))
    for quantity in quantities:
        if quantity not in layout.quantities:
            raise UnknownName("quantity", quantity, layout.quantities)
    return layout


def fields_at(layout: SweepLayout, indices: NDArray) -> dict[str, list[Any]]:
    """Return the swept values of cells; labels as text."""
    columns = {}
    for axis, name in enumerate(layout.swept):
        array = layout.array(name)
        column = indices[:, 0] if layout.attributes["sampled"] else indices[:, axis]
        numbers = array.get_coordinate_selection((column,)).tolist() if column.size else []
        labels = array.attrs.get("labels")
        columns[name] = words_of(layout, name, numbers, labels) if labels else numbers
    return columns


def words_of(layout: SweepLayout, name: str, numbers: Iterable[float], labels: list[str]) -> list[str]:
    """Return the labels of the numbers of a swept field; empty for open cells."""
    known: dict[float, str] = dict(enumerate(labels))
    words = [known.get(number, "" if number != number else None) for number in numbers]
    if None in words:
        raise FileProblem(layout.path, f"is damaged: {name} has a number outside its {len(labels)} labels")
    return words  # type: ignore[return-value]
