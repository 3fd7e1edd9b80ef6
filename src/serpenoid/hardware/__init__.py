"""Hardware: HEBI modules and Dynamixel motors, their emulators, hobby servos, logs of all."""

from serpenoid.hardware.dynamixel import dynamixel
from serpenoid.hardware.dynamixel_map import BusSettings, MotorMap, MotorRow
from serpenoid.hardware.emulator import TwinPhysics, twin
from serpenoid.hardware.faults import Fault
from serpenoid.hardware.hebi import hebi
from serpenoid.hardware.joint_map import JointMap
from serpenoid.hardware.log_comparison import LogComparison, compare_log
from serpenoid.hardware.logs import Comparison, Recording, compare, write_log
from serpenoid.hardware.module_logs import ModuleLog, read_log
from serpenoid.hardware.motor_plant import MotorPlant
from serpenoid.hardware.safety import Safety
from serpenoid.hardware.servo_runs import plan_scenario
from serpenoid.hardware.servos import SERVOS, Plan, Servo, Violation, find_servo, plan, respond, write_pulses

__all__ = [
    "SERVOS", "BusSettings", "Comparison", "Fault", "JointMap", "LogComparison", "ModuleLog", "MotorMap", "MotorPlant",
    "MotorRow", "Plan", "Recording", "Safety", "Servo", "TwinPhysics", "Violation", "compare", "compare_log",
    "dynamixel", "find_servo", "hebi", "plan", "plan_scenario", "read_log", "respond", "twin", "write_log",
    "write_pulses",
]  # fmt: skip
