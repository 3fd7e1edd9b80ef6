"""serpenoid: the open laboratory for snake robots.

import serpenoid as sp
run = sp.simulate(sp.robots.Natrix(), sp.worlds.FreeSpace(), sp.gaits.Undulation(), duration=20.0)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from serpenoid import (
        analysis,
        control,
        estimation,
        gaits,
        hardware,
        interchange,
        mechanics,
        planning,
        plotting,
        robots,
        scenarios,
        studio,
        worlds,
    )
    from serpenoid.engines.base import Initial
    from serpenoid.errors import SerpenoidError
    from serpenoid.runtime.loop import run_loop
    from serpenoid.runtime.stop_rules import LeaveArea
    from serpenoid.scenarios.recorded import repeat
    from serpenoid.simulation import simulate, stream
    from serpenoid.sweeps import optimise, sweep
    from serpenoid.trajectory import Trajectory

# Targets of `sp.NAME`, loaded on first use, so that importing the package stays fast.
MODULES = (
    "analysis", "control", "estimation", "gaits", "hardware", "interchange", "learning", "mechanics", "planning",
    "plotting",
    "robots", "scenarios", "studio", "sweeps", "worlds",
)  # fmt: skip
NAMES = {
    "Initial": "serpenoid.engines.base",
    "LeaveArea": "serpenoid.runtime.stop_rules",
    "SerpenoidError": "serpenoid.errors",
    "Trajectory": "serpenoid.trajectory",
    "optimise": "serpenoid.sweeps",
    "repeat": "serpenoid.scenarios.recorded",
    "run_loop": "serpenoid.runtime.loop",
    "simulate": "serpenoid.simulation",
    "stream": "serpenoid.simulation",
    "sweep": "serpenoid.sweeps",
}

__all__ = [
    "Initial", "LeaveArea", "SerpenoidError", "Trajectory", "analysis", "control", "estimation", "gaits", "hardware",
    "interchange", "mechanics", "optimise", "planning", "plotting", "repeat", "robots", "run_loop", "scenarios",
    "simulate", "stream", "studio", "sweep", "worlds",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in MODULES:
        return import_module(f"serpenoid.{name}")
    if name in NAMES:
        return getattr(import_module(NAMES[name]), name)
    raise AttributeError(f"module 'serpenoid' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
