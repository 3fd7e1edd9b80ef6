"""Hobby servos: their specifications, pulse plans that follow a motion, and their response."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, at_least, check_fields, from_plain, read_toml
from serpenoid.errors import FileProblem, InvalidValue, UnknownName, require
from serpenoid.support.output_paths import check_file

DEGREE = np.pi / 180.0


@dataclass(frozen=True)
class Servo:
    """A servo whose angle follows the width of its pulse."""

    name: str
    """manufacturer and type"""
    neutral: Annotated[float, above(0.0, usual=(1000.0, 2000.0))]
    """pulse width of the centre position [us]"""
    slope: Annotated[float, above(0.0, usual=(200.0, 1000.0))]
    """change of pulse width per change of angle [us/rad]"""
    least_pulse: Annotated[float, above(0.0, usual=(500.0, 1200.0))]
    """shortest permitted pulse [us]"""
    most_pulse: Annotated[float, above(0.0, usual=(1800.0, 2500.0))]
    """longest permitted pulse [us]"""
    angle_range: Annotated[float, above(0.0, usual=(0.8, 2.4))]
    """largest angle to either side of the centre [rad]"""
    speed: Annotated[float, above(0.0, usual=(2.0, 15.0))]
    """largest angular speed without load [rad/s]"""
    dead_band: Annotated[float, at_least(0.0, usual=(0.0, 20.0))]
    """width of the pulse band around the present one within which it does not move [us]"""
    stall_torque: Annotated[float, above(0.0, usual=(0.1, 3.0))]
    """torque at which it stalls [N m]"""
    frame: Annotated[float, above(0.0, usual=(0.003, 0.025))] = 0.02
    """time between pulses [s]"""

    def __post_init__(self) -> None:
        check_fields(self)
        inside = self.least_pulse < self.neutral < self.most_pulse
        require(inside, "neutral", self.neutral, f"between least_pulse {self.least_pulse} and {self.most_pulse}")

    @property
    def reach(self) -> tuple[float, float]:
        """Lowest and highest angle that both the range and the pulses allow [rad]."""
        low = max(-self.angle_range, (self.least_pulse - self.neutral) / self.slope)
        return low, min(self.angle_range, (self.most_pulse - self.neutral) / self.slope)

    def pulse(self, angle: NDArray) -> NDArray:
        """Return the pulse widths of angles, rounded to whole microseconds [us]."""
        return np.round(self.neutral + self.slope * np.asarray(angle))

    def angle(self, pulse: NDArray) -> NDArray:
        """Return the angles of pulse widths [rad]."""
        return (np.asarray(pulse) - self.neutral) / self.slope


# As commonly specified at 4.8 V without load, not measured here. HS-422: 45 degrees per 400 us, 0.21 s for 60
# degrees, 3.3 kg cm, dead band 8 us. MG90S: 90 degrees per 500 us, 0.1 s for 60 degrees, 1.8 kg cm, dead band 5 us.
SERVOS = {
    "hs422": Servo("Hitec HS-422", 1500.0, 400.0 / (45 * DEGREE), 700.0, 2300.0, 90 * DEGREE,
                   60 * DEGREE / 0.21, 8.0, 3.3 * 0.0980665),
    "mg90s": Servo("TowerPro MG90S", 1500.0, 500.0 / (90 * DEGREE), 1000.0, 2000.0, 90 * DEGREE,
                   60 * DEGREE / 0.10, 5.0, 1.8 * 0.0980665),
}  # fmt: skip


class Violation(NamedTuple):
    """A limit of a servo that a motion exceeds, with its largest excess."""

    joint: str
    limit: str  # range, speed or torque
    asked: float
    allowed: float
    unit: str
    time: float  # [s]
    steps: int  # number of time steps that exceed it

    def __str__(self) -> str:
        return (
            f"{self.joint} exceeds the {self.limit}: needs {abs(self.asked):.3g} {self.unit} at {self.time:.2f} s, "
            f"servo gives {abs(self.allowed):.3g} {self.unit} ({self.steps} time steps)"
        )


class Plan(NamedTuple):
    """Pulses for a row of equal servos, within their limits, and the limits that had to be enforced."""

    servo: Servo
    joints: tuple[str, ...]
    times: NDArray  # (frames,) [s]
    wanted: NDArray  # (frames, joints) [rad]
    pulses: NDArray  # (frames, joints) [us]
    violations: list[Violation]


def find_servo(name: str) -> Servo:
    """Return a servo by its short name, or from a TOML file with the same fields."""
    if name in SERVOS:
        return SERVOS[name]
    if name.endswith(".toml"):
        return from_plain(read_toml(Path(name)), Servo, "servo")
    raise UnknownName("servo", name, [*SERVOS, "a .toml file"])


def plan(servo: Servo, joints: Sequence[str], times: NDArray, angles: NDArray, torques: NDArray | None = None) -> Plan:
    """Plan pulses that follow angles (frames, joints) [rad] as far as range and speed allow; every excess is listed.

    `times` (frames,) are one servo frame apart; torques (frames, joints) [N m] are only compared with the stall
    torque.
    """
    low, high = servo.reach
    violations = excesses(joints, times, angles, high, low, "range", "rad")
    rates = np.diff(angles, axis=0) / servo.frame
    violations += excesses(joints, times[1:], rates, servo.speed, -servo.speed, "speed", "rad/s")
    if torques is not None:
        violations += excesses(joints, times, torques, servo.stall_torque, -servo.stall_torque, "torque", "N m")
    pulses = np.clip(servo.pulse(limit_angles(servo, angles)), np.ceil(servo.least_pulse), np.floor(servo.most_pulse))
    return Plan(servo, tuple(joints), times, angles, pulses, violations)


def limit_angles(servo: Servo, angles: NDArray) -> NDArray:
    """Limit angles to the reach and their change to the servo's speed.

    The speed per frame is reduced by one microsecond, because pulses are rounded to whole microseconds afterwards.
    """
    low, high = servo.reach
    followed = np.clip(angles, low, high)
    most = max(servo.speed * servo.frame - 1.0 / servo.slope, 0.0)
    for i in range(1, len(followed)):
        followed[i] = followed[i - 1] + np.clip(followed[i] - followed[i - 1], -most, most)
    return followed


def excesses(
    joints: Sequence[str], times: NDArray, asked: NDArray, high: float, low: float, limit: str, unit: str
) -> list[Violation]:
    """Return the largest violation of each joint that leaves low..high."""
    found = []
    over = np.maximum(asked - high, low - asked)
    for joint in np.flatnonzero((over > 1e-9).any(axis=0)):
        worst = int(np.argmax(over[:, joint]))
        value = float(asked[worst, joint])
        allowed, steps = (high if value > high else low), int((over[:, joint] > 1e-9).sum())
        found.append(Violation(joints[int(joint)], limit, value, allowed, unit, float(times[worst]), steps))
    return found


def respond(servo: Servo, pulses: NDArray, start: NDArray) -> NDArray:
    """Return angles (frames, joints) [rad] at the end of each frame: the servo rotates at its speed until within the
    dead band.

    A pulse that differs from the present angle's by less than half the dead band does not move it.
    """
    position = np.array(start, dtype=float)
    angles = np.empty(pulses.shape)
    play = 0.5 * servo.dead_band / servo.slope
    for i, target in enumerate(servo.angle(pulses)):
        error = target - position
        step = np.clip(np.abs(error) - play, 0.0, servo.speed * servo.frame)
        position = position + np.sign(error) * step
        angles[i] = position
    return angles


def check_pulses(path: Path) -> None:
    """Raise FileProblem if a file cannot be written or is not an earlier table of pulses."""
    check_file(path)
    if not path.is_file():
        return
    try:
        with path.open(newline="", encoding="utf-8", errors="replace") as file:
            names = next(csv.reader(file), [])
    except (OSError, csv.Error):
        names = []
    if names[:1] != ["time_s"] or not all(name.endswith("_us") for name in names[1:]):
        raise FileProblem(path, "exists and is not a table of pulses; choose another --out")


def write_pulses(plan: Plan, path: Path) -> None:
    """Write a table with the time [s] and each joint's pulse [us]."""
    try:
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["time_s", *(f"{joint}_us" for joint in plan.joints)])
            for time, row in zip(plan.times, plan.pulses):
                writer.writerow([f"{time:.3f}", *(f"{pulse:.0f}" for pulse in row)])
    except OSError as error:
        raise FileProblem(path, f"cannot be written ({error.strerror})") from None


def refuse_range(plan: Plan) -> None:
    """Raise InvalidValue if a plan leaves the servo's range, naming the joint with the largest excess."""
    found = [violation for violation in plan.violations if violation.limit == "range"]
    if found:
        worst = max(found, key=lambda violation: abs(violation.asked))
        others = f"; {len(found) - 1} more joints exceed it" if len(found) > 1 else ""
        low, high = plan.servo.reach
        raise InvalidValue(
            f"{worst.joint} at {worst.time:.2f} s", round(worst.asked, 4),
            f"within the range of {plan.servo.name}, {low:.4g} to {high:.4g} rad{others}",
        )  # fmt: skip
