"""Comparison of logged torques and motor currents with simulated torques, joint by joint."""

from __future__ import annotations

from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.hardware.module_logs import ModuleLog
from serpenoid.plotting.style import COLOURS, dressed, new_figure, write


class Load(NamedTuple):
    """Logged torque or current of one joint beside the simulated torque."""

    joint: str
    quantity: str  # torque or current
    constant: float  # torque per unit of the logged quantity: 1 for a torque, fitted [N m/A] for a current
    logged: float  # rms of the logged torque, or of constant times current [N m]
    simulated: float  # rms [N m]
    rms: float  # of the difference [N m]
    correlation: float  # from -1 to 1; NaN if one of the two does not vary


class Loads(NamedTuple):
    """Comparison of all joints, and the torques to plot."""

    rows: list[Load]
    times: NDArray  # (samples,) [s]
    simulated: NDArray  # (samples, joints) [N m]
    logged: dict[str, NDArray]  # (samples, joints) by name: torques, and constants times currents [N m]


def compare_loads(log: ModuleLog, run: ModuleLog) -> Loads | None:
    """Compare the loads of a log with the torques of a run; return None if one of them has none.

    A current is scaled by the constant that fits the torque best. A joint whose current is never negative, as at the
    supply of a servo, is compared with the magnitude of the torque.
    """
    given = {"torque": log.values.get("joint_torque"), "current": log.current}
    logged = {name: np.array(rows) for name, rows in given.items() if rows is not None}
    if "joint_torque" not in run.values or not logged:
        return None
    simulated, rows = run.at("joint_torque", log.times), []
    for name, measured in logged.items():
        for joint, label in enumerate(log.joints):
            ours, theirs = simulated[:, joint], measured[:, joint]
            if name == "current" and theirs.min() >= 0.0:
                ours = np.abs(ours)
            constant = 1.0 if name == "torque" else fitted_constant(theirs, ours)
            measured[:, joint] = np.nan_to_num(constant) * theirs
            rows.append(load_of(label, name, constant, measured[:, joint], ours))
    return Loads(rows, log.times, simulated, logged)


def fitted_constant(current: NDArray, torque: NDArray) -> float:
    """Return the torque per current of a line through zero with the least squared error; NaN without current."""
    size = float(current @ current)
    return float(current @ torque) / size if size > 0.0 else float("nan")


def load_of(joint: str, quantity: str, constant: float, logged: NDArray, simulated: NDArray) -> Load:
    """Return the comparison of one joint."""
    varies = min(np.ptp(logged), np.ptp(simulated)) > 0.0
    correlation = float(np.corrcoef(logged, simulated)[0, 1]) if varies else float("nan")
    sizes = rms(logged), rms(simulated), rms(logged - simulated)
    return Load(joint, quantity, constant, *sizes, correlation)


def rms(values: NDArray) -> float:
    """Return the root of the mean square."""
    return float(np.sqrt(np.mean(values**2)))


def draw_loads(found: Loads, joints: tuple[str, ...], path: Path) -> Path:
    """Plot simulated torques with logged ones, and with scaled currents, one panel per joint."""
    rows, columns = ceil(len(joints) / 4), min(4, len(joints))
    figure = new_figure(12.0, 1.0 + 2.0 * rows)
    axes: list[Any] = list(figure.subplots(rows, columns, squeeze=False, sharex=True).flat)
    for joint, axis in enumerate(axes[: len(joints)]):
        for colour, (called, values) in zip(COLOURS[1:], found.logged.items()):
            label = "logged torque" if called == "torque" else "logged current x constant"
            axis.plot(found.times, values[:, joint], color=colour, label=label)
        axis.plot(found.times, found.simulated[:, joint], "--", color=COLOURS[0], label="simulated torque")
        dressed(axis).set_title(joints[joint], fontsize=9, loc="left")
    for axis in axes[len(joints) :]:
        axis.remove()
    figure.supxlabel("time [s]")
    figure.supylabel("torque [N m]")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper right", ncols=3, fontsize=9, frameon=False)
    return write(figure, path)
