"""Readings of the thesis: three sets of values of its controllers. Claims on slithering are judged under each.

Gains, limits and the sign of the feedback are not printed. `laboratory` has the sign and the window edges that
recordings of the real robot show, and the laboratory's constants (form L). `printed` follows (4.7): no bias, parameters
that yield, all edges at zero curvature. `tuned` has values from a search for each controller. The pattern generator of
the first two readings is as proposed, without tuning.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from math import pi

from serpenoid import configuration
from serpenoid.control import CentralPatternGenerator, JointAdmittance, ShapeCompliance, Windows
from serpenoid.control.kernel_law import WaveController
from serpenoid_papers.base import Finding, Progress
from serpenoid_papers.sea_snake.boards import BoardConfig, Runs, change_parameter, on_boards, preset
from serpenoid_papers.sea_snake.tuned import FOUND, sidewinding

LABORATORY, PRINTED, TUNED = READINGS = ("laboratory", "printed", "tuned")  # the last decides
SHAPES = {
    "A": "slithering_a", "AW": "slithering_aw", "AWP": "slithering_awp", "AWPw": "slithering_awp_windows",
    "AW1": "slithering_aw_central",
}  # fmt: skip
Laws = dict[str, WaveController]


@dataclass(frozen=True)
class ReadingConfig(BoardConfig):
    """Boards of a protocol whose claims are judged under several readings."""

    readings: tuple[str, ...] = READINGS
    """readings of the thesis"""


def proposed() -> Laws:
    """Return all controllers with the laboratory's constants and without tuning; OL is open loop at pi/4."""
    others: Laws = {"OL": preset("slithering_a").rigid(), "JA": JointAdmittance(), "CPG": CentralPatternGenerator()}
    return others | {name: preset(file) for name, file in SHAPES.items()}


def opposed(law: ShapeCompliance, *only: str) -> ShapeCompliance:
    """Return a law whose parameters, or only some of them, push back where they yielded."""
    kept = tuple(
        replace(p, sign=tuple(-sign for sign in p.sign)) if not only or p.name in only else p for p in law.parameters
    )
    return replace(law, parameters=kept)


def at_crests(law: ShapeCompliance) -> ShapeCompliance:
    """Return a law whose windows of the spatial frequency have their edges at the greatest curvature."""
    if not any(p.name == "spatial_frequency" and p.windows for p in law.parameters):
        return law
    moved = tuple(replace(p, windows="crests") if p.name == "spatial_frequency" else p for p in law.parameters)
    return replace(law, windows=(Windows("crests", anchor=0.5 * pi), *law.windows), parameters=moved)


def laboratory() -> Laws:
    """Return the controllers as the recordings show them: shape laws push back.

    AW and AWP also have edges at zero curvature. The sign of a compliant phase is in no recording, so AWP also has a
    phase that yields.
    """
    laws = proposed()
    shapes = {name: at_crests(opposed(preset(file))) for name, file in SHAPES.items()}
    edges = {f"{name}, zero edges": opposed(preset(SHAPES[name])) for name in ("AW", "AWP")}
    yields = {"AWP, phase yields": at_crests(opposed(preset(SHAPES["AWP"]), "amplitude", "spatial_frequency"))}
    rival = CentralPatternGenerator()
    return laws | shapes | edges | yields | {"CPGm": replace(rival, amplitude=replace(rival.amplitude, bias=3.0))}


def printed() -> Laws:
    """Return the controllers as (4.7) is printed: without bias, yielding, with all edges at zero curvature."""
    return proposed() | {name: change_parameter(preset(file), "amplitude", bias=0.0) for name, file in SHAPES.items()}


def tuned() -> Laws:
    """Return the controllers with the values of a search; open loop is at pi/4."""
    return {name: configuration.changed(law, FOUND.get(name, {})) for name, law in proposed().items()}


def readings(only: tuple[str, ...] = READINGS) -> dict[str, Laws]:
    """Return the controllers of each reading, or of some readings."""
    return {name: laws() for name, laws in zip(READINGS, (laboratory, printed, tuned)) if name in only}


def in_rows(reading: str, name: str) -> ShapeCompliance:
    """Return a sidewinding law: as proposed, or tuned."""
    return sidewinding(name, None if reading == TUNED else {})


def run_readings(config: ReadingConfig, name: str, progress: Progress, only: Collection[str] = ()) -> dict[str, Runs]:
    """Run the controllers of each reading, or some of them, on the same boards; equal controllers run once."""
    found: dict[str, Runs] = {}
    known: dict[WaveController, dict] = {}
    for reading, laws in readings(config.readings).items():
        chosen = {word: law for word, law in laws.items() if word in only or not only}
        new = {word: law for word, law in chosen.items() if law not in known}
        runs = on_boards(new, config, f"{name}_{reading}", progress)
        known |= {law: runs[word] for word, law in new.items()}
        runs.update({word: known[law] for word, law in chosen.items()})
        found[reading] = runs
    return found


def under(reading: str, findings: list[Finding]) -> list[Finding]:
    """Return findings that name their reading."""
    return [finding._replace(reading=reading) for finding in findings]
