"""Runs of floating NATRIX shared by experiments: the plane of amplitude and frequency, and the levelled head."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.engines.base import NO_DRAWS
from serpenoid.engines.tree import TreeEngine
from serpenoid.gaits import Undulation
from serpenoid.kernels.motion import motion_samples
from serpenoid.robots import Natrix
from serpenoid.robots.prism import section_integrals
from serpenoid.scenarios.natrix import NatrixAfloat
from serpenoid.sweeps.run import Status
from serpenoid.worlds import WaterSurface
from serpenoid_papers.base import Progress
from serpenoid_papers.complete_sweep import complete_sweep

FORCED, BEATING, CAPSIZING, OVERTURNING = "forced", "beating", "capsized", "turned over"
KINDS = (FORCED, BEATING, CAPSIZING, OVERTURNING)
KIND_COLOURS = dict(zip(KINDS, ("#dfe5ea", "#8fb8de", "#e57373", "#8e1b1b")))


class Cell(NamedTuple):
    """One gait and the measures of its run."""

    amplitude: float  # [rad]
    frequency: float  # [Hz]
    deviation: float  # standard deviation of the head's roll [deg]
    largest: float  # largest roll [deg]
    kind: str  # one of KINDS


def cells_over(
    scenario: NatrixAfloat,
    amplitudes: Sequence[float],
    frequencies: Sequence[float],
    progress: Progress,
    store: str | None = None,
) -> list[Cell]:
    """Sweep every pair of amplitude [rad] and frequency [Hz], in lanes on all cores, stored in `store`."""
    over = {"gait.amplitude": list(amplitudes), "gait.frequency": list(frequencies)}
    reported = [0]

    def tell(status: Status) -> None:
        if status.done_here >= reported[0] + 240:
            reported[0] = status.done_here
            progress(f"natrix: {status.done} of {status.total} cells in {status.seconds:.0f} s")

    with TemporaryDirectory() as scratch:
        place = Path(store or scratch) / "natrix_map.zarr"
        found = complete_sweep(scenario, over, place, chunk=64, progress=tell).load()
    names = ("roll_deviation", "largest_roll", "beating", "capsized", "turned_over")
    columns = [found[name].values.ravel().tolist() for name in names]
    gaits = [(Q, F) for Q in amplitudes for F in frequencies]
    return [
        Cell(Q, F, deviation, largest, kind_of_motion(*happened))
        for (Q, F), deviation, largest, *happened in zip(gaits, *columns)
    ]


def kind_of_motion(beating: float, capsized: float, turned_over: float) -> str:
    """Classify as turned over beyond 180 deg, capsized beyond 90 deg, otherwise beating or forced."""
    kinds = {OVERTURNING: turned_over, CAPSIZING: capsized, BEATING: beating}
    return next((kind for kind, happened in kinds.items() if happened), FORCED)


def roll_history(scenario: NatrixAfloat) -> tuple[NDArray, NDArray]:
    """Return times (samples,) [s] and the head's roll, unwrapped [rad]."""
    engine, motion = TreeEngine(scenario.robot, scenario.world, scenario.step), scenario.gait.motion(scenario.robot)
    steps, every = round(scenario.duration / scenario.step), round(scenario.sample_period / scenario.step)
    start = engine.initial(scenario.initial(), motion, NO_DRAWS)
    roll = TreeEngine.batch([engine], [motion], start[None], steps, every)["roll"][0]
    return scenario.sample_period * np.arange(roll.size), roll


def level_head(robot: Natrix, world: WaterSurface) -> Natrix:
    """Return the robot with neutrally buoyant head and neck at the waterline of module and shell.

    Their mass equals the displaced mass, at the same height. Undulation then does not excite heave, pitch and roll, and
    roll can only grow parametrically.
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
    """Return the area of a polygon below z = level."""
    kept: list[NDArray] = []
    for a, b in zip(polygon, np.roll(polygon, -1, axis=0)):
        if a[1] <= level:
            kept.append(a)
        if (a[1] <= level) != (b[1] <= level):
            kept.append(a + (b - a) * (level - a[1]) / (b[1] - a[1]))
    return float(section_integrals(np.array(kept))[0]) if len(kept) > 2 else 0.0


def waterline(polygon: NDArray, area: float) -> float:
    """Return the level below which a polygon has a given area."""
    from scipy.optimize import brentq

    heights = polygon[:, 1]
    return float(brentq(lambda level: area_below(polygon, level) - area, heights.min(), heights.max(), xtol=1e-15))


def mean_roll_frequency(robot: Natrix, world: WaterSurface, amplitude: float, count: int = 16) -> NDArray:
    """Return the roll eigenfrequencies [Hz] of the frozen shapes of a gait cycle."""
    from serpenoid.mechanics.linear import linearise

    motion = Undulation(amplitude, 1.0).motion(robot)
    shapes = motion_samples(motion, np.arange(count) / count)[0]
    return np.array([linearise(robot, world, shape).frequency("roll") for shape in shapes])
