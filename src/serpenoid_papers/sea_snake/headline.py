"""Robustness of the headlines (S26, S44, S59): drives, noise, steps, springs, friction, limits of the laws, and 3D."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import pi
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from serpenoid.control import ShapeCompliance
from serpenoid.plotting.style import COLOURS, dressed, labelled, new_figure, write
from serpenoid.robots import SeaSnake
from serpenoid.robots.drives import PD, SeriesElastic
from serpenoid.robots.sensors import Sensor
from serpenoid_papers.base import Finding, Progress
from serpenoid_papers.sea_snake.boards import BoardConfig, Runs, run_trials
from serpenoid_papers.sea_snake.comparisons import pool_ratio, words_of
from serpenoid_papers.sea_snake.pole_climbs import POLES, climbs
from serpenoid_papers.sea_snake.poles import join
from serpenoid_papers.sea_snake.row import FOUR, find_failed
from serpenoid_papers.sea_snake.row_trial import RowTrial
from serpenoid_papers.sea_snake.steering import IMUS
from serpenoid_papers.sea_snake.trial import PegTrial
from serpenoid_papers.sea_snake.tuned import controllers, sidewinding

LAWS = ("CPG", "A", "AW", "AWP")
KINDS = ("two-mass", "noise", "half the step")
# with their damping
SPRINGS = {"spring 10": (10.0, 0.3), "spring 100": (100.0, 0.3), "loss 0.1": (30.0, 0.1 * 30.0 / 1.8)}
FRICTIONS = {
    "floor 0.1": {"friction": 0.1}, "floor 0.6": {"friction": 0.6}, "pegs 0.05": {"peg_friction": 0.05},
    "pegs 0.5": {"peg_friction": 0.5},
}  # fmt: skip
LIMITS = ("no dead band", "dead band x 3", "limits half as wide", "torques to 3 N m")
AS_TUNED = "as tuned"
CLIMBERS = ("CWA", "fixed thin")  # with the best fixed shape
NOISY = replace(IMUS, joint_position=Sensor(noise=0.0004), joint_torque=Sensor(noise=0.012))


@dataclass(frozen=True)
class Config(BoardConfig):
    """Configuration: 27 pegs per square metre, 80 pairs in 3D, 20 of each other kind, the same on poles and in rows."""

    densities: tuple[float, ...] = (27.0,)
    others: tuple[int, ...] = tuple(range(200, 220))
    """boards of the other kinds, one start each, not used for results or tuning"""
    kinds: tuple[str, ...] = ("in space", *KINDS, *SPRINGS, *FRICTIONS)
    """kinds of runs among pegs; springs in N m/rad, a loss factor at the gait's rate"""
    row_seeds: tuple[int, ...] = tuple(range(200, 210))
    """rows of pegs for sidewinding, with two starts each"""
    poles: tuple[str, ...] = tuple(POLES)
    """poles to climb, at two frictions from two phases"""
    again: tuple[str, ...] = KINDS
    """kinds used in rows and on poles"""
    springs: tuple[str, ...] = tuple(SPRINGS)
    """springs also used on poles"""
    limits: tuple[str, ...] = LIMITS
    """changes of our own choices in the anti-compliant laws, in rows, compared with the tuned laws on the same rows"""

    @classmethod
    def quick(cls) -> Self:
        return cls(
            seeds=(0, 1, 2),
            starts=(0,),
            duration=30.0,
            others=(200, 201, 202),
            kinds=("noise", "spring 10"),
            again=(),
            springs=(),
            limits=(),
        )

    @classmethod
    def tiny(cls) -> Self:
        return cls(
            seeds=(0, 1, 2), starts=(0,), duration=0.1, others=(200,), kinds=("noise", "pegs 0.5"), row_seeds=(200,),
            poles=("bulge",), again=("half the step",), springs=("loss 0.1",), limits=("no dead band",),
        )  # fmt: skip


class Result(NamedTuple):
    """Runs by kind."""

    pegs: dict[str, Runs]
    rows: dict[str, Runs]
    poles: dict[str, Runs]


def of_kind(trial: Any, kind: str) -> Any:
    """Return a trial as run in a kind."""
    robot = SeaSnake()
    if kind == "in space":
        return replace(trial, engine="contact")
    if kind == "two-mass":
        return replace(trial, robot=replace(robot, drive=SeriesElastic(200.0, 8.0, 7.0, 30.0, 0.3)))
    if kind == "noise":
        return replace(trial, robot=replace(robot, sensors=NOISY))
    if kind in SPRINGS:
        stiffness, damping = SPRINGS[kind]
        return replace(trial, robot=replace(robot, drive=PD(stiffness, damping, torque_limit=7.0)))
    if kind in FRICTIONS:
        return replace(trial, world=replace(trial.world, **FRICTIONS[kind]))
    if kind in LIMITS:
        return replace(trial, controller=limit_law(trial.controller, kind))
    if kind == AS_TUNED:
        return trial
    if kind != "half the step":
        raise ValueError(f"kind = {kind}: must be one of the kinds of trials")
    return replace(trial, step=0.0005)


def limit_law(law: ShapeCompliance, kind: str) -> ShapeCompliance:
    """Return a law with another dead band, torque cap or range of its parameters."""
    if kind == "limits half as wide":
        kept = (
            replace(p, low=0.5 * (p.low + value), high=0.5 * (p.high + value)) if p.feels else p
            for p, value in ((p, law.gait.nominal(p.name)) for p in law.parameters)
        )
        return replace(law, parameters=tuple(kept))
    if kind == "torques to 3 N m":
        return replace(law, torque_limit=3.0)
    return replace(law, dead_band=0.0 if kind == "no dead band" else 3.0 * law.dead_band)


def run(config: Config, progress: Progress) -> Result:
    """Run pegs with the CPG and three compliant laws, rows with the four, poles with CWA and the best fixed shape."""
    laws = controllers()
    pegs, rows, poles = {}, {}, {}
    for kind in config.kinds:
        own = config if kind == "in space" else replace(config, seeds=config.others, starts=(0,))
        trials = {n: of_kind(PegTrial(controller=laws[n], duration=config.duration), kind) for n in LAWS}  # type: ignore[arg-type]
        pegs[kind] = run_trials(trials, own.over(), config.store, f"headline_{word_of(kind)}", progress)
    for kind in (*config.again, *config.springs):
        poles[kind] = on_poles(config, kind, progress)
    for kind in (*((AS_TUNED,) if config.limits else ()), *config.again, *config.limits):
        names = FOUR[:3] if kind in LIMITS else FOUR  # open loop has none
        own_trials = {n: of_kind(RowTrial(controller=sidewinding(n), duration=config.duration), kind) for n in names}
        over = {"world.seed": config.row_seeds, "place": (-0.1, 0.1)}
        rows[kind] = run_trials(own_trials, over, config.store, f"headline_row_{word_of(kind)}", progress)
    result = Result(pegs, rows, poles)
    for line in report_lines(result):
        progress(f"sea-snake: {line}")
    return result


def word_of(kind: str) -> str:
    """Return a kind as part of a file name."""
    return kind.replace(" ", "_")


def on_poles(config: Config, kind: str, progress: Progress) -> Runs:
    """Run the climbs of all poles in a kind."""
    found = Runs()
    for number, pole in enumerate(config.poles):
        trials = climbs(POLES[pole], min(config.duration, 32.0))
        own = {name: of_kind(trials[name], kind) for name in CLIMBERS}
        over = {"world.pole_friction": (0.5, 0.8), "phase": (0.0, pi)}
        name = f"headline_{word_of(pole)}_{word_of(kind)}"
        join(found, run_trials(own, over, config.store, name, progress), number)
    return found


def report_lines(result: Result) -> Iterator[str]:
    """Yield the results, one line for each kind."""
    for kind, runs in result.pegs.items():
        over = {f"CPG / {name}": pool_ratio(runs["CPG"], runs[name], runs.clusters) for name in LAWS[1:]}
        stuck = ", ".join(f"{name} {np.mean(table['stuck']):.0%}" for name, table in runs.items())
        yield f"S26, {kind}: {words_of(over)}; stuck {stuck}"
    for kind, runs in result.poles.items():
        parts = (
            f"{name} {np.mean(t['fell']):.0%} fell, slip {np.mean(t['slip']):.2f}, {np.mean(t['climbed']):.2f} m"
            for name, t in runs.items()
        )
        yield f"S44, {kind}: {'; '.join(parts)}"
    for kind, runs in result.rows.items():
        shares = ", ".join(f"{name} {find_failed(table).mean():.0%}" for name, table in runs.items())
        yield f"S59, {kind}: failures {shares}"


def claims(result: Result) -> list[Finding]:
    """Return no findings: S26 is decided on the planar engine, S44 and S59 with direct drives and ideal sensors."""
    return []


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot ratios of the CPG's pooled cycles per metre to each law's, failures in rows, and slip on poles.

    Ratios have intervals. The results are also written as text.
    """
    words = folder / "headline.txt"
    words.write_text("\n".join(report_lines(result)) + "\n")
    parts = 1 + bool(result.rows) + bool(result.poles)
    sheet = new_figure(3.0 + 3.2 * parts, 4.2)
    axes = dressed(sheet.add_subplot(1, parts, 1))
    for i, runs in enumerate(result.pegs.values()):
        for k, name in enumerate(LAWS[1:]):
            ratio = pool_ratio(runs["CPG"], runs[name], runs.clusters)
            low, high = ratio.interval() or (ratio.value, ratio.value)
            axes.plot([i + 0.2 * k] * 2, [low, high], color=COLOURS[k])
            axes.plot(i + 0.2 * k, ratio.value, "o", color=COLOURS[k], label=f"CPG / {name}" if i == 0 else None)
    axes.axhline(1.0, color="black", lw=0.8)
    axes.set_xticks(range(len(result.pegs)), list(result.pegs), fontsize=8, rotation=45, ha="right")
    axes.legend(fontsize=8, frameon=False)
    labelled(axes, "", "ratio of cycles per metre", "S26")
    drawn = (
        [(result.rows, "S59: failures", "failures [%]", lambda t: 100.0 * find_failed(t).mean())] if result.rows else []
    )
    if result.poles:
        drawn.append((result.poles, "S44: slip; falls in %", "slip over rolling speed", lambda t: np.mean(t["slip"])))
    for place, (found, title, unit, height) in enumerate(drawn, 2):
        axes = dressed(sheet.add_subplot(1, parts, place))
        for i, runs in enumerate(found.values()):
            for k, (name, table) in enumerate(runs.items()):
                at, high = i + 0.2 * (k - 0.5 * (len(runs) - 1)), float(height(table))
                axes.bar(at, high, 0.18, color=COLOURS[k], label=name if i == 0 else None)
                if np.any(fell := table.get("fell", np.zeros(1))):
                    axes.annotate(f"{100.0 * np.mean(fell):.0f}", (at, high), ha="center", va="bottom", fontsize=7)
        axes.set_xticks(range(len(found)), list(found), fontsize=8, rotation=45, ha="right")
        axes.set_ylim(0.0, 1.3 * axes.get_ylim()[1])  # room for the names
        axes.legend(fontsize=8, frameon=False, ncols=2, loc="upper center")
        labelled(axes, "", unit, title)
    return [write(sheet, folder / "headline.png"), words]
