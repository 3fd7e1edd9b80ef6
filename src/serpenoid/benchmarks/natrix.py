"""NATRIX: one second of physics in free space and afloat."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from serpenoid.benchmarks.base import Row, interleaved
from serpenoid.engines.base import Initial
from serpenoid.engines.tree import TreeEngine
from serpenoid.gaits import Undulation
from serpenoid.robots import Natrix
from serpenoid.worlds import FreeSpace, WaterSurface

STEP, STEPS = 0.001, 1000


def rows() -> Iterator[Row]:
    """Time of one simulated second; the paper's own figures are of another machine and stand in the target's place."""
    times = interleaved(contestants())
    yield Row("NATRIX, 1 s of physics in free space", times["dry"], target="5 ms (paper 120 ms)")
    yield Row("NATRIX, 1 s of physics afloat", times["afloat"], target="25 ms (paper 1230 ms)")


def contestants() -> dict[str, Any]:
    """Calls that carry NATRIX through one second of RK4 at 1 ms."""
    robot, motion = Natrix(), Undulation(amplitude=0.25, frequency=1.35).motion(Natrix())
    engines = {"dry": TreeEngine(robot, FreeSpace(), STEP), "afloat": TreeEngine(robot, WaterSurface(), STEP)}
    states = {name: np.ascontiguousarray(engine.initial(Initial(), motion)) for name, engine in engines.items()}
    return {
        name: lambda engine=engine, state=states[name]: engine.rollout(0, state, motion, STEPS, STEPS)
        for name, engine in engines.items()
    }
