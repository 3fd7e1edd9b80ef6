"""Temperature, voltage and current of a robot's modules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from serpenoid.configuration import above, at_least, between, check_fields


@dataclass(frozen=True)
class Telemetry:
    """Telemetry of modules beside their motion: voltage, current, temperature."""

    voltage: Annotated[float, above(0.0, usual=(12.0, 60.0))] = 48.0
    """of the supply [V]"""
    resting_current: Annotated[float, at_least(0.0, usual=(0.0, 0.2))] = 0.04
    """of a module that does nothing; work of the motor comes on top [A]"""
    ambient: Annotated[float, between(-50.0, 80.0, usual=(10.0, 40.0))] = 25.0
    """temperature of the surroundings, at which a run starts [deg C]"""
    heating: Annotated[float, at_least(0.0, usual=(0.0, 3.0))] = 1.0
    """rise of temperature that a lasting torque of 1 N m leads to, with its square [K/(N m)^2]; not printed anywhere"""
    warming_time: Annotated[float, above(0.0, usual=(60.0, 2000.0))] = 600.0
    """in which the rise comes to within 1/e of that [s]; not printed anywhere"""

    def __post_init__(self) -> None:
        check_fields(self)
