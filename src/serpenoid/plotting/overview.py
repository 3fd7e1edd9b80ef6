"""A run on one page."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from serpenoid.plotting import body, series
from serpenoid.plotting.style import INK, dressed, new_figure, write
from serpenoid.scenarios.base import scenario_of
from serpenoid.trajectory import Trajectory
from serpenoid.worlds.geometry import Plane

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def overview(run: Trajectory, path: str | os.PathLike[str]) -> Path:
    """Write a page with path, joints, torques, power, energy and spectrum of a run; returns where it is."""
    return write(overview_figure(run), path)


def overview_figure(run: Trajectory) -> Figure:
    """The page as a figure; a panel that the run has no data for is left out."""
    panels = [panel for panel in PANELS if all(name in run for name in panel[2]) and run.times.size >= panel[3]]
    rows = max(1, -(-len(panels) // 2))
    figure = new_figure(13.0, 3.5 * rows + 0.5)
    figure.suptitle(title_of(run), fontsize=12, color=INK, x=0.01, ha="left")
    for i, (title, draw, _, _) in enumerate(panels):
        axes = draw(run, dressed(figure.add_subplot(rows, 2, i + 1)))
        axes.set_title(title, fontsize=10.5, color=INK, loc="left")
    return figure


def settled(run: Trajectory) -> float | None:
    """From when on the run's table takes its means [s], so that figures take the same; None: from the start."""
    scenario = scenario_of(run)
    return (scenario.settling(float(run.times[-1])) or None) if scenario else None


def flattest(run: Trajectory) -> Plane:
    """The plane in which there is most to see: the one across the axis along which body and path extend least."""
    points = np.concatenate([run["link_pose"][:, :, :3].reshape(-1, 3), run["center_of_mass"]])
    return ("yz", "xz", "xy")[int(np.argmin(np.ptp(points, axis=0)))]  # type: ignore[return-value]


def title_of(run: Trajectory) -> str:
    """Robot, world and controller of a run in words."""
    parts = [run.configuration.get(name, {}).get("type", "") for name in ("robot", "world", "controller")]
    words = ", ".join(kind.rpartition(":")[2].rpartition(".")[2] for kind in parts if kind)
    state = "" if run.attributes.get("complete", True) else " (ended early)"
    return f"{words or 'run'}: {run.duration:g} s{state}"


PANELS = [
    ("Path", lambda run, axes: body.path(run, axes, flattest(run)), ("center_of_mass", "base_pose", "link_pose"), 1),
    ("Body", lambda run, axes: body.snapshots(run, axes, 6, flattest(run)), ("link_pose", "center_of_mass"), 1),
    ("Roll", series.roll, ("roll",), 2),
    ("Contact forces", series.contact_forces, ("contact_force",), 2),
    ("Speed", lambda run, axes: series.speed(run, axes, settled(run)), ("center_of_mass", "base_pose"), 2),
    ("Joint angles", series.joints, ("joint_position",), 1),
    ("Joint torques", series.torques, ("joint_torque",), 1),
    ("Power", lambda run, axes: series.power(run, axes, settled(run)), ("joint_torque", "joint_velocity"), 2),
    ("Energy", series.energy, ("joint_torque", "joint_velocity"), 2),
    (
        "Spectrum of the joint angles",
        lambda run, axes: series.spectrum(run, axes, start=settled(run)),
        ("joint_position",),
        30,
    ),
]
