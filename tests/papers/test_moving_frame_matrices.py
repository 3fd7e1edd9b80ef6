"""Public matrices of the moving frame method, against the plain method, differences and the recursive dynamics."""

import naive_moving_frame as naive
import numpy as np
import pytest

from serpenoid.errors import InvalidValue
from serpenoid.robots import MovingFrameChain
from serpenoid.worlds.free import STANDARD_GRAVITY
from serpenoid_papers.moving_frame.agreement import by_recursion
from serpenoid_papers.moving_frame.matrices import moving_frame_matrices

JOINTS = 6


def chain_and_state(fixed):
    rng = np.random.default_rng(5)
    shape, rate, twist = rng.normal(size=JOINTS), rng.normal(size=JOINTS), rng.normal(size=6)
    return MovingFrameChain(bodies=JOINTS, fixed_tail=fixed), shape, rate, (0 * twist if fixed else twist)


@pytest.mark.parametrize("fixed", [True, False])
def test_against_the_plain_method_and_differences(fixed):
    robot, shape, rate, twist = chain_and_state(fixed)
    found = moving_frame_matrices(robot, shape, rate, twist=twist)
    tree = robot.tree()
    np.testing.assert_allclose(found.E, np.real(naive.frame_connections(tree, np.eye(4), shape)), atol=1e-12)
    np.testing.assert_allclose(found.B, naive.b_matrix(tree, np.eye(4), shape).real, atol=1e-12)
    if fixed:  # then B depends on the joint angles alone
        step = 1e-6
        ahead, behind = (moving_frame_matrices(robot, shape + sign * step * rate, rate).B for sign in (1, -1))
        np.testing.assert_allclose(found.B_rate, (ahead - behind) / (2 * step), atol=1e-8)


@pytest.mark.parametrize("fixed", [True, False])
def test_the_equations_of_motion_are_those_of_the_recursion(fixed):
    robot, shape, rate, twist = chain_and_state(fixed)
    found = moving_frame_matrices(robot, shape, rate, twist=twist, gravity=(0.0, 0.0, 0.0))
    torque = np.linspace(-0.3, 0.4, JOINTS)
    velocity = np.concatenate([[] if fixed else twist, rate])
    force = np.concatenate([np.zeros(velocity.size - torque.size), torque])
    acceleration = np.linalg.solve(found.M_star, force - found.N_star @ velocity)
    state = np.concatenate([[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], shape, twist, rate])
    np.testing.assert_allclose(acceleration, by_recursion(robot.tree(), state, torque), rtol=1e-9, atol=1e-9)


def test_the_weight_is_the_gradient_of_the_potential():
    robot, shape, rate, _ = chain_and_state(True)
    tree = robot.tree()

    def potential(angles):
        frames = moving_frame_matrices(robot, angles, rate).E
        height = [(frames[b] @ np.append(tree.center[b], 1.0))[2] for b in range(JOINTS + 1)]
        return STANDARD_GRAVITY * float(tree.mass @ height)

    steps = 1e-6 * np.eye(shape.size)
    slope = [(potential(shape + step) - potential(shape - step)) / 2e-6 for step in steps]
    np.testing.assert_allclose(moving_frame_matrices(robot, shape, rate).weight, -np.array(slope), atol=1e-7)


def test_wrong_sizes_are_one_line():
    with pytest.raises(InvalidValue, match="shape"):
        moving_frame_matrices(MovingFrameChain(bodies=JOINTS), np.zeros(3), np.zeros(JOINTS))
