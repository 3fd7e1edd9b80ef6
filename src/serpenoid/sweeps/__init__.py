"""Grids, samples and searches of a scenario, computed in chunks into a Zarr store on any executor."""

from __future__ import annotations

from serpenoid.sweeps.executors import Dask, Executor, Threads, choose_executor
from serpenoid.sweeps.gait_front import Design, design_gaits
from serpenoid.sweeps.result import best, cell_scenario, failures, front, is_sweep, open_sweep
from serpenoid.sweeps.run import Status, sweep
from serpenoid.sweeps.search import optimise
from serpenoid.sweeps.search_result import Optimum, Trial, is_search, optimum, trials
from serpenoid.sweeps.slurm import Slurm

__all__ = [
    "Dask", "Design", "Executor", "Optimum", "Slurm", "Status", "Threads", "Trial", "best", "cell_scenario",
    "choose_executor", "design_gaits", "failures", "front", "is_search", "is_sweep", "open_sweep", "optimise",
    "optimum", "sweep", "trials",
]  # fmt: skip
