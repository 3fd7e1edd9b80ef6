"""Responses to a push (S20-S24, Fig. 4.1, 4.5): yielding, travelling and returning shapes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from serpenoid.plotting.style import COLOURS, dressed, labelled, new_figure, write
from serpenoid_papers.base import ExperimentConfig, Finding, Progress
from serpenoid_papers.sea_snake.answers import braked_phase, local_wave, pushing_back, travelling, yielding_wave
from serpenoid_papers.sea_snake.boards import preset
from serpenoid_papers.sea_snake.tuned import slithering

SCALARS = (int, float, bool)


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration without fields: a few thousand ticks of laws."""


class Result(NamedTuple):
    """Measures by claim."""

    measured: dict[str, dict[str, Any]]
    tuned_lag: float  # lag of S23 with AWP as tuned


def run(config: Config, progress: Progress) -> Result:
    """Apply every push once."""
    found = {
        "S20": travelling(preset("slithering_a")), "S21": local_wave(), "S22": yielding_wave(),
        "S23": braked_phase(preset("slithering_awp")), "S24": pushing_back(),
    }  # fmt: skip
    return Result(found, braked_phase(slithering("AWP"))["lag_share"])


def claims(result: Result) -> list[Finding]:
    """Return the numbers of each claim; curves are in the figure."""
    words = {
        "S20":
        "a pinch of the head window, relative to a run without it; constants of the authors' laboratory; the CPG "
        "is ours",
        "S21": "one module of each third pushed sideways, with a standing wave",
        "S22": "head and tail pressed together and pulled apart; M' 0.5, B' 1.4, K' 1",
        "S23":
        "joints braked against the wave for a second; gains as proposed. As tuned, the lag after 3 s is "
        f"{result.tuned_lag:.2f} of its maximum",
        "S24":
        f"the pushes of S22 on sidewinding's lateral wave change it by {result.measured['S24']['greatest']:.1%}, "
        "which is less than the band of its return",
    }  # fmt: skip
    return [
        Finding(id, {name: value for name, value in found.items() if isinstance(value, SCALARS)}, words[id])
        for id, found in result.measured.items()
    ]


def figure(result: Result, folder: Path) -> list[Path]:
    """Draw Fig. 4.1 (spatial frequency under the pushes) and Fig. 4.5 (phase under a brake)."""
    sheet = new_figure(9.0, 3.5)
    left, right = dressed(sheet.add_subplot(1, 2, 1)), dressed(sheet.add_subplot(1, 2, 2))
    wave, phase = result.measured["S22"], result.measured["S23"]
    left.plot(wave["time"], wave["wave"], color=COLOURS[0])
    right.plot(phase["time"], phase["lag"], color=COLOURS[0], label="lag [rad]")
    right.plot(phase["time"], phase["rate"], color=COLOURS[1], label="rate [rad/s]")
    right.legend(fontsize=8, frameon=False)
    labelled(left, "time [s]", "spatial frequency [pi/body]", "Fig. 4.1: pressed, then pulled")
    labelled(right, "time [s]", "", "Fig. 4.5: the phase under a brake")
    return [write(sheet, folder / "fig_4_1_and_4_5.png")]
