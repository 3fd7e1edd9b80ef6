"""`serpenoid dynamixel run`: a scenario's controller on real or emulated motors, with live telemetry."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from serpenoid.cli import arguments
from serpenoid.cli.motor_runs import run_on_motors
from serpenoid.cli.outputs import place_of
from serpenoid.cli.printing import say
from serpenoid.cli.run import name_of
from serpenoid.errors import InvalidValue, require
from serpenoid.hardware.dynamixel import X_SERIES_SAFETY
from serpenoid.hardware.dynamixel_map import MotorMap
from serpenoid.hardware.safety import Safety
from serpenoid.scenarios.base import Scenario

if TYPE_CHECKING:
    from serpenoid.hardware.motor_plant import MotorPlant

TITLE = "serpenoid dynamixel run SCENARIO --map FILE.toml [--twin] [--field value ...]"


@dataclass(frozen=True)
class PlanOptions:
    """Options of `dry-run` besides the fields of the scenario."""

    map: str | None = None
    """TOML file with the port, the baud rate, and a table [[joint]] (joint, id, model, sign, zero) per joint"""
    safety: Safety = X_SERIES_SAFETY
    """limits at which joints are stopped and held"""


@dataclass(frozen=True)
class Options(PlanOptions):
    """Options of `run` besides the fields of the scenario."""

    twin: bool = False
    """use the emulator, in real time on a pseudo-terminal, instead of real motors"""
    fast: bool = False
    """with --twin: run in this process, as fast as possible"""
    out: str | None = None
    """file for the trajectory (.zarr); if not given, the first free one of out/dynamixel-SCENARIO.zarr, ..."""
    overwrite: bool = False
    """whether a recording at --out may be replaced"""


def main(words: list[str]) -> int:
    """Run the scenario."""
    found = parsed(words, TITLE, Options())
    if found is None:
        return 0
    scenario, options = found
    assert isinstance(options, Options)
    with place_of(f"dynamixel-{name_of(scenario)}", options.out, options.overwrite) as output:
        return run_on_motors(scenario, lambda: plant_for(scenario, options), output, options.twin)


def parsed(words: list[str], heading: str, options: PlanOptions) -> tuple[Scenario, PlanOptions] | None:
    """Return scenario and options of a command; print its help and return None if that was asked for."""
    given = arguments.read(words)
    if given.help and not given.positionals:
        say(arguments.help_text(heading, options))
        return None
    scenario = arguments.named_scenario(given)
    if given.help:
        say(arguments.help_text(heading, scenario, options))
        return None
    mine = [flag for flag in given.flags if flag[0].partition(".")[0] in type(options).__dataclass_fields__]
    options = arguments.applied(options, mine)
    return arguments.applied(scenario, [flag for flag in given.flags if flag not in mine], options), options


def map_for(scenario: Scenario, options: PlanOptions) -> MotorMap:
    """Return the map of a file, or IDs from 1 head first."""
    robot = scenario.parts().robot
    return MotorMap.plain(robot.joints) if options.map is None else MotorMap.read(Path(options.map), robot)


def plant_for(scenario: Scenario, options: Options) -> MotorPlant:
    """Return a plant for the motors of the map."""
    from serpenoid.hardware.dynamixel import dynamixel
    from serpenoid.hardware.emulator import TwinPhysics, twin
    from serpenoid.simulation import world_for

    robot, period = scenario.parts().robot, scenario.control_period
    if not options.twin:
        if options.fast:
            raise InvalidValue("fast", True, "false without --twin: real motors run in real time")
        require(options.map is not None, "map", None, "a TOML file that names the motors; or use --twin")
        return dynamixel(map_for(scenario, options), robot, period=period, safety=options.safety)
    physics = TwinPhysics(scenario.step, getattr(scenario, "engine", None), scenario.seed)
    return twin(
        robot, world_for(*scenario.parts()), joints=map_for(scenario, options), realtime=not options.fast,
        period=period, safety=options.safety, physics=physics, maker="dynamixel",
    )  # fmt: skip
