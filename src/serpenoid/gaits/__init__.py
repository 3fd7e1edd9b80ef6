"""Gaits: joint angles over time, by name."""

from serpenoid.gaits.base import Gait
from serpenoid.gaits.bending import Bending
from serpenoid.gaits.formation import Formation
from serpenoid.gaits.joint_trajectory import JointTrajectory
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
}

__all__ = [
    "GAITS", "Accordion", "Bending", "Cobra", "CompoundSerpenoid", "Formation", "Gait", "JointTrajectory", "Serpenoid",
    "Spiral", "Undulation",
]  # fmt: skip
