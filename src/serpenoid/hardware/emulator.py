"""Interface of an emulator of modules, which a package adds by the entry point `serpenoid.emulators`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple, Protocol

from numpy.typing import NDArray

from serpenoid.configuration import above, at_least, between, check_fields
from serpenoid.errors import Unsupported
from serpenoid.hardware.faults import Fault
from serpenoid.hardware.joint_map import JointMap
from serpenoid.hardware.motor_plant import MotorPlant
from serpenoid.hardware.safety import Safety
from serpenoid.robots.base import Robot
from serpenoid.runtime.plants import SimulatedPlant
from serpenoid.support import plugins

NAME = "hebi"  # of the entry point


@dataclass(frozen=True)
class TwinPhysics:
    """Simulation of the robot behind emulated modules: step, engine, seed, samples kept."""

    step: Annotated[float, above(0.0, usual=(1e-4, 5e-3))] = 0.001
    """integration step [s]"""
    engine: str | None = None
    """engine for this robot and world; none: the default one"""
    seed: Annotated[int, between(0, 2**31 - 1, usual=(0, 100))] = 0
    """seed of random faults"""
    keep: Annotated[int | None, at_least(1, usual=(100, 10_000))] = None
    """number of samples kept; none: all"""

    def __post_init__(self) -> None:
        check_fields(self)


class EmulatedPlant(MotorPlant):
    """Emulated modules in this process, as fast as the simulation behind them runs."""

    by_hand: NDArray  # (joints,) angles that replace the law's [rad], NaN for the law's

    @property
    @abstractmethod
    def simulated(self) -> SimulatedPlant:
        """Simulation behind the modules."""

    @abstractmethod
    def lead(self, joint: int, angle: float | None) -> None:
        """Move one joint smoothly to an angle [rad] that replaces the law's; None returns it to the law."""


class ModuleAddress(NamedTuple):
    """A module in a network's list."""

    family: str
    name: str
    mac: str  # such as 00:1E:C0:F4:3F:78
    address: str  # IPv4


class Emulator(Protocol):
    """Emulated modules in place of real ones."""

    def modules(self) -> Sequence[ModuleAddress]:
        """List the modules that are found by default."""
        ...

    def joint_map(self, robot: Robot) -> JointMap:
        """Assign a module to each joint, head first, by the emulator's own names."""
        ...

    def plant(
        self, robot: Robot | None, world: Any, joints: JointMap | None, realtime: bool, faults: Sequence[Fault],
        period: float, safety: Safety | None, physics: TwinPhysics | None,
    ) -> MotorPlant:  # fmt: skip
        """Return emulated modules as a plant; an EmulatedPlant unless `realtime`."""
        ...


def emulator() -> Emulator:
    """Return the emulator of an installed package."""
    found = plugins.load("emulators", NAME)
    if found is None:
        raise Unsupported(f"no installed package emulates modules (entry point {NAME} of serpenoid.emulators)")
    return found


def twin(
    robot: Robot | None = None, world: Any = None, *, joints: JointMap | None = None, realtime: bool = False,
    faults: Sequence[Fault] = (), period: float = 0.01, safety: Safety | None = None,
    physics: TwinPhysics | None = None,
) -> MotorPlant:  # fmt: skip
    """Create a simulated robot as a group of modules: as fast as possible, or in real time over loopback UDP.

    `joints` assigns a module to each joint; `faults` are injected faults. All other arguments are as for real
    modules.
    """
    return emulator().plant(robot, world, joints, realtime, faults, period, safety, physics)
