"""Controllers: laws from observations to commands, by name."""

from serpenoid.control.base import Command, Controller, Idle, Law, Observation, Signal, Truth
from serpenoid.control.follow import FollowGait
from serpenoid.control.roll import RollStabiliser
from serpenoid.control.torque import HeldTorque

CONTROLLERS: dict[str, type[Controller]] = {
    "idle": Idle,
    "follow_gait": FollowGait,
    "held_torque": HeldTorque,
    "roll_stabiliser": RollStabiliser,
}

__all__ = [
    "CONTROLLERS", "Command", "Controller", "FollowGait", "HeldTorque", "Idle", "Law", "Observation", "RollStabiliser",
    "Signal", "Truth",
]  # fmt: skip
