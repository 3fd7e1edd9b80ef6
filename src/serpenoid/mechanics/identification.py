"""Identification of hydrodynamic coefficients from a recorded motion by least squares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import UnknownName, positive, require
from serpenoid.gaits.base import Gait
from serpenoid.kernels.motion import motion_samples
from serpenoid.kernels.tree.scene import NO_WRENCHES
from serpenoid.kernels.tree.step import prescribed_rollout
from serpenoid.robots.base import Robot
from serpenoid.support.kernel_inputs import ANY, environment_of, motion_of, numbers, tree_of
from serpenoid.worlds.flotation import Flotation
from serpenoid.worlds.water import Hydrodynamics, WaterSurface

STEP = 0.002  # integration step of the model [s]
FIRST_PART = 6.0  # first part of a recording that is fitted [s]
# Typical sizes, so that all coefficients have similar weight in the search.
TYPICAL = {
    "added_mass": 0.5, "added_roll_inertia": 1e-3, "linear_drag": 5.0, "quadratic_drag": 1.0, "longitudinal_drag": 0.3,
    "wave_damping": 5.0, "roll_damping": 0.01,
}  # fmt: skip


class Identified(NamedTuple):
    """Coefficients and their uncertainty."""

    hydrodynamics: Hydrodynamics
    values: dict[str, float]
    deviations: dict[str, float]  # standard deviations from the curvature of the fit
    residual: float  # root mean square of the weighted residuals: 1 if only the stated noise is left


@dataclass(frozen=True)
class Recording:
    """Poses of link 0 over time, with their noise."""

    times: NDArray  # (samples,) even, starting after one sample period [s]
    poses: NDArray  # (samples, 7)
    start: NDArray  # (7,) pose at time zero, with zero momentum
    position_noise: float  # standard deviation [m]
    angle_noise: float  # [rad]

    def __post_init__(self) -> None:
        times = numbers("times", self.times, (ANY,))
        even = times.size > 1 and bool(np.allclose(np.diff(times), times[1] - times[0])) and times[1] > times[0]
        require(even, "times", self.times, "at least two times [s], evenly spaced and ascending")
        sizes = {"times": (times.size,), "poses": (times.size, 7), "start": (7,)}
        for name, size in sizes.items():
            object.__setattr__(self, name, numbers(name, getattr(self, name), size))


def identify(robot: Robot, world: WaterSurface, gait: Gait, recording: Recording, names: Sequence[str]) -> Identified:
    """Fit the named hydrodynamic coefficients of the world to the recorded poses by least squares, from typical
    sizes.

    With a wrong initial guess the model drifts out of phase, and the fit may converge to a wrong minimum. The first
    seconds are therefore fitted first, then twice as many, up to all, each from the previous result.
    """
    from scipy.optimize import least_squares

    for name in names:
        if name not in TYPICAL:
            raise UnknownName("coefficient", name, TYPICAL)
    positive("position_noise", recording.position_noise)
    positive("angle_noise", recording.angle_noise)
    require(len(names) > 0, "names", names, "at least one coefficient")
    scale = np.array([TYPICAL[name] for name in names])

    def residuals(x: NDArray, part: Recording) -> NDArray:
        flow = replace(world.hydrodynamics, **dict(zip(names, (scale * np.abs(x)).tolist())))
        return misfit(predict(robot, replace(world, hydrodynamics=flow), gait, part), part)

    guess = np.full(len(names), 0.3)
    for part in growing(recording):
        fit = least_squares(residuals, guess, x_scale=1.0, diff_step=1e-4, xtol=1e-8, ftol=1e-8, args=(part,))
        guess = fit.x
    values = dict(zip(names, (scale * np.abs(fit.x)).tolist()))
    covariance = np.linalg.pinv(fit.jac.T @ fit.jac)
    spread = dict(zip(names, (scale * np.sqrt(np.diag(covariance))).tolist()))
    residual = float(np.sqrt(np.mean(fit.fun**2)))
    return Identified(replace(world.hydrodynamics, **values), values, spread, residual)


def growing(recording: Recording) -> Iterator[Recording]:
    """Yield the first seconds of a recording, twice as many, up to all of it."""
    duration = FIRST_PART
    while duration < recording.times[-1]:
        count = int(np.searchsorted(recording.times, duration, side="right"))
        if count > 1:
            yield replace(recording, times=recording.times[:count], poses=recording.poses[:count])
        duration *= 2.0
    yield recording


def predict(robot: Robot, world: WaterSurface, gait: Gait, recording: Recording) -> NDArray:
    """Simulate poses (samples, 7) of link 0 at the recording's times."""
    motion = motion_of(gait, robot)
    shape, rates, _ = (part[0] for part in motion_samples(motion, np.zeros(1)))
    twist = Flotation(robot, world, shape).resting_twist(rates)
    state = np.concatenate((recording.start, shape, twist, rates))
    every = round((recording.times[1] - recording.times[0]) / STEP)
    steps = every * recording.times.size
    states = prescribed_rollout(
        tree_of(robot), environment_of(world, robot), motion, state, 0, steps, every, STEP, NO_WRENCHES
    )
    return states[:, :7]


def misfit(poses: NDArray, recording: Recording) -> NDArray:
    """Return differences of position and attitude (as rotation vectors), each over its noise."""
    p, q = poses[:, 3:], recording.poses[:, 3:]
    scalar = np.einsum("ij,ij->i", p, q)
    vector = p[:, :1] * q[:, 1:] - q[:, :1] * p[:, 1:] - np.cross(p[:, 1:], q[:, 1:])
    turn = 2.0 * np.sign(scalar)[:, None] * vector
    shift = recording.poses[:, :3] - poses[:, :3]
    return np.concatenate(((shift / recording.position_noise).ravel(), (turn / recording.angle_noise).ravel()))
