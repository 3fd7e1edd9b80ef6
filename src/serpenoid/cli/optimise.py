"""`serpenoid optimise`: search for the best field values by CMA-ES in a store, or for gaits by gradient."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from warnings import warn

from serpenoid.cli.exit_messages import add_saved
from serpenoid.cli.printing import column_label, note, number, plural, say, table
from serpenoid.cli.run import name_of
from serpenoid.cli.sweep import running, state_lines, words_of
from serpenoid.cli.sweep_arguments import read
from serpenoid.errors import InvalidValue, MissingValue

if TYPE_CHECKING:
    from serpenoid.scenarios.base import Scenario

TITLE = """serpenoid optimise NAME --over FIELD=LOW:HIGH [...] --best QUANTITY [--average FIELD=A:B] [--field value ...]
serpenoid optimise --from FILE --over FIELD=LOW:HIGH ...     FILE: a recording or TOML file, as for serpenoid run
serpenoid optimise slither --by gradient --power 5,10,20 ...   fastest gaits of at most these mean powers"""
OVER = """
  --over FIELD=LOW:HIGH              search a field of the scenario in this range; once for each field.
                                     Logarithmic if written as log:LOW:HIGH, or if both ends are positive and a
                                     factor of 100 or more apart
  --average FIELD=A:B                average every trial over all integers from A to B in this field, such as
                                     world.seed=1000:1039; also start:stop:count or a list a,b,c; repeatable
  Trial 0 is the scenario as given. --seed also seeds the search: the same seed gives the same search."""
NEAR = 0.01  # fraction of a range within which a value counts as lying at its end
SHOWN = 5  # number of best trials printed
# Options that have no effect, by the kind of search.
UNUSED = {
    "cma": ("power", "harmonics", "starts"),
    "gradient": ("best", "trials", "workers", "cluster", "slurm", "repair", "plot"),
}


@dataclass(frozen=True)
class Options:
    """Options of `optimise` besides --over, --average and the fields of the scenario."""

    by: Literal["cma", "gradient"] = "cma"
    """search by CMA-ES over the fields of --over, or design the gait of slither by the derivatives of its runs"""
    out: str | None = None
    """store (a Zarr folder); an existing search is continued; if not given, out/NAME-search.zarr, or NAME-search-2, ...
    if that contains another search; by gradient: folder of the TOML files, out/NAME-gaits if not given"""
    best: str | None = None
    """quantity of the summary: NAME to maximise its mean, NAME:min to minimise it; NAME/DIVISOR for a ratio of means,
    such as cycles/distance:min"""
    trials: int = 60
    """total number of trials"""
    workers: int | None = None
    """run the chunks in this many processes of a local Dask cluster instead of threads"""
    cluster: str | None = None
    """send the chunks to the Dask scheduler at this address, tcp://host:port"""
    slurm: str | None = None
    """run the chunks as SLURM jobs with these options of sbatch: partition=NAME,time=H:MM:SS,...; jobs=32 of them at a
    time"""
    repair: bool = False
    """recompute damaged chunks"""
    plot: str | None = None
    """figure file (.png, .svg, .pdf); next to the store if not given"""
    power: tuple[float, ...] = ()
    """by gradient: limits of the mean power [W], one gait for each"""
    harmonics: int = 3
    """by gradient: multiples of the frequency in the Fourier series of each joint"""
    starts: int = 6
    """by gradient: local searches begun at each power"""


def main(words: list[str]) -> int:
    """Search or continue a search, then print and plot the result."""
    asked = read(words, TITLE, OVER, Options(), ("over", "average"))
    if asked is None:
        return 0
    ranges = asked.varied["over"], asked.varied["average"]
    refuse_unused(asked.options)
    if asked.options.by == "gradient":
        from serpenoid.cli.optimise_gait import design

        return design(asked.scenario, ranges, asked.options)
    return search(asked.scenario, ranges, asked.options)


def refuse_unused(options: Options) -> None:
    """Refuse options that have no effect on this kind of search."""
    for name in UNUSED[options.by]:
        value = getattr(options, name)
        if value != getattr(Options(), name):
            raise InvalidValue(f"--{name}", value, f"omitted with --by {options.by}")


def search(scenario: Scenario, ranges: tuple[dict[str, str], dict[str, str]], options: Options) -> int:
    """Search, then report; return 130 if Ctrl-C stopped it early."""
    from serpenoid.sweeps import optimise
    from serpenoid.sweeps.proposals import beyond, make_search
    from serpenoid.sweeps.ranking import Ranking

    over, average = ranges
    if options.best is None:
        raise MissingValue("--best", "NAME, NAME:min or NAME/DIVISOR:min, quantities of the scenario's summary")
    order = Ranking.parse(options.best).order
    plan = make_search(scenario, over, average, order, options.trials)  # raise errors before a cluster is started
    with running(options, f"{name_of(scenario)}-search.zarr", plan) as (path, executor, bar):
        found = optimise(
            scenario, over, options.best, path, average, options.trials, executor, options.repair,
            lambda status: bar(status.done / status.total, words_of(status)),
        )  # fmt: skip
    for field, given in beyond(plan):
        warn(
            f"{field} = {number(given)} is outside its range; trial 0 uses the nearest value",
            stacklevel=1,
        )
    add_saved(path)
    show_search(path, options.plot)
    if not found.finished:
        note("stopped; the same command resumes")
        return 130
    return 0


def show_search(path: Path, figure: str | None = None) -> None:
    """Print the state of a search and its best trials, and plot its progress."""
    from serpenoid.plotting.search import progress
    from serpenoid.sweeps import optimum, trials
    from serpenoid.sweeps.store import SweepLayout

    layout = SweepLayout.read(path)
    search = layout.attributes["search"]
    say(*state_lines(layout))
    found, made = optimum(path), trials(path)
    smallest = search["best"].endswith(":min")
    ranked = sorted((t for t in made if not math.isnan(t.value)), key=lambda t: t.value if smallest else -t.value)
    pool = "pooled " if "/" in found.quantity else "mean "
    mean = pool if search["runs"] > 1 else ""
    header = ["trial", *search["searched"], mean + column_label(found.quantity, found.unit)]
    rows = [[t.number, *t.fields.values(), t.value] for t in ranked[:SHOWN]]
    if search["runs"] > 1:
        header, rows = [*header, "standard error"], [[*row, t.error] for row, t in zip(rows, ranked)]
    runs = plural(search["runs"], "run")
    say(f"\n{len(made)} of {search['trials']} trials of {runs}; best first (trial 0: scenario as given):")
    say(table(rows, header) + "\n")
    if ends := list(at_ends(layout.attributes["configuration"]["over"], found.trial.fields)):
        say(f"the best trial lies at an end of a range; a wider range may give a better one: {', '.join(ends)}")
    say(f"figure: {progress(path, figure or path.with_suffix('.png'))}")
    say(f"run the best trial: serpenoid run --from {path}")


def at_ends(ranges: dict[str, Any], best: dict[str, float]) -> Iterator[str]:
    """Yield, as text, the fields of the best trial that lie at an end of their range."""
    for field, value in best.items():
        scale = math.log if ranges[field]["logarithmic"] else float
        low, high, here = (scale(number) for number in (ranges[field]["start"], ranges[field]["stop"], value))
        if min(here - low, high - here) <= NEAR * (high - low):
            ends = (number(ranges[field][end]) for end in ("start", "stop"))
            yield f"{field} = {number(value, digits=4)} of {' to '.join(ends)}"
