"""`serpenoid run`: a scenario with any field set, or a saved run once more."""

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
from serpenoid.cli.printing import complain, fixed, note, number, say, summary_table, warn
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
    """What `run` takes beside the fields of the scenario."""

    out: str | None = None
    """where to save the trajectory; out/NAME.zarr, or the next free name, if not given"""
    overwrite: bool = False
    """whether a recording that exists is replaced, once the run is complete"""
    html: str | None = None
    """also write an animation that opens in a browser to this file"""
    plot: str | None = None
    """also write a figure of the joints and the path to this file (.png, .svg, .pdf)"""


def main(words: list[str]) -> int:
    """Run, print the summary, save."""
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
    """Run a scenario, or a recording as that scenario; save trajectory and pictures, then print."""
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
                note(f"kept until then: {output.keep(error.trajectory)}")
            raise
        except Interrupted as error:
            kept = output.keep(error.trajectory)
            complain(f"{error} of {number(scenario.duration, 's')}; kept until then: {kept}")
            return 130
        took = times(perf_counter() - start, notice.seconds)
        written = [f"saved: {output.save(trajectory)}"]
        try:
            written += pictures(trajectory, options.html, options.plot)
        finally:  # a picture that fails hides neither numbers nor place
            report(scenario, trajectory, took, written)
    return 0


def few_samples(scenario: Scenario, duration: float) -> str:
    """What is wrong with a settle time that leaves less of a run than a spectrum takes; nothing where all is well."""
    settle = getattr(scenario, "settle", None)
    if not settle or settle >= duration:  # a share of the run, by itself or since the run ended before
        return ""
    left = int((duration - scenario.settling(duration)) / scenario.sample_period + 1e-6) + 1
    return f"settle = {number(settle)}: leaves {left} samples, needs {LEAST}" if left < LEAST else ""


def times(elapsed: float, compiling: float) -> str:
    """How long a run took, and how much longer its first start, in words."""
    more = f" (and {fixed(compiling, 's', 0)} of compiling)" if compiling >= 0.5 else ""
    return fixed(elapsed - compiling, "s") + more


def report(scenario: Scenario, trajectory: Trajectory, took: str, written: list[str]) -> None:
    """Print the summary of a run and what was written; where there is no summary, at least where the run is."""
    try:
        summary = scenario.summary(trajectory)
    except SerpenoidError:
        say(*written)
        raise
    say(summary_table(summary))
    say("", f"{number(trajectory.duration, 's')} simulated in {took}", *written)
    warn_of(remarks(trajectory, scenario, summary))


def warn_of(found: list[str]) -> None:
    """One line for all that is surely not meant."""
    if found:
        warn("; ".join(found))


def from_file(sources: list[list[str]], given: arguments.Arguments) -> tuple[Scenario, Trajectory | None]:
    """Return the scenario of a TOML file, of the best trial of a search, or of a recording, and that recording."""
    arguments.refuse_twice(["from"] * len(sources))
    path = Path(configuration.one("from", sources[0], "one path"))
    if given.positionals:
        raise InvalidValue("scenario", " ".join(given.positionals), "left out where --from is given: the file names it")
    if path.suffix == ".toml":
        return scenario_from_toml(path), None
    from serpenoid.sweeps import is_search, is_sweep, optimum

    if is_search(path):
        return optimum(path).scenario, None
    if is_sweep(path):
        raise FileProblem(path, "is a sweep; run one of its cells by its fields, as `serpenoid show` lists them")
    if path.exists() and not is_trajectory(path) and not is_locked(path):
        raise FileProblem(path, "is no recording or search (.zarr), and no run in a file (.toml)")
    trajectory = Trajectory.load(path)
    check_repeatable(trajectory)
    return origin(trajectory), trajectory


def scenario_from_toml(path: Path) -> Scenario:
    """A run from a TOML file: schema = 1, scenario = NAME, and fields as tables."""
    data = configuration.read_toml(path)
    name = data.pop("scenario", None)
    if not isinstance(name, str):
        raise FileProblem(path, "must name its scenario: scenario = NAME")
    cls = find_scenario(name)
    robot, annotation = data.get("robot"), configuration.field_types(cls).get("robot")
    if (
        annotation and isinstance(robot, str) and robot.lower().endswith(arguments.ROBOT_FILES)
    ):  # beside the file that names it
        from serpenoid.robots import load

        found = load(path.parent / robot)
        arguments.refuse_others("robot", annotation, found, robot)
        data["robot"] = configuration.to_plain(found)
    try:
        return configuration.from_plain({**data, "type": configuration.kind_of(cls)}, cls)
    except SerpenoidError as error:
        told = arguments.known_elsewhere(cls, error) if isinstance(error, UnknownName) else error
        raise FileProblem(path, str(told)) from None


def name_of(scenario: Scenario) -> str:
    """The registered name of a scenario's class."""
    return name_of_kind(configuration.kind_of(scenario))


def summary_line(scenario: Scenario) -> str:
    """The first line of a docstring."""
    return (type(scenario).__doc__ or "").strip().splitlines()[0]


class configuration_errors:
    """Turn mistakes of a configuration that are no SerpenoidError (overflow, wrong kinds) into one line."""

    def __enter__(self) -> None: ...

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, OverflowError | ZeroDivisionError | MemoryError):
            raise InvalidValue("configuration", str(error), "within the range of the machine") from None
