"""Matplotlib plots of trajectories: every function takes a run and optional axes, and returns the axes."""

from serpenoid.plotting.body import path, snapshots
from serpenoid.plotting.goals import aim, clearance, pushed_object, wheel_forces, wheel_slip
from serpenoid.plotting.overview import overview, overview_figure
from serpenoid.plotting.series import contact_forces, energy, joints, power, roll, spectrum, speed, torques, velocities

__all__ = [
    "aim",
    "clearance",
    "contact_forces",
    "energy",
    "joints",
    "overview",
    "overview_figure",
    "path",
    "power",
    "pushed_object",
    "roll",
    "snapshots",
    "spectrum",
    "speed",
    "torques",
    "velocities",
    "wheel_forces",
    "wheel_slip",
]
