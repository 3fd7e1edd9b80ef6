"""`serpenoid run`: a scenario with any field set, or a repeated recording."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from serpenoid import configuration
from serpenoid.analysis.spectra import LEAST
from serpenoid.cli import arguments
from serpenoid.cli.compile_progress import announced
from serpenoid.cli.console import progress_bar
from serpenoid.cli.outputs import check_pictures, pictures, place_of
from serpenoid.cli.printing import complain, format_fixed, note, number, say, summary_table, warn
from serpenoid.errors import FileProblem, InvalidValue, SerpenoidError, SimulationDiverged, UnknownName, require
from serpenoid.scenarios import find_scenario, name_of_kind
from serpenoid.scenarios.base import Scenario
from serpenoid.scenarios.recorded import check_repeatable, origin, replay
from serpenoid.scenarios.sanity_checks import doubts, remarks
from serpenoid.support.interrupts import Interrupted
from serpenoid.trajectory import Trajectory, is_locked, is_trajectory

TITLE = """serpenoid run NAME [--field value ...]
serpenoid run --from FILE [--field value ...]

FILE: a recording (.zarr), or a TOML file with schema = 1, scenario = NAME and fields"""


@dataclass(frozen=True)
class Options:
    """Options of `run` besides the fields of the scenario."""

    out: str | None = None
    """output path of the trajectory; by default out/NAME.zarr or the next free name"""
    overwrite: bool = False
    """whether to replace an existing recording once the run is complete"""
    html: str | None = None
    """also write an animation for the browser to this file (.html)"""
    plot: str | None = None
    """also write a figure of the joints and the path to this file (.png, .svg, .pdf)"""


def main(words: list[str]) -> int:
    """Run, print the summary and save the trajectory."""
    given = arguments.read(words)
    own, rest = given.take([field.name for field in configuration.walk(Options())] + ["from", "help", "h"])
    sources = [words for name, words in own if name == "from"]
    if given.help and not given.positionals:
        say(arguments.help_text(TITLE, Options()))
        say(arguments.scenario_help("run"))
        return 0
    scenario, recorded = from_file(sources, given) if sources else (arguments.named_scenario(given), None)
    if given.help:
        chosen = arguments.applied(scenario, rest, Options())  # another robot, drive or controller has other fields
        say(arguments.help_text(f"{TITLE}\n\n{summary_line(scenario)}", chosen, Options()))
        return 0
    options = arguments.applied(Options(), [flag for flag in own if flag[0] != "from"])
    with configuration_errors():
        scenario = arguments.applied(scenario, rest, Options())
    return run_and_save(scenario, options, recorded)


def run_and_save(scenario: Scenario, options: Options, recorded: Trajectory | None = None) -> int:
    """Run a scenario or replay a recording with it; save trajectory and pictures, then print the summary."""
    check_pictures(options.plot, options.html, options.out)
    two = scenario.sample_period <= scenario.duration * (1.0 + 1e-9)
    require(two, "sample_period", scenario.sample_period, f"at most the duration {number(scenario.duration, 's')}")
    if recorded is None and (few := few_samples(scenario, scenario.duration)):
        raise SerpenoidError(few)
    with place_of(name_of(scenario), options.out, options.overwrite) as output:
        warn_of(doubts(scenario))
        start = perf_counter()
        try:
            with announced() as notice, progress_bar(name_of(scenario)) as progress:
                trajectory = scenario.run(progress) if recorded is None else replay(recorded, scenario, progress)
        except SimulationDiverged as error:
            if error.trajectory is not None:
                note(f"saved until then: {output.keep(error.trajectory)}")
            raise
        except Interrupted as error:
            kept = output.keep(error.trajectory)
            complain(f"{error} of {number(scenario.duration, 's')}; saved until then: {kept}")
            return 130
        took = times(perf_counter() - start, notice.seconds)
        written = [f"saved: {output.save(trajectory)}"]
        try:
            written += pictures(trajectory, options.html, options.plot)
        finally:  # a failed picture must not hide the summary and the path
            report(scenario, trajectory, took, written)
    return 0


def few_samples(scenario: Scenario, duration: float) -> str:
    """Return an error text if the settle time leaves fewer samples than a spectrum needs; otherwise an empty string."""
    settle = getattr(scenario, "settle", None)
    if not settle or settle >= duration:  # settle is a fraction of the run, by default or because the run ended earlier
        return ""
    left = int((duration - scenario.settling(duration)) / scenario.sample_period + 1e-6) + 1
    return f"settle = {number(settle)}: leaves {left} samples, needs at least {LEAST}" if left < LEAST else ""


def times(elapsed: float, compiling: float) -> str:
    """Format the run time, and the compilation time if there was any."""
    more = f" (plus {format_fixed(compiling, 's', 0)} of compilation)" if compiling >= 0.5 else ""
    return format_fixed(elapsed - compiling, "s") + more


def report(scenario: Scenario, trajectory: Trajectory, took: str, written: list[str]) -> None:
    """Print the summary of a run and the files written; without a summary, print at least the files."""
    try:
        summary = scenario.summary(trajectory)
    except SerpenoidError:
        say(*written)
        raise
    say(summary_table(summary))
    say("", f"{number(trajectory.duration, 's')} simulated in {took}", *written)
    warn_of(remarks(trajectory, scenario, summary))


def warn_of(found: list[str]) -> None:
    """Print all warnings in one line."""
    if found:
        warn("; ".join(found))


def from_file(sources: list[list[str]], given: arguments.Arguments) -> tuple[Scenario, Trajectory | None]:
    """Return the scenario of a TOML file, of the best trial of a search, or of a recording, and that recording."""
    arguments.refuse_twice(["from"] * len(sources))
    path = Path(configuration.one("from", sources[0], "one path"))
    if given.positionals:
        raise InvalidValue("scenario", " ".join(given.positionals), "omitted with --from: the file names the scenario")
    if path.suffix == ".toml":
        return scenario_from_toml(path), None
    from serpenoid.sweeps import is_search, is_sweep, optimum

    if is_search(path):
        return optimum(path).scenario, None
    if is_sweep(path):
        raise FileProblem(path, "is a sweep; run one of its cells by its fields, as `serpenoid show` lists them")
    if path.exists() and not is_trajectory(path) and not is_locked(path):
        raise FileProblem(path, "is neither a recording or search (.zarr) nor a scenario file (.toml)")
    trajectory = Trajectory.load(path)
    check_repeatable(trajectory)
    return origin(trajectory), trajectory


def scenario_from_toml(path: Path) -> Scenario:
    """Read a scenario from a TOML file: schema = 1, scenario = NAME, and fields as tables."""
    data = configuration.read_toml(path)
    name = data.pop("scenario", None)
    if not isinstance(name, str):
        raise FileProblem(path, "must name its scenario: scenario = NAME")
    cls = find_scenario(name)
    robot, annotation = data.get("robot"), configuration.field_types(cls).get("robot")
    if (
        annotation and isinstance(robot, str) and robot.lower().endswith(arguments.ROBOT_FILES)
    ):  # relative to the TOML file
        from serpenoid.robots import load

        found = load(path.parent / robot)
        arguments.refuse_others("robot", annotation, found, robot)
        data["robot"] = configuration.to_plain(found)
    try:
        return configuration.from_plain({**data, "type": configuration.kind_of(cls)}, cls)
    except SerpenoidError as error:
        problem = arguments.known_elsewhere(cls, error) if isinstance(error, UnknownName) else error
        raise FileProblem(path, str(problem)) from None


def name_of(scenario: Scenario) -> str:
    """Return the registered name of a scenario's class."""
    return name_of_kind(configuration.kind_of(scenario))


def summary_line(scenario: Scenario) -> str:
    """Return the first line of a scenario's docstring."""
    return (type(scenario).__doc__ or "").strip().splitlines()[0]


class configuration_errors:
    """Convert configuration errors that are not a SerpenoidError (overflow, division by zero, memory) to one line."""

    def __enter__(self) -> None: ...

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, OverflowError | ZeroDivisionError | MemoryError):
            raise InvalidValue("configuration", str(error), "within the range of the machine") from None
