"""Pose from IMUs (S48-S50, Fig. 4.11): the filter against its parts, many IMUs, the virtual chassis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import pi
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.estimation import ComplementaryFilter, Readings, readings_of, virtual_chassis
from serpenoid.kernels.attitude import vertical
from serpenoid.plotting.style import COLOURS, dressed, labelled, new_figure, write
from serpenoid.robots import SeaSnake
from serpenoid.robots.rotations import rotations
from serpenoid.scenarios import find_scenario
from serpenoid.scenarios.gait_run import GaitRun
from serpenoid.scenarios.slither_pegs import SlitherPegs
from serpenoid.trajectory import Trajectory
from serpenoid.worlds import PegBoard
from serpenoid.worlds.initial_pose import links_of
from serpenoid_papers.base import ExperimentConfig, Finding, Progress

NOISE, BIAS = {"accelerometer": 0.05, "gyroscope": 0.01}, {"accelerometer": 0.1, "gyroscope": 0.002}
GAITS: dict[str, GaitRun] = {
    name: find_scenario(name.replace(" ", "-"))()  # type: ignore[misc]
    for name in ("sidewinding", "rolling", "linear progression")
}  # fmt: skip
LONG = 60.0  # duration in which gyroscopes alone drift [s]
NEAR = 5  # shapes on either side between which the main axis flips, of 200 from straight to bent
COUNTS = (1, 4, 9, 18)  # numbers of IMUs


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Durations, and number of noise realisations."""

    duration: float = 120.0
    """duration of each run [s]"""
    seeds: int = 20
    """seeds of noise and bias"""
    settle: float = 2.0
    """initial transient excluded from errors [s]"""

    @classmethod
    def quick(cls) -> Config:
        return cls(duration=20.0, seeds=8)

    @classmethod
    def tiny(cls) -> Config:
        return cls(duration=0.5, seeds=1, settle=0.2)


class Bent(NamedTuple):
    """Shapes from straight to bent, (shapes,) each."""

    bend: NDArray  # bend of each joint [rad]
    ratio: NDArray  # s1 / s2
    clear: NDArray  # whether the chassis reports a main axis
    leaps: NDArray  # whether that axis, by SVD of the joints' positions, rotates by more than 45 deg within ten shapes


class Result(NamedTuple):
    """Errors by gait and method, swings, and shapes up to ring and hairpin."""

    tilt: dict[str, dict[str, float]]  # gait -> method -> rms [deg]
    counts: dict[int, float]  # number of IMUs -> rms of the tilt's error [deg]
    yaw: dict[str, float]  # drift at the end [deg]
    swings: dict[str, tuple[float, float]]  # gait -> peak to peak of chassis and head within a cycle [deg]
    ring: Bent
    hairpin: Bent  # with its three middle lateral joints bent
    drifts: bool  # whether runs were long enough for gyroscopes to drift


def noisy(readings: Readings, seed: int) -> Readings:
    """Return readings with noise and a bias of each sensor."""
    rng, found = np.random.default_rng(seed), {}
    for name, size in NOISE.items():
        exact: Any = getattr(readings, name)
        found[name] = (
            exact + size * rng.standard_normal(exact.shape) + BIAS[name] * rng.standard_normal(exact.shape[1:])
        )
    return readings._replace(**found)


def tilt_error(run: Trajectory, estimate: NDArray, settle: float) -> float:
    """Return the rms angle [deg] between the estimated and the true vertical, in head axes."""
    true = vertical(run["link_pose"][:, 0, 3:])
    late = run.times >= settle
    cosine = np.clip((true * vertical(estimate)).sum(axis=1), -1.0, 1.0)
    return float(np.degrees(np.sqrt(np.mean(np.arccos(cosine[late]) ** 2))))


def run(config: Config, progress: Progress) -> Result:
    """Simulate each gait once and add noise afterwards, so that all methods have the same input."""
    tilt: dict[str, dict[str, float]] = {}
    counts: dict[int, list[float]] = {count: [] for count in COUNTS}
    yaw, swings, robot = {}, {}, SeaSnake()
    for name, scenario in GAITS.items():
        progress(f"sea-snake: pose in {name}")
        made = replace(scenario, duration=config.duration, sample_period=0.01, settle=0.0).run()
        swings[name] = swing(made, 2.0)
        if name == "linear progression":
            continue
        exact, start = readings_of(made), made["link_pose"][0, 0, 3:]
        filters = {
            "filter": ComplementaryFilter(), "accelerometers": ComplementaryFilter(gain=1.0, band=1e6),
            "gyroscopes": ComplementaryFilter(gain=0.0),
        }  # fmt: skip
        errors: dict[str, list[float]] = {method: [] for method in filters}
        for seed in range(config.seeds):
            measured = noisy(exact, seed)
            for method, each in filters.items():
                errors[method].append(tilt_error(made, each.run(robot, measured, start), config.settle))
            for count in COUNTS:
                counts[count].append(
                    tilt_error(made, ComplementaryFilter(links=count).run(robot, measured, start), config.settle)
                )
        tilt[name] = {method: float(np.mean(values)) for method, values in errors.items()}
        heading = [
            virtual_chassis(robot, exact.position, q).heading  # type: ignore[arg-type]
            for q in (made["link_pose"][:, 0, 3:], filters["filter"].run(robot, noisy(exact, 0), start))
        ]
        yaw[name] = float(np.degrees((heading[1] - heading[0])[-1] - (heading[1] - heading[0])[0]))
    bare = SlitherPegs(world=PegBoard(density=0.0), duration=min(config.duration, 15.0), sample_period=0.01)
    swings["slithering"] = swing(bare.run(), 2.0 * pi / 1.8)
    ring, hairpin = bend_shapes(robot, slice(0, None, 2), 2.0 * pi), bend_shapes(robot, slice(6, 11, 2), pi)
    return Result(
        tilt, {c: float(np.mean(v)) for c, v in counts.items()}, yaw, swings, ring, hairpin, config.duration >= LONG
    )


def swing(made: Trajectory, cycle: float) -> tuple[float, float]:
    """Return the mean peak-to-peak swing [deg] of the chassis's and of the head's heading within a cycle [s]."""
    chassis = virtual_chassis(SeaSnake(), made["joint_position"], made["link_pose"][:, 0, 3:]).heading
    along = rotations(made["link_pose"][:, 0, 3:])[:, :2, 0]
    head = np.unwrap(np.arctan2(along[:, 1], along[:, 0]))
    count = max(2, round(cycle / 0.01))
    parts = range(0, max(len(head) - count, 1), count)
    found = [[np.ptp(values[k : k + count]) for k in parts] for values in (chassis, head)]
    return float(np.degrees(np.mean(found[0]))), float(np.degrees(np.mean(found[1])))


def bend_shapes(robot: SeaSnake, joints: slice, turn: float) -> Bent:
    """Compute chassis output and SVD flips for shapes from straight to some joints bent by a total angle [rad]."""
    bend = np.linspace(0.0, turn / len(range(robot.joints)[joints]), 200)
    shapes = np.zeros((bend.size, robot.joints))
    shapes[:, joints] = bend[:, None]
    chassis = virtual_chassis(robot, shapes, np.tile([1.0, 0.0, 0.0, 0.0], (bend.size, 1)))
    places = [links_of(robot, each).place for each in shapes]
    axes = np.array([np.linalg.svd(each - each.mean(axis=0))[2][0] for each in places])
    leaps = np.zeros(bend.size, dtype=bool)
    leaps[NEAR:-NEAR] = np.abs((axes[2 * NEAR :] * axes[: -2 * NEAR]).sum(axis=1)) < np.sqrt(0.5)
    return Bent(bend, chassis.ratio, chassis.clear, leaps)


def flips_of(found: Sequence[Bent]) -> tuple[float | None, int | None]:
    """Return the largest ratio at which the main axis flips, and the flips that the chassis misses; None if none."""
    ratios = np.concatenate([each.ratio[each.leaps] for each in found])
    missed = sum(int((each.leaps & each.clear).sum()) for each in found)
    return (float(ratios.max()), missed) if ratios.size else (None, None)


def claims(result: Result) -> list[Finding]:
    """Report the findings on S48 to S50."""
    over = [max(m["filter"] / m[name] for m in result.tilt.values()) for name in ("accelerometers", "gyroscopes")]
    worst = max(m["filter"] for m in result.tilt.values())
    counts = list(result.counts.values())
    shares = {
        name: chassis / head for name, (chassis, head) in result.swings.items() if name != "rolling" and head > 0.01
    }  # the head of linear progression stays in its vertical plane
    flips, missed = flips_of((result.ring, result.hairpin))
    few = {name: round(value, 3) for name, value in shares.items()}
    by_count = {count: round(value, 3) for count, value in result.counts.items()}
    refined = {
        "falls_each_step": all(a > b for a, b in zip(counts, counts[1:])),
        "all_over_one": counts[-1] / counts[0],
    }
    chassis = {"swing_over_head": max(shares.values(), default=None), "flip_at_ratio": flips, "missed_flips": missed}
    words = "; ".join(
        f"{gait}: " + ", ".join(f"{m} {v:.2f}" for m, v in found.items()) for gait, found in result.tilt.items()
    )
    tilts = {"over_accelerometer": over[0], "over_gyroscope": over[1], "filter_rms_deg": worst}
    return [
        Finding("S48", tilts,
                f"rms tilt error [deg], {words}; yaw drift [deg] {result.yaw}",
                "" if result.drifts else "too short"),
        Finding("S49", refined, f"rms tilt error [deg] by number of IMUs: {by_count}"),
        Finding("S50", chassis,
        f"peak to peak in a cycle, chassis over head: {few} (in linear progression the head rotates only in its "
        f"vertical plane). Flips of the main axis from straight to ring {result.ring.leaps.sum()}, to hairpin "
        f"{result.hairpin.leaps.sum()}"),
    ]  # fmt: skip


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot tilt errors, and Fig. 4.11: singular values from straight to ring and hairpin."""
    sheet = new_figure(9.0, 3.5)
    left, right = dressed(sheet.add_subplot(1, 2, 1)), dressed(sheet.add_subplot(1, 2, 2))
    left.plot(list(result.counts), list(result.counts.values()), "o-", color=COLOURS[0])
    for colour, name, own in zip(COLOURS[::2], ("ring", "hairpin"), (result.ring, result.hairpin)):
        right.semilogy(np.degrees(own.bend), own.ratio, color=colour, label=name)
        right.semilogy(np.degrees(own.bend[~own.clear]), own.ratio[~own.clear], ".", color=COLOURS[1],
                       label="no main axis" if name == "ring" else None)  # fmt: skip
    right.legend(fontsize=8, frameon=False)
    labelled(left, "number of IMUs", "rms tilt error [deg]", "Many IMUs improve the estimate")
    labelled(right, "bend of each joint [deg]", "s1 / s2", "Fig. 4.11: from straight to ring and hairpin")
    return [write(sheet, folder / "fig_4_11.png")]
