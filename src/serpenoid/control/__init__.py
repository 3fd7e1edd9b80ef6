"""Controllers: laws from observations to commands, by name."""

from serpenoid.control.along_route import AlongRoute
from serpenoid.control.base import Command, Controller, Idle, Law, Observation, Signal, Truth
from serpenoid.control.cpg import CentralPatternGenerator, Yielding
from serpenoid.control.gaze import Gaze
from serpenoid.control.joint_admittance import JointAdmittance
from serpenoid.control.joint_pid import JointPID
from serpenoid.control.kernel_law import KernelController
from serpenoid.control.learned import Learned
from serpenoid.control.learned_joints import LearnedJoints
from serpenoid.control.open_loop import OpenLoop
from serpenoid.control.own_shapes import OwnShape
from serpenoid.control.policy import Network
from serpenoid.control.roll import RollStabiliser
from serpenoid.control.shape_compliance import ShapeCompliance
from serpenoid.control.shape_parameters import Parameter, Windows
from serpenoid.control.torque import HeldTorque, TorqueWave
from serpenoid.control.turning import InertialTurning

CONTROLLERS: dict[str, type[Controller]] = {
    "along_route": AlongRoute,
    "central_pattern_generator": CentralPatternGenerator,
    "gaze": Gaze,
    "idle": Idle,
    "held_torque": HeldTorque,
    "joint_admittance": JointAdmittance,
    "joint_pid": JointPID,
    "learned": Learned,
    "learned_joints": LearnedJoints,
    "open_loop": OpenLoop,
    "roll_stabiliser": RollStabiliser,
    "shape_compliance": ShapeCompliance,
    "torque_wave": TorqueWave,
}

__all__ = [
    "CONTROLLERS", "AlongRoute", "CentralPatternGenerator", "Command", "Controller", "Gaze",
    "HeldTorque", "Idle", "InertialTurning", "JointAdmittance", "JointPID", "KernelController",
    "Law", "Learned", "LearnedJoints", "Network", "Observation", "OpenLoop", "OwnShape", "Parameter", "RollStabiliser",
    "ShapeCompliance", "Signal", "TorqueWave", "Truth", "Windows", "Yielding",
]  # fmt: skip
