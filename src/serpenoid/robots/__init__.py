"""Registered robots by name; BodyTree describes a robot of your own."""

from serpenoid.robots.base import Robot
from serpenoid.robots.body_shapes import BodyShape
from serpenoid.robots.body_tree import Body, BodyTree
from serpenoid.robots.cascade import Cascade, Gains
from serpenoid.robots.drives import PD, Drive, Prescribed, SeriesElastic
from serpenoid.robots.export import write_model
from serpenoid.robots.files import load
from serpenoid.robots.moving_frame import MovingFrameChain
from serpenoid.robots.natrix import Natrix
from serpenoid.robots.planar import PlanarSnake
from serpenoid.robots.sea_snake import SeaSnake
from serpenoid.robots.telemetry import Telemetry

ROBOTS: dict[str, type[Robot]] = {
    "planar_snake": PlanarSnake,
    "natrix": Natrix,
    "sea_snake": SeaSnake,
    "moving_frame_chain": MovingFrameChain,
    "body_tree": BodyTree,
}

__all__ = [
    "PD",
    "ROBOTS",
    "Body",
    "BodyShape",
    "BodyTree",
    "Cascade",
    "Drive",
    "Gains",
    "MovingFrameChain",
    "Natrix",
    "PlanarSnake",
    "Prescribed",
    "Robot",
    "SeaSnake",
    "SeriesElastic",
    "Telemetry",
    "load",
    "write_model",
]
