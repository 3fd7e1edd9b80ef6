"""Benefits of a series spring: shock protection, torque control, and recovered energy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from serpenoid.plotting.style import COLOURS, dressed, labelled, new_figure, write
from serpenoid.robots import Cascade, SeriesElastic
from serpenoid.trajectory import Trajectory
from serpenoid_papers.base import ExperimentConfig, Finding, Progress
from serpenoid_papers.gaits.module_stand import Ask, ModuleStand, StandModule, on_stand, one

HOLDING = SeriesElastic(300.0, 3.0, 7.0, 30.0, 0.05, 0.02)  # a motor that holds its position, in series with a spring
FULL = 7.0  # torque at which energy is stored [N m]


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration of the experiment."""

    springs: tuple[float, ...] = (3000.0, 100.0, 30.0, 10.0)
    """stiffness [N m/rad]"""
    mass: float = 0.5
    """mass that hits the arm [kg]"""
    speed: float = 1.0
    """its speed [m/s]"""
    place: float = 0.1
    """its distance from the axis [m]"""
    ramp: float = 2.0
    """rise and fall time of the load [s]"""

    @classmethod
    def tiny(cls) -> Config:
        return cls(springs=(3000.0, 30.0), ramp=0.2)


class Result(NamedTuple):
    """Results of the experiment."""

    shocks: dict[float, Trajectory]  # by stiffness
    step: Trajectory  # step of 2 N m against a wall
    load: Trajectory  # ramp to 7 N m and back, against a wall
    spring: float  # stiffness in the last two [N m/rad]


def run(config: Config, progress: Progress) -> Result:
    """Run an impact on the arm, and a torque step and a slow load against a wall."""
    progress("gaits: shocks, torque and energy of a spring")
    arm = StandModule(arm=2, load=config.mass, load_place=config.place)
    blow, still = config.mass * config.speed * config.place, (ModuleStand(gravity=0.0), Ask(amplitude=0.0))
    blows = {
        k: on_stand(replace(arm, drive=replace(HOLDING, spring=k)), *still, 0.1, 1e-4, blow) for k in config.springs
    }
    walled, drive = ModuleStand(gravity=0.0, wall=True), Cascade(strategy=2)
    step = on_stand(StandModule(arm=2, drive=drive), walled, Ask(torque=2.0), 0.5)
    pwm = StandModule(arm=2, drive=Cascade(strategy=1))
    load = on_stand(pwm, walled, Ask(torque=FULL, ramp=config.ramp), 3.0 * config.ramp)
    return Result(blows, step, load, drive.spring)


def claims(result: Result) -> list[Finding]:
    """Report the finding on S3."""
    peaks = {k: float(np.abs(one(found, "joint_torque")).max()) for k, found in result.shocks.items()}
    late = one(result.step, "joint_torque")[result.step.times >= 0.2]
    times, ramp = result.load.times, result.load.times[-1] / 3.0
    loaded = int(np.searchsorted(times, 1.9 * ramp))
    stored = FULL**2 / (2.0 * result.spring)
    put_in = result.load["work_drive"][loaded] + result.load["work_damping"][loaded]
    back = -(result.load["work_drive"][-1] - result.load["work_drive"][loaded]) / stored
    measured = {
        "peak_ratio": peaks[30.0] / peaks[3000.0], "torque_error": float(np.abs(late / 2.0 - 1.0).max()),
        "stored_error": abs(float(put_in) / stored - 1.0),
    }  # fmt: skip
    words = (
        f"the mass sticks to the arm; peak torques [N m] by spring {peaks}. {stored:.3g} J by formula, "
        f"{float(put_in):.3g} J supplied by the motor, {float(back):.2g} of it returned to the motor on release"
    )
    return [Finding("S3", measured, words)]


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot the torque after the impact by spring, and the torque step."""
    sheet = new_figure(8.0, 3.2)
    left, right = dressed(sheet.add_subplot(1, 2, 1)), dressed(sheet.add_subplot(1, 2, 2))
    for colour, (k, found) in zip(COLOURS, result.shocks.items()):
        left.plot(1e3 * found.times, one(found, "joint_torque"), color=colour, label=f"{k:g} N m/rad")
    right.plot(result.step.times, one(result.step, "joint_torque"), color=COLOURS[0])
    left.legend(fontsize=8, frameon=False)
    labelled(left, "time [ms]", "torque [N m]", "Impact on the arm")
    labelled(right, "time [s]", "torque [N m]", "A step of 2 N m against a wall")
    return [write(sheet, folder / "springs.png")]
