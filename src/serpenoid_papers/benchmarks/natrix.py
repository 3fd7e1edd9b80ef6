"""NATRIX: one second of physics in free space and afloat."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.engines.base import NO_DRAWS, Initial
from serpenoid.engines.tree import TreeEngine
from serpenoid.gaits import Undulation
from serpenoid.kernels.records import Motion
from serpenoid.robots import Natrix
from serpenoid.worlds import FreeSpace, WaterSurface
from serpenoid_papers.benchmarks.base import Row, time_interleaved

STEP, STEPS, LANES, LANE_STEPS = 0.001, 1000, 64, 50


def rows() -> Iterator[Row]:
    """Yield the time of one simulated second; the paper's values, of another machine, are in the target column."""
    times = time_interleaved(contestants() | {"lanes": lanes()})
    yield Row("NATRIX, 1 s of physics in free space", times["dry"], target="5 ms (paper 120 ms)")
    yield Row("NATRIX, 1 s of physics afloat", times["afloat"], target="25 ms (paper 1230 ms)")
    each = times["lanes"] * STEPS / LANE_STEPS / LANES
    yield Row("NATRIX, 1 s of physics afloat, in lanes, each", each, "one at a time", times["afloat"], "2.5 times")


def contestants() -> dict[str, Any]:
    """Return calls that simulate one second of NATRIX by RK4 at 1 ms, without energy accounting."""
    robot, motion = Natrix(), Undulation(amplitude=0.25, frequency=1.35).motion(Natrix())
    engines = {"dry": TreeEngine(robot, FreeSpace(), STEP), "afloat": TreeEngine(robot, WaterSurface(), STEP)}
    states = {name: bare(engine, motion) for name, engine in engines.items()}
    return {
        name: lambda engine=engine, state=states[name]: engine.rollout(0, state, motion, STEPS, STEPS)
        for name, engine in engines.items()
    }


def bare(engine: TreeEngine, motion: Motion) -> NDArray:
    """Return the initial state of a motion without the energy accounts."""
    return np.ascontiguousarray(engine.initial(Initial(), motion, NO_DRAWS)[: engine.layout["impulses"].start])


def lanes() -> Any:
    """Return a call that simulates 64 of them for a part of that second, in lock step."""
    from serpenoid.engines.tree_lanes import wave_joints
    from serpenoid.kernels.tree.batch import Steps, wave_rollouts

    engine = TreeEngine(Natrix(), WaterSurface(), STEP)
    motions = [Undulation(0.25, 1.2 + 0.005 * i).motion(engine.robot) for i in range(LANES)]
    states, joints = np.array([bare(engine, motion) for motion in motions]), wave_joints(motions)
    tree, water = engine.tree, engine.environment
    steps = Steps(first=0, count=LANE_STEPS, every=LANE_STEPS, size=STEP)
    return lambda: wave_rollouts(tree, water, joints, states, steps)
