"""`serpenoid learn`: train a policy in a scenario, saved in a store, and write it as a controller."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from serpenoid.cli import arguments
from serpenoid.cli.compile_progress import announced
from serpenoid.cli.console import progress_bar
from serpenoid.cli.exit_messages import add_saved, keeps
from serpenoid.cli.outputs import check_pictures
from serpenoid.cli.printing import note, number, say, table
from serpenoid.cli.run import configuration_errors, name_of, summary_line
from serpenoid.cli.sweep import GOES_ON, plain_warnings
from serpenoid.cli.sweep_arguments import axes, check_fixed
from serpenoid.errors import MissingValue, whole_number
from serpenoid.support.output_paths import RECORDINGS, check_ending, check_file, check_folder

if TYPE_CHECKING:
    from serpenoid.training import Progress, Task, Trained

TITLE = """serpenoid learn NAME [--goal ...] [--draw FIELD=A:B ...] [--over FIELD=LOW:HIGH ...] [--field value ...]
NAME: a task ({tasks}), which sets all options, or a scenario with a controller"""
RANGES = """
  --draw FIELD=A:B                   draw this field for every run; all candidates of a generation have the same draws
  --over FIELD=LOW:HIGH              search a field of the scenario together with the weights; may be repeated"""


@dataclass(frozen=True)
class Options:
    """Options of `learn` besides --draw, --over, those of the search, and the fields of the scenario."""

    out: str | None = None
    """store (a Zarr folder); an existing training is continued; if not given, out/NAME-learn.zarr"""
    goal: str | None = None
    """quantities of the summary with weights, NAME=WEIGHT,...; their sum is maximised"""
    policy: str | None = None
    """initial policy: wave, wave-mlp, linear, mlp, or a TOML file; the controller of the scenario if not given"""
    jobs: int | None = None
    """number of threads; all processors if not given; the result is the same for any number"""
    plot: str | None = None
    """figure file (.png, .svg, .pdf) of the learning curve; next to the store if not given"""
    save: str | None = None
    """file of the policy (.toml); next to the store if not given"""


def main(words: list[str]) -> int:
    """Train or continue a training, then write the policy and plot the learning curve."""
    from serpenoid.training import TASKS, Search, make_task
    from serpenoid.training.task import policy_of
    from serpenoid.training.tasks import known_task, with_policy

    given = arguments.read(words)
    title = TITLE.format(tasks=", ".join(TASKS))
    if given.help and not given.positionals:
        say(arguments.help_text(f"{title}\n{RANGES}", Search(), Options()), arguments.scenario_help("learn"))
        return 0
    known = known_task(arguments.only(given.positionals, "task or scenario", lambda: TASKS))
    options, flags = own_options(given)
    if given.help:
        say(arguments.help_text(f"{title}\n\n{summary_line(known.scenario)}\n{RANGES}", known.scenario, known.search))
        return 0
    with configuration_errors():
        scenario = with_policy(known.scenario, options.policy)
        scenario = arguments.applied(scenario, flags["scenario"], options, known.search)
        search = arguments.applied(known.search, flags["search"])
    varied = {flag: axes([w for name, ws in flags["ranges"] if name == flag for w in ws], flag) for flag in RANGED}
    check_fixed(flags["scenario"], varied)
    goal = known.goal if options.goal is None else options.goal
    policy_of(scenario)
    if not goal:
        raise MissingValue("--goal", "NAME=WEIGHT,..., quantities of the scenario's summary")
    task = make_task(scenario, goal, {**known.draw, **varied["draw"]}, {**known.over, **varied["over"]}, search)
    return learn(task, options, known.name)


RANGED = ("draw", "over")


def own_options(given: arguments.Arguments) -> tuple[Options, dict[str, arguments.Flags]]:
    """Split the flags into options, those of the search, ranges, and fields of the scenario."""
    from serpenoid.training import Search

    own, rest = given.take([field.name for field in fields(Options)])
    search, rest = arguments.Arguments([], rest).take([f.name for f in fields(Search)])
    ranges, rest = arguments.Arguments([], rest).take([*RANGED])
    scenario = [flag for flag in rest if flag[0] not in arguments.HELP]
    return arguments.applied(Options(), own), {"search": search, "ranges": ranges, "scenario": scenario}


def learn(task: Task, options: Options, name: str) -> int:
    """Train, then report; return 130 if Ctrl-C stopped it early."""
    from serpenoid.sweeps.executors import Threads
    from serpenoid.training import train

    path = Path(options.out or Path("out") / f"{name}-learn.zarr")
    check_ending("out", path, RECORDINGS)
    check_folder(path)
    check_pictures(options.plot, None, options.out)
    policy = Path(options.save) if options.save else path.with_suffix(".toml")
    check_ending("save", policy, (".toml",))
    check_file(policy)
    jobs = None if options.jobs is None else whole_number("jobs", options.jobs, 1, 4096)
    keeps(GOES_ON.format(path=path))
    with announced(), plain_warnings(), Threads(jobs) as executor, progress_bar(path.name) as bar:
        found = train(task, path, executor, lambda state: bar(state.generation / state.generations, line_of(state)))
    add_saved(path)
    report(task, found, path, policy, options.plot)
    if not found.finished:
        note("stopped; the same command resumes")
        return 130
    return 0


def line_of(state: Progress) -> str:
    """Format the state of a training as one line."""
    checked = "" if state.checked != state.checked else f", checked {number(state.checked, digits=4)}"
    return (
        f"generation {state.generation} of {state.generations}: mean {number(state.mean, digits=4)}, "
        f"best {number(state.best, digits=4)}{checked}"
    )


def report(task: Task, found: Trained, path: Path, policy: Path, figure: str | None) -> None:
    """Write the policy and the learning curve, and print where they are."""
    from serpenoid.control.files import write_controller
    from serpenoid.plotting.training import learning_curve

    scenario: Any = found.scenario
    goal = ", ".join(f"{number(weight)} {name}" for name, weight in task.goal)
    summary = f"Trained in {name_of(scenario)} to maximise {goal}."
    write_controller(policy, scenario.controller, summary)
    say(table([[found.generation, task.search.generations, found.value]], ["generation", "of", "checked return"]), "")
    say(f"saved: {path}", f"policy: {policy}", f"figure: {learning_curve(path, figure or path.with_suffix('.png'))}")
    say(f"run it: serpenoid run {name_of(scenario)} --controller {policy}")
