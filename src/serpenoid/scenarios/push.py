"""A planar snake that pushes an object, in contact from the start unless there is a gap."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal

import numpy as np

from serpenoid import analysis, mechanics
from serpenoid.configuration import above, at_least, usual
from serpenoid.control.torque import HeldTorque
from serpenoid.engines.base import Initial
from serpenoid.errors import InvalidValue
from serpenoid.robots import PD, PlanarSnake
from serpenoid.scenarios.base import Parts, Quantity, Scenario
from serpenoid.trajectory import Trajectory
from serpenoid.worlds.pushing import Contact, PushedObject, PushingFloor, Wheels


@dataclass(frozen=True)
class Push(Scenario, duration=0.5, sample_period=0.005, control_period=0.005):
    """A planar snake pushes a round object: contact made, kept and lost, wheels that hold or slip."""

    robot: PlanarSnake = PlanarSnake(
        links=3, link_length=0.15, link_mass=1.0, link_inertia=0.002, joint_damping=0.0, drive=PD(torque_limit=10.0)
    )
    """snake; the default is that of the paper"""
    object: PushedObject = PushedObject()
    """pushed object"""
    wheels: Literal["none", "friction", "ideal"] = "friction"
    """none: no wheels; friction: a wheel holds up to its limit, then slips; ideal: a wheel never slips"""
    wheel_friction: Annotated[float, at_least(0.0, usual=(0.0, 1.0), most=1e9)] = 0.1
    """lateral friction coefficient of a wheel if wheels is friction"""
    contact: Contact = Contact()
    """contact point on the snake and the object, ignoring the gap"""
    gap: Annotated[float, at_least(0.0, usual=(0.0, 0.2))] = 0.0
    """initial distance between the snake and the object [m]"""
    shape: Annotated[tuple[float, ...], usual(-2.0, 2.0)] = (-1.2, -1.0)
    """initial joint angles [rad]"""
    torque: Annotated[tuple[float, ...] | None, usual(-10.0, 10.0)] = None
    """joint torques [N m]; none: the torques of the input region that push best without slip at the start"""
    release: Annotated[float | None, above(0.0, usual=(0.01, 5.0), most=1e6)] = None
    """time at which the torques are switched off [s]; none: never"""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, value in (("shape", self.shape), ("torque", self.torque)):
            if value is not None and len(value) != self.robot.joints:
                raise InvalidValue(name, value, f"{self.robot.joints} numbers, one per joint")

    def floor(self) -> PushingFloor:
        """Return the world of this run."""
        return PushingFloor(self.object, Wheels(self.wheels, self.wheel_friction), self.contact, self.gap)

    @cached_property
    def torques(self) -> tuple[float, ...]:
        """Torques of this run [N m]; a property because the search for the best ones takes 0.2 s."""
        if self.torque is not None:
            return self.torque
        floor = self.floor()
        best = mechanics.best_push(self.robot, self.shape, floor.object, wheels=floor.wheels, contact=floor.contact)
        return tuple(best.torque.tolist())

    def parts(self) -> Parts:
        return Parts(self.robot, self.floor(), HeldTorque(self.torques, self.release))

    def usual_start(self) -> Initial:
        return Initial(joint_position=self.shape)

    def summary(self, trajectory: Trajectory) -> dict[str, Quantity]:
        moved = trajectory["object_position"][-1] - trajectory["object_position"][0]
        held = np.nan_to_num(trajectory["wheel_holds"], nan=1.0).min(axis=1)
        losses = ("work_wheels", "work_ground", "work_impacts")
        return {
            "object_moved": Quantity(float(np.hypot(moved[0], moved[1])), "m"),
            "object_speed": Quantity(float(np.linalg.norm(trajectory["object_velocity"][-1])), "m/s"),
            "contact_share": Quantity(float((trajectory["contact_force"].max(axis=1) > 0.0).mean())),
            "wheels_hold_share": Quantity(float(held.mean())),
            "events": Quantity(float(trajectory["events"][-1])),
            "energy_robot": Quantity(float(trajectory["energy_kinetic"][-1]), "J"),
            "energy_object": Quantity(float(trajectory["energy_object"][-1]), "J"),
            **{name: Quantity(float(trajectory[name][-1]), "J") for name in losses},
            "energy_residual": Quantity(analysis.energy_residual(trajectory)),
            "static_force_error": Quantity(self.first_instant(trajectory)),
        }

    def first_instant(self, trajectory: Trajectory) -> float:
        """Return the relative difference between the initial forces and the static analysis; NaN with a gap."""
        if self.gap > 0.0:
            return float("nan")
        floor = self.floor()
        static = mechanics.pushing(
            self.robot, self.shape, self.object, self.torques, wheels=floor.wheels, contact=floor.contact
        )
        found = np.append(trajectory["contact_force"][0, self.contact.link], wheel_forces(trajectory))
        expected = static.force[: found.size]
        return float(np.abs(found - expected).max() / max(np.abs(expected).max(), 1e-300))


def wheel_forces(trajectory: Trajectory) -> np.ndarray:
    """Return the wheel forces at the first sample, link by link."""
    force = trajectory["wheel_force"][0]
    return force[~np.isnan(force)]
