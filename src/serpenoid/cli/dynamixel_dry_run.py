"""`serpenoid dynamixel dry-run`: the commands that would be sent, and their traffic on the bus."""

from __future__ import annotations

from serpenoid.cli.dynamixel_run import PlanOptions, map_for, parsed
from serpenoid.cli.motor_runs import print_dry_run
from serpenoid.cli.printing import number
from serpenoid.hardware.dynamixel_map import check_traffic

TITLE = "serpenoid dynamixel dry-run SCENARIO [--map FILE.toml] [--field value ...]"


def main(words: list[str]) -> int:
    """Print the commands per motor, the limits that they would exceed, and the traffic of a period."""
    found = parsed(words, TITLE, PlanOptions())
    if found is None:
        return 0
    scenario, options = found
    motors = map_for(scenario, options)
    count, period = len(motors.ids), scenario.control_period
    sent = check_traffic(count, motors.bus, period)
    line = (
        f"bus: {sent.request} + {sent.answers} bytes to read {count} motors, {sent.command} bytes to command them: "
        f"{number(1e3 * sent.time, 'ms')} of {number(1e3 * period, 'ms')} at {motors.bus.baud_rate} baud"
    )
    return print_dry_run(scenario, options.safety, motors.joints, "motors", (line,))
