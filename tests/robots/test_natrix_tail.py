"""Passive tail of NATRIX: its body, its spring against a closed form, and drives that cannot have one."""

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.errors import InvalidValue
from serpenoid.gaits import Undulation
from serpenoid.kernels.tree.frames import workspace
from serpenoid.kernels.tree.matrix import mass_matrix
from serpenoid.robots import PD, Natrix, SeriesElastic
from serpenoid.robots.natrix import BODIES, Tail

TAIL = Tail(length=0.25, stiffness=0.4, damping=0.0)
STIFF = PD(stiffness=200.0, damping=0.3, torque_limit=100.0)


def test_a_tail_is_one_more_body_behind_the_last_module():
    robot, bare = Natrix(tail=TAIL, drive=STIFF), Natrix()
    tree = robot.tree()
    assert robot.joints == bare.joints + 1 == len(robot.joint_names) == len(robot.link_names) - 1
    assert tree.parent[BODIES] == 8 and robot.link_names[8] == "module_7"
    assert tree.mass[:BODIES].tolist() == bare.tree().mass.tolist()
    assert robot.length == pytest.approx(bare.length + 0.25)
    assert tree.mass[BODIES] == pytest.approx(650.0 * np.pi * 0.03**2 * 0.25, rel=0.02)  # a 24-gon in its circle
    assert robot.yaw_joints == bare.yaw_joints and np.isnan(robot.arc_positions[BODIES - 1])


def test_the_tail_swings_at_the_frequency_of_its_spring_and_inertias():
    """Free space, all other joints held stiff: two bodies on a spring, w^2 = K / (reduced inertia)."""
    robot = Natrix(tail=TAIL, drive=STIFF)
    start = np.zeros(15)
    start[14] = 0.05
    run = sp.simulate(
        robot, sp.worlds.FreeSpace(), Undulation(0.0, 0.0), 2.0,
        initial=sp.Initial(joint_position=tuple(start)), sample_period=0.005,
    )  # fmt: skip
    angle = run["joint_position"][:, 14]
    crossings = np.flatnonzero(np.diff(np.sign(angle)))
    fine = run.times[crossings] - angle[crossings] * 0.005 / (angle[crossings + 1] - angle[crossings])
    found = np.pi / np.diff(fine).mean()
    matrix, moving = np.empty((21, 21)), [*range(6), 20]  # the base and the tail's hinge
    mass_matrix(robot.tree(), np.zeros(15), workspace(robot.tree()), matrix)
    inverse = np.linalg.inv(matrix[np.ix_(moving, moving)])[-1, -1]
    assert found == pytest.approx(np.sqrt(0.4 * inverse), rel=0.03)
    assert np.abs(run["joint_position"][:, :8]).max() < 0.01


def test_prescribed_joints_and_other_drives_have_no_passive_tail():
    with pytest.raises(InvalidValue, match="robot.drive = pd"):
        Natrix(tail=TAIL)
    with pytest.raises(sp.SerpenoidError, match="joint tail is passive"):
        sp.simulate(Natrix(tail=TAIL, drive=SeriesElastic()), sp.worlds.FreeSpace(), Undulation(0.0, 0.0), 0.1)
