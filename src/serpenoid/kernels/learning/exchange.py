"""Exchange of actions and results with Python, with their checks."""

from __future__ import annotations

import numpy as np

from serpenoid.kernels.compile import kernel
from serpenoid.kernels.learning.records import RUNNING, TIMED_OUT

NO_ROW = -1


@kernel
def take_actions(given, out):
    """Copy actions (rows, actions); return the first row with one outside -1 to 1 or NaN, NO_ROW for none."""
    for row in range(given.shape[0]):
        for i in range(given.shape[1]):
            value = float(given[row, i])
            if not abs(value) <= 1.0:
                return row
    for row in range(given.shape[0]):
        for i in range(given.shape[1]):
            out[row, i] = given[row, i]
    return NO_ROW


@kernel
def give_results(rows, observation, reward, ended, late):
    """Copy the results of all rows; return the first row with a reward that is not finite, and the episodes' ends."""
    bad, ends = NO_ROW, 0
    for row in range(reward.size):
        for i in range(observation.shape[1]):
            observation[row, i] = rows.observation[row, i]
        reason = rows.reason[row]
        reward[row] = rows.reward[row]
        late[row] = reason == TIMED_OUT
        ended[row] = reason != RUNNING and reason != TIMED_OUT
        ends += reason != RUNNING
        if bad == NO_ROW and not abs(reward[row]) < np.inf:
            bad = row
    return bad, ends
