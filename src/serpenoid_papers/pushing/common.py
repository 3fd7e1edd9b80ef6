"""Definitions shared by the experiments on pushing: the paper's robot, its scenarios, grids and large survey."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Self

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.push.constraints import Operators, operators
from serpenoid.mechanics.slippage import PushSurvey, prepare_push, push_survey
from serpenoid.robots import PD, PlanarSnake
from serpenoid.worlds.pushing import PushedObject, Wheels
from serpenoid_papers.base import ExperimentConfig

KAPPA = 100.0  # mass of the object over that of a link
WHEELS = {1: Wheels("none"), 2: Wheels("friction", friction=0.1), 3: Wheels("ideal")}  # by scenario
NAMES = {1: "no wheels", 2: "wheels with friction", 3: "ideal wheels"}
EXAMPLE = np.radians([-135.0, -135.0])  # the shape of Fig. 4


@dataclass(frozen=True)
class PairGrid(ExperimentConfig):
    """Configuration of an experiment over all shapes with two joints."""

    spacing: float = 10.0
    """spacing of the joint angles [deg]; 10 gives 784 shapes"""

    @classmethod
    def quick(cls) -> Self:
        """Use every third angle."""
        return cls(spacing=30.0)

    @classmethod
    def tiny(cls) -> Self:
        """Use right angles only."""
        return cls(spacing=90.0)


def robot(joints: int) -> PlanarSnake:
    """Return the paper's snake (table 1); its first link, the tail, is link 0 here."""
    return PlanarSnake(
        links=joints + 1, link_length=0.15, link_mass=1.0, link_inertia=0.002, joint_damping=0.0,
        drive=PD(torque_limit=10.0),
    )  # fmt: skip


def object_of(kappa: float = KAPPA) -> PushedObject:
    """Return an object of kappa link masses."""
    return PushedObject(mass=kappa * 1.0)


def grid(joints: int, spacing: float) -> NDArray:
    """Return all shapes with joint angles from -135 to 135 deg, (count, joints) [rad]; spacing in degrees."""
    angles = np.radians(np.arange(-135.0, 135.0 + 1e-9, spacing))
    return np.stack(np.meshgrid(*[angles] * joints, indexing="ij"), axis=-1).reshape(-1, joints)


@cache
def large_survey(spacing: float, directions: int, radii: int) -> dict[int, PushSurvey]:
    """Return the survey of all shapes with three joints in the three scenarios; two experiments read it."""
    snake, shapes = robot(3), grid(3, spacing)
    return {
        number: push_survey(snake, shapes, object_of(), wheels=wheels, directions=directions, radii=radii)
        for number, wheels in WHEELS.items()
    }


def operators_of(joints: int, shape: NDArray, scenario: int, kappa: float = KAPPA) -> Operators:
    """Return the linear operators of a shape, for claims about linear responses."""
    push, _ = prepare_push(robot(joints), object_of(kappa), WHEELS[scenario], None)
    return operators(push, 0.0, np.ascontiguousarray(shape), np.zeros(2))
