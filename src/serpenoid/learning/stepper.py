"""Rows of a task that are stepped together, in threads."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import InvalidValue, whole_number
from serpenoid.kernels.learning.exchange import NO_ROW, give_results, take_actions
from serpenoid.kernels.learning.records import DISABLED
from serpenoid.kernels.simd import WIDE
from serpenoid.learning.families import Plants, family_of
from serpenoid.learning.records import Readings, engine_of, rows_of, task_of
from serpenoid.learning.spec import JointTorques, LearningTask

MOST_ROWS, MOST_THREADS = 1 << 20, 256
KINDS = (np.float32, np.float64)  # of actions, as kernels take them


class Results(NamedTuple):
    """Results of a step for all rows."""

    observation: NDArray  # (rows, observations)
    reward: NDArray  # (rows,)
    ended: NDArray  # (rows,) bool
    late: NDArray  # (rows,) bool, by the time limit
    ends: int  # number of episodes that ended


class Stepper:
    """Rows of a task: one call steps them all. Results of a row do not depend on other rows or on threads."""

    def __init__(self, task: LearningTask, count: int, threads: int | None = None, autoreset: int = DISABLED):
        self.task = task
        self.count = whole_number("num_envs", count, 1, MOST_ROWS)
        threads = len(os.sched_getaffinity(0)) if threads is None else threads
        threads = whole_number("threads", threads, 1, MOST_THREADS)
        engines = [engine_of(task.variant(number)) for number in range(task.variants)]
        self.engine, self.family = engines[0], family_of(engines[0])
        self.readings = Readings(self.family.readings(self.engine))
        self.record = task_of(task, engines, self.readings, autoreset)
        self.rows = rows_of(count, self.record, self.readings.size, 0)
        edges = self.chunks(threads)
        torques = isinstance(task.actions, JointTorques)
        copies = [engines, *([engine_of(task.variant(i)) for i in range(task.variants)] for _ in edges[1:])]
        self.parts = [(Plants(copy, torques), *edge) for copy, edge in zip(copies, edges)]
        self.pool = ThreadPoolExecutor(len(edges) - 1) if len(edges) > 1 else None

    def chunks(self, threads: int) -> list[tuple[int, int]]:
        """Return the rows of each thread, whole blocks of lanes."""
        blocks = -(-self.count // WIDE)
        threads = min(threads, blocks)
        edges = [min(self.count, WIDE * (blocks * i // threads)) for i in range(threads + 1)]
        return list(zip(edges[:-1], edges[1:]))

    def seed(self, rows: NDArray, seed: int) -> None:
        """Seed the generators of rows: row k of all has seed + k."""
        wanted = [np.random.SeedSequence(int(seed) + int(row)).generate_state(1, np.uint64)[0] for row in rows]
        self.rows.random[rows] = wanted

    def reset(self, rows: NDArray) -> None:
        """Begin new episodes in some rows."""
        self.rows.reason[rows] = 0
        for plants, first, last in self.parts:
            own = rows[(rows >= first) & (rows < last)]
            if own.size:
                self.family.reset(plants.reference, plants.addresses, self.record, self.rows, np.ascontiguousarray(own))

    def step(self, actions: Any) -> None:
        """Step all rows by one control period; raise for actions (rows, actions) outside -1 to 1 before the physics."""
        given, shape = np.ascontiguousarray(actions), self.rows.action.shape
        if given.shape != shape or given.dtype.kind not in "fiu":
            raise InvalidValue("action", actions, f"an array {shape} of numbers from -1 to 1")
        given = given if given.dtype in KINDS else given.astype(float)
        bad = take_actions(given, self.rows.action)
        if bad != NO_ROW:
            wrong = given[bad][~(np.abs(given[bad]) <= 1.0)][0]
            raise InvalidValue("action", float(wrong), "a number from -1 to 1")
        first, *others = self.parts
        waiting = [self.pool.submit(self.go, *part) for part in others] if self.pool is not None else []
        self.go(*first)
        for each in waiting:
            each.result()

    def go(self, plants: Plants, first: int, last: int) -> None:
        """Step the rows of one thread."""
        self.family.steps(plants.reference, plants.addresses, self.record, self.rows, first, last)

    def results(self, kind: Any) -> Results:
        """Return new arrays with the results of the last step; raise for a reward that is not finite."""
        seen, reward = np.empty(self.rows.observation.shape, kind), np.empty(self.count)
        ended, late = np.empty((2, self.count), bool)
        bad, ends = give_results(self.rows, seen, reward, ended, late)
        if bad != NO_ROW:
            raise InvalidValue(f"reward of environment {bad}", float(reward[bad]), "a finite number")
        return Results(seen, reward, ended, late, ends)

    def close(self) -> None:
        """End the threads."""
        if self.pool is not None:
            self.pool.shutdown()
