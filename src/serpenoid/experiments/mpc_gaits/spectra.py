"""Table III (M4-M6): dominant frequency and amplitude of every joint of the planned gaits."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from serpenoid.experiments.base import Finding, Progress
from serpenoid.experiments.mpc_gaits.runs import DURATION, MEDIA, SETTLE, Straight, straight
from serpenoid.plotting.style import COLOURS, dressed, labelled, legend, new_figure, write
from serpenoid.worlds import Plane

PAPER = {
    "dry": (6.31, (0.25, 0.32, 0.37, 0.42)),
    "viscous": (6.75, (0.53, 0.62, 0.67, 0.83)),
    "fluid": (5.25, (0.51, 0.76, 1.40, 2.42)),
}


@dataclass(frozen=True)
class Config:
    """What is run."""

    @classmethod
    def quick(cls) -> Config:
        """It is quick as it is."""
        return cls()


Result = dict[str, Straight]


def run(config: Config, progress: Progress) -> Result:
    """The set alpha 1, beta 0.01, goal -20 in all media."""
    return {medium: straight(Plane(medium)) for medium in MEDIA}


def claims(result: Result) -> list[Finding]:
    """M4-M6."""
    bin_width = 1.0 / (DURATION - SETTLE)
    frequencies: dict[str, Any] = {}
    amplitudes: dict[str, Any] = {}
    ratios: dict[str, float] = {}
    for medium, found in result.items():
        frequencies[f"{medium} [Hz]"] = [round(float(f), 2) for f in found.frequency]
        frequencies[f"{medium}, spread in bins"] = round(float(np.ptp(found.frequency)) / bin_width, 2)
        amplitudes[f"{medium} [rad]"] = [round(float(a), 3) for a in found.amplitude]
        off = found.amplitude / np.array(PAPER[medium][1]) - 1.0
        amplitudes[f"{medium}, off the paper"] = round(float(np.abs(off).max()), 3)
        ratios[medium] = round(float(found.amplitude[-1] / found.amplitude[0]), 2)
    window = "last 4 of 6 s, Hann window"
    model = "fluid with the velocity terms of the added mass; without them it creates energy, and that is not modelled"
    return [
        Finding("M4", frequencies, window),
        Finding("M5", amplitudes, f"{window}; {model}"),
        Finding("M6", ratios, "amplitude of the last joint over that of the first; the paper has 1.7, 1.6, 4.7"),
    ]


def figure(result: Result, folder: Path) -> list[Path]:
    """Amplitudes along the body, ours and the paper's."""
    picture = new_figure(7.0, 3.6)
    axes = dressed(picture.add_subplot())
    joints = np.arange(1, 5)
    for colour, (medium, found) in zip(COLOURS, result.items()):
        axes.plot(joints, found.amplitude, "o-", color=colour, label=f"{medium}, {found.common:.2f} Hz")
        frequency, amplitude = PAPER[medium]
        axes.plot(joints, amplitude, "s--", color=colour, mfc="white", label=f"{medium}, paper, {frequency:.2f} Hz")
    axes.set_xticks(joints)
    labelled(axes, "joint, from head to tail", "amplitude [rad]", "Table III")
    legend(axes)
    return [write(picture, folder / "table_3_amplitudes.png")]
