"""Runs of NATRIX afloat that the experiments share: roll over time for many gaits, and what kind of motion it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from os import cpu_count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.analysis.spectra import spectrum_of
from serpenoid.gaits import Undulation
from serpenoid.kernels.motion import motion_samples
from serpenoid.robots import Natrix
from serpenoid.robots.prism import section_integrals
from serpenoid.scenarios.natrix import CAPSIZED, NatrixAfloat
from serpenoid.scenarios.natrix_lanes import blocks, poses_of, rolls_and_pitches
from serpenoid.worlds import WaterSurface

FORCED, BEATING, CAPSIZING = "forced", "beating", "capsized"
BEAT_RANGE = 0.3  # two lines count as close when they lie within this of each other [Hz]
BEAT_SHARE = 0.3  # and the lower is at least this part of the higher


class Cell(NamedTuple):
    """One gait and what came of it."""

    amplitude: float  # [rad]
    frequency: float  # [Hz]
    deviation: float  # standard deviation of the head's roll [deg]
    largest: float  # largest roll [deg]
    kind: str


def cells_of(scenarios: Sequence[NatrixAfloat]) -> list[Cell]:
    """Run scenarios in lanes, a block on each of two cores, and class them."""
    found: list[Cell | None] = [None] * len(scenarios)

    def run(members: list[int]) -> None:
        rolls, _ = rolls_and_pitches(poses_of([scenarios[i] for i in members]))
        for i, roll in zip(members, rolls):
            found[i] = cell_of(scenarios[i], roll)

    with ThreadPoolExecutor(min(2, cpu_count() or 1)) as pool:
        list(pool.map(run, blocks(scenarios)))
    return [cell for cell in found if cell is not None]


def cell_of(scenario: NatrixAfloat, roll: NDArray) -> Cell:
    """Class a run by its roll."""
    wave, times = scenario.gait, scenario.sample_period * np.arange(1, roll.size + 1)
    assert isinstance(wave, Undulation)
    deviation, largest = float(np.degrees(roll.std())), float(np.degrees(np.abs(roll).max()))
    return Cell(wave.amplitude, wave.frequency, deviation, largest, kind_of_motion(times, roll))


def roll_history(scenario: NatrixAfloat) -> tuple[NDArray, NDArray]:
    """Times (samples,) [s] and the head's roll, unwrapped [rad]."""
    roll = rolls_and_pitches(poses_of([scenario]))[0][0]
    return scenario.sample_period * np.arange(1, roll.size + 1), roll


def kind_of_motion(times: NDArray, roll: NDArray) -> str:
    """Capsized beyond 90 deg; beating where two lines of the spectrum stand close to each other; else forced."""
    if np.abs(roll).max() > CAPSIZED:
        return CAPSIZING
    lines = strongest_lines(times, roll)
    close = len(lines) > 1 and abs(lines[0][0] - lines[1][0]) < BEAT_RANGE
    return BEATING if close and lines[1][1] > BEAT_SHARE * lines[0][1] else FORCED


def strongest_lines(times: NDArray, roll: NDArray, count: int = 2) -> list[tuple[float, float]]:
    """Frequency [Hz] and amplitude [rad] of the highest local peaks of the roll's spectrum, highest first."""
    frequency, amplitude = spectrum_of(times, roll)
    inner = amplitude[1:-1]
    peaks = 1 + np.flatnonzero((inner > amplitude[:-2]) & (inner >= amplitude[2:]) & (frequency[1:-1] > 0.1))
    order = peaks[np.argsort(-amplitude[peaks])][:count]
    return [(float(frequency[i]), float(amplitude[i])) for i in order]


def gaits(amplitudes: Iterable[float], frequencies: Iterable[float]) -> list[Undulation]:
    """Every pair."""
    return [Undulation(float(Q), float(F)) for Q in amplitudes for F in frequencies]


def levelled(robot: Natrix, world: WaterSurface) -> Natrix:
    """The robot with head and neck as heavy as what they displace at the waterline of module and shell, and as low.

    Nothing then lifts or sinks the head: undulation leaves heave, pitch and roll at rest, and roll can only grow
    parametrically.
    """
    triangle = next(prism for prism in robot.prisms() if len(prism.section) != 24)
    per_metre = (robot.module.mass + robot.shell.mass) / robot.module_length / world.density
    level = waterline(triangle.polygon(), per_metre)
    head = area_below(robot.prisms()[0].polygon(), level) * world.density
    module, shell = robot.module, robot.shell
    height = (module.mass * module.center_z + shell.mass * shell.center_z) / (module.mass + shell.mass)
    return replace(
        robot,
        head=replace(robot.head, mass=head * (robot.snout + robot.head_length), center_z=height),
        neck=replace(robot.neck, mass=head * robot.neck_length, center_z=height),
    )


def area_below(polygon: NDArray, level: float) -> float:
    """Area of a polygon below z = level."""
    kept: list[NDArray] = []
    for a, b in zip(polygon, np.roll(polygon, -1, axis=0)):
        if a[1] <= level:
            kept.append(a)
        if (a[1] <= level) != (b[1] <= level):
            kept.append(a + (b - a) * (level - a[1]) / (b[1] - a[1]))
    return float(section_integrals(np.array(kept))[0]) if len(kept) > 2 else 0.0


def waterline(polygon: NDArray, area: float) -> float:
    """The level below which a polygon has a given area."""
    low, high = polygon[:, 1].min(), polygon[:, 1].max()
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if area_below(polygon, middle) < area else (low, middle)
    return 0.5 * (low + high)


def mean_roll_frequency(robot: Natrix, world: WaterSurface, amplitude: float, count: int = 16) -> NDArray:
    """Roll eigenfrequencies [Hz] of the shapes that a gait passes through, frozen one after the other."""
    from serpenoid.analysis.linear import linearise

    motion = Undulation(amplitude, 1.0).motion(robot)
    shapes = motion_samples(motion, np.arange(count) / count)[0]
    return np.array([linearise(robot, world, shape).frequency("roll") for shape in shapes])
