"""`serpenoid hebi run`: a scenario's controller on real or emulated modules, with live telemetry."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from serpenoid.cli import arguments
from serpenoid.cli.motor_runs import print_dry_run, run_on_motors
from serpenoid.cli.outputs import place_of
from serpenoid.cli.printing import say
from serpenoid.cli.run import name_of
from serpenoid.errors import FileProblem, InvalidValue, require
from serpenoid.hardware.emulator import emulator
from serpenoid.hardware.joint_map import JointMap
from serpenoid.hardware.safety import Safety
from serpenoid.scenarios.base import Scenario

TITLE = "serpenoid hebi run SCENARIO --group FAMILY --names A,B,... [--twin] [--dry-run] [--field value ...]"


@dataclass(frozen=True)
class Options:
    """Options of `run` besides the fields of the scenario."""

    group: str = "SEA Snake"
    """family of the modules"""
    names: str | None = None
    """names of the modules from head to tail, separated by commas; the emulator has default names"""
    map: str | None = None
    """TOML file with `family` and a table [[joint]] (joint, module, sign, offset) per joint; replaces --group and
    --names"""
    twin: bool = False
    """use the emulator, in real time over loopback UDP, instead of real modules"""
    fast: bool = False
    """with --twin: run in this process, faster than real time"""
    dry_run: bool = False
    """only print the commands and the limits that they would exceed; nothing moves"""
    gains: str | None = None
    """gains file (XML) sent to the modules first; its strategy must be that of the robot's drive"""
    out: str | None = None
    """output path of the trajectory; by default the first free name of out/hebi-SCENARIO.zarr, hebi-SCENARIO-2, ..."""
    overwrite: bool = False
    """whether a recording at --out may be replaced"""
    safety: Safety = Safety()
    """limits at which joints are stopped and held"""


def main(words: list[str]) -> int:
    """Run the scenario, or print a dry run."""
    given = arguments.read(words)
    if given.help and not given.positionals:
        say(arguments.help_text(TITLE, Options()))
        return 0
    scenario = arguments.named_scenario(given)
    if given.help:
        say(arguments.help_text(TITLE, scenario, Options()))
        return 0
    mine = [flag for flag in given.flags if flag[0].partition(".")[0] in Options.__dataclass_fields__]
    options: Options = arguments.applied(Options(), mine)
    scenario = arguments.applied(scenario, [flag for flag in given.flags if flag not in mine], options)
    if options.dry_run:
        return print_plan(scenario, options)
    with place_of(f"hebi-{name_of(scenario)}", options.out, options.overwrite) as output:
        return run_on_motors(
            scenario, lambda: plant_for(scenario, options), output, options.twin, lambda p: send_gains(p, options)
        )


def print_plan(scenario: Scenario, options: Options) -> int:
    """Print a dry run, with the gains of a file."""
    from serpenoid.hardware.dry_run import with_gains

    joints = joints_for(scenario, options)
    lines = () if options.gains is None else (f"gains of {options.gains} sent to all modules first",)
    scenario = scenario if options.gains is None else with_gains(scenario, Path(options.gains))
    return print_dry_run(scenario, options.safety, joints._replace(family=f"family {joints.family}"), lines=lines)


def joints_for(scenario: Scenario, options: Options) -> JointMap:
    """Return the assignment of modules to joints, by map or names; the emulator has default names, a dry run needs
    none."""
    robot = scenario.parts().robot
    if options.names or options.map:
        return JointMap.chosen(robot, options.group, module_names(options), options.map)
    if options.twin:
        return emulator().joint_map(robot)
    return JointMap(options.group, ("-",) * robot.joints, np.ones(robot.joints), np.zeros(robot.joints))


def module_names(options: Options) -> list[str] | None:
    """Return the module names that were given."""
    return options.names.split(",") if options.names else None


def plant_for(scenario: Scenario, options: Options) -> Any:
    """Return a plant for the selected modules."""
    from serpenoid.hardware import TwinPhysics, hebi, twin
    from serpenoid.simulation import world_for

    robot, world = scenario.parts().robot, world_for(*scenario.parts())
    shared: dict[str, Any] = {"period": scenario.control_period, "safety": options.safety}
    if options.fast and not options.twin:
        raise InvalidValue("fast", True, "false without --twin: real modules run in real time")
    if not options.twin:
        require(bool(options.names or options.map), "names", None, "the module names, head first; or use --map, --twin")
        return hebi(module_names(options), options.group, robot, map=options.map, **shared)
    joints = joints_for(scenario, options)
    physics = TwinPhysics(scenario.step, getattr(scenario, "engine", None), scenario.seed)
    return twin(robot, world, joints=joints, realtime=not options.fast, physics=physics, **shared)


def send_gains(plant: Any, options: Options) -> None:
    """Send the gains of a file to the modules; raise unless all modules acknowledge."""
    from serpenoid.hardware.hebi_gains import WrongStrategy, check_gains

    if options.gains is None:
        return
    info = plant.bus.group.request_info()
    strategy = None if info is None else int(info.control_strategy[0])
    try:
        check_gains(Path(options.gains), strategy, plant.robot.joints)
    except WrongStrategy as error:
        own = f"--robot.drive cascade --robot.drive.strategy {error.found}"
        raise FileProblem(error.path, f"{error.problem}{f', or run with {own}' if options.twin else ''}") from None
    command = plant.bus.command(plant.robot.joints)
    command.read_gains(options.gains)
    if not plant.bus.group.send_command_with_acknowledgement(command):
        hint = " (the emulator accepts gains with --robot.drive cascade)" if options.twin else ""
        raise InvalidValue("gains", options.gains, f"a gains file that the modules acknowledge{hint}")
