"""Recursion against the closed sums (14)-(16), and forward against inverse dynamics."""

import numpy as np
import pytest

from serpenoid.kernels.tree.forward import articulated_workspace, forward_dynamics
from serpenoid.kernels.tree.frames import workspace
from serpenoid.kernels.tree.matrix import closed_sums, mass_matrix
from serpenoid.kernels.tree.recursion import inverse_dynamics
from serpenoid.robots.moving_frame import MovingFrameChain
from serpenoid.robots.natrix import Natrix

ROBOTS = [Natrix(), MovingFrameChain(2), MovingFrameChain(5, fixed_tail=False), MovingFrameChain(20, fixed_tail=False)]


@pytest.mark.parametrize("robot", ROBOTS, ids=lambda robot: f"{type(robot).__name__}{robot.joints}")
def test_recursion_equals_closed_sums_and_forward_dynamics_inverts_it(robot):
    tree, joints, random = robot.tree(), robot.joints, np.random.default_rng(1)
    work, articulated, matrix = workspace(tree), articulated_workspace(tree), np.zeros((6 + joints, 6 + joints))
    for _ in range(50):
        angles, rates, accelerations = random.normal(size=(3, joints))
        twist = np.zeros(6) if tree.fixed_base else random.normal(size=6)
        wrenches = random.normal(size=(joints + 1, 6))
        base, torques, out = np.zeros(6), np.zeros(joints), np.zeros(6 + joints)
        inverse_dynamics(tree, angles, rates, accelerations, twist, wrenches, base, torques)
        M, M_q, beta = closed_sums(tree, angles, rates, twist, wrenches)
        mass_matrix(tree, angles, work, matrix)
        assert relative(matrix[:6, :6], M) < 1e-12 and relative(matrix[:6, 6:], M_q) < 1e-12
        if not tree.fixed_base:
            assert relative(base, -np.linalg.solve(M, beta + M_q @ accelerations)) < 1e-10
        forward_dynamics(tree, angles, rates, torques, twist, wrenches, work, articulated, out)
        assert relative(out[:6], base) < 1e-9 and relative(out[6:], accelerations) < 1e-9


def relative(ours, theirs):
    """Return the largest difference over the largest value."""
    return np.abs(ours - theirs).max() / max(np.abs(theirs).max(), 1e-300)
