"""Keys that change a gait or controller in steps, by the names of its fields."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from math import cos
from typing import Any, NamedTuple

from serpenoid import configuration
from serpenoid.control.landmarks import Guided, Landmarks

STEPS = 20  # key presses across the usual range of a field
LESS = "-"  # prefix of a field that decreases where others increase, such as a period
LAWS = ("", "shape.", "law.")  # where a controller may have the fields: itself, or the law that it wraps
WHERE = (*LAWS, *(f"{law}gait." for law in LAWS))
STEER = ".steer"  # of a shape law's parameter: nonzero if it steers


class Action(NamedTuple):
    """Action of a key: change the first of these fields that the controller has by steps, or flip its sign."""

    name: str
    key: str  # viser's name
    fields: tuple[str, ...]
    way: int  # steps; 0 flips the sign


# Keys that viser does not use for the camera. A positive joint angle bends the snake to the right, as seen from its
# head. Sidewinding curves to the right if the tail end is thin. A commanded heading is positive to the left.
STEERED = ("steering", "turning", "offset", "taper", "-turning.target")
TEMPO = (
    "frequency", "temporal_frequency", "speed", "rate", "-period", "-half_period", "-travel",
)  # fmt: skip
WIDTH = (
    "amplitude", "-radius", "curvature", "winding", "fold", "lift", "curl", "scale",
)  # fmt: skip
DIRECTION = (
    "direction", "reversal", "wave_number", "spatial_frequency", "speed",
)  # fmt: skip
ACTIONS = (
    Action("steer left", "J", STEERED, -1),
    Action("steer right", "L", STEERED, 1),
    Action("faster", "I", TEMPO, 1),
    Action("slower", "K", TEMPO, -1),
    Action("tighten", "U", WIDTH, 1),
    Action("loosen", "O", WIDTH, -1),
    Action("reverse", "R", DIRECTION, 0),
)


def changed_fields(controller: Any, action: Action) -> dict[str, float]:
    """Return the fields changed by an action, by dotted name, with their new values; empty if there are none."""
    if not dataclasses.is_dataclass(controller) or action.fields is STEERED and leads_itself(controller):
        return {}
    numbers = {
        field.name: field
        for field in configuration.walk(controller)
        if field.range is not None and isinstance(field.default, int | float) and not isinstance(field.default, bool)
    }
    for wanted in fields_of(numbers, action):
        for place in WHERE:
            field = numbers.get(place + wanted.removeprefix(LESS))
            if field is not None:
                way = -action.way if wanted.startswith(LESS) else action.way
                return {field.name: step_value(field, way * side(numbers, field.name))}
    return {}


def fields_of(numbers: Mapping[str, configuration.Field], action: Action) -> tuple[str, ...]:
    """Return the fields of an action; windows of a shape law cannot reverse, and not every law steers by its gait."""
    steers = [field.default for name, field in numbers.items() if name.endswith(STEER)]
    if not steers:
        return action.fields
    if action.fields is DIRECTION:
        return ("reversal", "frequency")
    return ("-turning.target",) if action.fields is STEERED and not any(steers) else action.fields


def leads_itself(controller: Any) -> bool:
    """Return whether a controller steers autonomously, towards a goal or along a route."""
    marks = controller.landmarks() if isinstance(controller, Guided) else Landmarks()
    return bool(marks.goals or marks.route)


def why_not(controller: Any, action: Action) -> str:
    """Return why a key has no effect, in one line."""
    name = type(controller).__name__
    if action.fields is STEERED and leads_itself(controller):
        return f"{name} steers towards its own goal"
    return f"{name} has no field to {action.name}"


def side(numbers: Mapping[str, configuration.Field], name: str) -> int:
    """Return -1 if a reversed gait makes a taper steer in the opposite direction; the body turns about its thin end."""
    place, _, last = name.rpartition("taper")
    turned = numbers.get(f"{place}reversal") if last == "" else None
    return -1 if turned is not None and cos(turned.default) < 0.0 else 1


def step_value(field: configuration.Field, way: int) -> float:
    """Return a number changed by some steps within its limits; integers stay integers. Zero steps reverse it."""
    assert field.range is not None
    low, high = field.range.closed
    step = (field.range.usual[1] - field.range.usual[0]) / STEPS
    if way == 0:
        value: float = other_way(field)
    elif isinstance(field.default, int):
        value = field.default + way * max(1, round(step))
    else:
        value = round(field.default + way * step, 12)
    return type(field.default)(min(max(value, low), high))


def other_way(field: configuration.Field) -> float:
    """Return the number that reverses a gait: the negated value, or the other end of its range for an added phase."""
    assert field.range is not None
    if field.name.endswith("reversal"):
        near, far = field.range.usual
        return far if abs(field.default - near) < abs(field.default - far) else near
    return -field.default
