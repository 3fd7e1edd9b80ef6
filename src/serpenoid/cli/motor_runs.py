"""Runs of scenarios on real or emulated motors, and their dry runs, for commands of any manufacturer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from serpenoid.cli.compile_progress import announced
from serpenoid.cli.outputs import Output
from serpenoid.cli.printing import complain, format_fixed, number, say, table
from serpenoid.cli.telemetry import telemetry
from serpenoid.errors import HardwareFault, HardwareStopped, SerpenoidError
from serpenoid.hardware.joint_map import JointMap
from serpenoid.hardware.safety import Safety
from serpenoid.scenarios.base import Scenario
from serpenoid.support.interrupts import deferred_interrupts, ended_as_interrupted
from serpenoid.support.versions import versions

if TYPE_CHECKING:
    from serpenoid.hardware.motor_plant import MotorPlant


def print_dry_run(
    scenario: Scenario, safety: Safety, joints: JointMap, motors: str = "modules", lines: tuple[str, ...] = ()
) -> int:  # fmt: skip
    """Print the commands per motor and every limit that they would exceed; a violation returns exit code 2."""
    from serpenoid.hardware.dry_run import dry_run

    with announced():
        found = dry_run(scenario, safety, joints)
    rates = np.abs(np.diff(found.sent, axis=0)) / scenario.control_period
    rows = [
        [joint, module, found.sent[:, j].min(), found.sent[:, j].max(), rates[:, j].max(),
         np.abs(found.run["joint_torque"][:, j]).max()]
        for j, (joint, module) in enumerate(zip(scenario.parts().robot.joint_names, joints.names))
    ]  # fmt: skip
    say(
        table(
            rows,
            ["joint", motors.removesuffix("s"), "min [rad]", "max [rad]", "rate [rad/s]", "torque, simulated [N m]"],
        )
    )
    period = number(1e3 * scenario.control_period, "ms")
    report = [*lines, f"{len(found.sent)} commands to {joints.family}, one every {period}"]
    start, stop = number(found.start_time, "s", 2), number(safety.stop_time, "s")
    report.append(f"soft start of {start} from the simulated start, soft stop of {stop}")
    report += [
        f"  {v.joint}: {v.limit} {number(abs(v.asked), v.unit, 3)} at t = {format_fixed(v.time, 's')}, "
        f"at most {number(abs(v.allowed), digits=3)} ({v.steps} commands)"
        for v in found.violations
    ]
    say(*report)
    say(f"{len(found.violations) or 'no'} limits would be exceeded; nothing was sent")
    return 2 if found.violations else 0


def run_on_motors(
    scenario: Scenario, opened: Callable[[], MotorPlant], output: Output, emulated: bool,
    prepare: Callable[[MotorPlant], None] | None = None,
) -> int:  # fmt: skip
    """Run until the end, a fault or Ctrl-C; the recording is saved in every case."""
    from serpenoid.hardware.dry_run import law_of
    from serpenoid.runtime.loop import run_loop

    with ended_as_interrupted(), announced(), opened() as plant, deferred_interrupts(plant.breaks_off):
        if prepare is not None:
            prepare(plant)
        try:
            with telemetry(plant):
                start = scenario.initial() if emulated else None  # a real robot starts in its current shape
                run = run_loop(
                    plant, law_of(scenario), scenario.duration, initial=start, seed=scenario.seed,
                    attributes={"versions": versions()},
                )  # fmt: skip
        except HardwareFault as fault:
            kept = "" if fault.trajectory is None else output.keep(scenario.label(fault.trajectory))
            place = f"; saved until then: {kept}" if kept else ""
            if isinstance(fault, HardwareStopped):
                complain(f"stopped softly at t = {number(fault.time, 's', 4)} by {fault.reason}{place}")
                return 130
            raise SerpenoidError(f"{fault}{place}") from None
        saved = output.save(scenario.label(run))
    kept = 100.0 * np.mean(np.nan_to_num(run["tick_delay"]) < plant.period)
    length, period = number(scenario.duration, "s"), number(1e3 * plant.period, "ms")
    say(f"{length}; {format_fixed(kept, '%')} of commands left within their period of {period}")
    say(f"saved: {saved}")
    return 0
