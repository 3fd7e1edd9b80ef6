"""Trajectories to matplotlib axes: every function takes a run and, if wanted, axes, and returns the axes."""

from serpenoid.plotting.body import path, snapshots
from serpenoid.plotting.overview import overview, overview_figure
from serpenoid.plotting.series import contact_forces, energy, joints, power, roll, spectrum, speed, torques, velocities

__all__ = [
    "contact_forces",
    "energy",
    "joints",
    "overview",
    "overview_figure",
    "path",
    "power",
    "roll",
    "snapshots",
    "spectrum",
    "speed",
    "torques",
    "velocities",
]
