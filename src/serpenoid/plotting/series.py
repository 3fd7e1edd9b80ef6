"""Variables of a run over time, and their spectra."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from serpenoid import analysis
from serpenoid.plotting.moments import curve, frequency_of, time_label, window
from serpenoid.plotting.style import (
    ACCENT,
    GREY,
    INK,
    SLATE,
    axes_or_new,
    gradient,
    labelled,
    legend,
    map_scale,
    palette,
    plain,
)
from serpenoid.trajectory import Trajectory

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIDEWAYS = 0.9  # below this fraction of head-first motion the direction of travel is drawn too
LEAST_WAY = 0.05  # shorter travel has no direction [m]
MOST_NAMES = 20  # most joints named individually; of more, every n-th
MOST_LINES = 8  # most lines over time; more joints or links are drawn as a map


def joints(run: Trajectory, axes: Axes | None = None, variable: str = "joint_position") -> Axes:
    """Plot the angles of all joints over time, head to tail from dark to light; joints at 0 share one legend entry.

    More than 8 joints are drawn as a map. Of a long run the last six cycles are shown.
    """
    axes = axes_or_new(axes)
    values, names = run[variable], joint_names(run, run[variable].shape[1])
    label = plain(f"{run.meaning(variable)} [{run.unit(variable)}]")
    if values.shape[1] > MOST_LINES:
        order = by_kind(names)
        return draw_map(run, axes, values[:, order], [names[i] for i in order], "joint", label)
    size = np.abs(values)
    resting = (size <= 1e-9 * max(1e-9, float(np.nanmax(size, initial=0.0)))).all(axis=0)
    shown = window(run)
    draw_columns(axes, run.times[shown], values[shown][:, ~resting], [n for n, r in zip(names, resting) if not r])
    if resting.any():
        lines = axes.plot(run.times[shown], values[shown][:, resting], color=GREY, linewidth=0.9, linestyle=":")
        which = f"{resting.sum()} joints" if resting.sum() > 1 else names[int(resting.argmax())]
        lines[0].set_label(f"{which} held at 0" if variable == "joint_position" else f"{which} at 0")
    legend(axes)
    return labelled(axes, time_label(run, shown), label)


def velocities(run: Trajectory, axes: Axes | None = None) -> Axes:
    """Plot the rates of all joints over time."""
    return joints(run, axes, "joint_velocity")


def torques(run: Trajectory, axes: Axes | None = None) -> Axes:
    """Plot the torques of all joints over time."""
    return joints(run, axes, "joint_torque")


def speed(
    run: Trajectory, axes: Axes | None = None, start: float | None = None, end: float | None = None
) -> Axes:  # fmt: skip
    """Plot the velocity of the centre of mass along the mean head-first direction, and its mean from `start` to `end`
    [s].

    If the robot travels in another direction, the velocity along that direction and its mean are drawn too.
    """
    axes = axes_or_new(axes)
    forward, way = analysis.head_first(run, start, end), analysis.displacement(run, start or 0.0, end)
    velocity, length = np.gradient(run["center_of_mass"], run.times, axis=0), float(np.linalg.norm(way))
    beat = frequency_of(run)
    curve(axes, run.times, velocity @ forward, "head first", beat, color=palette(1)[0], linewidth=1.1)
    if np.abs(velocity @ forward).max() < 1e-9:  # hide rounding errors
        axes.set_ylim(-0.01, 0.01)
    draw_mean(axes, run, analysis.speed(run, start, end), "m/s", (start, end))
    if length > LEAST_WAY and abs(float(way @ forward)) < SIDEWAYS * length:
        curve(axes, run.times, velocity @ way / length, "along its path", beat, color=palette(2)[1], linewidth=1.1)
        along = float(np.linalg.norm(analysis.mean_velocity(run, start, end)))
        draw_mean(axes, run, along, "m/s", (start, end), ":")
    legend(axes)
    return labelled(axes, "time [s]", "speed of the centre of mass [m/s]")


def power(
    run: Trajectory, axes: Axes | None = None, start: float | None = None, end: float | None = None
) -> Axes:  # fmt: skip
    """Plot the power of the drives, losses, and the cost sum |torque x rate| with its mean from `start` to `end`
    [s]."""
    axes = axes_or_new(axes)
    rates = {name.removeprefix("power_"): run[name] for name in run.variables if name.startswith("power_")}
    rates = rates or {"drive": analysis.joint_power(run).sum(axis=1)}
    rates = {
        name: rates[name] for name in sorted(rates, key=lambda name: (name != "drive", name))
    }  # independent of the order in the file
    moving = {name: rate for name, rate in rates.items() if np.any(rate != 0.0)} or rates
    beat = frequency_of(run)
    for (name, rate), colour in zip(moving.items(), palette(len(moving))):
        curve(axes, run.times, rate, name.replace("_", " "), beat, color=colour, linewidth=1.1)
    cost = run["power"] if "power" in run else np.abs(analysis.joint_power(run)).sum(axis=1)
    curve(axes, run.times, cost, "sum |torque x rate|", beat, color=SLATE, linewidth=0.8)
    draw_mean(axes, run, analysis.power(run, start, end), "W", (start, end))
    legend(axes)
    return labelled(axes, "time [s]", "work rate on the robot [W]")


def energy(run: Trajectory, axes: Axes | None = None) -> Axes:
    """Plot work, dissipation and stored energy over time."""
    axes = axes_or_new(axes)
    ledger = analysis.energy_ledger(run)
    parts = {"work of the joints": ledger.work, "dissipated": ledger.dissipated, "stored (change)": ledger.stored}
    rounding = 1e-9 * max(float(np.abs(values).max()) for values in parts.values())
    for (name, values), colour, width in zip(parts.items(), palette(3), (2.4, 1.3, 1.3)):
        if np.abs(values).max() > rounding or name.startswith("work"):
            curve(axes, run.times, values, name, color=colour, linewidth=width)
    axes.plot(run.times, ledger.work - ledger.dissipated - ledger.stored, color=GREY, linestyle=":", label="residual")
    legend(axes)
    return labelled(axes, "time [s]", "energy [J]")


def spectrum(
    run: Trajectory, axes: Axes | None = None, variable: str = "joint_position", start: float | None = None,
    end: float | None = None,
) -> Axes:  # fmt: skip
    """Plot amplitude over frequency of each column of a variable, with the dominant line marked.

    No line is marked if the interval contains less than two cycles.
    """
    axes = axes_or_new(axes)
    found = analysis.spectrum(run, variable, start, end)
    columns = found.amplitude.reshape(found.frequency.size, -1)
    moving = columns.max(axis=0) > 1e-9 * max(1e-9, float(columns.max()))
    names = [name for name, m in zip(joint_names(run, columns.shape[1]), moving) if m]
    if len(names) > MOST_LINES:
        order = by_kind(names)
        mesh = draw_rows(axes, found.frequency, columns[:, moving][:, order], [names[i] for i in order])
        colour_bar(axes, mesh, plain(f"amplitude [{run.unit(variable)}]"))
    else:
        draw_columns(axes, found.frequency, columns[:, moving], names if columns.shape[1] > 1 else [variable])
    top = analysis.dominant_frequency(run, variable, start, end)
    if np.isnan(top):
        axes.plot([], [], " ", label="no line: less than two cycles")
        axes.set_xlim(0.0, min(float(found.frequency[-1]), 20.0 / ((end or run.times[-1]) - (start or run.times[0]))))
    elif top > 0.0:
        axes.axvline(top, color=ACCENT, linewidth=0.9, linestyle="--", label=f"{top:.3g} Hz")
        axes.set_xlim(0.0, min(float(found.frequency[-1]), 5.0 * top))
    legend(axes)
    return labelled(
        axes, "frequency [Hz]", "joint" if len(names) > MOST_LINES else plain(f"amplitude [{run.unit(variable)}]")
    )


def roll(run: Trajectory, axes: Axes | None = None) -> Axes:
    """Plot the roll of the head over time, with the angles of capsizing (90 deg) and turning over (180 deg)."""
    axes = axes_or_new(axes)
    angle = np.degrees(run["roll"])
    curve(axes, run.times, angle, "roll of the head", color=palette(1)[0], linewidth=1.1)
    reach = {-1.0: float(angle.min()), 1.0: float(angle.max())}
    for limit, name, colour in ((90.0, "capsized", ACCENT), (180.0, "turned over", INK)):
        sides = [side for side in (-1.0, 1.0) if side * reach[side] > 0.5 * limit]  # others would flatten the curve
        for i, side in enumerate(sides):
            axes.axhline(side * limit, color=colour, linewidth=0.9, linestyle="--",
                         label="_" if i else f"{name}: {limit:g} deg")  # fmt: skip
    legend(axes)
    return labelled(axes, "time [s]", "roll [deg]")


def contact_forces(run: Trajectory, axes: Axes | None = None) -> Axes:
    """Plot the contact force of every touched link; of a long run, the sum and maximum over links.

    More than 8 links are drawn as a map.
    """
    force = np.nan_to_num(run["contact_force"])
    size = np.linalg.norm(force, axis=2) if force.ndim == 3 else np.abs(force)
    if size.shape[1] <= MOST_LINES and window(run).start:
        axes = axes_or_new(axes)
        for name, values, colour in zip(("sum", "largest"), (size.sum(axis=1), size.max(axis=1)), palette(2)):
            curve(axes, run.times, values, f"{name} of all links", color=colour, linewidth=1.1)
        legend(axes)
        return labelled(axes, "time [s]", "contact force [N]")
    return per_link(run, axes, size, size.max(axis=0) > 0.0, "contact force [N]")


def per_link(run: Trajectory, axes: Axes | None, values: NDArray, chosen: NDArray, name: str) -> Axes:
    """Plot a line over time for each chosen link; values (time, links)."""
    axes, shown, links = axes_or_new(axes), window(run), np.flatnonzero(chosen)
    names = [plain(each) for each in run.labels.get("link", ())]
    if values.shape[1] > MOST_LINES:
        every = [names[i] if i < len(names) else f"link {i}" for i in range(values.shape[1])]
        return draw_map(run, axes, values, every, "link", name)
    labels = [names[i] if i < len(names) else f"link {i}" for i in links]
    draw_columns(axes, run.times[shown], values[shown][:, links], labels)
    legend(axes)
    return labelled(axes, time_label(run, shown), name)


def draw_map(run: Trajectory, axes: Axes, values: NDArray, names: list[str], what: str, label: str) -> Axes:
    """Draw values (time, columns) as coloured rows over time, the first at the top, with a colour bar."""
    shown = window(run)
    colour_bar(axes, draw_rows(axes, run.times[shown], values[shown], names), label)
    return labelled(axes, time_label(run, shown), what)


def draw_rows(axes: Axes, x: NDArray, values: NDArray, names: list[str]) -> Any:
    """Draw values (x, columns) as one row of colours per column, the first at the top; return the mesh."""
    name, low, high = map_scale(values)
    edges = np.append(x, 2.0 * x[-1] - x[-2]) if x.size > 1 else x[0] + np.array([0.0, 1e-3])
    axes.grid(False)
    mesh = axes.pcolormesh(edges, np.arange(len(names) + 1) - 0.5, values.T, cmap=name, vmin=low, vmax=high,
                           rasterized=True)  # fmt: skip
    axes.set_ylim(len(names) - 0.5, -0.5)
    every = -(-len(names) // MOST_NAMES)
    axes.set_yticks(range(0, len(names), every), [word.replace("_", " ") for word in names[::every]], fontsize=7)
    return mesh


def colour_bar(axes: Axes, mesh: Any, label: str) -> None:
    """Draw the colour bar of a mesh to the right of its axes."""
    bar = axes.figure.colorbar(mesh, cax=axes.inset_axes((1.02, 0.0, 0.03, 1.0)))
    bar.set_label(label, fontsize=9.5, color=INK)
    bar.ax.tick_params(colors=INK, labelsize=8.5)


def by_kind(names: list[str]) -> list[int]:
    """Return the order of rows that groups joints by the first word of their names, such as lateral and dorsal."""
    kinds = list(dict.fromkeys(name.replace("_", " ").partition(" ")[0] for name in names))
    if len(kinds) != 2:  # only alternating planes, as of a modular snake, hide the wave
        return list(range(len(names)))
    return sorted(range(len(names)), key=lambda i: kinds.index(names[i].replace("_", " ").partition(" ")[0]))


def draw_mean(
    axes: Axes, run: Trajectory, mean: float, unit: str, stretch: tuple[float | None, float | None], style: str = "--"
) -> None:
    """Draw the mean of a curve as a line over an interval from start to end [s]; None means the ends of the run."""
    first = run.times[0] if stretch[0] is None else stretch[0]
    last = run.times[-1] if stretch[1] is None else stretch[1]
    after = f" from {first:.3g} s on" if stretch[0] else ""
    after = f" from {first:.3g} to {last:.3g} s" if last < run.times[-1] else after
    axes.plot([first, last], [mean, mean], color=INK, linewidth=1.1, linestyle=style,
              label=f"mean{after}: {mean:.3g} {unit}")  # fmt: skip


def draw_columns(axes: Axes, x: NDArray, columns: NDArray, names: list[str]) -> None:
    """Draw a line per column in a gradient; of many columns every n-th is named."""
    every = -(-len(names) // MOST_NAMES) if names else 1
    for i, (name, colour) in enumerate(zip(names, gradient(len(names)))):
        label = name.replace("_", " ") if i % every == 0 or i == len(names) - 1 else "_"
        axes.plot(x, columns[:, i], color=colour, linewidth=1.2, label=label)


def joint_names(run: Trajectory, count: int) -> list[str]:
    """Return the joint names, or numbers if the run does not contain them."""
    names = [plain(name) for name in run.labels.get("joint", ())]
    return names if len(names) == count else [f"column {i}" for i in range(count)]
