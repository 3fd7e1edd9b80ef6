"""The planar engine through simulate(): energy balance, held commands, initial states."""

from dataclasses import dataclass

import numpy as np
import pytest

from serpenoid.control.base import Command, Controller
from serpenoid.engines.base import Initial
from serpenoid.errors import InvalidValue, SimulationDiverged
from serpenoid.gaits import Serpenoid
from serpenoid.robots import PD, PlanarSnake, Prescribed
from serpenoid.simulation import simulate
from serpenoid.worlds import FreeSpace, Plane

MEDIA = ("box", "dry", "viscous", "fluid")


@pytest.mark.parametrize("drive", [PD(), Prescribed()])
@pytest.mark.parametrize("medium", MEDIA)
def test_work_and_energy_balance(medium, drive):
    run = simulate(
        PlanarSnake(drive=drive), Plane(medium=medium), Serpenoid(amplitude=0.3), 2.0, sample_period=0.001
    )  # fmt: skip
    energy = run["energy_kinetic"] + run["energy_added"]
    power = run["power_drive"] + run["power_medium"] + run["power_damping"]
    turned_over = np.trapezoid(np.abs(run["power_drive"]) + np.abs(run["power_medium"]), run.times)
    assert abs(energy[-1] - energy[0] - np.trapezoid(power, run.times)) < 2e-3 * turned_over
    assert run["power_medium"].max() <= 0.0 and run["power_damping"].max() <= 0.0


@pytest.mark.parametrize("medium", ["dry", "viscous"])
def test_snake_moves_head_first(medium):
    run = simulate(PlanarSnake(), Plane(medium=medium), Serpenoid(amplitude=0.5, frequency=2.0), 4.0)
    travelled = run["center_of_mass"][-1] - run["center_of_mass"][0]
    assert travelled[0] < -0.5


def test_poses_hang_together():
    given = Initial(base_pose=(1.0, 2.0, 0.0, np.cos(0.2), 0.0, 0.0, np.sin(0.2)), base_twist=(0.3, -0.1, 0, 0, 0, 0.5))
    run = simulate(PlanarSnake(), FreeSpace(), Serpenoid(), 0.1, initial=given)
    np.testing.assert_allclose(run["base_pose"][0], given.base_pose, atol=1e-12)
    np.testing.assert_allclose(run["base_twist"][0], given.base_twist, atol=1e-12)
    middles = run["link_pose"][..., :2] + 0.1 * np.stack(
        [1 - 2 * run["link_pose"][..., 6] ** 2, 2 * run["link_pose"][..., 6] * run["link_pose"][..., 3]], axis=-1
    )
    np.testing.assert_allclose(middles.mean(axis=1), run["center_of_mass"][:, :2], atol=1e-12)


@dataclass(frozen=True)
class Push(Controller):
    """Holds one torque on every joint."""

    torque: float = 0.3

    def start(self, robot, period, rng):
        return lambda observation: Command.empty(robot.joints)._replace(torque=np.full(4, self.torque))


@dataclass(frozen=True)
class Pose(Controller):
    """Holds one angle on every joint."""

    def start(self, robot, period, rng):
        return lambda observation: Command.empty(robot.joints)._replace(position=np.full(4, 0.2))


def test_held_commands():
    pushed = simulate(PlanarSnake(), FreeSpace(), Push(), 0.05)
    np.testing.assert_array_equal(pushed["joint_torque"], 0.3)
    capped = simulate(PlanarSnake(), FreeSpace(), Push(5.0), 0.05)
    np.testing.assert_array_equal(capped["joint_torque"], 1.0)
    for drive in (PD(), Prescribed()):
        posed = simulate(PlanarSnake(drive=drive), Plane(), Pose(), 3.0)
        np.testing.assert_allclose(posed["joint_position"][-1], 0.2, atol=0.1)


def test_divergence_is_raised_with_the_trajectory():
    wild = PlanarSnake(drive=PD(stiffness=1e9, damping=1e9, torque_limit=1e12))
    with pytest.raises(SimulationDiverged) as caught:
        simulate(wild, Plane(), Serpenoid(), 1.0)
    assert not caught.value.trajectory.complete


def test_a_pose_out_of_the_plane_is_refused():
    with pytest.raises(InvalidValue, match="base_pose"):
        simulate(PlanarSnake(), FreeSpace(), None, 0.1, initial=Initial(base_pose=(0, 0, 1, 1, 0, 0, 0)))
