"""`serpenoid fit`: scenario parameters identified from a robot's log."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from warnings import warn

from serpenoid.cli import arguments
from serpenoid.cli.compare_log import scenario_for
from serpenoid.cli.compile_progress import announced
from serpenoid.cli.printing import column_label, format_fixed, note, number, say, table
from serpenoid.configuration import above, check_fields
from serpenoid.errors import MissingValue
from serpenoid.scenarios import Scenario
from serpenoid.variables import describe

if TYPE_CHECKING:
    from serpenoid.hardware.fit import Fit

TITLE = (
    "serpenoid fit LOG --over FIELD,FIELD,... --scenario NAME [--field value ...]: "
    "fit fields of a scenario to a log (.csv, .zarr, .hebilog) by least squares"
)

DELAYS = {"delay": "delay [s]"}  # the parameter that is not a field
UNDETERMINED = "not determined by this log"
HEAD_UNITS = {"head_position": "m", "head_attitude": "rad"}


@dataclass(frozen=True)
class Options:
    """Options of `fit` besides the fields of the scenario, which are the initial guess."""

    over: str = ""
    """dotted names of the fields to fit, separated by commas, such as robot.drive.stiffness,robot.joint_damping"""
    scenario: str = "slithering"
    """scenario that the robot ran; read from the log if it is a serpenoid recording, which is then the initial guess"""
    until: Annotated[float | None, above(0.0, usual=(1.0, 20.0))] = None
    """use the log up to this time [s]; none: the whole log, which takes longer"""
    head: bool = False
    """fit the pose of the robot's head instead of the readings of its joints; also from .mcap and .parquet"""

    def __post_init__(self) -> None:
        check_fields(self)


def main(words: list[str]) -> int:
    """Fit, print each parameter with its confidence interval, and name parameters that the log does not determine."""
    given = arguments.read(words)
    own, rest = given.take(["over", "scenario", "until", "head", "help", "h"])
    if given.help:
        say(arguments.help_text(TITLE, Options()))
        return 0
    path = Path(arguments.only(given.positionals, "log"))
    options = arguments.applied(Options(), own)
    if not options.over:
        raise MissingValue("--over", "(names of fields, such as robot.drive.stiffness,robot.joint_damping)")
    scenario: Scenario = arguments.applied(scenario_for(path, own, options.scenario), rest, options)
    found = (fitted_head if options.head else fitted_joints)(path, scenario, options)
    rows = [
        [DELAYS.get(e.name, e.name), e.start, e.value, e.low, e.high, "" if e.determined else UNDETERMINED]
        for e in found.estimates
    ]
    say(table(rows, ["field", "start", "fitted", "95 % low", "95 % high", ""]))
    for name, noise in found.noise.items():
        unit = HEAD_UNITS.get(name) or describe(name).unit
        say(f"{column_label(name)}: remaining error (rms) {number(noise, unit, 4)}")
    for first, second, correlation in found.alike:
        say(f"{first} and {second} cannot be distinguished (correlation {format_fixed(correlation, places=3)})")
    say(f"{found.runs} runs")
    return 0


def fitted_joints(path: Path, scenario: Scenario, options: Options) -> Fit:
    """Fit the readings of the joints in a log."""
    from serpenoid.hardware.fit import fit
    from serpenoid.hardware.module_logs import read_log

    log = read_log(path, scenario.parts().robot.joint_names)
    if log.missing:
        note(f"the log has no {' and no '.join(map(column_label, log.missing))}; the fit uses the rest")
    if options.until is not None:
        log = log.until(until(options.until, log.times[-1]))
    with announced():
        return fit(log, scenario, options.over.split(","))


def fitted_head(path: Path, scenario: Scenario, options: Options) -> Fit:
    """Fit the poses of the head in a log."""
    from serpenoid.hardware.head_fit import fit_head, head_of, read_head
    from serpenoid.interchange.importing import import_run

    if path.suffix in (".mcap", ".parquet", ".db3"):
        times, poses = head_of(path, import_run(path))
    else:
        times, poses = read_head(path)
    if options.until is not None:
        kept = times <= until(options.until, times[-1]) + 1e-9
        times, poses = times[kept], poses[kept]
    with announced():
        return fit_head(times, poses, scenario, options.over.split(","))


def until(wanted: float, end: float) -> float:
    """Return the time up to which a log is used [s]; warn if the log ends earlier."""
    if wanted > end + 1e-9:
        warn(
            f"the log ends at {number(end, 's', 4)}, before --until {number(wanted)}; the whole log is used",
            stacklevel=1,
        )
    return wanted
