"""Controllers: laws from observations to commands, by name."""

from serpenoid.control.base import Command, Controller, Idle, Observation
from serpenoid.control.torque import HeldTorque

CONTROLLERS: dict[str, type[Controller]] = {"idle": Idle, "held_torque": HeldTorque}

__all__ = ["CONTROLLERS", "Command", "Controller", "HeldTorque", "Idle", "Observation"]
