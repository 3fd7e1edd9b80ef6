"""Many runs at once through the lanes of their engines: how cells of a sweep are put together and measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from serpenoid.engines import find_engine
from serpenoid.scenarios.base import Quantity
from serpenoid.simulation import Timing


class Cell(NamedTuple):
    """One run of a batch, ready to start."""

    place: int  # among the scenarios
    scenario: Any
    engine: Any
    motion: Any
    state: Any


def measured(scenarios: Sequence[Any], alike: Callable[[Any], tuple[Any, ...]]) -> dict[str, Quantity]:
    """`measures` of runs that gaits lead, each value (runs,).

    Runs go together where their engines let them share lanes and where `alike`, what else the measures depend on, is
    the same.
    """
    found: dict[str, Quantity] = {}
    for group in grouped(scenarios, alike):
        first, engine = group[0].scenario, group[0].engine
        timing = Timing(first.duration, first.step, first.control_period, first.sample_period)
        every, states = timing.steps_per_sample, np.array([cell.state for cell in group])
        engines, motions = [cell.engine for cell in group], [cell.motion for cell in group]
        kept = type(engine).batch(engines, motions, states, timing.steps, every)
        times = timing.step * every * np.arange(timing.steps // every + 1)
        for name, (values, unit, *_) in first.measures(times, kept).items():
            whole = found.setdefault(name, Quantity(np.empty(len(scenarios)), unit))
            np.asarray(whole.value)[[cell.place for cell in group]] = values
    return found


def grouped(scenarios: Sequence[Any], alike: Callable[[Any], tuple[Any, ...]]) -> list[list[Cell]]:
    """The cells of runs that share lanes and times."""
    groups: dict[Any, list[Cell]] = {}
    for place, scenario in enumerate(scenarios):
        robot, world, gait = scenario.parts()
        engine: Any = find_engine(robot, world)(robot, world, scenario.step)
        motion = gait.motion(robot)
        key = (engine.lanes_key(motion) or place, scenario.duration, scenario.sample_period, *alike(scenario))
        state = engine.initial(scenario.initial(), motion)
        groups.setdefault(key, []).append(Cell(place, scenario, engine, motion, state))
    return list(groups.values())
