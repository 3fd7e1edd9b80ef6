"""Hardware: HEBI modules and their emulator, hobby servos, logs of both."""

from serpenoid.hardware.emulator import TwinPhysics, twin
from serpenoid.hardware.faults import Fault
from serpenoid.hardware.hebi import hebi
from serpenoid.hardware.joint_map import JointMap
from serpenoid.hardware.log_comparison import LaidOver, compare_log
from serpenoid.hardware.logs import Comparison, Recording, compare, write_log
from serpenoid.hardware.module_logs import ModuleLog, read_log
from serpenoid.hardware.motor_plant import MotorPlant
from serpenoid.hardware.safety import Safety
from serpenoid.hardware.servo_runs import plan_scenario
from serpenoid.hardware.servos import SERVOS, Plan, Servo, Violation, find_servo, plan, respond, write_pulses

__all__ = [
    "SERVOS", "Comparison", "Fault", "MotorPlant", "JointMap", "LaidOver", "ModuleLog", "Plan", "Recording", "Safety",
    "Servo", "TwinPhysics", "Violation", "compare", "compare_log", "find_servo", "hebi", "plan", "plan_scenario",
    "read_log", "respond", "twin", "write_log", "write_pulses",
]  # fmt: skip
