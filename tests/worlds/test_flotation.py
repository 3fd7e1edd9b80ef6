"""Set S2 against flotation, metacentric heights and frequencies of the spec, equilibria and sinking robots."""

from dataclasses import replace

import numpy as np
import pytest

from serpenoid.errors import InvalidValue, Unsupported
from serpenoid.gaits import Undulation
from serpenoid.kernels.motion import motion_samples
from serpenoid.mechanics.equilibrium import equilibrium
from serpenoid.mechanics.linear import linearise
from serpenoid.robots import MovingFrameChain, Natrix
from serpenoid.robots.prism import Prism, regular_polygon, section_integrals
from serpenoid.worlds import WaterSurface
from serpenoid.worlds.flotation import Flotation
from serpenoid.worlds.water import Hydrodynamics

ROBOT, WORLD = Natrix(), WaterSurface()


def area_below(polygon, level):
    """Area of a polygon below z = level, by many thin strips."""
    edges = np.linspace(polygon[:, 1].min(), level, 20001)
    middles = 0.5 * (edges[1:] + edges[:-1])
    width = np.zeros_like(middles)
    for a, b in zip(polygon, np.roll(polygon, -1, axis=0)):
        inside = (a[1] <= middles) != (b[1] <= middles)
        at = a[0] + (b[0] - a[0]) * (middles[inside] - a[1]) / (b[1] - a[1])
        width[inside] += np.sign(b[1] - a[1]) * at
    return float(width @ np.diff(edges)), width, middles


def test_module_and_shell_float_65_percent_immersed_with_gm_8_millimetres():
    triangle = next(p for p in ROBOT.prisms() if len(p.section) == 18).polygon()
    mass = ROBOT.module.mass + ROBOT.shell.mass
    needed = mass / ROBOT.module_length / 1000.0
    area, width, middles = area_below(triangle, 9.66e-3)
    assert area == pytest.approx(needed, rel=2e-4)
    assert area / section_integrals(triangle)[0] == pytest.approx(0.65, abs=1e-3)
    buoyancy = (width @ middles) / width.sum()
    metacentre = buoyancy + width[-1] ** 3 / 12.0 / area
    assert metacentre - ROBOT.module.mass * ROBOT.module.center_z / mass == pytest.approx(8.1e-3, abs=5e-5)


def test_masses_and_volumes_of_the_set():
    assert ROBOT.tree().mass.sum() == pytest.approx(5.84, abs=5e-3)
    assert sum(p.volume for p in ROBOT.prisms()) == pytest.approx(9.42e-3, abs=5e-6)
    assert ROBOT.head.mass / (1000 * ROBOT.prisms()[0].volume) == pytest.approx(0.40, abs=1e-3)
    assert ROBOT.neck.mass / (1000 * ROBOT.prisms()[1].volume) == pytest.approx(0.40, abs=1e-3)


def test_eigenfrequencies_of_the_set():
    """f_roll 1.147 Hz straight, 1.34-1.40 (mean 1.371) over the gait at Q = 0.25; 2.46 and 2.00 Hz beside it."""
    assert linearise(ROBOT, WORLD).frequency("roll") == pytest.approx(1.147, abs=5e-4)
    shapes = motion_samples(Undulation(0.25, 1.0).motion(ROBOT), np.arange(16) / 16)[0]
    models = [linearise(ROBOT, WORLD, shape) for shape in shapes]
    roll = np.array([model.frequency("roll") for model in models])
    assert roll.mean() == pytest.approx(1.371, abs=2e-3)
    assert roll.min() == pytest.approx(1.34, abs=6e-3) and roll.max() == pytest.approx(1.40, abs=6e-3)
    assert models[0].frequencies[1:] == pytest.approx([2.00, 2.46], abs=5e-3)


def test_stiffness_is_symmetric_and_agrees_with_the_energy():
    shape = 0.2 * np.random.default_rng(3).normal(size=14)
    flotation = Flotation(ROBOT, WORLD, shape)
    pose = flotation.upright()
    stiffness = flotation.stiffness(pose)
    assert np.abs(stiffness - stiffness.T).max() < 1e-5
    for direction in np.eye(6):
        bent = [flotation.energy(pose.displaced(s * 1e-3 * direction)) for s in (-1, 0, 1)]
        assert (bent[0] - 2 * bent[1] + bent[2]) / 1e-6 == pytest.approx(direction @ stiffness @ direction, abs=2e-2)


def euler_sum(equilibria):
    """Minima - saddles + maxima of the tilt energy: 2 where every equilibrium was found."""
    return sum((-1) ** int(np.sum(e.stiffness[1:] < 0.0)) for e in equilibria)


def test_all_equilibria_of_the_straight_robot_are_found():
    """Only upright is stable; upside down and on either end are unstable, with minima - saddles + maxima = 2."""
    found = equilibrium(ROBOT, WORLD, starts=40)
    assert [e.stable for e in found] == [True, False, False, False]
    assert euler_sum(found) == 2
    assert abs(found[0].roll) < 1e-9 and abs(found[1].roll) == pytest.approx(np.pi, abs=1e-6)
    flotation = Flotation(ROBOT, WORLD)
    for one in found:
        assert np.abs(flotation.wrench(one.pose)).max() < 1e-6


def test_what_cannot_float_is_refused_in_one_line():
    heavy = replace(ROBOT, module=replace(ROBOT.module, mass=2.0))
    with pytest.raises(InvalidValue, match="mass"):
        Flotation(heavy, WORLD)
    with pytest.raises(Unsupported, match="no outer shape"):
        WORLD.environment(MovingFrameChain(3))
    with pytest.raises(InvalidValue, match="shape"):
        Flotation(ROBOT, WORLD, [0.0])
    with pytest.raises(InvalidValue, match="linear_drag"):
        Hydrodynamics(linear_drag=-1.0)
    with pytest.raises(InvalidValue, match="each wetted body"):
        WaterSurface(hydrodynamics=Hydrodynamics(added_mass=(1.0, 2.0))).environment(ROBOT)
    with pytest.raises(InvalidValue, match="cross itself"):
        Prism(0, 0.0, 1.0, tuple(reversed(regular_polygon(4, 1.0)[:2])) + regular_polygon(4, 1.0)[2:])
