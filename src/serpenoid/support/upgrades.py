"""Plain data of older recordings and files, brought to the names that fields and classes have now."""

from __future__ import annotations

from typing import Any

# Classes that live elsewhere now.
MOVED = {
    "serpenoid.robots.base:PD": "serpenoid.robots.drives:PD",
    "serpenoid.robots.base:Prescribed": "serpenoid.robots.drives:Prescribed",
}

# Fields that have another name now, by class.
RENAMED = {"serpenoid.scenarios.natrix:NatrixAfloat": {"roll_seed": "start_roll"}}


def upgrade(plain: Any) -> Any:
    """The same data as this release writes it; what is up to date stays as it is."""
    if isinstance(plain, list):
        return [upgrade(item) for item in plain]
    if not isinstance(plain, dict):
        return plain
    data = {key: upgrade(value) for key, value in plain.items()}
    if "type" in data:
        data["type"] = MOVED.get(data["type"], data["type"]) if isinstance(data["type"], str) else data["type"]
    data = {field_now(data.get("type"), key): data[key] for key in data}
    return without_copies(obstacles_to_world(data))


def field_now(owner: Any, name: str) -> str:
    """The name that a field of a class, given as module:Class, has now."""
    return RENAMED.get(owner, {}).get(name, name) if isinstance(owner, str) else name


def outgrown(schema: int, configuration: dict[str, Any]) -> list[str]:
    """Why a run of an older schema repeats with other numbers than its recording holds; empty: it has the same."""
    if schema > 1:
        return []
    controller, robot = (configuration.get(part) or {} for part in ("controller", "robot"))
    kind, drive = controller.get("type", ""), (robot.get("drive") or {}).get("type", "")
    planar = robot.get("type", "").startswith("serpenoid.robots.planar:")
    found = []
    if kind.startswith("serpenoid.planning."):
        found.append("its planner took steps of first order, today's are of second: the plans, and the run, differ")
    elif planar and drive.endswith(":Prescribed") and not kind.startswith("serpenoid.gaits."):
        found.append("it took the acceleration of prescribed joints under a controller as 0: torques and power differ")
    return [f"recorded by release 0.1 (schema {schema}): {reason}" for reason in found]


def without_copies(data: dict[str, Any]) -> dict[str, Any]:
    """Controllers once kept copies of the robot and of the control period, and one held another to the clock."""
    if data.get("type") == "serpenoid.control.roll:RollStabiliser":
        return {key: value for key, value in data.items() if key not in ("robot", "period")}
    if data.get("type") == "serpenoid.planning.realtime:RealTime":
        return data["controller"]
    return data


def obstacles_to_world(data: dict[str, Any]) -> dict[str, Any]:
    """The planner's scenario once had its obstacles in flat lists: discs of x y radius, walls of x y x y radius."""
    if data.get("type") != "serpenoid.scenarios.mpc:PredictiveControl" or not {"discs", "walls"} & set(data):
        return data
    rest = {key: value for key, value in data.items() if key not in ("discs", "walls")}
    discs = [{"type": "serpenoid.worlds.geometry:Disc", "center": [x, y], "radius": r}
             for x, y, r in rows(data.get("discs", []), 3)]  # fmt: skip
    walls = [{"type": "serpenoid.worlds.geometry:Wall", "start": [x, y], "end": [far_x, far_y], "radius": r}
             for x, y, far_x, far_y, r in rows(data.get("walls", []), 5)]  # fmt: skip
    world = rest.get("world", {})
    rest["world"] = {**world, "obstacles": [*world.get("obstacles", []), *discs, *walls]}
    return rest


def rows(values: list[float], width: int) -> list[list[float]]:
    """A flat list of numbers in rows of so many; a rest that is too short is left out."""
    return [list(values[i : i + width]) for i in range(0, len(values) - width + 1, width)]
