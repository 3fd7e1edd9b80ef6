"""Laws that are kernels, called from Python."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.configuration import changed
from serpenoid.control import (
    AlongRoute,
    CentralPatternGenerator,
    JointAdmittance,
    Observation,
    OpenLoop,
    ShapeCompliance,
)
from serpenoid.errors import Unsupported
from serpenoid.gaits import Serpenoid, Sidewinding, Slithering, Undulation
from serpenoid.kernels.laws.tick import law_numbers
from serpenoid.kernels.motion import motion_samples

ROBOT = sp.robots.PlanarSnake()


def seen(time, joints):
    """An observation of a robot that lies still."""
    still, truth = np.zeros(joints), SimpleNamespace(link_pose=np.zeros((joints + 1, 7)))
    return Observation(time, dict.fromkeys(("joint_position", "joint_velocity", "joint_torque"), still), truth)


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
    wanted = motion_samples(Serpenoid(amplitude=0.4).motion(ROBOT), np.array([0.8]))[0][0]
    assert np.allclose(law(seen(0.8, ROBOT.joints)).position, wanted, atol=1e-12)

    @dataclass(frozen=True)
    class Other(OpenLoop):
        def kernel(self, robot, period):
            return (1.0,)

    with pytest.raises(Unsupported):
        law.changed(Other())


def angles(law, first, end):
    """(ticks, joints) commands of a law from one tick to the next, 10 ms each."""
    return np.array([law(seen(0.01 * i, SEA.joints)).position.copy() for i in range(first, end)])


SEA = sp.robots.SeaSnake()
CHANGES = [
    (OpenLoop(Slithering(), 0.3), {"gait.frequency": 0.4, "gait.amplitude": 0.9, "gait.offset": 0.2}),
    (OpenLoop(Sidewinding(), 0.2, rates=True), {"gait.frequency": 0.8, "gait.taper": 0.5}),
    (ShapeCompliance(), {"gait.amplitude": 0.5, "gait.frequency": 0.48}),
    (JointAdmittance(), {"shape.gait.amplitude": 0.5, "shape.gait.frequency": 0.48}),
    (CentralPatternGenerator(), {"gait.amplitude": 0.5, "gait.frequency": 0.48}),
    (AlongRoute(), {"law.gait.amplitude": 0.6, "law.gait.frequency": 0.64}),
]


@pytest.mark.parametrize(("controller", "changes"), CHANGES, ids=[type(law).__name__ for law, _ in CHANGES])
def test_no_target_jumps_where_a_law_is_changed_while_it_runs(controller, changes):
    """The run ends at the state of the changed law alone, up to its phase."""
    law, other = (one.start(SEA, 0.01, np.random.default_rng(0)) for one in (controller, changed(controller, changes)))
    before = angles(law, 0, 700)
    law.changed(changed(controller, changes))
    after, alone = angles(law, 700, 2000), angles(other, 0, 2000)
    usual = np.abs(np.diff(before, axis=0)).max()
    assert np.abs(after[0] - before[-1]).max() < 2.0 * usual  # the wave is up to 1.7 times as fast at once
    assert np.abs(np.diff(after, axis=0)).max() < 4.0 * usual
    assert np.ptp(after[-650:], axis=0) == pytest.approx(np.ptp(alone[-650:], axis=0), rel=0.05, abs=0.02)


def test_open_loop_runs_a_planar_snake_through_the_loop():
    drive = sp.robots.PD(stiffness=40.0, damping=4.0)
    run = sp.simulate(
        sp.robots.PlanarSnake(drive=drive), sp.worlds.Plane(), OpenLoop(Serpenoid()), 0.3, control_period=0.01
    )
    assert law_numbers(OpenLoop(Serpenoid()).kernel(ROBOT, 0.01)) == 1
    wanted = motion_samples(Serpenoid().motion(ROBOT), run.ticks)[0]
    assert np.allclose(run["command_position"], wanted, atol=1e-14)
