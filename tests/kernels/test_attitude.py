"""Roll and pitch: against scipy's Euler angles, over turns, and for many runs at once."""

import numpy as np
from scipy.spatial.transform import Rotation

from serpenoid.kernels.attitude import pitch_history, pitch_of, roll_history, roll_of, vertical


def test_they_are_the_euler_angles_of_scipy():
    turns = Rotation.random(200, random_state=3)
    up = vertical(turns.as_quat(scalar_first=True))
    np.testing.assert_allclose(up, turns.as_matrix()[:, 2], atol=1e-14)
    _, pitch, roll = turns.as_euler("ZYX").T
    np.testing.assert_allclose(roll_of(up), roll, atol=1e-12)
    np.testing.assert_allclose(pitch_of(up), pitch, atol=1e-12)


def test_a_history_goes_on_beyond_half_a_turn_whichever_sign_the_quaternion_has():
    angles = np.linspace(0.0, 12.0, 100)
    poses = np.zeros((2, 100, 7))
    poses[..., 3:] = Rotation.from_rotvec(np.outer(angles, (1.0, 0.0, 0.0))).as_quat(scalar_first=True)
    poses[1] *= -1.0
    np.testing.assert_allclose(roll_history(poses), np.broadcast_to(angles, (2, 100)), atol=1e-12)
    np.testing.assert_allclose(pitch_history(poses), 0.0, atol=1e-12)
