"""Effect of a jam on a compliant phase (S34): the phase lags, the force grows with the lag, the phase returns."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from serpenoid.control import ShapeCompliance
from serpenoid.engines.base import Initial
from serpenoid.plotting.style import COLOURS, dressed, labelled, new_figure, write
from serpenoid.robots import SeaSnake
from serpenoid.scenarios.slither_pegs import first_targets
from serpenoid.simulation import simulate
from serpenoid.worlds import PegBoard
from serpenoid_papers.base import Finding, Progress
from serpenoid_papers.sea_snake.boards import Runs, change_parameter, nominal
from serpenoid_papers.sea_snake.comparisons import ratio_of, words_of
from serpenoid_papers.sea_snake.readings import Laws, ReadingConfig, readings, run_readings

PEG = 0.015  # [m]
CLEAR = 0.001  # gap between the clamped body and each peg at the start [m]
LEAST_LAG = 0.1  # smallest lag used for force over lag [rad]


@dataclass(frozen=True)
class Config(ReadingConfig):
    """Boards of the events, and the duration of clamping."""

    densities: tuple[float, ...] = (27.0,)
    clamped: float = 4.0
    """duration of the wave while clamped [s]; ten times as long at a tenth of its rate"""

    @classmethod
    def tiny(cls) -> Self:
        return cls(
            densities=(27.0,), seeds=(0, 1, 2), starts=(0,), duration=0.5, clamped=1.0, readings=("tuned",)
        )  # fmt: skip


class Clamped(NamedTuple):
    """A snake clamped between pegs while its wave continues."""

    times: NDArray  # [s]
    lag: NDArray  # [rad]
    force: NDArray  # on the phase [N m/rad]
    greatest_torque: NDArray  # largest over the joints [N m]

    def slope(self) -> float:
        """Return sensed force over lag [N m/rad^2], with contact and below all torque limits; NaN if never."""
        free = (self.greatest_torque < 6.9) & (self.lag > LEAST_LAG)
        return float(-(self.force * self.lag)[free].sum() / (self.lag[free] ** 2).sum()) if free.any() else np.nan


class Jam(NamedTuple):
    """Clamped snakes of a reading, at the gait's rate and at a tenth of it, and runs among pegs."""

    stiffness: float  # of the phase [N m/rad^2]
    clamped: Clamped
    slowly: Clamped
    runs: Runs


class Result(NamedTuple):
    """Jams by reading."""

    readings: dict[str, Jam]


def only_phase(laws: Laws) -> ShapeCompliance:
    """Return AWP with fixed amplitude and spatial frequency, so that only the phase yields."""
    law: Any = laws["AWP"]
    return change_parameter(change_parameter(law, "amplitude", sign=(0.0,), bias=0.0), "spatial_frequency", sign=(0.0,))


def clamp(robot: SeaSnake, angles: NDArray) -> PegBoard:
    """Return pegs on both sides of every piece of a flat snake with its snout at the origin."""
    pieces = robot.planar_chain()
    heading = np.cumsum(np.append(0.0, angles[pieces.joints]))
    along = np.stack([np.cos(heading), np.sin(heading)], axis=1)
    ends = np.vstack([np.zeros(2), np.cumsum(pieces.chain.length[:, None] * along, axis=0)])
    middle, across = 0.5 * (ends[1:] + ends[:-1]), np.stack([-along[:, 1], along[:, 0]], axis=1)
    away = pieces.radius + PEG + CLEAR
    places = np.vstack([middle + away * across, middle - away * across])
    return PegBoard(layout="list", places=tuple(map(tuple, places.tolist())), peg_radius=PEG)


def run(config: Config, progress: Progress) -> Result:
    """Run the clamped snake, then AWP among pegs."""
    found = {}
    for reading, runs in run_readings(config, "jams", progress, ("AWP",)).items():
        law = only_phase(readings()[reading])
        slow = nominal(law, frequency=0.1 * law.gait.frequency)
        stiffness = next(p.stiffness for p in law.parameters if p.name == "phase")
        clamped = run_clamped(law, config.clamped), run_clamped(slow, 10.0 * config.clamped)
        found[reading] = Jam(stiffness, *clamped, runs)
    return Result(found)


def run_clamped(law: ShapeCompliance, duration: float) -> Clamped:
    """Run a law on a snake that pegs hold in its shape at the first tick."""
    robot = SeaSnake()
    angles = np.nan_to_num(first_targets(law, robot, 0.01))
    start = Initial(joint_position=tuple(angles.tolist()), base_pose=(0.0, 0.0, robot.radius, 1.0, 0.0, 0.0, 0.0))
    held = simulate(robot, clamp(robot, angles), law, duration, initial=start, engine="pegs", sample_period=0.01)
    phase = held["shape_phase"]
    times = 0.01 * np.arange(phase.size)
    torque = np.abs(held["joint_torque"]).max(axis=1)[: phase.size]
    return Clamped(times, phase[0] + law.phase_rate(robot) * times - phase, held["force_phase"], torque)


def claims(result: Result) -> list[Finding]:
    """Report the findings on S34."""
    return [delayed(reading, jam) for reading, jam in result.readings.items()]


def delayed(reading: str, result: Jam) -> Finding:
    """Report S34 under a reading."""
    table, wanted = result.runs["AWP"], result.stiffness
    slope, slow = result.clamped.slope(), result.slowly.slope()
    ended, recovered, stayed = (float(table[f"lag_{name}"].sum()) for name in ("ended", "recovered", "stayed"))
    deviations = {}
    for word, name in (("deviation A", "amplitude"), ("deviation omega_S", "spatial_frequency")):
        inside, outside = table[f"{name}_away_in"], table[f"{name}_away_out"]
        logs = np.log(inside / outside)
        good = np.isfinite(logs)
        clusters, values = result.runs.clusters[good], logs[good]
        deviations[word] = ratio_of(
            lambda rows, v=values: float(np.exp(v[rows].mean())) if rows.size else np.nan, clusters
        )
    measured = {
        "force_error": abs(slope / wanted - 1.0) if np.isfinite(slope) else None,
        "recovered_share": recovered / ended if ended else None,
        **{name: ratio.interval() for name, ratio in deviations.items()},
    }
    words = (
        f"clamped: force / lag {slope:.3g} against K = {wanted:g}, at a tenth of the gait's rate {slow:.3g}. Lag "
        f"below 0.1 rad after {recovered:.0f} of {ended:.0f} ended events, within 0.1 rad for a quarter of a cycle "
        f"after {stayed:.0f}. In events relative to outside: {words_of(deviations)}"
    )
    return result.runs.judged(Finding("S34", measured, words, reading=reading))


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot force over lag, and both over time."""
    sheet = new_figure(9.0, 3.4)
    left, right = dressed(sheet.add_subplot(1, 2, 1)), dressed(sheet.add_subplot(1, 2, 2))
    shown = list(result.readings.values())[-1]
    fast = shown.clamped
    left.plot(fast.times, fast.lag, color=COLOURS[0], label="lag [rad]")
    left.plot(fast.times, fast.greatest_torque, color=COLOURS[1], label="largest torque [N m]")
    for colour, name, own in zip(COLOURS, ("the gait's rate", "a tenth of it"), (shown.clamped, shown.slowly)):
        right.plot(own.lag, -own.force, color=colour, lw=0.9, label=name)
    right.legend(fontsize=8, frameon=False)
    labelled(left, "time [s]", "", "Clamped by pegs")
    labelled(right, "lag of the phase [rad]", "force on the phase [N m/rad]", "Force over lag")
    left.legend(fontsize=8, frameon=False)
    return [write(sheet, folder / "jam.png")]
