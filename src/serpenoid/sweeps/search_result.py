"""Results of a search: its trials with their means, and the best one."""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid import configuration
from serpenoid.errors import FileProblem
from serpenoid.scenarios.base import Scenario
from serpenoid.sweeps.ranking import Ranking, pooled
from serpenoid.sweeps.result import Where
from serpenoid.sweeps.store import SweepLayout
from serpenoid.sweeps.store_checks import attributes_of


class Trial(NamedTuple):
    """One trial of a search."""

    number: int  # from 0, in the order of the proposals
    fields: dict[str, float]  # searched field -> value
    value: float  # quantity pooled over the trial's runs; NaN if one of them failed
    error: float  # standard error of that value; 0 for a single run


class Optimum(NamedTuple):
    """Best trial of a search so far."""

    trial: Trial
    quantity: str
    unit: str
    scenario: Scenario  # the given scenario with the values of the best trial
    finished: bool  # whether all trials are complete


def is_search(path: Where) -> bool:
    """Return whether a folder is the store of a search (finished or not)."""
    try:
        return "search" in attributes_of(Path(path))
    except FileProblem:
        return False


def trial_values(layout: SweepLayout, rank: Ranking, first: int, last: int) -> tuple[NDArray, NDArray]:
    """Return the values of trials first .. last - 1 and their standard errors, (trials,)."""
    return pooled(np.array([cell_values(layout, name, first, last) for name in rank.parts]))


def cell_values(layout: SweepLayout, name: str, first: int, last: int) -> NDArray:
    """Return a quantity of trials first .. last - 1, (trials, runs); NaN if a run failed or is open."""
    runs, block = layout.attributes["search"]["runs"], layout.grid.block[0]
    values = np.full((last - first) * runs, np.nan)
    for place, chunk in enumerate(range(first * runs // block, last * runs // block)):
        if layout.file(name, chunk).exists():
            found = layout.read_chunk(name, chunk)
            if found.size != block:
                raise FileProblem(layout.path, f"is damaged: chunk {chunk} contains {found.size} runs, must be {block}")
            values[place * block : (place + 1) * block] = found
    return values.reshape(last - first, runs)


def trials(path: Where) -> list[Trial]:
    """Return all complete trials, in the order of the search."""
    layout = SweepLayout.read(Path(path))
    search = layout.attributes["search"]
    runs, count = search["runs"], done_trials(layout)
    values, errors = trial_values(layout, Ranking.parse(search["best"]), 0, count)
    columns = {name: layout.array(name)[: count * runs : runs].tolist() for name in search["searched"]}
    fields = [dict(zip(columns, row)) for row in zip(*columns.values())]
    return [Trial(i, fields[i], float(values[i]), float(errors[i])) for i in range(count)]


def done_trials(layout: SweepLayout) -> int:
    """Return the number of complete trials before the first open one."""
    states = layout.states()
    opened = np.flatnonzero(states == 0)
    chunks = int(opened[0]) if opened.size else len(states)
    return chunks * layout.grid.block[0] // layout.attributes["search"]["runs"]


def optimum(path: Where) -> Optimum:
    """Return the best trial so far; ties by number."""
    layout = SweepLayout.read(Path(path))
    rank = Ranking.parse(layout.attributes["search"]["best"])
    made = trials(path)
    good = [trial for trial in made if not math.isnan(trial.value)]
    if not good:
        raise FileProblem(path, "has no trial in which every run succeeded" if made else "has no complete trial yet")
    top = min(good, key=lambda trial: trial.value if rank.smallest else -trial.value)
    given = configuration.from_plain(layout.attributes["configuration"]["scenario"], Scenario)
    unit = unit_of(layout, rank)
    finished = len(made) == layout.attributes["search"]["trials"]
    return Optimum(top, str(rank.name), unit, configuration.changed(given, top.fields), finished)


def unit_of(layout: SweepLayout, rank: Ranking) -> str:
    """Return the unit of a value, such as 1/m for cycles/distance."""
    first, *others = (layout.array(name).attrs.get("units", "") for name in rank.parts)
    below = "".join(f"/{unit}" for unit in others if unit)
    return f"{first or '1'}{below}" if below else first
