"""Worlds: what surrounds a robot, by name."""

from serpenoid.worlds.free import FreeSpace
from serpenoid.worlds.plane import Plane
from serpenoid.worlds.water import WaterSurface

WORLDS: dict[str, type] = {"free": FreeSpace, "plane": Plane, "water": WaterSurface}

__all__ = ["WORLDS", "FreeSpace", "Plane", "WaterSurface"]
