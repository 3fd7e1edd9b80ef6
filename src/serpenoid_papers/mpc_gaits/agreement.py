"""Beyond the paper (B1): our plans against ipopt's on the same discrete problem, with local minima and failures
separate.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np

from serpenoid.planning import Goal, Limits, Problem, Torque, solve
from serpenoid.planning.solver import Planner
from serpenoid.robots import PlanarSnake
from serpenoid.worlds import Plane
from serpenoid.worlds.plane import MediumName
from serpenoid_papers.base import ExperimentConfig, Finding, Progress
from serpenoid_papers.mpc_gaits.runs import MEDIA

GOAL, TORQUE_WEIGHT, BOUND = (-20.0, 0.0), 0.01, 1.0
EQUAL = 1e-3  # largest difference of two costs that count as equal
SEED = 11


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration of the experiment."""

    horizon: int = 25
    """steps planned ahead"""
    starts: tuple[int, int, int] = (20, 20, 20)
    """random starts in dry, viscous and fluid"""
    iterations: int = 2000
    """maximum iterations of our solver"""

    @classmethod
    def quick(cls) -> Config:
        """Use half the horizon and few starts, because ipopt takes seconds to minutes per plan."""
        return cls(horizon=12, starts=(4, 4, 1))

    @classmethod
    def tiny(cls) -> Config:
        """Use three steps and one start in each medium."""
        return cls(horizon=3, starts=(1, 1, 1))


class PlanComparison(NamedTuple):
    """One start: costs of both, whether both converged, and the costs of each started at the other's solution."""

    ours: float
    theirs: float
    converged: bool
    success: bool
    theirs_from_ours: float  # ipopt started at our plan; our cost if the two are equal
    ours_from_theirs: float
    seconds: tuple[float, float]  # processor time of ours and of ipopt
    same_problem: float  # largest difference of the next state between the two models

    @property
    def verdict(self) -> str:
        """Class of the pair of plans."""
        if not self.success:
            return "ipopt failed"
        if abs(self.ours - self.theirs) <= EQUAL:
            return "equal"
        if not self.converged:
            return "ours not converged"
        if self.theirs_from_ours < self.ours - EQUAL:
            return "ipopt improves ours"
        if self.ours_from_theirs < self.theirs - EQUAL:
            return "ours improves ipopt's"
        return "two minima, ours lower" if self.ours < self.theirs else "two minima, ipopt's lower"


Result = dict[str, list[PlanComparison]]


def run(config: Config, progress: Progress) -> Result:
    """Compare random starts in every medium; return no comparisons if casadi is not installed."""
    try:
        import casadi  # noqa: F401
    except ImportError:
        progress("casadi is not installed: no comparison with ipopt")
        return {}
    result: Result = {}
    for medium, starts in zip(MEDIA, config.starts):
        progress(f"plans against ipopt in {medium}")
        result[medium] = compare(medium, starts, config)
    return result


def compare(medium: MediumName, starts: int, config: Config) -> list[PlanComparison]:
    """Run both solvers from the same random states and torques."""
    from serpenoid_papers.mpc_gaits.symbolic import SymbolicPlanner, SymbolicSnake

    robot, world = PlanarSnake(), Plane(medium)
    cost = Goal(GOAL) + Torque(TORQUE_WEIGHT)
    problem = Problem(robot, world, cost, config.horizon, limits=Limits(-BOUND, BOUND, None))
    snake = SymbolicSnake(robot, world, problem.step, *Planner(problem).dynamics[2:])
    peer = SymbolicPlanner(snake, config.horizon, GOAL, TORQUE_WEIGHT, BOUND)
    rng = np.random.default_rng(SEED)
    rows = []
    for _ in range(starts):
        state = np.concatenate([rng.normal(size=3) * 0.1, rng.normal(size=4) * 0.4, rng.normal(size=7) * 0.5])
        guess = rng.uniform(-0.3, 0.3, (config.horizon, robot.joints))
        rows.append(compare_one(problem, peer, state, guess, config.iterations))
    return rows


def compare_one(problem: Problem, peer: Any, state: Any, guess: Any, iterations: int) -> PlanComparison:
    """Compare one start; if the costs differ, start each solver at the other's solution."""
    begin = process_time()
    ours = solve(problem, state, guess=guess, iterations=iterations)
    middle = process_time()
    theirs, torques, success = peer.solve(state, guess)
    seconds = (middle - begin, process_time() - middle)
    following = np.array(peer.step(state, ours.torques[0])).ravel()
    there, back = ours.cost, theirs
    if success and abs(ours.cost - theirs) > EQUAL:
        there = peer.solve(state, ours.torques, near=True)[0]
        back = solve(problem, state, guess=torques, iterations=iterations).cost
    gap = float(np.abs(ours.states[1] - following).max())
    return PlanComparison(ours.cost, theirs, ours.converged, success, there, back, seconds, gap)


def claims(result: Result) -> list[Finding]:
    """Report the finding on B1."""
    if not result:
        return []
    table: dict[str, Any] = {}
    for medium, rows in result.items():
        verdicts = [row.verdict for row in rows]
        table[f"{medium}, starts"] = len(rows)
        for verdict in dict.fromkeys(["equal", "ipopt improves ours", *sorted(verdicts)]):
            table[f"{medium}, {verdict}"] = verdicts.count(verdict)
        apart = [round(row.ours - row.theirs, 4) for row in rows if row.verdict != "equal"]
        table[f"{medium}, ours less ipopt's cost where not equal"] = apart
        same = [abs(row.ours - row.theirs) for row in rows if row.verdict == "equal"]
        table[f"{medium}, largest difference where equal"] = max(same, default=None)
        ours, theirs = np.median([row.seconds for row in rows], axis=0)
        table[f"{medium}, median time of ours and of ipopt [s]"] = [round(float(ours), 3), round(float(theirs), 2)]
    everything = [row for rows in result.values() for row in rows]
    table["all starts"] = len(everything)
    table["plans of ours that do not say converged"] = sum(not row.converged for row in everything)
    table["largest difference of a next state"] = max(row.same_problem for row in everything)
    reason = (
        f"equal: costs within {EQUAL:g}. Two minima: each solver, started at the other's plan, stays there (ipopt "
        "with a vanishing barrier)"
    )
    return [Finding("B1", table, reason)]


def figure(result: Result, folder: Path) -> list[Path]:
    """Draw nothing, because the result is a table."""
    return []
