"""Fits of a scenario's fields, such as the coefficients of the water, to the logged pose of the robot's head."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation, Slerp

from serpenoid.configuration import changed
from serpenoid.errors import FileProblem, require
from serpenoid.estimation.tables import PATH, check_times, read_columns
from serpenoid.hardware.fit import SMALL, UNKNOWN, Axis, Fit, Problem, alike_pairs, axes_of, estimate, solve
from serpenoid.hardware.module_logs import ModuleLog
from serpenoid.scenarios.base import Scenario
from serpenoid.trajectory import Trajectory

ATTITUDE = tuple(f"base_pose.{name} [-]" for name in ("qw", "qx", "qy", "qz"))  # columns of an exported table
FIRST_PART = 6.0  # first part of a log that is fitted [s]
SHORTEST = 8  # samples
# Deviations of the first pose from the logged one, in world axes, which are fitted too, and their scales [m, rad].
START = dict.fromkeys(("start x", "start y", "start z"), 0.01) | dict.fromkeys(
    ("start rotation x", "start rotation y", "start rotation z"), 0.05
)
MOST_START = 20.0  # largest deviation, in its scales


def read_head(path: Path) -> tuple[NDArray, NDArray]:
    """Read times (samples,) from 0 [s] and poses (samples, 7) of link 0 from a table or a recording."""
    if path.suffix != ".csv":
        return head_of(path, Trajectory.load(path))
    columns = read_columns(path)
    check_times(path, columns["time_s"])
    names = next((own for own in (ATTITUDE, ("qw", "qx", "qy", "qz")) if set(own) <= columns.keys()), None)
    if names is None or not set(PATH) <= columns.keys():
        raise FileProblem(path, f"has no pose of the head: must have the columns {', '.join(PATH)}, qw, qx, qy, qz")
    return checked_head(path, columns["time_s"], np.stack([columns[name] for name in (*PATH, *names)], axis=1))


def head_of(path: Path, run: Trajectory) -> tuple[NDArray, NDArray]:
    """Return times and poses of link 0 in a run."""
    if "base_pose" not in run or run["base_pose"].shape != (run.times.size, 7):
        raise FileProblem(path, "has no pose of the head (base_pose) at its samples")
    return checked_head(path, run.times, run["base_pose"])


def checked_head(path: Path, times: NDArray, poses: NDArray) -> tuple[NDArray, NDArray]:
    """Return the samples with a pose; raise FileProblem if there are too few or a quaternion is zero."""
    known = np.isfinite(poses).all(axis=1)
    if known.sum() < SHORTEST:
        raise FileProblem(path, f"has {known.sum()} poses of the head: must have at least {SHORTEST}")
    times, poses = times[known], poses[known]
    if not (np.abs(np.linalg.norm(poses[:, 3:], axis=1) - 1.0) < 0.1).all():
        raise FileProblem(path, "contains a quaternion of the head that is not of unit length")
    return times - times[0], poses


class HeadProblem(Problem):
    """Poses of the head in a log, compared with simulations for other parameters and another start.

    The log starts with the scenario: at rest in total momentum, near its first logged pose.
    """

    def __init__(self, times: NDArray, poses: NDArray, scenario: Scenario, axes: Sequence[Axis]):
        self.position, self.attitude = poses[:, :3], Rotation.from_quat(poses[:, 3:], scalar_first=True)
        turned = (self.attitude[0].inv() * self.attitude).as_rotvec()
        values = {"head_position": self.position, "head_attitude": turned}
        super().__init__(ModuleLog((), times, values, sensed=False), scenario, axes)
        self.latest: tuple[bytes, Trajectory] | None = None

    def at(self, units: NDArray) -> Scenario:
        """Return the scenario with these parameters and this start."""
        values = {axis.name: float(u * axis.scale) for axis, u in zip(self.axes, units)}
        move = np.array([values.pop(name) for name in START])
        place = self.position[0] + move[:3]
        turn = (Rotation.from_rotvec(move[3:]) * self.attitude[0]).as_quat(scalar_first=True)
        return changed(self.scenario, {**values, "start.base_pose": (*place.tolist(), *turn.tolist())})

    def motion(self, units: NDArray) -> Trajectory:
        """Return the simulation with these parameters."""
        key = units.tobytes()
        if self.latest is None or self.latest[0] != key:
            self.runs += 1
            period = self.scenario.sample_period
            duration = period * ceil(self.log.times[-1] / period - 1e-9)
            self.latest = (key, replace(self.at(units), duration=duration).run())
        return self.latest[1]

    def distances(self, units: NDArray) -> NDArray:
        """Return simulated minus logged poses (samples, 2, 3): positions [m], rotation vectors [rad]."""
        run, times = self.motion(units), self.log.times
        poses = run["base_pose"]
        shift = np.stack([np.interp(times, run.times, axis) for axis in poses[:, :3].T], axis=1) - self.position
        turns = Slerp(run.times, Rotation.from_quat(poses[:, 3:], scalar_first=True))(times)
        return np.stack([shift, (self.attitude.inv() * turns).as_rotvec()], axis=1)


def fit_head(times: NDArray, poses: NDArray, scenario: Scenario, names: Sequence[str]) -> Fit:
    """Fit fields of a scenario, and the deviation of its start, so that its head moves as in a log.

    Over a long time a wrong guess loses the phase of the motion, and the fit may end in a wrong minimum. The first
    seconds are therefore fitted first, then twice as many, up to all, each from the previous result.
    """
    require(times[-1] > 0.0, "log", f"{times[-1]:g} s", "longer than 0 s")
    axes = [*axes_of(scenario, names), *(Axis(n, 0.0, s, -MOST_START * s, MOST_START * s) for n, s in START.items())]
    first, runs = axes, 0
    for end in growing_ends(float(times[-1])):
        part = times <= end + 1e-9
        problem = HeadProblem(times[part], poses[part], scenario, axes)
        found = solve(problem)
        runs += problem.runs
        axes = [axis._replace(start=float(u * axis.scale)) for axis, u in zip(axes, found.units)]
    count = len(names)
    known = found.half < UNKNOWN * np.maximum(np.abs(found.units), SMALL)
    rows = list(zip(first, found.units, found.half, known))[:count]
    noise = dict(zip(problem.log.values, found.noise.tolist()))
    alike = alike_pairs(list(names), found.correlation[:count, :count])
    return Fit(tuple(estimate(*row) for row in rows), noise, alike, problem.at(found.units), runs)


def growing_ends(end: float) -> list[float]:
    """Return the ends of growing parts of a log [s]: the first seconds, twice as many, up to all."""
    parts = [FIRST_PART * 2.0**k for k in range(30) if FIRST_PART * 2.0**k < end]
    return [*parts, end]
