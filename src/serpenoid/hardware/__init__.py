"""Real joints: hobby servos, their pulses and their logs."""

from serpenoid.hardware.logs import Comparison, Recording, compare, read_log, write_log
from serpenoid.hardware.servo_runs import compare_log, plan_scenario
from serpenoid.hardware.servos import SERVOS, Plan, Servo, Violation, find_servo, plan, respond, write_pulses

__all__ = [
    "SERVOS", "Comparison", "Plan", "Recording", "Servo", "Violation", "compare", "compare_log", "find_servo", "plan",
    "plan_scenario", "read_log", "respond", "write_log", "write_pulses",
]  # fmt: skip
