"""Real joints: HEBI modules and their twin, hobby servos, logs of both."""

from serpenoid.hardware.hebi import HebiPlant, hebi
from serpenoid.hardware.hebi_twin.faults import Fault
from serpenoid.hardware.joint_map import JointMap
from serpenoid.hardware.logs import Comparison, Recording, compare, read_log, write_log
from serpenoid.hardware.safety import Safety
from serpenoid.hardware.servo_runs import compare_log, plan_scenario
from serpenoid.hardware.servos import SERVOS, Plan, Servo, Violation, find_servo, plan, respond, write_pulses
from serpenoid.hardware.twins import twin

__all__ = [
    "SERVOS", "Comparison", "Fault", "HebiPlant", "JointMap", "Plan", "Recording", "Safety", "Servo", "Violation",
    "compare", "compare_log", "find_servo", "hebi", "plan", "plan_scenario", "read_log", "respond", "twin", "write_log",
    "write_pulses",
]  # fmt: skip
