"""Gaits: joint angles over time, by name. Each file of this folder that defines a gait registers it."""

from importlib import import_module
from pkgutil import iter_modules

from serpenoid.configuration import class_choices
from serpenoid.gaits.arc import along_body
from serpenoid.gaits.base import Gait
from serpenoid.gaits.bending import Bending
from serpenoid.gaits.formation import Formation
from serpenoid.gaits.fourier import Fourier
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

# All gaits defined by the modules of this folder, by their plain names.
for module in iter_modules(__path__):
    import_module(f"{__name__}.{module.name}")
GAITS: dict[str, type[Gait]] = {
    name: cls for name, cls in class_choices(Gait).items() if cls.__module__.startswith(f"{__name__}.")
}

__all__ = [
    "GAITS", "Accordion", "Bending", "Cobra", "CompoundSerpenoid", "ConicalSidewinding", "Formation", "Fourier", "Gait",
    "JointTrajectory", "LinearProgression", "RollIntoHelix", "Rolling", "RollingHelix", "Serpenoid", "ShapeFunction",
    "Sidewinding",
    "Slithering", "Spiral", "Swimming", "Undulation", "WindingHelix",
    "along_body",
]  # fmt: skip
