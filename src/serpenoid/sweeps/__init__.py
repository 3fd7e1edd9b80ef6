"""Grids and samples of a scenario, chunk by chunk into a Zarr store, on any executor."""

from __future__ import annotations

from serpenoid.sweeps.executors import Dask, Executor, Threads, choose_executor
from serpenoid.sweeps.result import best, cell_scenario, failures, front, is_sweep, open_sweep
from serpenoid.sweeps.run import Status, sweep

__all__ = [
    "Dask", "Executor", "Status", "Threads", "best", "cell_scenario", "choose_executor", "failures", "front",
    "is_sweep", "open_sweep", "sweep",
]  # fmt: skip
