"""What carries a robot through a world: the interface of every engine, and what passes through it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.base import Command, Observation
from serpenoid.errors import InvalidValue
from serpenoid.kernels.records import Motion


class Variable(NamedTuple):
    """One quantity of a trajectory."""

    dims: tuple[str, ...]  # out of time, joint, link, axis, pose, twist
    values: NDArray
    unit: str
    meaning: str


class Log(NamedTuple):
    """What a run leaves behind, sample by sample; commands hold at each sample (NaN: not commanded)."""

    times: NDArray  # (samples,) [s]
    states: NDArray  # (samples, numbers) flat states of the engine
    commands: Command  # arrays (samples, joints)
    wrenches: NDArray | None = None  # (samples, links, 6) from outside, see Engine.advance; None: none at all


@dataclass(frozen=True)
class Initial:
    """Where a run starts; what is left None the engine chooses (at rest, straight or as the gait begins)."""

    joint_position: tuple[float, ...] | None = None
    """joint angles [rad]"""
    joint_velocity: tuple[float, ...] | None = None
    """joint rates [rad/s]"""
    base_pose: tuple[float, ...] | None = None
    """pose of link 0: x y z [m], quaternion w x y z"""
    base_twist: tuple[float, ...] | None = None
    """twist of link 0 in its own axes: linear [m/s], angular [rad/s]"""

    def __post_init__(self) -> None:
        for name, size in (("joint_position", 0), ("joint_velocity", 0), ("base_pose", 7), ("base_twist", 6)):
            value = getattr(self, name)
            if value is None:
                continue
            if not np.all(np.isfinite(np.asarray(value, dtype=float))):
                raise InvalidValue(name, value, "finite numbers")
            if size and len(value) != size:
                raise InvalidValue(name, value, f"{size} numbers")

    def joint_array(self, name: str, joints: int) -> NDArray | None:
        """A joint field as an array, its length checked against the robot."""
        value = getattr(self, name)
        if value is None:
            return None
        if len(value) != joints:
            raise InvalidValue(name, value, f"{joints} numbers, one per joint")
        return np.array(value, dtype=float)


class Engine(ABC):
    """Carries one robot through one world at a fixed integration step. Time is step count x step."""

    name: ClassVar[str]

    def __init__(self, robot: Any, world: Any, step: float):
        self.robot = robot
        self.world = world
        self.step = step

    @abstractmethod
    def initial(self, given: Initial, motion: Motion | None) -> NDArray:
        """The flat state at time zero; a prescribed robot starts in the motion's own angles and rates."""

    @abstractmethod
    def observe(self, first: int, state: NDArray, command: Command) -> Observation:
        """What the robot senses at step `first`."""

    @abstractmethod
    def advance(self, first: int, state: NDArray, command: Command, steps: int) -> NDArray:
        """The state after `steps` steps with the command held; raises SimulationDiverged."""

    @abstractmethod
    def rollout(self, first: int, state: NDArray, motion: Motion, steps: int, every: int) -> NDArray:
        """States after every `every`-th of `steps` steps while the joints are led by a motion, compiled.

        (steps / every, numbers); on divergence the rows from there on are NaN.
        """

    @abstractmethod
    def motion_commands(self, times: NDArray, motion: Motion) -> Command:
        """The motion's targets at the given times, arrays (samples, joints)."""

    @abstractmethod
    def variables(self, log: Log) -> dict[str, Variable]:
        """What a trajectory of this robot in this world holds."""
