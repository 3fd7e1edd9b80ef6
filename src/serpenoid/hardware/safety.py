"""Safety limits of real joints: limits of commands and of feedback."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, at_least, between, check_fields
from serpenoid.control.base import Command
from serpenoid.robots.base import Robot
from serpenoid.robots.cascade import TOP_SPEED

ROUNDING = 1e-6  # fraction by which rounding may exceed a limit


@dataclass(frozen=True)
class Safety:
    """Limits beyond which a run ends in a hold, and the soft start and stop."""

    start_rate: Annotated[float, above(0.0, usual=(0.1, 1.0))] = 0.5
    """joint rate of the soft start to a law's first targets [rad/s]"""
    stop_time: Annotated[float, between(0.0, 60.0, usual=(0.1, 2.0))] = 0.5
    """duration of the soft stop at the end [s]"""
    lifetime: Annotated[float, between(0.0, 65.0, usual=(0.1, 1.0))] = 0.25
    """time for which motors act on a command; then HEBI modules go limp and X-series motors stop [s]"""
    late_periods: Annotated[float, between(1.1, 100.0, usual=(2.0, 5.0))] = 2.25
    """periods without feedback, or without a command of the law, after which joints are held [-]"""
    most_temperature: Annotated[float, between(0.0, 200.0, usual=(60.0, 110.0))] = 85.0
    """largest motor temperature [deg C]"""
    least_voltage: Annotated[float, at_least(0.0, usual=(15.0, 45.0))] = 36.0
    """lowest supply voltage [V]; 48 V is usual"""
    most_torque: Annotated[float, above(0.0, usual=(1.0, 10.0))] = 7.0
    """largest torque that may be commanded [N m]"""
    most_speed: Annotated[float, above(0.0, usual=(0.5, 5.0))] = TOP_SPEED
    """largest rate that may be commanded, directly or as the difference of two commands [rad/s]"""
    most_angle: Annotated[float, above(0.0, usual=(0.5, 1.6))] = np.pi / 2
    """largest angle that may be commanded, if the robot does not define one [rad]"""
    most_lag: Annotated[float, above(0.0, usual=(0.3, 1.5))] = 0.5
    """largest difference between commanded and measured angle; beyond it the joint has stalled [rad]"""
    clock_jump: Annotated[float, above(0.0, usual=(0.1, 2.0))] = 0.5
    """largest jump of the modules' time against the machine's [s]"""

    def __post_init__(self) -> None:
        check_fields(self)

    def angles(self, robot: Robot) -> NDArray:
        """Return the largest angle of each joint (joints,) [rad]."""
        limits = robot.joint_range
        own = np.full(robot.joints, np.inf) if limits is None else np.abs(limits).min(axis=1)
        return np.where(np.isfinite(own), own, self.most_angle)

    def refused(
        self, command: Command, sent: Command | None, measured: NDArray, period: float, robot: Robot
    ) -> str | None:  # fmt: skip
        """Return why a command must not be sent after the previous one; None if it may.

        A joint without a previous target jumps from its measured angle [rad].
        """
        if sent is not None:
            for part, new, old in zip(Command._fields[:2], command, sent):
                gone = np.isnan(new) & ~np.isnan(old)
                if gone.any():
                    return f"commanded {part} of {robot.joint_names[int(np.argmax(gone))]} is NaN"
        reach = self.angles(robot)
        rows: list[tuple[str, NDArray, Any, str]] = [
            ("angle", command.position, reach, "rad"), ("rate", command.velocity, self.most_speed, "rad/s"),
            ("torque", command.torque, self.most_torque, "N m"),
        ]  # fmt: skip
        if sent is not None:
            before = np.where(np.isnan(sent.position), measured, sent.position)
            rows.append(("jump", command.position - before, self.most_speed * period, "rad"))
        for what, value, limit, unit in rows:
            excess = np.abs(value) - limit * (1.0 + ROUNDING)
            if (excess > 0.0).any():  # NaN is not commanded and exceeds nothing
                joint = int(np.nanargmax(excess))
                most = float(np.broadcast_to(limit, value.shape)[joint])
                name = robot.joint_names[joint]
                return f"commanded {what} of {name} is {value[joint]:.4g} {unit}, at most {most:.4g}"
        return None

    def alarming(self, heat: NDArray, voltage: NDArray, lag: NDArray, motors: tuple[str, ...]) -> str | None:
        """Return why feedback must end the run; None if all is well. NaN is unknown."""
        checks = [
            (heat - self.most_temperature, "{} is too hot: {:.4g} deg C, at most {:.4g}", heat,
             self.most_temperature),
            (self.least_voltage - voltage, "voltage of {} is low: {:.4g} V, at least {:.4g}", voltage,
             self.least_voltage),
            (np.abs(lag) - self.most_lag, "{} stalls: {:.4g} rad from its target, at most {:.4g}", lag,
             self.most_lag),
        ]  # fmt: skip
        for excess, words, values, limit in checks:
            if (excess > 0.0).any():
                worst = int(np.nanargmax(excess))
                return words.format(motors[worst], float(values[worst]), limit)
        return None
