"""The SEA snake: the sizes of its table, links against cylinders put together by hand, and its shape in the plane."""

from __future__ import annotations

import numpy as np
import pytest

from serpenoid.errors import InvalidValue
from serpenoid.robots import PD, Cascade, Gains, SeaSnake


@pytest.mark.parametrize(("modules", "length", "mass"), [(16, 1.174, 3.657), (18, 1.302, 4.067)])
def test_sizes_are_those_of_the_table(modules, length, mass):
    robot = SeaSnake(modules=modules)
    assert robot.length == pytest.approx(length, rel=1e-9)
    assert robot.mass == pytest.approx(mass, rel=1e-9)
    assert robot.tree().mass.sum() == pytest.approx(mass, rel=1e-12)
    assert robot.joints == len(robot.joint_names) == modules and len(robot.link_names) == modules + 1


def test_joints_take_turns_and_links_meet_at_them():
    robot = SeaSnake()
    tree = robot.tree()
    assert (robot.yaw_joints, robot.pitch_joints) == (tuple(range(0, 18, 2)), tuple(range(1, 18, 2)))
    np.testing.assert_array_equal(tree.axis[1:][list(robot.yaw_joints)], np.tile((0.0, 0.0, 1.0), (9, 1)))
    np.testing.assert_array_equal(tree.axis[1:][list(robot.pitch_joints)], np.tile((0.0, 1.0, 0.0), (9, 1)))
    np.testing.assert_allclose(np.cumsum(tree.offset[:, 0])[1:], robot.arc_positions)
    np.testing.assert_allclose(np.diff(robot.arc_positions), 0.064)


def whole(masses, centers, inertias):
    """Mass, centre and inertia of parts in a row."""
    mass, center = masses.sum(), (masses * centers).sum() / masses.sum()
    return mass, center, (inertias + masses * (centers - center) ** 2).sum()


@pytest.mark.parametrize("modules", [2, 5, 18])
def test_tree_and_planar_pieces_weigh_and_turn_as_the_cylinders_do(modules):
    robot = SeaSnake(modules=modules)
    rods = whole(*robot.rods()[0])
    tree, pieces = robot.tree(), robot.planar_chain()
    front = np.append(0.0, robot.arc_positions)
    np.testing.assert_allclose(whole(tree.mass, front + tree.center[:, 0], tree.inertia[:, 2, 2]), rods)
    chain = pieces.chain
    ends = np.cumsum(chain.length)
    np.testing.assert_allclose(whole(chain.mass, ends - chain.length + chain.center, chain.inertia), rods)
    np.testing.assert_allclose(ends[:-1], robot.arc_positions[pieces.joints])
    assert ends[-1] == pytest.approx(robot.length)


def test_it_displaces_2_66_litres():
    assert sum(prism.volume for prism in SeaSnake().prisms()) == pytest.approx(2.66e-3, rel=2e-3)


def test_bad_drives_are_refused_in_one_line():
    with pytest.raises(InvalidValue, match="spring = 0.0"):
        Cascade(spring=0.0)
    with pytest.raises(InvalidValue, match="drive.stiffness = 0.0: must be above 0: it is the spring"):
        SeaSnake(drive=PD(0.0, 0.3, 7.0))
    with pytest.raises(InvalidValue, match="min_output"):
        Gains(min_output=2.0)
    assert Cascade().record(3).gains.shape == (3, 3, 14)
