"""Fig. 3 (M1-M3, B4): power and speed of planned gaits against the Pareto fronts of serpenoid gaits, three media.

The caption of Fig. 3 counts only serpenoid gaits "where the PD controller was successfully tuned". It gives no
threshold. Fronts are therefore measured over a limit of the tracking error, with a PD at every step and at 100 Hz.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.analysis import pareto_front
from serpenoid.plotting.style import COLOURS, GREY, dressed, labelled, new_figure, write
from serpenoid.scenarios.slither import TABLE_II, Slither
from serpenoid.sweeps import Status, cell_scenario, front
from serpenoid.worlds import Plane
from serpenoid.worlds.plane import MediumName
from serpenoid_papers.base import Finding, Progress, SweepConfig
from serpenoid_papers.complete_sweep import complete_sweep
from serpenoid_papers.mpc_gaits.runs import DURATION, MEDIA, SETTLE, SHORT, Settings, Straight, Wanted, straight

if TYPE_CHECKING:
    from matplotlib.axes import Axes

REPORT_SECONDS = 60.0
SMOOTHING = 0.01  # smoothing of dry friction [m/s], the same for all gaits and for the planner
STEP = 0.002  # step of the serpenoid gaits [s]; a quarter of it changes their median speed by 0.4 % at most
MOVES = 0.05  # speed below which a snake counts as at rest [m/s]
# Limits of the tracking error (rms over joints and time, relative to the gait's swing) [%]; the last is none.
LIMITS = (3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0, 15.0, 20.0, 30.0, 50.0, 100.0, np.inf)
CONTINUOUS, SAMPLED = "PD at every step", "PD at 100 Hz"
PLAIN, SQUARED = "distance", "squared distance"  # costs of the goal
# Head first needs a phase shift between pi and 2 pi; the other half of Table II cannot be on the front.
HEAD_FIRST = {**TABLE_II, "gait.spatial_frequency": "-4pi:-8pi:11"}


@dataclass(frozen=True)
class Config(SweepConfig):
    """Configuration of the experiment."""

    sample: str | None = None
    """serpenoid gaits per medium: random:N of Table II; None for all phase shifts that move head first"""
    sampled: str = "random:40000"
    """serpenoid gaits per medium with a PD at 100 Hz, of those that move head first"""
    goals: tuple[float, ...] = (-10.0, -20.0, -50.0)
    """x of the goal [m]"""
    weights: tuple[float, ...] = (0.1, 0.01, 0.001)
    """beta, weights of the torques"""
    horizons: tuple[int, ...] = (25, 40)
    """steps planned ahead"""
    iterations: tuple[int, ...] = (4, 20)
    """iterations of a plan with the distance and the squared distance of the goal (B4)"""
    duration: float = DURATION
    """duration of each planned run [s]"""

    @classmethod
    def quick(cls) -> Config:
        """Use a random part of the grid, and only the goals of M1."""
        return cls(sample="random:6000", sampled="random:6000", goals=(-20.0,))

    @classmethod
    def tiny(cls) -> Config:
        """Use a few gaits, one weight, one horizon and short runs."""
        few = {"goals": (-20.0,), "weights": (0.01,), "horizons": (25,), "iterations": (4,)}
        return cls(sample="random:32", sampled="random:32", duration=SHORT, **few)  # type: ignore[arg-type]


class Gaits(NamedTuple):
    """Serpenoid gaits of a medium, and the sensitivity of their front to the integration step."""

    speed: NDArray  # (gaits,) [m/s]
    power: NDArray  # (gaits,) [W]
    error: NDArray  # (gaits,) tracking error, relative to the gait's swing
    changes: NDArray  # (gaits on the front,) relative change of their speed at a quarter of the step


class Result(NamedTuple):
    """Serpenoid gaits by medium, and planned ones by (medium, horizon, torque weight, goal)."""

    serpenoid: dict[str, Gaits]
    sampled: dict[str, Gaits]  # the same with a PD at 100 Hz
    planned: dict[tuple[str, int, float, float], Straight]
    costs: dict[tuple[str, str, int, int], Straight]  # by (cost, medium, horizon, iterations)
    sample: str
    duration: float  # duration of the planned runs [s]


def run(config: Config, progress: Progress) -> Result:
    """Run all sets of weights in all media, and the serpenoid gaits."""
    serpenoid: dict[str, Gaits] = {}
    sampled: dict[str, Gaits] = {}
    for medium in MEDIA:
        progress(f"serpenoid gaits in {medium}")
        serpenoid[medium] = serpenoid_gaits(medium, config, progress)
        sampled[medium] = serpenoid_gaits(medium, config, progress, sampled=True)
    planned: dict[tuple[str, int, float, float], Straight] = {}
    for medium in MEDIA:
        for horizon in config.horizons:
            progress(f"plans in {medium}, horizon {horizon}")
            sets = [(weight, goal) for weight in config.weights for goal in config.goals]
            for weight, goal in dict.fromkeys([*sets, (0.1, -10.0)]):
                planned[medium, horizon, weight, goal] = straight(
                    Plane(medium), Wanted(goal, weight), Settings(horizon), duration=config.duration
                )
    progress("plans with the squared distance")
    costs = {
        (cost, medium, horizon, iterations): straight(
            Plane(medium),
            Wanted(squared=cost == SQUARED),
            Settings(horizon, iterations=iterations),
            duration=config.duration,
        )  # fmt: skip
        for cost in (PLAIN, SQUARED)
        for medium in MEDIA
        for horizon in config.horizons
        for iterations in config.iterations
    }
    sample = config.sample or "all of Table II that moves head first"
    return Result(serpenoid, sampled, planned, costs, sample, config.duration)


def serpenoid_gaits(medium: MediumName, config: Config, progress: Progress, sampled: bool = False) -> Gaits:
    """Return speed, power and tracking error of gaits of Table II, tracked by PD with the same torque limit."""
    scenario = replace(Slither(step=STEP), world=Plane(medium, smoothing=SMOOTHING), sampled=sampled)
    sample = config.sampled if sampled else config.sample
    with TemporaryDirectory() as scratch:
        folder = Path(config.store) if config.store else Path(scratch)
        store = folder / f"serpenoid_{medium}{'_100_hz' if sampled else ''}.zarr"
        found = complete_sweep(scenario, HEAD_FIRST, store, sample=sample, progress=reporter(medium, progress))
        if found.attrs["chunks"]["open"]:
            progress("stopped; the same command resumes")
            raise KeyboardInterrupt  # Ctrl-C ended the sweep
        speed, power, error = (found[name].values.ravel() for name in ("speed", "power", "tracking_error"))
        return Gaits(speed, power, error, front_changes(store))


def reporter(medium: str, progress: Progress) -> Callable[[Status], None]:
    """Return a callback that reports the progress of a medium's sweep at intervals."""
    last = monotonic()

    def report(status: Status) -> None:
        nonlocal last
        if monotonic() - last > REPORT_SECONDS:
            last = monotonic()
            hours = (status.total - status.done) / max(status.done_here, 1) * status.seconds / 3600.0
            progress(f"serpenoid gaits in {medium}: {status.done} of {status.total}, {hours:.1f} h left")

    return report


def front_changes(store: Path) -> NDArray:
    """Return the relative change of the speed of the front's gaits at a quarter of the step.

    Gaits whose torques saturate are chaotic, so the best of millions might be an outlier.
    """
    cells = front(store, "speed", "power")
    rows = [dict(zip(cells.fields, values)) for values in zip(*cells.fields.values())]
    again = Slither.batch([replace(cell_scenario(store, row), step=0.25 * STEP) for row in rows])
    assert again is not None  # every cell has a gait
    speed, moves = cells.quantities["speed"], cells.quantities["speed"] > MOVES
    return np.asarray(again["speed"].value)[moves] / speed[moves] - 1.0


def gain(gaits: Gaits, planned: Straight, limit: float = np.inf) -> float:
    """Return the speed of a planned gait relative to the fastest serpenoid gait of at most its power, minus one.

    Only gaits whose tracking error is at most `limit` [%] count. NaN if none of them moves.
    """
    within = (gaits.power <= planned.power) & np.isfinite(gaits.speed)
    if np.isfinite(limit):
        within &= 100.0 * gaits.error <= limit
    best = float(gaits.speed[within].max(initial=0.0))
    return planned.speed / best - 1.0 if best > MOVES else float("nan")


def percent(value: float) -> float | None:
    """Return a share in percent; None for NaN."""
    return round(100.0 * value, 1) if np.isfinite(value) else None


def gains(result: Result, horizon: int) -> dict[str, Any]:
    """Return the gain of every set at a horizon over all serpenoid gaits, in percent; None if the planned snake stays
    at rest.
    """
    return {
        f"{medium}, beta {weight:g}, goal {goal:g}": percent(gain(result.serpenoid[medium], planned))
        if planned.speed > MOVES else None
        for (medium, length, weight, goal), planned in result.planned.items() if length == horizon
    }  # fmt: skip


def gain_curves(result: Result, horizon: int) -> dict[str, Any]:
    """Return the gain of every moving set at each limit of the tracking error, in percent, by PD.

    None where no gait within the limit moves with at most the power of the plan.
    """
    table: dict[str, Any] = {"limits of the tracking error [%]": list(LIMITS)}
    for law, fronts in ((CONTINUOUS, result.serpenoid), (SAMPLED, result.sampled)):
        for (medium, length, weight, goal), planned in result.planned.items():
            if length == horizon and planned.speed > MOVES:
                curve = [percent(gain(fronts[medium], planned, limit)) for limit in LIMITS]
                table[f"{law}, {medium}, beta {weight:g}, goal {goal:g}"] = curve
    return table


def cost_table(result: Result) -> dict[str, Any]:
    """Return the measures of M1 to M4 with both costs, by medium, horizon and iterations."""
    table: dict[str, Any] = {}
    for (cost, medium, horizon, iterations), found in result.costs.items():
        key = f"{cost}, {medium}, N = {horizon}, {iterations} iterations"
        table[f"{key}, speed [m/s]"], table[f"{key}, power [W]"] = round(found.speed, 3), round(found.power, 1)
        table[f"{key}, gain [%]"] = percent(gain(result.serpenoid[medium], found))
        table[f"{key}, frequencies [Hz]"] = [round(float(value), 2) for value in found.frequency]
    return table


def claims(result: Result) -> list[Finding]:
    """Report the findings on M1 to M3 and B4."""
    speeds = {
        f"{medium}, beta {weight:g}, goal {goal:g} [m/s]": round(result.planned[medium, 25, weight, goal].speed, 3)
        for weight, goal in ((0.01, -20.0), (0.1, -10.0))
        for medium in MEDIA
    }
    steady = ", ".join(
        f"{medium} {100.0 * np.median(np.abs(gaits.changes)):.2g} % in the median, "
        f"{100.0 * np.abs(gaits.changes).max():.2g} % at most"
        for medium, gaits in result.serpenoid.items()
    )
    source = (
        f"serpenoid gaits: {result.sample}; gain in % over the fastest of at most the same power. At a quarter of "
        f"the step the speeds on the front change by {steady}"
    )
    window = f"last {result.duration - SETTLE:g} of {result.duration:g} s"
    curves = gain_curves(result, 25)
    return [
        Finding("M1", speeds, f"{window} on RK4 at 1 ms; a set with speed 0 has rest as its optimum"),
        Finding("M2", curves, f"{below_everywhere(curves)}. {source}"),
        Finding("M3", gains(result, 40) or None, source),
        Finding("B4", cost_table(result), f"alpha 1, beta 0.01, goal -20; {source}"),
    ]


def below_everywhere(curves: dict[str, Any]) -> str:
    """Return the sets that are more than 5 % below the front at every limit that leaves serpenoid gaits."""
    sets = {name: [value for value in curve if value is not None] for name, curve in list(curves.items())[1:]}
    names = [name for name, curve in sets.items() if curve and max(curve) < -5.0]
    return f"more than 5 % below the front at every limit: {'; '.join(names) or 'no set'}"


def figure(result: Result, folder: Path) -> list[Path]:
    """Draw Fig. 3, and the gains over the limit of the tracking error: one panel per medium."""
    picture, curves = new_figure(11.0, 3.8), new_figure(11.0, 3.8)
    for i, medium in enumerate(MEDIA):
        axes = dressed(picture.add_subplot(1, 3, i + 1))
        draw_medium(axes, result, medium)
        labelled(axes, "power [W]", "speed [m/s]" if i == 0 else "", medium)
        if i == 0:
            axes.legend(fontsize=7.5, loc="lower right", frameon=False)
        axes = dressed(curves.add_subplot(1, 3, i + 1))
        draw_curves(axes, result, medium)
        labelled(axes, "limit of the tracking error [%]", "gain over the front [%]" if i == 0 else "", medium)
        if i == 0:
            axes.legend(fontsize=7.5, loc="upper right", frameon=False)
    return [write(picture, folder / "fig_3_pareto.png"), write(curves, folder / "fig_3_tracking.png")]


def draw_curves(axes: Axes, result: Result, medium: str) -> None:
    """Draw the gain of each torque weight over the limit, with a PD at every step and at 100 Hz."""
    axes.axhline(0.0, color="black", lw=0.8)
    places = np.array([*LIMITS[:-1], 2.0 * LIMITS[-2]])  # no limit, beside the last one
    for line, fronts, law in (("-", result.serpenoid, CONTINUOUS), ("--", result.sampled, SAMPLED)):
        weights = sorted({weight for _, _, weight, goal in result.planned if goal == -20.0}, reverse=True)
        for colour, weight in zip(COLOURS, weights):
            planned = result.planned[medium, 25, weight, -20.0]
            if planned.speed > MOVES:
                curve = [100.0 * gain(fronts[medium], planned, limit) for limit in LIMITS]
                axes.plot(places, curve, line, color=colour, lw=1.4, label=f"beta {weight:g}, {law}")
    axes.set_xscale("log")
    axes.set_xticks([3, 5, 10, 20, 50, 100, places[-1]], ["3", "5", "10", "20", "50", "100", "none"])
    axes.minorticks_off()
    axes.set_ylim(-60.0, 250.0)


def draw_medium(axes: Axes, result: Result, medium: str) -> None:
    """Draw gaits as dots, their front as a line, plans as stars."""
    speed, power, *_ = result.serpenoid[medium]
    known = np.isfinite(speed) & (speed > 0.0) & (power < 80.0)
    shown = np.random.default_rng(0).permutation(np.flatnonzero(known))[:4000]  # the first gaits of a grid are all slow
    axes.plot(power[shown], speed[shown], ".", ms=1.5, color=COLOURS[0], alpha=0.25, rasterized=True)
    best = pareto_front(np.where(known, speed, np.nan), power)
    edge = np.append(power[best], 80.0), np.append(speed[best], speed[best[-1]])
    axes.step(*edge, where="post", color="black", lw=1.4, label="serpenoid front")
    for colour, horizon in zip(COLOURS[1:], sorted({key[1] for key in result.planned})):
        points = [(p.power, p.speed) for (m, h, *_), p in result.planned.items() if m == medium and h == horizon]
        axes.plot(*zip(*points), "*", ms=9, color=colour, mec="white", mew=0.4, label=f"planned, N = {horizon}")
    circled = result.planned[medium, 25, 0.01, -20.0]
    axes.plot(circled.power, circled.speed, "o", ms=14, mfc="none", mec=GREY)
    axes.set_xlim(0.0, 60.0)
    axes.set_ylim(bottom=0.0)
