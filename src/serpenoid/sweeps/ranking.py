"""Ranking of the cells of a sweep or the trials of a search."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import InvalidValue, UnknownName


class Ranking(NamedTuple):
    """Quantity, and whether large or small values are better."""

    name: str | None  # the first of the summary if None
    smallest: bool

    @classmethod
    def parse(cls, text: str | None) -> Ranking:
        """Parse NAME, NAME:max or NAME:min; NAME may be NAME/DIVISOR/..."""
        name, _, order = (text or "").partition(":")
        if order not in ("", "min", "max") or (name and not all(name.split("/"))):
            raise InvalidValue("best", text, "NAME, NAME:max or NAME:min")
        return cls(name or None, order == "min")

    @property
    def order(self) -> str:
        """NAME:max or NAME:min."""
        return f"{self.name}:{'min' if self.smallest else 'max'}"

    @property
    def parts(self) -> tuple[str, ...]:
        """Quantities of NAME/DIVISOR/...: the first is divided by the others."""
        return tuple((self.name or "").split("/"))

    def among(self, quantities: list[str]) -> str:
        """Return the name of the quantity; raise if it is not among those found."""
        if self.name is not None and self.name not in quantities:
            raise UnknownName("quantity", self.name, quantities)
        return self.name or quantities[0]


def pooled(columns: NDArray) -> tuple[NDArray, NDArray]:
    """Return the value and the standard error (trials,) of quantities (parts, trials, runs) pooled over the runs.

    The value is the mean of the first quantity over the product of the means of the others. The error is of first
    order in the deviations of the runs.
    """
    runs = columns.shape[2]
    with np.errstate(divide="ignore", invalid="ignore"):
        means = columns.mean(axis=2)
        below = means[1:].prod(axis=0)
        values = means[0] / below
        relative = (columns[1:] / means[1:, :, None]).sum(axis=0)
        deviations = columns[0] / below[:, None] - values[:, None] * relative
        return values, deviations.std(axis=1, ddof=1 if runs > 1 else 0) / math.sqrt(runs)
