"""Stability along a gait: the periodic orbit of a floating robot and the Floquet multipliers of its return map.

Position and heading are left out: the water is the same everywhere. What is left of the base's state is its height, the
two tilts of the vertical and its twist, nine numbers; the return map takes them through one period of the gait.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import InvalidValue, SerpenoidError
from serpenoid.kernels.motion import motion_samples
from serpenoid.kernels.records import Motion
from serpenoid.kernels.tree_step import prescribed_rollout
from serpenoid.worlds.flotation import Afloat, Flotation
from serpenoid.worlds.water import WaterSurface

STEP = 1e-3  # longest integration step [s]
CLOSED = 1e-9  # how far one period of a periodic orbit may be from closing [m, -, m/s, rad/s]
NEARLY = 1e-6  # the same, where Newton's method stalls
LONGEST = 0.2  # step of Newton's method
SMALL = 1e-6  # step of the central differences [m, rad, m/s, rad/s]


@dataclass(frozen=True)
class Floquet:
    """A periodic orbit and how its neighbours move away from it."""

    period: float  # [s]
    state: NDArray  # the engine's flat state on the orbit, at the start of a period
    multipliers: NDArray  # (9,) complex, largest first
    residual: float  # how far one period is from closing [m, -, m/s, rad/s]

    @property
    def growth(self) -> float:
        """Rate at which the fastest neighbour departs: log of the largest multiplier over the period [1/s]."""
        return float(np.log(np.abs(self.multipliers[0])) / self.period)

    @property
    def stable(self) -> bool:
        """Whether no multiplier lies outside the unit circle, to the accuracy of the differences."""
        return bool(np.abs(self.multipliers[0]) < 1.0 + 1e-4)


class ReturnMap:
    """One period of a gait on the nine numbers that do not depend on position and heading."""

    def __init__(self, robot: Any, world: WaterSurface, motion: Motion, period: float):
        self.robot, self.world, self.motion, self.period = robot, world, motion, period
        self.tree, self.water = robot.tree(), world.surroundings(robot)
        self.steps = ceil(self.period / STEP)
        angles, rates, _ = motion_samples(self.motion, np.zeros(1))
        self.angles, self.rates = angles[0], rates[0]
        self.flotation = Flotation(robot, world, self.angles)
        self.inertia = self.flotation.full_inertia()

    def faster(self, ratio: float) -> ReturnMap:
        """The same map with the motion at another speed."""
        motion = self.motion._replace(rate=self.motion.rate * ratio)
        return ReturnMap(self.robot, self.world, motion, self.period / ratio)

    def state(self, reduced: NDArray) -> NDArray:
        """The flat state at heading zero of nine numbers: height, tilts (up_x, up_y), twist."""
        tilt = reduced[1:3]
        size = float(tilt @ tilt)
        up = np.array([*tilt, np.sqrt(1.0 - size)]) if size < 1.0 else np.array([*tilt / np.sqrt(size), 0.0])
        return np.concatenate((Afloat(up, float(reduced[0])).base_pose, self.angles, reduced[3:], self.rates))

    def reduced(self, state: NDArray) -> NDArray:
        """Nine numbers of a flat state."""
        w, x, y, z = state[3:7]
        up = (2.0 * (x * z - w * y), 2.0 * (y * z + w * x))
        joints = self.angles.size
        return np.array([state[2], *up, *state[7 + joints : 13 + joints]])

    def __call__(self, reduced: NDArray) -> NDArray:
        step = self.period / self.steps
        states = prescribed_rollout(
            self.tree, self.water, self.motion, self.state(reduced), 0, self.steps, self.steps, step
        )
        return self.reduced(states[-1])

    def derivative(self, reduced: NDArray) -> NDArray:
        """(9, 9) by central differences."""
        columns = [(self(reduced + SMALL * unit) - self(reduced - SMALL * unit)) / (2 * SMALL) for unit in np.eye(9)]
        return np.array(columns).T

    def start(self) -> NDArray:
        """At rest on the water: equilibrium of the first shape, no momentum."""
        pose = self.flotation.upright()
        return np.array([pose.height, pose.up[0], pose.up[1], *self.flotation.resting_twist(self.rates)])

    def conserved(self, reduced: NDArray) -> NDArray:
        """Horizontal velocity of the centre of mass (3) and spin about the vertical: they rest where only weight and
        buoyancy act, and no numbers where the water holds momentum or takes it."""
        if self.water.flow.moves or self.water.flow.adds:
            return np.zeros(0)
        matrix = self.inertia
        up = np.array([*reduced[1:3], np.sqrt(max(0.0, 1.0 - reduced[1:3] @ reduced[1:3]))])
        momentum = matrix[:6, :6] @ reduced[3:] + matrix[:6, 6:] @ self.rates
        center = np.array([matrix[1, 5], matrix[2, 3], matrix[0, 4]]) / matrix[0, 0]
        linear, spin = momentum[:3], (momentum[3:] - np.cross(center, momentum[:3])) @ up
        return np.array([*(linear - (linear @ up) * up) / matrix[0, 0], spin / matrix[5, 5]])

    def close(self, reduced: NDArray, rounds: int = 20) -> NDArray | None:
        """The fixed point that Newton's method reaches, what is conserved held at rest; None where it strays.

        On the edge of a tongue a multiplier is one and Newton's method stalls: its nearest guess is good enough there.
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


def floquet(robot: Any, world: WaterSurface, gait: Any) -> Floquet:
    """The periodic orbit of a gait nearest to rest on the water, and its multipliers.

    Where Newton's method does not reach it from rest, the orbit is followed from a slower gait, then from a faster one.
    """
    if not gait.frequency > 0.0:
        raise InvalidValue("gait.frequency", gait.frequency, "above 0: a gait that repeats itself")
    turn = ReturnMap(robot, world, gait.motion(robot), 1.0 / gait.frequency)
    orbit = turn.close(turn.start())
    for far in (0.7, 1.5):
        orbit = follow(turn, far) if orbit is None else orbit
    if orbit is None:
        raise SerpenoidError(f"no periodic orbit was found for {gait}")
    values = np.linalg.eigvals(turn.derivative(orbit))
    error = float(np.abs(turn(orbit) - orbit).max())
    return Floquet(turn.period, turn.state(orbit), values[np.argsort(-np.abs(values))], error)


def follow(turn: ReturnMap, far: float, steps: int = 8) -> NDArray | None:
    """The orbit continued from the gait at `far` times its speed to its own; None where it is lost."""
    orbit: NDArray | None = None
    for ratio in np.geomspace(far, 1.0, steps):
        slower = turn.faster(float(ratio))
        orbit = slower.close(slower.start() if orbit is None else orbit)
        if orbit is None:
            return None
    return orbit
