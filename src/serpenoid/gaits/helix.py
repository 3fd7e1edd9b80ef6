"""Rolling helices, given by radius and pitch or by winding, and the transition from rolling into a helix."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import pi
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, at_least, usual
from serpenoid.errors import InvalidValue, Unsupported
from serpenoid.gaits.arc import Backbone, backbone_of, body_positions
from serpenoid.gaits.modular import ModularGait, check_joints
from serpenoid.gaits.movements import SMOOTH_STEP
from serpenoid.gaits.shapes import Plane, ShapeFunction, needs_planes, waves
from serpenoid.gaits.waves import CompoundSerpenoid, mask
from serpenoid.kernels.laws.shape_records import Waves
from serpenoid.kernels.records import Motion
from serpenoid.robots.base import Robot

KNOT_PERIOD = 0.02  # [s], of the polynomials that follow the winding; their error between knots is below 1e-10 rad


@dataclass(frozen=True)
class RollingHelix(ModularGait):
    """Body wound into a helix that rolls about its own centre line: (4.12) and (4.17) of the SEA-snake thesis.

    With p = pitch / 2 pi, the curvature is kappa = r / (r^2 + p^2) and the torsion is tau = p / (r^2 + p^2). The
    amplitude is A = (2 kappa / tau) sin(tau m), and the phase is tau per metre of body. m is the distance between
    neighbouring joints.
    """

    radius: Annotated[float, above(0.0, usual=(0.06, 0.2))] = 0.1
    """radius of the body's centre line [m]"""
    pitch: Annotated[float, usual(-0.15, 0.15)] = 0.075
    """distance along the axis per coil [m]; coils do not touch above twice the body radius; negative: opposite
    handedness
    """
    frequency: Annotated[float, at_least(0.0, usual=(0.05, 1.0))] = 0.25
    """rotations of the body about its own centre line per second [Hz]"""
    reversal: Annotated[float, usual(0.0, pi)] = 0.0
    """beta, added to the dorsal phase [rad]; pi: mirror image of the shape, which rolls in the opposite direction"""
    phase: Annotated[float, usual(-pi, pi)] = -0.5 * pi
    """initial phase of both waves at the snout [rad]; at -pi/2 the lateral wave is the cosine of (4.17)"""

    def winding(self, robot: Robot) -> tuple[float, float]:
        """Return the amplitude [rad] and the phase of both waves per metre of body [rad/m]."""
        p = self.pitch / (2.0 * pi)
        square = self.radius**2 + p**2
        curvature, torsion, m = self.radius / square, p / square, module_length(robot)
        sine = m * np.sinc(torsion * m / pi)  # sin(tau m) / tau, which is m at zero pitch
        return float(2.0 * curvature * sine), torsion

    def compound(self, robot: Robot) -> CompoundSerpenoid:
        amplitude, torsion = self.winding(robot)
        check_bend(robot, self.radius, amplitude)
        return helical_waves(robot, amplitude, torsion, self.frequency, self.phase, self.reversal)


@dataclass(frozen=True)
class WindingHelix(ModularGait, ShapeFunction):
    """Rolling helix that tightens with one parameter, its winding R: (4.17) of the SEA-snake thesis.

    The lateral angle is (R / ratio) cos(R x - Omega), the dorsal angle uses sin. x is the distance from the first
    joint [m].
    """

    units = {"winding": "rad/m", "phase": "rad"}
    metres = True

    winding: Annotated[float, usual(0.2, 1.6)] = 1.144
    """R, phase of both waves per metre of body [rad/m]; a larger value tightens the helix"""
    ratio: Annotated[float, above(0.0, usual=(0.5, 3.0))] = 1.0
    """k = omega_S / A, ratio of winding to amplitude [1/m]"""
    frequency: Annotated[float, usual(0.05, 1.0)] = 0.25
    """rotations of the body about its own centre line per second [Hz]; negative: opposite direction"""
    phase: Annotated[float, usual(-pi, pi)] = 0.0
    """Omega at the start [rad]"""

    def compound(self, robot: Robot) -> CompoundSerpenoid:
        phase = self.phase - 0.5 * pi + self.winding * backbone_of(robot).first
        return helical_waves(robot, self.winding / self.ratio, self.winding, self.frequency, phase)

    def moved(self, backbone: Backbone) -> tuple[int, ...]:
        needs_planes(self, backbone)
        return (*backbone.lateral, *backbone.dorsal)

    def record(self, backbone: Backbone, places: Mapping[str, int]) -> tuple[Waves, int, NDArray]:
        lateral = Plane(backbone.lateral, "winding", "winding", scale=1.0 / self.ratio, lead=0.5 * pi)
        return waves(backbone, places, (lateral, lateral._replace(joints=backbone.dorsal, lead=0.0)))


def helical_waves(
    robot: Robot, amplitude: float, torsion: float, frequency: float, phase: float, reversal: float = 0.0
) -> CompoundSerpenoid:
    """Return two waves a quarter period apart, with `torsion` [rad/m] along the body and `phase` [rad] at the snout."""
    backbone = backbone_of(robot)
    return CompoundSerpenoid(
        amplitude, amplitude, torsion * backbone.unit, frequency=frequency, phase=phase - torsion * backbone.first,
        phase_offset=reversal - 0.5 * pi,
    )  # fmt: skip


@dataclass(frozen=True)
class RollIntoHelix(RollingHelix):
    """Rolling that winds into a rolling helix: amplitude and phase along the body grow together, smoothly.

    The amplitude changes from that of rolling to that of the helix. The phase per metre starts at zero. Both follow
    the same quintic step, so angle, rate and acceleration are continuous.
    """

    carries_phase: ClassVar[bool] = False  # its polynomials depend on its own phase

    rolling_amplitude: Annotated[float, usual(0.1, 0.4)] = 0.25
    """amplitude of all joints before the winding [rad]"""
    begin: Annotated[float, at_least(0.0, usual=(0.0, 20.0))] = 2.0
    """time at which the winding begins [s]"""
    winding_time: Annotated[float, above(0.0, usual=(2.0, 20.0))] = 6.0
    """duration of the winding [s]"""

    def motion(self, robot: Robot) -> Motion:
        """Return the helix plus quintics for the transition: the difference from the formula of `angles`."""
        helix = super().motion(robot)
        count = int(np.ceil((self.begin + self.winding_time) / KNOT_PERIOD))
        knots = np.linspace(0.0, self.begin + self.winding_time, count + 1)
        place = body_positions(robot)
        difference = self.angles(robot, knots, place) - waves_at(helix, knots)
        return helix._replace(knots=knots, coefficients=hermite(knots, difference))

    def angles(self, robot: Robot, times: NDArray, place: NDArray) -> NDArray:
        """Return angle, rate and acceleration (3, times, joints) of joints at positions along the body [m].

        The angle is A(t) sin(T(t) s - 2 pi f t + phases), where A and T follow the quintic step.
        """
        amplitude, torsion = self.winding(robot)
        steps = smooth_step((times - self.begin) / self.winding_time, self.winding_time)
        size = (
            self.rolling_amplitude * np.array([1.0, 0.0, 0.0])[:, None] + (amplitude - self.rolling_amplitude) * steps
        )
        dorsal = mask(robot.joints, robot.pitch_joints)
        bends = dorsal | mask(robot.joints, robot.yaw_joints)
        lag = np.where(dorsal, self.reversal - 0.5 * pi, 0.0) - self.phase
        rate = 2.0 * pi * self.frequency
        phase = torsion * np.multiply.outer(steps, place)
        phase[0] += lag - rate * times[:, None]
        phase[1] -= rate
        a, da, dda = size[:, :, None]
        sine, cosine = np.sin(phase[0]), np.cos(phase[0])
        return bends * np.array([
            a * sine,
            da * sine + a * phase[1] * cosine,
            (dda - a * phase[1] ** 2) * sine + (2.0 * da * phase[1] + a * phase[2]) * cosine,
        ])  # fmt: skip


def module_length(robot: Robot) -> float:
    """Return the mean distance between neighbouring joints along the body [m]; lateral and dorsal joints must
    alternate.
    """
    check_joints(robot, "RollingHelix", (True, True))
    joints = sorted({*robot.yaw_joints, *robot.pitch_joints})
    kinds = np.array([joint in robot.pitch_joints for joint in joints])
    if np.any(kinds[1:] == kinds[:-1]):
        raise Unsupported(f"lateral and dorsal joints of {robot.called} do not alternate: it cannot form a helix")
    return float(np.mean(np.diff(body_positions(robot)[joints])))


def check_bend(robot: Robot, radius: float, amplitude: float) -> None:
    """Raise if a helix is tighter than the robot's joints can bend."""
    limits = robot.joint_range
    if limits is not None and abs(amplitude) > float(np.abs(limits).min()):
        least = 2.0 * module_length(robot) / float(np.abs(limits).min())
        allowed = (
            f"about {least:.3g} m or more: a tighter helix needs joint angles of {amplitude:.3g} rad, beyond the limits"
        )
        raise InvalidValue("radius", radius, allowed)


def smooth_step(share: NDArray, span: float) -> NDArray:
    """Return 10 s^3 - 15 s^4 + 6 s^5 between 0 and 1, with its first two time derivatives (3, times)."""
    s = np.clip(share, 0.0, 1.0)
    step = np.polynomial.Polynomial(SMOOTH_STEP)
    return np.array([step(s), step.deriv()(s) / span, step.deriv(2)(s) / span**2])


def waves_at(motion: Motion, times: NDArray) -> NDArray:
    """Return angle, rate and acceleration (3, times, joints) of the waves of a motion."""
    phase = np.multiply.outer(times, motion.rate) + motion.lag
    sine, cosine = motion.amplitude * np.sin(phase), motion.amplitude * np.cos(phase)
    return np.array([motion.offset + sine, motion.rate * cosine, -(motion.rate**2) * sine])


def hermite(knots: NDArray, values: NDArray) -> NDArray:
    """Return coefficients (segments, 6, joints) of quintics through values, rates and accelerations (3, knots,
    joints).
    """
    span = np.diff(knots)[:, None]
    (p, q), (v, w), (a, b) = ((part[:-1], part[1:]) for part in values)
    v, w, a, b = v * span, w * span, a * span**2, b * span**2
    rest = (q - p - v - 0.5 * a, w - v - a, b - a)
    c = [
        p, v, 0.5 * a,
        10.0 * rest[0] - 4.0 * rest[1] + 0.5 * rest[2],
        -15.0 * rest[0] + 7.0 * rest[1] - rest[2],
        6.0 * rest[0] - 3.0 * rest[1] + 0.5 * rest[2],
    ]  # fmt: skip
    return np.stack([part / span**k for k, part in enumerate(c)], axis=1)
