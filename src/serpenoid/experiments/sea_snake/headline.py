"""The headline of slithering (S26) again: in space on MuJoCo, with two-mass drives, noisy sensors and half the step."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from serpenoid.experiments.base import Finding, Progress
from serpenoid.experiments.sea_snake.boards import BoardConfig, Runs, carry_out, controllers
from serpenoid.experiments.sea_snake.comparisons import pooled
from serpenoid.experiments.sea_snake.trial import PegTrial
from serpenoid.plotting.style import COLOURS, dressed, labelled, new_figure, write
from serpenoid.robots import SeaSnake
from serpenoid.robots.drives import SeriesElastic
from serpenoid.robots.sensors import Sensor, Sensors

LAWS = ("CPG", "A", "AW", "AWP")


@dataclass(frozen=True)
class Config(BoardConfig):
    """27 pegs per square metre; 80 pairs in space, 20 of each other kind."""

    densities: tuple[float, ...] = (27.0,)
    others: int = 20
    """boards of the other kinds, one start each"""
    kinds: tuple[str, ...] = ("in space", "two-mass", "noise", "half the step")
    """what is run"""

    @classmethod
    def quick(cls) -> Any:
        return cls(seeds=(0, 1, 2), starts=(0,), duration=30.0, others=3, kinds=("noise", "half the step"))

    @classmethod
    def tiny(cls) -> Any:
        return cls(seeds=(0, 1, 2), starts=(0,), duration=0.1, others=1, kinds=("noise",))


Result = dict[str, Runs]


def trial_of(kind: str, duration: float) -> PegTrial:
    """The trial of a kind, without its controller."""
    robot, trial = SeaSnake(), PegTrial(duration=duration)
    if kind == "in space":
        return replace(trial, engine="contact")
    if kind == "two-mass":
        return replace(trial, robot=replace(robot, drive=SeriesElastic(200.0, 8.0, 7.0, 30.0, 0.3)))
    if kind == "noise":
        return replace(
            trial, robot=replace(robot, sensors=Sensors(Sensor(noise=0.0004), Sensor(), Sensor(noise=0.012)))
        )
    return replace(trial, step=0.0005)


def run(config: Config, progress: Progress) -> Result:
    """Every kind with the CPG and the three compliant laws."""
    laws, found = controllers(), {}
    for kind in config.kinds:
        own = config if kind == "in space" else replace(config, seeds=config.seeds[: config.others], starts=(0,))
        trials = {name: replace(trial_of(kind, config.duration), controller=laws[name]) for name in LAWS}  # type: ignore[arg-type]
        found[kind] = carry_out(trials, own.over(), config.store, f"headline_{kind}".replace(" ", "_"), progress)
    return found


def claims(result: Result) -> list[Finding]:
    """None of its own: S26 is decided on the planar engine."""
    return []


def figure(result: Result, folder: Path) -> list[Path]:
    """Ratios of the CPG's pooled cycles per metre to those of each law, with intervals."""
    sheet = new_figure(8.0, 3.6)
    axes = dressed(sheet.add_subplot(1, 1, 1))
    for i, runs in enumerate(result.values()):
        for k, name in enumerate(LAWS[1:]):
            ratio = pooled(runs["CPG"], runs[name], runs.clusters)
            low, high = ratio.interval() or (ratio.value, ratio.value)
            axes.plot([i + 0.2 * k] * 2, [low, high], color=COLOURS[k])
            axes.plot(i + 0.2 * k, ratio.value, "o", color=COLOURS[k], label=f"CPG / {name}" if i == 0 else None)
    axes.axhline(1.0, color="black", lw=0.8)
    axes.set_xticks(range(len(result)), list(result))
    axes.legend(fontsize=8, frameon=False)
    labelled(axes, "", "ratio of cycles per metre", "S26 in space, with springs, noise and a finer step")
    return [write(sheet, folder / "headline.png")]
