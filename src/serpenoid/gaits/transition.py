"""Gait transitions at run time: the phase continues, and joint targets do not jump."""

from __future__ import annotations

from math import pi
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.gaits.base import Gait, shift_polynomial
from serpenoid.gaits.limits import check_limits
from serpenoid.kernels.motion import motion_samples
from serpenoid.kernels.records import Motion
from serpenoid.robots.base import Robot
from serpenoid.support.kernel_inputs import motion_of

BLEND_CYCLES = 0.25  # length of the transition, in cycles of the faster gait; longer ones would overshoot
LONGEST_BLEND = 0.5  # [s]


class Lead(NamedTuple):
    """Active gait and its motion from a time on."""

    gait: Gait
    motion: Motion  # including the blend from the previous motion
    time: float  # start of this gait [s]
    phase: float  # phase of the gait at that time [rad]
    origin: float  # start time of the gait's polynomial part, if it has one [s]

    @classmethod
    def first(cls, gait: Gait, robot: Robot) -> Lead:
        """Return a gait from the start of the run."""
        return cls(gait, motion_of(gait, robot), 0.0, 0.0, 0.0)

    def phase_at(self, time: float) -> float:
        """Return the phase of the gait [rad]."""
        return self.phase + 2.0 * pi * self.gait.frequency * (time - self.time)

    def followed_by(self, gait: Gait, robot: Robot, time: float) -> Lead:
        """Switch to another gait, or to other parameters of the same one, at a time [s].

        The phase continues. The differences in targets, rates and accelerations fade out over a quarter of the
        faster cycle. The fade is a quintic polynomial, so none of them jumps.
        """
        phase = self.phase_at(time) if gait.carries_phase else 0.0
        old, new = motion_of(self.gait, robot), motion_of(gait, robot)
        fastest = max(abs(self.gait.frequency), abs(gait.frequency), BLEND_CYCLES / LONGEST_BLEND)
        blend = BLEND_CYCLES / fastest
        same_course = np.array_equal(old.knots, new.knots) and np.array_equal(old.coefficients, new.coefficients)
        origin = self.origin if same_course else time
        new = set_phase(new, gait.frequency, time, phase)._replace(knots=new.knots + origin)
        check_limits(robot, new)
        here = np.array([time])
        difference = [a[0] - b[0] for a, b in zip(motion_samples(self.motion, here), motion_samples(new, here))]
        return Lead(gait, with_polynomial(new, *fade(time, blend, np.array(difference))), time, phase, origin)


def set_phase(motion: Motion, frequency: float, time: float, phase: float) -> Motion:
    """Return a motion with the given gait phase [rad] at a time [s]; waves of other rates keep their ratio to the
    gait's.
    """
    ratio = motion.rate / (2.0 * pi * frequency) if frequency != 0.0 else np.ones_like(motion.rate)
    return motion._replace(time_start=float(time), lag=motion.lag + ratio * phase)


def fade(start: float, span: float, difference: NDArray) -> tuple[NDArray, NDArray]:
    """Return knots and coefficients (1, 6, joints) of a fade to rest at zero within `span` [s].

    It starts from the given values, rates and accelerations (3, joints).
    """
    value, rate, acceleration = difference[0], difference[1] * span, difference[2] * span**2
    c = [
        value,
        rate,
        0.5 * acceleration,
        -10.0 * value - 6.0 * rate - 1.5 * acceleration,
        15.0 * value + 8.0 * rate + 1.5 * acceleration,
        -6.0 * value - 3.0 * rate - 0.5 * acceleration,
    ]
    scaled = np.array([part / span**k for k, part in enumerate(c)])
    return np.array([start, start + span]), scaled[None]


def with_polynomial(motion: Motion, knots: NDArray, coefficients: NDArray) -> Motion:
    """Return the sum of a motion and a piecewise polynomial."""
    if not motion.coefficients.any():
        return motion._replace(knots=knots, coefficients=np.ascontiguousarray(coefficients))
    merged = np.unique(np.concatenate([motion.knots, knots]))
    degree = max(motion.coefficients.shape[1], coefficients.shape[1])
    out = np.zeros((merged.size - 1, degree, motion.offset.size))
    for course in ((motion.knots, motion.coefficients), (knots, coefficients)):
        for segment, (begin, end) in enumerate(zip(merged, merged[1:])):
            piece = piece_from(*course, begin, 0.5 * (begin + end))
            out[segment, : len(piece)] += piece
    return motion._replace(knots=merged, coefficients=out)


def piece_from(knots: NDArray, coefficients: NDArray, begin: float, middle: float) -> NDArray:
    """Return coefficients (degree + 1, joints), relative to `begin`, of the polynomial valid at `middle`; constant
    outside.
    """
    last = coefficients.shape[0] - 1
    segment = int(np.clip(np.searchsorted(knots, middle, side="right") - 1, 0, last))
    if middle < knots[0]:
        return coefficients[0, :1]
    if middle >= knots[-1]:
        return shift_polynomial(coefficients[last], knots[-1] - knots[-2])[:1]
    return shift_polynomial(coefficients[segment], begin - knots[segment])
