"""Worlds: what surrounds a robot, by name."""

from serpenoid.worlds.free import FreeSpace
from serpenoid.worlds.plane import Plane
from serpenoid.worlds.pushing import Contact, PushedObject, PushingFloor, Wheels
from serpenoid.worlds.water import WaterSurface

WORLDS: dict[str, type] = {"free": FreeSpace, "plane": Plane, "water": WaterSurface, "pushing": PushingFloor}

__all__ = ["WORLDS", "Contact", "FreeSpace", "Plane", "PushedObject", "PushingFloor", "WaterSurface", "Wheels"]
