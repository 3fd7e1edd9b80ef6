"""External events of a run: changed fields and pushes on links, as rows of a script that a recording stores."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import is_dataclass
from typing import Any, NamedTuple

from serpenoid import configuration
from serpenoid.control.base import Controller
from serpenoid.errors import InvalidValue, finite, instance, require, whole_number, within_field
from serpenoid.gaits.base import Gait

OWNERS = ("robot", "world", "controller")  # objects whose fields can be changed during a run
PUSH = "push"
LAST = 10**12  # tick


class Event(NamedTuple):
    """One row of a script. It acts from a tick until another row changes the same field."""

    tick: int
    what: str  # a dotted field such as world.friction_transverse, controller (the whole gait or law), or push.LINK
    value: Any  # the field's new value, or force and moment (6,) [N, N m] in world axes at the link's centre of mass

    def checked(self) -> Event:
        """Return the event; raise InvalidValue if it does not name anything that can act."""
        tick = whole_number("tick", self.tick, 0, LAST)
        instance("what", self.what, str, f"the name of a field of {', '.join(OWNERS)}, or {PUSH}.LINK")
        owner, _, rest = self.what.partition(".")
        if owner == PUSH:
            require(re.fullmatch(r"[0-9]{1,9}", rest) is not None, "push", self.what, "push.LINK, links counted from 0")
            good = isinstance(self.value, tuple | list) and len(self.value) == 6
            require(good, self.what, self.value, "6 numbers: force [N] and moment [N m]")
            for part in self.value:
                finite(self.what, part)
        elif owner not in OWNERS or not (rest or owner == "controller"):
            raise InvalidValue("what", self.what, f"a field of {', '.join(OWNERS)}, or {PUSH}.LINK")
        return self._replace(tick=tick)

    @property
    def link(self) -> int:
        """Index of the pushed link."""
        return int(self.what.partition(".")[2])

    def applied(self, part: Any) -> Any:
        """Return robot, world or controller with this change."""
        owner, _, field = self.what.partition(".")
        with within_field(owner):
            return configuration.changed(part, {field: self.value}) if field else self.value


def check_script(script: Iterable[Event]) -> tuple[Event, ...]:
    """Return the rows of a script sorted by tick, each checked."""
    allowed = "rows Event(tick, what, value)"
    require(isinstance(script, Iterable) and not isinstance(script, str | Event), "script", script, allowed)
    require(getattr(script, "ndim", 1) > 0, "script", script, allowed)  # an array of one number cannot be iterated
    rows = tuple(script)
    for row in rows:
        instance("script", row, Event, allowed)
    return tuple(sorted((row.checked() for row in rows), key=lambda row: row.tick))


def until(script: Iterable[Event], last: int) -> tuple[Event, ...]:
    """Return the rows that act by a run's last tick."""
    return tuple(row for row in script if row.tick <= last)


def check_last(script: Iterable[Event], last: int) -> None:
    """Raise InvalidValue for rows after a run's last tick, which would never act."""
    for row in script:
        require(row.tick <= last, "script", tuple(row), f"of ticks up to {last}, at which the run ends")


def to_plain(script: Iterable[Event]) -> list[dict[str, Any]]:
    """Convert a script to plain data."""
    return [{"tick": e.tick, "what": e.what, "value": configuration.to_plain(e.value)} for e in script]


def from_text(text: str) -> tuple[Event, ...]:
    """Parse a script from the text of a recording."""
    try:
        rows = json.loads(text)
    except (TypeError, ValueError):
        rows = None
    require(isinstance(rows, list), "script", text, "a list of rows")
    return tuple(event_of(row) for row in rows)


def event_of(row: Any) -> Event:
    """Create a row of a script from plain data."""
    require(isinstance(row, Mapping) and set(row) == set(Event._fields), "script", row, "rows of tick, what and value")
    value = row["value"]
    if isinstance(value, Mapping):
        value = configuration.from_plain(value, Gait | Controller if row["what"] == "controller" else Any, "script")
    return Event(row["tick"], row["what"], tuple(value) if isinstance(value, list) else value)


def repeatable(script: Iterable[Event]) -> bool:
    """Return whether every value can be restored from a file."""
    return all(not is_dataclass(event.value) or configuration.repeatable(event.value) for event in script)
