"""Demonstration: the planar snake in three media and NATRIX in free space."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from serpenoid import plotting, studio
from serpenoid.configuration import changed
from serpenoid.scenarios.base import Scenario
from serpenoid.scenarios.slither import Slither
from serpenoid.scenarios.undulate import Undulate
from serpenoid.trajectory import Trajectory


class DemoRun(NamedTuple):
    """One run of the demonstration."""

    name: str
    speed: float  # [m/s]
    power: float  # [W]
    energy_residual: float  # relative error of the energy balance
    times_real_time: float
    files: list[Path]


def jobs() -> dict[str, Scenario]:
    """Return the scenarios by name."""
    media = {f"planar_{medium}": changed(Slither(), {"world.medium": medium}) for medium in ("dry", "viscous", "fluid")}
    return {**media, "natrix_free": Undulate()}


def demonstrate(out: Path) -> Iterator[DemoRun]:
    """Run every scenario; write its trajectory, figure and animation into a folder."""
    for name, scenario in jobs().items():
        changed(scenario, {"duration": 2.5}).run()  # compile before the clock starts
        start = perf_counter()
        trajectory = scenario.run()
        elapsed = perf_counter() - start
        summary = scenario.summary(trajectory)
        speed, power, residual = (float(summary[key].value) for key in ("speed", "power", "energy_residual"))
        yield DemoRun(name, speed, power, residual, scenario.duration / elapsed, leave(trajectory, out, name))


def leave(trajectory: Trajectory, out: Path, name: str) -> list[Path]:
    """Write the trajectory, figure and animation of a run."""
    return [
        trajectory.save(out / f"{name}.zarr", replace=True),
        plotting.overview(trajectory, out / f"{name}.png"),
        studio.export_html(trajectory, out / f"{name}.html"),
    ]
