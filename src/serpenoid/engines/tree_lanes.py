"""Batches of tree runs, 16 in lock step, and the condition for batching."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.attitude import pitch_history, roll_history
from serpenoid.kernels.records import Motion, Sea, Water
from serpenoid.kernels.runge_kutta import LARGEST
from serpenoid.kernels.tree.batch import Steps, WaveJoints, wave_rollouts

if TYPE_CHECKING:
    from serpenoid.engines.tree import TreeEngine


def fits_lanes(engine: TreeEngine, motion: Motion) -> bool:
    """Return whether a run fits the lanes: a floating tree with a wave, subject to at most weight and buoyancy."""
    world = engine.environment
    moved = isinstance(world, Water) and (world.flow.moves or world.flow.adds)
    moved = moved or isinstance(world, Sea)
    return not (engine.driven or engine.tree.fixed_base or moved or motion.coefficients.any() or motion.harmonics.size)


def poses_in_lanes(engine: TreeEngine, motions: Sequence[Motion], states: NDArray, steps: int, every: int) -> NDArray:
    """Return base poses (runs, samples, 7) after every `every`-th step of runs that differ only in wave and start."""
    bare = np.ascontiguousarray(states[:, : engine.layout["impulses"].start])
    grid = Steps(first=0, count=steps, every=every, size=engine.step)
    found = wave_rollouts(engine.tree, engine.environment, wave_joints(motions), bare, grid)
    good = (np.abs(found) < LARGEST).all(axis=2)  # False for NaN
    return np.where(np.logical_and.accumulate(good, axis=1)[..., None], found, np.nan)[..., :7]


def wave_joints(motions: Sequence[Motion]) -> WaveJoints:
    """Return waves as the record of the lanes."""
    offset, amplitude, rate, lag = (
        np.array([getattr(motion, name) for motion in motions]) for name in ("offset", "amplitude", "rate", "lag")
    )
    start = np.array([(motion.phase_start, motion.time_start) for motion in motions])
    return WaveJoints(offset, amplitude, rate, start[:, :1] - rate * start[:, 1:] + lag)


def poses_alone(engine: TreeEngine, motion: Motion, state: NDArray, steps: int, every: int) -> NDArray:
    """Return base poses (samples, 7) of one run, without work integrals if they would cost time."""
    bare = state if engine.driven else state[: engine.layout["impulses"].start]
    return engine.rollout(0, bare, motion, steps, every)[:, :7]


def base_motions(poses: NDArray) -> dict[str, NDArray]:
    """Return the variables of a batch from base poses (runs, samples, 7)."""
    return {
        "base_pose": poses, "roll": roll_history(poses), "pitch": pitch_history(poses), "heave": poses[..., 2]
    }  # fmt: skip
