"""Search strategies of policies: augmented random search and CMA-ES, each with its own random generator."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.sweeps.search import order_of, seeded_cma


class Strategy(ABC):
    """Proposes candidates (number, size) and learns from their returns; equal seeds and returns give equal numbers."""

    candidates: int

    @property
    @abstractmethod
    def center(self) -> NDArray:
        """Present estimate of the best candidate (size,)."""

    @abstractmethod
    def ask(self) -> NDArray:
        """Return the candidates of the next generation."""

    @abstractmethod
    def tell(self, returns: NDArray) -> None:
        """Learn from the returns of the candidates; NaN is worse than any number."""


class RandomSearch(Strategy):
    """Augmented random search of Mania, Guy and Recht (2018), version 2 with normalised inputs outside.

    M += step / (b s) sum over the b best directions of (r+ - r-) d, with s the deviation of their returns.
    """

    def __init__(self, start: NDArray, seed: int, directions: int, best: int, width: float, step: float):
        self._center = start.copy()
        self.rng = np.random.default_rng((seed, 1))
        self.directions, self.best, self.width, self.step = directions, best, width, step
        self.candidates = 2 * directions
        self.drawn = np.empty((0, start.size))

    @property
    def center(self) -> NDArray:
        return self._center

    def ask(self) -> NDArray:
        self.drawn = self.rng.standard_normal((self.directions, self._center.size))
        return np.concatenate([self._center + sign * self.width * self.drawn for sign in (1.0, -1.0)])

    def tell(self, returns: NDArray) -> None:
        good = np.where(np.isfinite(returns), returns, np.nanmin(np.where(np.isfinite(returns), returns, np.nan)))
        up, down = good[: self.directions], good[self.directions :]
        chosen = np.argsort(-np.maximum(up, down), kind="stable")[: self.best]
        spread = float(np.std(np.concatenate([up[chosen], down[chosen]])))
        if spread > 0.0:
            slope = ((up - down)[chosen, None] * self.drawn[chosen]).sum(axis=0)
            self._center = self._center + self.step / (self.best * spread) * slope


class CovarianceAdaptation(Strategy):
    """Hansen's CMA-ES (package `cma`), which learns from ranks."""

    def __init__(self, start: NDArray, seed: int, population: int, width: float):
        options: dict[str, Any] = {"popsize": population} if population else {}
        self.cma = seeded_cma(start, width, np.random.default_rng((seed, 1)), **options)
        self.candidates = int(self.cma.popsize)
        self.asked: list[NDArray] = []

    @property
    def center(self) -> NDArray:
        return np.array(self.cma.mean)

    def ask(self) -> NDArray:
        self.asked = self.cma.ask()
        return np.array(self.asked)

    def tell(self, returns: NDArray) -> None:
        self.cma.tell(self.asked, order_of(returns, smallest=False))
