"""Gaits: joint angles over time, by name."""

from serpenoid.gaits.base import Gait
from serpenoid.gaits.bending import Bending
from serpenoid.gaits.formation import Formation
from serpenoid.gaits.helix import RollingHelix, RollIntoHelix
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
    "roll_into_helix": RollIntoHelix,
}

__all__ = [
    "GAITS", "Accordion", "Bending", "Cobra", "CompoundSerpenoid", "ConicalSidewinding", "Formation", "Gait",
    "JointTrajectory", "LinearProgression", "RollIntoHelix", "Rolling", "RollingHelix", "Serpenoid", "Sidewinding",
    "Slithering", "Spiral", "Swimming", "Undulation",
]  # fmt: skip
