"""Windows that merge and split by sensed torque, against fixed windows and a single one, on unused boards."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, Self

from serpenoid.control import ShapeCompliance
from serpenoid.plotting.style import COLOURS, dressed, labelled, new_figure, write
from serpenoid.scenarios.slither_pegs import SlitherPegs
from serpenoid_papers.base import Finding, Progress
from serpenoid_papers.sea_snake.boards import BoardConfig, Runs, preset, run_trials
from serpenoid_papers.sea_snake.comparisons import pool_ratio, rarer_share, words_of
from serpenoid_papers.sea_snake.tuned import slithering

FORMS = ("as tuned", "as proposed")  # values of AW; the first decides


@dataclass(frozen=True)
class Config(BoardConfig):
    """Configuration: 27 pegs per square metre, 300 boards."""

    densities: tuple[float, ...] = (27.0,)
    seeds: tuple[int, ...] = tuple(range(5000, 5300))
    """boards, not used for tuning"""
    starts: tuple[int, ...] = (0,)

    @classmethod
    def quick(cls) -> Self:
        return cls(seeds=tuple(range(5000, 5006)))

    @classmethod
    def tiny(cls) -> Self:
        return cls(seeds=(5000, 5001, 5002), duration=0.3)


class Result(NamedTuple):
    """Runs by form of AW: with fixed windows, with merging windows, and with a single window."""

    forms: dict[str, Runs]


def laws() -> dict[str, dict[str, ShapeCompliance]]:
    """Return AW by form; both use the merging thresholds of slithering_aw_merging, which are not tuned."""
    found = {}
    own = preset("slithering_aw_merging").windows
    for form, fixed, central in zip(
        FORMS, (slithering("AW"), preset("slithering_aw")), (slithering("AW1"), preset("slithering_aw_central"))
    ):
        found[form] = {"fixed": fixed, "joining": replace(fixed, windows=own), "one": central}
    return found


def run(config: Config, progress: Progress) -> Result:
    """Run all on the same boards from the same starts."""
    found = {}
    for form, own in laws().items():
        trials = {name: SlitherPegs(controller=law, duration=config.duration) for name, law in own.items()}
        found[form] = run_trials(trials, config.over(), config.store, form.replace(" ", "_"), progress)
    return Result(found)


def claims(result: Result) -> list[Finding]:
    """Report the findings on J4 and J5 for the deciding form, with the other form for comparison."""
    stuck, cycles, parts = {}, {}, []
    for form, runs in result.forms.items():
        pairs = {
            f"stuck joining, {name}": rarer_share(runs["joining"]["stuck"], runs[name]["stuck"])
            for name in ("fixed", "one")
        }
        over = {
            f"{name} / joining": pool_ratio(runs[name], runs["joining"], runs.clusters) for name in ("fixed", "one")
        }
        parts.append(f"{form}: {words_of(pairs)}; {words_of(over)}; out {shares(runs, 'out')}")
        if form == FORMS[0]:
            stuck, cycles = pairs, {name: ratio.interval() for name, ratio in over.items()}
    words, decides = "; ".join(parts), result.forms[FORMS[0]]
    return [decides.judged(Finding("J4", stuck, words)), decides.judged(Finding("J5", cycles, words))]


def shares(runs: Runs, quantity: str) -> str:
    """Return the share of each controller's runs that are stuck, or out."""
    return ", ".join(f"{name} {table[quantity].mean():.0%}" for name, table in runs.items())


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot stuck runs, and pooled cycles per metre."""
    sheet = new_figure(8.0, 3.6)
    left, right = (dressed(sheet.add_subplot(1, 2, i + 1)) for i in range(2))
    places = []
    for i, (form, runs) in enumerate(result.forms.items()):
        for k, (name, table) in enumerate(runs.items()):
            places.append((4 * i + k, f"{name}\n{form}"))
            left.bar(4 * i + k, 100.0 * table["stuck"].mean(), color=COLOURS[k])
            right.bar(4 * i + k, table["cycles"].sum() / table["distance"].sum(), color=COLOURS[k])
    for axes in (left, right):
        axes.set_xticks([x for x, _ in places], [name for _, name in places], fontsize=7, rotation=60)
    labelled(left, "", "stuck [%]", "Windows that merge and split: jams")
    labelled(right, "", "pooled cycles per metre [1/m]", "Cycles per metre")
    return [write(sheet, folder / "joining.png")]
