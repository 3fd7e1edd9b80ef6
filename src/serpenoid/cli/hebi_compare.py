"""`serpenoid hebi compare`: a log of modules laid over the simulation, per joint and in the path."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from serpenoid.cli import arguments
from serpenoid.cli.console import announced, table
from serpenoid.cli.servo import in_degrees
from serpenoid.files import check_file
from serpenoid.scenarios import Scenario, find_scenario

TITLE = (
    "serpenoid hebi compare LOG --scenario NAME [--field value ...]: a log (.csv, .zarr, .hebilog) over the simulation"
)


@dataclass(frozen=True)
class Options:
    """What `compare` takes beside the fields of the scenario."""

    scenario: str = "slither"
    """what the robot did"""
    plot: str | None = None
    """where to write the figure (.png, .svg, .pdf); beside the log if not given"""


def main(words: list[str]) -> int:
    """Print the error per joint and of the path, draw both."""
    given = arguments.read(words)
    own, rest = given.take(["scenario", "plot", "help", "h"])
    if given.help:
        print(arguments.help_text(TITLE, Options()))
        return 0
    log = Path(arguments.only(given, "LOG"))
    options = arguments.applied(Options(), own)
    scenario: Scenario = arguments.applied(find_scenario(options.scenario)(), rest)
    figure = Path(options.plot or log.with_suffix(".png"))
    check_file(figure)
    from serpenoid.hardware.hebi_runs import compare_module_log
    from serpenoid.hardware.servo_runs import draw_comparison

    with announced():
        found, simulated, joints, path = compare_module_log(log, scenario)
    header = ["joint", "rms [deg]", "greatest [deg]", "at [s]", "peak, log [deg]", "at [s]", "simulated", "at [s]"]
    print(table([in_degrees(row) for row in joints], header))
    if path is None:
        print("path: not in the log")
    else:
        print(f"path: rms distance {path.rms:.4g} m; net way {path.logged:.4g} m, simulated {path.simulated:.4g} m")
    print(f"figure: {draw_comparison(found.recording(), simulated, figure)}")
    return 0
