"""`serpenoid show`: contents of a saved trajectory, sweep or search, as numbers and a figure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from serpenoid import configuration
from serpenoid.analysis.bodies import part_of
from serpenoid.cli import arguments
from serpenoid.cli.outputs import check_pictures, pictures
from serpenoid.cli.printing import number, plural, say, summary_lines, table
from serpenoid.cli.run import few_samples, warn_of
from serpenoid.errors import FileProblem, InvalidValue, SerpenoidError, UnknownName
from serpenoid.gaits.base import Gait
from serpenoid.scenarios import name_of_kind
from serpenoid.scenarios.base import recorded_scenario
from serpenoid.support.output_paths import check_file
from serpenoid.trajectory import PARTS, Trajectory

MOST_FIELDS, LONGEST = 8, 60  # most fields in a line, most characters of a value
TOLD = ("medium", "links", "name")  # already named otherwise


@dataclass(frozen=True)
class Options:
    """Options of `show`."""

    plot: str | None = None
    """figure file (.png, .svg, .pdf); next to the data if not given"""
    html: str | None = None
    """also write an animation of a trajectory for the browser to this file (.html)"""
    best: str | None = None
    """quantity that ranks the cells of a sweep: NAME for largest first, NAME:min for smallest first"""


def main(words: list[str]) -> int:
    """Print and plot the recording."""
    title = "serpenoid show PATH: print and plot a saved trajectory, sweep or search"
    given = arguments.read_options(words, title, Options())
    if given is None:
        return 0
    paths, options = given
    path = Path(arguments.only(paths, "recording or sweep"))
    from serpenoid.sweeps import is_search, is_sweep

    check_pictures(options.plot, options.html)
    if is_search(path):
        from serpenoid.cli.optimise import show_search

        refuse(options.html, "html", f"{path} is a search; only single runs can be animated")
        refuse(options.best, "best", f"{path} is a search, which is ranked by its own quantity")
        show_search(path, options.plot)
        return 0
    if is_sweep(path):
        from serpenoid.cli.sweep import show_sweep

        refuse(options.html, "html", f"{path} is a sweep; only single runs can be animated")
        show_sweep(path, options.best, options.plot)
        return 0
    refuse(options.best, "best", f"{path} is a single run; only the cells of a sweep are ranked")
    return show_trajectory(path, options)


def show_trajectory(path: Path, options: Options) -> int:
    """Print the summary and variables of a trajectory and write a figure; raise the first error at the end."""
    trajectory = Trajectory.load(path)
    figure = options.plot or str(path.with_suffix(".png"))
    check_file(Path(figure))
    count = trajectory.times.size
    state = "complete" if trajectory.complete else "INCOMPLETE: the run ended early"
    say(f"{path}: {plural(count, 'sample')} over {number(trajectory.duration, 's')}, {state}")
    say(*origin(trajectory))
    problems = [
        problem
        for part in (print_summary, print_variables, lambda run: print_pictures(run, options.html, figure))
        if (problem := attempt(part, trajectory))
    ]
    if problems:
        raise problems[0]
    return 0


def attempt(part: Callable[[Trajectory], None], trajectory: Trajectory) -> SerpenoidError | None:
    """Print a part of the report; return the error if it cannot be computed."""
    try:
        part(trajectory)
    except SerpenoidError as error:
        return error
    return None


def print_variables(trajectory: Trajectory) -> None:
    """Print the variables, one line each."""
    rows = [variable_row(trajectory, name) for name in trajectory.variables]
    say(table(rows, ["variable", "dims", "unit", "min", "max", "meaning"]))


def print_pictures(trajectory: Trajectory, html: str | None, figure: str) -> None:
    """Write the pictures and print their paths."""
    say(*pictures(trajectory, html, figure))


def refuse(value: str | None, flag: str, problem: str) -> None:
    """Refuse a flag that has no effect."""
    if value is not None:
        raise FileProblem(f"--{flag} {value}", f"has no effect: {problem}")


def origin(trajectory: Trajectory) -> list[str]:
    """Return lines with robot, world, and gait or controller of a run, their non-default fields, and scenario and
    version."""
    lines = [line for part in PARTS if (line := part_line(trajectory, part))]
    made = trajectory.configuration.get("scenario", {}).get("type", "")
    release = trajectory.attributes.get("versions", {}).get("serpenoid", "unknown")
    seed = trajectory.attributes.get("seed", 0)
    source = f"scenario: {name_of_kind(made)}" if made else "from: a program"
    return [*lines, f"  {source}, serpenoid {release}, seed {seed}", ""]


def part_line(trajectory: Trajectory, part: str) -> str:
    """Describe one part of a run; empty if the recording does not contain it."""
    plain = trajectory.configuration.get(part)
    if not plain:
        return ""
    try:
        found = part_of(trajectory, part)
    except SerpenoidError:  # the class cannot be imported
        found = None
    medium = f" ({plain['medium']})" if plain.get("medium") else ""
    name = plain.get("name") or configuration.plain_name(plain["type"].rpartition(":")[2].rpartition(".")[2]) + medium
    details = [*(body_size(trajectory) if part == "robot" else []), *differences(found)]
    return f"  {'gait' if isinstance(found, Gait) else part}: {', '.join([name, *details])}"


def body_size(trajectory: Trajectory) -> list[str]:
    """Return the number of links of the robot, if recorded."""
    if "link_pose" not in trajectory:
        return []
    return [f"{trajectory['link_pose'].shape[1]} links"]


def differences(found: Any) -> list[str]:
    """Return the fields of a part that differ from the defaults of its class."""
    try:
        usual = {field.name: field.default for field in configuration.walk(type(found)())}
    except (SerpenoidError, TypeError):  # class not importable, or without defaults
        return []
    fields = [
        f
        for f in configuration.walk(found)
        if usual.get(f.name) != f.default and len(str(f.default)) < LONGEST and f.name not in TOLD
    ]
    return [f"{f.name} {arguments.as_typed(f.default, 4)}" for f in fields[:MOST_FIELDS]]


def print_summary(trajectory: Trajectory) -> None:
    """Print the summary of the scenario that produced the trajectory, if there is one."""
    if "scenario" not in trajectory.configuration:
        return
    scenario = recorded_scenario(trajectory)
    try:
        summary = scenario.summary(trajectory)
    except UnknownName as error:  # hardware logs contain no base pose
        say(f"  no summary: the recording has no {error.name}\n")
        return
    except InvalidValue as error:
        say(f"  no summary: {error}\n")
        return
    say(*summary_lines(summary), "")
    warn_of(list(filter(None, [few_samples(scenario, trajectory.duration)])))


def variable_row(trajectory: Trajectory, name: str) -> list[Any]:
    """Return name, shape, unit, range and meaning of a variable."""
    dims, values, unit, meaning = trajectory.variables[name]
    shape = " x ".join(f"{dim} {size}" for dim, size in zip(dims, values.shape))
    finite = values[np.isfinite(values)] if values.dtype.kind == "f" else values
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (float("nan"), float("nan"))
    return [name, shape, unit, low, high, meaning]
