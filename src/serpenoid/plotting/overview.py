"""Overview of a run on one page."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from serpenoid import analysis
from serpenoid.analysis.spectra import LEAST
from serpenoid.plotting import body, goals, series
from serpenoid.plotting.moments import start_of_sight
from serpenoid.plotting.style import INK, dressed, new_figure, write
from serpenoid.scenarios.base import scenario_of
from serpenoid.trajectory import Trajectory
from serpenoid.worlds.geometry import Plane

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def overview(run: Trajectory, path: str | os.PathLike[str]) -> Path:
    """Write a page with path, joints, torques, power, energy and spectrum of a run; return its path."""
    return write(overview_figure(run), path)


def overview_figure(run: Trajectory) -> Figure:
    """Return the page as a figure; panels without data are omitted."""
    panels = [panel for panel in PANELS if panel.fits(run)]
    rows = max(1, -(-len(panels) // 2))
    figure = new_figure(13.0, 3.5 * rows + 0.5)
    figure.suptitle(title_of(run), fontsize=12, color=INK, x=0.01, ha="left")
    for i, panel in enumerate(panels):
        alone = i == len(panels) - 1 and i % 2 == 0  # the last of an odd number takes the whole row
        axes = panel.draw(run, dressed(figure.add_subplot(rows, 2, (i + 1, i + 2) if alone else i + 1)))
        axes.set_title(panel.title, fontsize=10.5, color=INK, loc="left")
    return figure


def mean_span(run: Trajectory) -> tuple[float | None, float | None]:
    """Return start and end [s] of the averaging interval of the run's summary; None means the ends of the run."""
    scenario = scenario_of(run)
    if scenario is None:
        return None, None
    start, end = scenario.averaged(run)
    return start or None, end


def long_enough(run: Trajectory) -> bool:
    """Return whether the averaging interval has enough samples for a spectrum."""
    chosen = analysis.stretch(run.times, *mean_span(run))
    return chosen.stop - chosen.start >= LEAST


def flattest(run: Trajectory) -> Plane:
    """Return the coordinate plane normal to the axis along which body and path extend least.

    A climbing robot is seen from the side.
    """
    points = np.concatenate([run["link_pose"][:, :, :3].reshape(-1, 3), run["center_of_mass"]])
    spread, way = np.ptp(points, axis=0), np.ptp(run["center_of_mass"], axis=0)
    if way[2] > way[:2].max():
        spread[2] = np.inf
    return ("yz", "xz", "xy")[int(np.argmin(spread))]  # type: ignore[return-value]


def title_of(run: Trajectory) -> str:
    """Describe robot, world and controller of a run."""
    plain = run.configuration
    parts = [plain.get(part) for part in ("robot", "world", "controller")]
    words = ", ".join(name_of(part) for part in parts if part)
    return f"{words or 'run'}: {run.duration:g} s{''.join(f' ({word})' for word in ending_of(run))}"


def ending_of(run: Trajectory) -> list[str]:
    """Return how a run ended if it is incomplete: stopped by the user, or ended early."""
    if run.attributes.get("complete", True):
        return []
    return ["stopped" if run.attributes.get("ended_by") == "stopped" else "ended early"]


def name_of(plain: Mapping[str, Any]) -> str:
    """Return the name of a robot, world or controller, or its class with its medium or inclination."""
    medium = f" ({plain['medium']})" if plain.get("medium") else ""
    if "angle" in plain and "heading" in plain:
        medium = f" ({np.degrees(plain['angle']):.3g} deg)"
    return plain.get("name") or plain["type"].rpartition(":")[2].rpartition(".")[2] + medium


class Panel(NamedTuple):
    """Panel of the page, drawn if the run has its data."""

    title: str
    draw: Callable[[Trajectory, Axes], Axes]
    needs: tuple[str, ...]  # variables of the run
    samples: int = 2  # at least
    when: Callable[[Trajectory], bool] = lambda run: True  # further condition on the run

    def fits(self, run: Trajectory) -> bool:
        """Return whether a run has the data of the panel."""
        return all(name in run for name in self.needs) and run.times.size >= self.samples and self.when(run)


def draw_path(run: Trajectory, axes: Axes) -> Axes:
    """Draw the path of the run in the plane in which it extends most."""
    return body.path(run, axes, flattest(run))


def draw_body(run: Trajectory, axes: Axes) -> Axes:
    """Draw the body over a distance on which its shape is visible."""
    return body.snapshots(run, axes, 6, flattest(run), start_of_sight(run, body.body_length(run)))


PLACES = ("center_of_mass", "base_pose", "link_pose")
PANELS = [
    Panel("Path", draw_path, PLACES, 1),
    Panel("Body", draw_body, PLACES, 1),
    Panel("Goal", goals.aim, ("base_pose",), when=goals.has_aim),
    Panel("Clearance", goals.clearance, ("link_pose",), when=goals.keeps_clear),
    Panel("Roll", series.roll, ("roll",)),
    Panel("Object", goals.pushed_object, ("object_position", "object_velocity")),
    Panel("Contact forces", series.contact_forces, ("contact_force",)),
    Panel("Wheels", goals.wheel_forces, ("wheel_force", "wheel_holds"), when=goals.has_wheels),
    Panel("Slip of the wheels", goals.wheel_slip, ("wheel_force", "wheel_slip"), when=goals.has_wheels),
    Panel("Speed", lambda run, axes: series.speed(run, axes, *mean_span(run)), ("center_of_mass", "base_pose")),
    Panel("Joint angles", series.joints, ("joint_position",), 1),
    Panel("Joint torques", series.torques, ("joint_torque",), 1),
    Panel("Power", lambda run, axes: series.power(run, axes, *mean_span(run)), ("joint_torque", "joint_velocity")),
    Panel("Energy", series.energy, ("joint_torque", "joint_velocity")),
    Panel(
        "Spectrum of the joint angles", lambda run, axes: series.spectrum(run, axes, "joint_position", *mean_span(run)),
        ("joint_position",), 30, long_enough,
    ),
]  # fmt: skip
