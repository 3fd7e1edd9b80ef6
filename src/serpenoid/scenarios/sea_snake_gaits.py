"""A modular snake led by its gaits: on floors, among pegs, up a pole, through a pipe, under water."""

from __future__ import annotations

from dataclasses import dataclass
from math import degrees
from typing import Annotated, Any

import numpy as np

from serpenoid import analysis
from serpenoid.configuration import at_least, between, usual
from serpenoid.control import (
    CentralPatternGenerator,
    HeldTorque,
    Idle,
    JointAdmittance,
    OpenLoop,
    RollStabiliser,
    ShapeCompliance,
)
from serpenoid.engines.base import Initial
from serpenoid.errors import InvalidValue, require, within_field
from serpenoid.gaits import (
    ConicalSidewinding,
    LinearProgression,
    Rolling,
    RollingHelix,
    Sidewinding,
    Slithering,
    Swimming,
)
from serpenoid.gaits.winding import fitted_helix, helix_shape
from serpenoid.robots import BodyTree, Natrix, PlanarSnake, SeaSnake
from serpenoid.scenarios.base import Parts, Quantity, Scenario, settle_time
from serpenoid.scenarios.helix_start import touching, winds, wound
from serpenoid.support.kernel_inputs import chain_of, tree_of
from serpenoid.trajectory import Trajectory
from serpenoid.worlds import DeepWater, Floor, PegRow, Pipeline, Pole, Scene, Slope, Steps, Terrain
from serpenoid.worlds.initial_pose import LEAST_TURNS, coil_of

CLEAR = 0.004  # by how much a helix starts wider than the pole, or narrower than the pipe [m]
AnyGround = Floor | Slope | Steps | Terrain | PegRow | Pole | Pipeline | Scene
AnySnake = SeaSnake | Natrix | PlanarSnake | BodyTree
AnyController = (
    OpenLoop | ShapeCompliance | JointAdmittance | CentralPatternGenerator | RollStabiliser | HeldTorque | Idle
)  # fmt: skip


@dataclass(frozen=True)
class ModularRun(Scenario):
    """What runs of a modular snake have in common: their times, and what their summaries tell."""

    robot: AnySnake = SeaSnake()
    """the snake"""
    world: Any = None
    """what surrounds it"""
    gait: Any = None
    """the gait"""
    controller: AnyController | None = None
    """what leads the joints; none: the gait"""
    duration: Annotated[float, between(1e-7, 1e6, usual=(1.0, 60.0))] = 12.0
    """simulated time [s]"""
    sample_period: Annotated[float, between(1e-7, 1e6, usual=(0.001, 0.1))] = 0.02
    """time between two samples of the trajectory [s]"""
    settle: Annotated[float | None, at_least(0.0, usual=(0.0, 5.0), most=1e6)] = None
    """time at the start that the summary leaves out [s]; none: a third of the run, 2 s at most"""

    def __post_init__(self) -> None:
        super().__post_init__()
        require((self.settle or 0.0) < self.duration, "settle", self.settle, f"below the duration {self.duration} s")

    def settling(self, duration: float) -> float:
        return settle_time(self.settle, duration, self.sample_period)

    def leading(self) -> Any:
        """The gait as it is to be led."""
        return self.gait

    def parts(self) -> Parts:
        return Parts(self.robot, self.world, self.controller or self.leading())

    @property
    def cycle(self) -> float:
        """Time of a cycle of the gait [s]; 0 where it stands still."""
        return 1.0 / self.gait.frequency if self.gait.frequency > 0.0 else 0.0

    def summary(self, trajectory: Trajectory) -> dict[str, Quantity]:
        start = self.settling(trajectory.duration)
        way = analysis.displacement(trajectory, start)
        speed = float(np.linalg.norm(analysis.mean_velocity(trajectory, start)))
        chosen = analysis.stretch(trajectory.times, start)
        squared, torque = trajectory["joint_torque_squared"][chosen], trajectory["joint_torque"][chosen]
        power = analysis.power(trajectory, start)
        cycles = self.gait.frequency * self.robot.length
        per_cycle = speed / cycles if cycles > 0.0 else float("nan")
        cost = analysis.transport_cost(power, speed, mass_of(self.robot))
        found = {
            "speed": Quantity(speed, "m/s"),
            "path_speed": Quantity(analysis.path_speed(trajectory, self.cycle, start), "m/s"),
            "lengths_per_cycle": Quantity(per_cycle),
            "direction": Quantity(degrees(analysis.course(trajectory, start)), "deg"),
            "climbed": Quantity(float(way[2]), "m"),
            "power": Quantity(power, "W"),
            "cost_of_transport": Quantity(float(cost)),
            "torque_rms": Quantity(analysis.torque_rms(trajectory.times[chosen], squared), "N m"),
            "greatest_torque": Quantity(float(np.abs(torque).max()), "N m"),
        }
        return found | contact_quantities(trajectory, start, self.robot)


def mass_of(robot: AnySnake) -> float:
    """Of the whole [kg]."""
    return float((chain_of(robot) if isinstance(robot, PlanarSnake) else tree_of(robot)).mass.sum())


def over_rolling(speed: float, radius: float, frequency: float) -> Quantity:
    """A speed [m/s] over 2 pi R f of a body that rolls without slip; NaN where it does not turn."""
    ideal = 2.0 * np.pi * radius * frequency
    return Quantity(speed / ideal if ideal > 0.0 else float("nan"))


def contact_quantities(trajectory: Trajectory, start: float, robot: AnySnake) -> dict[str, Quantity]:
    """Slip and forces of contacts, where a run has any."""
    if "touch_force" not in trajectory:
        return {}
    load = np.linalg.norm(trajectory["touch_force"][analysis.stretch(trajectory.times, start)], axis=-1)
    return {
        "slip": Quantity(analysis.contact_slip(trajectory, start, robot=robot), "m/s"),
        "contact_load": Quantity(analysis.contact_load(trajectory, start), "N"),
        "greatest_contact_force": Quantity(float(np.nanmax(load, initial=0.0)), "N"),
    }


@dataclass(frozen=True)
class SidewindingRun(ModularRun):
    """The SEA snake sidewinds over a floor."""

    world: AnyGround = Floor()
    """the ground"""
    gait: Sidewinding = Sidewinding()
    """the gait"""


@dataclass(frozen=True)
class ConicalRun(ModularRun):
    """The SEA snake sidewinds in a circle, its waves smaller towards one end."""

    world: AnyGround = Floor()
    """the ground"""
    gait: ConicalSidewinding = ConicalSidewinding()
    """the gait"""
    duration: Annotated[float, between(1e-7, 1e6, usual=(1.0, 60.0))] = 25.0
    """simulated time [s]"""

    def summary(self, trajectory: Trajectory) -> dict[str, Quantity]:
        radius = Quantity(analysis.path_radius(trajectory, self.settling(trajectory.duration)), "m")
        return super().summary(trajectory) | {"path_radius": radius}


@dataclass(frozen=True)
class RollingRun(ModularRun):
    """The SEA snake, bent into an arc, rolls sideways over a floor."""

    robot: SeaSnake | BodyTree = SeaSnake()
    """the snake"""
    world: AnyGround = Floor()
    """the ground"""
    gait: Rolling = Rolling()
    """the gait"""

    def summary(self, trajectory: Trajectory) -> dict[str, Quantity]:
        found = super().summary(trajectory)
        return found | {
            "over_rolling_without_slip": over_rolling(
                float(found["speed"].value), self.robot.radius, self.gait.frequency
            )
        }


@dataclass(frozen=True)
class LinearRun(ModularRun):
    """The SEA snake goes straight on by a wave in the upright plane."""

    world: AnyGround = Floor()
    """the ground"""
    gait: LinearProgression = LinearProgression()
    """the gait"""


@dataclass(frozen=True)
class SlitheringRun(ModularRun):
    """The SEA snake slithers over a floor by a wave in the level plane."""

    world: AnyGround = Floor()
    """the ground"""
    gait: Slithering = Slithering()
    """the gait"""


@dataclass(frozen=True)
class SwimmingRun(ModularRun):
    """The SEA snake, made neutral by floats, swims under water."""

    world: DeepWater = DeepWater()
    """the water"""
    gait: Swimming = Swimming()
    """the gait"""
    duration: Annotated[float, between(1e-7, 1e6, usual=(1.0, 60.0))] = 6.0
    """simulated time [s]"""


@dataclass(frozen=True)
class HelixRun(ModularRun):
    """What climbing and crawling have in common: a helix fitted to the wall, begun a little clear of it."""

    robot: SeaSnake | BodyTree = SeaSnake()
    """the snake"""
    gait: RollingHelix = RollingHelix()
    """the gait; its radius is fitted to the wall"""
    press: Annotated[float, usual(0.0, 0.03)] = 0.015
    """by how much the helix is commanded tighter (in a pipe: wider) than one that just touches [m]"""

    def wall(self) -> tuple[float, bool]:
        """Radius [m] of the wall, and whether the snake is inside of it."""
        raise NotImplementedError

    def fitted(self, tighter: float) -> RollingHelix:
        """The gait with a radius that fits the wall, then tighter [m] against it."""
        radius, inside = self.wall()
        with within_field("world"):
            return fitted_helix(self.robot, self.gait, radius, inside, tighter)

    def leading(self) -> Any:
        return self.fitted(self.press) if isinstance(self.gait, RollingHelix) else self.gait

    def usual_start(self) -> Initial:
        """Wound a little clear of the wall; another gait than a helix starts as it begins."""
        if not isinstance(self.gait, RollingHelix):
            return super().usual_start()
        shape, (radius, inside) = helix_shape(self.robot, self.fitted(-CLEAR)), self.wall()
        if coil_of(self.robot, shape) is None:
            allowed = f"smaller: a body of {self.robot.length:.3g} m does not wind {LEAST_TURNS:g} turns in that helix"
            raise InvalidValue(f"world.{'bore' if inside else 'radius'}", radius, allowed)
        return Initial(joint_position=tuple(shape.tolist()))


@dataclass(frozen=True)
class ClimbPole(HelixRun):
    """The SEA snake climbs a pole, wound round it into a helix that rolls."""

    world: Pole = Pole()
    """the pole"""

    def wall(self) -> tuple[float, bool]:
        return self.world.radius, False

    def parts(self) -> Parts:
        """A shape law with a winding is fitted to the pole as the gait is."""
        if winds(self.controller):
            law = wound(self.controller, self.robot, self.world.radius, self.press, self.control_period)
            return Parts(self.robot, self.world, law)
        return super().parts()

    def usual_start(self) -> Initial:
        """Wound a little clear of the pole; a shape law all but touches it."""
        if winds(self.controller):
            return touching(self.controller, self.robot, self.world.radius, self.control_period)
        return super().usual_start()

    def summary(self, trajectory: Trajectory) -> dict[str, Quantity]:
        found = super().summary(trajectory)
        del found["direction"]  # that of a climb in the level plane means nothing
        climb = float(analysis.mean_velocity(trajectory, self.settling(trajectory.duration))[2])
        return found | {"climb_over_rolling_without_slip": over_rolling(climb, self.robot.radius, self.gait.frequency)}


@dataclass(frozen=True)
class CrawlPipe(HelixRun):
    """The SEA snake crawls through a pipe, pressed against it as a helix that rolls."""

    world: Pipeline = Pipeline()
    """the pipe"""
    gait: RollingHelix = RollingHelix(radius=0.05, pitch=-0.4)
    """the gait; its radius is fitted to the pipe; a pitch below 0 goes head first"""

    def wall(self) -> tuple[float, bool]:
        return self.world.bore, True
