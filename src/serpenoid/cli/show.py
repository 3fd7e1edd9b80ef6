"""`serpenoid show`: what a saved trajectory, sweep or search holds, in numbers and as a picture."""

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

MOST_FIELDS, LONGEST = 8, 60  # fields that a line names, letters of a value
TOLD = ("medium", "links", "name")  # beside the name of a part


@dataclass(frozen=True)
class Options:
    """What `show` takes."""

    plot: str | None = None
    """where to write the figure (.png, .svg, .pdf); beside the data if not given"""
    html: str | None = None
    """also write an animation of a trajectory that opens in a browser to this file"""
    best: str | None = None
    """quantity by which the cells of a sweep are ranked: NAME for largest first, NAME:min for smallest"""


def main(words: list[str]) -> int:
    """Print and plot."""
    given = arguments.read(words)
    if given.help:
        say(arguments.help_text("serpenoid show PATH: print and plot a saved trajectory, sweep or search", Options()))
        return 0
    path = Path(arguments.only(given, "recording or sweep"))
    options = arguments.applied(Options(), given.flags)
    from serpenoid.sweeps import is_search, is_sweep

    check_pictures(options.plot, options.html)
    if is_search(path):
        from serpenoid.cli.optimise import show_search

        refuse(options.html, "html", f"{path} is a search; animations are of single runs")
        refuse(options.best, "best", f"{path} was searched by one quantity")
        show_search(path, options.plot)
        return 0
    if is_sweep(path):
        from serpenoid.cli.sweep import show_sweep

        refuse(options.html, "html", f"{path} is a sweep; animations are of single runs")
        show_sweep(path, options.best, options.plot)
        return 0
    refuse(options.best, "best", f"{path} is a single run; only cells of a sweep are ranked")
    return show_trajectory(path, options)


def show_trajectory(path: Path, options: Options) -> int:
    """A trajectory's variables with their ranges, its summary, and a figure; what cannot be told comes last."""
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
    """Show a part of a run; why that cannot be, where it cannot."""
    try:
        part(trajectory)
    except SerpenoidError as error:
        return error
    return None


def print_variables(trajectory: Trajectory) -> None:
    """The variables, a line each."""
    rows = [variable_row(trajectory, name) for name in trajectory.variables]
    say(table(rows, ["variable", "dims", "unit", "min", "max", "meaning"]))


def print_pictures(trajectory: Trajectory, html: str | None, figure: str) -> None:
    """Write the pictures, and print where they are."""
    say(*pictures(trajectory, html, figure))


def refuse(value: str | None, flag: str, problem: str) -> None:
    """Refuse a flag that would be ignored."""
    if value is not None:
        raise FileProblem(f"--{flag} {value}", f"cannot be: {problem}")


def origin(trajectory: Trajectory) -> list[str]:
    """Robot, world and gait or controller of a run with what differs from their defaults, and what made it."""
    lines = [line for part in PARTS if (line := part_line(trajectory, part))]
    made = trajectory.configuration.get("scenario", {}).get("type", "")
    release = trajectory.attributes.get("versions", {}).get("serpenoid", "unknown")
    seed = trajectory.attributes.get("seed", 0)
    source = f"scenario: {name_of_kind(made)}" if made else "from: a program"
    return [*lines, f"  {source}, serpenoid {release}, seed {seed}", ""]


def part_line(trajectory: Trajectory, part: str) -> str:
    """One part of a run in words; nothing where the recording does not know it."""
    plain = trajectory.configuration.get(part)
    if not plain:
        return ""
    try:
        found = part_of(trajectory, part)
    except SerpenoidError:  # a class that is not at hand
        found = None
    medium = f" ({plain['medium']})" if plain.get("medium") else ""
    name = plain.get("name") or configuration.plain_name(plain["type"].rpartition(":")[2].rpartition(".")[2]) + medium
    details = [*(body_size(trajectory) if part == "robot" else []), *differences(found)]
    return f"  {'gait' if isinstance(found, Gait) else part}: {', '.join([name, *details])}"


def body_size(trajectory: Trajectory) -> list[str]:
    """How many links the robot of a run has, where the recording tells."""
    if "link_pose" not in trajectory:
        return []
    return [f"{trajectory['link_pose'].shape[1]} links"]


def differences(found: Any) -> list[str]:
    """The fields of a part that are not its class's defaults, in short."""
    try:
        usual = {field.name: field.default for field in configuration.walk(type(found)())}
    except (SerpenoidError, TypeError):  # not at hand, or without defaults
        return []
    fields = [
        f
        for f in configuration.walk(found)
        if usual.get(f.name) != f.default and len(str(f.default)) < LONGEST and f.name not in TOLD
    ]
    return [f"{f.name} {arguments.as_typed(f.default, 4)}" for f in fields[:MOST_FIELDS]]


def print_summary(trajectory: Trajectory) -> None:
    """The scalars of the scenario that made it, if one did."""
    if "scenario" not in trajectory.configuration:
        return
    scenario = recorded_scenario(trajectory)
    try:
        summary = scenario.summary(trajectory)
    except UnknownName as error:  # modules do not tell where they are
        say(f"  no summary: the recording has no {error.name}\n")
        return
    except InvalidValue as error:
        say(f"  no summary: {error}\n")
        return
    say(*summary_lines(summary), "")
    warn_of(list(filter(None, [few_samples(scenario, trajectory.duration)])))


def variable_row(trajectory: Trajectory, name: str) -> list[Any]:
    """Name, shape, unit, range and meaning of a variable."""
    dims, values, unit, meaning = trajectory.variables[name]
    shape = " x ".join(f"{dim} {size}" for dim, size in zip(dims, values.shape))
    finite = values[np.isfinite(values)] if values.dtype.kind == "f" else values
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (float("nan"), float("nan"))
    return [name, shape, unit, low, high, meaning]
