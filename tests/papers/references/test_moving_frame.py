"""Moving frame kernels against a naive implementation, the complex step and conservation of energy."""

import naive_moving_frame as naive
import numpy as np
import oracle_pinocchio
import pytest

from serpenoid.kernels.records import Tree
from serpenoid.kernels.tree import forward as tree_forward
from serpenoid.kernels.tree import frames as tree_frames
from serpenoid.robots import MovingFrameChain
from serpenoid_papers.references import moving_frame

NO_GRAVITY = np.zeros(3)
GRAVITY = np.array([0.3, -0.2, -9.81])
TAILS = pytest.mark.parametrize("fixed", [True, False], ids=["fixed", "floating"])


def random_tree(rng, bodies, fixed, branching=False):
    """Return a tree of random numbers only, so that no symmetry hides an error."""
    axes = rng.normal(size=(bodies, 3))
    rotations = np.linalg.qr(rng.normal(size=(bodies, 3, 3)))[0]
    rotations *= np.linalg.det(rotations)[:, None, None]
    spread = rng.normal(size=(bodies, 3, 3))
    parent = np.array([-1] + [rng.integers(0, b) if branching else b - 1 for b in range(1, bodies)])
    return Tree(
        parent, np.ascontiguousarray(rotations), rng.normal(size=(bodies, 3)),
        axes / np.linalg.norm(axes, axis=1)[:, None], rng.uniform(0.5, 2.0, bodies), rng.normal(size=(bodies, 3)),
        spread @ spread.transpose(0, 2, 1) + np.eye(3), fixed, np.zeros((bodies - 1, 2)),
    )  # fmt: skip


def random_state(rng, bodies):
    state = rng.normal(size=7 + 6 + 2 * (bodies - 1))
    state[3:7] /= np.linalg.norm(state[3:7])
    return state


def forward(record, state, torque, gravity):
    return moving_frame.forward(record, state, torque, gravity, moving_frame.matrix_space(record))


def inverse(record, state, wanted, gravity):
    return moving_frame.inverse(record, state, wanted, gravity, moving_frame.matrix_space(record))


def close(ours, theirs, tolerance=1e-12):
    assert np.abs(ours - theirs).max() <= tolerance * max(1.0, np.abs(theirs).max())


@TAILS
@pytest.mark.parametrize("branching", [False, True], ids=["chain", "tree"])
def test_b_matrix_and_its_rate(fixed, branching):
    rng = np.random.default_rng(1)
    for bodies in (2, 3, 8):
        tree, state = random_tree(rng, bodies, fixed, branching), random_state(rng, bodies)
        work = moving_frame.frames(tree, state)
        B = moving_frame.b_matrix(tree, work, moving_frame.empty_matrix(tree))
        close(B, naive.b_matrix(tree, naive.base_of(state), state[7 : 6 + bodies]).real)
        close(B @ moving_frame.velocities(tree, state), naive.body_velocities(tree, state))
        close(moving_frame.b_matrix_rate(tree, work, moving_frame.empty_matrix(tree)), naive.b_matrix_rate(tree, state))


@TAILS
def test_reduced_equations(fixed):
    rng = np.random.default_rng(2)
    tree, state = random_tree(rng, 9, fixed, branching=True), random_state(rng, 9)
    ours = moving_frame.reduced_equations(tree, state, GRAVITY, moving_frame.matrix_space(tree))
    for found, expected in zip(ours, naive.reduced_equations(tree, state, GRAVITY), strict=True):
        close(found, expected)


@TAILS
def test_forward_and_inverse_are_each_others_inverse(fixed):
    rng = np.random.default_rng(3)
    for bodies in (2, 7, 21):
        tree, state = random_tree(rng, bodies, fixed), random_state(rng, bodies)
        wanted = rng.normal(size=bodies - 1)
        acceleration, torque = inverse(tree, state, wanted, GRAVITY)
        close(acceleration[-wanted.size :], wanted)
        close(forward(tree, state, torque, GRAVITY), acceleration, 1e-9)


@TAILS
def test_power_of_the_weights_is_the_loss_of_height(fixed):
    """Power of the weights: F* q' = sum of m g . v, because F* = B^T Q is the dual of X' = B q'."""
    rng = np.random.default_rng(4)
    tree, state = random_tree(rng, 6, fixed, branching=True), random_state(rng, 6)
    weight = moving_frame.reduced_equations(tree, state, GRAVITY, moving_frame.matrix_space(tree))[2]
    first = 1 if fixed else 0
    velocity = naive.body_velocities(tree, state).reshape(-1, 6)[:, :3]
    close(weight @ moving_frame.velocities(tree, state), (tree.mass[first:] * (velocity @ GRAVITY)).sum())


@TAILS
def test_kinetic_energy_has_no_source_but_the_torques(fixed):
    """Energy balance d/dt (q' M* q' / 2) = T q' along the motion; without gravity it holds only with a correct N*."""
    rng = np.random.default_rng(5)
    tree, state = random_tree(rng, 6, fixed), random_state(rng, 6)
    torque = rng.normal(size=5)
    acceleration = forward(tree, state, torque, NO_GRAVITY)
    rates = moving_frame.velocities(tree, state)
    work = moving_frame.frames(tree, state)
    B = moving_frame.b_matrix(tree, work, moving_frame.empty_matrix(tree))
    rate = moving_frame.b_matrix_rate(tree, work, moving_frame.empty_matrix(tree))
    M = np.zeros((B.shape[0],) * 2)
    for block in range(B.shape[0] // 6):
        body = block + (1 if fixed else 0)
        M[6 * block : 6 * block + 3, 6 * block : 6 * block + 3] = tree.mass[body] * np.eye(3)
        M[6 * block + 3 : 6 * block + 6, 6 * block + 3 : 6 * block + 6] = tree.inertia[body]
    power = (B @ rates) @ M @ (B @ acceleration + rate @ rates)
    close(power, torque @ rates[-5:], 1e-10)


def recursion(record, state, torque):
    """Forward dynamics by articulated bodies, without gravity."""
    joints = record.parent.size - 1
    out = np.zeros(6 + joints)
    tree_forward.forward_dynamics(
        record, state[7 : 7 + joints], state[13 + joints :], torque, state[7 + joints : 13 + joints],
        np.zeros((0, 6)), tree_frames.workspace(record), tree_forward.articulated_workspace(record), out,
    )  # fmt: skip
    return out[6:] if record.fixed_base else out


@TAILS
def test_recursion_moving_frame_and_pinocchio_agree(fixed):
    rng = np.random.default_rng(6)
    for bodies in range(1, 41):
        chain = MovingFrameChain(bodies=bodies, fixed_tail=fixed).tree()
        for _ in range(3):
            state, torque = random_state(rng, bodies + 1), rng.normal(size=bodies)
            if fixed:
                state[7 + bodies : 13 + bodies] = 0.0
            ours = forward(chain, state, torque, NO_GRAVITY)
            close(ours, recursion(chain, state, torque), 1e-9)
            close(ours, oracle_pinocchio.forward(chain, state, torque, NO_GRAVITY), 1e-9)
            heavy = forward(chain, state, torque, GRAVITY)
            close(heavy, oracle_pinocchio.forward(chain, state, torque, GRAVITY), 1e-9)


def test_a_tree_of_any_shape_agrees_too():
    rng = np.random.default_rng(7)
    for fixed in (True, False):
        record, state, torque = random_tree(rng, 15, fixed, branching=True), random_state(rng, 15), rng.normal(size=14)
        ours = forward(record, state, torque, GRAVITY)
        close(ours, oracle_pinocchio.forward(record, state, torque, GRAVITY), 1e-9)


@TAILS
def test_motor_torques_reduce_to_themselves(fixed):
    """B^T Q = T for the moment T(a) e(a) - T(a+1) e(a+1) on body a: a motor acts only on its column."""
    rng = np.random.default_rng(8)
    record, state, torque = random_tree(rng, 7, fixed), random_state(rng, 7), rng.normal(size=6)
    B = moving_frame.b_matrix(record, moving_frame.frames(record, state), moving_frame.empty_matrix(record))
    moments = np.zeros((7, 6))
    for body in range(1, 7):
        moments[body, 3:] += torque[body - 1] * record.axis[body]
        moments[body - 1, 3:] -= torque[body - 1] * record.rotation[body] @ record.axis[body]
    reduced = B.T @ moments[1 if fixed else 0 :].ravel()
    close(reduced, torque if fixed else np.concatenate([np.zeros(6), torque]))
