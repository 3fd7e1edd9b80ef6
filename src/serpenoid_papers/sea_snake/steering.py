"""Sidewinding in open terrain (S56): heading control."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from math import radians
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from serpenoid.control import ShapeCompliance
from serpenoid.engines.base import Initial
from serpenoid.plotting.style import COLOURS, dressed, labelled, new_figure, write
from serpenoid.robots import SeaSnake
from serpenoid.robots.sensors import Sensor, Sensors
from serpenoid.scenarios.slither_pegs import first_targets
from serpenoid.simulation import simulate
from serpenoid.sweeps.executors import cores
from serpenoid.trajectory import Trajectory
from serpenoid.worlds import Floor, Terrain
from serpenoid_papers.base import ExperimentConfig, Finding, Progress
from serpenoid_papers.sea_snake.boards import preset
from serpenoid_papers.sea_snake.comparisons import ratio_of

STEERED = {"with": True, "without": False}
IMUS = Sensors(accelerometer=Sensor(noise=0.05, bias=0.1), gyroscope=Sensor(noise=0.01, bias=0.002))


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Runs in open terrain."""

    open_time: float = 120.0
    """duration of a run with heading control [s]"""
    starts_off: tuple[float, ...] = 5 * (-30.0, 30.0)
    """initial heading errors [deg]; equal ones differ in their phase"""
    kinds: tuple[str, ...] = ("level", "rough", "noise")
    """ground and sensors of those runs: a level floor, 10 mm rms of roughness, a level floor and noisy IMUs"""

    @classmethod
    def quick(cls) -> Self:
        return cls(open_time=40.0, starts_off=(-30.0, 30.0), kinds=("level",))

    @classmethod
    def tiny(cls) -> Self:
        return cls(open_time=0.3, starts_off=(30.0,), kinds=("level", "noise"))


class HeadingError(NamedTuple):
    """Heading error of a run."""

    times: NDArray  # [s]
    error: NDArray  # error of the heading over a cycle [deg]


class Result(NamedTuple):
    """Directions with and without steering."""

    kept: dict[str, list[HeadingError]]
    kinds: tuple[str, ...]  # kinds of ground and sensors, in order


def in_the_open(law: ShapeCompliance, duration: float, kind: str = "level", seed: int = 0) -> Trajectory:
    """Run a kind from the wave at its first tick."""
    robot = SeaSnake(sensors=IMUS) if kind == "noise" else SeaSnake()
    shape = np.nan_to_num(first_targets(law, robot, 0.01))
    world = Terrain(roughness=0.01, size=24.0, spacing=0.1) if kind == "rough" else Floor()
    start = Initial(joint_position=tuple(shape.tolist()))
    return simulate(robot, world, law, duration, initial=start, seed=seed, sample_period=0.05)


def error_of(made: Trajectory, wanted: float) -> HeadingError:
    """Return the body's true heading over a cycle, relative to that of the first cycle plus the wanted change [deg]."""
    place = made["link_pose"][:, :, :2]
    ahead = place[:, 0] - place[:, -1]
    heading = np.unwrap(np.arctan2(ahead[:, 1], ahead[:, 0]))
    count = max(1, min(40, heading.size // 2))  # 2 s
    mean = np.convolve(heading, np.ones(count) / count, "valid")
    return HeadingError(made.times[count - 1 :], np.degrees(mean - mean[0]) - wanted)


def run(config: Config, progress: Progress) -> Result:
    """Run directions with and without steering."""
    return Result({word: directions(config, steered, progress) for word, steered in STEERED.items()}, config.kinds)


def directions(config: Config, steered: bool, progress: Progress) -> list[HeadingError]:
    """Run open loop from all starts on all kinds of ground in parallel, with or without steering."""
    law = preset("sidewinding_rigid")
    assert law.turning is not None
    turning = law.turning if steered else replace(law.turning, taper=0.0)

    def one(case: tuple[str, int, float]) -> HeadingError:
        kind, number, off = case
        led = replace(law, turning=replace(turning, target=radians(off))).from_phase(0.7 * number)
        found = error_of(in_the_open(led, config.open_time, kind, number), off)
        progress(f"sea-snake: direction kept from {off:g} deg, {kind}")
        return found

    cases = [(kind, number, off) for kind in config.kinds for number, off in enumerate(config.starts_off)]
    with ThreadPoolExecutor(cores()) as pool:
        return list(pool.map(one, cases))


def claims(result: Result) -> list[Finding]:
    """Report the finding on S56."""
    last = {name: np.array([abs(float(kept.error[-1])) for kept in rows]) for name, rows in result.kept.items()}
    later = np.array([abs(float(np.interp(30.0, kept.times, kept.error))) for kept in result.kept["with"]])
    held = (later < 10.0) & (last["with"] < 10.0)
    ratio = ratio_of(lambda rows: float(last["without"][rows].sum() / last["with"][rows].sum()), np.arange(held.size))
    found = {"kept_share": float(held.mean()), "error without / with": ratio.interval()}
    few = "" if held.size >= 10 else "too few runs"
    return [
        Finding("S56", found,
                f"{held.sum()} of {held.size} runs; last errors [deg] with {np.round(last['with'], 1).tolist()}, "
                f"without {np.round(last['without'], 1).tolist()}; {', '.join(result.kinds)}; yaw by gyroscopes", few),
    ]  # fmt: skip


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot the error of the heading over time, with and without steering."""
    sheet = new_figure(7.0, 3.6)
    axes = dressed(sheet.add_subplot(1, 1, 1))
    for colour, (name, rows) in zip(COLOURS, result.kept.items()):
        for number, kept in enumerate(rows):
            axes.plot(kept.times, kept.error, color=colour, lw=0.9, label=name if number == 0 else None)
    axes.legend(fontsize=8, frameon=False)
    labelled(axes, "time [s]", "error of the heading [deg]", "Heading kept by conical sidewinding")
    return [write(sheet, folder / "heading_kept.png")]
