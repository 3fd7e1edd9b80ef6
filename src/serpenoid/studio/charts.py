"""Chart data: the variables of a run that can be plotted over time, and their curves. Plain arrays for any viewer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.attitude import roll_history
from serpenoid.trajectory import Trajectory

MOST_LINES = 20  # most lines of one chart, spread evenly over joints or links
COLUMNS = 250  # of a chart; with more than twice as many samples, each shows its minimum and maximum
MANY = 8  # variables with more columns are shown as a map by default
LINES, MAP = "lines", "map"  # forms of a chart, besides a single column by name
FIRST = ("joint_position", "joint_torque", "speed", "power", "roll")  # shown first if present
SPEED = "speed"  # of the centre of mass, from its velocity
ROLL = "roll"  # of link 0, unwrapped, from its pose; water worlds record it themselves
DERIVED = {SPEED: "center_velocity", ROLL: "link_pose"}  # sources of derived chart variables

Variables = Mapping[str, tuple[tuple[str, ...], NDArray, str, str]]


class Curves(NamedTuple):
    """One variable over time."""

    name: str
    unit: str
    times: NDArray  # (points,) [s]
    values: NDArray  # (points, lines)
    labels: tuple[str, ...]

    def chosen(self, form: str) -> Curves:
        """Return the columns that a chart shows in a form, reduced to few enough points for a page."""
        columns = chosen_columns(form, self.labels)
        times, values = envelope(self.times, self.values[:, columns])
        return self._replace(times=times, values=values, labels=tuple(self.labels[i] for i in columns))

    @property
    def title(self) -> str:
        """Name in words, with its unit."""
        return f"{self.name.replace('_', ' ')} [{self.unit}]" if self.unit else self.name.replace("_", " ")


def chartable(variables: Variables) -> list[str]:
    """Return the names of the variables that a chart can show, common ones first: scalars or rows of numbers over
    time."""
    names = [name for name, (dims, *_) in variables.items() if len(dims) in (1, 2) and dims[0] in ("time", "tick")]
    names += [name for name in DERIVED if name not in names and has(variables, name)]
    first = [name for name in FIRST if name in names]
    return first + sorted(name for name in names if name not in first)


def has(variables: Variables, name: str) -> bool:
    """Return whether a chart can show a variable, directly or derived."""
    return name in variables or DERIVED.get(name) in variables


def rows_of(name: str, variables: Variables) -> tuple[str, NDArray, str]:
    """Return first dimension, values (samples, columns) and unit of a chart variable."""
    if name == SPEED and name not in variables:
        dims, values, unit, _ = variables["center_velocity"]
        return dims[0], np.linalg.norm(values, axis=1, keepdims=True), unit
    if name == ROLL and name not in variables:
        dims, values, *_ = variables["link_pose"]
        return dims[0], roll_history(values[:, 0])[:, None], "rad"
    dims, values, unit, _ = variables[name]
    return dims[0], np.asarray(values, dtype=float).reshape(len(values), -1), unit


def usual_form(count: int) -> str:
    """Return the default form for a number of columns."""
    return MAP if count > MANY else LINES


def chosen_columns(form: str, names: Sequence[str]) -> NDArray:
    """Return the indices of the columns that a chart shows in a form: all of a map, one by name, or lines evenly
    spread."""
    count = len(names)
    if form in names:
        return np.array([list(names).index(form)])
    most = count if form == MAP else min(count, MOST_LINES)
    return np.unique(np.linspace(0, count - 1, most).round().astype(int)) if count else np.zeros(0, int)


def names_of(name: str, variables: Variables, labels: Mapping[str, Sequence[str]], count: int) -> tuple[str, ...]:
    """Return the column names of a variable: joints, links and axes by name, others by number."""
    dims = variables[name][0] if name in variables else ("time",)
    known: Sequence[Any] = labels.get(dims[1], ()) if len(dims) > 1 else (name.replace("_", " "),)
    return tuple(str(known[i]) if i < len(known) else str(i) for i in range(count))


def curves_of(run: Trajectory, name: str, window: tuple[float, float] | None = None) -> Curves:
    """Return all columns of a variable, in a window [s] or over the whole run; times are relative to the first
    sample."""
    dimension, values, unit = rows_of(name, run.variables)
    times = (run.times if dimension == "time" else run.ticks) - (run.times[0] if run.times.size else 0.0)
    if window is not None:
        first, last = np.searchsorted(times, window)
        times, values = times[max(0, first - 1) : last + 1], values[max(0, first - 1) : last + 1]
    return Curves(name, unit, times, values, names_of(name, run.variables, run.labels, values.shape[1]))


def envelope(times: NDArray, values: NDArray) -> tuple[NDArray, NDArray]:
    """Return minimum and maximum of each chart column in the order of their occurrence; few samples unchanged.

    Taking every n-th sample would draw a fast wave as a slow one.
    """
    if len(times) <= 2 * COLUMNS:
        return times, values
    edges = np.linspace(0, len(times), COLUMNS + 1).astype(int)
    found, across = np.empty((COLUMNS, 2, values.shape[1])), np.arange(values.shape[1])
    for k, (first, last) in enumerate(pairwise(edges)):
        piece = values[first:last]
        least, greatest = np.where(np.isnan(piece), np.inf, piece), np.where(np.isnan(piece), -np.inf, piece)
        found[k] = piece[np.sort([least.argmin(axis=0), greatest.argmax(axis=0)], axis=0), across]
    at = np.column_stack([times[edges[:-1]], times[edges[1:] - 1]])
    return at.ravel(), found.reshape(2 * COLUMNS, -1)
