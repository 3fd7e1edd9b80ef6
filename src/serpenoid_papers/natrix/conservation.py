"""Fig. 4 and Fig. 5 (N2-N4): energy of a frozen floating shape, centre of mass of a bending robot in free space."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.analysis.spectra import oscillation_of
from serpenoid.engines.base import Initial
from serpenoid.gaits import Bending, JointTrajectory, Undulation
from serpenoid.kernels.motion import motion_samples
from serpenoid.plotting.style import COLOURS, dressed, labelled, legend, new_figure, write
from serpenoid.robots import Natrix
from serpenoid.simulation import simulate
from serpenoid.worlds import FreeSpace, WaterSurface
from serpenoid.worlds.flotation import Flotation
from serpenoid_papers.base import ExperimentConfig, Finding, Progress


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration of the experiment."""

    roll: float = 0.03
    """initial amplitude of the roll mode of the frozen shape [rad]"""
    amplitude: float = 0.25
    """Q of the frozen shape, (18) at t = 0 [rad]"""
    duration: float = 10.0
    """duration of the frozen run [s]"""
    bending: float = 20.0
    """duration of the run in free space [s]"""
    step: float = 0.001
    """integration step [s]"""

    @classmethod
    def tiny(cls) -> Config:
        """Use short runs at a coarse step."""
        return cls(duration=2.0, bending=2.0, step=0.002)


class Result(NamedTuple):
    """Both runs."""

    times: NDArray
    roll: NDArray  # [rad]
    kinetic: NDArray  # [J]
    energy: NDArray  # kinetic and potential above equilibrium [J]
    bending_times: NDArray
    drift: NDArray  # (samples, 3) displacement of the centre of mass [m]
    step: float  # [s]


def run(config: Config, progress: Progress) -> Result:
    """Run a frozen cosine-like shape oscillating in its roll mode, and bending (17) without external force."""
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
    bend = simulate(robot, FreeSpace(), Bending(), config.bending, step=config.step)
    drift = bend["center_of_mass"] - bend["center_of_mass"][0]
    return Result(
        float_run.times, float_run["roll"], float_run["energy_kinetic"], energy, bend.times, drift, config.step
    )


def claims(result: Result) -> list[Finding]:
    """Report the findings on N2, N3, N4."""
    change = result.energy / result.energy[0] - 1.0
    roll, kinetic = oscillation_of(result.times, result.roll), oscillation_of(result.times, result.kinetic)
    twice = kinetic.frequency / roll.frequency
    length, bending = f"{result.times[-1]:g} s at {1e3 * result.step:g} ms", f"{result.bending_times[-1]:g} s of (17)"
    drift = float(np.linalg.norm(result.drift, axis=1).max())
    return [
        Finding(
            "N2", float(np.abs(change).max()),
            f"largest change of kinetic and potential energy above equilibrium, relative to the start, {length}",
        ),
        Finding(
            "N3",
            {"oscillations in 10 s": 10.0 * roll.frequency, "energy over motion frequency": twice},
            "roll mode of the frozen shape of (18) at Q = 0.25; kinetic energy against roll",
        ),
        Finding("N4", drift, f"largest distance of the centre of mass from its start over {bending}"),
    ]  # fmt: skip


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot the energy change with the exchange of energies, and the drift of the centre of mass."""
    picture = new_figure(9.0, 5.2)
    roll, energies, change, drift = (dressed(axis) for axis in picture.subplots(2, 2).ravel())
    roll.plot(result.times, np.degrees(result.roll), color=COLOURS[0])
    labelled(roll, "time [s]", "roll [deg]", "Fig. 4: frozen shape, roll mode")
    energies.plot(result.times, 1e3 * result.kinetic, color=COLOURS[0], label="kinetic")
    potential = result.energy - result.kinetic
    energies.plot(result.times, 1e3 * potential, color=COLOURS[1], label="potential above rest")
    labelled(energies, "time [s]", "energy [mJ]", "Fig. 4: kinetic and potential energy")
    legend(energies)
    change.plot(result.times, result.energy / result.energy[0] - 1.0, color=COLOURS[0])
    labelled(change, "time [s]", "relative change [-]", "total energy (paper: -1e-2)")
    for colour, name, values in zip(COLOURS, "xyz", result.drift.T):
        drift.plot(result.bending_times, values, color=colour, label=name)
    labelled(drift, "time [s]", "drift [m]", "Fig. 5: centre of mass (paper: 1e-4 m)")
    legend(drift)
    return [write(picture, folder / "natrix_conservation.png")]
