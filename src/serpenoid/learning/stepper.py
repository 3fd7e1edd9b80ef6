"""Rows of a task that are stepped together, in threads."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import InvalidValue, whole_number
from serpenoid.kernels.laws.tick import law_numbers
from serpenoid.kernels.learning.exchange import NO_ROW, give_results, take_actions
from serpenoid.kernels.learning.records import DISABLED
from serpenoid.kernels.learning.set_points import follow_set_points
from serpenoid.kernels.simd import WIDE
from serpenoid.learning.families import Records, family_of, plant_of
from serpenoid.learning.fresh_variants import FreshVariants
from serpenoid.learning.records import Readings, engine_of, rows_of, set_points_of, task_of
from serpenoid.learning.spec import JointTorques, LearningTask, SetPoints

MOST_ROWS, MOST_THREADS = 1 << 20, 256
KINDS = (np.float32, np.float64)  # of actions, as kernels take them


class Results(NamedTuple):
    """Results of a step for all rows."""

    observation: NDArray  # (rows, observations)
    reward: NDArray  # (rows,)
    ended: NDArray  # (rows,) bool
    late: NDArray  # (rows,) bool, by the time limit
    ends: int  # number of episodes that ended


class Part:
    """Rows of one thread, with an engine and its records for each variant."""

    def __init__(self, task: LearningTask, scenarios: list[Any], engines: list[Any], first: int, last: int):
        self.engines, self.first, self.last = list(engines), first, last
        self.torques, self.actions = isinstance(task.actions, JointTorques), task.actions
        made = {id(engine): plant_of(engine, self.torques) for engine in engines}
        self.plants = Records([made[id(engine)] for engine in engines])
        self.points: Records | None = None
        if isinstance(task.actions, SetPoints):
            self.points = Records([set_points_of(*each, task.actions) for each in zip(scenarios, engines)])

    def replace(self, number: int, scenario: Any, engine: Any) -> None:
        """Use another engine for a variant from now on."""
        self.engines[number] = engine
        self.plants.replace(number, plant_of(engine, self.torques))
        if self.points is not None and isinstance(self.actions, SetPoints):
            self.points.replace(number, set_points_of(scenario, engine, self.actions))


class Stepper:
    """Rows of a task: one call steps them all. Results of a row do not depend on other rows or on threads."""

    def __init__(self, task: LearningTask, count: int, threads: int | None = None, autoreset: int = DISABLED):
        self.task = task
        self.count = whole_number("num_envs", count, 1, MOST_ROWS)
        threads = len(os.sched_getaffinity(0)) if threads is None else threads
        threads = whole_number("threads", threads, 1, MOST_THREADS)
        self.scenarios = [task.variant(number) for number in range(max(task.variants, 1))]
        engines = [engine_of(scenario) for scenario in self.scenarios]
        self.engine, self.family = engines[0], family_of(engines[0])
        self.readings = Readings(self.family.readings(self.engine))
        self.record = task_of(task, engines, self.readings, autoreset, self.count)
        self.rows = rows_of(count, self.record, self.readings.size, self.family.lists(engines))
        self.scenarios = self.scenarios if task.variants else self.scenarios * (2 * self.count)
        edges = self.chunks(threads)
        copies = [engines, *([engine_of(task.variant(i)) for i in range(len(engines))] for _ in edges[1:])]
        repeats = 1 if task.variants else 2 * self.count
        self.parts = [Part(task, self.scenarios, copy * repeats, *edge) for copy, edge in zip(copies, edges)]
        self.fresh = None if task.variants else FreshVariants(self)
        self.memory = self.law_memory()
        self.pool = ThreadPoolExecutor(len(edges) - 1) if len(edges) > 1 else None

    def law_memory(self) -> NDArray:
        """Return the memory (rows, numbers) of the controllers whose set points are actions."""
        points = self.parts[0].points
        return np.zeros((self.count, 0 if points is None else law_numbers(points.first.law)))

    def chunks(self, threads: int) -> list[tuple[int, int]]:
        """Return the rows of each thread, whole blocks of lanes."""
        blocks = -(-self.count // WIDE)
        threads = min(threads, blocks)
        edges = [min(self.count, WIDE * (blocks * i // threads)) for i in range(threads + 1)]
        return list(zip(edges[:-1], edges[1:]))

    def part_of(self, row: int) -> Part:
        """Return the part that contains a row."""
        return next(part for part in self.parts if part.first <= row < part.last)

    def seed(self, rows: NDArray, seed: int) -> None:
        """Seed the generators of rows: row k of all has seed + k."""
        wanted = [np.random.SeedSequence(int(seed) + int(row)).generate_state(1, np.uint64)[0] for row in rows]
        self.rows.random[rows] = wanted
        if self.fresh is not None:
            self.fresh.seed(rows, seed)

    def reset(self, rows: NDArray) -> None:
        """Begin new episodes in some rows."""
        self.rows.reason[rows] = 0
        for part in self.parts:
            own = np.ascontiguousarray(rows[(rows >= part.first) & (rows < part.last)])
            if own.size:
                self.family.reset(part.plants.reference, part.plants.addresses, self.record, self.rows, own)
        if self.fresh is not None:
            self.fresh.prepare_started()

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
        waiting = [self.pool.submit(self.go, part) for part in others] if self.pool is not None else []
        self.go(first)
        for each in waiting:
            each.result()
        if self.fresh is not None:
            self.fresh.prepare_started()

    def go(self, part: Part) -> None:
        """Step the rows of one thread."""
        first, last, plants, points = part.first, part.last, part.plants, part.points
        if points is not None:
            follow_set_points(points.reference, points.addresses, self.record, self.rows, self.memory, first, last)
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
