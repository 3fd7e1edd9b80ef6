"""Test stand of a single module: fixed housing, an arm on its output that is free, loaded, or against a wall."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import NDArray

from serpenoid import simulate
from serpenoid.control.base import Command, Controller, Observation
from serpenoid.engines.base import Initial
from serpenoid.kernels.records import Tree
from serpenoid.robots import Cascade, SeaSnake
from serpenoid.robots.base import TreeRobot
from serpenoid.robots.drives import Drive
from serpenoid.robots.sensors import Sensors
from serpenoid.robots.telemetry import Telemetry
from serpenoid.runtime.events import PUSH, Event
from serpenoid.trajectory import Trajectory
from serpenoid.worlds import Box, ContactWorld, Shape

SNAKE = SeaSnake()
BLOW_STEPS = 5  # steps over which an impact acts
HELD = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class StandModule(TreeRobot):
    """A module with fixed housing; an arm of modules is attached to its output and swings about y."""

    arm: int = 1
    """number of modules of the rigid arm"""
    load: float = 0.0
    """mass attached to the arm [kg]"""
    load_place: float = 0.1
    """distance of that mass from the axis [m]"""
    drive: Drive = Cascade()
    """the drive"""
    telemetry: Telemetry = Telemetry()
    """current of the module"""
    sensors: Sensors = Sensors()
    """sensors of the controller"""
    module_radius: float = SNAKE.module_radius
    """[m]"""

    @property
    def joints(self) -> int:
        return 1

    @property
    def joint_names(self) -> tuple[str, ...]:
        return ("output",)

    @property
    def link_names(self) -> tuple[str, ...]:
        return ("housing", "arm")

    @property
    def length(self) -> float:  # type: ignore[override]
        """Length of the arm [m]."""
        return self.arm * SNAKE.module_length

    @property
    def inertia(self) -> float:
        """Inertia of the arm and its load about the axis [kg m^2]."""
        mass = self.arm * SNAKE.module_mass
        return mass * (self.length**2 / 3.0 + self.module_radius**2 / 4.0) + self.load * self.load_place**2

    def tree(self) -> Tree:
        """Return the tree of housing and arm."""
        own, parts = self.arm * SNAKE.module_mass, np.array([0.5 * self.length, self.load_place])
        mass = np.array([own, self.load])
        center = float(mass @ parts / mass.sum())
        across = self.inertia - mass.sum() * center**2
        arm = np.diag([across, across, 0.5 * own * self.module_radius**2])
        housing = 1e-4 * np.eye(3)
        return Tree(
            np.array([-1, 0]), np.tile(np.eye(3), (2, 1, 1)), np.zeros((2, 3)), np.tile((0.0, 1.0, 0.0), (2, 1)),
            np.array([SNAKE.module_mass, mass.sum()]), np.array([(0.0, 0.0, 0.03), (0.0, 0.0, -center)]),
            np.array([housing, arm]), True, np.zeros((1, 2)),
        )  # fmt: skip


@dataclass(frozen=True)
class ModuleStand(ContactWorld):
    """Fixture of the module, with or without gravity, with or without a wall beside the arm."""

    wall: bool = False
    """whether a wall blocks the hanging arm"""

    def geometry(self) -> tuple[Shape, ...]:
        face = -SNAKE.module_radius
        return (Box((face - 0.1, 0.0, -0.3), (0.2, 1.0, 0.6)),) if self.wall else ()


@dataclass(frozen=True)
class Ask(Controller):
    """Command of an angle and a torque as functions of time."""

    torque: float = nan
    """torque at the end of the ramp [N m]; NaN for no torque command"""
    ramp: float = 0.0
    """rise time of the torque, equal to its hold and fall times [s]; 0 for a step that stays"""
    amplitude: float = nan
    """amplitude of the angle's sine [rad]; NaN for no angle command"""
    frequency: float = 0.5
    """frequency of the sine [Hz]"""

    def start(self, robot: object, period: float, rng: np.random.Generator) -> AskLaw:
        return AskLaw(self)

    def at(self, time: float) -> tuple[float, float, float]:
        """Return angle [rad], rate [rad/s] and torque [N m] at a time."""
        turn = 2.0 * np.pi * self.frequency
        share = np.interp(time / self.ramp, (0.0, 1.0, 2.0, 3.0), (0.0, 1.0, 1.0, 0.0)) if self.ramp > 0.0 else 1.0
        angle, rate = self.amplitude * np.sin(turn * time), self.amplitude * turn * np.cos(turn * time)
        return float(angle), float(rate), float(share) * self.torque


class AskLaw:
    """Control law that commands it at every tick."""

    def __init__(self, asked: Ask):
        self.asked = asked

    def __call__(self, observation: Observation) -> Command:
        angle, rate, torque = (np.array([value]) for value in self.asked.at(observation.time))
        return Command(angle, rate, np.full(1, nan), torque)


def on_stand(
    robot: StandModule,
    world: ModuleStand,
    asked: Ask,
    duration: float,
    step: float = 0.001,
    blow: float = 0.0,
) -> Trajectory:
    """Run the module from rest and sample every step; `blow` is an initial impulse on the arm [N m s]."""
    initial = Initial(joint_position=(0.0,), base_pose=HELD)
    moment = blow / (BLOW_STEPS * step)
    pushes = (Event(0, f"{PUSH}.1", (0.0, 0.0, 0.0, 0.0, moment, 0.0)), Event(BLOW_STEPS, f"{PUSH}.1", (0.0,) * 6))
    return simulate(
        robot, world, asked, duration, initial=initial, step=step, control_period=step, sample_period=step,
        script=pushes if blow else (),
    )  # fmt: skip


def one(run: Trajectory, name: str) -> NDArray:
    """Return a series of the module's only joint (samples,)."""
    return run[name][:, 0]
