"""Episodes of single rows: starts, commands, observations, rewards and ends.

An engine's kernel calls, in this order, begin_tick for its rows, its own physics for rows that are `active`, its own
readings, and finish_tick. If finish_tick starts a new episode, the kernel reads the new state and calls observe. Rows
do not depend on each other.
"""

from __future__ import annotations

from math import cos, log, pi, sin, sqrt

import numpy as np

from serpenoid.kernels.compile import inner
from serpenoid.kernels.laws.sensed import read_sensor
from serpenoid.kernels.learning.records import (
    AMPLITUDE,
    BIAS,
    DIVERGED,
    EFFORT,
    ENDED,
    FREQUENCY,
    NEXT_STEP,
    NOISE,
    OFFSET,
    RATE,
    RESOLUTION,
    RUNNING,
    SAME_STEP,
    SPATIAL,
    TARGETS,
    TIMED_OUT,
    TORQUES,
    WAVE,
)

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_A, MIX_B = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
SHIFT_A, SHIFT_B, SHIFT_C, SHIFT_D = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)


@inner
def draw(random, row):
    """Return a number from 0 to below 1 by splitmix64, and advance the row's generator."""
    random[row] += GOLDEN
    z = random[row]
    z = (z ^ (z >> SHIFT_A)) * MIX_A
    z = (z ^ (z >> SHIFT_B)) * MIX_B
    z = z ^ (z >> SHIFT_C)
    return float(z >> SHIFT_D) * 2.0**-53


@inner
def draw_normal(random, row):
    """Return a number with standard normal distribution, by the method of Box and Muller."""
    size = sqrt(-2.0 * log(1.0 - draw(random, row)))
    return size * cos(2.0 * pi * draw(random, row))


@inner
def start_row(task, rows, row):
    """Draw a variant, a start and its noise, and begin an episode."""
    variants, starts, numbers = task.starts.shape
    variant, start = int(draw(rows.random, row) * variants), int(draw(rows.random, row) * starts)
    if task.fresh:
        variant = 4 * row + 1 - rows.variant[row]  # 2 row and 2 row + 1 in turn
    rows.variant[row] = variant
    for i in range(rows.seen.shape[1]):
        rows.seen[row, i] = np.inf
    if task.noisy:
        for i in range(task.observed.size):
            rows.bias[row, i] = task.errors[i, BIAS] * draw_normal(rows.random, row)
    for i in range(numbers):
        value = task.starts[variant, start, i]
        if task.noise[i] > 0.0:
            value += task.noise[i] * (2.0 * draw(rows.random, row) - 1.0)
        rows.state[row, i] = value
    for j in range(rows.target.shape[1]):
        rows.target[row, j], rows.push[row, j] = task.rest[j] + rows.state[row, task.joints_at + j], 0.0
    rows.phase[row], rows.total[row], rows.ticks[row], rows.good[row] = 0.0, 0.0, 0, True


@inner
def begin_tick(task, rows, row):
    """Start a pending episode, or set the command of an active row."""
    if task.autoreset == NEXT_STEP and rows.reason[row] != RUNNING:
        start_row(task, rows, row)
        rows.active[row] = False
        return
    rows.active[row] = True
    rows.ticks[row] += 1
    for i in range(rows.readings.shape[1]):
        rows.before[row, i] = rows.readings[row, i]
    if task.kind == TARGETS or task.kind == TORQUES:
        out = rows.target if task.kind == TARGETS else rows.push
        for i in range(task.scale.size):
            out[row, task.parameter[i]] = task.middle[i] + task.scale[i] * rows.action[row, i]
    elif task.kind == WAVE:
        set_wave(task, rows, row)


@inner
def parameter_of(task, rows, row, which):
    """Return a parameter of the wave: its own value, or that of the action that sets it."""
    value = task.wave[which]
    for i in range(task.scale.size):
        if task.parameter[i] == which:
            value = task.middle[i] + task.scale[i] * rows.action[row, i]
    return value


@inner
def set_wave(task, rows, row):
    """Set the targets of a wave, offset + amplitude sin(phase - spatial s), in the middle of the tick."""
    amplitude, spatial = parameter_of(task, rows, row, AMPLITUDE), parameter_of(task, rows, row, SPATIAL)
    offset = parameter_of(task, rows, row, OFFSET)
    half = pi * parameter_of(task, rows, row, FREQUENCY) * task.step * task.steps
    for j in range(task.arc.size):
        angle = rows.phase[row] + half - spatial * task.arc[j]
        rows.target[row, j] = offset + amplitude * sin(angle)
    rows.phase[row] = (rows.phase[row] + 2.0 * half) % (2.0 * pi)


@inner
def observe(task, rows, row, out):
    """Write the observed readings of a row, with the errors of the sensors."""
    for i in range(task.observed.size):
        out[row, i] = rows.readings[row, task.observed[i]]
    if task.noisy:
        for i in range(task.observed.size):
            error = rows.bias[row, i] + task.errors[i, NOISE] * draw_normal(rows.random, row)
            out[row, i] = read_sensor(out[row, i], error, task.errors[i, RESOLUTION])


@inner
def rate_tick(task, rows, row):
    """Return the reward of a tick."""
    total, period = 0.0, task.step * task.steps
    for i in range(task.term.size):
        at = task.term_at[i]
        if task.term[i] == RATE:
            value = (rows.readings[row, at] - rows.before[row, at]) / period
        elif task.term[i] == EFFORT:
            value = 0.0
            for k in range(rows.action.shape[1]):
                value += rows.action[row, k] * rows.action[row, k]
        else:
            value = rows.readings[row, at]
        total += task.weight[i] * value
    return total


@inner
def reason_of(task, rows, row):
    """Return the reason for which an episode ends at this tick, RUNNING for none."""
    if not rows.good[row]:
        return DIVERGED
    for i in range(task.end_at.size):
        value = rows.readings[row, task.end_at[i]]
        if value < task.low[i] or value > task.high[i]:
            return ENDED
    return TIMED_OUT if task.limit > 0 and rows.ticks[row] >= task.limit else RUNNING


@inner
def finish_tick(task, rows, row):
    """Set the reward of a row and end or continue its episode; return whether its state must be read again.

    A state that diverged keeps the readings of the last tick, without a reward.
    """
    if not rows.active[row]:
        rows.reward[row], rows.reason[row] = 0.0, RUNNING
        return True
    if not rows.good[row]:
        for i in range(rows.readings.shape[1]):
            rows.readings[row, i] = rows.before[row, i]
    rows.reward[row] = rate_tick(task, rows, row) if rows.good[row] else 0.0
    rows.total[row] += rows.reward[row]
    reason = reason_of(task, rows, row)
    rows.reason[row] = reason
    observe(task, rows, row, rows.observation)
    if reason == RUNNING:
        return False
    rows.last_total[row], rows.last_ticks[row] = rows.total[row], rows.ticks[row]
    if task.autoreset != SAME_STEP:
        return False
    observe(task, rows, row, rows.final)
    start_row(task, rows, row)
    return True
