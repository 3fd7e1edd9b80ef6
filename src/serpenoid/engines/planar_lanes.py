"""Batches of planar runs, 16 in lock step, and the condition for batching."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.engines.planar_record import body_axes, to_space
from serpenoid.kernels.accounts import ABSOLUTE
from serpenoid.kernels.planar.batch import WaveRuns, wave_rollouts
from serpenoid.kernels.records import Motion

if TYPE_CHECKING:
    from serpenoid.engines.planar import PlanarEngine

MOST_LINKS = 32  # the matrices of 16 runs are on the stack of a thread: 0.15 MB for 32 links
KEPT = ("center_of_mass", "body_axis", "work_absolute", "joint_position")


class Sampling(NamedTuple):
    """Joint controllers that compute their torques once per period and hold them."""

    steps: int  # between two computations
    integral: float  # I gain [N m/(rad s)]


def is_wave(motion: Motion) -> bool:
    """Return whether a motion is a single wave with the same rate in all joints."""
    rates = motion.rate.tolist()  # few numbers: a list is faster than an array
    same = rates.count(rates[0]) == len(rates)
    return same and not motion.harmonics.size and not any(motion.coefficients.ravel().tolist())


def in_lanes(
    engines: Sequence[PlanarEngine],
    motions: Sequence[Motion],
    states: NDArray,
    steps: int,
    every: int,
    sampling: Sampling | None = None,
) -> dict[str, NDArray]:
    """Simulate driven chains that differ only in gait, gains and start."""
    runs, starts = wave_runs(engines, motions), np.ascontiguousarray(states)
    if sampling is not None:
        runs = runs._replace(hold=sampling.steps * engines[0].substeps, integral=sampling.integral)
    _, step, steps, every = engines[0].finer(0, steps, every)
    tracks = wave_rollouts(engines[0].model, runs, starts, step, steps, every)
    return dict(zip(KEPT, (np.moveaxis(part, -1, 0) for part in tracks)))


def wave_starts(engine: PlanarEngine, motions: Sequence[Motion]) -> NDArray:
    """Return initial states (runs, numbers) of driven chains at rest in the first shape of their waves, head at the
    origin.
    """
    phase = np.array([motion.phase_start - motion.rate[0] * motion.time_start for motion in motions])[:, None]
    offset, amplitude, lag = stack_waves(motions)
    states, shift = np.zeros((len(motions), engine.layout.size)), engine.model.shift
    joints = engine.layout.part(states, "joints")
    joints[:] = offset + amplitude * np.sin(phase + lag)
    angles = np.hstack([np.zeros_like(phase), np.cumsum(joints, axis=1)])
    engine.layout.part(states, "center")[:] = np.stack([np.cos(angles) @ shift, np.sin(angles) @ shift], axis=1)
    return states


def stack_waves(motions: Sequence[Motion]) -> tuple[NDArray, ...]:
    """Return offset, amplitude and lag (runs, joints) [rad] of waves."""
    return tuple(np.array([getattr(motion, name) for motion in motions]) for name in ("offset", "amplitude", "lag"))


def wave_runs(engines: Sequence[PlanarEngine], motions: Sequence[Motion]) -> WaveRuns:
    """Return gaits and gains as the record of the lanes."""
    rate = np.array([motion.rate[0] for motion in motions])
    start = np.array([(motion.phase_start, motion.time_start) for motion in motions])
    offset, amplitude, lag = stack_waves(motions)
    stiffness, damping, limit = (np.array([engine.gains[k] for engine in engines]) for k in range(3))
    return WaveRuns(rate, start[:, 0] - rate * start[:, 1], offset, amplitude, lag, stiffness, damping, limit)


def alone(engine: PlanarEngine, motion: Motion, state: NDArray, steps: int, every: int) -> dict[str, NDArray]:
    """Simulate one run separately, with the same variables."""
    states = np.vstack([state, engine.rollout(0, state, motion, steps, every)])
    center, heading, joints, accounts = (
        engine.layout.part(states, name) for name in ("center", "heading", "joints", "accounts")
    )
    axis = body_axes(np.cumsum(np.hstack([heading, joints]), axis=1))
    return dict(zip(KEPT, (to_space(center), axis, accounts[:, ABSOLUTE], joints)))
