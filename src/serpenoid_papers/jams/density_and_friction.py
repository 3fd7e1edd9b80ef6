"""Map of jams: five controllers over peg density and peg friction, 40 boards per cell, 20,000 runs in all."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from serpenoid.plotting.style import labelled, new_figure, write
from serpenoid.scenarios.slither_pegs import SlitherPegs
from serpenoid_papers.base import Finding, Progress, SweepConfig
from serpenoid_papers.sea_snake.boards import Runs, open_loop_at, run_trials
from serpenoid_papers.sea_snake.comparisons import rarer_share, words_of
from serpenoid_papers.sea_snake.tuned import controllers

OPEN = "open loop"
AMPLITUDE = 0.9  # amplitude of open loop [rad], near the mean command of the amplitude-compliant law
TUNED = ("CPG", "A", "AW", "AWP")
ENOUGH = 10  # boards per cell needed for a verdict


@dataclass(frozen=True)
class Config(SweepConfig):
    """Configuration of the experiment."""

    densities: tuple[float, ...] = tuple(np.round(np.linspace(20.0, 32.0, 10), 2).tolist())
    """pegs per square metre"""
    frictions: tuple[float, ...] = tuple(np.round(np.linspace(0.05, 0.5, 10), 3).tolist())
    """friction of the pegs [-]"""
    seeds: tuple[int, ...] = tuple(range(4000, 4040))
    """boards, not used for tuning"""
    duration: float = 60.0
    """longest time of a run [s]"""

    @classmethod
    def quick(cls) -> Self:
        return cls(densities=(22.0, 27.0, 32.0), frictions=(0.05, 0.2, 0.5), seeds=tuple(range(4000, 4006)))

    @classmethod
    def tiny(cls) -> Self:
        return cls(densities=(22.0, 27.0), frictions=(0.2, 0.5), seeds=(4000,), duration=0.3)


class Result(NamedTuple):
    """All runs, and the axes of the map."""

    runs: Runs
    densities: tuple[float, ...]
    frictions: tuple[float, ...]

    def shares(self, controller: str, quantity: str) -> NDArray:
        """Return the shares (densities, frictions) of a controller's runs that are stuck, or out."""
        values = self.runs[controller][quantity].reshape(len(self.densities), len(self.frictions), -1)
        return np.asarray(values.mean(axis=2))


def run(config: Config, progress: Progress) -> Result:
    """Run open loop and the tuned controllers on the same boards from the same starts."""
    laws: dict[str, Any] = {OPEN: open_loop_at(AMPLITUDE)}
    laws |= {name: law for name, law in controllers().items() if name in TUNED}
    trials = {name: SlitherPegs(controller=law, duration=config.duration) for name, law in laws.items()}
    over = {"world.density": config.densities, "world.peg_friction": config.frictions, "world.seed": config.seeds}
    return Result(run_trials(trials, over, config.store, "jams", progress), config.densities, config.frictions)


def claims(result: Result) -> list[Finding]:
    """Report the findings on J1 to J3."""
    runs, few = result.runs, result.runs.clusters.size // result.shares(OPEN, "stuck").size < ENOUGH
    trends: dict[str, dict[str, float]] = {"friction": {}, "density": {}}
    for name, table in runs.items():
        trends["friction"][name] = trend(runs.axes["peg_friction"], table["stuck"])
        trends["density"][name] = trend(runs.axes["density"], table["stuck"])
    pair = rarer_share(runs["AWP"]["stuck"], runs[OPEN]["stuck"])
    gain = {}
    for friction in result.frictions:
        here = runs.axes["peg_friction"] == friction
        gain[f"{friction:g}"] = rarer_share(runs["AWP"]["stuck"][here], runs[OPEN]["stuck"][here])
    totals = ", ".join(f"{name} {table['stuck'].mean():.0%}" for name, table in runs.items())
    stronger = {name: abs(trends["friction"][name]) > abs(trends["density"][name]) for name in runs}
    spoken = {axis: ", ".join(f"{name} {value:+.2f}" for name, value in own.items()) for axis, own in trends.items()}
    found = [
        Finding("J1", {"least_friction_trend": min(trends["friction"].values()),
                       "least_density_trend": min(trends["density"].values())},
                f"rank correlation of being stuck with friction: {spoken['friction']}. With density: "
                f"{spoken['density']}. Stuck overall: {totals}"),
        Finding("J2", {"friction_stronger_in": int(sum(stronger.values()))},
                f"friction has the stronger trend for {', '.join(n for n, yes in stronger.items() if yes)}"),
        Finding("J3", {"stuck AWP, open loop": pair, **{f"at {name}": share for name, share in gain.items()}},
                f"{words_of({'stuck AWP, open loop': pair})}; by friction: {words_of(gain)}"),
    ]  # fmt: skip
    return [finding._replace(measured=None) if few else finding for finding in found]


def trend(places: NDArray, stuck: NDArray) -> float:
    """Return the rank correlation of being stuck with a position on the map; 0 if all runs have the same outcome."""
    return float(spearmanr(places, stuck).statistic) if np.ptp(stuck) > 0.0 else 0.0


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot the share of stuck runs over density and friction, one panel per controller."""
    names = list(result.runs)
    sheet = new_figure(3.0 * len(names) + 1.0, 3.6)
    panels = [sheet.add_subplot(1, len(names), k + 1) for k in range(len(names))]
    drawn: Any = None
    for axes, name in zip(panels, names):
        drawn = axes.pcolormesh(
            result.frictions, result.densities, 100.0 * result.shares(name, "stuck"), vmin=0.0, vmax=100.0,
            cmap="viridis", shading="nearest",
        )  # fmt: skip
        labelled(axes, "friction of the pegs [-]", "pegs per square metre [1/m^2]" if axes is panels[0] else "", name)
    sheet.colorbar(drawn, ax=panels, label="stuck [%]")
    return [write(sheet, folder / "jams.png")]
