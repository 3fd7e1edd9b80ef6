"""Inertial turning: the heading of the virtual chassis reverses the gait by a two-well law and tapers half the body.

The memory from at.turning on starts with the pose (kernels/pose). Then come beta, the tapered side, the heading, its
reference, the number of samples, their sum, and the samples of the last cycle.
"""

from __future__ import annotations

from math import pi
from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable

from serpenoid.kernels.compile import bare_kernel, inner, kernel
from serpenoid.kernels.pose.chassis import chassis_step
from serpenoid.kernels.pose.inertial import HEADING, Inertial, filter_step, pose_numbers

BETA, SIDE, HEADED, REFERENCE, COUNT, SUM, RING = range(7)
SUBSTEPS = 4  # per period, for the two wells


class Turning(NamedTuple):
    """Reversal and steering; both are off for a body without links."""

    body: Inertial
    reversal: int  # index of the parameter that receives beta, -1: none
    front: int  # parameter indices of the tapers, -1: none
    rear: int
    well: float  # K_b [1/(s rad^2)]
    pull: float  # K_h [1/s]
    taper: float  # fraction by which the amplitude is reduced at the end of the tapered half
    begin: float  # heading error above which tapering starts [rad]
    end: float  # heading error below which tapering ends [rad]
    side: float  # +1: the front half is tapered if the heading is too large
    target: float  # desired heading relative to that of the first cycle [rad]
    samples: int  # per cycle
    period: float  # [s]


@register_jitable
def turning_numbers(turning):
    """Return the size of the memory of turning."""
    if turning.body.parent.size == 0:
        return 0
    return pose_numbers(turning.body) + RING + turning.samples


@inner
def two_wells(beta, heading, well, pull, period):
    """Integrate (4.21) with stable wells over a period.

    beta' = -K_b x (x - pi/2) (x - pi) + K_h (h - beta),    x = beta mod pi
    """
    for _ in range(SUBSTEPS):
        x = beta % pi
        beta += period / SUBSTEPS * (-well * x * (x - 0.5 * pi) * (x - pi) + pull * (heading - beta))
    return beta


@kernel
def reversal_history(beta, headings, well, pull, period):
    """Return beta [rad] after each period for headings (ticks,) [rad]."""
    out = np.empty(headings.size)
    for i in range(headings.size):
        beta = two_wells(beta, headings[i], well, pull, period)
        out[i] = beta
    return out


@bare_kernel
def turn_by_heading(law, memory, at, sensed):
    """Estimate the pose and average the heading over a cycle; after the first whole cycle also reverse and steer."""
    turning, own = law.turning, at.turning + pose_numbers(law.turning.body)
    filter_step(turning.body, memory, at.turning, sensed, turning.period)
    chassis_step(turning.body, memory, at.turning)
    here = own + RING + int(memory[own + COUNT]) % turning.samples
    memory[own + SUM] += memory[at.turning + HEADING] - memory[here]
    memory[here] = memory[at.turning + HEADING]
    memory[own + COUNT] += 1.0
    if memory[own + COUNT] < turning.samples:
        return
    mean = memory[own + SUM] / turning.samples
    if memory[own + COUNT] == turning.samples:
        memory[own + REFERENCE] = mean
    heading = mean - memory[own + REFERENCE] - turning.target
    memory[own + HEADED] = heading
    if turning.reversal >= 0:
        memory[own + BETA] = two_wells(memory[own + BETA], heading, turning.well, turning.pull, turning.period)
        place = turning.reversal * law.windows.slots
        memory[at.state + place] = memory[own + BETA] - law.admittance.nominal[turning.reversal]
        memory[at.rate + place] = 0.0
    steer(law, memory, at, own, heading)


@inner
def steer(law, memory, at, own, heading):
    """Taper the half whose apex turns the snake back, relative to the current well of beta (conical sidewinding)."""
    turning = law.turning
    well = round(memory[own + BETA] / pi)
    error = heading - well * pi
    if abs(error) > turning.begin:
        backwards = well % 2 != 0
        way = 1.0 if error > 0.0 else -1.0
        memory[own + SIDE] = way * turning.side * (-1.0 if backwards else 1.0)
    elif abs(error) < turning.end:
        memory[own + SIDE] = 0.0
    slots = law.windows.slots
    if turning.front >= 0:
        memory[at.shift + turning.front * slots] = turning.taper if memory[own + SIDE] > 0.0 else 0.0
    if turning.rear >= 0:
        memory[at.shift + turning.rear * slots] = turning.taper if memory[own + SIDE] < 0.0 else 0.0
