"""Training of a policy: generations of runs on threads, whose results alone determine the next generation.

Every run of a generation is compared on the same draws, which are fresh in each generation. The mean policy is checked
every few generations on separate draws, and the best one of these checks is the result.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid import configuration
from serpenoid.control.policy import MOMENTS
from serpenoid.errors import FileProblem, SerpenoidError, UnknownName
from serpenoid.scenarios.base import Scenario
from serpenoid.support.interrupts import deferred_interrupts
from serpenoid.sweeps.chunks import reason_of
from serpenoid.sweeps.executors import Executor, Threads
from serpenoid.training.store import Layout, Row, Writer, open_for_writing
from serpenoid.training.strategies import CovarianceAdaptation, RandomSearch, Strategy
from serpenoid.training.task import Task, policy_of

SAME = 1e-9  # relative difference below which a stored policy equals the one computed again
OF_GENERATION, OF_CHECK = range(2)  # kinds of draws


class Outcome(NamedTuple):
    """Result of one run."""

    value: float  # NaN if it failed
    moments: NDArray | None  # count, sums and squares of the policy's inputs, if they are recorded
    reason: str


class Progress(NamedTuple):
    """State of a training after a generation."""

    generation: int  # number of finished generations
    generations: int
    mean: float  # mean return of the candidates
    best: float  # best return of a candidate
    checked: float  # return in the latest check, NaN before the first one
    seconds: float  # of this session
    replayed: bool  # whether the generation was read from the store


class Trained(NamedTuple):
    """Best checked policy of a training so far."""

    scenario: Scenario  # with the policy as controller
    value: float  # its return in the check
    generation: int
    finished: bool  # whether all generations are complete


def train(
    task: Task,
    store: str | os.PathLike[str],
    executor: Executor | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Trained:
    """Train a policy and return the best one that was checked.

    An existing store is continued. Results are identical for any number of threads. Ctrl-C ends after the current runs
    and keeps the finished generations.
    """
    strategy = make_strategy(task)
    path, inputs = Path(store), task.policy.shape[0]
    policy_of(task.scenario).kernel(task.scenario.parts().robot, task.scenario.control_period)  # fail before the store
    sizes = {"returns": strategy.candidates, "moments": 2 * inputs + 1, "center": task.start.size, "check": 1}
    with (
        open_for_writing(path, task, sizes) as writer,
        nullcontext(executor) if executor else Threads() as workers,
        deferred_interrupts() as stopped,
    ):
        moments = replay(task, strategy, writer.layout, progress)
        run_generations(task, strategy, moments, writer, workers, stopped, progress)
    if not writer.layout.finished:
        raise KeyboardInterrupt
    return trained(task, path)


def make_strategy(task: Task) -> Strategy:
    """Return the strategy of a task in its initial state."""
    search, start = task.search, task.start
    if search.algorithm == "cma":
        return CovarianceAdaptation(start, search.seed, search.population, search.width)
    directions = search.population or 8
    best = min(search.best or directions, directions)
    return RandomSearch(start, search.seed, directions, best, search.width, search.step)


def replay(
    task: Task, strategy: Strategy, layout: Layout, progress: Callable[[Progress], None] | None = None
) -> NDArray:
    """Pass the stored generations to the strategy; return the moments of the inputs so far.

    Refuse a store whose policies differ from those computed here.
    """
    done = layout.finished
    rows = Row(*(layout.rows(name, done) for name in Row._fields))
    for returns, center in zip(rows.returns, rows.center):
        strategy.ask()
        strategy.tell(returns)
        if not np.allclose(strategy.center, center, rtol=SAME, atol=SAME):
            raise FileProblem(
                layout.path, "contains policies that differ from those computed here (started with other versions or "
                "on another type of processor); choose another name",
            )  # fmt: skip
    if done and progress:
        checked = rows.check[np.isfinite(rows.check)]
        progress(
            Progress(done, task.search.generations, float(np.nanmean(rows.returns[-1])),
                     float(np.nanmax(rows.returns[-1])), float(checked[-1]) if checked.size else np.nan, 0.0, True)
        )  # fmt: skip
    return rows.moments[-1] if done else np.zeros(2 * task.policy.shape[0] + 1)


def run_generations(
    task: Task,
    strategy: Strategy,
    moments: NDArray,
    writer: Writer,
    executor: Executor,
    stopped: Callable[[], bool],
    progress: Callable[[Progress], None] | None,
) -> None:
    """Run the missing generations."""
    search, start, checked = task.search, monotonic(), np.nan
    for generation in range(writer.layout.finished, search.generations):
        candidates = [task.with_genes(genes, moments) for genes in strategy.ask()]
        found = evaluate(task, candidates, task.drawn(OF_GENERATION, generation, search.runs), executor, stopped)
        if found is None:
            return
        returns, moments = found[0], moments + found[1]
        strategy.tell(returns)
        check = np.array([np.nan])
        if (generation + 1) % search.check_every == 0 or generation + 1 == search.generations:
            mean, draws = task.with_genes(strategy.center, moments), task.drawn(OF_CHECK, 0, search.check_runs)
            tested = evaluate(task, [mean], draws, executor, stopped)
            if tested is None:
                return
            check, checked = tested[0], float(tested[0][0])
        writer.write(generation, Row(returns, moments, strategy.center, check))
        if progress:
            best = float(np.nanmax(returns))
            progress(Progress(generation + 1, search.generations, float(np.nanmean(returns)), best, checked,
                              monotonic() - start, False))  # fmt: skip


def evaluate(
    task: Task,
    scenarios: Sequence[Scenario],
    draws: Sequence[Mapping[str, Any]],
    executor: Executor,
    stopped: Callable[[], bool],
) -> tuple[NDArray, NDArray] | None:
    """Return the mean return of each scenario over the draws, and the sum of all moments; None if stopped.

    The order of the sums does not depend on the threads. Raise if every run failed.
    """
    inputs, runs = task.policy.shape[0], len(draws)
    outcomes: dict[int, Outcome] = {}
    work = partial(run_cell, scenarios, draws, task.goal)
    for finished in executor.run(work, range(len(scenarios) * runs), stopped):
        if finished is not None:
            outcomes[finished.chunk] = finished.outcome
    if len(outcomes) < len(scenarios) * runs:
        return None
    ordered = [outcomes[cell] for cell in range(len(outcomes))]
    values = np.array([outcome.value for outcome in ordered]).reshape(len(scenarios), runs)
    if np.isnan(values).all():
        raise SerpenoidError(f"every run failed: {next(o.reason for o in ordered if o.reason)}")
    moments = np.zeros(2 * inputs + 1)
    for outcome in ordered:
        if outcome.moments is not None:
            moments = moments + outcome.moments
    return values.mean(axis=1), moments


def run_cell(
    scenarios: Sequence[Scenario], draws: Sequence[Mapping[str, Any]], goal: Sequence[tuple[str, float]], cell: int
) -> Outcome:
    """Run one candidate on one draw."""
    scenario, draw = scenarios[cell // len(draws)], draws[cell % len(draws)]
    try:
        scenario = configuration.changed(scenario, draw) if draw else scenario
        run = scenario.run()
        summary = scenario.summary(run)
    except Exception as error:
        return Outcome(np.nan, None, reason_of(error))
    for name, _ in goal:
        if name not in summary:
            raise UnknownName("quantity", name, [n for n, q in summary.items() if not isinstance(q.value, str)])
    moments = run[MOMENTS][-1] if MOMENTS in run.variables else None
    value = float(sum(weight * float(summary[name].value) for name, weight in goal))
    return Outcome(value if np.isfinite(value) else np.nan, moments, "" if np.isfinite(value) else "goal is NaN")


def trained(task: Task, path: Path) -> Trained:
    """Return the best checked policy of a store; before the first check, the latest one."""
    layout = Layout.read(path)
    done = layout.finished
    if not done:
        raise FileProblem(path, "has no complete generation yet")
    rows = Row(*(layout.rows(name, done) for name in Row._fields))
    checks = np.where(np.isfinite(rows.check[:, 0]), rows.check[:, 0], -np.inf)
    best = int(np.argmax(checks)) if np.isfinite(checks).any() else done - 1
    scenario = task.with_genes(rows.center[best], rows.moments[best], record=False)
    return Trained(scenario, float(rows.check[best, 0]), best + 1, done == task.search.generations)
