"""The shells against roll, within their limits, where the open loop capsizes."""

import numpy as np
import pytest
from naive_hydrostatics import inside_polygon

from serpenoid.control.roll import SHELLS, TORQUE_LIMIT, RollStabiliser
from serpenoid.errors import InvalidValue
from serpenoid.gaits import Undulation
from serpenoid.kernels.motion import motion_samples
from serpenoid.robots import Natrix
from serpenoid.scenarios.natrix import NatrixAfloat
from serpenoid.worlds import WaterSurface


def test_the_head_stays_upright_within_the_limits():
    gait = Undulation(0.25, 1.40)
    run = NatrixAfloat(gait=gait, duration=8.0, start_roll=np.radians(8.0), step=0.002, stabilise=True).run()
    limits = RollStabiliser()
    assert np.degrees(np.abs(run["roll"][-200:]).max()) < 10.0
    assert np.abs(run["joint_position"][:, SHELLS]).max() <= limits.angle_limit
    assert np.abs(run["joint_velocity"][:, SHELLS]).max() <= limits.rate_limit + 1e-9
    assert np.abs(run["joint_torque"][:, SHELLS]).max() < TORQUE_LIMIT
    wanted = motion_samples(gait.motion(Natrix()), run.times)[0]
    assert np.abs(run["joint_position"][:, :8] - wanted[:, :8]).max() < 0.01


def test_limits_must_be_positive():
    with pytest.raises(InvalidValue, match="rate_limit"):
        RollStabiliser(rate_limit=0.0)


def test_the_summary_says_what_the_shells_were_asked_for():
    scenario = NatrixAfloat(duration=0.5, step=0.002, start_roll=0.1, stabilise=True)
    run = scenario.run()
    asked = scenario.summary(run)
    assert asked["largest_shell_angle"].value == np.abs(run["joint_position"][:, SHELLS]).max() > 0.0
    assert asked["largest_shell_torque"].value == np.abs(run["joint_torque"][:, SHELLS]).max()
    assert asked["largest_shell_rate"].unit == "rad/s"


def test_the_limits_of_motion_keep_the_torque_within_its_limit():
    """The worst of buoyancy at any angle and depth, and of inertia at twice the acceleration: the module rolls too."""
    robot, water, limits = Natrix(), WaterSurface(), RollStabiliser()
    prism = next(prism for prism in robot.prisms() if len(prism.section) != 24)
    grid = np.linspace(-0.07, 0.07, 141)
    points = np.array([(y, z) for y in grid for z in grid])
    points = points[inside_polygon(prism.polygon(), points)]
    worst = 0.0
    for angle in np.linspace(0.0, 2.0 * np.pi / 3.0, 25):
        y = np.cos(angle) * points[:, 0] - np.sin(angle) * points[:, 1]
        z = np.sin(angle) * points[:, 0] + np.cos(angle) * points[:, 1]
        worst = max(worst, np.abs(np.cumsum(y[np.argsort(z)])).max())
    buoyancy = water.density * water.gravity * robot.module_length * worst * (grid[1] - grid[0]) ** 2
    inertia = robot.shell.inertia_long * 2.0 * limits.acceleration_limit
    assert 0.05 < buoyancy + inertia < TORQUE_LIMIT
