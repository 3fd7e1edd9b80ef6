"""Figure that compares recordings of a real snake with our law and our runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from serpenoid.estimation.readings import Readings
from serpenoid.plotting.style import COLOURS, GREY, INK, dressed, labelled, legend, new_figure, write
from serpenoid_papers.recordings import ANCHORS, FEELS, ROBOT, replay_law

if TYPE_CHECKING:
    from matplotlib.axes import Axes

JOINT = 2  # lateral joint whose angles are plotted


def draw(readings: Readings, numbers: dict[str, Any], path: Path) -> Path:
    """Draw sent angles and ours, rms by recording, and cycles per metre and torques with our runs."""
    figure = new_figure(12.0, 7.0)
    bands: Any = figure.subfigures(2, 1)
    top, low = bands
    angles(dressed(top.add_subplot()), readings)
    rms(dressed(low.add_subplot(1, 3, 1)), numbers["rms_difference"])
    for place, (name, unit) in enumerate({"cycles_per_metre": "1/m", "torque_rms": "N m"}.items(), 2):
        draw_measure(dressed(low.add_subplot(1, 3, place)), numbers, name, unit)
    return write(figure, path)


def angles(axes: Axes, readings: Readings) -> None:
    """Plot one joint of one recording, and our law with the same torques."""
    sent = readings.needed("position")[0][:, ROBOT.yaw_joints[JOINT]]
    axes.plot(readings.time, sent, color=INK, label="sent to the robot")
    for colour, (feels, factor) in zip(COLOURS, FEELS.items()):
        ours = replay_law(readings, factor, list(ANCHORS.values())[1])[:, JOINT]
        axes.plot(readings.time, ours, color=colour, linewidth=0.9, label=f"ours, {feels}")
    labelled(axes, "time [s]", "angle [rad]", f"joint {ROBOT.yaw_joints[JOINT]} of the first recording")
    legend(axes)


def rms(axes: Axes, found: dict[str, Any]) -> None:
    """Plot the difference of our angles by recording, filled for both windows at zero curvature, open for other
    anchors.
    """
    for colour, feels in zip(COLOURS, FEELS):
        for anchor, fill in zip(ANCHORS, ("full", "none")):
            values = [replays[feels][anchor] for replays in found.values()]
            label = feels if fill == "full" else None
            axes.plot(list(found), values, "o", color=colour, fillstyle=fill, label=label)
    axes.set_ylim(0.0, 1.25 * axes.get_ylim()[1])  # room for the legend
    labelled(axes, "recording", "rms difference [rad]", "our angles minus those sent")
    axes.legend(fontsize=7, frameon=False, ncols=3, loc="upper left")


def draw_measure(axes: Axes, numbers: dict[str, Any], name: str, unit: str) -> None:
    """Plot a measure of our runs over density, with the recordings as a band."""
    values = [recorded[name] for recorded in numbers["recorded"].values()]
    axes.axhspan(min(values), max(values), color=GREY, alpha=0.3, label="recordings")
    ours = "net_cycles_per_metre" if name == "cycles_per_metre" else name
    for colour, law in zip(COLOURS, next(iter(numbers["simulated"].values()))):
        medians = [laws[law][ours] for laws in numbers["simulated"].values()]
        axes.plot(
            [float(density) for density in numbers["simulated"]], medians, "o-", color=colour, label=f"ours, {law}"
        )
    labelled(axes, "density of the pegs [1/m^2]", f"{ours.replace('_', ' ')} [{unit}]")
    axes.set_ylim(bottom=0.0)
    axes.legend(fontsize=7, frameon=False)
