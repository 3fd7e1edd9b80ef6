"""A log laid over a scenario, for `servo compare` and `hebi compare`."""

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

HEADER = ["joint", "rms [deg]", "greatest [deg]", "at [s]", "peak, log [deg]", "at [s]", "simulated", "at [s]"]


@dataclass(frozen=True)
class Options:
    """What `compare` takes beside the fields of the scenario."""

    scenario: str
    """what the robot did; a recording of ours says it itself"""
    plot: str | None = None
    """where to write the figure (.png, .svg, .pdf); beside the log if not given"""


def compare(given: arguments.Arguments, title: str, usual: Options) -> int:
    """Print the error per joint and of the path, draw both."""
    own, rest = given.take(["scenario", "plot", "help", "h"])
    if given.help:
        say(arguments.help_text(title, usual))
        return 0
    log = Path(arguments.only(given, "log"))
    options = arguments.applied(usual, own)
    scenario: Scenario = arguments.applied(scenario_for(log, own, options.scenario), rest, options)
    figure = Path(options.plot or log.with_suffix(".png"))
    check_file(figure)
    from serpenoid.hardware.log_comparison import compare_log, draw_comparison

    with announced():
        found = compare_log(log, scenario)
    say(table([in_degrees(row) for row in found.joints], HEADER))
    if found.path is None:
        say("path: not in the log")
    else:
        rms, *ways = (number(value, "m", 4) for value in (found.path.rms, *found.path.ways))
        say(f"path: rms distance {rms}; net way {ways[0]}, simulated {ways[1]}")
    if found.left_out > 0.0:
        say(f"the simulation ends {number(found.left_out, 's', 4)} before the log, which is compared until then")
    say(f"figure: {draw_comparison(found.log.recording(), found.simulated, figure, track=found.path)}")
    return 0


def scenario_for(log: Path, flags: arguments.Flags, name: str) -> Scenario:
    """The scenario that --scenario names, else that of a recording, else the usual one."""
    recorded = None
    if log.is_dir() and all(flag[0] != "scenario" for flag in flags):
        recorded = scenario_of(Trajectory.load(log))
    return find_scenario(name)() if recorded is None else recorded


def in_degrees(row: tuple) -> list:
    """A Comparison's cells, angles in degrees (every second one is a time)."""
    joint, rms, greatest, time, peak, peak_time, simulated, simulated_time = row
    return [
        joint, degrees(rms), degrees(greatest), time, degrees(peak), peak_time, degrees(simulated), simulated_time,
    ]  # fmt: skip
