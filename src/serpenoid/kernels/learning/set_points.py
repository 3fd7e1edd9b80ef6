"""Set points of a shape law as actions: the law runs in every row, and actions move the set points of its windows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.laws.sensed import Sensed
from serpenoid.kernels.laws.shape import shape_places, shape_start, shape_tick
from serpenoid.kernels.laws.shape_records import ShapeLaw
from serpenoid.kernels.laws.windows import slot_of
from serpenoid.kernels.learning.records import NEXT_STEP, RUNNING
from serpenoid.kernels.reference import record_at


class SetPoints(NamedTuple):
    """A law and the shape parameters whose set points are actions."""

    law: ShapeLaw
    chosen: NDArray  # (parameters,) int64, their numbers in the law
    first: NDArray  # (parameters,) int64, first action of each
    regions: NDArray  # (parameters,) int64, number of its actions: equal parts of the body from head to tail
    spread: NDArray  # (driven joints,) int64, their indices among all joints


@inner
def region_of(law, memory, at, group, window, regions):
    """Return the part of the body in which the middle of a window lies; `window` counts from the set's first."""
    edges, count = at.edges + group * law.windows.slots, int(memory[at.count + group])
    start = max(memory[edges + window], 0.0) if window > 0 else 0.0
    end = min(memory[edges + window + 1], law.last) if window + 1 < count else law.last
    middle = 0.5 * (start + end) / law.last
    return min(max(int(middle * regions), 0), regions - 1)


@inner
def move_set_points(points, task, rows, row, memory):
    """Write the set points of all windows of the chosen parameters, relative to their nominal values."""
    law = points.law
    at, slots = shape_places(law), law.windows.slots
    for k in range(points.chosen.size):
        p = points.chosen[k]
        group = law.admittance.window_set[p]
        first = int(memory[at.first + group])
        for window in range(int(memory[at.count + group])):
            action = points.first[k] + region_of(law, memory, at, group, window, points.regions[k])
            value = task.middle[action] + task.scale[action] * rows.action[row, action]
            here = at.shift + p * slots + slot_of(law, group, first + window)
            memory[here] = value - law.admittance.nominal[p]


@kernel
def follow_set_points(reference, addresses, task, rows, memory, first, last):
    """Set the targets of the rows from `first` to below `last` by their laws, memory (rows, numbers)."""
    joints, driven = record_at(reference, addresses[0]).law.place.size, rows.target.shape[1]
    target, felt, nothing = np.empty(joints), np.zeros((3, joints)), np.zeros((0, 3))
    for row in range(first, last):
        if task.autoreset == NEXT_STEP and rows.reason[row] != RUNNING:
            continue  # its episode starts in this step
        points, own = record_at(reference, addresses[rows.variant[row]]), memory[row]
        if rows.ticks[row] == 0:
            shape_start(points.law, own)
        move_set_points(points, task, rows, row, own)
        for kind in range(3):
            for j in range(driven):
                felt[kind, points.spread[j]] = rows.readings[row, kind * driven + j]
        time = rows.ticks[row] * task.step * task.steps
        shape_tick(points.law, own, Sensed(time, felt[0], felt[1], felt[2], nothing, nothing), target)
        for j in range(driven):
            rows.target[row, j] = target[points.spread[j]]
