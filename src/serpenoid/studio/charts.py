"""What of a run can be drawn over time, and the curves of one variable; plain arrays, for any viewer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.attitude import roll_history
from serpenoid.trajectory import Trajectory

MOST_LINES = 20  # of one chart, spread evenly over joints or links
COLUMNS = 250  # of a chart: of more samples than twice as many, each shows its least and greatest value
MANY = 8  # a variable with more columns is first shown as a map
LINES, MAP = "lines", "map"  # how a chart shows its columns, beside one of them by its name
FIRST = ("joint_position", "joint_torque", "speed", "power", "roll")  # shown first where a run has them
SPEED = "speed"  # of the centre of mass, from its velocity
ROLL = "roll"  # of link 0, unwrapped, from its pose; worlds of water record it themselves
DERIVED = {SPEED: "center_velocity", ROLL: "link_pose"}  # what is charted of variables that are no rows by themselves

Variables = Mapping[str, tuple[tuple[str, ...], NDArray, str, str]]


class Curves(NamedTuple):
    """One variable over time."""

    name: str
    unit: str
    times: NDArray  # (points,) [s]
    values: NDArray  # (points, lines)
    labels: tuple[str, ...]

    def chosen(self, form: str) -> Curves:
        """The columns that a chart shows in a form, with few enough points for a page."""
        columns = chosen_columns(form, self.labels)
        times, values = envelope(self.times, self.values[:, columns])
        return self._replace(times=times, values=values, labels=tuple(self.labels[i] for i in columns))

    @property
    def title(self) -> str:
        """The name in words, with its unit."""
        return f"{self.name.replace('_', ' ')} [{self.unit}]" if self.unit else self.name.replace("_", " ")


def chartable(variables: Variables) -> list[str]:
    """Names of the variables that a chart can show, the usual ones first: numbers, or rows of numbers, over time."""
    names = [name for name, (dims, *_) in variables.items() if len(dims) in (1, 2) and dims[0] in ("time", "tick")]
    names += [name for name in DERIVED if name not in names and has(variables, name)]
    first = [name for name in FIRST if name in names]
    return first + sorted(name for name in names if name not in first)


def has(variables: Variables, name: str) -> bool:
    """Whether a chart can show it: it is there, or what it is derived from."""
    return name in variables or DERIVED.get(name) in variables


def rows_of(name: str, variables: Variables) -> tuple[str, NDArray, str]:
    """First dimension, values (samples, columns) and unit of a chart's variable."""
    if name == SPEED and name not in variables:
        dims, values, unit, _ = variables["center_velocity"]
        return dims[0], np.linalg.norm(values, axis=1, keepdims=True), unit
    if name == ROLL and name not in variables:
        dims, values, *_ = variables["link_pose"]
        return dims[0], roll_history(values[:, 0])[:, None], "rad"
    dims, values, unit, _ = variables[name]
    return dims[0], np.asarray(values, dtype=float).reshape(len(values), -1), unit


def usual_form(count: int) -> str:
    """How so many columns are shown unless the user chooses."""
    return MAP if count > MANY else LINES


def chosen_columns(form: str, names: Sequence[str]) -> NDArray:
    """Which of the named columns a chart shows in a form: all of a map, one by its name, or lines evenly spread."""
    count = len(names)
    if form in names:
        return np.array([list(names).index(form)])
    most = count if form == MAP else min(count, MOST_LINES)
    return np.unique(np.linspace(0, count - 1, most).round().astype(int)) if count else np.zeros(0, int)


def names_of(name: str, variables: Variables, labels: Mapping[str, Sequence[str]], count: int) -> tuple[str, ...]:
    """Names of so many columns of a variable: joints, links and axes by their names, others by number."""
    dims = variables[name][0] if name in variables else ("time",)
    known: Sequence[Any] = labels.get(dims[1], ()) if len(dims) > 1 else (name.replace("_", " "),)
    return tuple(str(known[i]) if i < len(known) else str(i) for i in range(count))


def curves_of(run: Trajectory, name: str, window: tuple[float, float] | None = None) -> Curves:
    """All columns of a variable, in a window [s] or over the whole run; times from the first sample on."""
    dimension, values, unit = rows_of(name, run.variables)
    times = (run.times if dimension == "time" else run.ticks) - (run.times[0] if run.times.size else 0.0)
    if window is not None:
        first, last = np.searchsorted(times, window)
        times, values = times[max(0, first - 1) : last + 1], values[max(0, first - 1) : last + 1]
    return Curves(name, unit, times, values, names_of(name, run.variables, run.labels, values.shape[1]))


def envelope(times: NDArray, values: NDArray) -> tuple[NDArray, NDArray]:
    """Least and greatest value of each column of a chart, in the order in which they occur; few samples as they are.

    Every n-th sample would draw a fast wave as a slow one.
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
