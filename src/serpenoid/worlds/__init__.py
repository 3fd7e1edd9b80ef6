"""Worlds: what surrounds a robot, by name, and the shapes that stand in them."""

from serpenoid.worlds.base import World
from serpenoid.worlds.contact import ContactSettings, ContactWorld, Floor, Solid
from serpenoid.worlds.free import FreeSpace
from serpenoid.worlds.geometry import Disc, Ground, Shape, Wall, WaterLevel
from serpenoid.worlds.peg_board import PegBoard, PegTouch
from serpenoid.worlds.plane import Plane
from serpenoid.worlds.pushing import Contact, PushedObject, PushingFloor, Wheels
from serpenoid.worlds.solids import Box, Capsule, Cylinder, Frustum, HeightField, Moving, Pipe
from serpenoid.worlds.water import WaterSurface

WORLDS: dict[str, type[World]] = {
    "free": FreeSpace, "plane": Plane, "water": WaterSurface, "pushing": PushingFloor,
    "floor": Floor, "pegs": PegBoard,
}  # fmt: skip

__all__ = [
    "WORLDS", "Box", "Capsule", "Contact", "ContactSettings", "ContactWorld", "Cylinder", "Disc", "Floor", "FreeSpace",
    "Frustum", "Ground", "HeightField", "Moving", "PegBoard", "PegTouch", "Pipe", "Plane", "PushedObject",
    "PushingFloor", "Shape", "Solid",
    "Wall", "WaterLevel", "WaterSurface", "Wheels", "World",
]  # fmt: skip
