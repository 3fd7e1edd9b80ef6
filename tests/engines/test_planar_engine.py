"""The planar engine through simulate(): energy balance, held commands, initial states."""

from dataclasses import dataclass

import numpy as np
import pytest
from planar_kernels import inverse_dynamics

from serpenoid.control.base import Command, Controller
from serpenoid.engines.base import NO_DRAWS, Initial, Log
from serpenoid.engines.planar import PlanarEngine
from serpenoid.errors import InvalidValue, SimulationDiverged
from serpenoid.gaits import Serpenoid
from serpenoid.kernels.planar.chain import planar_work
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
    turned_over = 0.001 * (np.abs(run["power_drive"]) + np.abs(run["power_medium"])).sum()
    assert abs(energy[-1] - energy[0] - 0.001 * power[1:].sum()) < 2e-5 * turned_over
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
    np.testing.assert_allclose(pushed["joint_torque"], 0.3, rtol=1e-12)
    capped = simulate(PlanarSnake(), FreeSpace(), Push(5.0), 0.05)
    np.testing.assert_allclose(capped["joint_torque"], 1.0, rtol=1e-12)
    for drive in (PD(), Prescribed()):
        posed = simulate(PlanarSnake(drive=drive), Plane(), Pose(), 3.0)
        np.testing.assert_allclose(posed["joint_position"][-1], 0.2, atol=0.1)


def test_prescribed_joints_led_by_a_controller_tell_the_torque_that_moves_them():
    """Against inverse dynamics with the accelerations that the run itself shows from step to step."""
    robot, step = PlanarSnake(drive=Prescribed()), 1e-4
    engine = PlanarEngine(robot, Plane(medium="viscous"), step)
    rng, states, commands = np.random.default_rng(4), [engine.initial(Initial(), None, NO_DRAWS)], []
    for tick in range(20):
        command = Command.empty(4)._replace(position=rng.uniform(-2.0, 2.0, 4))  # far enough to meet the limits
        for first in range(100 * tick, 100 * (tick + 1)):
            states.append(engine.advance(first, states[-1], command, 1))
            commands.append(command)
    states, held = np.array(states), Command(*(np.array(part) for part in zip(*commands)))
    shown = engine.variables(Log(step * np.arange(2000), states[:-1], held))["joint_torque"][1:]
    half, work = robot.links + 2, planar_work(robot.links)
    rates = states[:, half : 2 * half]
    wanted = [
        inverse_dynamics(engine.model, work, state, change)[3:]
        for state, change in zip(states[:-2], np.diff(rates, axis=0) / step)
    ]
    assert np.sqrt(np.mean((shown - wanted) ** 2)) < 0.02 * np.sqrt(np.mean(np.square(wanted)))


def test_divergence_is_raised_with_the_trajectory():
    wild = PlanarSnake(drive=PD(stiffness=1e9, damping=1e9, torque_limit=1e9))
    with pytest.raises(SimulationDiverged) as caught:
        simulate(wild, Plane(), Serpenoid(), 1.0)
    assert not caught.value.trajectory.complete


def test_divergence_is_told_at_the_end_of_its_step_with_the_last_good_state():
    wild = PlanarSnake(drive=PD(stiffness=1e9, damping=1e9, torque_limit=1e9))
    engine = PlanarEngine(wild, Plane(), 1e-3)
    start, command = engine.initial(Initial(), None, NO_DRAWS), Command.empty(4)._replace(position=np.full(4, 0.3))
    with pytest.raises(SimulationDiverged) as caught:
        engine.advance(5, start, command, 50)
    steps = round(caught.value.time / 1e-3) - 5
    assert 1 <= steps < 50
    good = engine.advance(5, start, command, steps - 1) if steps > 1 else start
    np.testing.assert_array_equal(caught.value.state, good)


def test_a_pose_out_of_the_plane_is_refused():
    with pytest.raises(InvalidValue, match="base_pose"):
        simulate(PlanarSnake(), FreeSpace(), None, 0.1, initial=Initial(base_pose=(0, 0, 1, 1, 0, 0, 0)))
