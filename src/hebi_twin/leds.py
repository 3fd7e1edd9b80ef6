"""LEDs of modules, with hebi-py's colours."""

from __future__ import annotations

from typing import Any

import numpy as np


class Color:
    """Red, green, blue and opacity: whole numbers up to 255, or fractions of 1 as floats."""

    __slots__ = ("a", "b", "g", "r")

    def __init__(self, r: float, g: float, b: float, a: float = 1.0):
        self.r, self.g, self.b, self.a = (byte(value) for value in (r, g, b, a))

    def __repr__(self) -> str:
        return f"Color(R:{self.r}, G:{self.g}, B:{self.b}, A:{self.a})"

    def __int__(self) -> int:
        return self.r << 24 | self.g << 16 | self.b << 8 | self.a

    @property
    def opaque(self) -> bool:
        """True if fully opaque."""
        return self.a == 255


def byte(value: float) -> int:
    """Convert a colour component to a byte."""
    return int(np.clip(int(255.0 * value) if isinstance(value, float) else int(value), 0, 255))


NAMED = {
    "red": Color(255, 0, 0), "green": Color(0, 255, 0), "blue": Color(0, 0, 255), "black": Color(0, 0, 0),
    "white": Color(255, 255, 255), "cyan": Color(0, 255, 255), "magenta": Color(255, 0, 255),
    "yellow": Color(255, 255, 0), "transparent": Color(0, 0, 0, 0),
}  # fmt: skip


def number_of(value: Any) -> Any:
    """Convert a colour, its name or its number to a number; columns of numbers are unchanged."""
    if isinstance(value, str):
        name = value.strip().lower()
        if name not in NAMED:
            raise ValueError(f"Cannot parse '{value}' to color")
        return int(NAMED[name])
    return int(value) if isinstance(value, Color) else value


def colour_of(number: float) -> Color:
    """Return the colour of a number."""
    whole = int(np.nan_to_num(number))
    return Color(*(whole >> shift & 255 for shift in (24, 16, 8, 0)))


class Led:
    """Lights of a message, or of one module in it: readable, and writable in commands."""

    __slots__ = ("_columns", "_index")

    def __init__(self, columns: Any, index: int | None = None):
        self._columns, self._index = columns, index

    @property
    def color(self) -> Any:
        """Colour of each module, or of the single one."""
        found = [colour_of(number) for number in self._columns.full("led")]
        return found if self._index is None else found[self._index]

    @color.setter
    def color(self, value: Any) -> None:
        column: Any = [number_of(each) for each in value] if isinstance(value, list | tuple) else number_of(value)
        if self._index is not None:
            column, chosen = self._columns.full("led").copy(), column
            column[self._index] = chosen
        self._columns.put("led", column)
