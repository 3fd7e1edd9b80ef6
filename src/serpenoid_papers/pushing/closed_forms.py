"""P10: scenario 3 against the closed forms (22)-(29), and scenario 2 at the limits of its friction."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.mechanics.slippage import PushResponse, pushing
from serpenoid.worlds.pushing import Wheels
from serpenoid_papers.base import ExperimentConfig, Finding, Progress
from serpenoid_papers.pushing.common import KAPPA, WHEELS, object_of, robot


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration of the experiment."""

    cases: int = 200
    """random shapes, torques and wrenches on the object"""
    joints: tuple[int, ...] = (2, 3, 5)
    """numbers of joints"""
    seed: int = 6
    """seed of the cases"""

    @classmethod
    def quick(cls) -> Config:
        """Use fewer cases."""
        return cls(cases=40)

    @classmethod
    def tiny(cls) -> Config:
        """Use a few cases."""
        return cls(cases=10)


class Result(NamedTuple):
    """Largest relative differences."""

    cases: int
    closed_form: float
    no_friction: float
    endless_friction: float


def run(config: Config, progress: Progress) -> Result:
    """Compare random cases for each number of joints."""
    rng = np.random.default_rng(config.seed)
    worst = np.zeros(3)
    for joints in config.joints:
        snake, thing = robot(joints), object_of()
        for _ in range(config.cases):
            shape, torque = rng.uniform(-2.3, 2.3, joints), rng.uniform(-0.2, 0.2, joints)
            wrench = np.append(rng.uniform(-0.2, 0.2, 2), 0.0)
            respond = partial(pushing, snake, shape, thing, torque, wrench=wrench.tolist())
            ideal, none = respond(wheels=WHEELS[3]), respond(wheels=WHEELS[1])
            if ideal.contact_holds:
                worst[0] = max(worst[0], form_difference(shape, torque, wrench, ideal))
            worst[1] = max(worst[1], difference(respond(wheels=Wheels("friction", friction=0.0)), none))
            worst[2] = max(worst[2], difference(respond(wheels=Wheels("friction", friction=1e9)), ideal))
    return Result(config.cases * len(config.joints), *worst.tolist())


def difference(found: PushResponse, expected: PushResponse) -> float:
    """Return the relative difference of accelerations of robot and object."""
    return max(relative(found.acceleration, expected.acceleration),
               relative(found.object_acceleration, expected.object_acceleration))  # fmt: skip


def relative(found: NDArray, expected: NDArray) -> float:
    """Return the largest difference over the largest value."""
    return float(np.abs(found - expected).max() / max(np.abs(expected).max(), 1e-300))


def form_difference(shape: NDArray, torque: NDArray, wrench: NDArray, found: PushResponse) -> float:
    """Return the relative difference of the response and its norms from (20)-(29), in the paper's coordinates."""
    M, B, J, G = matrices(shape)
    inverse = np.linalg.inv(M)
    Gc = np.linalg.inv(J @ inverse @ J.T + G.T @ G / KAPPA)
    one, push = np.eye(len(M)), wrench[:2]
    qdd = inverse @ (one - J.T @ Gc @ J @ inverse) @ B @ torque + inverse @ J.T @ Gc @ G.T @ push / KAPPA  # (22), (23)
    body = G @ Gc @ J @ inverse @ B @ torque / KAPPA + (np.eye(2) - G @ Gc @ G.T / KAPPA) @ push / KAPPA  # (24), (25)
    return max(
        relative(found.acceleration[2:], qdd[2:]),
        relative(found.object_acceleration[:2], body),
        relative(found.robot_norm, qdd @ M @ qdd),  # (26) with all its terms
        relative(found.object_norm, KAPPA * body @ body),  # (27)
    )


def matrices(shape: NDArray) -> tuple[NDArray, NDArray, NDArray, NDArray]:
    """Return Ms, B, J_s and G of the paper's snake for unit mass and with all wheels.

    Coordinates are (x, y) of its free end, heading, joints.
    """
    n, length, inertia = shape.size + 1, 0.15, 0.002
    angles = np.concatenate([[0.0], np.cumsum(shape)])
    sums = np.tril(np.ones((n, n)))
    across = np.stack([-np.sin(angles), np.cos(angles)], axis=1)
    M, J = np.zeros((n + 2, n + 2)), np.zeros((n, n + 2))
    for link in range(n):
        point = np.zeros((2, n + 2))
        point[:, :2] = np.eye(2)
        for k in range(link + 1):
            point[:, 2:] += np.outer(across[k], sums[k]) * (length if k < link else 0.5 * length)
        M += point.T @ point
        M[2:, 2:] += inertia * np.outer(sums[link], sums[link])
        J[link] = across[link] @ point
    G = np.zeros((2, n))
    G[:, 0] = across[0]
    return M, np.vstack([np.zeros((3, n - 1)), np.eye(n - 1)]), J, G


def claims(result: Result) -> list[Finding]:
    """Report the finding on P10."""
    measured = {
        "scenario_3_and_closed_forms": result.closed_form,
        "scenario_2_without_friction_and_1": result.no_friction,
        "scenario_2_with_endless_friction_and_3": result.endless_friction,
    }
    return [Finding("P10", measured, f"largest relative differences over {result.cases} random cases, with wrenches")]


def figure(result: Result, folder: Path) -> list[Path]:
    """Draw nothing."""
    return []
