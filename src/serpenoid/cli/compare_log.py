"""Comparison of a log with a simulated scenario, for `servo compare` and `hebi compare`."""

from __future__ import annotations

from dataclasses import dataclass
from math import degrees
from pathlib import Path

from serpenoid.cli import arguments
from serpenoid.cli.compile_progress import announced
from serpenoid.cli.printing import number, say, table
from serpenoid.scenarios import Scenario, find_scenario
from serpenoid.scenarios.base import scenario_of
from serpenoid.support.output_paths import check_file
from serpenoid.trajectory import Trajectory

HEADER = ["joint", "rms [deg]", "max [deg]", "at [s]", "peak of log [deg]", "at [s]", "simulated [deg]", "at [s]"]
LOAD_HEADER = [
    "joint", "log", "N m per unit", "rms of log [N m]", "simulated [N m]", "difference [N m]", "correlation",
]  # fmt: skip


@dataclass(frozen=True)
class Options:
    """Options of `compare` besides the fields of the scenario."""

    scenario: str
    """scenario that the robot ran; read from the log if it is a serpenoid recording"""
    plot: str | None = None
    """figure file (.png, .svg, .pdf); next to the log if not given"""


def compare(given: arguments.Arguments, title: str, usual: Options) -> int:
    """Print the error of each joint and of the path, plot both runs, and compare torques and currents in the log."""
    own, rest = given.take(["scenario", "plot", "help", "h"])
    if given.help:
        say(arguments.help_text(title, usual))
        return 0
    log = Path(arguments.only(given.positionals, "log"))
    options = arguments.applied(usual, own)
    scenario: Scenario = arguments.applied(scenario_for(log, own, options.scenario), rest, options)
    figure = Path(options.plot or log.with_suffix(".png"))
    check_file(figure)
    from serpenoid.hardware.load_comparison import draw_loads
    from serpenoid.hardware.log_comparison import compare_log, draw_comparison

    with announced():
        found = compare_log(log, scenario)
    say(table([in_degrees(row) for row in found.joints], HEADER))
    if found.path is None:
        say("path: not in the log")
    else:
        rms, *distances = (number(value, "m", 4) for value in (found.path.rms, *found.path.distances))
        say(f"path: rms distance {rms}; net distance {distances[0]}, simulated {distances[1]}")
    if found.excess > 0.0:
        say(f"the log is {number(found.excess, 's', 4)} longer than the simulation; the rest is not compared")
    say(f"figure: {draw_comparison(found.log.recording(), found.simulated, figure, track=found.path)}")
    if found.loads is not None:
        say("", table([list(row) for row in found.loads.rows], LOAD_HEADER))
        of_loads = figure.with_name(f"{figure.stem}-loads{figure.suffix}")
        say(f"figure: {draw_loads(found.loads, found.log.joints, of_loads)}")
    return 0


def scenario_for(log: Path, flags: arguments.Flags, name: str) -> Scenario:
    """Return the scenario named by --scenario, else that of a recording, else the default one."""
    recorded = None
    if log.is_dir() and all(flag[0] != "scenario" for flag in flags):
        recorded = scenario_of(Trajectory.load(log))
    return find_scenario(name)() if recorded is None else recorded


def in_degrees(row: tuple) -> list:
    """Return the cells of a joint's Comparison with angles in degrees; times stay in seconds."""
    joint, rms, greatest, time, peak, peak_time, simulated, simulated_time = row
    return [
        joint, degrees(rms), degrees(greatest), time, degrees(peak), peak_time, degrees(simulated), simulated_time,
    ]  # fmt: skip
