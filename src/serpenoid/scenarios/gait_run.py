"""Runs of a modular snake by a gait or a controller: on floors, up a pole, through a pipe, under water."""

from __future__ import annotations

from dataclasses import dataclass
from math import degrees
from typing import Annotated, Any, Literal

import numpy as np

from serpenoid import analysis
from serpenoid.configuration import at_least, usual
from serpenoid.control.base import Controller
from serpenoid.engines.base import Initial
from serpenoid.errors import InvalidValue, Unsupported, require, within_field
from serpenoid.gaits import Gait, RollingHelix, Sidewinding
from serpenoid.gaits.winding import body_radius, fitted_helix, helix_shape
from serpenoid.robots import PlanarSnake, SeaSnake
from serpenoid.robots.base import Robot
from serpenoid.scenarios.base import Parts, Quantity, Scenario, settle_time
from serpenoid.scenarios.helix_start import fit_to_pole, has_winding, touching_start
from serpenoid.support.kernel_inputs import chain_of, tree_of
from serpenoid.trajectory import Trajectory
from serpenoid.worlds import Floor, Pipeline, Pole
from serpenoid.worlds.base import World
from serpenoid.worlds.initial_pose import LEAST_TURNS, coil_of

CLEAR = 0.004  # initial clearance between helix and pole or pipe [m]


@dataclass(frozen=True)
class GaitRun(Scenario, duration=12.0, sample_period=0.02):
    """A snake moves by a gait or a controller: speed, power and contacts."""

    robot: Robot = SeaSnake()
    """snake"""
    world: World = Floor()
    """world"""
    gait: Gait = Sidewinding()
    """gait"""
    controller: Controller | None = None
    """controller of the joints; none: the gait"""
    settle: Annotated[float | None, at_least(0.0, usual=(0.0, 5.0), most=1e6)] = None
    """initial transient excluded from the summary [s]; none: a third of the run, at most 2 s"""
    extras: tuple[Literal["path_radius", "over_rolling_without_slip"], ...] = ()
    """additional quantities of the summary"""

    def __post_init__(self) -> None:
        super().__post_init__()
        require((self.settle or 0.0) < self.duration, "settle", self.settle, f"below the duration {self.duration} s")

    def settling(self, duration: float) -> float:
        return settle_time(self.settle, duration, self.sample_period)

    def leading(self) -> Any:
        """Return the gait that commands the joints."""
        return self.gait

    def parts(self) -> Parts:
        if self.robot.arc_positions is None:
            raise Unsupported(f"{self.robot.called} has no joints along a body; choose another robot")
        return Parts(self.robot, self.world, self.controller or self.leading())

    @property
    def cycle(self) -> float:
        """Duration of a gait cycle [s]; 0 if the gait stands still."""
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
        return found | contact_quantities(trajectory, start, self.robot) | self.extra_quantities(trajectory, speed)

    def extra_quantities(self, trajectory: Trajectory, speed: float) -> dict[str, Quantity]:
        """Return the additional quantities of the summary."""
        start = self.settling(trajectory.duration)
        known = {
            "path_radius": lambda: Quantity(analysis.path_radius(trajectory, start), "m"),
            "over_rolling_without_slip": lambda: over_rolling(speed, body_radius(self.robot), self.gait.frequency),
        }
        return {name: known[name]() for name in self.extras}


def mass_of(robot: Robot) -> float:
    """Return the total mass [kg]."""
    return float((chain_of(robot) if isinstance(robot, PlanarSnake) else tree_of(robot)).mass.sum())


def over_rolling(speed: float, radius: float, frequency: float) -> Quantity:
    """Return a speed [m/s] divided by 2 pi R f, that of rolling without slip; NaN if the body does not rotate."""
    ideal = 2.0 * np.pi * radius * frequency
    return Quantity(speed / ideal if ideal > 0.0 else float("nan"))


def contact_quantities(trajectory: Trajectory, start: float, robot: Robot) -> dict[str, Quantity]:
    """Return slip and forces of the contacts, if there are any."""
    if "touch_force" not in trajectory:
        return {}
    load = np.linalg.norm(trajectory["touch_force"][analysis.stretch(trajectory.times, start)], axis=-1)
    return {
        "slip": Quantity(analysis.contact_slip(trajectory, start, robot=robot), "m/s"),
        "contact_load": Quantity(analysis.contact_load(trajectory, start), "N"),
        "greatest_contact_force": Quantity(float(np.nanmax(load, initial=0.0)), "N"),
    }


@dataclass(frozen=True)
class HelixRun(GaitRun):
    """A snake in a rolling helix fitted to a pole or a pipe, started slightly clear of it."""

    world: Pole | Pipeline = Pole()
    """pole or pipe"""
    gait: Gait = RollingHelix()
    """gait; the radius of a helix is fitted to the wall"""
    press: Annotated[float, usual(0.0, 0.03)] = 0.015
    """distance by which the commanded helix is tighter (in a pipe: wider) than one that just touches [m]"""

    def wall(self) -> tuple[float, bool]:
        """Return the radius [m] of the wall, and whether the snake is inside it."""
        world = self.world
        return (world.bore, True) if isinstance(world, Pipeline) else (world.radius, False)

    def fitted(self, tighter: float) -> RollingHelix:
        """Return the gait with a radius fitted to the wall, tightened by `tighter` [m]."""
        radius, inside = self.wall()
        with within_field("world"):
            return fitted_helix(self.robot, self.gait, radius, inside, tighter)

    def leading(self) -> Any:
        return self.fitted(self.press) if isinstance(self.gait, RollingHelix) else self.gait

    def usual_start(self) -> Initial:
        """Return a start slightly clear of the wall; shape laws almost touch the pole, other gaits start in their first
        shape."""
        if has_winding(self.controller) and not self.wall()[1]:
            return touching_start(self.controller, self.robot, self.wall()[0], self.control_period)
        if not isinstance(self.gait, RollingHelix):
            return super().usual_start()
        robot = self.robot
        shape, (radius, inside) = helix_shape(robot, self.fitted(-CLEAR)), self.wall()
        if coil_of(robot, shape) is None:
            allowed = f"smaller: a body of {robot.length:.3g} m is too short for {LEAST_TURNS:g} turns of that helix"
            raise InvalidValue(f"world.{'bore' if inside else 'radius'}", radius, allowed)
        return Initial(joint_position=tuple(shape.tolist()))

    def parts(self) -> Parts:
        """Fit a shape law with a winding to the pole, like the gait."""
        radius, inside = self.wall()
        if has_winding(self.controller) and not inside:
            law = fit_to_pole(self.controller, self.robot, radius, self.press, self.control_period)
            return Parts(self.robot, self.world, law)
        return super().parts()

    def summary(self, trajectory: Trajectory) -> dict[str, Quantity]:
        found = super().summary(trajectory)
        if self.wall()[1]:
            return found
        del found["direction"]  # the horizontal direction of a climb is meaningless
        climb = float(analysis.mean_velocity(trajectory, self.settling(trajectory.duration))[2])
        return found | {
            "climb_over_rolling_without_slip": over_rolling(climb, body_radius(self.robot), self.gait.frequency)
        }
