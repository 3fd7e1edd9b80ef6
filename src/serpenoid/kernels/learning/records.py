"""Records of the environment kernels: the task, and the rows that are stepped together."""

from __future__ import annotations

from typing import NamedTuple

from numpy.typing import NDArray

TARGETS, TORQUES, WAVE, POINTS = range(4)  # kinds of actions, the last one of set_points.py
AMPLITUDE, FREQUENCY, SPATIAL, OFFSET = range(4)  # parameters of the wave that actions change
VALUE, RATE, EFFORT = range(3)  # kinds of reward terms
RUNNING, ENDED, TIMED_OUT, DIVERGED = range(4)  # reasons for the end of an episode
SAME_STEP, NEXT_STEP, DISABLED = range(3)  # autoreset
NOISE, BIAS, RESOLUTION = range(3)  # columns of sensor errors


class Task(NamedTuple):
    """Actions, observations, reward, ends and starts; one for all rows."""

    kind: int  # of the actions
    scale: NDArray  # (actions,) change of the commanded quantity per unit of action
    middle: NDArray  # (actions,) the quantity at action 0
    parameter: NDArray  # (actions,) int64, driven joint, or parameter of the wave
    wave: NDArray  # (4,) parameters of the wave that no action changes
    arc: NDArray  # (joints,) arc coordinate of the driven joints
    rest: NDArray  # (joints,) targets at a start relative to its joint angles, NaN if not commanded [rad]
    joints_at: int  # place of the joint angles in a state
    step: float  # [s]
    steps: int  # of a control period
    limit: int  # control periods of an episode
    observed: NDArray  # (observations,) int64, readings
    errors: NDArray  # (observations, 3) deviation of noise and of an episode's bias, and resolution, 0 for none
    noisy: bool  # whether there are sensor errors
    term: NDArray  # (terms,) int64, kinds of reward terms
    term_at: NDArray  # (terms,) int64, their readings
    weight: NDArray  # (terms,)
    end_at: NDArray  # (ends,) int64, readings
    low: NDArray  # (ends,) an episode ends if a reading is below,
    high: NDArray  # (ends,) or above
    starts: NDArray  # (variants, starts, numbers) states
    noise: NDArray  # (numbers,) half width of the uniform noise of a start
    autoreset: int
    fresh: bool  # whether a row alternates between two variants of its own


class Rows(NamedTuple):
    """State and results of all rows; the leading dimension is the row."""

    state: NDArray  # (rows, numbers)
    origin: NDArray  # (rows, 2) centre of mass at the start of the episode among pegs [m]
    seen: NDArray  # (rows, numbers) positions for which neighbour lists were made [m]
    near: NDArray  # (rows, numbers) int64, neighbour lists
    before: NDArray  # (rows, readings) at the last tick
    readings: NDArray  # (rows, readings) at this tick
    action: NDArray  # (rows, actions)
    target: NDArray  # (rows, joints) commanded angles [rad]
    push: NDArray  # (rows, joints) commanded torques [N m]
    phase: NDArray  # (rows,) of the wave [rad]
    observation: NDArray  # (rows, observations)
    bias: NDArray  # (rows, observations) of the sensors in this episode
    final: NDArray  # (rows, observations) of an episode that ended at this tick
    reward: NDArray  # (rows,)
    total: NDArray  # (rows,) sum of the rewards of the episode
    last_total: NDArray  # (rows,) of the episode that ended last
    variant: NDArray  # (rows,) int64
    ticks: NDArray  # (rows,) int64, of the episode
    last_ticks: NDArray  # (rows,) int64, of the episode that ended last
    reason: NDArray  # (rows,) int64, for the end of the episode at this tick
    random: NDArray  # (rows,) uint64, state of the generator
    good: NDArray  # (rows,) bool, whether the state is finite and bounded
    active: NDArray  # (rows,) bool, whether the row is simulated in this call
