"""Many rollouts of the planar chain in lock-step: RK4 with a serpenoid and PD per run, 64 runs to a block.

Arrays are flat and lane-contiguous: quantity k of lane i stands at 64 k + i, and every inner loop runs over the lanes,
so that the compiler makes vector instructions of it. The mathematics is that of chain.py, link by link.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import glue, kernel
from serpenoid.kernels.planar.block import LANES, Block, block_accelerations
from serpenoid.kernels.runge_kutta import LARGEST
from serpenoid.kernels.stack import memory, part
from serpenoid.kernels.trigonometry import sine_cosine


class WaveRuns(NamedTuple):
    """Gait and gains of every run: q_ref = offset + amplitude sin(phase + rate t + lag), PD with a torque cap."""

    rate: NDArray  # (runs,) [rad/s]
    phase: NDArray  # (runs,) [rad]
    offset: NDArray  # (runs, joints) [rad]
    amplitude: NDArray  # (runs, joints) [rad]
    lag: NDArray  # (runs, joints) [rad]
    stiffness: NDArray  # (runs, joints) [N m/rad]
    damping: NDArray  # (runs, joints) [N m s/rad]
    limit: NDArray  # (runs, joints) [N m]


class Tracks(NamedTuple):
    """What is kept of every run at its samples, the start included; NaN from where it diverged.

    The runs are the last axis: 64 numbers of a block are written in one go.
    """

    center: NDArray  # (samples + 1, 3, runs) centre of mass [m]
    axis: NDArray  # (samples + 1, 3, runs) mean over links of the unit vector from tail to head
    work: NDArray  # (samples + 1, runs) integral of sum |torque x rate| so far [J]


class Waves(NamedTuple):
    """The runs of one block, lane-contiguous; the wave as two amplitudes, of sin and of cos of its phase."""

    lanes: int  # 64
    rate: NDArray  # (64,)
    phase: NDArray  # (64,)
    offset: NDArray  # (joints * 64,)
    of_sine: NDArray  # (joints * 64,) amplitude cos(lag)
    of_cosine: NDArray  # (joints * 64,) amplitude sin(lag)
    stiffness: NDArray  # (joints * 64,)
    damping: NDArray  # (joints * 64,)
    limit: NDArray  # (joints * 64,)
    sine: NDArray  # (64,) of the phase now
    cosine: NDArray  # (64,)


@glue
def load_waves(runs, first, waves):
    """Copy 64 runs into a block; beyond the last run it is repeated."""
    last = runs.rate.size - 1
    for lane in range(LANES):
        run = min(first + lane, last)
        waves.rate[lane] = runs.rate[run]
        waves.phase[lane] = runs.phase[run]
        for j in range(runs.lag.shape[1]):
            place = j * LANES + lane
            sine, cosine = sine_cosine(runs.lag[run, j])
            waves.offset[place] = runs.offset[run, j]
            waves.of_sine[place] = runs.amplitude[run, j] * cosine
            waves.of_cosine[place] = runs.amplitude[run, j] * sine
            waves.stiffness[place] = runs.stiffness[run, j]
            waves.damping[place] = runs.damping[run, j]
            waves.limit[place] = runs.limit[run, j]


@glue
def turn_waves(waves, time):
    """Sine and cosine of the phase at a time [s]."""
    for lane in range(waves.lanes):
        waves.sine[lane], waves.cosine[lane] = sine_cosine(waves.phase[lane] + waves.rate[lane] * time)


@glue
def wave_torques(waves, position, velocity, torque, weight, work, joints):
    """Capped PD torques of all joints and lanes (joints * 64,) [N m]; work += weight x sum over joints |torque x rate|.

    The phase is that of the last turn_waves().
    """
    sine, cosine = waves.sine, waves.cosine
    for j in range(joints):
        at, place = j * LANES, (3 + j) * LANES
        for lane in range(waves.lanes):
            a, b = part(waves.of_sine, at)[lane], part(waves.of_cosine, at)[lane]
            q = part(waves.offset, at)[lane] + (a * sine[lane] + b * cosine[lane])
            dq = waves.rate[lane] * (a * cosine[lane] - b * sine[lane])
            rate = part(velocity, place)[lane]
            wanted = part(waves.stiffness, at)[lane] * (q - part(position, place)[lane])
            wanted += part(waves.damping, at)[lane] * (dq - rate)
            limit = part(waves.limit, at)[lane]
            wanted = limit if wanted > limit else wanted
            wanted = -limit if wanted < -limit else wanted
            part(torque, at)[lane] = wanted
            work[lane] += weight * abs(wanted * rate)


@glue
def watch(lanes, phase, bad, total, numbers):
    """Mark the lanes of which a number is not finite or absurd; `total` is scratch (64,).

    A sum of squares below the square of the largest number allowed clears a lane at once; it is seldom above.
    """
    for lane in range(lanes):
        total[lane] = 0.0
    for i in range(numbers):
        at = i * LANES
        for lane in range(lanes):
            position, velocity = part(phase.position, at)[lane], part(phase.velocity, at)[lane]
            total[lane] += position * position + velocity * velocity
    suspects = 0.0
    for lane in range(lanes):
        suspects += 0.0 if total[lane] < LARGEST * LARGEST else 1.0
    if suspects > 0.0:
        mark(lanes, phase, bad, numbers)


@glue
def mark(lanes, phase, bad, numbers):
    """Mark the lanes of which a number is not finite or absurd, number by number."""
    for i in range(numbers):
        at = i * LANES
        for lane in range(lanes):
            bad[lane] = bad[lane] if abs(part(phase.position, at)[lane]) < LARGEST else np.nan
        for lane in range(lanes):
            bad[lane] = bad[lane] if abs(part(phase.velocity, at)[lane]) < LARGEST else np.nan


@glue
def record(tracks, first, count, sample, block, phase, work, bad, links):
    """Write a sample of the block's runs; `bad` is 0, or NaN where a run has diverged."""
    angle, along, across = block.first, block.along, block.across
    for lane in range(block.lanes):
        angle[lane] = 0.0
        along[lane] = 0.0
        across[lane] = 0.0
    for k in range(links):
        at = (2 + k) * LANES
        for lane in range(block.lanes):
            angle[lane] += part(phase.position, at)[lane]
            sine, cosine = sine_cosine(angle[lane])
            along[lane] -= cosine
            across[lane] -= sine
    for lane in range(count):
        tracks.center[sample, 0, first + lane] = phase.position[lane] + bad[lane]
        tracks.center[sample, 1, first + lane] = part(phase.position, LANES)[lane] + bad[lane]
        tracks.center[sample, 2, first + lane] = bad[lane]
        tracks.axis[sample, 0, first + lane] = along[lane] / links + bad[lane]
        tracks.axis[sample, 1, first + lane] = across[lane] / links + bad[lane]
        tracks.axis[sample, 2, first + lane] = bad[lane]
        tracks.work[sample, first + lane] = work[lane] + bad[lane]


class Phase(NamedTuple):
    """States of a Runge-Kutta step, positions and velocities apart, each ((n + 2) * 64,)."""

    position: NDArray
    velocity: NDArray
    trial_position: NDArray
    trial_velocity: NDArray
    total_position: NDArray
    total_velocity: NDArray
    acceleration: NDArray


@glue
def accumulate(phase, size, stage, step):
    """Add a stage's slope with its weight and set the next stage's trial state, or, at the last, the state."""
    weight = (step / 6.0) * (1.0 if stage == 0 or stage == 3 else 2.0)
    reach = step if stage == 2 else 0.5 * step
    if stage == 0:
        for i in range(size):
            speed, acceleration = phase.trial_velocity[i], phase.acceleration[i]
            phase.total_position[i] = phase.position[i] + weight * speed
            phase.total_velocity[i] = phase.velocity[i] + weight * acceleration
            phase.trial_position[i] = phase.position[i] + reach * speed
            phase.trial_velocity[i] = phase.velocity[i] + reach * acceleration
    elif stage < 3:
        for i in range(size):
            speed, acceleration = phase.trial_velocity[i], phase.acceleration[i]
            phase.total_position[i] += weight * speed
            phase.total_velocity[i] += weight * acceleration
            phase.trial_position[i] = phase.position[i] + reach * speed
            phase.trial_velocity[i] = phase.velocity[i] + reach * acceleration
    else:
        for i in range(size):
            position = phase.total_position[i] + weight * phase.trial_velocity[i]
            velocity = phase.total_velocity[i] + weight * phase.acceleration[i]
            phase.position[i] = position
            phase.trial_position[i] = position
            phase.velocity[i] = velocity
            phase.trial_velocity[i] = velocity


@glue
def load_states(states, first, count, phase, half):
    """Copy the states of 64 runs into a block; beyond the last run it is repeated."""
    for i in range(half):
        for lane in range(LANES):
            run = first + min(lane, count - 1)
            phase.position[i * LANES + lane] = states[run, i]
            phase.velocity[i * LANES + lane] = states[run, half + i]
            phase.trial_position[i * LANES + lane] = states[run, i]
            phase.trial_velocity[i * LANES + lane] = states[run, half + i]


@kernel
def run_block(model, runs, first, states, step, steps, every, tracks):
    """Carry 64 runs from number `first` through `steps` steps; samples into places `first`.. of the tracks."""
    links = model.shift.size
    one, each, wide, driven = LANES, links * LANES, (links + 2) * LANES, (links - 1) * LANES
    lanes = min(LANES, LANES + states.shape[0])  # 64, but the compiler must not know
    waves = Waves(
        lanes,
        memory(one), memory(one), memory(driven), memory(driven), memory(driven),
        memory(driven), memory(driven), memory(driven), memory(one), memory(one),
    )  # fmt: skip
    phase = Phase(
        memory(wide), memory(wide), memory(wide), memory(wide), memory(wide),
        memory(wide), memory(wide),
    )  # fmt: skip
    block = Block(
        lanes,
        memory(each), memory(each), memory(each), memory(one), memory(one), memory(one), memory(one),
        memory(one), memory(one), memory(one), memory(one), memory(one), memory(one), memory(one),
        memory(one), memory(one), memory(each), memory(each), memory(each), memory((links + 2) * wide),
        memory(wide), memory(wide), memory((links + 2) * wide), memory(wide),
    )  # fmt: skip
    torque, work, bad = memory(driven), memory(one), memory(one)
    count = min(LANES, states.shape[0] - first)
    load_waves(runs, first, waves)
    load_states(states, first, count, phase, links + 2)
    for lane in range(LANES):
        work[lane] = 0.0
        bad[lane] = 0.0
    watch(lanes, phase, bad, block.first, links + 2)
    record(tracks, first, count, 0, block, phase, work, bad, links)
    turn_waves(waves, 0.0)
    for i in range(steps):
        for stage in range(4):
            if (
                stage == 1 or stage == 3
            ):  # the stages between share their time, and so do a step's last and the next's first
                turn_waves(waves, (i + 0.5) * step if stage == 1 else (i + 1) * step)
            weight = (step / 6.0) * (1.0 if stage == 0 or stage == 3 else 2.0)
            wave_torques(waves, phase.trial_position, phase.trial_velocity, torque, weight, work, links - 1)
            block_accelerations(model, block, phase.trial_position, phase.trial_velocity, torque, phase.acceleration)
            accumulate(phase, wide, stage, step)
        watch(lanes, phase, bad, block.first, links + 2)
        if (i + 1) % every == 0:
            record(tracks, first, count, (i + 1) // every, block, phase, work, bad, links)


@kernel
def wave_rollouts(model, runs, states, step, steps, every):
    """Carry every run through `steps` RK4 steps from time 0; what is kept of its start and every `every`-th step.

    states (runs, numbers) begin as those of chain.py.
    """
    count, samples = states.shape[0], steps // every + 1
    tracks = Tracks(np.empty((samples, 3, count)), np.empty((samples, 3, count)), np.empty((samples, count)))
    for block in range((count + LANES - 1) // LANES):
        run_block(model, runs, block * LANES, states, step, steps, every, tracks)
    return tracks
