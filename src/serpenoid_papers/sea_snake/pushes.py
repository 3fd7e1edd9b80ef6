"""Responses to a push (S20-S25, Fig. 4.1, 4.5) under three readings: yielding, travelling and returning shapes."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from pathlib import Path
from typing import Any, NamedTuple, Self

from serpenoid.control import ShapeCompliance
from serpenoid.plotting.style import COLOURS, dressed, labelled, new_figure, write
from serpenoid_papers.base import ExperimentConfig, Finding, Progress
from serpenoid_papers.pegs.bare_floor import way_of
from serpenoid_papers.sea_snake.answers import braked_phase, local_wave, pushing_back, travelling, yielding_wave
from serpenoid_papers.sea_snake.boards import change_parameter, nominal
from serpenoid_papers.sea_snake.readings import READINGS, TUNED, Laws, in_rows, readings

SCALARS = (int, float, bool)
# Constants of the spatial frequency in S22, as proposed; the laboratory's cannot return within Fig. 4.1.
FIG_4_1 = {"mass": 0.5, "damping": 1.4, "stiffness": 1.0, "low": 0.5 * pi, "high": 8.0 * pi}


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """A few thousand ticks of laws, and cycles on a bare floor."""

    readings: tuple[str, ...] = READINGS
    """readings of the thesis"""
    cycles: int = 10
    """cycles on a bare floor, after one excluded cycle"""

    @classmethod
    def tiny(cls) -> Self:
        return cls(readings=(TUNED,), cycles=1)


class Result(NamedTuple):
    """Measures by reading and claim."""

    readings: dict[str, dict[str, dict[str, Any]]]


def run(config: Config, progress: Progress) -> Result:
    """Apply every push once under each reading."""
    return Result({name: measure(name, laws, config.cycles) for name, laws in readings(config.readings).items()})


def measure(reading: str, laws: Laws, cycles: int) -> dict[str, dict[str, Any]]:
    """Return the measures of the claims under a reading."""
    shapes = {name: law for name, law in laws.items() if isinstance(law, ShapeCompliance)}
    central, still = shapes["AW1"], nominal(shapes["OL"], amplitude=pi / 4)
    if reading != TUNED:
        central = change_parameter(central, "spatial_frequency", **FIG_4_1)
    return {
        "S20": travelling(shapes["A"], laws["CPG"]), "S21": local_wave(shapes["AW"]), "S22": yielding_wave(central),
        "S23": braked_phase(shapes["AWP"]), "S24": pushing_back(in_rows(reading, "SFC")),
        "S25": {"explicit_mm_per_cycle": way_of(still, cycles)},
    }  # fmt: skip


def claims(result: Result) -> list[Finding]:
    """Return the numbers of each claim; curves are in the figure."""
    words = {
        "S20": "a pinch of the head window, relative to a run without it; the CPG is ours",
        "S21": "one module of each third pushed sideways, with a standing wave",
        "S22": "head and tail pressed together and pulled apart; constants of Fig. 4.1 as proposed, tuned in `tuned`",
        "S23": "joints braked against the wave for a second",
        "S24": "the pushes of S22 on sidewinding's lateral wave; `greatest` is the largest relative change",
        "S25": "open loop at pi/4 with the wave of the reading's open loop; head first is positive",
    }  # fmt: skip
    return [
        Finding(
            id, {name: value for name, value in found.items() if isinstance(value, SCALARS)}, words[id], "", reading
        )
        for reading, measured in result.readings.items()
        for id, found in measured.items()
    ]


def figure(result: Result, folder: Path) -> list[Path]:
    """Draw Fig. 4.1 (spatial frequency under the pushes) and Fig. 4.5 (phase under a brake) by reading."""
    sheet = new_figure(9.0, 3.5)
    left, right = dressed(sheet.add_subplot(1, 2, 1)), dressed(sheet.add_subplot(1, 2, 2))
    for colour, (reading, measured) in zip(COLOURS, result.readings.items()):
        wave, phase = measured["S22"], measured["S23"]
        left.plot(wave["time"], wave["wave"], color=colour, label=reading)
        right.plot(phase["time"], phase["lag"], color=colour, label=reading)
    left.legend(fontsize=8, frameon=False)
    right.legend(fontsize=8, frameon=False)
    labelled(left, "time [s]", "spatial frequency [pi/body]", "Fig. 4.1: pressed, then pulled")
    labelled(right, "time [s]", "lag of the phase [rad]", "Fig. 4.5: the phase under a brake")
    return [write(sheet, folder / "fig_4_1_and_4_5.png")]
