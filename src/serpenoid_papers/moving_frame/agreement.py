"""F2: agreement of the accelerations by the moving frame, by the recursion and by Pinocchio."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.records import Tree
from serpenoid.kernels.tree.forward import articulated_workspace, forward_dynamics
from serpenoid.kernels.tree.frames import workspace
from serpenoid.plotting.style import COLOURS, GREY, dressed, labelled, legend, new_figure, write
from serpenoid.robots import MovingFrameChain
from serpenoid_papers.base import ExperimentConfig, Finding, Progress
from serpenoid_papers.moving_frame.states import GRAVITY, NO_GRAVITY, random_state
from serpenoid_papers.references.moving_frame import forward, matrix_space
from serpenoid_papers.references.pinocchio_tree import pinocchio_model


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration of the experiment."""

    most_bodies: int = 40
    """chains of 1 to this many bodies"""
    states: int = 20
    """random states of each chain and tail"""
    seed: int = 2
    """seed of the random numbers"""

    @classmethod
    def quick(cls) -> Config:
        """Use fewer states."""
        return cls(states=2)

    @classmethod
    def tiny(cls) -> Config:
        """Use short chains."""
        return cls(most_bodies=4, states=1)


class Result(NamedTuple):
    """Largest relative difference by number of bodies (n,), for either peer; NaN if it is not installed."""

    bodies: NDArray
    recursion: NDArray
    pinocchio: NDArray
    states: int


def run(config: Config, progress: Progress) -> Result:
    """Compare on random states, both tails; with gravity against Pinocchio, without against the recursion."""
    rng = np.random.default_rng(config.seed)
    bodies = np.arange(1, config.most_bodies + 1)
    recursion, pinocchio = np.zeros(bodies.size), np.full(bodies.size, np.nan)
    for i, count in enumerate(bodies):
        for fixed in (True, False):
            tree = MovingFrameChain(bodies=int(count), fixed_tail=fixed).tree()
            peer, space = pinocchio_model(tree), matrix_space(tree)
            for _ in range(config.states):
                state, torque = random_state(rng, tree), rng.normal(size=count)
                ours = forward(tree, state, torque, NO_GRAVITY, space)
                recursion[i] = max(recursion[i], difference(ours, by_recursion(tree, state, torque)))
                if peer is not None:
                    theirs = by_pinocchio(peer, tree, state, torque)
                    found = difference(forward(tree, state, torque, GRAVITY, space), theirs)
                    pinocchio[i] = np.fmax(pinocchio[i], found)
    return Result(bodies, recursion, pinocchio, config.states)


def difference(ours: NDArray, theirs: NDArray) -> float:
    """Return the largest difference over the largest acceleration."""
    return float(np.abs(ours - theirs).max() / np.abs(theirs).max())


def by_recursion(tree: Tree, state: NDArray, torque: NDArray) -> NDArray:
    """Return the accelerations by articulated bodies, columns as in B."""
    joints = tree.parent.size - 1
    out = np.zeros(6 + joints)
    forward_dynamics(
        tree, state[7 : 7 + joints], state[13 + joints :], torque, state[7 + joints : 13 + joints], np.zeros((0, 6)),
        workspace(tree), articulated_workspace(tree), out,
    )  # fmt: skip
    return out[6:] if tree.fixed_base else out


def by_pinocchio(model: Any, tree: Tree, state: NDArray, torque: NDArray) -> NDArray:
    """Return the accelerations by Pinocchio's articulated-body algorithm."""
    import pinocchio

    joints = tree.parent.size - 1
    angles, rates = state[7 : 7 + joints], state[13 + joints :]
    model.gravity.linear = GRAVITY
    if tree.fixed_base:  # Pinocchio's base is the world, so rotate gravity into the tail's axes instead
        model.gravity.linear = pinocchio.Quaternion(*state[3:7]).toRotationMatrix().T @ GRAVITY
        return pinocchio.aba(model, model.createData(), angles, rates, torque)
    position = np.concatenate([state[:3], state[4:7], state[3:4], angles])
    force = np.concatenate([np.zeros(6), torque])
    return pinocchio.aba(model, model.createData(), position, state[7 + joints :], force)


def claims(result: Result) -> list[Finding]:
    """Report the finding on F2."""
    installed = bool(np.isfinite(result.pinocchio).all())
    measured = {
        "recursion": float(result.recursion.max()),
        "pinocchio": float(result.pinocchio.max()) if installed else None,
    }
    reason = (
        f"largest difference of the accelerations relative to the largest one, n = 1 to {result.bodies[-1]}, both "
        f"tails, {result.states} random states each; Pinocchio with gravity"
        + ("" if installed else "; Pinocchio is not installed")
    )
    return [Finding("F2", measured, reason)]


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot the differences against the number of bodies."""
    picture = new_figure(7.0, 3.2)
    axis = dressed(picture.subplots())
    axis.semilogy(result.bodies, result.recursion, "o", color=COLOURS[0], markerfacecolor="none", label="recursion")
    axis.semilogy(result.bodies, result.pinocchio, ".-", color=COLOURS[1], label="Pinocchio, with gravity")
    axis.axhline(1e-9, color=GREY, linestyle="--", label="criterion")
    labelled(axis, "bodies", "relative difference", "Accelerations by (84) against two others")
    legend(axis)
    return [write(picture, folder / "agreement.png")]
