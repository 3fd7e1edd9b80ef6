"""Beyond the paper: the shells as a roll controller, over the band in which the open loop capsizes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.roll import SHELLS, TORQUE_LIMIT, RollStabiliser
from serpenoid.gaits import Undulation
from serpenoid.plotting.style import COLOURS, GREY, dressed, labelled, legend, new_figure, write
from serpenoid.scenarios.natrix import NatrixAfloat
from serpenoid_papers.base import Finding, Progress, SweepConfig
from serpenoid_papers.complete_sweep import complete_sweep

SHOWN = 10.0  # duration of the plotted run [s]


def steps(low: float, high: float, spacing: float) -> tuple[float, ...]:
    """Return frequencies from low to high [Hz]."""
    return tuple(np.arange(low, high + 0.5 * spacing, spacing).round(3).tolist())


@dataclass(frozen=True)
class Config(SweepConfig):
    """Configuration of the experiment."""

    capsizing_bands: tuple[tuple[float, tuple[float, ...]], ...] = (
        (0.25, steps(1.33, 1.48, 0.01)),
        (0.15, steps(1.30, 1.44, 0.02)),
        (0.35, steps(1.38, 1.58, 0.02)),
        (0.45, steps(1.48, 1.64, 0.02)),
    )
    """Q [rad] and F over its band and slightly beyond [Hz]"""
    seeds: int = 10
    """starts at each frequency, with random roll within +-5 deg"""
    duration: float = 60.0
    """duration of each run with the shells [s]"""
    open_duration: float = 60.0
    """duration of each run with the shells at rest [s]"""

    @classmethod
    def quick(cls) -> Config:
        """Use three frequencies, two seeds and 20 s."""
        return cls(capsizing_bands=((0.25, (1.34, 1.38, 1.44)),), seeds=2, duration=20.0)

    @classmethod
    def tiny(cls) -> Config:
        """Use one frequency, one seed and a few seconds."""
        return cls(capsizing_bands=((0.25, (1.38,)),), seeds=1, duration=1.0, open_duration=2.0)


class CapsizingBand(NamedTuple):
    """Runs at one amplitude, by frequency and seed."""

    amplitude: float  # [rad]
    frequencies: NDArray  # (n,) [Hz]
    open_loop: NDArray  # (n,) largest roll without the controller, initial roll of 1 deg [deg]
    closed: NDArray  # (n, seeds) largest roll with it [deg]
    angle: NDArray  # (n, seeds) largest shell angle [rad]
    rate: NDArray  # (n, seeds) [rad/s]
    torque: NDArray  # (n, seeds) torque of a shell's motor [N m]


class Result(NamedTuple):
    """All amplitudes, and the time series of one run."""

    capsizing_bands: list[CapsizingBand]
    series: tuple[NDArray, NDArray, NDArray]  # times, roll and shell angle at the middle of the first band
    shown: float  # its frequency [Hz]
    duration: float


def run(config: Config, progress: Progress) -> Result:
    """Run open loop and closed loop."""
    seeds = np.radians(np.random.default_rng(7).uniform(-5.0, 5.0, config.seeds)).tolist()
    capsizing_bands = []
    for Q, frequencies in config.capsizing_bands:
        progress(f"natrix: shells against roll at Q = {Q} rad, {len(frequencies)} frequencies")
        capsizing_bands.append(over_band(Q, frequencies, seeds, config))
    Q, frequencies = config.capsizing_bands[0]
    shown, length = frequencies[len(frequencies) // 2], min(SHOWN, config.duration)
    run = NatrixAfloat(gait=Undulation(Q, shown), duration=length, start_roll=np.radians(5.0), stabilise=True).run()
    series = (run.times, run["roll"], run["joint_position"][:, SHELLS[0]])
    return Result(capsizing_bands, series, shown, config.duration)


def over_band(Q: float, frequencies: tuple[float, ...], seeds: list[float], config: Config) -> CapsizingBand:
    """Run two sweeps: shells at rest, and shells controlling the roll from every seed."""
    scenario = NatrixAfloat(gait=Undulation(Q, frequencies[0]), duration=config.open_duration)
    over = {"gait.frequency": list(frequencies)}
    with TemporaryDirectory() as scratch:
        folder = Path(config.store or scratch)
        open_loop = complete_sweep(scenario, over, folder / f"natrix_open_{Q:g}.zarr")["largest_roll"].values
        led = replace(scenario, duration=config.duration, stabilise=True)
        closed = complete_sweep(led, over | {"start_roll": seeds}, folder / f"natrix_led_{Q:g}.zarr", chunk=2).load()
    names = ("largest_roll", "largest_shell_angle", "largest_shell_rate", "largest_shell_torque")
    return CapsizingBand(Q, np.array(frequencies), open_loop, *(closed[name].values for name in names))


def claims(result: Result) -> list[Finding]:
    """Report on the paper's last open question, which is not a claim."""
    limits = RollStabiliser()
    capsizing = {f"{b.amplitude:g}": b.frequencies[b.open_loop > 90.0].tolist() for b in result.capsizing_bands}
    measured = {
        "open loop capsizes at [Hz]": [F for band in capsizing.values() for F in band],
        "by amplitude [rad]": capsizing,
        "largest roll with the shells [deg]": float(max(b.closed.max() for b in result.capsizing_bands)),
        "largest roll by amplitude [deg]": {f"{b.amplitude:g}": float(b.closed.max()) for b in result.capsizing_bands},
        "runs": int(sum(b.closed.size for b in result.capsizing_bands)),
        "largest shell angle [rad]": float(max(b.angle.max() for b in result.capsizing_bands)),
        "largest shell rate [rad/s]": float(max(b.rate.max() for b in result.capsizing_bands)),
        "largest shell torque [N m]": float(max(b.torque.max() for b in result.capsizing_bands)),
    }
    reason = (
        f"{result.capsizing_bands[0].closed.shape[1]} starts within +-5 deg at each Q and F, {result.duration:g} s, "
        f"limits {limits.angle_limit:g} rad, {limits.rate_limit:g} rad/s, {limits.acceleration_limit:g} rad/s^2, "
        f"{TORQUE_LIMIT} N m"
    )
    return [Finding("B1", measured, reason)]


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot the largest roll with and without control, and one run."""
    picture = new_figure(9.0, 3.4)
    left, right = (dressed(axis) for axis in picture.subplots(1, 2))
    for colour, band in zip(COLOURS, result.capsizing_bands):
        name = f"Q = {band.amplitude:g} rad"
        left.semilogy(band.frequencies, band.open_loop, "v--", color=colour, markersize=4, linewidth=0.8)
        left.semilogy(band.frequencies, band.closed.max(axis=1), "o-", color=colour, markersize=4, label=name)
    left.axhline(90.0, color=GREY, linestyle=":")
    labelled(left, "F [Hz]", "largest roll [deg]", "shells at rest (dashed), against roll (solid)")
    legend(left)
    times, roll, shell = result.series
    right.plot(times, np.degrees(roll), color=COLOURS[0], label="roll of the head")
    right.plot(times, np.degrees(shell), color=COLOURS[1], label="shell angle", linewidth=0.8)
    labelled(
        right, "time [s]", "angle [deg]", f"Q = {result.capsizing_bands[0].amplitude:g} rad, F = {result.shown} Hz"
    )
    legend(right)
    return [write(picture, folder / "natrix_stabiliser.png")]
