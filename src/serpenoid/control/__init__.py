"""Controllers: laws from observations to commands, by name."""

from serpenoid.control.base import Command, Controller, Idle, Law, Observation, Signal, Truth
from serpenoid.control.follow import FollowGait
from serpenoid.control.kernel_law import KernelController
from serpenoid.control.open_loop import OpenLoop
from serpenoid.control.roll import RollStabiliser
from serpenoid.control.shape_compliance import ShapeCompliance
from serpenoid.control.shape_parameters import Parameter, Windows
from serpenoid.control.shapes import CrossedWaves, LateralWave, RollingHelix, ShapeFunction
from serpenoid.control.torque import HeldTorque

CONTROLLERS: dict[str, type[Controller]] = {
    "idle": Idle,
    "follow_gait": FollowGait,
    "held_torque": HeldTorque,
    "open_loop": OpenLoop,
    "roll_stabiliser": RollStabiliser,
    "shape_compliance": ShapeCompliance,
}

__all__ = [
    "CONTROLLERS", "Command", "Controller", "CrossedWaves", "FollowGait", "HeldTorque", "Idle", "KernelController",
    "LateralWave", "Law", "Observation", "OpenLoop", "Parameter", "RollStabiliser", "RollingHelix", "ShapeCompliance",
    "ShapeFunction", "Signal", "Truth", "Windows",
]  # fmt: skip
