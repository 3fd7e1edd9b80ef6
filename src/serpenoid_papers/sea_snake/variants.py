"""Slithering with other boards, windows, rates and numbers of joints (S16, S32, S36, S37) under three readings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import pi
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from serpenoid.control import ShapeCompliance
from serpenoid.control.kernel_law import WaveController
from serpenoid.plotting.style import COLOURS, dressed, labelled, new_figure, write
from serpenoid.robots import SeaSnake
from serpenoid.worlds import PegBoard
from serpenoid_papers.base import Finding, Progress
from serpenoid_papers.sea_snake.boards import Runs, nominal, on_boards, run_trials
from serpenoid_papers.sea_snake.comparisons import Ratio, pool_ratio, ratio_of, words_of
from serpenoid_papers.sea_snake.readings import Laws, ReadingConfig, readings, under
from serpenoid_papers.sea_snake.trial import PegTrial

SPANS = {"joint": pi / 3.0, "quarter": 0.5 * pi, "half": pi, "wave": 2.0 * pi}  # for nine joints on 3 pi [rad]

FINER = 0.0005  # step for short and light links; at 1 ms one run in forty with 27 joints diverged [s]
OWN = "limits were tuned for half a wave and for the body only"


@dataclass(frozen=True)
class Config(ReadingConfig):
    """Configuration: 27 pegs per square metre."""

    densities: tuple[float, ...] = (27.0,)
    turns: int = 10
    """orientations of the regular boards"""
    regular_starts: int = 8
    """starts on each of them"""
    rates: tuple[float, ...] = (0.6, 1.2, 1.8)
    """omega_T [rad/s]; the last is the reference"""
    lateral: tuple[int, ...] = (9, 12, 18, 27)
    """numbers of lateral joints; the first is the reference"""
    joint_seeds: int = 20
    """boards for those"""

    @classmethod
    def quick(cls) -> Self:
        return cls(seeds=tuple(range(6)), starts=(0,), turns=3, regular_starts=1, lateral=(9, 18), joint_seeds=3)

    @classmethod
    def tiny(cls) -> Self:
        return cls(
            seeds=(0, 1, 2), starts=(0,), duration=0.3, turns=3, regular_starts=1, rates=(1.2, 1.8), lateral=(9, 12),
            joint_seeds=3, readings=("tuned",),
        )  # fmt: skip


class Variants(NamedTuple):
    """Runs of a reading by question."""

    regular: dict[str, Runs]  # "square", "hexagonal", "irregular"
    windows: Runs
    rates: Runs
    joints: Runs


class Result(NamedTuple):
    """Runs by reading."""

    readings: dict[str, Variants]


def slower(controller: ShapeCompliance, rate: float, scaled: bool) -> ShapeCompliance:
    """Return the controller at another phase rate [rad/s], with unchanged or time-scaled admittances."""
    found = nominal(controller, frequency=rate / (2.0 * pi))
    if not scaled:
        return found
    time = controller.phase_rate(SeaSnake()) / rate
    kept = tuple(replace(p, mass=p.mass * time**2, damping=p.damping * time) for p in found.parameters)
    return replace(found, parameters=kept)


def with_joints(controller: ShapeCompliance, lateral: int) -> ShapeCompliance:
    """Scale the amplitude by 9 / joints, and the admittance so that bending the body costs the same energy."""
    share = 9.0 / lateral
    own = next(p for p in controller.parameters if p.name == "amplitude")
    scaled = {name: getattr(own, name) / share**2 for name in ("mass", "damping", "stiffness")}
    other = replace(own, low=own.low * share, high=own.high * share, bias=own.bias / share, **scaled)
    parameters = tuple(other if p is own else p for p in controller.parameters)
    gait: Any = controller.gait
    return replace(controller, gait=replace(gait, amplitude=gait.amplitude * share), parameters=parameters)


def snake_of(lateral: int) -> SeaSnake:
    """Return a snake of equal length and mass with a different number of lateral joints, and as many dorsal ones."""
    robot, share = SeaSnake(), 9.0 / lateral
    return replace(
        robot, modules=2 * lateral, module_length=robot.module_length * share, module_mass=robot.module_mass * share
    )


def run(config: Config, progress: Progress) -> Result:
    """Run all questions under each reading."""
    return Result({name: ask(name, laws, config, progress) for name, laws in readings(config.readings).items()})


def ask(reading: str, found: Laws, config: Config, progress: Progress) -> Variants:
    """Run each question on its own boards under a reading."""
    laws: dict[str, Any] = {name: found[name] for name in ("AW", "AW1")}
    regular = {"irregular": on_boards(laws, config, f"irregular_{reading}", progress)}
    over: dict[str, Any] = {
        "world.turn": np.linspace(0.0, 0.25 * pi, config.turns, endpoint=False).tolist(),
        "world.start": range(config.regular_starts),
    }
    for layout in ("square", "hexagonal"):
        board = PegBoard(layout=layout, density=27.0)  # type: ignore[arg-type]
        trials = {n: PegTrial(world=board, controller=law, duration=config.duration) for n, law in laws.items()}
        regular[layout] = run_trials(trials, over, config.store, f"{layout}_{reading}", progress)
    joints = {
        str(n): PegTrial(robot=snake_of(n), controller=with_joints(laws["AW"], n), duration=config.duration, step=FINER)
        for n in config.lateral
    }
    seeds = config.seeds[: config.joint_seeds]
    return Variants(
        regular,
        on_boards(window_laws(found), config, f"windows_{reading}", progress),
        on_boards(rate_laws(found, config.rates), config, f"rates_{reading}", progress),
        run_trials(joints, replace(config, seeds=seeds).over(), config.store, f"joints_{reading}", progress),
    )


def window_laws(laws: Laws) -> dict[str, WaveController]:
    """Return AW with windows of other lengths, and with edges a quarter of a wave further."""
    law: Any = laws["AW"]

    def changed(**fields: float) -> WaveController:
        return replace(law, windows=tuple(replace(w, **fields) for w in law.windows))

    found = {name: changed(span=span) for name, span in SPANS.items()}
    turned = replace(law, windows=tuple(replace(w, anchor=w.anchor + 0.5 * pi) for w in law.windows))
    return found | {"body": laws["AW1"], "half, other edges": turned}


def rate_laws(laws: Laws, rates: tuple[float, ...]) -> dict[str, WaveController]:
    """Return A and AWP at several rates, with unchanged and scaled gains."""
    found: dict[str, WaveController] = {}
    for name in ("A", "AWP"):
        law: Any = laws[name]
        found |= {f"{name} {rate:g}": slower(law, rate, False) for rate in rates}
        found |= {f"{name} {rate:g} scaled": slower(law, rate, True) for rate in rates[:-1]}
    return found


def claims(result: Result) -> list[Finding]:
    """Report the findings on S16, S32, S36, S37 under each reading."""
    return [
        item
        for reading, own in result.readings.items()
        for item in under(
            reading, [uniform(own.regular), window_length(own.windows), rate(own.rates), joint_number(own.joints)]
        )
    ]


def uniform(regular: dict[str, Runs]) -> Finding:
    """Report S16: one window over many on irregular and regular boards, and the ratio of both ratios."""
    found = {name: pool_ratio(runs["AW1"], runs["AW"], runs.clusters) for name, runs in regular.items()}
    both = [regular[name] for name in ("square", "hexagonal")]
    even = {
        law: {q: np.concatenate([runs[law][q] for runs in both]) for q in ("cycles", "distance")}
        for law in ("AW1", "AW")
    }
    clusters = np.concatenate([runs.clusters + 1000 * k for k, runs in enumerate(both)])
    regularly = pool_ratio(even["AW1"], even["AW"], clusters)
    draws = min(found["irregular"].resamples.size, regularly.resamples.size)
    quotient = Ratio(
        found["irregular"].value / regularly.value,
        found["irregular"].resamples[:draws] / regularly.resamples[:draws], found["irregular"].pairs,
    )  # fmt: skip
    measured = {"irregular": found["irregular"].interval(), "irregular / regular": quotient.interval()}
    words = words_of(found | {"regular": regularly, "irregular / regular": quotient})
    return regular["irregular"].judged(Finding("S16", measured, f"AW1 / AW, pooled cycles per metre: {words}"))


def window_length(runs: Runs) -> Finding:
    """Report S32: half a wave against the rest."""
    over = {f"{name} / half": pool_ratio(runs[name], runs["half"], runs.clusters) for name in runs if name != "half"}
    best = min(1.0, *(ratio.value for name, ratio in over.items() if "other" not in name))
    stuck = ", ".join(f"{name} {table['stuck'].mean():.0%}" for name, table in runs.items())
    measured = {"half_over_best": 1.0 / best} | {n: over[n].interval() for n in ("joint / half", "body / half")}
    return runs.judged(Finding("S32", measured, f"pooled cycles per metre: {words_of(over)}; stuck: {stuck}; {OWN}"))


def rate(runs: Runs) -> Finding:
    """Report S36: cycles per metre at other rates, over those at the last one."""
    kept: dict[str, Any] = {}
    scaled: dict[str, Any] = {}
    for name in ("A", "AWP"):
        own = [word for word in runs if word.split()[0] == name]
        last = max((word for word in own if "scaled" not in word), key=lambda word: float(word.split()[1]))
        for word in own:
            if word != last:
                (scaled if "scaled" in word else kept)[word] = pool_ratio(runs[word], runs[last], runs.clusters)
    change = max(abs(ratio.value - 1.0) for ratio in kept.values())
    words = f"relative to the last rate, gains unchanged: {words_of(kept)}; gains scaled in time: {words_of(scaled)}"
    return runs.judged(Finding("S36", {"greatest_change": change}, words))


def joint_number(runs: Runs) -> Finding:
    """Report S37: cycles per metre with other numbers of joints."""
    first, *rest = runs
    over = {f"{name} / {first} joints": pool_ratio(runs[name], runs[first], runs.clusters) for name in rest}
    change = max(abs(ratio.value - 1.0) for ratio in over.values())
    words = f"AW; all joints have the same drives, so more joints make the body softer: {words_of(over)}"
    return runs.judged(Finding("S37", {"greatest_change": change}, words))


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot pooled cycles per metre by question, for the last reading."""
    shown = list(result.readings.values())[-1]
    regular = {f"{board}\n{law}": table for board, runs in shown.regular.items() for law, table in runs.items()}
    groups = {"boards": regular, "windows": shown.windows, "rates": shown.rates, "lateral joints": shown.joints}
    sheet = new_figure(11.0, 6.5)
    for i, (title, tables) in enumerate(groups.items()):
        axes = dressed(sheet.add_subplot(2, 2, i + 1))
        for k, table in enumerate(tables.values()):
            clusters = np.arange(table["cycles"].size)
            own = ratio_of(lambda rows, t=table: t["cycles"][rows].sum() / t["distance"][rows].sum(), clusters)
            ends = own.interval() or [own.value, own.value]
            axes.bar(k, own.value, color=COLOURS[i])
            axes.plot([k, k], ends, color="black", lw=1.2)
        axes.set_xticks(range(len(tables)), list(tables), rotation=60, fontsize=7)
        labelled(axes, "", "cycles per metre [1/m]", title)
    return [write(sheet, folder / "slithering_variants.png")]
