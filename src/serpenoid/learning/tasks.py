"""Tasks of the registered environments, by name."""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import Literal

from serpenoid.errors import UnknownName
from serpenoid.gaits import JointTrajectory
from serpenoid.learning.spec import JointTargets, JointTorques, LearningTask
from serpenoid.robots import PD, Natrix
from serpenoid.scenarios import find_scenario
from serpenoid.scenarios.natrix import NatrixAfloat
from serpenoid.scenarios.push import Push
from serpenoid.scenarios.slither import Slither
from serpenoid.scenarios.slither_pegs import SlitherPegs
from serpenoid.scenarios.swimmer import TORQUE, Swim
from serpenoid.worlds import Plane

JOINTS = ("joint_position", "joint_velocity", "joint_torque")
BODY = ("gravity_direction", "gyroscope")
BOARDS = 64  # peg boards with a start each
EFFORT = -1e-3  # weight of the squared actions
Medium = Literal["dry", "viscous", "fluid"]


def swimmer() -> LearningTask:
    """Return Gymnasium's Swimmer-v5, which swims along +x, with the same model, spaces and reward."""
    seen = ("head_direction", "joint_position", "base_velocity", "head_rate", "joint_velocity")
    return LearningTask(
        Swim(), JointTorques(TORQUE), seen, {"rate(base_position[0])": 1.0, "action_squared": -1e-4},
        time_limit=40.0, noise=0.1, discount=0.9999, wide=True,
    )  # fmt: skip


def slither(medium: Medium = "dry") -> LearningTask:
    """Return a snake that slithers along -x, to where its head points at the start, in one of three media."""
    scenario = Slither(world=Plane(medium=medium), duration=10.0, step=0.002, control_period=0.02, scatter=0.1)
    reward = {"rate(center_of_mass[0])": -1.0, "action_squared": EFFORT}
    seen = (*JOINTS, "head_direction", "head_rate", "center_velocity")
    return LearningTask(scenario, JointTargets(1.0), seen, reward, time_limit=10.0, noise=0.05)


def pegs() -> LearningTask:
    """Return a snake that leaves one of 64 peg boards, from joint angles, rates and torques alone."""
    scenario = SlitherPegs(control_period=0.02)
    return LearningTask(
        scenario, JointTargets(1.2), JOINTS, {"rate(distance)": 1.0, "outside": 1.0, "action_squared": EFFORT},
        ends={"outside": (-1.0, 0.5)}, time_limit=120.0, discount=0.999,
        ranges={"world.seed": (0, 2**30), "world.start": (0, 2**30)}, variants=BOARDS,
    )  # fmt: skip


def sidewind() -> LearningTask:
    """Return a snake that moves sideways, along +y, over a floor."""
    scenario = find_scenario("sidewinding")(control_period=0.02)
    reward = {"rate(body_position[1])": 1.0, "action_squared": EFFORT}
    return LearningTask(scenario, JointTargets(1.0), (*JOINTS, *BODY), reward, time_limit=20.0)


def climb() -> LearningTask:
    """Return a snake that climbs a pole from a helix around it; an episode ends with a fall."""
    scenario = find_scenario("climb-pole")(control_period=0.02)
    reward = {"rate(body_position[2])": 1.0, "action_squared": EFFORT}
    return LearningTask(
        scenario, JointTargets(0.6, around_start=True), (*JOINTS, *BODY), reward,
        ends={"body_position[2]": (0.1, 100.0)}, time_limit=20.0,
    )  # fmt: skip


def natrix() -> LearningTask:
    """Return NATRIX in still water, to be kept upright; an episode ends at a roll of 60 degrees."""
    joints = Natrix().joints
    still = JointTrajectory(times=(0.0, 1.0), shapes=((0.0,) * joints, (0.0,) * joints))
    robot = Natrix(drive=PD(stiffness=20.0, damping=2.0, torque_limit=20.0))
    scenario = NatrixAfloat(robot=robot, gait=still, step=0.002, control_period=0.02, start_roll=0.1)
    return LearningTask(
        scenario, JointTargets(0.5), (*JOINTS, *BODY), {"gravity_direction[2]": -1.0, "action_squared": EFFORT},
        ends={"gravity_direction[2]": (-2.0, -0.5)}, time_limit=20.0,
        ranges={"start_roll": (-pi / 12.0, pi / 12.0)}, variants=16,
    )  # fmt: skip


def push() -> LearningTask:
    """Return a snake that pushes a round object away, along +y."""
    scenario = Push(step=0.001, control_period=0.02, sample_period=0.02)
    seen = (*JOINTS, "head_direction", "head_rate", "center_velocity", "object_position", "object_velocity")
    reward = {"rate(object_position[1])": 1.0, "action_squared": EFFORT}
    return LearningTask(scenario, JointTargets(1.5, around_start=True), seen, reward, time_limit=5.0)


TASKS: dict[str, Callable[..., LearningTask]] = {
    "Slither": slither, "Pegs": pegs, "Sidewind": sidewind, "Climb": climb, "Natrix": natrix, "Push": push,
    "Swimmer": swimmer,
}  # fmt: skip


def find_task(name: str, **fields: str) -> LearningTask:
    """Return a registered task by its name, such as Pegs or pegs."""
    chosen = next((known for known in TASKS if known.lower() == name.lower()), None)
    if chosen is None:
        raise UnknownName("task", name, TASKS)
    return TASKS[chosen](**fields)
