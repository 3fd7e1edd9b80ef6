"""Keys that drive a gait or controller in steps, by the names of the fields that it happens to have."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

from serpenoid import configuration

STEPS = 20  # key presses from one end of a field's usual range to the other
SHARE = 0.1  # of its value, by which a key moves a shape parameter: their usual range is that of all kinds of them
LESS = "-"  # before a field that goes down where the others go up, as a period does for what is faster
WHERE = ("", "gait.", "shape.", "law.")  # of a controller, that the fields stand in: its own, or those of what it leads


class Action(NamedTuple):
    """What a key does: the first of these fields that the controller has goes up or down, or changes its sign."""

    name: str
    key: str  # as viser calls it
    fields: tuple[str, ...]
    way: int  # steps; 0 changes the sign


# Keys that viser does not move the camera by. A joint angle above zero bends the snake so that it goes to the right.
STEERED = ("steering", "turning", "turn", "offset", "lateral_offset", "taper")
TEMPO = (
    "frequency",
    "temporal_frequency",
    "speed",
    "rate",
    "parameters.phase.rate",
    "-period",
    "-half_period",
    "-travel",
)
WIDTH = (
    "amplitude", "lateral_amplitude", "radius", "curvature", "parameters.amplitude.nominal",
    "parameters.winding.nominal", "fold", "lift", "curl", "scale",
)  # fmt: skip
DIRECTION = (
    "direction", "reversal", "waves", "wave_number", "phase_shift", "lateral_spatial", "spatial", "spatial_frequency",
    "parameters.phase.rate",
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
        for place in WHERE:
            field = numbers.get(place + wanted.removeprefix(LESS))
            if field is not None:
                return field.name, stepped(field, -action.way if wanted.startswith(LESS) else action.way)
    return None


def stepped(field: configuration.Field, way: int) -> float:
    """A number some steps on, within its limits; whole numbers stay whole. No step: to the other way round."""
    assert field.range is not None
    low, high = field.range.closed
    step = (field.range.usual[1] - field.range.usual[0]) / STEPS
    if "parameters." in field.name:
        step = min(step, SHARE * abs(field.default))
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
