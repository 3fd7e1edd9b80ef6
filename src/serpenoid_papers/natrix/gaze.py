"""Beyond the paper: roll, pitch and elevation of the head under gaze control, over gaits and in waves."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.control import Gaze
from serpenoid.gaits import Undulation
from serpenoid.plotting.style import COLOURS, dressed, labelled, legend, new_figure, write
from serpenoid.scenarios.natrix import NatrixAfloat
from serpenoid.sweeps.executors import cores
from serpenoid.worlds import WaterSurface
from serpenoid.worlds.water import Hydrodynamics
from serpenoid.worlds.waves import Waves
from serpenoid_papers.base import ExperimentConfig, Finding, Progress

ALONE, FORWARD, WHOLE = "gait alone", "feed-forward", "gaze"
CONTROLLERS: dict[str, Gaze | None] = {
    ALONE: None,
    FORWARD: Gaze(gain=0.0, damping=0.0, pitch_bandwidth=0.0, rise_bandwidth=0.0),
    WHOLE: Gaze(),
}
BLUFF = Hydrodynamics(added_mass=0.5, quadratic_drag=1.0, longitudinal_drag=0.05, immersed_added_mass=True)
AMPLITUDE, FREQUENCY = 0.25, 0.8  # of the gait where the other one is varied, and in waves [rad, Hz]
STEP = 0.002  # integration step [s]
SETTLE = 5.0  # transient that is excluded [s]
QUANTITIES = {"roll [deg]": "roll", "pitch [deg]": "pitch", "elevation [mm]": "heave"}


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration of the experiment."""

    frequencies: tuple[float, ...] = (0.3, 0.6, 0.9, 1.2, 1.4, 1.7)
    """F at Q = 0.25 rad in still water [Hz]"""
    amplitudes: tuple[float, ...] = (0.1, 0.2, 0.3)
    """Q at F = 0.8 Hz in still water [rad]"""
    lengths: tuple[float, ...] = (1.2, 2.4, 4.8)
    """wavelengths [m]"""
    directions: tuple[float, ...] = (0.0,)
    """directions of travel; 0: from head to tail [rad]"""
    wave_height: float = 0.04
    """[m]"""
    duration: float = 12.0
    """duration of each run [s]"""

    @classmethod
    def quick(cls) -> Config:
        """Use a few points."""
        return cls(frequencies=(0.3, 1.4), amplitudes=(0.2,), lengths=(2.4,))

    @classmethod
    def tiny(cls) -> Config:
        """Use one point each and short runs."""
        return cls((0.8,), (0.25,), (2.0,), (0.0,), duration=0.3)


class Row(NamedTuple):
    """Runs over one variable: deviations of the head, by controller."""

    values: tuple[float, ...]  # of the variable
    deviations: dict[str, NDArray]  # by controller, (values, 3): roll, pitch [deg], elevation [mm]
    mean: dict[str, NDArray]  # by controller, mean elevation (values,) [mm]


class Result(NamedTuple):
    """Rows by the name of their variable."""

    rows: dict[str, Row]
    config: Config


def run(config: Config, progress: Progress) -> Result:
    """Run every gait and wave with each controller."""
    wave = Waves(config.wave_height)
    sea = NatrixAfloat(gait=Undulation(AMPLITUDE, FREQUENCY), world=WaterSurface(hydrodynamics=BLUFF, waves=wave))
    over = {
        "F [Hz]": (config.frequencies, lambda F: NatrixAfloat(gait=Undulation(AMPLITUDE, F))),
        "Q [rad]": (config.amplitudes, lambda Q: NatrixAfloat(gait=Undulation(Q, FREQUENCY))),
    } | {
        f"wavelength [m] at {np.degrees(angle):.0f} deg": (config.lengths, in_waves(sea, angle))
        for angle in config.directions
    }
    rows = {}
    for name, (values, scenario) in over.items():
        progress(f"natrix: gaze over {name}")
        rows[name] = row_of(values, [scenario(value) for value in values], config.duration)
    return Result(rows, config)


def in_waves(sea: NatrixAfloat, angle: float) -> Any:
    """Return a function from the wavelength to the scenario, for waves of one direction."""
    return lambda length: replace(
        sea, world=replace(sea.world, waves=replace(sea.world.waves, length=length, direction=angle))
    )


def row_of(values: tuple[float, ...], scenarios: list[NatrixAfloat], duration: float) -> Row:
    """Run scenarios with each controller."""
    deviations, mean = {}, {}
    with ThreadPoolExecutor(cores()) as pool:
        for name, controller in CONTROLLERS.items():
            found = list(pool.map(lambda s, c=controller: motion_of_head(s, c, duration), scenarios))
            deviations[name], mean[name] = (np.array(part) for part in zip(*found))
    return Row(values, deviations, mean)


def motion_of_head(scenario: NatrixAfloat, controller: Gaze | None, duration: float) -> tuple[NDArray, float]:
    """Return standard deviations of roll, pitch [deg] and elevation [mm], and the mean elevation [mm]."""
    run = replace(scenario, controller=controller, duration=duration, step=STEP).run()
    after = run.times >= min(SETTLE, 0.5 * duration)
    scales = np.array([np.degrees(1.0), np.degrees(1.0), 1e3])
    found = np.array([run[name][after].std() for name in QUANTITIES.values()])
    return scales * found, 1e3 * float(run["heave"][after].mean())


def claims(result: Result) -> list[Finding]:
    """Report on the paper's last open question, controllers that stabilise the gaze, which is not a claim."""
    measured: dict[str, Any] = {}
    still = np.concatenate([row.deviations[WHOLE] for name, row in result.rows.items() if "wave" not in name])
    for k, quantity in enumerate(QUANTITIES):
        measured[f"largest deviation in still water, {quantity}"] = float(still[:, k].max())
    waves = [row.deviations for name, row in result.rows.items() if "wave" in name]
    for k, quantity in enumerate(QUANTITIES):
        ratio = np.concatenate([found[WHOLE][:, k] / found[ALONE][:, k] for found in waves])
        measured[f"waves: deviation over that of the gait alone, {quantity}, mean"] = float(ratio.mean())
    for name, row in result.rows.items():
        measured[name] = list(row.values)
        for k, quantity in enumerate(QUANTITIES):
            for controller, values in row.deviations.items():
                measured[f"{name}: {quantity}, {controller}"] = [round(float(v), 3) for v in values[:, k]]
    reason = (
        f"standard deviations over {result.config.duration - SETTLE:g} s after {SETTLE:g} s, by the truth; the "
        "controller reads the IMU in the head and the joint angles. Waves of "
        f"{100 * result.config.wave_height:g} cm, Q = 0.25 rad, F = 0.8 Hz, with drag and added mass; in still water "
        "there is neither"
    )
    return [Finding("B6", measured, reason)]


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot the three deviations over each variable, for the three controllers."""
    picture = new_figure(11.0, 6.6)
    panels = picture.subplots(3, len(result.rows), sharey="row", squeeze=False)
    for column, (name, row) in enumerate(result.rows.items()):
        for k, quantity in enumerate(QUANTITIES):
            axis = dressed(panels[k, column])
            for colour, (controller, values) in zip((COLOURS[1], COLOURS[2], COLOURS[0]), row.deviations.items()):
                axis.semilogy(row.values, values[:, k], "o-", color=colour, markersize=3.5, label=controller)
            labelled(axis, name if k == 2 else "", f"deviation of {quantity}" if column == 0 else "")
    legend(panels[2, 0])
    return [write(picture, folder / "natrix_gaze.png")]
