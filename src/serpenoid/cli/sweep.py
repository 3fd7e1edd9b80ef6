"""`serpenoid sweep`: a scenario over a grid or a sample of its fields, saved in a store that can be resumed."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from serpenoid.cli.compile_progress import announced
from serpenoid.cli.console import Update, progress_bar
from serpenoid.cli.exit_messages import add_saved, keeps
from serpenoid.cli.outputs import check_pictures
from serpenoid.cli.printing import column_label, duration, format_fixed, note, number, plural, say, table, warn
from serpenoid.cli.run import name_of
from serpenoid.cli.sweep_arguments import read
from serpenoid.support.output_paths import RECORDINGS, check_ending, check_folder

if TYPE_CHECKING:
    from serpenoid.scenarios.base import Scenario
    from serpenoid.sweeps import Executor, Status
    from serpenoid.sweeps.ranking import Ranking

TITLE = """serpenoid sweep NAME --over FIELD=VALUES [--over FIELD=VALUES ...] [--field value ...]
serpenoid sweep --from FILE --over FIELD=VALUES ...     FILE: a recording or a TOML file, as for serpenoid run"""
OVER = """
  --over FIELD=VALUES                vary a field of the scenario over these values; once for each field:
                                     start:stop:count, log:start:stop:count, or a list a,b,c; with --sample also
                                     start:stop for a continuous range"""
GOES_ON = "finished chunks are saved in {path}; the same command resumes"
REASONS = 3  # number of failure reasons printed


@dataclass(frozen=True)
class Options:
    """Options of `sweep` besides --over and the fields of the scenario."""

    out: str | None = None
    """store (a Zarr folder); an existing sweep is continued; if not given, out/NAME-sweep.zarr, or NAME-sweep-2, ... if
    that contains another sweep"""
    sample: str | None = None
    """draw this many points instead of the whole grid: sobol:COUNT or random:COUNT"""
    workers: int | None = None
    """run the chunks in this many processes of a local Dask cluster instead of threads"""
    cluster: str | None = None
    """send the chunks to the Dask scheduler at this address, tcp://host:port"""
    slurm: str | None = None
    """run the chunks as SLURM jobs with these options of sbatch: partition=NAME,time=H:MM:SS,...; jobs=32 of them at a
    time"""
    chunk: int | None = None
    """cells per chunk; a killed sweep loses at most its unfinished chunks; chosen by the size of the sweep if not
    given"""
    repair: bool = False
    """recompute damaged chunks"""
    retry: bool = False
    """recompute chunks with failed cells"""
    best: str | None = None
    """quantity that ranks the cells: NAME (largest first) or NAME:min; the first of the summary if not given"""
    plot: str | None = None
    """figure file (.png, .svg, .pdf); next to the store if not given"""


def main(words: list[str]) -> int:
    """Run or continue a sweep, then print and plot the result."""
    asked = read(words, TITLE, OVER, Options(), ("over",))
    if asked is None:
        return 0
    return run_sweep(asked.scenario, asked.varied["over"], asked.options)


def run_sweep(scenario: Scenario, over: dict[str, str], options: Options) -> int:
    """Sweep, then report; return 130 if Ctrl-C stopped it early, 2 if every cell failed."""
    from serpenoid.sweeps import sweep
    from serpenoid.sweeps.plan import make_plan
    from serpenoid.sweeps.ranking import Ranking
    from serpenoid.sweeps.store import SweepLayout

    plan = make_plan(scenario, over, options.sample, options.chunk)  # raise errors before a cluster is started
    rank = Ranking.parse(options.best)
    with running(options, f"{name_of(scenario)}-sweep.zarr", plan) as (path, executor, progress):
        watch = watch_quantities(rank, path, progress)
        dataset = sweep(
            scenario, over, path, options.sample, executor, options.chunk, options.repair, options.retry, watch
        )
    add_saved(path)
    show_sweep(path, options.best, options.plot)
    if dataset.attrs["chunks"]["open"]:
        note("stopped; the same command resumes")
        return 130
    return 0 if SweepLayout.read(path).quantities else 2


@contextmanager
def running(options: Any, usual: str, plan: Any) -> Iterator[tuple[Path, Executor, Update]]:
    """Check the outputs of a sweep or search, then yield its store, its executor and a progress bar."""
    from serpenoid.sweeps import choose_executor

    path = store_of(options.out, usual, plan)
    check_ending("out", path, RECORDINGS)
    check_folder(path)
    check_pictures(options.plot, None, options.out)
    keeps(GOES_ON.format(path=path))
    with (
        announced(),
        plain_warnings(),
        choose_executor(options.workers, options.cluster, options.slurm, path.with_suffix(".slurm")) as executor,
        progress_bar(path.name) as progress,
    ):
        yield path, executor, progress


def store_of(out: str | None, usual: str, plan: Any) -> Path:
    """Return the store of a sweep or search: the requested path, or one in out/ that contains no other sweep."""
    from serpenoid.sweeps.access import first_fitting

    return first_fitting(Path("out") / usual, plan) if out is None else Path(out)


def watch_quantities(rank: Ranking, path: Path, progress: Update) -> Callable[[Status], None]:
    """Return a progress callback that refuses an unknown quantity as soon as the first chunk is finished."""
    from serpenoid.sweeps.store import SweepLayout

    seen = False

    def update(status: Status) -> None:
        nonlocal seen
        if status.done and not seen and (quantities := SweepLayout.read(path).quantities):
            rank.among(quantities)
            seen = True
        progress(status.done / status.total, words_of(status))

    return update


@contextmanager
def plain_warnings() -> Iterator[None]:
    """Print warnings as plain lines."""
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *rest: warn(str(message))
        yield


def words_of(status: Status) -> str:
    """Format a status as one line."""
    rate = status.done_here / max(status.seconds, 1e-9)
    parts = [format_fixed(100 * status.done / status.total, "%", 1), f"{status.done} of {status.total} cells"]
    if status.done_here:
        parts += [f"{number(rate, digits=3)}/s", f"{duration((status.total - status.done) / rate)} left"]
    if status.failed:
        parts.append(f"{status.failed} failed")
    if not status.workers:
        parts.append("waiting for workers")
    if status.stopping:
        parts.append("stopping: finishing the running cells (Ctrl-C again quits at once)")
    return ", ".join(parts)


def show_sweep(path: Path, ranked_by: str | None = None, figure: str | None = None) -> None:
    """Print the state of a sweep, its failures and its best cells, and plot it."""
    from serpenoid.sweeps.ranking import Ranking
    from serpenoid.sweeps.store import OPEN, SweepLayout

    rank = Ranking.parse(ranked_by)
    layout = SweepLayout.read(path)
    say(*state_lines(layout))
    quantities = layout.quantities
    if not quantities:
        say("no cell is finished yet" if (layout.states() == OPEN).any() else "every cell failed")
        return
    name = rank.among(quantities)
    say(best_table(path, name, rank.smallest))
    from serpenoid.plotting.sweeps import overview

    say(f"figure: {overview(path, figure or path.with_suffix('.png'), name, rank.smallest)}")


def state_lines(layout: Any) -> Iterator[str]:
    """Yield the state of a sweep and the reasons for failed cells."""
    from collections import Counter

    from serpenoid.sweeps import failures
    from serpenoid.sweeps.store import OPEN, STATES

    states = layout.states()
    grid = layout.grid
    done = sum(grid.size(chunk) for chunk, state in enumerate(states) if state != OPEN)
    counts = ", ".join(f"{int((states == i).sum())} {name}" for i, name in enumerate(STATES))
    seconds = sum(session["seconds"] for session in layout.sessions)
    yield f"{layout.path}: {done} of {grid.cells} cells; chunks: {counts}; {duration(seconds)} of computing time"
    reasons = Counter(reason for _, reason in failures(layout.path))
    for reason, count in reasons.most_common(REASONS):
        yield f"  {plural(count, 'cell')} failed: {reason}"
    if len(reasons) > REASONS:
        yield f"  {sum(reasons.values())} cells failed for {len(reasons)} reasons in all"


def best_table(path: Path, name: str, smallest: bool) -> str:
    """Format the best cells as a table of their fields and quantities."""
    from serpenoid.scenarios.base import without_rounding
    from serpenoid.sweeps import best, open_sweep

    cells = best(path, name, smallest=smallest)
    units = {q: open_sweep(path)[q].attrs.get("units", "") for q in cells.quantities}
    header = [*cells.fields, *(column_label(q, u) for q, u in units.items())]
    found = [[without_rounding(value, units[q]) for value in column.tolist()] for q, column in cells.quantities.items()]
    columns = [*cells.fields.values(), *found]
    title = f"best cells by {'smallest' if smallest else 'largest'} {column_label(name)}:"
    return f"\n{title}\n" + table([list(row) for row in zip(*columns)], header) + "\n"
