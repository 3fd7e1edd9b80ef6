"""Variants of sidewinding through pegs (S54, S62-S64): signs, levels and links of the reversal, single openings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from serpenoid.control import ShapeCompliance
from serpenoid.plotting.style import COLOURS, dressed, labelled, new_figure, write
from serpenoid.worlds import PegRow
from serpenoid_papers.base import Finding, Progress
from serpenoid_papers.sea_snake import row
from serpenoid_papers.sea_snake.boards import Runs, run_trials
from serpenoid_papers.sea_snake.comparisons import rarer_share, words_of
from serpenoid_papers.sea_snake.row import FOUR, PROVISO, find_failed, spoken, time_ratio, trials
from serpenoid_papers.sea_snake.tuned import sidewinding
from serpenoid_papers.sea_snake.waveform import stretches

WALL = PegRow(pegs=30, openings=(0.03, 0.03), off_line=0.0)  # impassable, 1.5 m to either side of its opening
THROUGH = ("AC-SFC", "OL")  # controllers tested on single openings
SEARCHED = "limits and dead band were tuned only for the thesis's sign and levels"
AT_ONCE = 50.0  # heading gain without wells: beta = h with a delay of 20 ms [1/s]


@dataclass(frozen=True)
class Config(row.Config):
    """The same arrays, start positions and repeats, and single openings."""

    widths: tuple[float, ...] = tuple(np.round(np.arange(0.35, 0.81, 0.05), 2).tolist())
    """single openings [m]"""
    laws: tuple[str, ...] = ()
    """names of the other laws to run; empty for all"""

    @classmethod
    def quick(cls) -> Self:
        return cls(seeds=(0,), places=(0.0,), repeats=(0,), widths=(0.5,), laws=("AC-SFC compliant",))

    @classmethod
    def tiny(cls) -> Self:
        return cls(seeds=(0,), places=(0.0, 0.1), repeats=(0,), duration=0.3, widths=(0.5,), laws=("linear",))


class Result(NamedTuple):
    """Runs of the four laws and of the others, and through single openings."""

    runs: Runs
    widths: dict[float, Runs]


def set_sign(controller: ShapeCompliance, sign: float) -> ShapeCompliance:
    """Return the controller with a different sign of its force response."""
    kept = tuple(replace(p, sign=(sign,)) if p.feels else p for p in controller.parameters)
    return replace(controller, parameters=kept)


def levels(controller: ShapeCompliance, amplitude: str, wave: str) -> ShapeCompliance:
    """Return the controller with other windows of amplitude and spatial frequency; empty for central."""
    chosen = {"amplitude": amplitude, "spatial_frequency": wave}
    kept = tuple(replace(p, windows=chosen.get(p.name, p.windows)) for p in controller.parameters)
    return replace(controller, parameters=kept)


def others() -> dict[str, ShapeCompliance]:
    """Return the rivals of the four: the compliant sign, other levels of centralisation, and beta = h."""
    whole = sidewinding("AC-SFC")
    assert whole.turning is not None
    found = {f"{name} compliant": set_sign(sidewinding(name), 1.0) for name in ("AC-SFC", "AC", "SFC")}
    found["both central"] = levels(whole, "", "")
    found["both windowed"] = levels(whole, "half_wave", "half_wave")
    found["the other way round"] = levels(whole, "", "half_wave")
    found["linear"] = replace(whole, turning=replace(whole.turning, well_stiffness=0.0, heading_stiffness=AT_ONCE))
    return found


def run(config: Config, progress: Progress) -> Result:
    """Run the four (stored by a full reproduction) and the others, then single openings in a wall of pegs."""
    chosen = {name: law for name, law in others().items() if not config.laws or name in config.laws}
    four = {name: sidewinding(name) for name in FOUR}
    own = trials(four | chosen, config)
    runs = run_trials(own, config.over(), config.store, "row", progress)
    widths = {}
    for width in config.widths:
        alone = {name: replace(own[name], world=replace(WALL, gate=width)) for name in THROUGH}
        only = {"place": config.places, "repeat": config.repeats}
        widths[width] = run_trials(alone, only, config.store, f"opening_{width:g}", progress)
    return Result(runs, widths)


def claims(result: Result) -> list[Finding]:
    """Report the findings on S54, S62, S63, S64."""
    runs = result.runs
    found = [against(runs, "S54", ("linear",)), widths_passed(result.widths), signs(runs)]
    found.append(against(runs, "S64", ("both central", "both windowed", "the other way round")))
    return [runs.judged(finding) for finding in found]


def against(runs: Runs, id: str, rivals: Sequence[str], first: str = "AC-SFC") -> Finding:
    """Report failures and times of rivals against a controller; undecided if they were not run."""
    if not set(rivals) <= set(runs):
        return Finding(id, None, "needs the full run")
    whole = runs[first]
    measured: dict[str, Any] = {}
    shares: dict[str, Any] = {}
    for name in rivals:
        pair = rarer_share(find_failed(whole), find_failed(runs[name]))
        time = time_ratio(runs[name], whole, runs.clusters)
        keys = ("fails cubic, linear", "time linear / cubic") if id == "S54" else (f"fails {name}", f"time {name}")
        measured |= {keys[0]: pair, keys[1]: time.interval()}
        shares |= {keys[0]: pair, keys[1]: time}
    return Finding(id, measured, f"{words_of(shares)}; {SEARCHED}; {PROVISO}")


def signs(runs: Runs) -> Finding:
    """Report S63: -F against +F. AC-SFC decides; AC, SFC and OL (no force) are shown for comparison."""
    found = against(runs, "S63", ("AC-SFC compliant",))
    others = [against(runs, "S63", (f"{name} compliant",), name) for name in ("AC", "SFC")]
    free = against(runs, "S63", ("OL",))
    parts = (part.reason.partition(f"; {SEARCHED}")[0] for part in (found, *others, free))
    return found._replace(reason="; ".join((*parts, SEARCHED, PROVISO)))


def widths_passed(widths: Mapping[float, Runs]) -> Finding:
    """Report S62: the longest range of openings that half of the runs pass."""
    if len(widths) < 3:
        return Finding("S62", None, "needs the full run")
    ranges, step = {}, float(np.min(np.diff(list(widths))))
    for name in THROUGH:
        good = np.array([runs[name]["passed"].mean() >= 0.5 for runs in widths.values()])
        ranges[name] = step * max((b - a for a, b in stretches(good)), default=0)
    shares = ", ".join(
        f"{width:g} m: {runs['AC-SFC']['passed'].mean():.0%} and {runs['OL']['passed'].mean():.0%}"
        for width, runs in widths.items()
    )
    none = "" if any(ranges.values()) else "neither controller passes any width in half of the runs; "
    words = f"{none}ranges [m] {spoken(ranges)}; one opening in a wall of pegs; {shares}; {PROVISO}"
    return Finding("S62", {"AC_SFC_range": ranges["AC-SFC"], "OL_range": ranges["OL"]}, words)


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot failures of all controllers, and the share that passes single openings by their width."""
    sheet = new_figure(10.0, 4.2)
    left, right = dressed(sheet.add_subplot(1, 2, 1)), dressed(sheet.add_subplot(1, 2, 2))
    for k, (name, table) in enumerate(result.runs.items()):
        left.bar(k, 100.0 * find_failed(table).mean(), color=COLOURS[0 if name in FOUR else 1])
    left.set_xticks(range(len(result.runs)), list(result.runs), rotation=60, ha="right", fontsize=7)
    for name, colour in zip(THROUGH, COLOURS):
        shares = [100.0 * runs[name]["passed"].mean() for runs in result.widths.values()]
        right.plot(list(result.widths), shares, "o-", color=colour, label=name)
    right.axhline(50.0, color="black", lw=0.8)
    right.set_ylim(-5.0, 105.0)
    right.legend(fontsize=8, frameon=False)
    labelled(left, "", "failures [%]", "S54, S63, S64: the four laws and others")
    labelled(right, "width of the only opening [m]", "runs that pass [%]", "S62: single openings")
    return [write(sheet, folder / "row_variants.png")]
