"""Engines, and the one table that tells which of them carries a robot through a world."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import Any

from serpenoid.engines.base import Engine
from serpenoid.errors import UnknownName, Unsupported
from serpenoid.robots.base import Robot

# engine name -> (module, class, robot base class, worlds it carries), as names so that nothing loads before it is used.
ENGINES: dict[str, tuple[str, str, str, tuple[str, ...]]] = {
    "planar": ("serpenoid.engines.planar", "PlanarEngine", "PlanarRobot", ("FreeSpace", "Plane")),
    "pushing": ("serpenoid.engines.pushing", "PushingEngine", "PlanarRobot", ("PushingFloor",)),
    "contact": ("serpenoid.engines.contact.engine", "ContactEngine", "Robot", ("ContactWorld",)),
    "pegs": ("serpenoid.engines.pegs", "PegEngine", "Robot", ("PegBoard",)),
    "tree": ("serpenoid.engines.tree", "TreeEngine", "TreeRobot", ("FreeSpace", "WaterSurface")),
}


def find_engine(robot: Robot, world: Any, name: str | None = None) -> type[Engine]:
    """The engine for a robot type and a world type, or the one named."""
    kinds: Any = type(robot), type(world)
    return engine_of(*kinds, name)


@lru_cache(maxsize=64)
def engine_of(robot: type, world: type, name: str | None) -> type[Engine]:
    """The same for the classes; the cells of a sweep ask for theirs again and again."""
    if name is not None and name not in ENGINES:
        raise UnknownName("engine", name, ENGINES)
    for engine in ENGINES if name is None else (name,):
        module, cls, robots, worlds = ENGINES[engine]
        if is_a(robot, robots) and any(is_a(world, kind) for kind in worlds):
            return getattr(import_module(module), cls)
    places = [kind for _, _, robots, worlds in ENGINES.values() if is_a(robot, robots) for kind in worlds]
    by = f" by the engine {name}" if name else ""
    where = f"it runs in {', '.join(dict.fromkeys(places))}" if places else "no world here takes it"
    raise Unsupported(f"{robot.__name__} cannot be run in {world.__name__}{by}: {where}")


def is_a(kind: type, name: str) -> bool:
    """Whether a class, or one it derives from, has this name."""
    return any(cls.__name__ == name for cls in kind.__mro__)
