"""Time intervals of a run, with integrals and means over them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import InvalidValue, require
from serpenoid.trajectory import Trajectory


def samples(run: Trajectory, start: float | None = None, end: float | None = None, least: int = 2) -> slice:
    """Return the samples from `start` to `end` [s], both included; the whole run by default."""
    return stretch(run.times, start, end, least)


def stretch(times: NDArray, start: float | None = None, end: float | None = None, least: int = 2) -> slice:
    """Return the samples of an interval as `samples` does, from times (time,) [s]."""
    require(times.size >= least, "run", f"{times.size} samples", f"at least {least} samples")
    first = times[0] if start is None else start
    last = times[-1] if end is None else end
    slack = 1e-9 * max(1.0, abs(float(times[-1])))
    require(times[0] - slack <= first <= times[-1] + slack, "start", start, f"from {times[0]:g} to {times[-1]:g} s")
    require(first <= last <= times[-1] + slack, "end", end, f"from {first:g} to {times[-1]:g} s")
    chosen = slice(int(np.searchsorted(times, first - slack)), int(np.searchsorted(times, last + slack, side="right")))
    if chosen.stop - chosen.start < least:
        raise InvalidValue("start and end", (start, end), f"at least {least} samples apart")
    return chosen


def integral(values: NDArray, times: NDArray) -> NDArray:
    """Return the running integral over time by Simpson's rule, zero at the first sample; same shape as `values`."""
    from scipy.integrate import cumulative_simpson, cumulative_trapezoid

    rule = cumulative_simpson if times.size > 2 else cumulative_trapezoid
    return np.asarray(rule(values, x=times, axis=0, initial=0.0))


def mean(values: NDArray, times: NDArray) -> NDArray:
    """Return the mean over time, the first axis, by Simpson's rule."""
    return np.tensordot(shares(times), values, 1)


def shares(times: NDArray) -> NDArray:
    """Return each sample's weight in a mean over time, (time,), by Simpson's rule; a last single step ends its
    parabola.
    """
    steps, weight = np.diff(times), np.zeros(times.size)
    if steps.size == 1:
        return np.full(2, 0.5)
    pairs = steps.size // 2
    before, after = steps[: 2 * pairs : 2], steps[1 : 2 * pairs : 2]
    both = (before + after) / 6.0
    weight[: 2 * pairs : 2] += both * (2.0 - after / before)
    weight[1 : 2 * pairs : 2] += both * (before + after) ** 2 / (before * after)
    weight[2 : 2 * pairs + 1 : 2] += both * (2.0 - before / after)
    if steps.size % 2:
        last, early = steps[-1], steps[-2]
        weight[-1] += last * (2.0 * last + 3.0 * early) / (6.0 * (last + early))
        weight[-2] += last * (last + 3.0 * early) / (6.0 * early)
        weight[-3] -= last**3 / (6.0 * early * (last + early))
    return weight / (times[-1] - times[0])
