"""Beyond the paper: the shells as a roll controller, over the band where the open loop capsizes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.roll import SHELLS
from serpenoid.experiments.base import Finding, Progress
from serpenoid.experiments.natrix.runs import roll_history
from serpenoid.gaits import Undulation
from serpenoid.scenarios.natrix import NatrixAfloat

TORQUE_LIMIT = 0.5  # of a shell's motor [N m]; a small hobby servo holds three times as much


@dataclass(frozen=True)
class Config:
    """What is run."""

    frequencies: tuple[float, ...] = (1.30, 1.32, 1.34, 1.36, 1.38, 1.40, 1.42, 1.44, 1.46, 1.48)
    """F over the band and a little beyond [Hz]"""
    seeds: int = 10
    """starts at each frequency, their roll drawn from +-5 deg"""
    duration: float = 60.0
    """of each run [s]"""

    @classmethod
    def quick(cls) -> Config:
        """Three frequencies, two seeds, 20 s."""
        return cls(frequencies=(1.34, 1.38, 1.44), seeds=2, duration=20.0)


class Result(NamedTuple):
    """By frequency and seed."""

    frequencies: NDArray  # (n,)
    open_loop: NDArray  # (n,) largest roll without the controller, seed of 1 deg [rad]
    closed: NDArray  # (n, seeds) largest roll after the start with it [rad]
    angle: NDArray  # (n, seeds) largest shell angle [rad]
    rate: NDArray  # (n, seeds) [rad/s]
    torque: NDArray  # (n, seeds) of a shell's motor [N m]
    series: tuple[NDArray, NDArray, NDArray]  # times, roll and shell angle of one run
    duration: float


def run(config: Config, progress: Progress) -> Result:
    """Open loop and closed loop side by side."""
    rng, size = np.random.default_rng(7), (len(config.frequencies), config.seeds)
    open_loop, found = np.zeros(size[0]), np.zeros((4, *size))
    series = (np.zeros(0),) * 3
    for i, F in enumerate(config.frequencies):
        progress(f"natrix: shells against roll at {F} Hz")
        gait = Undulation(0.25, F)
        open_loop[i] = np.abs(roll_history(NatrixAfloat(gait=gait))[1]).max()
        for k in range(config.seeds):
            seed = float(np.radians(rng.uniform(-5.0, 5.0)))
            run = NatrixAfloat(gait=gait, duration=config.duration, roll_seed=seed, stabilise=True).run()
            roll, shells = run["roll"], run["joint_position"][:, SHELLS]
            found[0, i, k], found[1, i, k] = np.abs(roll).max(), np.abs(shells).max()
            found[2, i, k] = np.abs(run["joint_velocity"][:, SHELLS]).max()
            found[3, i, k] = np.abs(run["joint_torque"][:, SHELLS]).max()
            series = (run.times, roll, shells[:, 0])
    roll_max, angle, rate, torque = found
    return Result(np.array(config.frequencies), open_loop, roll_max, angle, rate, torque, series, config.duration)


def claims(result: Result) -> list[Finding]:
    """Not a claim of the paper: an answer to its last question."""
    measured = {
        "open loop capsizes at [Hz]": result.frequencies[result.open_loop > 0.5 * np.pi].tolist(),
        "largest roll with the shells [deg]": float(np.degrees(result.closed.max())),
        "runs": int(result.closed.size),
        "largest shell angle [rad]": float(result.angle.max()),
        "largest shell rate [rad/s]": float(result.rate.max()),
        "largest shell torque [N m]": float(result.torque.max()),
    }
    reason = (
        f"{result.closed.shape[1]} starts within +-5 deg at each of {result.frequencies.size} frequencies, "
        f"{result.duration:g} s; limits 1 rad, 6 rad/s, 200 rad/s^2, {TORQUE_LIMIT} N m"
    )
    return [Finding("B1", measured, reason)]


def figure(result: Result, folder: Path) -> list[Path]:
    """Largest roll with and without, and one run."""
    from matplotlib.figure import Figure

    picture = Figure(figsize=(9.0, 3.2), layout="constrained")
    left, right = picture.subplots(1, 2)
    left.semilogy(result.frequencies, np.degrees(result.open_loop), "r*-", label="shells at rest")
    left.semilogy(result.frequencies, np.degrees(result.closed.max(axis=1)), "go-", label="shells against roll")
    left.axhline(90.0, color="0.6", linestyle="--")
    left.set(xlabel="F [Hz]", ylabel="largest roll [deg]", title="Q = 0.25 rad")
    left.legend()
    times, roll, shell = result.series
    right.plot(times, np.degrees(roll), label="roll of the head")
    right.plot(times, np.degrees(shell), label="shell angle", linewidth=0.8)
    right.set(xlabel="time [s]", ylabel="[deg]", title=f"F = {result.frequencies[-1]} Hz", xlim=(0, min(10, times[-1])))
    right.legend()
    path = folder / "natrix_stabiliser.png"
    picture.savefig(path, dpi=100)
    return [path]
