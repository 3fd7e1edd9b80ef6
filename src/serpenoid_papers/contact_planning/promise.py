"""Promise of the contact planner's plans: their progress when the engine executes them, and the time of a plan."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from serpenoid.engines.base import NO_DRAWS
from serpenoid.engines.pegs import PegEngine
from serpenoid.planning import ContactPlanner
from serpenoid.planning.receding import RecedingLaw
from serpenoid.plotting.style import dressed, labelled, new_figure, write
from serpenoid.scenarios.slither_pegs import SlitherPegs
from serpenoid.worlds import PegBoard
from serpenoid_papers.base import ExperimentConfig, Finding, Progress

KNOTS = 13  # 0.26 s
EVERY = 5  # plans between two executions
ENOUGH = 100  # executed plans needed for a verdict


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration: runs on 20 boards."""

    seeds: tuple[int, ...] = tuple(range(33_000, 33_020))
    """boards"""
    plans: int = 200
    """plans per board, 20 ms apart"""

    @classmethod
    def quick(cls) -> Self:
        return cls(seeds=tuple(range(33_000, 33_006)), plans=100)

    @classmethod
    def tiny(cls) -> Self:
        return cls(seeds=(33_000,), plans=6)


class Promises(NamedTuple):
    """Executed plans, and the times of all plans."""

    promised: NDArray  # (executed,) progress of the centre of mass in the plan [m]
    kept: NDArray  # (executed,) in the engine at 1 ms [m]
    seconds: NDArray  # (plans,) processor time of a plan of four iterations, without waves [s]


def run(config: Config, progress: Progress) -> Promises:
    """Plan along runs of the engine, and execute some plans open loop."""
    promised, kept, seconds = [], [], []
    for seed in config.seeds:
        for way, times in executions(seed, config.plans):
            promised.append(way[0])
            kept.append(way[1])
            seconds.extend(times)
        progress(f"  board {seed}: {sum(kept):.3f} of {sum(promised):.3f} m so far")
    return Promises(np.array(promised), np.array(kept), np.array(seconds))


def executions(seed: int, plans: int) -> list[tuple[tuple[float, float], list[float]]]:
    """Return promised and kept progress of every fifth plan on a board, with the times of the plans since the last."""
    scenario, controller = SlitherPegs(world=PegBoard(seed=seed)), ContactPlanner()
    engine = PegEngine(scenario.robot, scenario.world, scenario.step)
    state = engine.initial(scenario.initial(), None, NO_DRAWS)
    heading = engine.chain_state(state)[2]
    ahead = -np.array([np.cos(heading), np.sin(heading)])
    problem = controller.problem(scenario.robot, scenario.world, ahead)
    law = RecedingLaw(controller.receding(problem), NO_DRAWS)
    steps, found, times = round(controller.knot / scenario.step), [], []
    for number in range(plans):
        law.state = here = engine.chain_state(state)
        law.replan(number * controller.knot, None)
        law.used = 1
        times.append(law.processor)
        if number % EVERY == 0:
            executed = state
            for knot in range(KNOTS):
                executed = engine.advance(0, executed, law.planner.command(knot), steps)
            way = [law.planner.work.states[KNOTS, :2] - here[:2], engine.chain_state(executed)[:2] - here[:2]]
            found.append(((float(way[0] @ ahead), float(way[1] @ ahead)), times))
            times = []
        state = engine.advance(0, state, law.planner.command(0), steps)
    return found


def claims(result: Promises) -> list[Finding]:
    """Report the findings on C10 and C11."""
    promised, kept = float(result.promised.sum()), float(result.kept.sum())
    few = "too few plans" if result.kept.size < ENOUGH else ""
    error = np.median(np.abs(result.kept - result.promised))
    words = f"{result.kept.size} plans of 0.26 s: {kept:.3f} of {promised:.3f} m; median error {1e3 * error:.2f} mm"
    times = 1e3 * result.seconds
    rate = f"{times.size} plans: {times.mean():.1f} ms mean, {np.quantile(times, 0.99):.1f} ms 99 %"
    return [
        Finding("C10", {"kept": kept / promised if promised > 0.0 else None}, words, few),
        Finding("C11", {"processor": float(result.seconds.mean())}, rate, few),
    ]


def figure(result: Promises, folder: Path) -> list[Path]:
    """Plot kept against promised progress."""
    sheet = new_figure(4.0, 3.6)
    axes = dressed(sheet.add_subplot(1, 1, 1))
    axes.plot(1e3 * result.promised, 1e3 * result.kept, ".", markersize=3)
    most = 1e3 * float(np.abs(result.promised).max(initial=1e-3))
    axes.plot([-most, most], [-most, most], color="0.5", linewidth=1.0)
    labelled(axes, "progress in the plan [mm]", "progress in the engine [mm]", "Plans of 0.26 s through contact")
    return [write(sheet, folder / "promise.png")]
