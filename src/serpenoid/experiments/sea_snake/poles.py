"""The rolling helix on poles (S40-S42, S44-S46, Fig. 4.7-4.10): up from the floor, squeeze, varying diameters."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.control import ShapeCompliance
from serpenoid.experiments.base import Finding, Progress, SweepConfig
from serpenoid.experiments.sea_snake.boards import Runs, carry_out, changed, preset
from serpenoid.experiments.sea_snake.comparisons import rarer_share, ratio_of, words_of
from serpenoid.plotting.style import COLOURS, dressed, labelled, new_figure, write
from serpenoid.scenarios.roll_to_pole import RollToPole
from serpenoid.trajectory import Trajectory
from serpenoid.worlds import Pole

POLES = {
    "cone to thin": Pole(profile="cone", radius=0.09, other_radius=0.07),
    "cone to thick": Pole(profile="cone", radius=0.07, other_radius=0.09),
    "step to thin": Pole(profile="step", radius=0.08, other_radius=0.07),
    "step to thick": Pole(profile="step", radius=0.07, other_radius=0.08),
    "bulge": Pole(profile="bulge", radius=0.07, other_radius=0.085),
}
SLIP = 0.1  # of the rolling speed, beyond which a run has slipped


@dataclass(frozen=True)
class Config(SweepConfig):
    """Poles, starts and times."""

    poles: tuple[str, ...] = tuple(POLES)
    """that vary"""
    frictions: tuple[float, ...] = (0.5, 0.8)
    """of those"""
    phases: tuple[float, ...] = tuple(np.round(np.linspace(0.0, 2.0 * pi, 5, endpoint=False), 6).tolist())
    """of the rolling at the start [rad]"""
    duration: float = 60.0
    """of each climb [s]"""
    radii: tuple[float, ...] = (0.07, 0.08, 0.09)
    """of poles that are rolled up to [m]"""
    squeezes: tuple[float, ...] = (2.0, 5.0, 9.0, 14.0, 20.0)
    """tau_D on a pole of 8 cm"""
    squeeze_frictions: tuple[float, ...] = (0.3, 0.5, 0.8)
    """of that pole"""

    @classmethod
    def quick(cls) -> Any:
        return cls(
            poles=("cone to thin", "step to thick"), frictions=(0.5,), phases=(0.0,), duration=20.0, radii=(0.08,),
            squeezes=(9.0,), squeeze_frictions=(0.5,),
        )  # fmt: skip

    @classmethod
    def tiny(cls) -> Any:
        return cls(
            poles=("cone to thin",), frictions=(0.5,), phases=(0.0,), duration=0.3, radii=(0.08,), squeezes=(9.0,),
            squeeze_frictions=(0.5,),
        )  # fmt: skip


class Result(NamedTuple):
    """What came out."""

    varied: Runs  # with the pole's number as an axis
    floor: Runs
    squeezed: Runs
    free: tuple[NDArray, NDArray]  # times [s] and winding [rad/m] of a helix that touches nothing
    shown: Trajectory  # one climb of CWA


def laws() -> dict[str, ShapeCompliance]:
    """Fixed shape, C1 compliant as a whole, CW in windows, CWA with the adaptive set point, C1A the same as a whole."""
    windows, central = preset("helix"), preset("helix_central")
    fixed = changed(central, "winding", sign=(0.0,), bias=0.0)
    return {
        "fixed": fixed, "C1": central, "CW": changed(windows, "winding", adapt_rate=0.0), "CWA": windows,
        "C1A": changed(central, "winding", adapt_rate=0.1),
    }  # fmt: skip


def run(config: Config, progress: Progress) -> Result:
    """Climbs of varying poles by five controllers, from the floor, and with other squeezes."""
    varied = Runs()
    for pole in config.poles:
        climbs = {
            name: RollToPole(world=POLES[pole], controller=law, wound=True, duration=config.duration)
            for name, law in laws().items()
        }
        over = {"world.pole_friction": config.frictions, "phase": config.phases}
        found = carry_out(climbs, over, config.store, f"pole_{pole}".replace(" ", "_"), progress)
        join(varied, found, config.poles.index(pole))
    floor = RollToPole(duration=config.duration)
    over = {"world.radius": config.radii, "phase": config.phases}
    rolled = carry_out({"CWA": floor}, over, config.store, "pole_from_floor", progress)
    central = RollToPole(controller=preset("helix_central"), wound=True, duration=min(config.duration, 20.0))
    over = {"world.pole_friction": config.squeeze_frictions, "controller.parameters.winding.bias": config.squeezes}
    squeezed = carry_out({"C1": central}, over, config.store, "pole_squeeze", progress)
    one = RollToPole(world=POLES[config.poles[0]], wound=True, duration=min(config.duration, 20.0)).run()
    return Result(varied, rolled, squeezed, free_winding(), one)


def join(all_: Runs, found: Runs, number: int) -> None:
    """Add the runs on one more pole."""
    found.axes["pole"] = np.full(found.clusters.size, float(number))
    if not all_:
        all_.update(found)
        all_.clusters, all_.axes = found.clusters, found.axes
        return
    for name, table in found.items():
        all_[name] = {q: np.append(all_[name][q], values) for q, values in table.items() if q in all_[name]}
    all_.clusters = np.append(all_.clusters, found.clusters + 100 * number)
    all_.axes = {name: np.append(all_.axes[name], values) for name, values in found.axes.items()}


def free_winding() -> tuple[NDArray, NDArray]:
    """The winding of a helix in free space, tick by tick, from rolling on."""
    from serpenoid.control.kernel_law import KernelLaw
    from serpenoid.kernels.laws.tick import Sensed, law_tick
    from serpenoid.robots import SeaSnake

    robot, law = SeaSnake(), changed(preset("helix_central"), "winding", bias=0.0)
    ticked, found = KernelLaw(law, robot, 0.01), []
    nothing, none = np.zeros(robot.joints), np.zeros((0, 3))
    for tick in range(3000):
        law_tick(
            ticked.record, ticked.memory, Sensed(0.01 * tick, nothing, nothing, nothing, none, none), ticked.target
        )
        found.append(float(ticked.signals()["shape_winding"].value))
    return 0.01 * np.arange(1, 3001), np.array(found)


def closed_form(times: NDArray) -> NDArray:
    """The winding [rad/m] of M x'' + B x' + K x = 0 from rest at its initial value."""
    own = next(p for p in preset("helix_central").parameters if p.name == "winding")
    roots = np.roots([own.mass, own.damping, own.stiffness])
    start = (own.initial or own.nominal) - own.nominal
    weight = np.array([roots[1], -roots[0]]) * start / (roots[1] - roots[0])
    return own.nominal + (weight[:, None] * np.exp(roots[:, None] * times)).sum(axis=0).real


def good(table: dict[str, NDArray]) -> NDArray:
    """(runs,) without a fall and with little slip."""
    return (table["fell"] < 0.5) & (table["slip"] <= SLIP)


def claims(result: Result) -> list[Finding]:
    """S40 to S42 and S44 to S46."""
    times, winding = result.free
    off = float(np.abs(winding / closed_form(times) - 1.0).max())
    jump = float(np.abs(np.diff(winding)).max())
    floor, runs = result.floor["CWA"], result.varied
    lifted = float((floor["off_the_floor"] > 0.5).sum())
    number = {
        "difference": off,
        "continuous": jump < 0.02,
        "off_the_floor": lifted if floor["fell"].size >= 15 else None,
    }
    spans = [window_count(winding[0]), window_count(result.shown["shape_winding"])]
    fails = {name: ~good(table) for name, table in runs.items()}
    words = "; ".join(
        f"{name}: {np.mean(runs[name]['fell']):.0%} fell, slip {np.mean(runs[name]['slip']):.2f}, climbed "
        f"{np.mean(runs[name]['climbed']):.2f} m" for name in runs
    )  # fmt: skip
    pair = rarer_share(fails["CWA"], fails["fixed"])
    uneven = runs.axes["pole"] >= 2.0  # steps and bulge
    kept = uneven & ~fails["CWA"]
    lost = float(fails["C1A"][kept].mean()) if kept.sum() >= 5 else None
    enough = runs.clusters.size >= 25
    measured44 = {"good_share": float((~fails["CWA"]).mean()), "fails CWA, fixed": pair}
    return [
        Finding(
            "S40", number, f"free helix against the closed form; {lifted:.0f} of {floor['fell'].size} off the floor"
        ),
        Finding("S41", {"at_start": spans[0], "wound": spans[1]}, "windows of half a coil on 1.302 m, by length"),
        squeeze(result.squeezed),
        Finding(
            "S44",
            measured44 if enough else {"too_few_to_decide": measured44},
            f"{words}; {words_of({'fails CWA, fixed': pair})}",
        ),
        Finding(
            "S45",
            {"lost_share": lost},
            f"C1 with adaptation on steps and bulge: fails where CWA does not, {kept.sum()} runs",
        ),
        answers(result.shown),
    ]


def window_count(winding: Any) -> float:
    """Windows of half a coil that the body holds, by their mean length, at the end."""
    span = preset("helix").windows[0].span
    last = np.atleast_2d(np.asarray(winding))[-1]
    return float(np.ceil(1.302 / (span / np.nanmean(last)) - 1e-6))


def squeeze(runs: Runs) -> Finding:
    """S42: normal force by squeeze, and the least squeeze that climbs at each friction."""
    table, friction, bias = runs["C1"], runs.axes["pole_friction"], runs.axes["bias"]
    climbs = (table["climbed"] > 0.02) & (table["fell"] < 0.5)
    least = {
        mu: float(bias[climbs & (friction == mu)].min()) if (climbs & (friction == mu)).any() else np.inf
        for mu in np.unique(friction)
    }
    ordered = list(least.values())
    force = table["contact_load"] / np.maximum(bias * 1.5 / 0.08, 1e-9)  # (R / r) x squeeze with R about 1.5 rad/m
    several = len(ordered) > 1
    measured = {
        "force_error": float(np.median(np.abs(force - 1.0))) if several else None,
        "least_squeeze_found": all(np.isfinite(ordered)) if several else None,
        "falls_with_friction": all(a >= b for a, b in zip(ordered, ordered[1:])) and ordered[0] > ordered[-1]
        if several
        else None,
    }
    words = ", ".join(f"{mu:g}: {value:g}" for mu, value in least.items())
    load = f"load over (R / r) tau_D {np.median(force):.2f}, friction's share in it"
    return Finding("S42", measured, f"least tau_D that climbs, by friction: {words}; {load}")


def answers(shown: Trajectory) -> Finding:
    """S46: how fast the winding and its set point move, and whether the load stays between the thresholds."""
    winding = shown["shape_winding"]
    rate = float(np.nanmax(np.abs(np.diff(winding, axis=0)))) / 0.01 if winding.shape[0] > 2 else np.nan
    own = next(p for p in preset("helix").parameters if p.name == "winding")
    force = (
        -shown["force_winding"][200:] / own.bias * np.maximum(np.isfinite(winding[200:]).sum(axis=1, keepdims=True), 1)
    )
    known = force[np.isfinite(force)]
    within = float(np.mean((known >= own.adapt_low) & (known <= own.adapt_high))) if known.size else None
    measured = {"speed_ratio": rate / own.adapt_rate, "within_share": within}
    words = (
        "fastest change of R against the set point's rate; share of windows and ticks of one climb; CW not beside it"
    )
    return Finding("S46", measured, words)


def figure(result: Result, folder: Path) -> list[Path]:
    """Fig. 4.7 the free helix, Fig. 4.9 and 4.10 the windings of a climb, and climbs by controller."""
    sheet = new_figure(11.0, 3.6)
    first, second, third = (dressed(sheet.add_subplot(1, 3, i + 1)) for i in range(3))
    times, winding = result.free
    first.plot(times, winding, color=COLOURS[0], label="law")
    first.plot(times, closed_form(times), "--", color=COLOURS[1], label="closed form")
    first.legend(fontsize=8, frameon=False)
    rows = result.shown["shape_winding"]
    second.plot(0.01 * np.arange(len(rows)), rows, lw=0.8)
    for k, table in enumerate(result.varied.values()):
        own = ratio_of(lambda r, t=table: float(t["climbed"][r].mean()), result.varied.clusters)
        third.bar(k, own.value, color=COLOURS[k])
    third.set_xticks(range(len(result.varied)), list(result.varied), fontsize=8)
    labelled(first, "time [s]", "winding [rad/m]", "Fig. 4.7: rolling turns into the helix")
    labelled(second, "time [s]", "winding of each window [rad/m]", "Fig. 4.9: a climb by CWA")
    labelled(third, "", "climbed [m]", "Poles of varying diameter")
    return [write(sheet, folder / "fig_4_7_to_10.png")]
