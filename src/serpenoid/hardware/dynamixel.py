"""Dynamixel X-series motors on a serial port, through the manufacturer's SDK."""

from __future__ import annotations

from pathlib import Path

from serpenoid.hardware.clock import RealClock
from serpenoid.hardware.dynamixel_bus import DynamixelBus
from serpenoid.hardware.dynamixel_map import MotorMap, check_traffic
from serpenoid.hardware.dynamixel_port import PacketPort
from serpenoid.hardware.motor_plant import MotorPlant
from serpenoid.hardware.safety import Safety
from serpenoid.robots.base import Robot

# Limits for motors of 12 V. Those of 5 V need a lower voltage, and may have a higher one of 24 V.
X_SERIES_SAFETY = Safety(most_temperature=70.0, least_voltage=9.5, most_torque=3.0)


def dynamixel(
    motors: MotorMap | str | Path, robot: Robot, *, period: float = 0.01, safety: Safety | None = None
) -> MotorPlant:
    """Connect to the motors of a map (TOML); `period` [s] is that of commands.

    with sp.hardware.dynamixel("snake.toml", robot) as plant:
        run = sp.run_loop(plant, controller, 60.0)
    """
    found = motors if isinstance(motors, MotorMap) else MotorMap.read(Path(motors), robot)
    check_traffic(len(found.ids), found.bus, period)
    safety, clock = safety or X_SERIES_SAFETY, RealClock()
    port = PacketPort(found.bus, clock)
    try:
        return MotorPlant(DynamixelBus(port, found, clock, safety), robot, found.joints, period, safety)
    except BaseException:
        port.close()
        raise
