"""Batched rollouts of the planar chain, sixteen per block: RK4 with a separate wave and PD gains per run.

The torques are computed at every stage, or once per control period and then held, with an integral term.
The dynamics of chain.py and the method of runge_kutta.py are instantiated for wide vectors; each slot is a run.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import bare_kernel, inner
from serpenoid.kernels.laws.drive import pd_torque, wanted_torque
from serpenoid.kernels.planar.chain import (
    PlanarModel,
    PlanarWork,
    assemble,
    set_angles,
    solve_accelerations,
    write_accelerations,
)
from serpenoid.kernels.records import StiffDrive
from serpenoid.kernels.runge_kutta import LARGEST, Stages, runge_kutta_step, slope_of
from serpenoid.kernels.simd import WIDE, store, where_positive
from serpenoid.kernels.stack import slots, stack_vectors
from serpenoid.kernels.trigonometry import sine_cosine

KEPT = 7  # numbers of a sample before the joint angles: centre of mass (3), body axis (3), work


class WaveRuns(NamedTuple):
    """Gait and gains of every run: q_ref = offset + amplitude sin(phase + rate t + lag), PD with a torque limit."""

    rate: NDArray  # (runs,) [rad/s]
    phase: NDArray  # (runs,) [rad]
    offset: NDArray  # (runs, joints) [rad]
    amplitude: NDArray  # (runs, joints) [rad]
    lag: NDArray  # (runs, joints) [rad]
    stiffness: NDArray  # (runs, joints) [N m/rad]
    damping: NDArray  # (runs, joints) [N m s/rad]
    limit: NDArray  # (runs, joints) [N m]
    hold: int = 0  # RK4 steps between two computations of the torques, 0 for every stage
    integral: float = 0.0  # I gain of held torques [N m/(rad s)]


class Tracks(NamedTuple):
    """Recorded samples of every run, including the start; NaN after divergence. Runs are the last axis."""

    center: NDArray  # (samples + 1, 3, runs) centre of mass [m]
    axis: NDArray  # (samples + 1, 3, runs) mean over links of the unit vector from tail to head
    work: NDArray  # (samples + 1, runs) accumulated integral of sum |torque x rate| [J]
    joints: NDArray  # (samples + 1, joints, runs) joint angles [rad]


class Waves(NamedTuple):
    """Waves of a block, as the amplitudes of the sine and cosine of their phase; all arrays contain wide vectors."""

    rate: NDArray  # (1,)
    phase: NDArray  # (1,) at time 0
    sine: NDArray  # (1,) of the current phase
    cosine: NDArray  # (1,)
    offset: NDArray  # (joints,)
    of_sine: NDArray  # (joints,) amplitude cos(lag)
    of_cosine: NDArray  # (joints,) amplitude sin(lag)


class WaveChains(NamedTuple):
    """Block of chains, each driven along its own wave."""

    model: PlanarModel
    work: PlanarWork
    waves: Waves
    drive: StiffDrive
    torque: NDArray  # (joints,) [N m]
    summed: NDArray  # (joints,) integral of the errors of held torques [rad s]
    held: bool  # whether the torques are held between two samples


@inner
def set_phase(waves, time):
    """Set the sine and cosine of the phase at a time [s]."""
    waves.sine[0], waves.cosine[0] = sine_cosine(waves.phase[0] + waves.rate[0] * time)


@inner
def references(waves, joint):
    """Return angle and rate [rad, rad/s] of a joint's wave at the phase that is set."""
    a, b = waves.of_sine[joint], waves.of_cosine[joint]
    sine, cosine = waves.sine[0], waves.cosine[0]
    return waves.offset[joint] + (a * sine + b * cosine), waves.rate[0] * (a * cosine - b * sine)


@inner
def sample_torques(system, integral, period, state):
    """Compute the torques that are held for the next period [s]; errors are not summed at the torque limit."""
    half = system.work.rate.size + 2
    for j in range(half - 3):
        reference, rate = references(system.waves, j)
        error, limit = reference - state[3 + j], system.drive.limit[j]
        feedforward = integral * system.summed[j]
        wanted = wanted_torque(system.drive, j, (reference, rate), feedforward, state[3 + j], state[half + 3 + j])
        system.torque[j] = min(max(wanted, -limit), limit)
        summed = system.summed[j]
        system.summed[j] = where_positive(limit - abs(wanted), summed + period * error, summed)


@slope_of(WaveChains)
@inner
def wave_slope(system, stage, time, state, out):
    """Write the rates of the chains and of their absolute work.

    The stages in a step's middle share their phase. The last stage shares the phase of the next step's first.
    """
    waves, half = system.waves, system.work.rate.size + 2
    if stage == 1 or stage == 3:
        set_phase(waves, time)
    cost = 0.0 * waves.rate[0]
    for j in range(half - 3):
        rate = state[half + 3 + j]
        if not system.held:
            system.torque[j] = pd_torque(system.drive, j, references(waves, j), 0.0, state[3 + j], rate)
        cost += abs(system.torque[j] * rate)
    for i in range(half):
        out[i] = state[half + i]
    assemble(system.model, system.work, state, system.torque)
    solve_accelerations(system.model, system.work)
    write_accelerations(system.work, out[half : 2 * half])
    out[2 * half] = cost


@inner
def load_runs(runs, states, first, waves, drive, state):
    """Copy sixteen runs into the slots of a block; slots beyond the last run repeat it."""
    last, half = states.shape[0] - 1, (state.size - 1) // 2
    for slot in range(WIDE):
        run = min(first + slot, last)
        slots(waves.rate)[0, slot], slots(waves.phase)[0, slot] = runs.rate[run], runs.phase[run]
        for j in range(half - 3):
            sine, cosine = sine_cosine(runs.lag[run, j])
            slots(waves.offset)[j, slot] = runs.offset[run, j]
            slots(waves.of_sine)[j, slot] = runs.amplitude[run, j] * cosine
            slots(waves.of_cosine)[j, slot] = runs.amplitude[run, j] * sine
            slots(drive.stiffness)[j, slot] = runs.stiffness[run, j]
            slots(drive.damping)[j, slot] = runs.damping[run, j]
            slots(drive.limit)[j, slot] = runs.limit[run, j]
        for i in range(2 * half):
            slots(state)[i, slot] = states[run, i]
    state[2 * half] = 0.0


@inner
def watch(state, bad):
    """Return `bad` (0) with NaN in slots where a number is not finite or exceeds its bound; work may be large."""
    for i in range(state.size - 1):
        bad = where_positive(LARGEST - abs(state[i]), bad, np.nan)
    return bad


@inner
def record(work, state, bad, out, row, column):
    """Write a sample of a block: KEPT rows and the joint angles of the runs from `column` on."""
    links = work.rate.size
    set_angles(work, state)
    along, across = bad, bad
    for k in range(links):
        along -= work.cosine[k] / links
        across -= work.sine[k] / links
    store(out, row, column, state[0] + bad)
    store(out, row + 1, column, state[1] + bad)
    store(out, row + 2, column, bad)
    store(out, row + 3, column, along)
    store(out, row + 4, column, across)
    store(out, row + 5, column, bad)
    store(out, row + 6, column, state[2 * links + 4] + bad)
    for j in range(links - 1):
        store(out, row + KEPT + j, column, state[3 + j] + bad)


@bare_kernel
def run_blocks(model, runs, states, step, steps, every, out):
    """Advance all runs by `steps` steps.

    out ((steps / every + 1) x (KEPT + joints), runs rounded up to a multiple of sixteen)
    """
    links = model.shift.size
    rows = KEPT + links - 1
    n, j, size, half = (links,), (links - 1,), (2 * links + 5,), (links + 2,)
    work = PlanarWork(
        cosine=stack_vectors(n), sine=stack_vectors(n), rate=stack_vectors(n), square=stack_vectors(n),
        velocity=stack_vectors((links, 2)), bias=stack_vectors((links, 2)), row=stack_vectors(n),
        force=stack_vectors((links, 3)), matrix=stack_vectors((links + 2, links + 2)), right=stack_vectors(half),
        base=stack_vectors((4, 3)),
    )  # fmt: skip
    waves = Waves(
        rate=stack_vectors((1,)), phase=stack_vectors((1,)), sine=stack_vectors((1,)), cosine=stack_vectors((1,)),
        offset=stack_vectors(j), of_sine=stack_vectors(j), of_cosine=stack_vectors(j),
    )  # fmt: skip
    drive = StiffDrive(stiffness=stack_vectors(j), damping=stack_vectors(j), limit=stack_vectors(j))
    system = WaveChains(model, work, waves, drive, stack_vectors(j), stack_vectors(j), runs.hold > 0)
    stages = Stages(stack_vectors(size), stack_vectors(size), stack_vectors(size), stack_vectors(size))
    state = stack_vectors(size)
    for first in range(0, states.shape[0], WIDE):
        load_runs(runs, states, first, waves, drive, state)
        for i in range(state.size):
            stages.carry[i] = 0.0
        for i in range(links - 1):
            system.summed[i] = 0.0 * waves.rate[0]
        bad = watch(state, 0.0 * waves.rate[0])
        record(work, state, bad, out, 0, first)
        set_phase(waves, 0.0)
        for i in range(steps):
            if runs.hold > 0 and i % runs.hold == 0:
                sample_torques(system, runs.integral, runs.hold * step, state)
            runge_kutta_step(system, stages, i * step, step, state, 4)
            bad = watch(state, bad)
            if (i + 1) % every == 0:
                record(work, state, bad, out, (i + 1) // every * rows, first)


def wave_rollouts(model: PlanarModel, runs: WaveRuns, states: NDArray, step: float, steps: int, every: int) -> Tracks:
    """Advance every run by `steps` RK4 steps from time 0; return samples of its start and every `every`-th step.

    states (runs, numbers) begin like those of chain.py.
    """
    count, samples, rows = len(states), steps // every + 1, KEPT + model.shift.size - 1
    out = np.empty((samples * rows, -(-count // WIDE) * WIDE))
    run_blocks(model, runs, states, step, steps, every, out)
    kept = out.reshape(samples, rows, -1)[:, :, :count]
    return Tracks(kept[:, :3], kept[:, 3:6], kept[:, 6], kept[:, KEPT:])
