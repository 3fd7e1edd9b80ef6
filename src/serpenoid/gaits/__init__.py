"""Gaits: joint angles over time, by name."""

from serpenoid.gaits.base import Gait
from serpenoid.gaits.bending import Bending
from serpenoid.gaits.waves import CompoundSerpenoid, Serpenoid, Undulation

GAITS: dict[str, type[Gait]] = {
    "serpenoid": Serpenoid,
    "undulation": Undulation,
    "bending": Bending,
    "compound_serpenoid": CompoundSerpenoid,
}

__all__ = ["GAITS", "Bending", "CompoundSerpenoid", "Gait", "Serpenoid", "Undulation"]
