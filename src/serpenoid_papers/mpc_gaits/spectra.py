"""Table III (M4-M6): dominant frequency and amplitude of every joint of the planned gaits."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from serpenoid.plotting.style import COLOURS, dressed, labelled, legend, new_figure, write
from serpenoid.worlds import Plane
from serpenoid_papers.base import ExperimentConfig, Finding, Progress
from serpenoid_papers.mpc_gaits.runs import DURATION, MEDIA, SETTLE, SHORT, Settings, Straight, straight

PAPER = {
    "dry": (6.31, (0.25, 0.32, 0.37, 0.42)),
    "viscous": (6.75, (0.53, 0.62, 0.67, 0.83)),
    "fluid": (5.25, (0.51, 0.76, 1.40, 2.42)),
}


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration of the experiment."""

    duration: float = DURATION
    """duration of each run [s], whose first two seconds are excluded"""
    regularisations: tuple[float, ...] = (0.0, 0.1, 0.3, 1.0)
    """least regularisation of the plans, which the paper does not give; 0.3 is the default"""

    @classmethod
    def quick(cls) -> Config:
        """Use the default regularisation only."""
        return cls(regularisations=())

    @classmethod
    def tiny(cls) -> Config:
        """Use short runs."""
        return cls(duration=SHORT, regularisations=())


class Result(NamedTuple):
    """Runs by medium, and by medium and regularisation."""

    runs: dict[str, Straight]
    regularised: dict[tuple[str, float], Straight]
    duration: float  # [s]


PRINTED = "fluid without velocity terms"
FREE = f"{PRINTED} and joint limits"


def run(config: Config, progress: Progress) -> Result:
    """Run the set alpha 1, beta 0.01, goal -20 in all media, and in the fluid of (11) as printed."""
    runs = {medium: straight(Plane(medium), duration=config.duration) for medium in MEDIA}
    printed = Plane("fluid", added_mass_velocity_terms=False)
    runs[PRINTED] = straight(printed, duration=config.duration)
    runs[FREE] = straight(printed, settings=Settings(joint_limit=None), duration=config.duration)
    regularised = {
        (medium, least): straight(Plane(medium), settings=Settings(regularisation=least), duration=config.duration)
        for least in config.regularisations
        for medium in MEDIA
    }
    return Result(runs, regularised, config.duration)


def claims(result: Result) -> list[Finding]:
    """Report the findings on M4 to M6."""
    bin_width = 1.0 / (result.duration - SETTLE)
    frequencies: dict[str, Any] = {}
    amplitudes: dict[str, Any] = {}
    ratios: dict[str, float] = {}
    speeds: dict[str, float] = {}
    for medium, found in result.runs.items():
        frequencies[f"{medium} [Hz]"] = [round(float(f), 2) for f in found.frequency]
        frequencies[f"{medium}, spread in bins"] = round(float(np.ptp(found.frequency)) / bin_width, 2)
        amplitudes[f"{medium} [rad]"] = [round(float(a), 3) for a in found.amplitude]
        off = found.amplitude / np.array(paper(medium)[1]) - 1.0
        amplitudes[f"{medium}, off the paper"] = round(float(np.abs(off).max()), 3)
        ratios[medium] = round(float(found.amplitude[-1] / found.amplitude[0]), 2)
        speeds[medium] = round(found.speed, 2)
    for (medium, least), found in result.regularised.items():
        row = [round(found.speed, 3), round(found.power, 1), round(found.common, 2)]
        frequencies[f"regularisation {least:g}, {medium} [m/s, W, Hz]"] = row
    window = f"last {result.duration - SETTLE:g} of {result.duration:g} s, Hann window"
    printed = (
        "the verdict uses the fluid with the velocity terms of its added mass. Without them, as (11) is printed, "
        f"the fluid creates energy (speeds {speeds['fluid']} and {speeds[PRINTED]} m/s)"
    )
    return [
        Finding("M4", frequencies, window),
        Finding("M5", amplitudes, f"{window}; {printed}"),
        Finding("M6", ratios, f"last joint over first; the paper has 1.7, 1.6, 4.7; {printed}"),
    ]


def paper(name: str) -> tuple[float, tuple[float, ...]]:
    """Return the paper's row for a medium, with or without velocity terms."""
    return PAPER[name.split()[0]]


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot the amplitudes along the body, ours and the paper's."""
    picture = new_figure(7.0, 3.6)
    axes = dressed(picture.add_subplot())
    joints = np.arange(1, 5)
    for colour, medium in zip(COLOURS, MEDIA):
        found, (frequency, amplitude) = result.runs[medium], paper(medium)
        axes.plot(joints, found.amplitude, "o-", color=colour, label=f"{medium}, {found.common:.2f} Hz")
        axes.plot(joints, amplitude, "s--", color=colour, mfc="white", label=f"{medium}, paper, {frequency:.2f} Hz")
        if medium == "fluid":
            found = result.runs[PRINTED]
            axes.plot(
                joints, found.amplitude, "^:", color=colour, label=f"without velocity terms, {found.common:.2f} Hz"
            )
    axes.set_xticks(joints)
    labelled(axes, "joint, from head to tail", "amplitude [rad]", "Table III")
    legend(axes)
    return [write(picture, folder / "table_3_amplitudes.png")]
