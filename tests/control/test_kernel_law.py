"""Laws that are kernels, called from Python."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.control import Observation, OpenLoop
from serpenoid.errors import Unsupported
from serpenoid.gaits import Serpenoid, Undulation
from serpenoid.kernels.laws.tick import law_numbers
from serpenoid.kernels.motion import motion_samples

ROBOT = sp.robots.PlanarSnake()


def seen(time, joints):
    """An observation of a robot that lies still."""
    still = np.zeros(joints)
    return Observation(time, dict.fromkeys(("joint_position", "joint_velocity", "joint_torque"), still))


def test_open_loop_commands_the_angles_of_its_gait():
    gait = Undulation(amplitude=0.4, frequency=0.7)
    law = OpenLoop(gait).start(ROBOT, 0.01, np.random.default_rng(0))
    times = np.linspace(0.0, 3.0, 31)
    asked = np.array([law(seen(time, ROBOT.joints)).position.copy() for time in times])
    assert np.array_equal(asked, motion_samples(gait.motion(ROBOT), times)[0])
    assert np.isnan(law(seen(0.0, ROBOT.joints)).velocity).all()


def test_a_law_goes_on_with_other_parameters_but_not_as_another_law():
    law = OpenLoop(Serpenoid(amplitude=0.2)).start(ROBOT, 0.01, np.random.default_rng(0))
    law.changed(OpenLoop(Serpenoid(amplitude=0.4)))
    wanted = motion_samples(Serpenoid(amplitude=0.4).motion(ROBOT), np.array([0.3]))[0][0]
    assert np.array_equal(law(seen(0.3, ROBOT.joints)).position, wanted)

    @dataclass(frozen=True)
    class Other(OpenLoop):
        def kernel(self, robot, period):
            return (1.0,)

    with pytest.raises(Unsupported, match="Other cannot take over"):
        law.changed(Other())


def test_open_loop_runs_a_planar_snake_through_the_loop():
    drive = sp.robots.PD(stiffness=40.0, damping=4.0)
    run = sp.simulate(
        sp.robots.PlanarSnake(drive=drive), sp.worlds.Plane(), OpenLoop(Serpenoid()), 0.3, control_period=0.01
    )
    assert law_numbers(OpenLoop(Serpenoid()).kernel(ROBOT, 0.01)) == 1
    wanted = motion_samples(Serpenoid().motion(ROBOT), run.ticks)[0]
    assert np.allclose(run["command_position"], wanted, atol=1e-14)
