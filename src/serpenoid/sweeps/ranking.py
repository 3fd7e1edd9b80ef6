"""Ranking of the cells of a sweep or the trials of a search."""

from __future__ import annotations

from typing import NamedTuple

from serpenoid.errors import InvalidValue, UnknownName


class Ranking(NamedTuple):
    """Quantity, and whether large or small values are better."""

    name: str | None  # the first of the summary if None
    smallest: bool

    @classmethod
    def parse(cls, text: str | None) -> Ranking:
        """Parse NAME, NAME:max or NAME:min."""
        name, _, order = (text or "").partition(":")
        if order not in ("", "min", "max"):
            raise InvalidValue("best", text, "NAME, NAME:max or NAME:min")
        return cls(name or None, order == "min")

    @property
    def order(self) -> str:
        """NAME:max or NAME:min."""
        return f"{self.name}:{'min' if self.smallest else 'max'}"

    def among(self, quantities: list[str]) -> str:
        """Return the name of the quantity; raise if it is not among those found."""
        if self.name is not None and self.name not in quantities:
            raise UnknownName("quantity", self.name, quantities)
        return self.name or quantities[0]
