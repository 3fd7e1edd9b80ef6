"""Gaits as formulas: each named gait compared with (3.1), and helices through the joints."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import pi
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.gaits import GAITS, RollIntoHelix
from serpenoid.gaits.modular import ModularGait
from serpenoid.kernels.motion import motion_samples
from serpenoid.plotting.style import COLOURS, dressed, labelled, new_figure, write
from serpenoid.robots import SeaSnake
from serpenoid.worlds.initial_pose import links_of
from serpenoid_papers.base import ExperimentConfig, Finding, Progress

RATIO = 1.0  # k of omega_S = k A [1/m]


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration of the experiment."""

    times: int = 200
    """times at which gaits are compared, over 10 s"""
    shape_parameters: tuple[float, ...] = (0.3, 0.5, 0.7, 0.9, 1.1, 1.3, 1.5)
    """R of the helices [rad/m]"""


class Result(NamedTuple):
    """Results of the experiment."""

    differences: dict[str, float]  # difference of each gait from its formula [rad]
    parameters: dict[str, int]
    helices: NDArray  # (R, 5): R, radius and pitch per radian of (4.12), and of the joints [m]


def written_out(gait: ModularGait, robot: SeaSnake, times: NDArray) -> NDArray:
    """Evaluate (3.1) joint by joint: taper A sin(omega_S s - omega_T t + phases) + offset, (times, joints)."""
    waves, taper, angles = gait.compound(robot), gait.taper_at(robot), np.zeros((times.size, robot.joints))
    for joint in range(robot.joints):
        dorsal = joint % 2 == 1
        size = waves.dorsal_amplitude if dorsal else waves.amplitude
        offset = waves.dorsal_offset if dorsal else waves.offset
        phase = waves.spatial_frequency * joint / robot.joints - 2.0 * pi * waves.frequency * times - waves.phase
        angles[:, joint] = offset + taper[joint] * size * np.sin(phase + (waves.phase_offset if dorsal else 0.0))
    return angles


def run(config: Config, progress: Progress) -> Result:
    """Evaluate every named gait at many times, and helices of omega_S = k A."""
    robot, times = SeaSnake(), np.linspace(0.0, 10.0, config.times)
    gaits: dict[str, Any] = {name: cls() for name, cls in GAITS.items() if issubclass(cls, ModularGait)}
    differences = {}
    for name, gait in gaits.items():
        late = times[times > gait.begin + gait.winding_time] if isinstance(gait, RollIntoHelix) else times
        found = motion_samples(gait.motion(robot), late)[0]
        differences[name] = float(np.abs(found - written_out(gait, robot, late)).max())
    helices = np.array([helix_of(robot, shape) for shape in config.shape_parameters])
    return Result(differences, {name: len(fields(gait)) for name, gait in gaits.items()}, helices)


def helix_of(robot: SeaSnake, shape: float) -> tuple[float, ...]:
    """Return R [rad/m], radius and pitch [m] by (4.12), and those of the helix through the joints of (4.17)."""
    amplitude, m = shape / RATIO, robot.module_length
    slope = amplitude / (2.0 * np.sin(shape * m))
    pitch = 1.0 / ((slope**2 + 1.0) * shape)
    phase = shape * robot.arc_positions
    angles = amplitude * np.where(np.arange(robot.joints) % 2 == 0, np.cos(phase), np.sin(phase))
    found = helix_through(links_of(robot, angles).place[1:], slope * pitch, pitch, m)
    return shape, slope * pitch, pitch, *found


def helix_through(places: NDArray, radius: float, pitch: float, spacing: float) -> tuple[float, float]:
    """Return radius and pitch per radian [m] of the helix nearest to equally spaced points, from an initial guess.

    Radius, angle and rise per step are free. The best rotation (Kabsch) aligns the helix with the points.
    """
    from scipy.optimize import least_squares
    from scipy.spatial.transform import Rotation

    middle, count = places - places.mean(axis=0), np.arange(len(places))

    def off(numbers: NDArray) -> NDArray:
        r, angle, rise = numbers
        helix = np.column_stack([r * np.cos(angle * count), r * np.sin(angle * count), rise * count])
        helix = helix - helix.mean(axis=0)
        return (Rotation.align_vectors(middle, helix)[0].apply(helix) - middle).ravel()

    step = spacing / np.hypot(radius, pitch)
    starts = [np.array([radius, step, sign * pitch * step]) for sign in (1.0, -1.0)]
    best = min((least_squares(off, start, x_scale=np.abs(start)) for start in starts), key=lambda found: found.cost)
    return float(abs(best.x[0])), float(abs(best.x[2] / best.x[1]))


def claims(result: Result) -> list[Finding]:
    """Report the findings on S7 and S39."""
    _, radius, pitch, found_radius, found_pitch = result.helices.T
    wide = radius >= 0.08
    ratio, by_formula = found_pitch / found_radius, pitch / radius
    measured = {
        "radius": float(np.abs(found_radius / radius - 1.0)[wide].max()),
        "pitch": float(np.abs(found_pitch / pitch - 1.0)[wide].max()),
        "ratio": float(np.ptp(ratio) / ratio.mean()),
    }
    spread = float(np.ptp(by_formula) / by_formula.mean())
    seven = {"difference": max(result.differences.values()), "parameters": max(result.parameters.values())}
    return [
        Finding("S7", seven, f"differences by gait: {result.differences}; rolling into a helix after winding"),
        Finding("S39", measured, f"nearest helix through the joints; p / r varies by {spread:.3g} in (4.12) itself"),
    ]


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot radius and pitch by formula and through the joints."""
    sheet = new_figure(7.0, 4.0)
    axes = dressed(sheet.add_subplot())
    shape, *lines = result.helices.T
    for values, name, style in zip(lines, ("radius (4.12)", "pitch (4.12)", "radius, joints", "pitch, joints"), "--oo"):
        axes.plot(shape, 1e3 * values, style, color=COLOURS["radius" in name], label=name)
    labelled(axes, "R [rad/m]", "[mm], pitch per radian", "Helices of omega_S = k A")
    axes.legend(fontsize=8, frameon=False)
    return [write(sheet, folder / "helices.png")]
