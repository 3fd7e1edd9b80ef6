"""Rolling helix on poles (S40-S46, Fig. 4.7-4.10): up from the floor, squeeze, varying diameters."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from math import pi
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from serpenoid.plotting import snapshots
from serpenoid.plotting.style import COLOURS, dressed, labelled, new_figure, write
from serpenoid.robots import SeaSnake
from serpenoid.robots.cascade import TOP_SPEED
from serpenoid.scenarios.helix_start import winding_of
from serpenoid.trajectory import Trajectory
from serpenoid.worlds import Pole
from serpenoid_papers.base import Finding, Progress, SweepConfig
from serpenoid_papers.sea_snake.boards import Runs, change_parameter, nominal, preset, run_trials
from serpenoid_papers.sea_snake.comparisons import rarer_share, ratio_of, words_of
from serpenoid_papers.sea_snake.led_chain import ChainLaw
from serpenoid_papers.sea_snake.pole_climbs import FIXED, POLES, climbs
from serpenoid_papers.sea_snake.pole_trial import PoleTrial
from serpenoid_papers.sea_snake.ticked import PERIOD, ROBOT

UNEVEN = ("step to thin", "step to thick", "bulge")  # poles that vary along the body
FEWEST = 5  # climbs of a cone needed for a verdict
LIFTS = 15  # starts on the floor needed for a verdict
ENOUGH = 25  # runs up, runs down, or runs on varying poles needed for a verdict
SLIP = 0.1  # slip relative to the rolling speed that counts as slipped
HIGHEST, LONGEST = 1.6, 24.0  # start height of a snake that climbs down [m], and the duration [s]


@dataclass(frozen=True)
class Config(SweepConfig):
    """Poles, starts and durations."""

    poles: tuple[str, ...] = tuple(POLES)
    """poles of varying diameter"""
    frictions: tuple[float, ...] = (0.5, 0.8)
    """friction of those poles"""
    phases: tuple[float, ...] = tuple(np.round(np.linspace(0.0, 2.0 * pi, 5, endpoint=False), 6).tolist())
    """initial phases of the rolling [rad]"""
    duration: float = 32.0
    """duration of each climb [s]; longer runs would pass the top at 2 m"""
    radii: tuple[float, ...] = (0.06, 0.07, 0.08, 0.09, 0.10)
    """radii of uniform poles, climbed up and down [m]"""
    floor_radii: tuple[float, ...] = (0.07, 0.08, 0.09)
    """radii of poles approached by rolling [m]"""
    squeezes: tuple[float, ...] = (2.0, 5.0, 9.0, 14.0, 20.0)
    """tau_D on a pole of 8 cm"""
    squeeze_frictions: tuple[float, ...] = (0.3, 0.5, 0.8)
    """friction of that pole"""

    @classmethod
    def quick(cls) -> Self:
        return cls(
            poles=("cone to thin", "step to thick"), frictions=(0.5,), phases=(0.0,), duration=20.0, radii=(0.08,),
            floor_radii=(0.08,), squeezes=(9.0, 20.0), squeeze_frictions=(0.5,),
        )  # fmt: skip

    @classmethod
    def tiny(cls) -> Self:
        return cls(
            poles=("cone to thin",), frictions=(0.5,), phases=(0.0,), duration=0.3, radii=(0.08,), floor_radii=(0.08,),
            squeezes=(9.0,), squeeze_frictions=(0.5,),
        )  # fmt: skip


class Free(NamedTuple):
    """A helix without contact."""

    times: NDArray  # [s]
    winding: NDArray  # [rad/m]
    fastest: float  # largest rate of a joint's target [rad/s]


class Result(NamedTuple):
    """Results of the experiment."""

    varied: Runs  # with the pole's number as an axis
    poles: tuple[str, ...]
    even: Runs  # CWA up and down uniform poles
    floor: Runs
    squeezed: Runs
    free: Free
    shown: Trajectory  # one climb of CWA
    rolled: Trajectory  # one climb from the floor


def run(config: Config, progress: Progress) -> Result:
    """Run varying poles with all controllers, uniform ones up and down, starts on the floor, and other squeezes."""
    varied = Runs()
    for number, pole in enumerate(config.poles):
        over = {"world.pole_friction": config.frictions, "phase": config.phases}
        name = f"pole_{pole}".replace(" ", "_")
        join(varied, run_trials(climbs(POLES[pole], config.duration), over, config.store, name, progress), number)
    over = {"world.radius": config.radii, "phase": config.phases}
    up = PoleTrial(wound=True, duration=config.duration)
    back = nominal(up.controller, frequency=-up.controller.gait.frequency)
    down = replace(up, controller=back, world=replace(up.world, start_height=HIGHEST))
    down = replace(down, duration=min(config.duration, LONGEST))
    even = run_trials({"up": up, "down": down}, over, config.store, "pole_even", progress)
    floor = PoleTrial(duration=config.duration)
    over = {"world.radius": config.floor_radii, "phase": config.phases}
    rolled = run_trials({"CWA": floor}, over, config.store, "pole_from_floor", progress)
    central = replace(up, controller=preset("helix_central"), duration=min(config.duration, 12.0))
    over = {"world.pole_friction": config.squeeze_frictions, "controller.parameters.winding.bias": config.squeezes}
    squeezed = run_trials({"C1": central}, over, config.store, "pole_squeeze", progress)
    one = replace(up, world=POLES[config.poles[0]])
    with ThreadPoolExecutor() as pool:
        shown = pool.map(PoleTrial.run, (one, floor))
    return Result(varied, config.poles, even, rolled, squeezed, free_winding(), *shown)


def join(all_: Runs, found: Runs, number: int) -> None:
    """Append the runs on one more pole."""
    found.axes["pole"] = np.full(found.clusters.size, float(number))
    if not all_:
        all_.update(found)
        all_.clusters, all_.axes = found.clusters, found.axes
        return
    for name, table in found.items():
        all_[name] = {q: np.append(all_[name][q], values) for q, values in table.items() if q in all_[name]}
    all_.clusters = np.append(all_.clusters, found.clusters + 100 * number)
    all_.axes = {name: np.append(all_.axes[name], values) for name, values in found.axes.items()}


def free_winding() -> Free:
    """Simulate a helix in free space, tick by tick, starting from rolling."""
    ticked, winding, targets = ChainLaw(change_parameter(preset("helix_central"), "winding", bias=0.0)), [], []
    for _ in range(3000):
        targets.append(ticked.tick(np.zeros(ROBOT.joints)))
        winding.append(ticked.central("winding"))
    fastest = float(np.nanmax(np.abs(np.diff(targets, axis=0)))) / PERIOD
    return Free(PERIOD * np.arange(1, 3001), np.array(winding), fastest)


def closed_form(times: NDArray) -> NDArray:
    """Return the winding [rad/m] of M x'' + B x' + K x = 0 from rest at its initial value."""
    law = preset("helix_central")
    own, rest = winding_of(law), law.gait.nominal("winding")
    roots = np.roots([own.mass, own.damping, own.stiffness])
    start = (own.initial or rest) - rest
    weight = np.array([roots[1], -roots[0]]) * start / (roots[1] - roots[0])
    return rest + (weight[:, None] * np.exp(roots[:, None] * times)).sum(axis=0).real


def find_good(table: dict[str, NDArray]) -> NDArray:
    """Return the runs (runs,) without a fall and with little slip."""
    return (table["fell"] < 0.5) & (table["slip"] <= SLIP)


def claims(result: Result) -> list[Finding]:
    """Report the findings on S40 to S46."""
    return [
        result.floor.with_failures(off_the_floor(result)),
        result.floor.with_failures(windows_of_coils(result.floor["CWA"])),
        result.squeezed.with_failures(squeeze(result.squeezed)),
        result.even.with_failures(up_and_down(result.even)),
        *map(result.varied.with_failures, (varying(result.varied), necessary(result), answers(result))),
    ]


def off_the_floor(result: Result) -> Finding:
    """Report S40: free helix against the closed form, and climbs off the floor.

    A target jumps if the module cannot follow it.
    """
    free, floor = result.free, result.floor["CWA"]
    lifted, runs = float((floor["off_the_floor"] > 0.5).sum()), floor["fell"].size
    fastest = float(np.max([free.fastest, *floor["fastest_target"]]))
    measured = {
        "difference": float(np.abs(free.winding / closed_form(free.times) - 1.0).max()),
        "continuous": fastest <= TOP_SPEED,
        "off_the_floor": lifted if runs >= LIFTS else None,
    }
    targets = f"largest target rate {free.fastest:.3g} rad/s free, {fastest:.3g} at poles, module {TOP_SPEED:.3g}"
    return Finding(
        "S40", measured, f"free helix against the closed form; {lifted:.0f} of {runs} off the floor; {targets}"
    )


def windows_of_coils(table: dict[str, NDArray]) -> Finding:
    """Report S41: windows that start on the body, for runs that left the floor. The count furthest from 4 and 5
    decides.
    """
    wound = table["windows_at_end"][table["off_the_floor"] > 0.5]
    furthest = float(wound[np.argmax(np.abs(wound - 4.5))]) if wound.size else None
    counts = ", ".join(f"{count:g} in {share}" for count, share in zip(*np.unique(wound, return_counts=True)))
    measured = {"at_start": float(table["windows_at_start"].max()), "wound": furthest}
    return Finding(
        "S41", measured, f"windows that start on the body, starting on the floor; at the end {counts or 'none'} runs"
    )


def describe_climbs(table: dict[str, NDArray]) -> str:
    """Format falls, slip and travel of a controller's runs."""
    return (
        f"{np.mean(table['fell']):.0%} fell, slip {np.mean(table['slip']):.2f}, climbed "
        f"{np.mean(table['climbed']):.2f} m, torque {np.mean(table['torque_rms']):.2f} N m"
    )


def up_and_down(tables: Runs) -> Finding:
    """Report S43, with CWA."""
    fell = ~(np.concatenate([table["fell"] for table in tables.values()]) <= 0.5)
    slip = np.concatenate([table["slip"] for table in tables.values()])
    measured: dict[str, Any] = {"fall_share": float(fell.mean()), "slip_share": float((~(slip <= SLIP)).mean())}
    few = "too few runs" if fell.size < 2 * ENOUGH else ""
    words = "; ".join(f"{word}: {describe_climbs(table)}" for word, table in tables.items())
    return Finding("S43", measured, f"CWA, {fell.size} runs; {words}", few)


def varying(runs: Runs) -> Finding:
    """Report S44: CWA against the best of the fixed shapes."""
    fails = {name: ~find_good(table) for name, table in runs.items()}
    best = min(FIXED, key=lambda name: (fails[name].mean(), runs[name]["fell"].mean(), runs[name]["slip"].mean()))
    pair = rarer_share(fails["CWA"], fails[best])
    falls = rarer_share(runs["CWA"]["fell"], runs[best]["fell"])
    measured: dict[str, Any] = {"good_share": float((~fails["CWA"]).mean()), "fails CWA, fixed": pair}
    few = "too few runs" if runs.clusters.size < ENOUGH else ""
    words = "; ".join(f"{name}: {describe_climbs(table)}" for name, table in runs.items())
    pairs = words_of({"fails CWA, fixed": pair, "falls alone": falls})
    return Finding("S44", measured, f"{words}; best fixed shape: {best}; {pairs}", few)


def necessary(result: Result) -> Finding:
    """Report S45: C1 with adaptation where CWA succeeds, on poles that vary along the body."""
    runs = result.varied
    numbers = [number for number, pole in enumerate(result.poles) if pole in UNEVEN]
    uneven = np.isin(runs.axes["pole"], numbers)
    kept = uneven & find_good(runs["CWA"])
    lost = float((~find_good(runs["C1A"]))[kept].mean()) if kept.sum() >= 5 else None
    falls = {name: float(runs[name]["fell"][uneven].mean()) if uneven.any() else np.nan for name in ("C1A", "CWA")}
    words = ", ".join(f"{name} {value:.0%}" for name, value in falls.items())
    return Finding(
        "S45", {"lost_share": lost}, f"steps and bulge: {kept.sum()} runs in which CWA succeeds; falls alone: {words}"
    )


def squeeze(runs: Runs) -> Finding:
    """Report S42: normal force by squeeze in every run without a fall, and the least squeeze that climbs at each
    friction.
    """
    table, friction, bias = runs["C1"], runs.axes["pole_friction"], runs.axes["bias"]
    climbing = (table["climbed"] > 0.02) & (table["fell"] < 0.5)
    least = {}
    for mu in np.unique(friction):
        slides = bias[~climbing & (friction == mu)]
        enough = bias[(friction == mu) & (bias > slides.max(initial=-np.inf))]
        least[mu] = float(enough.min(initial=np.inf))
    ordered = list(least.values())
    middle = Pole().radius + SeaSnake().radius  # radius of the body's centreline
    force = table["normal_load"] / (table["winding"] / middle * table["squeeze"])
    held, several = table["fell"] < 0.5, len(ordered) > 1
    errors = np.abs(force[held] - 1.0)
    measured = {
        "force_error": float(errors.max()) if several and held.any() else None,
        "least_squeeze_found": bool(np.isfinite(ordered).all()) if several else None,
        "falls_with_friction": bool(np.all(np.diff(ordered) < 0.0)) if several else None,
    }
    words = ", ".join(f"{mu:g}: {value:g}" for mu, value in least.items())
    ratios = ", ".join(f"{tau:g}: {np.median(force[bias == tau]):.2f}" for tau in np.unique(bias))
    off = f"error up to {errors.max(initial=0.0):.0%} in {held.sum()} runs without a fall, median {median(errors):.0%}"
    told_ratios = f"normal force over (R / r) squeeze, by tau_D: {ratios}; {off}"
    return Finding("S42", measured, f"least tau_D that climbs, by friction: {words}; {told_ratios}")


def median(values: NDArray) -> float:
    """Return the median, or NaN for no values."""
    return float(np.median(values)) if values.size else np.nan


def answers(result: Result) -> Finding:
    """Report S46: rates of the winding and its set point, and whether the load stays between the thresholds."""
    runs, own = result.varied, winding_of(preset("helix"))
    cone = runs.axes["pole"] == (result.poles.index("cone to thin") if "cone to thin" in result.poles else -1.0)
    uneven = np.isin(runs.axes["pole"], [k for k, pole in enumerate(result.poles) if pole in UNEVEN])
    fastest = runs["CWA"]["fastest_winding"][uneven]
    share = {name: runs[name]["within_share"][cone] for name in ("CWA", "CW")}
    over = ratio_of(lambda rows: float(share["CWA"][rows].sum() / share["CW"][rows].sum()), np.arange(cone.sum()))
    measured: dict[str, Any] = {
        "speed_ratio": float(np.median(fastest)) / own.adapt_rate if fastest.size else None,
        "within_share": float(share["CWA"].mean()) if cone.any() else None,
        "within CWA / CW": over.interval(),
    }
    words = ", ".join(f"{name} {value.mean() if value.size else np.nan:.0%}" for name, value in share.items())
    few = "too few runs" if cone.sum() < FEWEST else ""
    even = float(np.median(result.even["up"]["fastest_winding"]))
    rates = (
        f"fastest change of R over a second on steps and bulge {np.median(fastest) if fastest.size else np.nan:.3f} "
        f"rad/m/s (on uniform poles {even:.3f}), set point's rate {own.adapt_rate:g}"
    )
    cones = f"squeeze within the thresholds on the cone: {words}; {words_of({'CWA / CW': over})}"
    return Finding("S46", measured, f"{rates}; {cones}", few)


def figure(result: Result, folder: Path) -> list[Path]:
    """Draw Fig. 4.7 and 4.8 (free helix, snake at the pole), Fig. 4.9 and 4.10 (windings), and all climbs."""
    sheet = new_figure(11.0, 7.2)
    axes = [dressed(sheet.add_subplot(2, 2, i + 1)) for i in range(3)]
    times, winding, _ = result.free
    axes[0].plot(times, winding, color=COLOURS[0], label="law")
    axes[0].plot(times, closed_form(times), "--", color=COLOURS[1], label="closed form")
    axes[0].legend(fontsize=8, frameon=False)
    rows = result.shown["shape_winding"]
    for k, column in enumerate(rows.T[np.isfinite(rows).any(axis=0)]):
        axes[1].plot(0.01 * np.arange(len(rows)), column, lw=0.8, label=f"window {k + 1}" + " at the head" * (k == 0))
    axes[1].legend(fontsize=8, frameon=False)
    for k, table in enumerate(result.varied.values()):
        colour = COLOURS[k % len(COLOURS)]
        axes[2].bar(k, float(np.mean(table["climbed"])), color=colour, alpha=0.6)
        axes[2].plot(np.full(table["climbed"].size, k), table["climbed"], ".", color="black", ms=3)
    axes[2].set_xticks(range(len(result.varied)), list(result.varied), fontsize=8, rotation=30)
    rolled = snapshots(result.rolled, dressed(sheet.add_subplot(2, 2, 4)), count=4, plane="yz")
    labelled(rolled, "y [m]", "z [m]", "Fig. 4.8: rolling to a pole, winding and climbing")
    labelled(axes[0], "time [s]", "winding [rad/m]", "Fig. 4.7: rolling turns into the helix")
    labelled(axes[1], "time [s]", "winding of each window [rad/m]", f"Fig. 4.9: CWA, {result.poles[0]}")
    labelled(axes[2], "", "climbed [m]", "Poles of varying diameter")
    return [write(sheet, folder / "fig_4_7_to_10.png")]
