"""Controllers: laws from observations to commands, by name."""

from serpenoid.control.base import Command, Controller, Idle, Observation
from serpenoid.control.roll import RollStabiliser
from serpenoid.control.torque import HeldTorque

CONTROLLERS: dict[str, type[Controller]] = {
    "idle": Idle,
    "held_torque": HeldTorque,
    "roll_stabiliser": RollStabiliser,
}

__all__ = ["CONTROLLERS", "Command", "Controller", "HeldTorque", "Idle", "Observation", "RollStabiliser"]
