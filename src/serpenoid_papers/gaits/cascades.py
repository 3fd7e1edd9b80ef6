"""Four strategies of joint control, compared with plain loops, and tracking a sine under load."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.laws.cascade import JOINT_MEMORY, voltage_series
from serpenoid.plotting.style import COLOURS, dressed, labelled, new_figure, write
from serpenoid.robots import Cascade
from serpenoid.robots.cascade import STRATEGIES, Gains
from serpenoid.trajectory import Trajectory
from serpenoid_papers.base import ExperimentConfig, Finding, Progress
from serpenoid_papers.gaits.module_stand import Ask, ModuleStand, StandModule, on_stand, one
from serpenoid_papers.gaits.plain_cascade import NaiveModule

STEP = 0.001
DRIVES = {strategy: STRATEGIES[strategy] for strategy in (2, 3, 4)}  # strategies that control an angle


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration of the experiment."""

    signals: int = 20
    """random gains and signals for each strategy"""
    samples: int = 600
    """samples of each signal"""
    duration: float = 10.0
    """duration of the sine [s]"""

    @classmethod
    def tiny(cls) -> Config:
        return cls(signals=2, samples=100, duration=0.2)


class Result(NamedTuple):
    """Results of the experiment."""

    differences: dict[int, float]  # largest difference of the voltages from the plain loops' by strategy
    tracks: dict[int, Trajectory]  # response to the sine by strategy


def run(config: Config, progress: Progress) -> Result:
    """Run every strategy on random signals, and 2, 3 and 4 on a sine with five modules hanging on the joint."""
    progress("gaits: strategies of joint control")
    differences = {strategy: twin_difference(strategy, config) for strategy in (1, 2, 3, 4)}
    sine = Ask(amplitude=0.5, frequency=0.5)
    tracks = {
        strategy: on_stand(StandModule(arm=5, drive=drive), ModuleStand(), sine, config.duration)
        for strategy, drive in DRIVES.items()
    }
    return Result(differences, tracks)


def random_gains(rng: np.random.Generator) -> Gains:
    """Return random gains of a loop, all different from zero."""
    return Gains(
        kp=rng.uniform(0.0, 1.0), ki=rng.uniform(0.0, 20.0), kd=rng.uniform(0.0, 0.003),
        feed_forward=rng.uniform(-0.3, 0.3), dead_zone=rng.uniform(0.0, 0.2), i_clamp=rng.uniform(0.02, 0.2),
        punch=rng.uniform(0.0, 0.1), min_target=-rng.uniform(0.5, 1.0), max_target=rng.uniform(0.5, 1.0),
        target_lowpass=rng.uniform(0.2, 1.0), min_output=-rng.uniform(0.3, 2.0), max_output=rng.uniform(0.3, 2.0),
        output_lowpass=rng.uniform(0.2, 1.0), d_on_error=bool(rng.integers(2)),
    )  # fmt: skip


def random_signals(rng: np.random.Generator, samples: int) -> tuple[NDArray, NDArray]:
    """Return commands with uncommanded intervals, and feedback, each (samples, 3)."""
    commands, feedbacks = np.cumsum(rng.normal(0.0, 0.08, (2, samples, 3)), axis=1)
    absent = rng.integers(2, size=(-(-samples // 50), 3)).astype(bool)
    commands[np.repeat(absent, 50, axis=0)[:samples]] = np.nan
    return commands, feedbacks


def voltages(strategy: int, rng: np.random.Generator, samples: int) -> tuple[NDArray, NDArray]:
    """Return the voltages of the compiled and of the plain loops, on random gains and signals."""
    drive = replace(Cascade(strategy), position=random_gains(rng), velocity=random_gains(rng), effort=random_gains(rng))
    commands, feedbacks = random_signals(rng, samples)
    found = np.empty(samples)
    voltage_series(drive.record(1), commands, feedbacks, np.zeros(JOINT_MEMORY), STEP, found)
    twin = NaiveModule(drive, STEP)
    plain = [twin.voltage(tuple(c), tuple(f)) for c, f in zip(commands.tolist(), feedbacks.tolist())]
    return found, np.array(plain)


def twin_difference(strategy: int, config: Config) -> float:
    """Return the largest difference of the voltages over many signals."""
    rng = np.random.default_rng(strategy)
    pairs = [voltages(strategy, rng, config.samples) for _ in range(config.signals)]
    return max(float(np.abs(found - plain).max()) for found, plain in pairs)


def claims(result: Result) -> list[Finding]:
    """Report the finding on S4."""
    errors = {
        strategy: float(np.sqrt(np.mean((one(found, "joint_position") - command_sine(found.times)) ** 2)))
        for strategy, found in result.tracks.items()
    }
    pwm = max(float(np.abs(found["pwm"]).max()) for found in result.tracks.values())
    measured = {
        "twin_difference": max(result.differences.values()), "greatest_rms_error": max(errors.values()),
        "greatest_pwm": pwm,
    }  # fmt: skip
    return [
        Finding(
            "S4", measured, f"rms errors [rad] by strategy {errors}; gains are ours, because the thesis prints none"
        )
    ]


def command_sine(times: NDArray) -> NDArray:
    """Return the commanded sine [rad]."""
    return 0.5 * np.sin(np.pi * times)


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot the sine and the response of each strategy."""
    sheet = new_figure(7.0, 3.4)
    axes = dressed(sheet.add_subplot())
    for colour, (strategy, found) in zip(COLOURS, result.tracks.items()):
        axes.plot(found.times, one(found, "joint_position"), color=colour, label=f"strategy {strategy}")
        axes.plot(found.times, command_sine(found.times), ":", color="0.4")
    axes.legend(fontsize=8, frameon=False)
    labelled(axes, "time [s]", "angle [rad]", "A sine with five modules on the joint; dotted: command")
    return [write(sheet, folder / "cascades.png")]
