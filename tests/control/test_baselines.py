"""Joint-space admittance, pattern generator and user-defined shape functions, compared with formulas and naive code."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import pi
from typing import ClassVar

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from serpenoid.control import (
    CentralPatternGenerator,
    JointAdmittance,
    Observation,
    OwnShape,
    Parameter,
    ShapeCompliance,
    Windows,
    Yielding,
)
from serpenoid.control.shape_compliance import SLITHERING
from serpenoid.errors import InvalidValue, SerpenoidError, UnknownName, Unsupported
from serpenoid.gaits import ConicalSidewinding, Slithering
from serpenoid.robots import PlanarSnake, SeaSnake

ROBOT, PERIOD = SeaSnake(), 0.01
LATERAL = list(ROBOT.yaw_joints)


def run(controller, torques, robot=ROBOT):
    """Targets of a law that is fed with torques (ticks, joints), and the law."""
    law, still = controller.start(robot, PERIOD, np.random.default_rng(0)), np.zeros(robot.joints)
    found = []
    for tick, torque in enumerate(torques):
        told = {"joint_position": still, "joint_velocity": still, "joint_torque": torque}
        found.append(law(Observation(tick * PERIOD, told)).position.copy())
    return np.array(found), law


def nominal(times):
    """The open-loop wave of slithering on lateral joints, (4.1)."""
    return pi / 4 * np.sin(3 * pi * np.arange(0, 18, 2) / 18 - 1.8 * times[:, None])


def test_without_torques_the_baselines_are_the_open_loop_wave():
    quiet, times = np.zeros((200, ROBOT.joints)), np.arange(200) * PERIOD
    for controller in (JointAdmittance(), CentralPatternGenerator()):
        targets, _ = run(controller, quiet)
        assert np.allclose(targets[:, LATERAL], nominal(times), atol=1e-9), controller
        assert np.all(targets[:, 1::2] == 0.0)


def test_a_joint_is_a_damped_spring_about_its_angle():
    """S13 for joints: against an integration of (3.7) that knows nothing of periods."""
    push = np.zeros((150, ROBOT.joints))
    push[:, 4] = 0.7
    targets, law = run(JointAdmittance(), -push)
    free = nominal(np.arange(150) * PERIOD)
    solved = solve_ivp(
        lambda t, y: [y[1], (0.7 - 3 * y[1] - 3 * y[0]) / 0.1], (0, 1.49), [0, 0], rtol=1e-10, atol=1e-12
    )
    assert abs((targets[-1, 4] - free[-1, 2]) - solved.y[0, -1]) < 1e-8
    assert np.allclose(np.delete(targets[:, LATERAL] - free, 2, axis=1), 0.0, atol=1e-12)
    assert abs(law.signals()["joint_yielded"].value[4] - solved.y[0, -1]) < 1e-8


def naive_generator(c, torques):
    """The oscillators from their equations, one line each."""
    s = np.arange(0, 18, 2) / 18
    phase, a, w = 3 * pi * s, np.zeros((9, 2)), np.zeros((8, 2))
    found = []
    for tick, torque in enumerate(torques):
        if tick:
            tau, amplitude, wave = -torque[LATERAL], c.gait.amplitude + a[:, 0], 3 * pi + w[:, 0]
            difference = wave * np.diff(s)
            rate = -2.0 * pi * c.gait.frequency + c.phase_gain * amplitude * np.cos(phase) * tau
            rate[:-1] += c.coupling * np.sin(np.diff(phase) - difference)
            rate[1:] -= c.coupling * np.sin(np.diff(phase) - difference)
            swing = amplitude * np.cos(phase) * tau
            for row, value, states, force in (
                (c.amplitude, c.gait.amplitude, a, np.sin(phase) * tau),
                (c.spatial_frequency, c.gait.spatial_frequency, w, 0.5 * np.diff(s) * np.diff(swing)),
            ):
                carry, push = row.over_period(PERIOD)
                states[:] = states @ carry.reshape(2, 2).T + np.outer(force + row.bias, push)
                beyond = (value + states[:, 0] < row.low) | (value + states[:, 0] > row.high)
                states[beyond, 1] = 0.0
                states[:, 0] = np.clip(states[:, 0], row.low - value, row.high - value)
            phase = phase + PERIOD * rate
        found.append(np.clip((c.gait.amplitude + a[:, 0]) * np.sin(phase), -c.angle_limit, c.angle_limit))
    return np.array(found)


def test_the_generator_does_as_its_naive_twin():
    rng = np.random.default_rng(1)
    torques = np.repeat(2.0 * rng.standard_normal((30, ROBOT.joints)), 10, axis=0)
    targets, law = run(CentralPatternGenerator(), torques)
    assert np.allclose(targets[:, LATERAL], naive_generator(CentralPatternGenerator(), torques), atol=1e-9)
    assert law.signals()["oscillator_wave"].value.std() > 1e-3


@pytest.mark.parametrize("controller", [JointAdmittance(), CentralPatternGenerator()])
def test_missing_readings_hold_the_command(controller):
    torques = np.full((6, ROBOT.joints), 0.5)
    torques[3, 8] = np.nan
    targets, law = run(controller, torques[:4])
    assert np.array_equal(targets[3], targets[2]) and law.signals()["law_held"].value == 1.0
    targets, law = run(controller, torques)
    assert not np.array_equal(targets[4], targets[3]) and law.signals()["law_held"].value == 0.0


@dataclass(frozen=True)
class Bump(OwnShape):
    """A wave whose amplitude grows along the body."""

    units = {"amplitude": "rad", "spatial_frequency": "rad/body", "phase": "rad"}
    planes = ("lateral",)
    amplitude: float = 0.25 * pi
    spatial_frequency: float = 3.0 * pi
    phase: float = 0.0
    frequency: float = 1.8 / (2.0 * pi)
    growth: float = 0.0
    wrong: float = 0.0

    def angle(self, s, lateral, value, integral):
        return (1.0 + self.growth * s) * value[0] * np.sin(integral[1] - value[2])

    def slopes(self, s, lateral, value, integral, by_value, by_integral):
        phase, factor = integral[1] - value[2], 1.0 + self.growth * s
        by_value[0] = factor * np.sin(phase) + self.wrong
        by_value[2] = -factor * value[0] * np.cos(phase)
        by_integral[1] = factor * value[0] * np.cos(phase)


def test_a_shape_function_of_ones_own_works_with_all_the_rest():
    torques = np.repeat(np.random.default_rng(4).standard_normal((10, ROBOT.joints)), 10, axis=0)
    mine, _ = run(ShapeCompliance(Bump()), torques)
    ours, _ = run(ShapeCompliance(), torques)
    assert np.allclose(mine, ours, atol=1e-12)
    grown, _ = run(ShapeCompliance(Bump(growth=0.5)), torques)
    assert np.abs(grown - ours).max() > 0.05


def test_parameters_may_stand_in_any_order():
    torques = np.random.default_rng(4).standard_normal((20, ROBOT.joints))
    turned = ShapeCompliance(Bump(), parameters=tuple(reversed(SLITHERING)))
    assert np.array_equal(run(turned, torques)[0], run(ShapeCompliance(Bump()), torques)[0])


class Broken(Bump):
    """Reads beyond its parameters."""

    def angle(self, s, lateral, value, integral):
        return value[3]


class Uncompiled(Bump):
    """Python takes it, numba does not."""

    def angle(self, s, lateral, value, integral):
        return Bump.angle(self, s, lateral, value, integral)


class Nameless(Bump):
    """Says nothing of its parameters."""

    units: ClassVar = {}


class Sideways(Bump):
    """Names a plane that there is not."""

    planes = ("sideways",)


def sense_five(controller):
    """A law for 18 joints that is given the readings of a robot with 5."""
    five = dict.fromkeys(("joint_position", "joint_velocity", "joint_torque"), np.zeros(5))
    controller.start(ROBOT, PERIOD, None)(Observation(0.0, five))


def changed(name, **changes):
    return tuple(replace(p, **changes) if p.name == name else p for p in SLITHERING)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ShapeCompliance(Bump(wrong=0.1)), "Bump.slopes by value amplitude = .*: must be the slope of angle"),
        (
            lambda: ShapeCompliance(Nameless(), parameters=(), windows=()),
            "Nameless.units = {}: must be a unit for each parameter",
        ),
        (lambda: ShapeCompliance(Sideways()), "Sideways.planes = .*: must be a tuple of lateral and dorsal"),
        (
            lambda: ShapeCompliance(Broken()),
            r"gait = 'Broken': must be .* angle\(s.*IndexError: index 3 is out of",
        ),
        (lambda: ShapeCompliance(Uncompiled()).kernel(ROBOT, PERIOD), "gait = 'Uncompiled': .* numba can compile"),
        (lambda: Parameter("a", damping=0.0), "damping = 0.0"),
        (lambda: CentralPatternGenerator(amplitude=Yielding(low=2.0)), "gait.amplitude = .*: must be within"),
        (lambda: Yielding(low=2.0, high=2.0), "low = 2.0: must be below high"),
        (lambda: Parameter("a", mass=0.0), "mass = 0.0"),
        (lambda: ShapeCompliance(windows=(Windows(span=0.2),)).kernel(ROBOT, PERIOD), "span = 0.2"),
        (lambda: ShapeCompliance(windows=(Windows(pace="speed"),)), "pace"),
        (lambda: ShapeCompliance(windows=(Windows(), Windows())), "names that differ"),
        (lambda: ShapeCompliance(Slithering(amplitude=2.0)), "gait.amplitude = 2.0: must be within"),
        (lambda: ShapeCompliance(ConicalSidewinding()), "gait.tapered = 'whole': must be half"),
        (lambda: ShapeCompliance(parameters=changed("amplitude", windows="other")), "windows of amplitude"),
        (lambda: ShapeCompliance(parameters=changed("spatial_frequency", low=0.0)), "least value is above 0"),
        (lambda: ShapeCompliance().kernel(PlanarSnake(links=2), PERIOD), "at least 2"),
        (lambda: sense_five(ShapeCompliance()), "joints of the observation = 5: must be 18, as the robot"),
        (lambda: sense_five(CentralPatternGenerator()), "that CentralPatternGenerator was started for"),
    ],
)
def test_bad_input_is_one_clear_line(make, words):
    with pytest.raises(SerpenoidError, match=words) as caught:
        make()
    assert isinstance(caught.value, InvalidValue | UnknownName | Unsupported) and "\n" not in str(caught.value)
