"""Peg boards: our run with control law and measures against bare MuJoCo steps, and the scaling with threads."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from serpenoid.control.shape_compliance import ShapeCompliance
from serpenoid.engines.base import NO_DRAWS, fused_task
from serpenoid.engines.pegs import PegEngine
from serpenoid.kernels.laws.fused_run import Course
from serpenoid.scenarios.slither_pegs import SlitherPegs
from serpenoid.worlds.peg_board import PegBoard
from serpenoid_papers.benchmarks.base import Row
from serpenoid_papers.references.peg_peer import place_state, planar_model, run_peer

if TYPE_CHECKING:
    import mujoco

BOARDS = tuple((density, seed) for density in (24.0, 27.0, 30.0) for seed in range(4))
TICKS, PER_TICK, ROUNDS = 400, 10, 3  # ticks of 10 ms, steps of 1 ms, and rounds of which the best counts
TURNS = 20  # rounds without a peer, board after board, so that a slow phase of the machine affects all equally


class Board(NamedTuple):
    """One run, ours and the peer's."""

    scenario: SlitherPegs
    engine: PegEngine
    state: Any
    model: mujoco.MjModel


def rows() -> Iterator[Row]:
    """Yield microseconds per step of 1 ms."""
    boards = [board(SlitherPegs(world=PegBoard(density=density, seed=seed))) for density, seed in BOARDS]
    pairs = [measure_both(one) for one in boards]
    ours, peer = np.array(pairs).T
    ratio = peer / ours
    middle, worst = int(np.argsort(ratio)[len(ratio) // 2]), int(np.argmin(ratio))
    name = "MuJoCo mj_step, same planar model and board"
    yield Row(f"peg board, open loop, median of {len(pairs)}", ours[middle], name, peer[middle], "20")
    yield Row("peg board, open loop, slowest against the peer", ours[worst], name, peer[worst], "15")
    soft = [board(SlitherPegs(world=b.scenario.world, controller=ShapeCompliance())) for b in boards[::2]]
    times = np.array([[ours_us(one) for one in soft] for _ in range(TURNS)]).min(axis=0)
    yield Row("peg board, amplitude compliance, median", float(np.median(times)), "real time", 1000.0, "750")
    one, two = threads(boards)
    yield Row(f"{len(boards)} boards, two threads, each", two, "one thread", one, "1.8")


def board(scenario: SlitherPegs) -> Board:
    """Return a run that is ready to start."""
    engine = PegEngine(scenario.robot, scenario.world, scenario.step)
    state = engine.initial(scenario.initial(), None, NO_DRAWS)
    try:
        model = planar_model(engine, lean=True)
    except ImportError:
        model = None
    return Board(scenario, engine, state, model)


def lead(one: Board) -> Any:
    """Simulate the whole run in one compiled call, with control law, measures and energy accounting."""
    law: Any = one.scenario.parts().controller
    course = Course(0, one.scenario.step, PER_TICK, TICKS, 50)
    return one.engine.run_law(one.state, fused_task(law.start(one.engine.robot, 0.01, NO_DRAWS), course))


def ours_us(one: Board) -> float:
    """Return our time per step [us]."""
    start = perf_counter()
    run = lead(one)
    return (perf_counter() - start) * 1e6 / (run.ticks * PER_TICK)


def measure_both(one: Board) -> tuple[float, float]:
    """Return the best of a few rounds of ours and of the peer, interleaved [us]."""
    targets = lead(one).targets[:, one.engine.moving]
    best = [np.inf, np.nan]
    for _ in range(ROUNDS):
        best[0] = min(best[0], ours_us(one))
        if one.model is not None:
            data = place_state(one.model, one.engine, one.state)
            start = perf_counter()
            run_peer(one.model, data, targets, PER_TICK)
            best[1] = np.fmin(best[1], (perf_counter() - start) * 1e6 / (TICKS * PER_TICK))
    return best[0], best[1]


def threads(boards: list[Board]) -> tuple[float, float]:
    """Return the time of each of many runs on one thread and on two, best of a few rounds [us]."""
    best = [np.inf, np.inf]
    for _ in range(ROUNDS):
        for place, count in enumerate((1, 2)):
            with ThreadPoolExecutor(count) as pool:
                start = perf_counter()
                list(pool.map(lead, boards * 2))
                best[place] = min(best[place], (perf_counter() - start) * 1e6 / (2 * len(boards)))
    return best[0], best[1]
