"""Utilities by hebi.util's names: release all groups, read logs, and plot them."""

from __future__ import annotations

from typing import Any

import numpy as np

from hebi_twin.log import LogFile, load_log
from hebi_twin.network import clear_all_groups
from hebi_twin.trajectory import Trajectory

__all__ = ["clear_all_groups", "load_log", "plot_logs", "plot_trajectory"]


def plot_logs(
    logs: LogFile | str | list[LogFile | str], fbk_field: str, figure_spec: int | None = None,
    modules: list[int] | None = None,
) -> None:  # fmt: skip
    """Plot a field of logs over time, one figure per log; positions, velocities and efforts with their commands."""
    from matplotlib import pyplot

    for number, log in enumerate(logs if isinstance(logs, list) else [logs]):
        rows = list((load_log(log) if isinstance(log, str) else log).feedback_iterate)
        chosen = range(rows[0].size) if modules is None else modules
        pyplot.figure(None if figure_spec is None else figure_spec + number, clear=True)
        times = np.array([row.time[0] for row in rows])
        for field, style in ((fbk_field, "-"), (f"{fbk_field}_command", "--")):
            if field in rows[0].values:
                values = np.array([row.full(field) for row in rows])
                pyplot.gca().set_prop_cycle(None)
                pyplot.plot(times, values[:, chosen], style, label=[f"{field} {module}" for module in chosen])
        pyplot.xlabel("time [s]")
        pyplot.ylabel(fbk_field.replace("_", " "))
        pyplot.legend(ncols=2)
        pyplot.grid(True)
    pyplot.show()


def plot_trajectory(
    trajectory: Trajectory, dt: float = 0.01, figure_spec: Any = None, legend: list[str] | None = None
) -> None:
    """Plot positions, velocities and accelerations of a trajectory over time, with names of the joints."""
    from matplotlib import pyplot

    times = np.arange(trajectory.start_time, trajectory.end_time, dt)
    states = np.array([trajectory.get_state(time) for time in times])  # (times, 3, joints)
    panels = pyplot.figure(figure_spec).subplots(3, 1, sharex=True)
    for axes, values, name in zip(panels, states.swapaxes(0, 1), ("position", "velocity", "acceleration")):
        axes.plot(times, values)
        axes.set_ylabel(name)
        axes.grid(True)
    panels[-1].set_xlabel("time [s]")
    if legend:
        panels[0].legend(legend)
    pyplot.show()
