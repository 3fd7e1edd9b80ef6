"""G1 and G2: sliding on a slope, creep and bending between three pegs by formula, and the free chain against MuJoCo."""

from __future__ import annotations

from dataclasses import dataclass
from math import atan, cos, sin, sqrt
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from serpenoid.control import OpenLoop
from serpenoid.engines.base import Initial
from serpenoid.gaits import Serpenoid
from serpenoid.kernels.constants import STANDARD_GRAVITY
from serpenoid.robots import PD, PlanarSnake
from serpenoid.robots.export import mujoco_model
from serpenoid.simulation import simulate
from serpenoid.trajectory import Trajectory
from serpenoid.worlds import PegBoard
from serpenoid.worlds.peg_board import PegTouch
from serpenoid_papers.base import ExperimentConfig, Finding, Progress

SNAKE = PlanarSnake(links=6, link_length=0.13, link_mass=0.4, joint_damping=0.0, drive=PD(20.0, 0.3, 5.0))
LOOSE = PlanarSnake(links=6, link_length=0.13, link_mass=0.4, joint_damping=0.0, drive=PD(0.0, 0.0, 5.0))
ORIGIN = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
FRICTION = 0.3


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration of the experiment."""

    steps: tuple[float, ...] = (0.001, 0.0001)
    """integration steps on the slope [s]"""
    tilts: tuple[float, ...] = (0.35, 0.5)
    """slopes of the board [rad]"""
    duration: float = 5.0
    """duration of the free chain's run [s]"""


class Result(NamedTuple):
    """Relative errors."""

    tilt: dict[str, float]  # error of the travel, by slope and step
    creep: float  # error of the speed
    bending: float  # error of the angle
    bending_forces: float  # largest error of the four contact forces
    energy: float  # energy of the free chain after the run minus MuJoCo's, over the initial energy; NaN without MuJoCo


def run(config: Config, progress: Progress) -> Result:
    """Compute all errors."""
    tilt = {
        f"{angle:g} rad, {1e3 * step:g} ms": tilt_error(angle, step) for angle in config.tilts for step in config.steps
    }
    return Result(tilt, creep_error(), *bending_errors(), energy_difference(config.duration))


def pegs(robot: PlanarSnake, world: PegBoard, controller: Any, duration: float, **changed: Any) -> Trajectory:
    """Run a snake from the origin."""
    start = changed.pop("initial", Initial(base_pose=ORIGIN))
    return simulate(robot, world, controller, duration, initial=start, engine="pegs", **changed)


def tilt_error(tilt: float, step: float) -> float:
    """Compare with s = (g sin - mu g cos) t^2 / 2 after 1 s: friction depends neither on speed nor on the step."""
    run = pegs(SNAKE, PegBoard(density=0.0, tilt=tilt, friction=FRICTION), None, 1.0, step=step)
    wanted = 0.5 * STANDARD_GRAVITY * (sin(tilt) - FRICTION * cos(tilt))
    return float(run["center_of_mass"][-1, 0] - run["center_of_mass"][0, 0]) / wanted - 1.0


def creep_error() -> float:
    """Compare with v / sqrt(v^2 + eps^2) = 1/2, v = eps / sqrt(3), if the slope needs half of the friction."""
    world = PegBoard(density=0.0, tilt=atan(0.5 * FRICTION), friction=FRICTION)
    run = pegs(SNAKE, world, None, 1.0)
    return float(run["center_velocity"][-1, 0]) / (world.touch.floor_smoothing / sqrt(3.0)) - 1.0


def bending_errors() -> tuple[float, float]:
    """Press two links by their joint's spring k against a peg at the joint and one on each arm, a from the joint.

    Balance of an arm: F a = k (target - q). The joint's peg takes F from each capsule, so all four springs yield by F /
    K, and a q / 2 = 2 F / K. This gives q = 4 k target / (K a^2 + 4 k). Rigid pegs would give q = 0.
    """
    length, spring, target, arm, contact = 0.2, 5.0, 0.1, 0.15, 1e5
    robot = PlanarSnake(links=2, link_length=length, link_mass=0.3, radius=0.02, drive=PD(spring, 0.5, 50.0))
    away = robot.radius + 0.015
    places = ((length - arm, -away), (length, away), (length + arm, -away))
    world = PegBoard(layout="list", places=places, friction=0.0, peg_friction=0.5, touch=PegTouch(contact))
    run = pegs(robot, world, OpenLoop(Serpenoid(amplitude=0.0, frequency=1.0, offset=-target)), 1.0)
    bend = 4.0 * spring * target / (contact * arm**2 + 4.0 * spring)
    force = np.linalg.norm(run["touch_force"][-1], axis=-1)
    force, wanted = force[~np.isnan(force)], spring * (target - bend) / arm
    off = float(np.abs(force / wanted - 1.0).max()) if force.size == 4 else float("inf")
    return float(-run["joint_position"][-1, 0]) / bend - 1.0, off


def energy_difference(duration: float) -> float:
    """Compare the energies without friction and drives, for the same semi-implicit steps of 1 ms."""
    rng = np.random.default_rng(3)
    angles, rates = rng.uniform(-0.6, 0.6, 5), rng.uniform(-3.0, 3.0, 5)
    start = Initial(tuple(angles.tolist()), tuple(rates.tolist()), ORIGIN)
    run = pegs(LOOSE, PegBoard(density=0.0, friction=0.0), None, duration, initial=start)
    try:
        import mujoco
    except ImportError:
        return float("nan")
    model = mujoco_model(LOOSE, 0.001, "implicitfast")
    data = mujoco.MjData(model)
    data.qpos[3:], data.qvel[3:] = angles, rates
    mujoco.mj_step(model, data, round(duration / 0.001))
    mujoco.mj_forward(model, data)
    mujoco.mj_energyVel(model, data)
    return float((run["energy_kinetic"][-1] - data.energy[1]) / run["energy_kinetic"][0])


def claims(result: Result) -> list[Finding]:
    """Report the findings on G1 and G2."""
    forms = {
        "sliding, largest": max(map(abs, result.tilt.values())), "creep": abs(result.creep),
        "bending": abs(result.bending), "forces of bending": result.bending_forces,
    }  # fmt: skip
    energy = None if np.isnan(result.energy) else {"energy": result.energy}
    return [
        Finding("G1", forms, f"relative errors; sliding by slope and step: {result.tilt}"),
        Finding("G2", energy, "ours minus MuJoCo's after 5 s at 1 ms, over the initial energy"),
    ]


def figure(result: Result, folder: Path) -> list[Path]:
    """Draw nothing, because the result is a few numbers."""
    return []
