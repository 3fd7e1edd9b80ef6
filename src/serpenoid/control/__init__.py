"""Controllers: laws from observations to commands, by name."""

from serpenoid.control.base import Command, Controller, Idle, Observation

CONTROLLERS: dict[str, type[Controller]] = {"idle": Idle}

__all__ = ["CONTROLLERS", "Command", "Controller", "Idle", "Observation"]
