"""Engines, and the registry that selects one for a robot in a world."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import NamedTuple

from serpenoid.engines.base import Engine
from serpenoid.errors import UnknownName, Unsupported
from serpenoid.robots.base import PlanarRobot, Robot, TreeRobot
from serpenoid.worlds.base import World
from serpenoid.worlds.contact import ContactWorld
from serpenoid.worlds.free import FreeSpace
from serpenoid.worlds.peg_board import PegBoard
from serpenoid.worlds.plane import Plane
from serpenoid.worlds.pushing import PushingFloor
from serpenoid.worlds.water import WaterSurface


class Registered(NamedTuple):
    """Engine together with the robots and worlds that it simulates."""

    engine: type[Engine] | str  # the class, or "module:Class", imported on first use
    robot: type
    worlds: tuple[type, ...]

    def fits(self, robot: type, world: type) -> bool:
        """Return whether it simulates robots of a class in worlds of a class."""
        return issubclass(robot, self.robot) and issubclass(world, self.worlds)

    def load(self) -> type[Engine]:
        """Return the engine's class."""
        if not isinstance(self.engine, str):
            return self.engine
        module, _, name = self.engine.partition(":")
        return getattr(import_module(module), name)


ENGINES: dict[str, Registered] = {}  # by name; the first match is used


def register_engine(name: str, engine: type[Engine] | str, robot: type, *worlds: type) -> None:
    """Register an engine for robots of a class in worlds of some classes, including subclasses.

    Third-party engines come after the built-in ones. They are used where no built-in engine fits, or by name.
    """
    ENGINES[name] = Registered(engine, robot, worlds)
    engine_of.cache_clear()


def find_engine(robot: Robot, world: World, name: str | None = None) -> type[Engine]:
    """Return the engine for a robot in a world, or the engine with the given name."""
    return engine_of(type(robot), type(world), name)


@lru_cache(maxsize=64)
def engine_of(robot: type[Robot], world: type[World], name: str | None) -> type[Engine]:
    """Return the engine for a class of robots in a class of worlds; cached, because sweeps call it for every cell."""
    if name is not None and name not in ENGINES:
        raise UnknownName("engine", name, ENGINES)
    for row in ENGINES.values() if name is None else (ENGINES[name],):
        if row.fits(robot, world):
            return row.load()
    places = [kind.__name__ for row in ENGINES.values() if issubclass(robot, row.robot) for kind in row.worlds]
    by = f" by the engine {name}" if name else ""
    where = f"it runs in {', '.join(dict.fromkeys(places))}" if places else "no world supports it"
    raise Unsupported(f"{robot.__name__} cannot run in {world.__name__}{by}: {where}")


register_engine("planar", "serpenoid.engines.planar:PlanarEngine", PlanarRobot, FreeSpace, Plane)
register_engine("pushing", "serpenoid.engines.pushing:PushingEngine", PlanarRobot, PushingFloor)
register_engine("contact", "serpenoid.engines.contact.engine:ContactEngine", Robot, ContactWorld)
register_engine("pegs", "serpenoid.engines.pegs:PegEngine", Robot, PegBoard)
register_engine("tree", "serpenoid.engines.tree:TreeEngine", TreeRobot, FreeSpace, WaterSurface)
