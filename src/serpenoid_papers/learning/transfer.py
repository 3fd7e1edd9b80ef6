"""The same policy, not retrained, against the CPG: in space, with two masses, noise, other friction and densities."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from serpenoid import configuration
from serpenoid.plotting.style import COLOURS, dressed, labelled, new_figure, write
from serpenoid.robots import SeriesElastic
from serpenoid.robots.sensors import Sensor, Sensors
from serpenoid_papers.base import Finding, Progress
from serpenoid_papers.learning.laws import LEARNED, learned, rivals
from serpenoid_papers.sea_snake.boards import FEWEST, BoardConfig, Runs, run_trials
from serpenoid_papers.sea_snake.comparisons import pool_ratio, rarer_share, words_of
from serpenoid_papers.sea_snake.trial import PegTrial

RIVAL = "CPG"
NOISY = Sensors(
    joint_position=Sensor(noise=0.005), joint_velocity=Sensor(noise=0.05), joint_torque=Sensor(noise=0.3, bias=0.2)
)  # [rad, rad/s, N m]
CONDITIONS: dict[str, dict[str, Any]] = {
    "as trained": {},
    "in space": {"engine": "contact"},
    "two masses": {"robot.drive": SeriesElastic(stiffness=100.0, damping=2.0, torque_limit=7.0)},
    "noisy sensors": {"robot.sensors": NOISY},
    "floor friction 0.15": {"world.friction": 0.15},
    "floor friction 0.6": {"world.friction": 0.6},
    "peg friction 0.05": {"world.peg_friction": 0.05},
    "peg friction 0.4": {"world.peg_friction": 0.4},
    "24 pegs per square metre": {"world.density": 24.0},
    "30 pegs per square metre": {"world.density": 30.0},
}


@dataclass(frozen=True)
class Config(BoardConfig):
    """Configuration: 80 boards per condition."""

    densities: tuple[float, ...] = ()
    seeds: tuple[int, ...] = tuple(range(21_000, 21_080))
    """boards, not used for training or tuning"""
    starts: tuple[int, ...] = (0,)
    conditions: tuple[str, ...] = tuple(CONDITIONS)
    """names of the conditions"""

    @classmethod
    def quick(cls) -> Self:
        planar = tuple(name for name in CONDITIONS if name != "in space")
        return cls(seeds=tuple(range(21_000, 21_006)), conditions=planar)

    @classmethod
    def tiny(cls) -> Self:
        return cls(seeds=(21_000, 21_001), duration=0.3, conditions=("as trained", "noisy sensors"))


class Result(NamedTuple):
    """Runs of both laws by condition."""

    conditions: dict[str, Runs]


def run(config: Config, progress: Progress) -> Result:
    """Run both laws on the same boards in every condition."""
    found = {}
    for name in config.conditions:
        laws = {LEARNED: learned(), RIVAL: rivals()[RIVAL]}
        trials = {
            law: configuration.changed(PegTrial(controller=controller, duration=config.duration), CONDITIONS[name])  # type: ignore[arg-type]
            for law, controller in laws.items()
        }
        over = {"world.seed": config.seeds, "world.start": config.starts}
        found[name] = run_trials(trials, over, config.store, name.replace(" ", "_").replace(".", "_"), progress)
    return Result(found)


def claims(result: Result) -> list[Finding]:
    """Report the finding on L6."""
    measured: dict[str, Any] = {}
    parts = []
    for name, runs in result.conditions.items():
        ours, theirs = runs[LEARNED], runs[RIVAL]
        pair = rarer_share(1.0 - ours["out"], 1.0 - theirs["out"])
        ratio = pool_ratio(theirs, ours, runs.clusters)
        measured[f"inside {name}"], measured[f"cycles {name}"] = pair, ratio.interval()
        parts.append(f"{name}: {words_of({'inside': pair, 'CPG / learned': ratio})}")
    few = min(np.unique(runs.clusters).size for runs in result.conditions.values()) < FEWEST
    return [Finding("L6", measured, "; ".join(parts), "too few boards" if few else "")]


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot the share of boards left, and pooled cycles per metre, by condition."""
    sheet = new_figure(10.0, 4.2)
    left, right = (dressed(sheet.add_subplot(1, 2, i + 1)) for i in range(2))
    for i, runs in enumerate(result.conditions.values()):
        for k, (name, table) in enumerate(runs.items()):
            label = name if i == 0 else None
            left.barh(i + 0.4 * k, 100.0 * np.nanmean(table["out"]), 0.38, color=COLOURS[k], label=label)
            right.barh(i + 0.4 * k, np.nansum(table["cycles"]) / np.nansum(table["distance"]), 0.38, color=COLOURS[k])
    left.set_yticks(np.arange(len(result.conditions)) + 0.2, list(result.conditions), fontsize=7)
    right.set_yticks([])
    left.legend(fontsize=7)
    labelled(left, "boards left [%]", "", "Not retrained: out of the pegs")
    labelled(right, "pooled cycles per metre [1/m]", "", "Cycles per metre")
    return [write(sheet, folder / "transfer.png")]
