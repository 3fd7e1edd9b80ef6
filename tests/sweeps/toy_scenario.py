"""Toy scenario without physics: fast, deterministic, with delays and failures on demand. Driver scripts import it."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from serpenoid.errors import positive
from serpenoid.scenarios.base import Parts, Quantity, Scenario


@dataclass(frozen=True)
class Wave:
    """Parameters of the toy's speed."""

    frequency: float = 1.0
    """[Hz]"""
    amplitude: float = 0.5
    """[rad]"""
    lag: float = 1.0
    """[rad]"""

    def __post_init__(self) -> None:
        positive("frequency", self.frequency)


@dataclass(frozen=True)
class Toy(Scenario):
    """Formula in place of a simulation."""

    gait: Wave = Wave()
    """wave"""
    medium: Literal["dry", "viscous"] = "dry"
    """a name"""
    delay: float = 0.0
    """duration of a run [s]"""
    fails_above: float = math.inf
    """frequency above which a run fails [Hz]"""
    kills: str = ""
    """file or folder; a process that runs a cell while it exists dies, and removes a file before"""

    needs: str = ""
    """file without which a batch fails"""

    def periods(self, swept):
        return {"gait.lag": 2 * math.pi}

    def parts(self) -> Parts:
        raise NotImplementedError

    def run(self, progress=None):
        if self.kills and Path(self.kills).exists():
            if Path(self.kills).is_file():
                Path(self.kills).unlink()
            os.kill(os.getpid(), 9)
        time.sleep(self.delay)
        if self.gait.frequency > self.fails_above:
            raise ArithmeticError(f"too fast: {self.gait.frequency} Hz")
        noise = np.random.default_rng(self.seed).normal()
        factor = 1.0 if self.medium == "dry" else 0.5
        return factor * self.gait.frequency * math.sin(self.gait.amplitude) * math.cos(self.gait.lag), noise

    def summary(self, trajectory):
        speed, noise = trajectory
        return {
            "speed": Quantity(speed, "m/s"), "power": Quantity(speed**2 + 0.1 * abs(noise), "W"),
            "noise": Quantity(noise), "fast": Quantity(speed > 1.0), "word": Quantity("omitted"),
        }  # fmt: skip


@dataclass(frozen=True)
class ToyArrivals(Toy):
    """Add an arrival time that only fast runs have; the others never arrive, which is not a failure."""

    def summary(self, trajectory):
        arrives = self.gait.frequency < 1.5
        return super().summary(trajectory) | {"time": Quantity(1.0 if arrives else math.nan, "s")}


@dataclass(frozen=True)
class ToyLanes(Toy):
    """Compute many runs at once."""

    @classmethod
    def batch(cls, scenarios: Sequence[Toy]) -> dict[str, Quantity]:
        frequency = np.array([s.gait.frequency for s in scenarios])
        amplitude = np.array([s.gait.amplitude for s in scenarios])
        speed = np.where(frequency > scenarios[0].fails_above, np.nan, frequency * amplitude)
        if scenarios[0].needs and not Path(scenarios[0].needs).exists():
            raise FileNotFoundError(scenarios[0].needs)
        if max(s.gait.amplitude for s in scenarios) > 10.0:
            raise ValueError("an amplitude above 10 rad")
        time.sleep(scenarios[0].delay)
        return {"speed": Quantity(speed, "m/s"), "power": Quantity(speed**2, "W")}
