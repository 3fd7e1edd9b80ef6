"""Fig. 4 and Fig. 5 (N2-N4): energy of a frozen shape afloat, centre of mass of a bending robot in free space."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.analysis.spectra import oscillation_of
from serpenoid.engines.base import Initial
from serpenoid.experiments.base import Finding, Progress
from serpenoid.gaits import Bending, JointTrajectory, Undulation
from serpenoid.kernels.motion import motion_samples
from serpenoid.robots import Natrix
from serpenoid.simulation import simulate
from serpenoid.worlds import FreeSpace, WaterSurface
from serpenoid.worlds.flotation import Flotation


@dataclass(frozen=True)
class Config:
    """What is run."""

    roll: float = 0.03
    """amplitude of the roll mode that the frozen shape starts with [rad]"""
    amplitude: float = 0.25
    """Q of the frozen shape, (18) at t = 0 [rad]"""
    duration: float = 10.0
    """of the frozen run [s]"""
    step: float = 0.001
    """integration step [s]"""

    @classmethod
    def quick(cls) -> Config:
        """The same: it takes seconds."""
        return cls()


class Result(NamedTuple):
    """Both runs."""

    times: NDArray
    roll: NDArray  # [rad]
    kinetic: NDArray  # [J]
    energy: NDArray  # kinetic and potential above equilibrium [J]
    bending_times: NDArray
    drift: NDArray  # (samples, 3) of the centre of mass [m]


def run(config: Config, progress: Progress) -> Result:
    """A frozen cosine-like shape oscillating in its roll mode; bending (17) without any force."""
    robot, world = Natrix(), WaterSurface()
    shape = motion_samples(Undulation(config.amplitude, 1.0).motion(robot), np.zeros(1))[0][0]
    flotation = Flotation(robot, world, shape)
    rest = flotation.upright()
    pose = rest.displaced(config.roll * flotation.roll_mode(rest)).base_pose
    still = JointTrajectory((0.0,), (tuple(shape),))
    float_run = simulate(
        robot, world, still, config.duration, step=config.step, initial=Initial(base_pose=pose, base_twist=(0.0,) * 6)
    )
    energy = float_run["energy_kinetic"] + float_run["energy_potential"] - flotation.energy(rest)
    bend = simulate(robot, FreeSpace(), Bending(), 20.0, step=config.step)
    drift = bend["center_of_mass"] - bend["center_of_mass"][0]
    return Result(float_run.times, float_run["roll"], float_run["energy_kinetic"], energy, bend.times, drift)


def claims(result: Result) -> list[Finding]:
    """N2, N3, N4."""
    change = result.energy / result.energy[0] - 1.0
    roll, kinetic = oscillation_of(result.times, result.roll), oscillation_of(result.times, result.kinetic)
    periods = roll.frequency * (result.times[-1] - result.times[0])
    drift = float(np.linalg.norm(result.drift, axis=1).max())
    return [
        Finding(
            "N2", float(np.abs(change).max()),
            "largest change of kinetic and potential energy above equilibrium over its start, 10 s at 1 ms",
        ),
        Finding(
            "N3",
            {"oscillations in 10 s": periods, "energy over motion frequency": kinetic.frequency / roll.frequency},
            "roll mode of the frozen shape of (18) at Q = 0.25; kinetic energy against roll",
        ),
        Finding("N4", drift, "largest distance of the centre of mass from its start over 20 s of (17)"),
    ]  # fmt: skip


def figure(result: Result, folder: Path) -> list[Path]:
    """Energy change with the energies' exchange, and the drift of the centre of mass."""
    from matplotlib.figure import Figure

    picture = Figure(figsize=(9.0, 5.2), layout="constrained")
    (left, right), (low, high) = picture.subplots(2, 2)
    left.plot(result.times, np.degrees(result.roll))
    left.set(title="Fig. 4: frozen shape, roll mode", xlabel="time [s]", ylabel="roll [deg]")
    right.plot(result.times, 1e3 * result.kinetic, label="kinetic")
    right.plot(result.times, 1e3 * (result.energy - result.kinetic), label="potential above rest")
    right.set(title="energies", xlabel="time [s]", ylabel="[mJ]")
    right.legend(loc="upper right")
    low.plot(result.times, result.energy / result.energy[0] - 1.0)
    low.set(title="relative change of energy (paper -1e-2)", xlabel="time [s]")
    for k, axis in enumerate("xyz"):
        high.plot(result.bending_times, result.drift[:, k], label=axis)
    high.set(title="Fig. 5: drift of centre of mass (paper 1e-4)", xlabel="time [s]", ylabel="[m]")
    high.legend()
    path = folder / "natrix_conservation.png"
    picture.savefig(path, dpi=100)
    return [path]
