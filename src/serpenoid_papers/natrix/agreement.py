"""N1: base acceleration and torques by the recursion, by the closed sums and by Pinocchio, afloat."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.tree.frames import workspace
from serpenoid.kernels.tree.matrix import closed_sums
from serpenoid.kernels.water.recursion import afloat_dynamics, afloat_wrenches
from serpenoid.robots import Natrix
from serpenoid.worlds import WaterSurface
from serpenoid_papers.base import ExperimentConfig, Finding, Progress
from serpenoid_papers.references.pinocchio_tree import pinocchio_model


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration of the experiment."""

    states: int = 200
    """random states"""
    seed: int = 1
    """seed of the random numbers"""

    @classmethod
    def quick(cls) -> Config:
        """Use fewer states."""
        return cls(states=30)

    @classmethod
    def tiny(cls) -> Config:
        """Use three states."""
        return cls(states=3)


class Result(NamedTuple):
    """Largest differences relative to the largest value, by state; NaN if Pinocchio is not installed."""

    sums: NDArray  # base acceleration, recursion against closed sums
    base: NDArray  # Pinocchio's force on the base at our acceleration, which should be zero
    torques: NDArray  # joint torques against Pinocchio


def run(config: Config, progress: Progress) -> Result:
    """Apply the same external wrenches (weight and buoyancy) to the same random states."""
    robot, rng = Natrix(), np.random.default_rng(config.seed)
    tree, water, joints = robot.tree(), WaterSurface().environment(robot), robot.joints
    peer = pinocchio_model(tree)
    found = np.full((3, config.states), np.nan)
    for i in range(config.states):
        attitude = rng.normal(size=4)
        pose = np.concatenate((rng.normal(size=2), rng.uniform(-0.05, 0.05, 1), attitude / np.linalg.norm(attitude)))
        state = np.concatenate((pose, *(rng.normal(size=n) for n in (joints, 6, joints))))
        accelerations, base, torques = rng.normal(size=joints), np.zeros(6), np.zeros(joints)
        afloat_dynamics(tree, water, state, accelerations, base, torques)
        angles, twist, rates = state[7 : 7 + joints], state[7 + joints : 13 + joints], state[13 + joints :]
        wrenches = afloat_wrenches(tree, water, state, (angles, rates), workspace(tree))
        M, M_q, beta = closed_sums(tree, angles, rates, twist, wrenches)
        found[0, i] = difference(base, -np.linalg.solve(M, beta + M_q @ accelerations))
        if peer is not None:
            theirs = by_pinocchio(peer, state, base, accelerations, wrenches)
            found[1, i] = np.abs(theirs[:6]).max() / np.abs(theirs).max()
            found[2, i] = difference(torques, theirs[6:])
    return Result(*found)


def difference(ours: NDArray, theirs: NDArray) -> float:
    """Return the largest difference over the largest value."""
    return float(np.abs(ours - theirs).max() / np.abs(theirs).max())


def by_pinocchio(model: Any, state: NDArray, base: NDArray, accelerations: NDArray, wrenches: NDArray) -> NDArray:
    """Return the generalised forces (6 + joints,) of the accelerations under the wrenches, which include weight."""
    import pinocchio

    joints = accelerations.size
    model.gravity.linear = np.zeros(3)
    q = np.concatenate([state[:3], state[4:7], state[3:4], state[7 : 7 + joints]])
    forces = [pinocchio.Force.Zero() for _ in range(model.njoints)]
    for body, wrench in enumerate(wrenches):
        forces[body + 1] = pinocchio.Force(wrench)
    a = np.concatenate([base, accelerations])
    return pinocchio.rnea(model, model.createData(), q, state[7 + joints :], a, forces)


def claims(result: Result) -> list[Finding]:
    """Report the finding on N1."""
    installed = bool(np.isfinite(result.base).all())
    measured = {
        "closed sums": float(result.sums.max()),
        "Pinocchio, base": float(result.base.max()) if installed else None,
        "Pinocchio, torques": float(result.torques.max()) if installed else None,
    }
    reason = f"largest relative differences over {result.sums.size} random states afloat, shells turned, head lifted"
    return [Finding("N1", measured, reason)]


def figure(result: Result, folder: Path) -> list[Path]:
    """Draw nothing, because the result is three numbers."""
    return []
