"""Fig. 4.6 and its claims (S11, S15, S26-S31, S33, S35, S38) under three readings: slithering among pegs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from matplotlib.ticker import LogLocator, NullFormatter
from numpy.typing import NDArray
from scipy.stats import spearmanr

from serpenoid.plotting.style import COLOURS, dressed, labelled, new_figure, write
from serpenoid_papers.base import Finding, Progress
from serpenoid_papers.sea_snake.boards import Runs, on_boards, open_loop_at
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
from serpenoid_papers.sea_snake.readings import PRINTED, TUNED, ReadingConfig, in_rows, readings, run_readings, under
from serpenoid_papers.sea_snake.steering import in_the_open

TRIALS = 10  # trials of each controller in the thesis
SHAPES = ("A", "AW", "AWP")
PROVISO = "the CPG is ours, because its source is another paper"


@dataclass(frozen=True)
class Config(ReadingConfig):
    """Configuration: three densities, 40 boards, two starts, every controller of every reading."""

    speed_time: float = 25.0
    """duration of a run for the speed of sidewinding [s]"""

    @classmethod
    def quick(cls) -> Self:
        return replace(super().quick(), speed_time=13.0)

    @classmethod
    def tiny(cls) -> Self:
        return replace(super().tiny(), speed_time=0.3, readings=(PRINTED, TUNED))


class Result(NamedTuple):
    """All runs by reading."""

    readings: dict[str, Runs]
    speeds: dict[str, dict[str, float]]  # of sidewinding on a flat floor, by reading and law [m/s]


def run(config: Config, progress: Progress) -> Result:
    """Run every controller of every reading on the same boards from the same starts."""
    found = with_matched(run_readings(config, "pegs", progress), config, progress)
    return Result(found, {reading: open_speeds(reading, config.speed_time) for reading in found})


def with_matched(found: dict[str, Runs], config: ReadingConfig, progress: Progress) -> dict[str, Runs]:
    """Return runs with OLm: open loop with the wave of A at the mean amplitude of its commands."""
    for reading, laws in readings(config.readings).items():
        wave: Any = laws["A"].gait  # type: ignore[attr-defined]
        amplitude = float(np.nanmean(found[reading]["A"]["commanded_amplitude"]))
        law = open_loop_at(amplitude, spatial_frequency=wave.spatial_frequency)
        found[reading]["OLm"] = on_boards({"OLm": law}, config, f"pegs_{reading}", progress)["OLm"]
    return found


def claims(result: Result) -> list[Finding]:
    """Report the findings on slithering under each reading."""
    return [
        item
        for reading, runs in result.readings.items()
        for item in under(reading, [open_or_not(runs, result.speeds[reading]), *claims_of(runs)])
    ]


def claims_of(runs: Runs) -> list[Finding]:
    """Report the findings on the runs of a reading; the family S26-S31 is corrected by Holm."""
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


def open_speeds(reading: str, duration: float) -> dict[str, float]:
    """Return the speeds of sidewinding on a flat floor [m/s] without the first fifth of a run."""
    speeds = {}
    for name in ("OL", "AC-SFC"):
        way = in_the_open(in_rows(reading, name), duration)["center_of_mass"]
        half = len(way) // 5
        speeds[name] = float(np.linalg.norm(way[-1, :2] - way[half, :2])) / (0.8 * duration)
    return speeds


def open_or_not(runs: Runs, speeds: dict[str, float]) -> Finding:
    """Report S11: laws in open terrain, and jams among pegs."""
    share = rarer_share(runs["AWP"]["stuck"], runs["OL"]["stuck"])
    even = pool_ratio(runs["OLm"], runs["AWP"], runs.clusters)
    least = 0.5 / runs.clusters.size  # half a run, if none is stuck
    measured = {
        "speed_ratio": speeds["AC-SFC"] / speeds["OL"], "stuck_ratio": share[1] / max(share[0], least),
        "stuck AWP, OL": share,
    }  # fmt: skip
    by_name = ", ".join(f"{name} {speed:.3f}" for name, speed in speeds.items())
    words = f"speeds [m/s] {by_name}; {words_of({'stuck AWP, OL': share})}; OLm / AWP {even.words}"
    return runs.judged(Finding("S11", measured, words))


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
        net = table["cycles"].sum() / max(table["displacement"].sum(), 1e-9)
        rate = table["cycles_per_metre"]
        parts.append(
            f"{name} {pooled(table):.2f} ({net:.2f} net; {rate.mean():.2f} +- {rate.std():.2f} over runs; "
            f"{table['out'].mean():.0%} out, {table['stuck'].mean():.0%} stuck)"
        )
    rates = {name: runs[name]["cycles_per_metre"] for name in ("CPG", *SHAPES)}
    worse = ", ".join(f"{shown_order({'CPG': rates['CPG'], n: rates[n]}, TRIALS):.0%} {n}" for n in SHAPES)
    order = shown_order(rates, TRIALS)
    own = f"CPG above {worse}, CPG > A > AW > AWP in {order:.0%} of draws"
    return f"pooled cycles/m: {', '.join(parts)}; means of {TRIALS} unpaired trials: {own}"


def pooled(table: dict[str, NDArray]) -> float:
    """Return the cycles of all runs over their distance [1/m]."""
    return float(table["cycles"].sum() / max(table["distance"].sum(), 1e-9))


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
    pairs = {f"stuck AW, {name}": rarer_share(at27["AW"]["stuck"], at27[name]["stuck"]) for name in ("JA", "OL")}
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
    """Draw Fig. 4.6 under each reading: cycles per metre of each run, pooled and mean, and what becomes of the runs."""
    names, sheet = ("OL", "JA", "CPG", *SHAPES), new_figure(4.2 * len(result.readings), 5.6)
    rng = np.random.default_rng(0)
    for column, (reading, runs) in enumerate(result.readings.items()):
        above = dressed(sheet.add_subplot(2, len(result.readings), column + 1))
        below = dressed(sheet.add_subplot(2, len(result.readings), column + 1 + len(result.readings)))
        for i, name in enumerate(names):
            table: Any = runs[name]
            rate, colour = table["cycles_per_metre"], COLOURS[i % len(COLOURS)]
            above.plot(i + rng.uniform(-0.25, 0.25, rate.size), rate, ".", ms=2, alpha=0.4, color=colour)
            above.plot([i - 0.35, i + 0.35], 2 * [pooled(table)], color="black", lw=2.0)
            below.bar(i, 100.0 * table["out"].mean(), color=colour)
            below.bar(i, -100.0 * table["stuck"].mean(), color=colour, alpha=0.5)
        above.set_yscale("log")
        above.set_ylim(1.0, 300.0)
        above.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        above.yaxis.set_major_formatter("{x:g}")
        above.yaxis.set_minor_formatter(NullFormatter())
        below.set_ylim(-100.0, 100.0)
        below.yaxis.set_major_formatter(lambda value, _: f"{abs(value):g}")
        below.axhline(0.0, color="black", lw=0.8)
        for axes in (above, below):
            axes.set_xticks(range(len(names)), names, fontsize=8)
        labelled(above, "", "cycles per metre [1/m]" if column == 0 else "", f"{reading}: runs, and pooled (line)")
        labelled(below, "", "out (up), stuck (down) [%]" if column == 0 else "", "")
    return [write(sheet, folder / "fig_4_6.png")]
