"""Interface of an emulator of motors, which a package adds by the entry point `serpenoid.emulators`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple, Protocol

from numpy.typing import NDArray

from serpenoid.configuration import above, at_least, between, check_fields
from serpenoid.errors import Unsupported
from serpenoid.hardware.faults import Fault
from serpenoid.hardware.motor_plant import MotorPlant
from serpenoid.hardware.safety import Safety
from serpenoid.robots.base import Robot
from serpenoid.runtime.plants import SimulatedPlant
from serpenoid.support import plugins

SELDOM = 1000  # periods between samples of a simulation whose samples are not used


@dataclass(frozen=True)
class TwinPhysics:
    """Simulation of the robot behind emulated motors: step, engine, seed, samples kept."""

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
    """Emulated motors in this process, as fast as the simulation behind them runs."""

    by_hand: NDArray  # (joints,) angles that replace the law's [rad], NaN for the law's

    @property
    @abstractmethod
    def simulated(self) -> SimulatedPlant:
        """Simulation behind the motors."""

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
    """Emulated motors of a manufacturer in place of real ones."""

    def modules(self) -> Sequence[tuple[Any, ...]]:
        """List the motors that are found by default."""
        ...

    def joint_map(self, robot: Robot) -> Any:
        """Assign a motor to each joint, head first, by the emulator's own names: a map of this manufacturer."""
        ...

    def plant(
        self, robot: Robot | None, world: Any, joints: Any, realtime: bool, faults: Sequence[Fault],
        period: float, safety: Safety | None, physics: TwinPhysics | None,
    ) -> MotorPlant:  # fmt: skip
        """Return emulated motors as a plant; an EmulatedPlant unless `realtime`."""
        ...


def emulator(maker: str = "hebi") -> Emulator:
    """Return the emulator of an installed package for the motors of a manufacturer."""
    found = plugins.load("emulators", maker)
    if found is None:
        raise Unsupported(f"no installed package emulates {maker} motors (entry point {maker} of serpenoid.emulators)")
    return found


def twin(
    robot: Robot | None = None, world: Any = None, *, joints: Any = None, realtime: bool = False,
    faults: Sequence[Fault] = (), period: float = 0.01, safety: Safety | None = None,
    physics: TwinPhysics | None = None, maker: str = "hebi",
) -> MotorPlant:  # fmt: skip
    """Create a simulated robot as a group of motors: as fast as possible, or in real time (UDP, pseudo-terminal).

    `joints` assigns a motor to each joint: a JointMap, or a MotorMap for the manufacturer dynamixel. `faults` are
    injected faults. All other arguments are as for real motors.
    """
    return emulator(maker).plant(robot, world, joints, realtime, faults, period, safety, physics)


def simulation_of(
    robot: Robot | None, world: Any, realtime: bool, period: float, safety: Safety | None, physics: TwinPhysics | None
) -> tuple[SimulatedPlant, Safety, TwinPhysics]:
    """Return the simulation behind motors, and defaults of omitted arguments; in real time only feedback is kept."""
    from serpenoid.robots import SeaSnake
    from serpenoid.simulation import Timing, plant_of
    from serpenoid.worlds import Floor

    robot, physics = robot or SeaSnake(), physics or TwinPhysics()
    timing = Timing(period, physics.step, period, SELDOM * period if realtime else period)
    keep = 1 if realtime else physics.keep
    return plant_of(robot, world or Floor(), timing, physics.engine, keep), safety or Safety(), physics
