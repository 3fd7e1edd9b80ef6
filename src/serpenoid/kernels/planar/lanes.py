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
from serpenoid.kernels.planar.step import LARGEST
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


class Measures(NamedTuple):
    """What is measured of every run; NaN where it diverged."""

    displacement: NDArray  # (runs, 2) of the centre of mass [m]
    direction: NDArray  # (runs, 2) mean over links and time of the unit vector from head to tail
    power: NDArray  # (runs,) mean of sum |torque x rate| [W]


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
def wave_torques(waves, time, position, velocity, torque, phase, joints):
    """Capped PD torques of all joints and lanes (joints * 64,) [N m]; `phase` is two scratch arrays (64,)."""
    sine, cosine = phase
    for lane in range(waves.lanes):
        sine[lane], cosine[lane] = sine_cosine(waves.phase[lane] + waves.rate[lane] * time)
    for j in range(joints):
        at, place = j * LANES, (3 + j) * LANES
        for lane in range(waves.lanes):
            a, b = part(waves.of_sine, at)[lane], part(waves.of_cosine, at)[lane]
            q = part(waves.offset, at)[lane] + (a * sine[lane] + b * cosine[lane])
            dq = waves.rate[lane] * (a * cosine[lane] - b * sine[lane])
            wanted = part(waves.stiffness, at)[lane] * (q - part(position, place)[lane])
            wanted += part(waves.damping, at)[lane] * (dq - part(velocity, place)[lane])
            limit = part(waves.limit, at)[lane]
            wanted = limit if wanted > limit else wanted
            part(torque, at)[lane] = -limit if wanted < -limit else wanted


@glue
def add_power(lanes, torque, velocity, power, joints):
    """power += sum over joints of |torque x rate|."""
    for j in range(joints):
        at, place = j * LANES, (3 + j) * LANES
        for lane in range(lanes):
            power[lane] += abs(part(torque, at)[lane] * part(velocity, place)[lane])


@glue
def add_direction(block, direction, links):
    """direction += sum over links of (cos, sin) of their angles, which `block` holds from the last accelerations."""
    along, across = direction
    for k in range(links):
        at = k * LANES
        for lane in range(block.lanes):
            along[lane] += part(block.cosine, at)[lane]
            across[lane] += part(block.sine, at)[lane]


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
            phase.total_position[i] = phase.position[i]
            phase.total_velocity[i] = phase.velocity[i]
    for i in range(size):
        speed, acceleration = phase.trial_velocity[i], phase.acceleration[i]
        phase.total_position[i] += weight * speed
        phase.total_velocity[i] += weight * acceleration
        phase.trial_position[i] = phase.position[i] + reach * speed
        phase.trial_velocity[i] = phase.velocity[i] + reach * acceleration
    if stage == 3:
        for i in range(size):
            phase.position[i] = phase.total_position[i]
            phase.velocity[i] = phase.total_velocity[i]
            phase.trial_position[i] = phase.total_position[i]
            phase.trial_velocity[i] = phase.total_velocity[i]


@glue
def load_states(states, first, count, phase):
    """Copy the states of 64 runs into a block; beyond the last run it is repeated."""
    half = states.shape[1] // 2
    for i in range(half):
        for lane in range(LANES):
            run = first + min(lane, count - 1)
            phase.position[i * LANES + lane] = states[run, i]
            phase.velocity[i * LANES + lane] = states[run, half + i]
            phase.trial_position[i * LANES + lane] = states[run, i]
            phase.trial_velocity[i * LANES + lane] = states[run, half + i]


@glue
def store(states, first, count, phase, measures):
    """Final states of the block's runs, and their displacement; NaN in all measures of those that diverged."""
    half = states.shape[1] // 2
    for lane in range(count):
        run, sound = first + lane, True
        for i in range(half):
            states[run, i] = phase.position[i * LANES + lane]
            states[run, half + i] = phase.velocity[i * LANES + lane]
        for i in range(2 * half):
            sound = sound and abs(states[run, i]) < LARGEST
        for i in range(2):
            measures.displacement[run, i] = states[run, i] - measures.displacement[run, i] if sound else np.nan
            measures.direction[run, i] = measures.direction[run, i] if sound else np.nan
        measures.power[run] = measures.power[run] if sound else np.nan


@kernel
def run_block(model, runs, first, states, step, steps, measured, measures):
    """Carry 64 runs from number `first` through `steps` steps; results into rows `first`.. of the measures.

    The last `measured` steps are measured; `states` (runs, 2 (n + 2)) holds the initial states, then the final ones.
    """
    links = model.shift.size
    one, each, wide, driven = LANES, links * LANES, (links + 2) * LANES, (links - 1) * LANES
    lanes = min(LANES, LANES + states.shape[0])  # 64, but the compiler must not know
    waves = Waves(
        lanes,
        memory(one), memory(one), memory(driven), memory(driven), memory(driven),
        memory(driven), memory(driven), memory(driven),
    )  # fmt: skip
    phase = Phase(
        memory(wide), memory(wide), memory(wide), memory(wide), memory(wide),
        memory(wide), memory(wide),
    )  # fmt: skip
    block = Block(
        lanes,
        memory(each), memory(each), memory(each), memory(each), memory(one), memory(one),
        memory(one), memory(one), memory(one), memory(one), memory(each), memory(each),
        memory(each), memory((links + 2) * wide), memory(wide), memory(each), memory(each),
        memory(wide), memory((links + 2) * wide), memory(wide),
    )  # fmt: skip
    torque, work, angle = memory(driven), memory(one), (memory(one), memory(one))
    direction = (memory(one), memory(one))
    count = min(LANES, states.shape[0] - first)
    load_waves(runs, first, waves)
    load_states(states, first, count, phase)
    for lane in range(LANES):
        work[lane] = 0.0
        direction[0][lane] = 0.0
        direction[1][lane] = 0.0
    for i in range(steps):
        measuring = i >= steps - measured
        if i == steps - measured:
            for lane in range(count):
                measures.displacement[first + lane, 0] = phase.position[lane]
                measures.displacement[first + lane, 1] = part(phase.position, LANES)[lane]
        for stage in range(4):
            time = i * step + (0.0, 0.5, 0.5, 1.0)[stage] * step
            wave_torques(waves, time, phase.trial_position, phase.trial_velocity, torque, angle, links - 1)
            if measuring and stage == 0:
                add_power(lanes, torque, phase.trial_velocity, work, links - 1)
            block_accelerations(model, block, phase.trial_position, phase.trial_velocity, torque, phase.acceleration)
            if measuring and stage == 0:
                add_direction(block, direction, links)
            accumulate(phase, wide, stage, step)
    for lane in range(count):
        measures.power[first + lane] = work[lane] / measured
        measures.direction[first + lane, 0] = direction[0][lane] / (measured * links)
        measures.direction[first + lane, 1] = direction[1][lane] / (measured * links)
    store(states, first, count, phase, measures)


@kernel
def wave_rollouts(model, runs, states, step, steps, measured):
    """Carry every run through `steps` RK4 steps from time 0 and measure over the last `measured` of them.

    Returns the measures, direction and power sampled at the start of every measured step, and the final states (runs,
    2 (n + 2)). Head first is against the direction.
    """
    count = states.shape[0]
    measures, final = Measures(np.empty((count, 2)), np.empty((count, 2)), np.empty(count)), states.copy()
    for block in range((count + LANES - 1) // LANES):
        run_block(model, runs, block * LANES, final, step, steps, measured, measures)
    return measures, final
