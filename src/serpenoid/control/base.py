"""What passes between a controller and a robot, real or simulated."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Command(NamedTuple):
    """Targets over joints; NaN means not commanded."""

    position: NDArray  # (joints,) [rad]
    velocity: NDArray  # (joints,) [rad/s]
    acceleration: NDArray  # (joints,) [rad/s^2]
    torque: NDArray  # (joints,) [N m]

    @classmethod
    def empty(cls, joints: int) -> Command:
        """A command that commands nothing."""
        return cls(*(np.full(joints, np.nan) for _ in cls._fields))


class Observation(NamedTuple):
    """What a robot tells: NaN where a real one could not know."""

    time: float  # [s]
    joint_position: NDArray  # (joints,) [rad]
    joint_velocity: NDArray  # (joints,) [rad/s]
    joint_torque: NDArray  # (joints,) [N m]
    base_pose: NDArray  # (7,) x y z [m], quaternion w x y z
    base_twist: NDArray  # (6,) in the base's own axes: linear [m/s], angular [rad/s]
    accelerometer: NDArray  # (links, 3) in each link's axes [m/s^2]
    gyroscope: NDArray  # (links, 3) in each link's axes [rad/s]


class Controller(ABC):
    """A law from observations to commands. Frozen dataclasses repeat bit for bit; other classes cannot be repeated."""

    @abstractmethod
    def reset(self) -> None:
        """Forget what was seen; called before every run."""

    @abstractmethod
    def command(self, observation: Observation) -> Command:
        """The command to hold until the next control period."""


@dataclass(frozen=True)
class Idle(Controller):
    """Commands nothing: a torque-driven robot coasts."""

    def reset(self) -> None: ...

    def command(self, observation: Observation) -> Command:
        return Command.empty(observation.joint_position.size)
