"""Gaits: joint angles over time, by name."""

from serpenoid.gaits.arc import along_body
from serpenoid.gaits.base import Gait
from serpenoid.gaits.bending import Bending
from serpenoid.gaits.formation import Formation
from serpenoid.gaits.helix import RollingHelix, RollIntoHelix, WindingHelix
from serpenoid.gaits.joint_trajectory import JointTrajectory
from serpenoid.gaits.modular import (
    ConicalSidewinding,
    LinearProgression,
    Rolling,
    Sidewinding,
    Slithering,
    Swimming,
)  # fmt: skip
from serpenoid.gaits.movements import Accordion, Cobra, Spiral
from serpenoid.gaits.shapes import ShapeFunction
from serpenoid.gaits.waves import CompoundSerpenoid, Serpenoid, Undulation

GAITS: dict[str, type[Gait]] = {
    "serpenoid": Serpenoid,
    "undulation": Undulation,
    "bending": Bending,
    "compound_serpenoid": CompoundSerpenoid,
    "accordion": Accordion,
    "cobra": Cobra,
    "spiral": Spiral,
    "formation": Formation,
    "joint_trajectory": JointTrajectory,
    "linear_progression": LinearProgression,
    "slithering": Slithering,
    "swimming": Swimming,
    "sidewinding": Sidewinding,
    "conical_sidewinding": ConicalSidewinding,
    "rolling": Rolling,
    "rolling_helix": RollingHelix,
    "winding_helix": WindingHelix,
    "roll_into_helix": RollIntoHelix,
}

__all__ = [
    "GAITS", "Accordion", "Bending", "Cobra", "CompoundSerpenoid", "ConicalSidewinding", "Formation", "Gait",
    "JointTrajectory", "LinearProgression", "RollIntoHelix", "Rolling", "RollingHelix", "Serpenoid", "ShapeFunction",
    "Sidewinding",
    "Slithering", "Spiral", "Swimming", "Undulation", "WindingHelix",
    "along_body",
]  # fmt: skip
