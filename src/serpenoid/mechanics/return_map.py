"""Return map of a floating robot over one period of a gait, and its fixed points, the periodic orbits.

Position and heading are omitted, because the water is the same everywhere. The rest of the base's state is its
height, the two tilts of the vertical and its twist: nine numbers.
"""

from __future__ import annotations

from copy import copy
from math import ceil

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import require
from serpenoid.gaits.limits import check_limits
from serpenoid.kernels.attitude import roll_of, vertical
from serpenoid.kernels.motion import motion_samples
from serpenoid.kernels.records import Motion
from serpenoid.kernels.tree.scene import NO_WRENCHES
from serpenoid.kernels.tree.step import prescribed_rollout
from serpenoid.robots.base import Robot
from serpenoid.support.kernel_inputs import environment_of, tree_of
from serpenoid.worlds.flotation import Afloat, Flotation
from serpenoid.worlds.water import WaterSurface

STEP = 1e-3  # longest integration step [s]
CLOSED = 1e-9  # largest closing error of a periodic orbit [m, -, m/s, rad/s]
NEARLY = 1e-6  # the same, if Newton's method stalls
LONGEST = 0.2  # step of Newton's method
PERIODS = 20  # number of periods whose mean is a guess of the orbit
SMALL = 1e-6  # step of the central differences [m, rad, m/s, rad/s]


class ReturnMap:
    """Map of nine numbers, independent of position and heading, over one period of a gait."""

    def __init__(self, robot: Robot, world: WaterSurface, motion: Motion, period: float):
        still = "0: a period of the gait is none of the waves"
        require(world.waves.height == 0.0, "world.waves.height", world.waves.height, still)
        self.robot, self.world, self.motion, self.period = robot, world, motion, period
        check_limits(robot, motion)
        self.tree, self.water = tree_of(robot), environment_of(world, robot)
        self.steps = ceil(self.period / STEP)
        angles, rates, _ = motion_samples(self.motion, np.zeros(1))
        self.angles, self.rates = angles[0], rates[0]
        self.flotation = Flotation(robot, world, self.angles)
        self.inertia = self.flotation.full_inertia()

    def faster(self, ratio: float) -> ReturnMap:
        """Return the same map with the motion at another speed."""
        other = copy(self)
        other.motion = self.motion._replace(rate=self.motion.rate * ratio)
        other.period = self.period / ratio
        other.steps = ceil(other.period / STEP)
        other.rates = motion_samples(other.motion, np.zeros(1))[1][0]
        return other

    def state(self, reduced: NDArray) -> NDArray:
        """Return the flat state at heading zero for nine numbers: height, tilts (up_x, up_y), twist."""
        tilt = reduced[1:3]
        size = float(tilt @ tilt)
        up = np.array([*tilt, np.sqrt(1.0 - size)]) if size < 1.0 else np.array([*tilt / np.sqrt(size), 0.0])
        return np.concatenate((Afloat(up, float(reduced[0])).base_pose, self.angles, reduced[3:], self.rates))

    def reduced(self, state: NDArray) -> NDArray:
        """Return the nine numbers of a flat state."""
        joints = self.angles.size
        return np.array([state[2], *vertical(state[3:7])[:2], *state[7 + joints : 13 + joints]])

    def __call__(self, reduced: NDArray) -> NDArray:
        return self.reduced(self.states(reduced, self.steps)[-1])

    def states(self, reduced: NDArray, every: int) -> NDArray:
        """Return flat states after every `every`-th step of the period."""
        step, start = self.period / self.steps, self.state(reduced)
        return prescribed_rollout(self.tree, self.water, self.motion, start, 0, self.steps, every, step, NO_WRENCHES)

    def largest_roll(self, reduced: NDArray) -> float:
        """Return the largest roll of link 0 over the period [rad]."""
        return float(np.abs(roll_of(vertical(self.states(reduced, 1)[:, 3:7]))).max())

    def derivative(self, reduced: NDArray) -> NDArray:
        """Return the Jacobian (9, 9) by central differences."""
        columns = [(self(reduced + SMALL * unit) - self(reduced - SMALL * unit)) / (2 * SMALL) for unit in np.eye(9)]
        return np.array(columns).T

    def start(self) -> NDArray:
        """Return the floating equilibrium of the first shape, with zero momentum."""
        pose = self.flotation.upright()
        return np.array([pose.height, pose.up[0], pose.up[1], *self.flotation.resting_twist(self.rates)])

    def find(self) -> NDArray | None:
        """Return a fixed point that Newton's method reaches from rest, or from the mean of some periods begun at
        rest.

        Without damping a start at rest orbits the fixed point permanently, so the mean is a better guess than rest.
        """
        rest = self.start()
        orbit = self.close(rest)
        if orbit is not None:
            return orbit
        points = [rest]
        for _ in range(PERIODS):
            points.append(self(points[-1]))
        return self.close(np.mean(points, axis=0))

    def conserved(self, reduced: NDArray) -> NDArray:
        """Return the horizontal velocity of the centre of mass (3) and the spin about the vertical.

        They are conserved if only weight and buoyancy act. The array is empty if the water stores or removes
        momentum.
        """
        if self.water.flow.moves or self.water.flow.adds:
            return np.zeros(0)
        matrix = self.inertia
        up = np.array([*reduced[1:3], np.sqrt(max(0.0, 1.0 - reduced[1:3] @ reduced[1:3]))])
        momentum = matrix[:6, :6] @ reduced[3:] + matrix[:6, 6:] @ self.rates
        center = np.array([matrix[1, 5], matrix[2, 3], matrix[0, 4]]) / matrix[0, 0]
        linear, spin = momentum[:3], (momentum[3:] - np.cross(center, momentum[:3])) @ up
        return np.array([*(linear - (linear @ up) * up) / matrix[0, 0], spin / matrix[5, 5]])

    def close(self, reduced: NDArray, rounds: int = 20) -> NDArray | None:
        """Return the fixed point that Newton's method reaches with conserved quantities at zero; None if it diverges.

        On the edge of a tongue a multiplier is one and Newton's method stalls: its best iterate is sufficient there.
        """
        nearest, guess = np.inf, reduced
        for _ in range(rounds):
            error = np.concatenate((self(reduced) - reduced, self.conserved(reduced)))
            if not np.isfinite(error).all():
                return None
            if np.abs(error).max() < nearest:
                nearest, guess = float(np.abs(error).max()), reduced
            if nearest < CLOSED:
                return guess
            held = [
                (self.conserved(reduced + SMALL * unit) - self.conserved(reduced - SMALL * unit)) / (2 * SMALL)
                for unit in np.eye(9)
            ]
            slope = np.vstack((self.derivative(reduced) - np.eye(9), np.array(held).T))
            move = np.linalg.lstsq(slope, -error, rcond=1e-9)[0]
            reduced = reduced + move * min(1.0, LONGEST / np.abs(move).max())
        return guess if nearest < NEARLY else None
