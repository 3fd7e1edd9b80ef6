"""Registered worlds by name, and the shapes in them."""

from serpenoid.worlds.base import World
from serpenoid.worlds.contact import ContactSettings, ContactWorld, Floor, Solid
from serpenoid.worlds.convex import Ellipsoid, Hull
from serpenoid.worlds.deep_water import DeepWater
from serpenoid.worlds.free import FreeSpace
from serpenoid.worlds.geometry import Disc, Ground, Shape, Wall, WaterLevel
from serpenoid.worlds.grounds import Slope, Steps, Terrain
from serpenoid.worlds.peg_board import PegBoard, PegTouch
from serpenoid.worlds.peg_row import PegRow
from serpenoid.worlds.pipeline import Pipeline
from serpenoid.worlds.plane import Plane
from serpenoid.worlds.pole import Pole
from serpenoid.worlds.pushing import Contact, PushedObject, PushingFloor, Support, Wheels
from serpenoid.worlds.scene import Scene
from serpenoid.worlds.solids import Box, Capsule, Cylinder, Frustum, HeightField, Moving, Pipe
from serpenoid.worlds.water import WaterSurface

WORLDS: dict[str, type[World]] = {
    "free_space": FreeSpace, "plane": Plane, "water_surface": WaterSurface, "pushing_floor": PushingFloor,
    "deep_water": DeepWater, "floor": Floor, "slope": Slope, "steps": Steps, "terrain": Terrain, "peg_row": PegRow,
    "pole": Pole, "pipeline": Pipeline, "peg_board": PegBoard, "scene": Scene,
}  # fmt: skip

__all__ = [
    "WORLDS", "Box", "Capsule", "Contact", "ContactSettings", "ContactWorld", "Cylinder", "DeepWater", "Disc",
    "Ellipsoid", "Floor", "FreeSpace", "Frustum", "Ground", "HeightField", "Hull", "Moving", "PegBoard", "PegRow",
    "PegTouch", "Pipe", "Pipeline", "Plane", "Pole", "PushedObject", "PushingFloor", "Scene", "Shape", "Slope",
    "Solid", "Steps", "Support", "Terrain", "Wall", "WaterLevel", "WaterSurface", "Wheels", "World",
]  # fmt: skip
