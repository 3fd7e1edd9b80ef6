"""Page controls generated from the fields of a dataclass, with their units, ranges and descriptions."""

from __future__ import annotations

import dataclasses
import math
import re
import typing
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from serpenoid import configuration
from serpenoid.configuration import Field

if TYPE_CHECKING:
    import viser

Changed = Callable[[str, Any], None]  # takes a dotted field and its new value, as given by the page

NOTHING = "none"
PARTS = ("controller", "gait", "robot", "world", "engine")  # in this order
SLIDER, CHECKBOX, DROPDOWN, TEXT = "slider", "checkbox", "dropdown", "text"


def kind_of(field: Field) -> str:
    """Return the type of control for a field."""
    options = configuration.members(field.annotation)
    if choices_of(field):
        return DROPDOWN
    if field.annotation is bool:
        return CHECKBOX
    number = isinstance(field.default, int | float) and not isinstance(field.default, bool)
    return SLIDER if number and len(options) == 1 and field.range is not None else TEXT


def choices_of(field: Field) -> tuple[str, ...]:
    """Return the choices of a field, including its current value; empty if it accepts other values."""
    classes = configuration.class_choices(field.annotation)
    if classes:
        ready = [name for name, cls in classes.items() if not any(map(configuration.required, dataclasses.fields(cls)))]
        optional = [NOTHING] if type(None) in configuration.members(field.annotation) else []
        presets = (name for cls in classes.values() for name in presets_of(cls))
        return tuple(dict.fromkeys([class_word(field.default), *optional, *sorted(ready), *sorted(presets)]))
    if typing.get_origin(field.annotation) is Literal:
        return tuple(map(str, typing.get_args(field.annotation)))
    return ()


def class_word(value: Any) -> str:
    """Return the name of a value's preset or class, as on the command line."""
    if value is None:
        return NOTHING
    cls: Any = type(value)
    presets = presets_of(cls).items()
    return next((name for name, preset in presets if preset == value), configuration.plain_name(cls))


@cache
def presets_of(cls: type) -> dict[str, Any]:
    """Return the presets of a class, by name."""
    return {name: make() for name, make in getattr(cls, "presets", dict)().items()}


def limits_of(field: Field) -> tuple[float, float, float]:
    """Return minimum, maximum and step of a slider: the usual range, extended to the field's value, within the
    limits."""
    assert field.range is not None
    value, (low, high) = field.default, field.range.usual
    least, most = field.range.closed
    low, high = max(min(low, value), least), min(max(high, value), most)
    if isinstance(value, int):
        return int(low), int(max(high, low + 1)), 1
    if high <= low:
        high = min(low + 1.0, most)
    return float(low), float(high), 10.0 ** math.floor(math.log10((high - low) / 100.0))


def label_of(field: Field) -> str:
    """Return the last part of a field's name, with its unit."""
    unit = re.search(r"\[([^\]]+)\]", field.doc)
    name = field.name.rpartition(".")[2].replace("_", " ")
    return f"{name} [{unit.group(1)}]" if unit else name


def hint_of(field: Field) -> str:
    """Return the description of a field, its allowed and usual values, and its flag."""
    notes = [field.range.words] if field.range else []
    notes += [f"usually {field.range.usual[0]:g} to {field.range.usual[1]:g}"] if field.range else []
    notes += [configuration.describe(field.annotation)] if kind_of(field) == TEXT else []
    remark = f" ({'; '.join(notes)})" if notes else ""
    return f"{field.doc}{remark}. --{field.name}"


def format_words(value: Any) -> str:
    """Format a value as text that `configuration.parse` reads."""
    if value is None:
        return "none"
    if isinstance(value, tuple):
        return " ".join(
            format_words(item).replace(" ", ",") if isinstance(item, tuple) else format_words(item) for item in value
        )
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        numbers: list[str] = []
        for field in dataclasses.fields(value):
            part = getattr(value, field.name)
            numbers += [format_words(item) for item in (part if isinstance(part, tuple) else (part,))]
        return f"{configuration.plain_name(type(value))}:{','.join(numbers)}"
    if isinstance(value, float) and float(f"{value:.12g}") == value:
        return f"{value:.12g}"
    return str(value)


def value_of(field: Field, shown: Any) -> Any:
    """Convert a control's value to a field value; text is parsed as on the command line."""
    kind = kind_of(field)
    if kind == TEXT:
        items = typing.get_args(field.annotation)
        listed = items and (configuration.class_choices(items[0]) or typing.get_origin(items[0]) is tuple)
        words = str(shown).split()
        if not words and not listed:  # an empty box is a value, unlike an empty flag
            return () if typing.get_origin(field.annotation) is tuple else ""
        return configuration.parse(field.name, field.annotation, words or ["none"])
    if kind == DROPDOWN and not configuration.class_choices(field.annotation):
        return configuration.parse(field.name, field.annotation, [str(shown)])
    if kind == DROPDOWN and shown == NOTHING:
        return None
    if kind == SLIDER and isinstance(field.default, float):
        return float(shown)
    return shown


def shown_value(field: Field) -> Any:
    """Return the value that a control shows for a field."""
    kind = kind_of(field)
    if kind == DROPDOWN:
        classes = configuration.class_choices(field.annotation)
        return class_word(field.default) if classes else str(field.default)
    return format_words(field.default) if kind == TEXT else field.default


class Controls:
    """Controls of one configuration, one folder per dataclass; choices of whole parts are in `top`."""

    def __init__(self, server: viser.ViserServer, config: Any, changed: Changed, prefix: str = "", top: Any = None):
        self.server, self.changed, self.top = server, changed, top
        self.handles: dict[str, Any] = {}
        self.fields: dict[str, Field] = {}
        self.folders: dict[str, Any] = {}  # by the name of the dataclass
        groups: dict[str, list[Field]] = {}
        for field in configuration.walk(config):
            groups.setdefault(field.name.rpartition(".")[0], []).append(field)
        rest, parts = groups.pop("", []), []
        if top is not None:
            parts = [field for field in rest if kind_of(field) == DROPDOWN]
            top.visible = bool(parts)
            with top:
                for field in sorted(parts, key=lambda field: PARTS.index(field.name) if field.name in PARTS else 9):
                    self.add(field)
        groups = dict(sorted(groups.items())) | {"": [field for field in rest if field not in parts]}
        for owner, fields in groups.items():
            title = (prefix + owner).replace(".", " · ") or "times and other fields"
            shut = "." in owner or owner == ""
            self.folders[owner] = server.gui.add_folder(title, expand_by_default=not shut or bool(prefix))
            with self.folders[owner]:
                for field in fields:
                    self.add(field)

    def add(self, field: Field) -> None:
        """Add the control of one field."""
        gui, label, hint, shown = self.server.gui, label_of(field), hint_of(field), shown_value(field)
        kind = kind_of(field)
        if kind == SLIDER:
            low, high, step = limits_of(field)
            handle: Any = gui.add_slider(label, low, high, step, shown, hint=hint)
        elif kind == CHECKBOX:
            handle = gui.add_checkbox(label, shown, hint=hint)
        elif kind == DROPDOWN:
            handle = gui.add_dropdown(label, choices_of(field), initial_value=shown, hint=hint)
        else:
            handle = gui.add_text(label, shown, hint=hint)
        self.handles[field.name], self.fields[field.name] = handle, field
        handle.on_update(lambda event, name=field.name: self.moved(name, event))

    def moved(self, name: str, event: Any) -> None:
        """Report a change by a browser; ignore values written by the program."""
        if event.client_id is not None:
            self.changed(name, event.target.value)

    def show(self, name: str, value: Any) -> None:
        """Show another value of a field in its control, if possible."""
        if name in self.handles:
            field = self.fields[name] = self.fields[name]._replace(default=value)
            handle, shown = self.handles[name], shown_value(field)
            if kind_of(field) == SLIDER:  # keys may exceed the usual range
                handle.min, handle.max = min(handle.min, shown), max(handle.max, shown)
            if handle.value != shown:
                handle.value = shown

    def remove(self) -> None:
        """Remove all controls from the page."""
        for name in self.handles if self.top is not None else ():
            if "." not in name and kind_of(self.fields[name]) == DROPDOWN:
                self.handles[name].remove()
        for folder in self.folders.values():
            folder.remove()
        self.handles, self.fields, self.folders = {}, {}, {}

    def hide(self, owner: str, hidden: bool) -> None:
        """Hide or show the folders of a dataclass."""
        for name, folder in self.folders.items():
            if name.partition(".")[0] == owner:
                folder.visible = not hidden
