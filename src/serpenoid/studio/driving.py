"""Keys that drive a gait or controller in steps, by the names of the fields that it happens to have."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

from serpenoid import configuration

STEPS = 20  # key presses from one end of a field's usual range to the other


class Action(NamedTuple):
    """What a key does: the first of these fields that the controller has goes up or down, or changes its sign."""

    name: str
    key: str  # as viser calls it
    fields: tuple[str, ...]
    way: int  # steps; 0 changes the sign


# Keys that viser does not move the camera by. A joint angle above zero bends the snake so that it goes to the right.
STEERED = ("steering", "turning", "offset", "lateral_offset", "bias")
TEMPO = ("frequency", "temporal_frequency", "speed")
WIDTH = ("amplitude", "lateral_amplitude", "radius", "curvature")
DIRECTION = ("direction", "waves", "wave_number", "phase_shift", "lateral_spatial", "spatial_frequency")
ACTIONS = (
    Action("steer left", "J", STEERED, -1),
    Action("steer right", "L", STEERED, 1),
    Action("faster", "I", TEMPO, 1),
    Action("slower", "K", TEMPO, -1),
    Action("tighten", "U", WIDTH, 1),
    Action("loosen", "O", WIDTH, -1),
    Action("reverse", "R", DIRECTION, 0),
)


def driven(controller: Any, action: Action) -> tuple[str, float] | None:
    """The field that an action changes, by its dotted name, and its new value; None where there is none."""
    if not dataclasses.is_dataclass(controller):
        return None
    numbers = {
        field.name: field
        for field in configuration.walk(controller)
        if field.range is not None and isinstance(field.default, int | float) and not isinstance(field.default, bool)
    }
    for wanted in action.fields:
        for name, field in numbers.items():
            if name.rpartition(".")[2] == wanted and field.range is not None:
                return name, stepped(field, action.way)
    return None


def stepped(field: configuration.Field, way: int) -> float:
    """A number some steps on, within its limits; whole numbers stay whole."""
    assert field.range is not None
    low, high = field.range.closed
    span = field.range.usual[1] - field.range.usual[0]
    if isinstance(field.default, int):
        value: float = -field.default if way == 0 else field.default + way * max(1, round(span / STEPS))
    else:
        value = -field.default if way == 0 else round(field.default + way * span / STEPS, 12)
    return type(field.default)(min(max(value, low), high))
