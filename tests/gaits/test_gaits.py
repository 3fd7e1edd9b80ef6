"""Gaits against the formulas of their papers, and bad fields."""

import numpy as np
import pytest

from serpenoid.control import ShapeCompliance
from serpenoid.control.kernel_law import first_targets
from serpenoid.errors import InvalidValue
from serpenoid.gaits import (
    Bending,
    CompoundSerpenoid,
    Serpenoid,
    Sidewinding,
    Slithering,
    Swimming,
    Undulation,
    WindingHelix,
    along_body,
)
from serpenoid.gaits.waves import NATRIX_WAVE, SEA_WAVE
from serpenoid.kernels.motion import motion_samples
from serpenoid.robots import Natrix, PlanarSnake, SeaSnake

TIMES = np.linspace(0.0, 3.0, 50)


def test_serpenoid_is_equation_19():
    robot, gait = PlanarSnake(links=6), Serpenoid(amplitude=0.4, frequency=1.3, spatial_frequency=-25.0, offset=0.1)
    angles = motion_samples(gait.motion(robot), TIMES)[0]
    expected = [[0.4 * np.sin(2 * np.pi * 1.3 * t + i * 5.0) + 0.1 for i in range(5)] for t in TIMES]
    np.testing.assert_allclose(angles, expected, atol=1e-13)


@pytest.mark.parametrize("robot", [PlanarSnake(), Natrix()])
def test_undulation_is_equation_18(robot):
    gait = Undulation(amplitude=0.3, frequency=0.8, growth=0.4, **along_body(robot, 2.4 * np.pi))
    angles = motion_samples(gait.motion(robot), TIMES)[0]
    for j in range(robot.joints):
        s = robot.arc_positions[j]
        bends = j in robot.yaw_joints
        expected = 0.3 * np.exp(0.4 * s) * np.sin(2 * np.pi * (1.2 * s / robot.length - 0.8 * TIMES)) if bends else 0.0
        np.testing.assert_allclose(angles[:, j], expected + 0.0 * TIMES, atol=1e-13)


def test_bending_is_equation_17_with_a_mirrored_second_half():
    robot, gait = PlanarSnake(), Bending(half_period=10.0)
    times = np.linspace(0.0, 25.0, 101)
    angles, rates, _ = motion_samples(gait.motion(robot), times)
    t = np.where(times > 10.0, times - 10.0, times)
    half = (0.25 * t**4 - 0.5 * 10.0 * t**3 + 0.25 * 100.0 * t**2) / 160.0
    expected = np.where(times <= 10.0, half, np.where(times <= 20.0, -half, 0.0))
    np.testing.assert_allclose(angles, np.outer(expected, np.ones(robot.joints)), atol=1e-12)
    assert abs(angles.max() - 0.9765625) < 1e-12
    assert np.abs(rates[times >= 20.0]).max() < 1e-12


def test_compound_serpenoid_is_equation_3_1():
    robot = Natrix()
    gait = CompoundSerpenoid(
        amplitude=0.4, dorsal_amplitude=0.2, frequency=0.5, dorsal_frequency=1.5, phase_offset=0.3,
        offset=0.1, **along_body(robot, 3.0 * np.pi),
    )  # fmt: skip
    angles, rates, _ = motion_samples(gait.motion(robot), TIMES)
    j = robot.yaw_joints[2]
    s = robot.arc_positions[j] / robot.length
    expected = 0.1 + 0.4 * np.sin(3 * np.pi * s - 2 * np.pi * 0.5 * TIMES)
    np.testing.assert_allclose(angles[:, j], expected, atol=1e-13)
    np.testing.assert_allclose(rates[:, j], -0.4 * np.pi * np.cos(3 * np.pi * s - np.pi * TIMES), atol=1e-12)


@pytest.mark.parametrize(
    ("gait", "field"),
    [(Serpenoid, "amplitude"), (Undulation, "spatial_frequency"), (Bending, "scale"), (CompoundSerpenoid, "amplitude")],
)
def test_bad_fields_are_refused_by_name(gait, field):
    with pytest.raises(InvalidValue, match=field):
        gait(**{field: np.nan})


def test_default_waves_are_those_of_their_robots():
    """3 pi from snout to tail, 0 at the snout: NATRIX's and the SEA snake's own numbers, to rounding."""
    for wave, robot in ((NATRIX_WAVE, Natrix()), (SEA_WAVE, SeaSnake())):
        assert wave == pytest.approx(along_body(robot, 3.0 * np.pi), rel=1e-14)


@pytest.mark.parametrize("gait", [Slithering(), Sidewinding(taper=0.4, tapered="half"), WindingHelix(), Swimming()])
def test_a_shape_law_that_does_not_yield_is_its_gait(gait):
    robot, law = SeaSnake(), ShapeCompliance(gait, windows=(), parameters=())
    wave = motion_samples(gait.motion(robot), np.zeros(1))[0][0]
    np.testing.assert_allclose(first_targets(law, robot, 0.01), wave, atol=1e-12)
