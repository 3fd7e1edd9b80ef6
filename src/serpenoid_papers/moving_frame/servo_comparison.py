"""F4, Fig. 4: the built robot, eight yaw joints stepped by constant angles, against the polynomial simulation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.gaits.formation import Formation
from serpenoid.hardware.log_comparison import draw_comparison
from serpenoid.hardware.logs import Recording, write_log
from serpenoid.hardware.servos import Servo, find_servo, plan, respond
from serpenoid.robots import MovingFrameChain
from serpenoid_papers.base import ExperimentConfig, Finding, Progress
from serpenoid_papers.moving_frame.round_trip import Trip, round_trip

SLOWER = (0.5, 0.1, 0.05, 0.03)  # shares of the servo's speed
WIDER = (1.5, 2.0, 3.0, 4.0)  # multiples of its dead band
LATER = (0.01, 0.02, 0.04)  # delays between a pulse and the motion [s]


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration of the experiment."""

    robot: MovingFrameChain = MovingFrameChain(bodies=16)
    """16 modules: eight joints about the vertical, and eight that stay straight"""
    gait: Formation = Formation()
    """the sinusoidal formation"""
    servo: str = "hs422"
    """the type of the robot's servos"""
    step: float = 0.005
    """step of RK4 [s]"""


class Peak(NamedTuple):
    """One turning point of one joint, on the robot and in the simulation."""

    robot_angle: float  # [rad]
    robot_time: float  # [s]
    simulated_angle: float  # [rad]
    simulated_time: float  # [s]


class Result(NamedTuple):
    """The robot's log, the simulation at its times, and all turning points."""

    recording: Recording
    simulated: NDArray  # (samples, joints) [rad]
    peaks: list[Peak]
    others: dict[str, tuple[float, float]]  # largest differences [rad], [s] at the peaks of servos that are worse


def run(config: Config, progress: Progress) -> Result:
    """Run ramps through the servo model and torques through RK4, with the same turning points."""
    servo = find_servo(config.servo)
    trip = round_trip(config.robot, config.gait, config.step)
    times = servo.frame * np.arange(int(trip.times[-1] / servo.frame + 1e-9) + 1)
    waypoints = config.gait.waypoints(config.robot)
    simulated = np.array([np.interp(times, trip.times, angles) for angles in trip.found.T]).T
    angles = ramp_response(servo, config.robot, times, waypoints, 0.0)

    def at(angles: NDArray) -> list[Peak]:
        moving = [joint for joint, points in enumerate(waypoints) if points[0].size > 1]
        return [peak for joint in moving for peak in peaks_of(waypoints[joint][0], times, angles, trip, joint)]

    worse = {f"speed_x_{share:g}": (replace(servo, speed=share * servo.speed), 0.0) for share in SLOWER}
    worse |= {f"dead_band_x_{factor:g}": (replace(servo, dead_band=factor * servo.dead_band), 0.0) for factor in WIDER}
    worse |= {f"delay_{delay:g}_s": (servo, delay) for delay in LATER}
    others = {
        name: differences(at(ramp_response(kind, config.robot, times, waypoints, delay)))
        for name, (kind, delay) in worse.items()
    }
    return Result(Recording(config.robot.joint_names, times, angles), simulated, at(angles), others)


def ramp_response(
    servo: Servo, robot: MovingFrameChain, times: NDArray, waypoints: list[tuple[NDArray, NDArray]], delay: float
) -> NDArray:
    """Return the angles (times, joints) [rad] of servos stepped along linear ramps between waypoints."""
    ramps = np.array([np.interp(times - delay, *points) for points in waypoints]).T
    return respond(servo, plan(servo, robot.joint_names, times, ramps).pulses, np.zeros(robot.joints))


def differences(peaks: list[Peak]) -> tuple[float, float]:
    """Return the largest differences between robot and simulation at the peaks, in angle [rad] and in time [s]."""
    angle = max(abs(peak.robot_angle - peak.simulated_angle) for peak in peaks)
    return angle, max(abs(peak.robot_time - peak.simulated_time) for peak in peaks)


def peaks_of(turns: NDArray, times: NDArray, angles: NDArray, trip: Trip, joint: int) -> list[Peak]:
    """Return the largest angle of both curves between the middles of neighbouring swings."""
    edges = 0.5 * (turns[1:] + turns[:-1])
    found = []
    for low, high in zip(edges, edges[1:]):
        robot_time, robot_angle = largest(times, angles[:, joint], low, high)
        simulated_time, simulated_angle = largest(trip.times, trip.found[:, joint], low, high)
        found.append(Peak(robot_angle, robot_time, simulated_angle, simulated_time))
    return found


def largest(times: NDArray, values: NDArray, low: float, high: float) -> tuple[float, float]:
    """Return time and value of largest magnitude between two times; the middle one of a plateau."""
    inside = np.flatnonzero((times >= low) & (times <= high))
    size = np.abs(values[inside])
    top = inside[np.flatnonzero(size >= size.max() - 1e-9)]
    middle = top[top.size // 2]
    return float(times[middle]), float(values[middle])


def claims(result: Result) -> list[Finding]:
    """Report the finding on F4."""
    angle, time = differences(result.peaks)
    between = float(np.abs(result.recording.angles - result.simulated).max())
    measured = {
        "peaks": len(result.peaks), "angle_difference_rad": angle, "time_difference_s": time,
        "difference_between_peaks_rad": between,
        "worse_servos": {name: [round(value, 4) for value in pair] for name, pair in result.others.items()},
    }  # fmt: skip
    reason = (
        "no log of the built robot is published. The servo model (speed, dead band, 20 ms frames), stepped by "
        "constant angles, replaces it. The simulation uses RK4 under torques by (84). The curves meet at the "
        "turning points and differ between them, as in the paper. Two swings of 0.6 rad instead of 0.35 diverge "
        "under given torques. worse_servos lists the differences [rad, s] with worse servos, of which some would fail"
    )
    return [Finding("F4", measured, reason)]


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot both curves of every joint, and the log itself."""
    write_log(result.recording, folder / "formation_log.csv")
    return [draw_comparison(result.recording, result.simulated, folder / "servo_comparison.png", "servos")]
