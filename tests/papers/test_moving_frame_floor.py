"""Normal forces of (75): every combination of supported bodies tried, MuJoCo at rest, and bad input."""

from itertools import product

import numpy as np
import pytest

from serpenoid.errors import InvalidValue
from serpenoid.gaits.movements import Cobra
from serpenoid.robots import MovingFrameChain
from serpenoid_papers.moving_frame.floor import difference, settled
from serpenoid_papers.moving_frame.floor_forces import floor_accelerations, floor_torques
from serpenoid_papers.moving_frame.matrices import moving_frame_matrices

CHAIN = MovingFrameChain(bodies=4)
FLAT = np.array([0.4, 0.0, -0.7, 0.0])  # joints 1 and 3 turn about the vertical


def tried(rate, torque):
    """Return the only solution among all combinations of bodies that stay on the floor."""
    found = moving_frame_matrices(CHAIN, FLAT, rate)
    force = torque + found.weight - found.N_star @ rate
    up, bias = found.B[2::6], found.B_rate[2::6] @ rate
    inverse, answers = np.linalg.inv(found.M_star), []
    for choice in product((False, True), repeat=4):
        stays = np.array(choice)
        normal = np.zeros(4)
        rows = up[stays]
        if stays.any():
            need = -(rows @ inverse @ force + bias[stays])
            normal[stays] = np.linalg.lstsq(rows @ inverse @ rows.T, need, rcond=1e-12)[0]
        acceleration = inverse @ (force + up.T @ normal)
        rising = up @ acceleration + bias
        if normal.min() >= -1e-9 and rising.min() >= -1e-7 and np.abs(rising[stays]).max(initial=0.0) < 1e-7:
            answers.append(acceleration)
    return answers


def test_bodies_press_on_the_floor_or_leave_it():
    rng, kinds = np.random.default_rng(0), set()
    for _ in range(40):
        rate, torque = rng.normal(size=4) * [1.0, 0.0, 1.0, 0.0], rng.normal(size=4) * rng.choice([0.1, 0.6, 3.0])
        found = floor_accelerations(CHAIN, FLAT, rate, torque)
        answers = tried(rate, torque)
        assert answers
        for answer in answers:
            np.testing.assert_allclose(found.acceleration, answer, atol=1e-6 * np.abs(answer).max())
        kinds.add(tuple(found.normal > 1e-9))
    assert len(kinds) == 3  # one or both pieces between joints about y press


def test_forces_at_rest_are_those_of_mujoco():
    shape, still = Cobra().shape(CHAIN), np.zeros(4)
    found = floor_torques(CHAIN, shape, still, still)
    apart = difference(found, settled(CHAIN, shape, 0.5))
    assert max(apart.values()) < 1e-3
    assert np.all(found.normal[found.height > 0.0] == 0.0)
    weight = moving_frame_matrices(CHAIN, shape, still).weight
    np.testing.assert_allclose(found.torque + found.support, -weight, atol=1e-12)


def test_the_floor_relieves_the_motors():
    still = np.zeros(4)
    found = floor_torques(CHAIN, FLAT, still, still)
    assert np.abs(found.torque).max() < 0.2 * np.abs(found.torque + found.support).max()
    assert 0.0 < found.normal.sum() < 4 * CHAIN.module_mass * 9.81  # the tail carries the rest


def test_a_shape_below_the_floor_is_refused():
    with pytest.raises(InvalidValue, match="no body is below the floor"):
        floor_torques(CHAIN, [0.0, 0.3, 0.0, 0.0], np.zeros(4), np.zeros(4))
    with pytest.raises(InvalidValue, match="fixed_tail"):
        floor_torques(MovingFrameChain(bodies=4, fixed_tail=False), np.zeros(4), np.zeros(4), np.zeros(4))
