"""Keys that drive a gait or controller in steps, by the names of the fields that it happens to have."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from math import cos
from typing import Any, NamedTuple

from serpenoid import configuration
from serpenoid.control.landmarks import Guided, Landmarks

STEPS = 20  # key presses from one end of a field's usual range to the other
LESS = "-"  # before a field that goes down where the others go up, as a period does for what is faster
LAWS = ("", "shape.", "law.")  # of a controller, that the fields stand in: its own, or those of what it leads
WHERE = (*LAWS, *(f"{law}gait." for law in LAWS))
STEER = ".steer"  # of a shape law's parameter: above or below 0 where it steers


class Action(NamedTuple):
    """What a key does: the first of these fields that the controller has goes up or down, or changes its sign."""

    name: str
    key: str  # as viser calls it
    fields: tuple[str, ...]
    way: int  # steps; 0 changes the sign


# Keys that viser does not move the camera by. A joint angle above zero bends the snake so that it goes to the right, as
# seen by its head; sidewinding goes to the right of its way where its tail's end is thin, and a wanted heading counts
# to the left.
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


def driven(controller: Any, action: Action) -> dict[str, float]:
    """The fields that an action changes, by their dotted names, and their new values; none where there is none."""
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
                return {field.name: stepped(field, way * side(numbers, field.name))}
    return {}


def fields_of(numbers: Mapping[str, configuration.Field], action: Action) -> tuple[str, ...]:
    """The fields of an action; in a shape law windows cannot turn round, and not every law steers by its gait."""
    steers = [field.default for name, field in numbers.items() if name.endswith(STEER)]
    if not steers:
        return action.fields
    if action.fields is DIRECTION:
        return ("reversal", "frequency")
    return ("-turning.target",) if action.fields is STEERED and not any(steers) else action.fields


def leads_itself(controller: Any) -> bool:
    """Whether a controller steers towards a goal, or along a route, of its own."""
    marks = controller.landmarks() if isinstance(controller, Guided) else Landmarks()
    return bool(marks.goals or marks.route)


def why_not(controller: Any, action: Action) -> str:
    """Why a key does nothing, in a line."""
    name = type(controller).__name__
    if action.fields is STEERED and leads_itself(controller):
        return f"{name} steers by itself, towards its own goal"
    return f"{name} has nothing to {action.name} by"


def side(numbers: Mapping[str, configuration.Field], name: str) -> int:
    """-1 where a taper turns the other way, since the gait goes the other way: it goes round its thin end."""
    place, _, last = name.rpartition("taper")
    turned = numbers.get(f"{place}reversal") if last == "" else None
    return -1 if turned is not None and cos(turned.default) < 0.0 else 1


def stepped(field: configuration.Field, way: int) -> float:
    """A number some steps on, within its limits; whole numbers stay whole. No step: to the other way round."""
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
    """The number that lets a gait go the other way: the other sign; of an added phase the other end of its range."""
    assert field.range is not None
    if field.name.endswith("reversal"):
        near, far = field.range.usual
        return far if abs(field.default - near) < abs(field.default - far) else near
    return -field.default
