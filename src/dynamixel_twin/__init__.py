"""Emulator of Dynamixel X-series motors: protocol 2.0 on a pseudo-terminal, in front of a simulated robot."""

from dynamixel_twin.simulated_motors import Motor, MotorBench

__all__ = ["Motor", "MotorBench"]
