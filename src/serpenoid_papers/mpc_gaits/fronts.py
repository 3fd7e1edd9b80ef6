"""Fig. 3 (M1-M3): power and speed of planned gaits against the Pareto fronts of serpenoid gaits, three media."""

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
from serpenoid_papers.mpc_gaits.runs import DURATION, MEDIA, SETTLE, SHORT, Straight, straight

if TYPE_CHECKING:
    from matplotlib.axes import Axes

REPORT_SECONDS = 60.0
SMOOTHING = 0.01  # smoothing of dry friction [m/s], the same for all gaits and for the planner
STEP = 0.002  # step of the serpenoid gaits [s]; a quarter of it changes their median speed by 0.4 % at most
MOVES = 0.05  # speed below which a snake counts as at rest [m/s]
# Head first needs a phase shift between pi and 2 pi; the other half of Table II cannot be on the front.
HEAD_FIRST = {**TABLE_II, "gait.spatial_frequency": "-4pi:-8pi:11"}


@dataclass(frozen=True)
class Config(SweepConfig):
    """Configuration of the experiment."""

    sample: str | None = None
    """serpenoid gaits per medium: random:N of Table II; None for all phase shifts that move head first"""
    goals: tuple[float, ...] = (-10.0, -20.0, -50.0)
    """x of the goal [m]"""
    weights: tuple[float, ...] = (0.1, 0.01, 0.001)
    """beta, weights of the torques"""
    horizons: tuple[int, ...] = (25, 40)
    """steps planned ahead"""
    duration: float = DURATION
    """duration of each planned run [s]"""

    @classmethod
    def quick(cls) -> Config:
        """Use a random part of the grid, and only the goals of M1."""
        return cls(sample="random:6000", goals=(-20.0,))

    @classmethod
    def tiny(cls) -> Config:
        """Use a few gaits, one weight, one horizon and short runs."""
        return cls(sample="random:32", goals=(-20.0,), weights=(0.01,), horizons=(25,), duration=SHORT)


class Gaits(NamedTuple):
    """Serpenoid gaits of a medium, and the sensitivity of their front to the integration step."""

    speed: NDArray  # (gaits,) [m/s]
    power: NDArray  # (gaits,) [W]
    changes: NDArray  # (gaits on the front,) relative change of their speed at a quarter of the step


class Result(NamedTuple):
    """Serpenoid gaits by medium, and planned ones by (medium, horizon, torque weight, goal)."""

    serpenoid: dict[str, Gaits]
    planned: dict[tuple[str, int, float, float], Straight]
    sample: str
    duration: float  # duration of the planned runs [s]


def run(config: Config, progress: Progress) -> Result:
    """Run all sets of weights in all media, and the serpenoid gaits."""
    serpenoid: dict[str, Gaits] = {}
    for medium in MEDIA:
        progress(f"serpenoid gaits in {medium}")
        serpenoid[medium] = serpenoid_gaits(medium, config, progress)
    planned: dict[tuple[str, int, float, float], Straight] = {}
    for medium in MEDIA:
        for horizon in config.horizons:
            progress(f"plans in {medium}, horizon {horizon}")
            sets = [(weight, goal) for weight in config.weights for goal in config.goals]
            for weight, goal in dict.fromkeys([*sets, (0.1, -10.0)]):
                planned[medium, horizon, weight, goal] = straight(
                    Plane(medium), weight, goal, horizon, duration=config.duration
                )
    return Result(serpenoid, planned, config.sample or "all of Table II that moves head first", config.duration)


def serpenoid_gaits(medium: MediumName, config: Config, progress: Progress) -> Gaits:
    """Return speed and power of the gaits of Table II, tracked by PD with the same torque limit."""
    scenario = replace(Slither(step=STEP), world=Plane(medium, smoothing=SMOOTHING))
    with TemporaryDirectory() as scratch:
        folder = Path(config.store) if config.store else Path(scratch)
        store = folder / f"serpenoid_{medium}.zarr"
        found = complete_sweep(scenario, HEAD_FIRST, store, sample=config.sample, progress=reporter(medium, progress))
        if found.attrs["chunks"]["open"]:
            progress("stopped; the same command resumes")
            raise KeyboardInterrupt  # Ctrl-C ended the sweep
        return Gaits(found["speed"].values.ravel(), found["power"].values.ravel(), front_changes(store))


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


def gain(result: Result, medium: str, planned: Straight) -> float:
    """Return the speed of a planned gait relative to the fastest serpenoid gait of at most its power, minus one."""
    speed, power, _ = result.serpenoid[medium]
    within = speed[(power <= planned.power) & np.isfinite(speed)]
    best = float(within.max()) if within.size else 0.0
    return planned.speed / best - 1.0 if best > 0.0 else float("nan")


def gains(result: Result, horizon: int) -> dict[str, Any]:
    """Return the gain of every set at a horizon, in percent; None if the planned snake stays at rest."""
    table = {}
    for (medium, length, weight, goal), planned in result.planned.items():
        if length == horizon:
            moves = planned.speed > MOVES
            value = round(100.0 * gain(result, medium, planned), 1) if moves else None
            table[f"{medium}, beta {weight:g}, goal {goal:g}"] = value
    return table


def claims(result: Result) -> list[Finding]:
    """Report the findings on M1 to M3."""
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
    return [
        Finding("M1", speeds, f"{window} on RK4 at 1 ms; a set with speed 0 has rest as its optimum"),
        Finding("M2", gains(result, 25), source),
        Finding("M3", gains(result, 40) or None, source),
    ]


def figure(result: Result, folder: Path) -> list[Path]:
    """Draw Fig. 3: one panel per medium."""
    picture = new_figure(11.0, 3.8)
    for i, medium in enumerate(MEDIA):
        axes = dressed(picture.add_subplot(1, 3, i + 1))
        draw_medium(axes, result, medium)
        labelled(axes, "power [W]", "speed [m/s]" if i == 0 else "", medium)
        if i == 0:
            axes.legend(fontsize=7.5, loc="lower right", frameon=False)
    return [write(picture, folder / "fig_3_pareto.png")]


def draw_medium(axes: Axes, result: Result, medium: str) -> None:
    """Draw gaits as dots, their front as a line, plans as stars."""
    speed, power, _ = result.serpenoid[medium]
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
