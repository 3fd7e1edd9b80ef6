"""Rolling helices: of given radius and pitch, or of given winding, and the transition from rolling into one."""

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

KNOT_PERIOD = 0.02  # of the polynomials that follow the winding; between knots they err by less than 1e-10 rad [s]


@dataclass(frozen=True)
class RollingHelix(ModularGait):
    """The body wound into a helix that rolls about its own middle line: (4.12) and (4.17) of the SEA-snake thesis.

    With p = pitch / 2 pi: curvature kappa = r / (r^2 + p^2), torsion tau = p / (r^2 + p^2), amplitude
    A = (2 kappa / tau) sin(tau m), phase tau per metre of body; m is the distance between neighbouring joints.
    """

    radius: Annotated[float, above(0.0, usual=(0.06, 0.2))] = 0.1
    """of the body's middle line [m]"""
    pitch: Annotated[float, usual(-0.15, 0.15)] = 0.075
    """way along the axis per coil [m]; above twice the body's radius coils do not touch; negative: the other hand"""
    frequency: Annotated[float, at_least(0.0, usual=(0.05, 1.0))] = 0.25
    """turns of the body about its own middle line per second [Hz]"""
    reversal: Annotated[float, usual(0.0, pi)] = 0.0
    """beta, added to the dorsal phase [rad]; pi: the mirror image of the shape, which rolls the other way"""
    phase: Annotated[float, usual(-pi, pi)] = -0.5 * pi
    """of both waves at the snout at the start [rad]; at -pi/2 the lateral wave is the cosine of (4.17)"""

    def winding(self, robot: Robot) -> tuple[float, float]:
        """Amplitude [rad], and phase of both waves per metre of body [rad/m]."""
        p = self.pitch / (2.0 * pi)
        square = self.radius**2 + p**2
        curvature, torsion, m = self.radius / square, p / square, module_length(robot)
        sine = m * np.sinc(torsion * m / pi)  # sin(tau m) / tau, which is m where there is no pitch
        return float(2.0 * curvature * sine), torsion

    def compound(self, robot: Robot) -> CompoundSerpenoid:
        amplitude, torsion = self.winding(robot)
        check_bend(robot, self.radius, amplitude)
        return helical_waves(robot, amplitude, torsion, self.frequency, self.phase, self.reversal)


@dataclass(frozen=True)
class WindingHelix(ModularGait, ShapeFunction):
    """A rolling helix that tightens by one number, its winding R: (4.17) of the SEA-snake thesis.

    (R / ratio) cos(R x - Omega) lateral, sin dorsal, x the distance from the first joint [m].
    """

    units = {"winding": "rad/m", "phase": "rad"}
    metres = True

    winding: Annotated[float, usual(0.2, 1.6)] = 1.144
    """R, phase of both waves per metre of body [rad/m]; it grows as the helix tightens"""
    ratio: Annotated[float, above(0.0, usual=(0.5, 3.0))] = 1.0
    """k = omega_S / A, winding by amplitude [1/m]"""
    frequency: Annotated[float, usual(0.05, 1.0)] = 0.25
    """turns of the body about its own middle line per second [Hz]; negative: the other way"""
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
    """Return two waves a quarter apart, of so much phase per metre [rad/m], their phase [rad] given at the snout."""
    backbone = backbone_of(robot)
    return CompoundSerpenoid(
        amplitude, amplitude, torsion * backbone.unit, frequency=frequency, phase=phase - torsion * backbone.first,
        phase_offset=reversal - 0.5 * pi,
    )  # fmt: skip


@dataclass(frozen=True)
class RollIntoHelix(RollingHelix):
    """Rolling that winds itself into a rolling helix: amplitude and phase along the body grow together, smoothly.

    The amplitude goes from that of rolling to the helix's, the phase per metre from 0, both by the same step of fifth
    degree: angle, rate and acceleration are continuous throughout.
    """

    carries_phase: ClassVar[bool] = False  # its polynomials belong to its own phase

    rolling_amplitude: Annotated[float, usual(0.1, 0.4)] = 0.25
    """of all joints before [rad]"""
    begin: Annotated[float, at_least(0.0, usual=(0.0, 20.0))] = 2.0
    """when the winding begins [s]"""
    winding_time: Annotated[float, above(0.0, usual=(2.0, 20.0))] = 6.0
    """[s]"""

    def motion(self, robot: Robot) -> Motion:
        """The helix, and the way to it: the difference to the formula below as polynomials of fifth degree."""
        helix = super().motion(robot)
        count = int(np.ceil((self.begin + self.winding_time) / KNOT_PERIOD))
        knots = np.linspace(0.0, self.begin + self.winding_time, count + 1)
        place = body_positions(robot)
        difference = self.angles(robot, knots, place) - waves_at(helix, knots)
        return helix._replace(knots=knots, coefficients=hermite(knots, difference))

    def angles(self, robot: Robot, times: NDArray, place: NDArray) -> NDArray:
        """Angle, rate and acceleration (3, times, joints) of joints at places along the body [m]:
        A(t) sin(T(t) s - 2 pi f t + phases), A and T by the step of fifth degree."""
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
    """Mean distance of neighbouring joints along the body [m], lateral and dorsal in turn."""
    check_joints(robot, "RollingHelix", (True, True))
    joints = sorted({*robot.yaw_joints, *robot.pitch_joints})
    kinds = np.array([joint in robot.pitch_joints for joint in joints])
    if np.any(kinds[1:] == kinds[:-1]):
        raise Unsupported(f"{robot.called} has no lateral and dorsal joints in turn: it winds into no helix")
    return float(np.mean(np.diff(body_positions(robot)[joints])))


def check_bend(robot: Robot, radius: float, amplitude: float) -> None:
    """Refuse a helix that is tighter than the robot's joints can bend."""
    limits = robot.joint_range
    if limits is not None and abs(amplitude) > float(np.abs(limits).min()):
        least = 2.0 * module_length(robot) / float(np.abs(limits).min())
        allowed = (
            f"about {least:.3g} m or more: a tighter helix bends joints by {amplitude:.3g} rad, beyond their limit"
        )
        raise InvalidValue("radius", radius, allowed)


def smooth_step(share: NDArray, span: float) -> NDArray:
    """(3, times) of 10 s^3 - 15 s^4 + 6 s^5 between 0 and 1, its rate and acceleration per second."""
    s = np.clip(share, 0.0, 1.0)
    step = np.polynomial.Polynomial(SMOOTH_STEP)
    return np.array([step(s), step.deriv()(s) / span, step.deriv(2)(s) / span**2])


def waves_at(motion: Motion, times: NDArray) -> NDArray:
    """Angle, rate and acceleration (3, times, joints) of a motion's waves."""
    phase = np.multiply.outer(times, motion.rate) + motion.lag
    sine, cosine = motion.amplitude * np.sin(phase), motion.amplitude * np.cos(phase)
    return np.array([motion.offset + sine, motion.rate * cosine, -(motion.rate**2) * sine])


def hermite(knots: NDArray, values: NDArray) -> NDArray:
    """Coefficients (segments, 6, joints) of polynomials through values, rates, accelerations (3, knots, joints)."""
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
