"""The three-link swimmer of Gymnasium in a dense fluid, driven by torques."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, radians, sqrt
from typing import Annotated

import numpy as np

from serpenoid import analysis
from serpenoid.configuration import at_least
from serpenoid.control import Controller, TorqueWave
from serpenoid.engines.base import Initial
from serpenoid.errors import require
from serpenoid.robots import PD, PlanarSnake
from serpenoid.scenarios.base import Parts, Quantity, Scenario, settle_time
from serpenoid.trajectory import Trajectory
from serpenoid.worlds import Plane

LENGTH, RADIUS, DENSITY = 1.0, 0.1, 1000.0  # of the capsules [m, m, kg/m^3]
ARMATURE, RANGE, TORQUE, SOFTNESS = 0.1, radians(100.0), 150.0, 0.02  # [kg m^2, rad, N m, s]
CONTROL, COST = 0.04, 1e-4  # control period [s] and weight of the squared actions in Swimmer-v5's reward
RAIL_POINT = 1.5  # the model's origin: half a metre behind the head's joint on the head's own line [m]


def capsule(length: float, radius: float, density: float) -> tuple[float, float, float]:
    """Return the mass [kg] of a solid capsule and its inertias along and across its axis [kg m^2]."""
    rod, ball = density * pi * radius**2 * length, density * 4.0 / 3.0 * pi * radius**3
    along = 0.5 * rod * radius**2 + 0.4 * ball * radius**2
    bent = 0.4 * ball * radius**2 + ball * length * (3.0 * radius + 2.0 * length) / 8.0
    return rod + ball, along, rod * (3.0 * radius**2 + length**2) / 12.0 + bent


MASS, ALONG, ACROSS = capsule(LENGTH, RADIUS, DENSITY)
BOX_LENGTH = sqrt(6.0 * (2.0 * ACROSS - ALONG) / MASS)  # of the box with the same mass and inertias [m]
BOX_WIDTH = sqrt(6.0 * ALONG / MASS)
SWIMMER = PlanarSnake(
    3, LENGTH, MASS, ACROSS, radius=RADIUS, joint_damping=0.0, joint_armature=ARMATURE, joint_lower=-RANGE,
    joint_upper=RANGE, stop_time=SOFTNESS, rail_point=RAIL_POINT, rail_armature=ARMATURE,
    drive=PD(0.0, 0.0, TORQUE), name="swimmer",
)  # fmt: skip
FLUID = Plane(
    medium="inertia_box", density=4000.0, viscosity=0.1, box_length=BOX_LENGTH, width=BOX_WIDTH, height=BOX_WIDTH
)


@dataclass(frozen=True)
class Swim(Scenario, duration=40.0, step=0.01, control_period=0.04, sample_period=0.04):
    """Gymnasium's swimmer (Swimmer-v5): three links, joint torques and MuJoCo's inertia-box drag."""

    robot: PlanarSnake = SWIMMER
    """snake; its rails and soft stops are those of MuJoCo's model"""
    world: Plane = FLUID
    """plane and its medium"""
    controller: Controller = TorqueWave(amplitude=150.0, frequency=0.7, lag=0.25)
    """controller of the joint torques"""
    settle: Annotated[float | None, at_least(0.0, usual=(0.0, 5.0), most=1e6)] = None
    """initial transient excluded from speed and power [s]; none: a third of the run, at most 2 s"""

    def __post_init__(self) -> None:
        super().__post_init__()
        require((self.settle or 0.0) < self.duration, "settle", self.settle, f"below the duration {self.duration} s")

    def usual_start(self) -> Initial:
        """Return the start of MuJoCo's model: straight, its head towards +x."""
        return Initial(base_pose=(RAIL_POINT, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0))

    def settling(self, duration: float) -> float:
        return settle_time(self.settle, duration, self.sample_period)

    def parts(self) -> Parts:
        return Parts(self.robot, self.world, self.controller)

    def summary(self, trajectory: Trajectory) -> dict[str, Quantity]:
        start = self.settling(trajectory.duration)
        return {
            "speed": Quantity(analysis.speed(trajectory, start), "m/s"),
            "advance": Quantity(float(np.ptp(trajectory["center_of_mass"][:, 0])), "m"),
            "return": Quantity(gymnasium_return(trajectory)),
            "power": Quantity(analysis.power(trajectory, start), "W"),
            "energy_residual": Quantity(analysis.energy_residual(trajectory)),
        }


def gymnasium_return(trajectory: Trajectory) -> float:
    """Return Swimmer-v5's sum of rewards: advance of the model's origin per control period, minus the control cost."""
    x, y, _, w, _, _, z = trajectory["link_pose"][:, 0].T
    origin = x + RAIL_POINT * (w * w - z * z)
    commands = trajectory["command_torque"] / TORQUE
    return float((origin[-1] - origin[0]) / CONTROL - COST * np.nansum(np.clip(commands, -1.0, 1.0) ** 2))
