"""Sweep over the grid of Table II: both cores against one thread, and the cost of store and scheduling."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from time import perf_counter

from serpenoid.scenarios.slither import TABLE_II, Slither
from serpenoid.sweeps import Threads, sweep
from serpenoid.sweeps.chunks import scenarios_of
from serpenoid.sweeps.executors import cores
from serpenoid.sweeps.plan import Plan, make_plan
from serpenoid.worlds import Plane
from serpenoid_papers.benchmarks.base import Row

RUNS, CHUNK = 32768, 2048  # enough runs that opening the store has the same share as in a sweep of one minute
ROUNDS = 2
SCENARIO = Slither(step=0.002, world=Plane(smoothing=0.01))


def rows() -> Iterator[Row]:
    """Yield the wall time per run of 6 s at a step of 2 ms, with random cells of the grid."""
    sweep_seconds(1, CHUNK)  # compile
    turns = [(sweep_seconds(cores(), RUNS), bare_seconds(cores(), RUNS)) for _ in range(ROUNDS)]
    both, bare = map(min, zip(*turns))
    one = sweep_seconds(1, RUNS // 2)
    name = "Table II sweep, a run of 6 s, store on"
    yield Row(f"{name}, {cores()} threads", both * 1e6, "one thread", one * 1e6, "1.8")
    yield Row(f"{name}, {cores()} threads", both * 1e6, "runs alone, no store", bare * 1e6, "0.95")


def sweep_seconds(threads: int, runs: int) -> float:
    """Return the wall time per run of a sweep into a store [s]."""
    with tempfile.TemporaryDirectory() as folder:
        start = perf_counter()
        store = Path(folder) / "map.zarr"
        sweep(SCENARIO, TABLE_II, store, f"random:{runs}", Threads(threads), CHUNK)
        return (perf_counter() - start) / runs


def bare_seconds(threads: int, runs: int) -> float:
    """Return the wall time per run of the same prebuilt scenarios, without store and scheduling [s]."""
    plan = make_plan(SCENARIO, TABLE_II, f"random:{runs}", CHUNK)
    batches = [scenarios_of_chunk(plan, chunk) for chunk in range(plan.grid.chunks)]
    edges = [len(batches) * i // threads for i in range(threads + 1)]
    start = perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        shares = [pool.submit(run_all, batches[a:b]) for a, b in pairwise(edges)]
        for share in shares:
            share.result()
    return (perf_counter() - start) / runs


def scenarios_of_chunk(plan: Plan, chunk: int) -> list[Slither]:
    """Return the scenarios of a chunk of the sweep."""
    columns = plan.reduced(plan.columns(chunk))
    return [
        s for s in scenarios_of(plan.scenario, list(columns), list(zip(*columns.values()))) if isinstance(s, Slither)
    ]


def run_all(batches: list[list[Slither]]) -> None:
    """Run the batches in sequence."""
    for batch in batches:
        Slither.batch(batch)
