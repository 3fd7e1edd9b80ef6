"""Gaze: level shapes against flotation, and the controller by its IMU against the gait alone, also in waves."""

from dataclasses import replace

import numpy as np
import pytest

from serpenoid.control import Gaze, RollStabiliser
from serpenoid.errors import InvalidValue
from serpenoid.gaits import Undulation
from serpenoid.kernels.motion import motion_samples
from serpenoid.mechanics import gaze_shape
from serpenoid.robots import PD, Natrix
from serpenoid.robots.natrix import PITCH_JOINTS, SHELL_JOINTS
from serpenoid.scenarios.natrix import NatrixAfloat
from serpenoid.worlds import WaterSurface
from serpenoid.worlds.flotation import Flotation
from serpenoid.worlds.waves import Waves

ROBOT, WATER = Natrix(), WaterSurface()


@pytest.mark.parametrize("height", [None, 0.03, 0.06])
def test_the_shape_floats_with_its_head_level_at_the_height(height):
    """Newton on the pose, another solver, settles where the shape's solver assumed the head."""
    bent = motion_samples(Undulation(0.12, 1.0).motion(ROBOT), np.array([0.3]))[0][0]
    for others in (np.zeros(14), bent):
        shape = gaze_shape(ROBOT, WATER, height, others)
        pose = Flotation(ROBOT, WATER, shape).upright()
        wanted = Flotation(ROBOT, WATER).upright().height if height is None else height
        assert pose.height == pytest.approx(wanted, abs=1e-6)
        assert (pose.roll, pose.pitch) == pytest.approx((0.0, 0.0), abs=1e-5)
        moved = [*PITCH_JOINTS, *SHELL_JOINTS]
        assert np.delete(shape, moved).tolist() == np.delete(others, moved).tolist()
    assert abs(shape[8]) > 1e-3  # shells balance the bent shape


def test_a_height_beyond_the_neck_is_refused_in_one_line():
    with pytest.raises(InvalidValue, match="height = 0.2: must be a height that the neck reaches"):
        gaze_shape(ROBOT, WATER, 0.2)


def deviations(scenario):
    """Standard deviations of roll, pitch and heave of the head after 3 s."""
    run = scenario.run()
    assert "estimated_pitch" not in run or np.abs(run["estimated_pitch"]).max() < 0.5
    return np.array([run[name][run.times > 3.0].std() for name in ("roll", "pitch", "heave")])


@pytest.mark.parametrize("world", [WATER, WaterSurface(waves=Waves(0.03, 3.0))], ids=["still", "waves"])
def test_the_head_moves_less_than_with_the_gait_alone_and_its_law_reads_no_truth(world):
    assert not Gaze.needs_truth
    alone = NatrixAfloat(world=world, gait=Undulation(0.2, 0.8), duration=8.0, step=0.002)
    calm = deviations(replace(alone, controller=Gaze()))
    assert (calm < (0.6, 0.6, 0.8) * deviations(alone)).all()


def test_the_controller_takes_the_gait_of_the_scenario_and_needs_prescribed_joints():
    scenario = NatrixAfloat(controller=RollStabiliser(), gait=Undulation(0.1, 0.7))
    assert scenario.parts().controller == RollStabiliser(gait=scenario.gait)
    with pytest.raises(InvalidValue, match=r"controller\.gait = .*: must be omitted"):
        NatrixAfloat(controller=RollStabiliser(gait=Undulation(0.2, 0.5)))
    with pytest.raises(InvalidValue, match="must be prescribed"):
        Gaze().start(Natrix(drive=PD()), 0.01, np.random.default_rng(0))
