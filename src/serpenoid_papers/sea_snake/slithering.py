"""Fig. 4.6 and its claims (S15, S26-S31, S33, S35, S38): slithering through irregular pegs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.ticker import LogLocator, NullFormatter
from numpy.typing import NDArray
from scipy.stats import spearmanr

from serpenoid.plotting.style import COLOURS, dressed, labelled, new_figure, write
from serpenoid_papers.base import Finding, Progress
from serpenoid_papers.sea_snake.boards import BoardConfig, Runs, on_boards, open_loop_at
from serpenoid_papers.sea_snake.comparisons import (
    Ratio,
    both_leave,
    correct_family,
    pool_ratio,
    rarer_share,
    shown_order,
    spread,
    typical,
    words_of,
)
from serpenoid_papers.sea_snake.tuned import controllers

TRIALS = 10  # trials of each controller in the thesis
SHAPES = ("A", "AW", "AWP")
PROVISO = "the CPG is ours, because its source is another paper"


@dataclass(frozen=True)
class Config(BoardConfig):
    """Configuration: three densities, 40 boards, two starts, every controller."""


class Result(NamedTuple):
    """All runs, and the amplitude of OLm."""

    runs: Runs
    matched: float  # [rad]


def run(config: Config, progress: Progress) -> Result:
    """Run every controller on the same boards from the same starts; OLm has the mean amplitude of A's commands."""
    runs = on_boards(controllers(), config, "pegs", progress)
    matched = float(np.nanmean(runs["A"]["commanded_amplitude"]))
    again = on_boards({"OLm": open_loop_at(matched)}, config, "pegs", progress)
    runs["OLm"] = again["OLm"]
    return Result(runs, matched)


def claims(result: Result) -> list[Finding]:
    """Report the findings on slithering; the family S26-S31 is corrected by Holm."""
    runs = result.runs
    at27 = runs.chosen(runs.axes["density"] == 27.0)
    family = family_of(runs, at27)
    measured, words = by_claim(correct_family(family)), {id: words_of(own) for id, own in by_claim(family).items()}
    errors = {name: np.std(runs[name]["cycles_per_metre"]) / np.sqrt(TRIALS) for name in ("CPG", *SHAPES)}
    words["S26"] += f"; {headline(runs)}; {PROVISO}"
    words["S27"] += f"; standard error of {TRIALS} trials [cycles/m]: {list_values(errors)}"
    for id in ("S28", "S29", "S30", "S31"):
        words[id] += on_leavers(id, runs)
    found = [Finding(id, measured[id], words[id]) for id in measured]
    found += [decides_shape(at27), jams_dominate(runs), tight_places(runs), smoother(runs)]
    return [runs.judged(finding) for finding in found]


def by_claim(family: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Group comparisons named "S26 CPG / A" by claim and name."""
    found: dict[str, dict[str, Any]] = {}
    for key, item in family.items():
        id, _, name = key.partition(" ")
        found.setdefault(id, {})[name] = item
    return found


def list_values(values: dict[str, Any]) -> str:
    """Format names with their values."""
    return ", ".join(f"{name} {value:.3g}" for name, value in values.items())


def family_of(runs: Runs, at27: Runs) -> dict[str, Ratio | list[float]]:
    """Return the comparisons of S26 to S31, named by claim."""
    boards, near = runs.clusters, at27.clusters
    ja, one = (rarer_share(runs["AW"]["stuck"], runs[name]["stuck"]) for name in ("JA", "AW1"))
    return {
        **{f"S26 CPG / {name}": pool_ratio(runs["CPG"], runs[name], boards) for name in SHAPES},
        **{
            f"S27 {a} / {b}": spread(runs[a], runs[b], "cycles_per_metre", boards)
            for a, b in (("CPG", "A"), ("A", "AW"), ("AW", "AWP"))
        },
        "S28 cycles A / AW": pool_ratio(runs["A"], runs["AW"], boards),
        "S28 impulse A / AW": typical(runs["A"], runs["AW"], "peg_impulse_per_metre", boards),
        "S29 cycles AW / AWP": pool_ratio(runs["AW"], runs["AWP"], boards),
        "S29 variation AW / AWP": typical(runs["AW"], runs["AWP"], "way_variation", boards),
        "S30 cycles AWPw / AWP": pool_ratio(at27["AWPw"], at27["AWP"], near),
        "S30 residual AWPw / AWP": typical(at27["AWPw"], at27["AWP"], "commanded_residual", near),
        "S31 stuck AW, AW1": one,
        "S31 stuck AW, JA": ja,
        "S31 AW1 / AW": pool_ratio(runs["AW1"], runs["AW"], boards),
        "S31 JA / AW": pool_ratio(runs["JA"], runs["AW"], boards),
    }  # fmt: skip


def headline(runs: Runs) -> str:
    """Format Fig. 4.6 as text, with the thesis's own statistic."""
    parts = []
    for name, table in runs.items():
        pool = table["cycles"].sum() / max(table["distance"].sum(), 1e-9)
        net = table["cycles"].sum() / max(table["displacement"].sum(), 1e-9)
        parts.append(f"{name} {pool:.2f} ({net:.2f} net; {table['stuck'].mean():.0%} stuck)")
    rates = {name: runs[name]["cycles_per_metre"] for name in ("CPG", *SHAPES)}
    worse = ", ".join(f"{shown_order({'CPG': rates['CPG'], n: rates[n]}, TRIALS):.0%} {n}" for n in SHAPES)
    order = shown_order(rates, TRIALS)
    own = f"CPG above {worse}, CPG > A > AW > AWP in {order:.0%} of draws"
    return f"pooled cycles/m: {', '.join(parts)}; means of {TRIALS} unpaired trials: {own}"


def on_leavers(id: str, runs: Runs) -> str:
    """Format the second end point: cycles per metre of the pairs where both leave, for claims on two controllers."""
    pair = {"S28": ("A", "AW"), "S29": ("AW", "AWP"), "S30": ("AWPw", "AWP"), "S31": ("AW1", "AW")}[id]
    one, other = (runs[name] for name in pair)
    good = both_leave(one, other)
    chosen = runs.chosen(good)
    if good.sum() < 3:
        return ""
    ratio = pool_ratio(chosen[pair[0]], chosen[pair[1]], chosen.clusters)
    return f"; where both leave ({good.sum()} pairs) {pair[0]} / {pair[1]} {ratio.words}"


def decides_shape(at27: Runs) -> Finding:
    """Report S15: joint compliance against position control and shape compliance."""
    ratio = typical(at27["JA"], at27["AW"], "residual", at27.clusters)
    pairs = {f"stuck AW, {name}": rarer_share(at27["AW"]["stuck"], at27[name]["stuck"]) for name in ("JA", "OL45")}
    return Finding(
        "S15", {"residual_ratio": ratio.value, **pairs}, f"residual JA / AW {ratio.words}; {words_of(pairs)}"
    )


def jams_dominate(runs: Runs) -> Finding:
    """Report S33: rank correlation of cycles per metre and stuck time over all controllers."""
    rate, slow = (
        np.concatenate([table[name] for table in runs.values()]) for name in ("cycles_per_metre", "slow_share")
    )
    found = float(spearmanr(rate, slow).statistic)
    return Finding("S33", {"rank_correlation": found}, f"Spearman over {rate.size} runs of {len(runs)} controllers")


def tight_places(runs: Runs) -> Finding:
    """Report S35: the waveform while stuck, CPG and AW over their own stuck times, because few pairs are both stuck."""
    parts = {name: stuck_part(runs[name]) for name in ("CPG", "AW")}
    means = {name: np.sqrt(np.nanmean(part**2)) for name, part in parts.items()}
    ratio = float(means["CPG"] / means["AW"])
    counts = ", ".join(f"{np.isfinite(part).sum()} of {name}" for name, part in parts.items())
    words = (
        f"rms residual while slow [rad]: {list_values(means)}; runs slow for a tenth of their time: {counts}; {PROVISO}"
    )
    return Finding("S35", {"residual_ratio": ratio if np.isfinite(ratio) else None}, words)


def stuck_part(table: dict[str, NDArray]) -> NDArray:
    """Return residuals while slow of runs that were slow for a tenth of their time; every run is slow at the start."""
    return np.where(table["slow_share"] >= 0.1, table["residual_slow"], np.nan)


def smoother(runs: Runs) -> Finding:
    """Report S38: curvature of the path and spread of the travel per cycle."""
    found = {
        f"{word} CPG / AWP": typical(runs["CPG"], runs["AWP"], name, runs.clusters)
        for word, name in (("curvature", "path_curvature"), ("spread", "way_spread"))
    }
    return Finding("S38", {name: ratio.interval() for name, ratio in found.items()}, f"{words_of(found)}; {PROVISO}")


def figure(result: Result, folder: Path) -> list[Path]:
    """Draw Fig. 4.6: cycles per metre by controller, pooled and as single runs, and the share of stuck runs."""
    runs = result.runs
    names = [name for name in ("OL45", "OLm", "JA", "CPG", "CPGm", "AW1", "A", "AW", "AWP", "AWPw") if name in runs]
    sheet = new_figure(9.5, 4.2)
    left, right = dressed(sheet.add_subplot(1, 2, 1)), dressed(sheet.add_subplot(1, 2, 2))
    rng = np.random.default_rng(0)
    for i, name in enumerate(names):
        table: Any = runs[name]
        rate = table["cycles_per_metre"]
        left.plot(i + rng.uniform(-0.25, 0.25, rate.size), rate, ".", ms=2, alpha=0.4, color=COLOURS[i % len(COLOURS)])
        left.plot([i - 0.3, i + 0.3], 2 * [table["cycles"].sum() / table["distance"].sum()], color="black", lw=1.5)
        right.bar(i, 100.0 * table["stuck"].mean(), color=COLOURS[i % len(COLOURS)])
    left.set_yscale("log")
    left.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    left.yaxis.set_major_formatter("{x:g}")
    left.yaxis.set_minor_formatter(NullFormatter())
    for axes in (left, right):
        axes.set_xticks(range(len(names)), names, rotation=60, fontsize=8)
    labelled(left, "", "cycles per metre [1/m]", "Fig. 4.6: each run, and pooled (line)")
    labelled(right, "", "stuck [%]", "Jams")
    return [write(sheet, folder / "fig_4_6.png")]
