"""Variables that recordings of older releases lack, made from what they hold."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from serpenoid.analysis.window import integral
from serpenoid.robots.rotations import rotations
from serpenoid.trajectory import Trajectory


def variable_of(run: Trajectory, name: str) -> NDArray:
    """A variable of a run; body_axis and work_absolute also of recordings of release 0.1, the latter by samples."""
    if name not in run and name == "body_axis" and "link_pose" in run:
        sign = 1.0 if run.labels.get("link", ("head",))[0] == "tail" else -1.0
        return sign * rotations(run["link_pose"][..., 3:])[..., 0].mean(axis=1)
    if name not in run and name == "work_absolute" and "joint_torque" in run:
        return integral(np.abs(run["joint_torque"] * run["joint_velocity"]).sum(axis=1), run.times)
    return run[name]
