"""Search for the best values of a scenario's fields by CMA-ES, with the executors and the store of a sweep.

Hansen's evolution strategy with covariance matrix adaptation (package `cma`) proposes a generation of trials. Each
trial runs once for every averaged value, and only the ranks of the pooled values are returned to the strategy. The
scenario's seed determines the draws, and a generation depends only on the results before it. A killed search therefore
repeats the same draws, reads finished trials from the store and resumes, to the same bytes.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid import configuration
from serpenoid.errors import FileProblem, UnknownName
from serpenoid.scenarios import scenario_from
from serpenoid.scenarios.base import Scenario
from serpenoid.support.interrupts import deferred_interrupts
from serpenoid.support.versions import versions
from serpenoid.sweeps.access import open_for_writing
from serpenoid.sweeps.axes import Spaced
from serpenoid.sweeps.executors import Executor, Threads
from serpenoid.sweeps.plan import Plan
from serpenoid.sweeps.proposals import Trials, make_search, share_of
from serpenoid.sweeps.ranking import Ranking
from serpenoid.sweeps.run import Session, Status, coordinates, prepare
from serpenoid.sweeps.search_result import Optimum, done_trials, optimum, trial_values
from serpenoid.sweeps.store import OPEN, SweepLayout, Writer

WIDTH = 0.25  # standard deviation of the first generation, as a fraction of each range
MARGIN = 0.05  # smallest distance of the first mean from the ends of a range, as a fraction
SAME = 1e-9  # relative difference below which a stored value equals the one drawn again


def optimise(
    scenario: Scenario | str,
    over: Mapping[str, Any],
    best: str,
    store: str | os.PathLike[str],
    average: Mapping[str, Any] | None = None,
    trials: int = 60,
    executor: Executor | None = None,
    repair: bool = False,
    progress: Callable[[Status], None] | None = None,
) -> Optimum:
    """Find the field values that optimise the mean of a summary quantity.

    `over` maps fields to "low:high" or "log:low:high"; positive ranges whose ends differ by a factor of 100 or more are
    also logarithmic. `best` is NAME to maximise or NAME:min to minimise; NAME/DIVISOR is a ratio of means, such as
    cycles/distance:min, and may have several divisors. `average` maps fields to "A:B" or to values,
    such as {"world.seed": "1000:1039"}. Trial 0 is the scenario as given. The scenario's seed determines the trials. An
    existing store is continued; `repair` recomputes damaged chunks. Ctrl-C waits a few seconds for running chunks.
    """
    chosen = scenario_from(scenario)
    rank = Ranking.parse(best)
    plan = make_search(chosen, over, average, rank.order, trials)
    path = Path(store)
    begun, pressed = (path / "zarr.json").exists(), False
    try:
        with open_for_writing(path, plan, own_attributes(plan, rank.order)) as writer:
            prepare(plan, writer, repair, retry=False)
            if len(writer.marked()) < writer.grid.chunks:
                with nullcontext(executor) if executor else Threads() as workers, deferred_interrupts() as stopped:
                    run_generations(plan, writer, workers, stopped, watch_quantities(rank, writer, progress))
                    pressed = stopped()
            writer.consolidate()
    except UnknownName:
        if not begun:  # remove the store, which would refuse the corrected quantity
            shutil.rmtree(path, ignore_errors=True)
        raise
    if pressed and not done_trials(SweepLayout.read(path)):
        raise KeyboardInterrupt
    return optimum(path)


def own_attributes(plan: Plan, order: str) -> dict[str, Any]:
    """Return the additional attributes of the store of a search."""
    drawn = trials_of(plan)
    searched = [axis.field for axis in plan.axes[: len(plan.axes) - len(drawn.averaged)]]
    search = {"best": order, "trials": drawn.count, "runs": drawn.runs, "searched": searched}
    return {"versions": versions(), "seed": plan.scenario.seed, "search": search}


def trials_of(plan: Plan) -> Trials:
    """Return the points of a plan that is a search."""
    assert isinstance(plan.sample, Trials)
    return plan.sample


def watch_quantities(
    rank: Ranking, writer: Writer, progress: Callable[[Status], None] | None
) -> Callable[[Status], None]:
    """Return a progress callback that refuses an unknown quantity as soon as the first chunk is finished."""
    seen = False

    def update(status: Status) -> None:
        nonlocal seen
        if status.done and not seen and (quantities := writer.quantities):
            for name in rank.parts:
                rank._replace(name=name).among(quantities)
            seen = True
        if progress:
            progress(status)

    return update


def run_generations(
    plan: Plan,
    writer: Writer,
    executor: Executor,
    stopped: Callable[[], bool],
    progress: Callable[[Status], None],
) -> None:
    """Run generation by generation: propose trials, run those missing in the store, return the ranks to the
    strategy."""
    strategy = Strategy(plan)
    session = Session(plan, writer, executor, writer.states())
    try:
        while strategy.left and not stopped():
            plan, chunks = strategy.propose(plan)
            check_drawn_again(plan, writer, chunks)
            states = writer.states()
            session.hand_out(plan, [chunk for chunk in chunks if states[chunk] == OPEN], stopped, progress)
            if (writer.states()[chunks] == OPEN).any():
                return
            strategy.learn(writer, plan)
    finally:
        session.close()


def seeded_cma(start: NDArray, width: float, rng: np.random.Generator, **options: Any) -> Any:
    """Return a silent CMA-ES that draws from a random generator of ours."""
    import cma

    silent = {"seed": np.nan, "verbose": -9, "verb_log": 0, "randn": lambda *shape: rng.standard_normal(shape)}
    return cma.CMAEvolutionStrategy(start, width, {**silent, **options})


class Strategy:
    """CMA-ES in fractions of the ranges, with its own random generator."""

    def __init__(self, plan: Plan):
        drawn = trials_of(plan)
        ranges = [axis for axis in plan.axes[: len(plan.axes) - len(drawn.averaged)] if isinstance(axis, Spaced)]
        given = [share_of(axis, configuration.get(plan.scenario, axis.field)) for axis in ranges]
        rng = np.random.default_rng(plan.scenario.seed)
        self.cma = seeded_cma(np.clip(given, MARGIN, 1.0 - MARGIN), WIDTH, rng, bounds=[0.0, 1.0])
        self.cma.inject([np.array(given)], force=True)  # trial 0 is the scenario as given
        self.left = drawn.count
        self.generation: list[NDArray] = []

    def propose(self, plan: Plan) -> tuple[Plan, list[int]]:
        """Return the plan with the points of the next generation, and the chunks of that generation."""
        drawn = trials_of(plan)
        first = drawn.count - self.left
        self.generation = self.cma.ask()[: self.left]
        self.left -= len(self.generation)
        known = (*drawn.points, *(tuple(point.tolist()) for point in self.generation))
        chunks = [first * drawn.runs // plan.grid.block[0], len(known) * drawn.runs // plan.grid.block[0]]
        return replace(plan, sample=replace(drawn, points=known)), list(range(*chunks))

    def learn(self, writer: Writer, plan: Plan) -> None:
        """Return the ranks of the generation to CMA-ES; a trial with a failed run is ranked last."""
        if not self.left:
            return
        drawn = trials_of(plan)
        last = len(drawn.points)
        rank = Ranking.parse(drawn.best)
        values, _ = trial_values(writer, rank, last - len(self.generation), last)
        self.cma.tell(self.generation, order_of(values, rank.smallest))


def order_of(values: NDArray, smallest: bool) -> NDArray:
    """Return the ranks of values: 1 for the best, the mean rank for ties. NaN and infinitely bad values are last."""
    from scipy.stats import rankdata

    costs = values if smallest else -values
    return rankdata(np.where(np.isnan(costs), np.inf, costs))


def check_drawn_again(plan: Plan, writer: Writer, chunks: list[int]) -> None:
    """Refuse to resume if the store contains other points than those drawn now."""
    states = writer.states()
    for chunk in (chunk for chunk in chunks if states[chunk] != OPEN):
        for field, values in coordinates(plan, chunk).items():
            if not np.allclose(writer.read_chunk(field, chunk), values, rtol=SAME, atol=0.0):
                raise FileProblem(
                    writer.path, "contains trials that differ from those drawn here (started with other versions or on "
                    "another type of processor); choose another name",
                )  # fmt: skip
