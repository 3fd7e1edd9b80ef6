"""What of a run can be drawn over time, and the curves of one variable; plain arrays, for any viewer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.attitude import roll_history
from serpenoid.trajectory import Trajectory

MOST_LINES = 12  # of one chart, spread evenly over joints or links
MOST_POINTS = 400  # of one curve
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


def shown_columns(count: int) -> NDArray:
    """Which of so many columns are drawn."""
    return (
        np.unique(np.linspace(0, count - 1, min(count, MOST_LINES)).round().astype(int)) if count else np.zeros(0, int)
    )


def labels_of(
    name: str, variables: Variables, labels: Mapping[str, Sequence[str]], columns: NDArray
) -> tuple[str, ...]:
    """What the lines are called: joints, links and axes by name, others by number."""
    dims = variables[name][0] if name in variables else ("time",)
    known: Sequence[Any] = labels.get(dims[1], ()) if len(dims) > 1 else (name.replace("_", " "),)
    return tuple(str(known[i]) if i < len(known) else str(i) for i in columns)


def curves_of(run: Trajectory, name: str) -> Curves:
    """A variable of a run as curves with few enough points for a page; times from the first sample on."""
    dimension, values, unit = rows_of(name, run.variables)
    times = run.times if dimension == "time" else run.ticks
    columns = shown_columns(values.shape[1])
    every = max(1, -(-len(times) // MOST_POINTS))
    start = run.times[0] if run.times.size else 0.0
    labels = labels_of(name, run.variables, run.labels, columns)
    return Curves(name, unit, times[::every] - start, values[::every][:, columns], labels)
