"""The shells against roll, within their limits, where the open loop capsizes."""

import numpy as np
import pytest

from serpenoid.control.roll import SHELLS, RollStabiliser
from serpenoid.errors import InvalidValue
from serpenoid.gaits import Undulation
from serpenoid.kernels.motion import motion_samples
from serpenoid.scenarios.natrix import NatrixAfloat


def test_the_head_stays_upright_within_the_limits():
    gait = Undulation(0.25, 1.40)
    run = NatrixAfloat(gait=gait, duration=8.0, roll_seed=np.radians(8.0), step=0.002, stabilise=True).run()
    limits = RollStabiliser()
    assert np.degrees(np.abs(run["roll"][-200:]).max()) < 10.0
    assert np.abs(run["joint_position"][:, SHELLS]).max() <= limits.angle_limit
    assert np.abs(run["joint_velocity"][:, SHELLS]).max() <= limits.rate_limit + 1e-9
    assert np.abs(run["joint_torque"][:, SHELLS]).max() < 0.5
    wanted = motion_samples(gait.motion(limits.robot), run.times)[0]
    assert np.abs(run["joint_position"][:, :8] - wanted[:, :8]).max() < 0.01


def test_limits_must_be_positive():
    with pytest.raises(InvalidValue, match="rate_limit"):
        RollStabiliser(rate_limit=0.0)
