"""F1: B q' against numerical velocities, and the energy of a passive chain."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from serpenoid.kernels.records import Tree
from serpenoid.kernels.tree.frames import POSITION
from serpenoid.plotting.style import COLOURS, GREY, dressed, labelled, legend, new_figure, write
from serpenoid.robots import MovingFrameChain
from serpenoid_papers.base import ExperimentConfig, Finding, Progress
from serpenoid_papers.moving_frame.states import NO_GRAVITY, random_state
from serpenoid_papers.references.moving_frame import (
    Space,
    b_matrix,
    empty_matrix,
    frames,
    matrix_space,
    reduced_equations,
    velocities,
)
from serpenoid_papers.references.moving_frame_step import torque_rollout

# Central differences of sixth order.
OFFSETS, WEIGHTS = np.arange(-3, 4), np.array([-1.0, 9.0, -45.0, 0.0, 45.0, -9.0, 1.0]) / 60.0
TAILS = {"fixed": True, "floating": False}


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration of the experiment."""

    bodies: int = 20
    """moving modules"""
    duration: float = 1.0
    """duration of the free motion [s]"""
    step: float = 0.0001
    """step of RK4 [s]"""
    rate: float = 1.0
    """standard deviation of the joint rates at the start [rad/s]"""
    states: int = 20
    """random states on which B is tested"""
    starts: int = 3
    """random states from which a chain swings freely"""
    seed: int = 1
    """seed of the random numbers"""

    @classmethod
    def quick(cls) -> Config:
        """Use fewer states and one start."""
        return cls(states=3, starts=1)

    @classmethod
    def tiny(cls) -> Config:
        """Use short chains and a short time."""
        return cls(bodies=4, duration=0.05, states=1, starts=1)


class Result(NamedTuple):
    """Largest relative errors by tail, and the energies over time."""

    velocity_error: dict[str, float]
    times: NDArray
    energy: dict[str, NDArray]  # (starts, times) [J]
    bodies: int


def run(config: Config, progress: Progress) -> Result:
    """Test B on random states, then let a chain of either tail swing freely."""
    rng = np.random.default_rng(config.seed)
    errors, energy = {}, {}
    for name, fixed in TAILS.items():
        tree = MovingFrameChain(bodies=config.bodies, fixed_tail=fixed).tree()
        errors[name] = max(velocity_error(tree, random_state(rng, tree)) for _ in range(config.states))
        energy[name] = np.array([free_energy(tree, random_state(rng, tree), config) for _ in range(config.starts)])
    return Result(errors, config.step * np.arange(round(config.duration / config.step) + 1), energy, config.bodies)


def free_energy(tree: Tree, state: NDArray, config: Config) -> NDArray:
    """Return the energy (steps + 1,) of a passive chain [J]."""
    steps, space = round(config.duration / config.step), matrix_space(tree)
    state[-config.bodies :] *= config.rate
    states = torque_rollout(tree, state, np.zeros((2 * steps + 1, config.bodies)), config.step, NO_GRAVITY)
    return np.array([kinetic_energy(tree, state, space) for state in states])


def kinetic_energy(tree: Tree, state: NDArray, space: Space) -> float:
    """Return q' M* q' / 2 [J]."""
    rates = velocities(tree, state)
    return float(0.5 * rates @ reduced_equations(tree, state, NO_GRAVITY, space)[0] @ rates)


def velocity_error(tree: Tree, state: NDArray, step: float = 1e-3) -> float:
    """Return the largest difference of B q' from finite differences of the poses, relative to the largest velocity."""
    poses = [poses_of(tree, advance_state(tree, state, step * offset)) for offset in OFFSETS]
    centers = sum(weight * pose[0] for weight, pose in zip(WEIGHTS, poses)) / step
    rates = sum(weight * pose[1] for weight, pose in zip(WEIGHTS, poses)) / step
    spin = np.einsum("bji,bjk->bik", poses[3][1], rates)
    angular = np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=1)
    numerical = np.concatenate([centers, angular], axis=1)[1 if tree.fixed_base else 0 :].ravel()
    ours = b_matrix(tree, frames(tree, state), empty_matrix(tree)) @ velocities(tree, state)
    return float(np.abs(ours - numerical).max() / np.abs(numerical).max())


def poses_of(tree: Tree, state: NDArray) -> tuple[NDArray, NDArray]:
    """Return centres of mass (bodies, 3) and rotations (bodies, 3, 3)."""
    work = frames(tree, state)
    rotations = work[:, :9].reshape(-1, 3, 3)
    return work[:, POSITION : POSITION + 3] + np.einsum("bij,bj->bi", rotations, tree.center), rotations


def advance_state(tree: Tree, state: NDArray, time: float) -> NDArray:
    """Advance the state's pose and angles by a time, at constant velocities."""
    joints = tree.parent.size - 1
    after, twist = state.copy(), state[7 + joints : 13 + joints]
    after[7 : 7 + joints] += time * state[13 + joints :]
    after[:3] += time * frames(tree, state)[0, :9].reshape(3, 3) @ twist[:3]
    attitude = Rotation.from_quat(state[3:7], scalar_first=True) * Rotation.from_rotvec(time * twist[3:])
    after[3:7] = attitude.as_quat(scalar_first=True)
    return after


def drift(energy: NDArray) -> float:
    """Return the largest deviation of energies (..., times) from the first value, relative to it."""
    return float(np.abs(energy / energy[..., :1] - 1.0).max())


def claims(result: Result) -> list[Finding]:
    """Report the finding on F1."""
    drifts = {name: drift(energy) for name, energy in result.energy.items()}
    measured = {
        **{f"velocity_error_{name}": error for name, error in result.velocity_error.items()},
        **{f"energy_drift_{name}": value for name, value in drifts.items()},
    }
    reason = (
        f"B q' against sixth-order differences of the poses. Energy of the {result.bodies}-body chain from random "
        f"states over {result.times[-1]:g} s of RK4 by (84) at {result.times[1] * 1e3:g} ms, without torque and "
        "gravity, with B' in closed form"
    )
    return [Finding("F1", measured, reason)]


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot energy over time, as its deviation from the first value."""
    picture = new_figure(7.0, 3.2)
    axis = dressed(picture.subplots())
    for colour, (name, energy) in zip(COLOURS, result.energy.items()):
        change = np.maximum(np.abs(energy / energy[:, :1] - 1.0).max(axis=0)[1:], 1e-17)
        axis.semilogy(result.times[1:], change, color=colour, linewidth=1.0, label=f"{name} tail")
    axis.axhline(1e-9, color=GREY, linestyle="--", label="criterion")
    labelled(axis, "time [s]", "|E / E(0) - 1|", "Energy of the free 20-body chain")
    legend(axis)
    return [write(picture, folder / "energy.png")]
