"""Immersed prisms against closed forms, convex hulls, Monte Carlo and the gradient of their own potential."""

import numpy as np
import pytest
from naive_hydrostatics import convex_immersion, monte_carlo_immersion

from serpenoid.kernels.compile import kernel
from serpenoid.kernels.records import Prisms
from serpenoid.kernels.water import hydrostatics
from serpenoid.kernels.water.hydrostatics import CUT, immersed_prisms
from serpenoid.robots.prism import regular_polygon, rounded_triangle
from serpenoid.worlds.water import sections_record

TRIANGLE = np.array(rounded_triangle(0.04, 0.022))
ROUND = np.array(regular_polygon(24, 0.04069))
BOX = np.array([(-0.05, -0.03), (0.05, -0.03), (0.05, 0.03), (-0.05, 0.03)])
NOTCHED = np.array([(-0.05, -0.03), (0.05, -0.03), (0.05, 0.04), (0.0, -0.01), (-0.05, 0.04)])  # not convex


@kernel
def prism_integrals(sections, prisms, planes, work, integrals):
    """Call immersed_prisms() from Python."""
    immersed_prisms(sections, prisms, planes, np.empty(CUT), work, integrals)


def immersion(polygon, start, end, plane, turn=0.0):
    """Return the five integrals of one prism under one plane (n_x, n_y, n_z, d)."""
    one = np.zeros(1, np.int64)
    integrals = np.empty(5)
    prisms = Prisms(one, one, np.array([float(start)]), np.array([float(end)]), np.cos([turn]), np.sin([turn]))
    scratch = np.empty(hydrostatics.WORK)
    prism_integrals(sections_record([polygon]), prisms, np.array(plane, dtype=float), scratch, integrals)
    return integrals


def random_normal(rng):
    normal = rng.normal(size=3)
    return normal / np.linalg.norm(normal)


def rotation(axis, angle):
    """Return the rotation by an angle about a unit vector."""
    x, y, z = axis
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * skew + (1 - np.cos(angle)) * skew @ skew


@pytest.mark.parametrize("polygon", [TRIANGLE, ROUND, BOX])
def test_random_poses_agree_with_cut_convex_hulls(polygon):
    rng = np.random.default_rng(1)
    cut = 0
    for _ in range(150):
        plane = (*random_normal(rng), rng.uniform(-0.08, 0.08))
        found = immersion(polygon, -0.085, 0.085, plane)
        volume, centroid = convex_immersion(polygon, -0.085, 0.085, plane)
        assert found[0] == pytest.approx(volume, abs=1e-10)
        assert found[1:4] == pytest.approx(volume * centroid, abs=1e-11)
        assert found[4] == pytest.approx(-(plane[3] * found[0] + found[1:4] @ np.array(plane[:3])), abs=1e-15)
        cut += 0.0 < volume < 0.98 * immersion(polygon, -0.085, 0.085, (0, 0, 1, -1))[0]
    assert cut > 75


@pytest.mark.parametrize(
    "axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0.6, 0.8, 0), (0.28, 0, 0.96), (1e-13, 0, 1), (1, 1e-13, 0)]
)
def test_half_immersed_prism_holds_half_its_volume_in_any_pose(axis):
    """A plane through the centre of a centrally symmetric prism halves it."""
    normal = np.array(axis) / np.linalg.norm(axis)
    for polygon in (ROUND, BOX):
        whole = immersion(polygon, -0.085, 0.085, (0, 0, 1, -1))[0]
        for plane in ((*normal, 0.0), (*-normal, 0.0)):
            assert immersion(polygon, -0.085, 0.085, plane)[0] == pytest.approx(whole / 2, rel=1e-9)


@pytest.mark.parametrize("angle", np.radians([0.0, 5.0, 30.0, 60.0, 85.0, 89.999, 90.0, 120.0, 180.0]))
def test_pitched_half_immersed_box_agrees_with_its_trapezoids(angle):
    """Box of half-length a and half-height b, pitched about y with the water through its centre."""
    a, b, width = 0.085, 0.03, 0.10
    found = immersion(BOX, -a, a, (np.sin(angle), 0.0, np.cos(angle), 0.0))
    s, c = np.sin(angle), np.cos(angle)
    if abs(s) * a <= abs(c) * b:  # the waterline leaves through the ends: z = -x tan(angle)
        slope = s / c
        first_x, first_z = (
            -np.sign(c) * slope * width * 2 * a**3 / 3,
            -np.sign(c) * width * a * (b**2 - slope**2 * a**2 / 3),
        )
    else:  # it leaves through top and bottom: x = -z / tan(angle)
        slope = c / s
        first_x, first_z = (
            -np.sign(s) * width * b * (a**2 - slope**2 * b**2 / 3),
            -np.sign(s) * slope * width * 2 * b**3 / 3,
        )
    assert found[0] == pytest.approx(2 * a * b * width, rel=1e-9)
    assert found[1] == pytest.approx(first_x, abs=1e-13)
    assert found[3] == pytest.approx(first_z, abs=1e-13)
    assert found[2] == pytest.approx(0.0, abs=1e-15)


def test_a_section_that_is_not_convex_agrees_with_monte_carlo():
    rng = np.random.default_rng(2)
    for _ in range(6):
        plane = (*random_normal(rng), rng.uniform(-0.03, 0.03))
        mean, error = monte_carlo_immersion(NOTCHED, -0.1, 0.05, plane, 200_000, rng)
        assert np.all(np.abs(immersion(NOTCHED, -0.1, 0.05, plane)[:4] - mean) < 5 * error + 1e-12)


def test_dry_and_whole():
    assert immersion(TRIANGLE, 0.0, 0.1, (0, 0, 1, 0.5)).tolist() == [0.0] * 5
    wet = immersion(TRIANGLE, 0.0, 0.1, (0.6, 0, 0.8, -0.5))
    assert wet[0] == pytest.approx(8127.5e-6 * 0.1, rel=1e-5)
    assert wet[1] == pytest.approx(wet[0] * 0.05, rel=1e-12)


@pytest.mark.parametrize("polygon", [TRIANGLE, NOTCHED])
def test_gradient_of_the_potential_is_the_wrench(polygon):
    """U = rho g int depth dV; dU = -force . dr - moment . dtheta in body axes, checked at a moving pose."""
    rng = np.random.default_rng(3)
    weight, step = 9810.0, 1e-5
    for _ in range(40):
        normal, d = random_normal(rng), rng.uniform(-0.05, 0.05)
        found = immersion(polygon, -0.085, 0.085, (*normal, d)) * weight
        force, moment = found[0] * normal, np.cross(found[1:4], normal)
        for direction in np.eye(3):
            shifted = [
                immersion(polygon, -0.085, 0.085, (*normal, d + sign * step * normal @ direction))[4]
                for sign in (1, -1)
            ]
            turned = [
                immersion(polygon, -0.085, 0.085, (*rotation(direction, -sign * step) @ normal, d))[4]
                for sign in (1, -1)
            ]
            assert -weight * (shifted[0] - shifted[1]) / (2 * step) == pytest.approx(
                force @ direction, abs=1e-7 * weight * 0.0014
            )
            assert -weight * (turned[0] - turned[1]) / (2 * step) == pytest.approx(moment @ direction, abs=1e-7)


def test_work_round_a_closed_path_vanishes():
    """A prism moved along a large closed loop of heave, roll and pitch: the total work of buoyancy is zero."""

    def power(phase):
        roll, pitch, heave = 1.5 * np.sin(phase), 0.9 * np.cos(phase), 0.05 * np.sin(phase + 1.0)
        roll_rate, pitch_rate, heave_rate = 1.5 * np.cos(phase), -0.9 * np.sin(phase), 0.05 * np.cos(phase + 1.0)
        turn = rotation((0, 1, 0), pitch) @ rotation((1, 0, 0), roll)
        normal = turn[2]
        found = immersion(TRIANGLE, -0.085, 0.085, (*normal, heave))
        spin = roll_rate * np.array([1.0, 0.0, 0.0]) + pitch_rate * rotation((1, 0, 0), -roll) @ np.array(
            [0.0, 1.0, 0.0]
        )
        return 9810.0 * np.array(
            [found[0] * heave_rate + np.cross(found[1:4], normal) @ spin, abs(found[0] * heave_rate)]
        )

    for count, bound in ((256, 1e-4), (2048, 1e-7)):
        work = np.mean([power(phase) for phase in 2 * np.pi * np.arange(count) / count], axis=0)
        assert abs(work[0]) < bound * work[1]


def test_two_gauss_points_a_piece_are_exact_and_fixed_stations_are_not():
    """Two points on pieces split at the vertices are exact; plain Gauss rules along the whole body converge slowly."""
    normal = np.array([np.sin(np.radians(85.0)), 0.0, np.cos(np.radians(85.0))])
    plane = (*normal, 0.004)
    exact, _ = convex_immersion(TRIANGLE, -0.085, 0.085, plane)
    assert immersion(TRIANGLE, -0.085, 0.085, plane)[0] == pytest.approx(exact, rel=1e-9)
    errors = []
    for count in (4, 8, 16, 32):
        points, weights = np.polynomial.legendre.leggauss(count)
        thin = [immersion(TRIANGLE, x - 1e-7, x + 1e-7, plane)[0] / 2e-7 for x in 0.085 * points]
        errors.append(abs(0.085 * weights @ thin / exact - 1.0))
    assert errors[1] > 1e-3 and errors[3] > 1e-6


def test_a_vertex_that_crosses_the_surface_leaves_the_force_continuous():
    """Volume and first moments do not jump, and the volume has no kink, as a vertex of the triangle submerges."""
    vertex = TRIANGLE[0]
    normal = np.array([0.1, 0.3, 0.9])
    normal /= np.linalg.norm(normal)
    level = -(normal[1] * vertex[0] + normal[2] * vertex[1])
    for scale in (1e-6, 1e-9):
        below, at, above = (immersion(TRIANGLE, 0.0, 0.1, (*normal, level + sign * scale)) for sign in (-1, 0, 1))
        assert below == pytest.approx(above, abs=5e-2 * scale)
        assert below[0] - 2 * at[0] + above[0] == pytest.approx(0.0, abs=20 * scale**2 + 1e-17)


def test_a_turned_section_is_the_same_as_turned_vertices():
    rng = np.random.default_rng(4)
    for _ in range(20):
        plane, turn = (*random_normal(rng), rng.uniform(-0.04, 0.04)), rng.uniform(-np.pi, np.pi)
        spun = TRIANGLE @ rotation((1, 0, 0), turn)[1:, 1:].T
        assert immersion(TRIANGLE, 0.0, 0.1, plane, turn) == pytest.approx(immersion(spun, 0.0, 0.1, plane), abs=1e-15)
