"""Module of the SEA snake: its dimensions, its limits, and the torque that its spring senses."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from serpenoid import analysis, simulate, stream
from serpenoid.gaits import Sidewinding
from serpenoid.plotting.style import COLOURS, dressed, labelled, new_figure, write
from serpenoid.robots import PD, Cascade, SeaSnake, SeriesElastic
from serpenoid.runtime.samples import log_of
from serpenoid.trajectory import Trajectory
from serpenoid.worlds import Floor
from serpenoid_papers.base import ExperimentConfig, Finding, Progress
from serpenoid_papers.gaits.module_stand import Ask, ModuleStand, StandModule, on_stand, one

TABLE_MASS, TABLE_LENGTH = 3.657, 1.174  # of 16 modules, Table 2.1 [kg, m]
BITS = 14  # resolution of an encoder
SPRING = 30.0  # [N m/rad]
DIRECT = PD(SPRING, 0.3, 7.0)  # the spring as the gain of an ideal motor
# a motor that follows closely, in series with the same spring
TWO_MASS = SeriesElastic(300.0, 3.0, 7.0, SPRING, 0.3, 0.02)
UNDAMPED = Cascade(spring_damping=0.0)  # its torque is the spring's deflection alone


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration of the experiment."""

    duration: float = 20.0
    """duration of sidewinding [s]"""
    settle: float = 5.0
    """initial transient excluded from averages [s]"""
    springs: tuple[float, ...] = (SPRING, 10.0, 100.0)
    """spring stiffnesses of both drive models [N m/rad]; the first decides"""

    @classmethod
    def quick(cls) -> Config:
        return cls(duration=10.0, settle=2.0)

    @classmethod
    def tiny(cls) -> Config:
        return cls(duration=0.2, settle=0.1, springs=(SPRING, 10.0))


class Result(NamedTuple):
    """Results of the experiment."""

    stalled: Trajectory  # stalled against a wall at full voltage
    free: Trajectory  # without load at full voltage
    torques: dict[float, tuple[float, float]]  # rms torque of both drive models in sidewinding by spring [N m]
    identity: float  # spring x deflection against the solver's torque, relative to the largest


def run(config: Config, progress: Progress) -> Result:
    """Run a module at full voltage, stalled and free; run sidewinding with both drive models."""
    progress("gaits: one module at its limits")
    module, full = StandModule(drive=Cascade(strategy=1)), Ask(torque=7.0)
    stalled = on_stand(module, ModuleStand(gravity=0.0, wall=True), full, 1.0)
    free = on_stand(module, ModuleStand(gravity=0.0), full, 1.0)
    progress("gaits: the torque that springs sense")
    torques = {}
    for k in config.springs:
        drives = replace(DIRECT, stiffness=k), replace(TWO_MASS, stiffness=max(300.0, 10.0 * k), spring=k)
        torques[k] = rms_torque(drives[0], config), rms_torque(drives[1], config)
    return Result(stalled, free, torques, sensed_identity(min(config.duration, 5.0)))


def sensed_identity(duration: float) -> float:
    """Return the largest difference between spring x deflection and the torque in a run, over the largest torque."""
    samples = stream(SeaSnake(drive=UNDAMPED), Floor(), Sidewinding(), duration, sample_period=0.05)
    moments = [sample.engine.variables(log_of([sample])) for sample in samples]
    angle, motor, torque = (
        np.concatenate([moment[name] for moment in moments])
        for name in ("joint_position", "motor_position", "joint_torque")
    )
    return float(np.abs(UNDAMPED.spring * (motor - angle) - torque).max() / np.abs(torque).max())


def rms_torque(drive: PD | SeriesElastic, config: Config) -> float:
    """Return the rms torque of all joints in sidewinding [N m]."""
    found = simulate(SeaSnake(drive=drive), Floor(), Sidewinding(), config.duration, sample_period=0.02)
    chosen = analysis.stretch(found.times, config.settle)
    return analysis.torque_rms(found.times[chosen], found["joint_torque_squared"][chosen])


def claims(result: Result) -> list[Finding]:
    """Report the findings on S1 and S2."""
    snake = SeaSnake(modules=16)
    current = max(float(found["current"].max()) for found in (result.stalled, result.free))
    limits = {
        "mass_error": abs(snake.mass / TABLE_MASS - 1.0), "length_error": abs(snake.length / TABLE_LENGTH - 1.0),
        "stall_torque": float(one(result.stalled, "joint_torque")[-1]),
        "top_speed": float(one(result.free, "joint_velocity")[-1]), "greatest_current": current,
    }  # fmt: skip
    direct, two = next(iter(result.torques.values()))
    others = ", ".join(f"{k:g} N m/rad {b / a - 1.0:+.1%}" for k, (a, b) in result.torques.items())
    sensed = {"identity": result.identity, "fidelity_difference": abs(two / direct - 1.0)}
    bit = 2.0 * np.pi / 2**BITS
    words = (
        f"rms torque direct {direct:.3g}, two-mass {two:.3g} N m; two-mass relative to direct at {others}. Identity "
        f"measured without a damper parallel to the spring. An encoder of {BITS} bits resolves "
        f"{UNDAMPED.spring * bit:.3g} N m at {UNDAMPED.spring:g} N m/rad"
    )
    power = "0.04 A + P / 48 V at full voltage; the motor never has stall torque and top speed at the same time"
    return [Finding("S1", limits, power), Finding("S2", sensed, words)]


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot the torque of the stalled module and the rate of the free one."""
    sheet = new_figure(8.0, 3.2)
    for i, (found, name, label) in enumerate(
        ((result.stalled, "joint_torque", "torque [N m]"), (result.free, "joint_velocity", "rate [rad/s]"))
    ):
        axes = dressed(sheet.add_subplot(1, 2, i + 1))
        axes.plot(found.times, one(found, name), color=COLOURS[i])
        labelled(axes, "time [s]", label, ("Full voltage against a wall", "Full voltage, no load")[i])
    return [write(sheet, folder / "module.png")]
