"""`serpenoid fit`: parameters of a scenario from a log of what a robot did."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from serpenoid.cli import arguments
from serpenoid.cli.console import announced, table
from serpenoid.errors import InvalidValue
from serpenoid.scenarios import Scenario, find_scenario

TITLE = (
    "serpenoid fit LOG --over FIELD,FIELD,... --scenario NAME [--field value ...]: "
    "fit fields of a scenario to a log (.csv, .zarr, .hebilog) by least squares"
)


@dataclass(frozen=True)
class Options:
    """What `fit` takes beside the fields of the scenario, which are its start."""

    over: str = ""
    """dotted names of the fields to fit, with commas between them, such as robot.drive.stiffness,robot.joint_damping"""
    scenario: str = "slither"
    """what the robot did"""


def main(words: list[str]) -> int:
    """Fit, print each parameter with its interval, and what cannot be told."""
    given = arguments.read(words)
    own, rest = given.take(["over", "scenario", "help", "h"])
    if given.help:
        print(arguments.help_text(TITLE, Options()))
        return 0
    path = Path(arguments.only(given, "LOG"))
    options = arguments.applied(Options(), own)
    if not options.over:
        raise InvalidValue("over", options.over, "names of fields, such as robot.drive.stiffness,robot.joint_damping")
    scenario: Scenario = arguments.applied(find_scenario(options.scenario)(), rest)
    from serpenoid.hardware.fit import fit
    from serpenoid.hardware.module_logs import read_module_log

    log = read_module_log(path, scenario.parts().robot.joint_names)
    with announced():
        found = fit(log, scenario, options.over.split(","))
    rows = [
        [e.name, e.start, e.value, e.low, e.high, "" if e.told else "not told by this log"] for e in found.estimates
    ]
    print(table(rows, ["field", "start", "fitted", "95 % from", "to", ""]))
    for name, noise in found.noise.items():
        print(f"{name.replace('_', ' ')}: rms {noise:.4g} left")
    for first, second, correlation in found.alike:
        print(f"{first} and {second} cannot be told apart (correlation {correlation:.3f})")
    print(f"{found.runs} runs")
    return 0
