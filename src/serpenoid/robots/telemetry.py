"""Temperature, voltage and current of a robot's modules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from serpenoid.configuration import above, at_least, between, check_fields


@dataclass(frozen=True)
class Telemetry:
    """Voltage, current and temperature of modules."""

    voltage: Annotated[float, above(0.0, usual=(12.0, 60.0))] = 48.0
    """supply voltage [V]"""
    resting_current: Annotated[float, at_least(0.0, usual=(0.0, 0.2))] = 0.04
    """idle current of a module, without the motor's [A]"""
    ambient: Annotated[float, between(-50.0, 80.0, usual=(10.0, 40.0))] = 25.0
    """ambient temperature, also at the start of a run [deg C]"""
    heating: Annotated[float, at_least(0.0, usual=(0.0, 3.0))] = 1.0
    """steady temperature rise over squared torque [K/(N m)^2]; assumed, not published"""
    warming_time: Annotated[float, above(0.0, usual=(60.0, 2000.0))] = 600.0
    """time constant of the rise [s]; assumed, not published"""

    def __post_init__(self) -> None:
        check_fields(self)
