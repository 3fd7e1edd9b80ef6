"""Engines, and the one table that tells which of them carries a robot through a world."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from serpenoid.engines.base import Engine
from serpenoid.errors import UnknownName, Unsupported

# engine name -> (module, class, robot base class, worlds it carries), as names so that nothing loads before it is used.
ENGINES: dict[str, tuple[str, str, str, tuple[str, ...]]] = {
    "planar": ("serpenoid.engines.planar", "PlanarEngine", "PlanarRobot", ("FreeSpace", "Plane")),
    "pushing": ("serpenoid.engines.pushing", "PushingEngine", "PlanarRobot", ("PushingFloor",)),
    "contact": ("serpenoid.engines.contact", "ContactEngine", "Robot", ("ContactWorld",)),
    "pegs": ("serpenoid.engines.pegs", "PegEngine", "Robot", ("PegBoard",)),
    "tree": ("serpenoid.engines.tree", "TreeEngine", "TreeRobot", ("FreeSpace", "WaterSurface")),
}


def find_engine(robot: Any, world: Any, name: str | None = None) -> type[Engine]:
    """The engine for a robot type and a world type, or the one named."""
    if name is not None and name not in ENGINES:
        raise UnknownName("engine", name, ENGINES)
    for engine in ENGINES if name is None else (name,):
        module, cls, robots, worlds = ENGINES[engine]
        if is_a(robot, robots) and any(is_a(world, kind) for kind in worlds):
            return getattr(import_module(module), cls)
    places = [kind for _, _, robots, worlds in ENGINES.values() if is_a(robot, robots) for kind in worlds]
    by = f" by the engine {name}" if name else ""
    where = f"it runs in {', '.join(dict.fromkeys(places))}" if places else "no world here takes it"
    raise Unsupported(f"{type(robot).__name__} cannot be run in {type(world).__name__}{by}: {where}")


def is_a(value: Any, name: str) -> bool:
    """Whether a value's class, or one it derives from, has this name."""
    return any(cls.__name__ == name for cls in type(value).__mro__)
