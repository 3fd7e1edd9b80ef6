"""Push-to: an object at the origin, from random starts of the snake to random goals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, pi, sin
from pathlib import Path
from typing import Any, Self

import numpy as np

from serpenoid.errors import InvalidValue
from serpenoid.plotting.style import COLOURS, dressed, labelled, new_figure, write
from serpenoid.scenarios.base import Parts, Quantity
from serpenoid.scenarios.push_to import PushToGoal
from serpenoid.trajectory import Trajectory
from serpenoid_papers.base import Finding, Progress, SweepConfig
from serpenoid_papers.sea_snake.boards import Runs, run_trials

REACH = 2.0  # largest distance of start and goal from the object [m]
CLEAR = 0.05  # smallest distance between body and object at the start [m]
ENOUGH = 50  # runs needed for a verdict


@dataclass(frozen=True)
class Config(SweepConfig):
    """Configuration: 200 random starts and goals."""

    seeds: tuple[int, ...] = tuple(range(40_000, 40_200))
    """seeds of starts and goals, not used before"""
    duration: float = 90.0
    """longest time [s]"""

    @classmethod
    def quick(cls) -> Self:
        return cls(seeds=tuple(range(40_000, 40_010)))

    @classmethod
    def tiny(cls) -> Self:
        return cls(seeds=(40_000, 40_001), duration=8.0)

    def over(self) -> dict[str, Sequence[Any]]:
        """Return the axes of the sweep."""
        return {"seed": self.seeds}


@dataclass(frozen=True)
class PushTrial(PushToGoal):
    """A push with the object at the origin; the seed determines the snake's start and the goal.

    Both positions are uniform over a disc of 2 m, and the heading is uniform over a turn. Starts with the body
    nearer than 0.05 m to the object are drawn again.
    """

    def drawn(self) -> PushToGoal:
        """Return the push of this seed."""
        rng = np.random.default_rng((self.seed, 2))
        while True:
            (far, to), (bearing, course, heading) = REACH * np.sqrt(rng.random(2)), rng.uniform(-pi, pi, 3)
            start = float(far * cos(bearing)), float(far * sin(bearing))
            goal = float(to * cos(course)), float(to * sin(course))
            known = vars(self) | {
                "object_at": (0.0, 0.0),
                "snake_at": start,
                "heading": float(heading),
                "goal": goal,
                "duration": 1e3,
            }
            push = self.if_clear(known)
            if push is not None:
                return push

    def if_clear(self, fields: dict[str, Any]) -> PushToGoal | None:
        """Return the push with these fields; None if the body is too near to the object."""
        try:
            push = PushToGoal(**fields)
        except InvalidValue as error:
            if error.field != "object_at":
                raise
            return None
        return push if push.free_space() >= CLEAR else None

    def parts(self) -> Parts:
        return self.drawn().parts()

    def initial(self) -> Any:
        return self.drawn().initial()

    def summary(self, trajectory: Trajectory) -> dict[str, Quantity]:
        push = self.drawn()
        start = np.array(push.snake_at)
        force, gap = trajectory["contact_force"], trajectory["gap"]
        return push.summary(trajectory) | {
            "force_times_gap": Quantity(float((force * np.maximum(gap, 0.0)).max()), "J"),
            "start_distance": Quantity(float(np.linalg.norm(start)), "m"),
            "push_distance": Quantity(float(np.linalg.norm(push.goal)), "m"),
            "time": Quantity(float(trajectory.times[-1]), "s"),
        }


def run(config: Config, progress: Progress) -> Runs:
    """Run all pushes."""
    return run_trials({"push_to": PushTrial(duration=config.duration)}, config.over(), config.store, "push", progress)


def claims(result: Runs) -> list[Finding]:
    """Report the findings on O1 to O3."""
    table = {name: np.nan_to_num(values, nan=np.inf) for name, values in result["push_to"].items()}
    good, away = result["push_to"]["delivered"] > 0.5, table["goal_distance"]
    few = "too few runs" if good.size < ENOUGH else ""
    share, times = float(good.mean()), table["time"][good]
    words = (
        f"{good.size} runs, {np.count_nonzero(good)} delivered; distance from the goal {np.median(away):.3f} m median, "
        f"{np.quantile(away, 0.95):.3f} m 95 %; time {np.median(times) if times.size else np.nan:.1f} s median; "
        f"{np.mean(table['attempts'] > 1.0):.0%} with a second approach"
    )
    worst = {
        "pull": max(0.0, -float(table["least_contact_force"].min())),
        "depth": max(0.0, -float(table["least_gap"].min())),
        "force_times_gap": float(table["force_times_gap"].max()),
        "energy_residual": float(table["energy_residual"].max()),
    }
    found = [
        Finding("O1", {"delivered": share}, words, few),
        Finding("O2", {"delivered": share}, "the runs of O1", few),
        Finding("O3", worst, "largest values over all samples of all runs", few),
    ]
    return [result.with_failures(finding) for finding in found]


def figure(result: Runs, folder: Path) -> list[Path]:
    """Plot the distances from the goal, the times, and the push distances."""
    sheet, table = new_figure(12.0, 3.8), result["push_to"]
    left, middle, right = (dressed(sheet.add_subplot(1, 3, i + 1)) for i in range(3))
    good = table["delivered"] > 0.5
    count = 100.0 * np.arange(1, good.size + 1) / good.size
    left.step(np.sort(1e3 * table["goal_distance"]), count, where="post", color=COLOURS[0])
    left.axvline(50.0, color="0.5", linewidth=1.0)
    left.set_xscale("log")
    middle.step(np.sort(np.where(good, table["time"], np.inf)), count, where="post", color=COLOURS[1])
    for mask, colour, word in ((good, COLOURS[0], "delivered"), (~good, COLOURS[3], "not delivered")):
        right.plot(table["start_distance"][mask], table["push_distance"][mask], ".", color=colour, label=word)
    right.legend(fontsize=8)
    labelled(left, "distance from the goal [mm]", "pushes [%]", "Final distance")
    labelled(middle, "time [s]", "pushes delivered [%]", "Time")
    labelled(right, "start to object [m]", "object to goal [m]", "Starts and goals")
    return [write(sheet, folder / "push_to.png")]
