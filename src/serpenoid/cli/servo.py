"""`serpenoid servo`: pulses for a hobby-servo snake, and a log compared with the simulation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from serpenoid.cli import arguments, compare_log
from serpenoid.cli.compile_progress import announced
from serpenoid.cli.printing import number, say
from serpenoid.errors import UnknownName
from serpenoid.hardware import servos

PLAN = "serpenoid servo plan SCENARIO: write pulse widths per joint and time step for a snake of hobby servos"
MORE = """serpenoid servo plan SCENARIO --help lists --servo, --out, --clip and the fields of the scenario,
serpenoid servo compare --help lists --scenario and --plot"""
COMPARE = (
    "serpenoid servo compare LOG: compare recorded joint angles (CSV: time_s, JOINT_deg ...), and torques (JOINT_Nm) "
    "or currents (JOINT_A) if the log has them, with the simulation"
)


@dataclass(frozen=True)
class PlanOptions:
    """Options of `plan` besides the fields of the scenario."""

    servo: str = "hs422"
    """servo type of every joint: hs422, mg90s, or a TOML file with the fields of Servo"""
    out: str = "pulses.csv"
    """table of pulse widths [us] to write; replaces an earlier table, but no other file"""
    clip: bool = False
    """clip joint angles to the range of the servo instead of refusing them"""


def main(words: list[str]) -> int:
    """Pass the words to plan or compare."""
    actions = {"plan": plan, "compare": compare}
    if not words or words[0] in ("--help", "-h"):
        say("\n".join((PLAN, COMPARE, "", MORE)))
        return 0 if words else 2
    if words[0] not in actions:
        raise UnknownName("servo command", words[0], actions)
    return actions[words[0]](arguments.read(words[1:]))


def plan(given: arguments.Arguments) -> int:
    """Write the pulses and print the clipped joints."""
    own, rest = given.take(["servo", "out", "clip", "help", "h"])
    if given.help and not given.positionals:
        say(arguments.help_text(PLAN, PlanOptions()))
        return 0
    scenario = arguments.named_scenario(given)
    if given.help:
        say(arguments.help_text(PLAN, scenario, PlanOptions()))
        return 0
    options = arguments.applied(PlanOptions(), own)
    servo, out = servos.find_servo(options.servo), Path(options.out)
    scenario = arguments.applied(scenario, rest, options)
    servos.check_pulses(out)
    from serpenoid.hardware.servo_runs import plan_scenario

    with announced():
        found = plan_scenario(scenario, servo)
    if not options.clip:
        servos.refuse_range(found)
    servos.write_pulses(found, out)
    frame = number(servo.frame * 1e3, "ms")
    say(f"{servo.name}: {found.times.size} time steps of {frame} for {len(found.joints)} joints")
    for violation in found.violations:
        say(f"  {violation}")
    say(f"{len(found.violations) or 'no'} violations; pulses stay within range and speed\nsaved: {out}")
    return 0


def compare(given: arguments.Arguments) -> int:
    """Compare the log with the scenario."""
    return compare_log.compare(given, COMPARE, compare_log.Options("cobra"))
