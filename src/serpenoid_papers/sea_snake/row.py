"""Fig. 4.13-4.16 (S53, S57-S61, S65): sidewinding through a row of pegs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import pi
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from serpenoid.analysis.statistics import bootstrap
from serpenoid.control import ShapeCompliance
from serpenoid.plotting.style import COLOURS, dressed, gradient, labelled, new_figure, write
from serpenoid_papers.base import Finding, Progress, SweepConfig
from serpenoid_papers.sea_snake.boards import Runs, run_trials
from serpenoid_papers.sea_snake.comparisons import (
    Ratio,
    correct_family,
    enough,
    rarer_share,
    ratio_of,
    shown_order,
    words_of,
)
from serpenoid_papers.sea_snake.identities import wells_potential
from serpenoid_papers.sea_snake.row_trial import RowTrial, crossing
from serpenoid_papers.sea_snake.tuned import SIDEWINDING, sidewinding

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FOUR = tuple(SIDEWINDING)  # AC-SFC, AC, SFC, OL
TRIALS = 21  # trials of each controller in the thesis
PROVISO = "limits, dead band and torque cap are ours, because none is printed; headline.txt has others"


@dataclass(frozen=True)
class Config(SweepConfig):
    """Arrays, start positions and repeats."""

    seeds: tuple[int, ...] = tuple(range(10))
    """arrays; 0 is the thesis's board"""
    places: tuple[float, ...] = (-0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3)
    """start positions along the row [m]"""
    repeats: tuple[int, ...] = (0, 1, 2)
    """repeats at each position"""
    duration: float = 120.0
    """longest time [s]"""

    def over(self) -> dict[str, Sequence[Any]]:
        """Return the axes of the sweep."""
        return {"world.seed": self.seeds, "place": self.places, "repeat": self.repeats}

    @classmethod
    def quick(cls) -> Self:
        return cls(seeds=(0,), repeats=(0,))

    @classmethod
    def tiny(cls) -> Self:
        return cls(seeds=(0,), places=(0.0, 0.1), repeats=(0,), duration=0.3)


class Result(NamedTuple):
    """Runs of the four and of classic sidewinding."""

    runs: Runs
    shown: Any  # one run of AC-SFC, for Fig. 4.13


def laws() -> dict[str, ShapeCompliance]:
    """Return the four tuned laws, and classic sidewinding without turning."""
    found = {name: sidewinding(name) for name in FOUR}
    return found | {"classic": replace(found["OL"], turning=None)}


def trials(controllers: Mapping[str, ShapeCompliance], config: Config) -> dict[str, RowTrial]:
    """Return trials of some controllers."""
    return {name: RowTrial(controller=law, duration=config.duration) for name, law in controllers.items()}


def run(config: Config, progress: Progress) -> Result:
    """Run all controllers from the same starts."""
    own = trials(laws(), config)
    runs = run_trials(own, config.over(), config.store, "row", progress)
    return Result(runs, to_show(own["AC-SFC"], runs).run())


def to_show(trial: RowTrial, runs: Runs) -> RowTrial:
    """Return the first run of AC-SFC that passed and reversed, for Fig. 4.13; otherwise the first run."""
    turned = np.flatnonzero(np.isfinite(runs["AC-SFC"]["time"]))
    first = int(turned[0]) if turned.size else 0
    seed, place, repeat = (float(runs.axes[axis][first]) for axis in ("seed", "place", "repeat"))
    return replace(trial, world=replace(trial.world, seed=int(seed)), place=place, repeat=int(repeat))


def find_failed(table: Mapping[str, NDArray]) -> NDArray:
    """Return the runs (runs,) that did not pass or ended with an error."""
    return ~(table["passed"] >= 0.5)


def time_ratio(one: Mapping[str, NDArray], other: Mapping[str, NDArray], clusters: NDArray) -> Ratio:
    """Return the ratio of mean times over pairs in which both pass and reverse."""
    good = np.isfinite(one["time"]) & np.isfinite(other["time"])

    def statistic(rows: NDArray) -> float:
        chosen = rows[good[rows]]
        return float(one["time"][chosen].sum() / other["time"][chosen].sum()) if chosen.size else np.nan

    return ratio_of(statistic, clusters)


def claims(result: Result) -> list[Finding]:
    """Report the findings on sidewinding through pegs."""
    runs = result.runs
    found = [turning_over(runs), classic(runs), *passing(runs), squeeze(runs)]
    return [runs.judged(finding) for finding in found]


def turning_over(runs: Runs) -> Finding:
    """Report S53 for AC-SFC."""
    table = runs["AC-SFC"]
    first, ratio = table["heading_first"], table["rise_ratio"]
    turned = np.isfinite(first) & (table["passed"] > 0.5)
    measured = {
        "heading_first_share": float(first[turned].mean()) if turned.any() else None,
        "rise_ratio": float(np.median(ratio[turned])) if turned.any() else None,
    }
    return Finding("S53", measured, f"{turned.sum()} runs of AC-SFC that passed and reversed; median of the ratio")


def classic(runs: Runs) -> Finding:
    """Report S57: sidewinding without reversal and steering."""
    pair = rarer_share(runs["classic"]["passed"], runs["OL"]["passed"])
    ratio = pair[0] / pair[1] if pair[1] else None
    return Finding("S57", {"pass_ratio": ratio, "passes classic, OL": pair}, words_of({"passes classic, OL": pair}))


def passing(runs: Runs) -> list[Finding]:
    """Report S58 to S61; the family S59-S61 is corrected by Holm."""
    fails = {name: find_failed(runs[name]) for name in FOUR}
    names = (("AC-SFC", "SFC"), ("AC-SFC", "OL"), ("AC-SFC", "AC"), ("SFC", "AC"), ("OL", "AC"))
    pairs = {f"{a}, {b}": rarer_share(fails[a], fails[b]) for a, b in names}
    over = (("AC-SFC", "AC"), ("SFC", "AC"), ("SFC", "AC-SFC"), ("SFC", "OL"), ("AC-SFC", "OL"))
    times = {f"{a} / {b}": time_ratio(runs[a], runs[b], runs.clusters) for a, b in over}
    gone = mean_ratio(runs["OL"]["openings_passed_by"], runs["AC-SFC"]["openings_passed_by"], runs.clusters)
    fixed = correct_family({**pairs, **times, "OL / AC-SFC openings": gone})
    means = {
        name: float(np.nanmean(runs[name]["time"])) if np.isfinite(runs[name]["time"]).any() else np.nan
        for name in FOUR
    }
    late = {name: float(np.nan_to_num(runs[name]["time"], nan=120.0).mean()) for name in FOUR}
    shares = {name: float(fail.mean()) for name, fail in fails.items()}
    order = {name: fails[name].astype(float) for name in ("AC", "SFC", "AC-SFC")}
    seen = shown_order(order, TRIALS)
    own = f"shares of {TRIALS} unpaired trials in the thesis's order AC > SFC > AC-SFC in {seen:.0%} of draws"
    timed = {name: runs[name]["time"][np.isfinite(runs[name]["time"])] for name in ("SFC", "OL", "AC-SFC", "AC")}
    slower = draws_of(timed, f"mean times of {TRIALS} unpaired trials in the thesis's order SFC > OL > AC-SFC > AC")
    by = {name: runs[name]["openings_passed_by"] for name in ("OL", "AC-SFC")}
    fewer = draws_of(by, f"mean openings of {TRIALS} unpaired trials with OL > AC-SFC")
    turned = np.concatenate([t["off_course"][t["passed"] > 0.5] for t in (runs[name] for name in FOUR)])
    good = np.mean(turned <= 30.0) if turned.size else None  # NaN (not reversed) counts as not turned
    finite = [value for value in means.values() if np.isfinite(value)]
    quotient = times["AC-SFC / OL"].value
    return [
        Finding("S58", {"turned_share": None if good is None else float(good)}, f"{turned.size} runs that passed"),
        Finding("S59", {"AC_SFC": shares["AC-SFC"], "SFC": shares["SFC"], **{n: fixed[n] for n in pairs}},
                f"failures {spoken(shares)}; {words_of(pairs)}; {own}; {PROVISO}"),
        Finding("S60", {
            **{n: fixed[n] for n in times}, "AC_SFC_over_OL": quotient if np.isfinite(quotient) else None,
            "least_mean": min(finite, default=None), "greatest_mean": max(finite, default=None),
            "slowest_over_fastest": max(finite) / min(finite) if finite else None,
        }, f"mean times [s] {spoken(means)}, failures as 120 s {spoken(late)}; {words_of(times)}; {slower}; {PROVISO}"),
        Finding("S61", {"OL / AC-SFC": fixed["OL / AC-SFC openings"]},
                f"before Holm's correction OL / AC-SFC {gone.words}; {fewer}; {PROVISO}"),
    ]  # fmt: skip


def draws_of(tables: Mapping[str, NDArray], what: str) -> str:
    """Report the thesis's statistic: how often samples of its size show an order."""
    if not all(values.size for values in tables.values()):
        return f"{what}: too few runs"
    return f"{what} in {shown_order(tables, TRIALS):.0%} of draws"


def mean_ratio(one: NDArray, other: NDArray, clusters: NDArray) -> Ratio:
    """Return the mean of one over the mean of the other."""

    def statistic(rows: NDArray) -> float:
        below = other[rows].sum()
        return float(one[rows].sum() / below) if below > 0.0 else np.nan

    return ratio_of(statistic, clusters)


def spoken(values: Mapping[str, float]) -> str:
    """Format names with values."""
    return ", ".join(f"{name} {value:.3g}" for name, value in values.items())


def squeeze(runs: Runs) -> Finding:
    """Report S65: behaviour of the parameters in contact with a peg."""
    table = runs["AC-SFC"]
    shorter = mean_ratio(*both_known(table["length_free"], table["length_touching"]), runs.clusters)
    larger = mean_ratio(*both_known(table["amplitude_touching"], table["amplitude_free"]), runs.clusters)
    values = table["push_correlation"]
    low = None
    if enough(runs.clusters) and np.isfinite(values).sum() > 3:
        low = bootstrap(lambda rows: float(np.nanmean(values[rows])), runs.clusters).low
    measured = {
        "length free / touching": shorter.interval(),
        "A touching / free": larger.interval(),
        "correlation_low": low,
    }
    words = words_of({"length free / touching": shorter, "A touching / free": larger})
    known = values[np.isfinite(values)]
    return Finding(
        "S65",
        measured,
        f"{words}; mean correlation of speed and A {known.mean() if known.size else 0.0:.3g}; {PROVISO}",
    )


def both_known(one: NDArray, other: NDArray) -> tuple[NDArray, NDArray]:
    """Return both with 0 where one of them is not finite."""
    good = np.isfinite(one) & np.isfinite(other)
    return np.where(good, one, 0.0), np.where(good, other, 0.0)


def figure(result: Result, folder: Path) -> list[Path]:
    """Draw Fig. 4.13 (heading and beta over time), 4.14 (in the wells), 4.15 and 4.16 (failures, openings, times)."""
    shown, sheet = result.shown, new_figure(13.5, 6.4)
    heading, beta = shown["chassis_heading"], shown["shape_reversal"]
    over_time = dressed(sheet.add_subplot(2, 3, 1))
    ticks = 0.01 * np.arange(heading.size)
    over_time.plot(ticks, heading / pi, color=COLOURS[0], label="heading")
    over_time.plot(ticks, beta / pi, color=COLOURS[1], label="beta")
    over_time.legend(fontsize=8, frameon=False)
    labelled(over_time, "time [s]", "angle [pi rad]", "Fig. 4.13: heading and phase")
    draw_in_wells(dressed(sheet.add_subplot(2, 3, 2)), heading, beta)
    bars = {
        "failures [%]": lambda t: 100.0 * find_failed(t),
        "openings passed by [-]": lambda t: t["openings_passed_by"],
        "time [s]": lambda t: t["time"][np.isfinite(t["time"])],
    }  # fmt: skip
    for i, (quantity, values) in enumerate(bars.items()):
        axes = dressed(sheet.add_subplot(2, 3, i + 4))
        for k, name in enumerate(FOUR):
            own: Any = values(result.runs[name])
            if len(own):
                error = own.std() if "failures" not in quantity else 0.0
                axes.bar(k, own.mean(), yerr=error, color=COLOURS[k])
            else:
                axes.annotate("none", (k, 0.0), ha="center", va="bottom", fontsize=8)
        axes.set_xlim(-0.6, len(FOUR) - 0.4)
        axes.set_xticks(range(len(FOUR)), list(FOUR), fontsize=8)
        labelled(axes, "controller", quantity, f"Fig. 4.{max(15, 14 + i)}")
    return [write(sheet, folder / "fig_4_13_to_16.png")]


def draw_in_wells(axes: Axes, heading: NDArray, beta: NDArray) -> None:
    """Draw the potential of beta at four times of a reversal with heading and beta; the rotation is counted as
    positive.
    """
    way = 1.0 if beta[np.abs(beta).argmax()] >= 0.0 else -1.0
    over = np.linspace(-0.3 * pi, 1.3 * pi, 300)
    middle = crossing(way * beta, 0.5 * pi)
    first = crossing(way * heading, 0.25 * pi)
    moments = (0, (first + middle) // 2, middle, heading.size - 1)
    for colour, i in zip(gradient(len(moments)), (min(i, heading.size - 1) for i in moments)):
        h, b = way * float(heading[i]), way * float(beta[i])
        axes.plot(over, wells_potential(over, h), color=colour, label=f"{0.01 * i:.1f} s")
        axes.plot(b, wells_potential(np.array(b), h), "o", color=colour)
        axes.axvline(h, color=colour, lw=0.8, ls=":")
    axes.legend(fontsize=8, frameon=False)
    labelled(axes, "beta [rad]", "potential [rad^2/s]", "Fig. 4.14: beta (dot) and heading (dotted) in the wells")
