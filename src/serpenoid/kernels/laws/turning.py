"""Inertial turning: the heading of the virtual chassis reverses the gait by two wells and tapers one half of the body.

Memory from at.turning on: the pose (kernels/pose), then beta, the side that is tapered, the heading, its reference, the
number of samples, their sum, and the last cycle's samples.
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
SUBSTEPS = 4  # of a period, for the two wells


class Turning(NamedTuple):
    """Reversal and steering; a body without links: neither."""

    body: Inertial
    reversal: int  # place of the parameter that beta is written to, -1: none
    front: int  # places of the tapers, -1: none
    rear: int
    well: float  # K_b [1/(s rad^2)]
    pull: float  # K_h [1/s]
    taper: float  # share of the amplitude that is gone at the end of the tapered half
    begin: float  # error of the heading from which on it is tapered [rad]
    end: float  # and below which no longer [rad]
    side: float  # +1: the front half is tapered where the heading is too large
    target: float  # wanted heading against that of the first cycle [rad]
    samples: int  # of a cycle
    period: float  # [s]


@register_jitable
def turning_numbers(turning):
    """How many numbers turning remembers."""
    if turning.body.parent.size == 0:
        return 0
    return pose_numbers(turning.body) + RING + turning.samples


@inner
def two_wells(beta, heading, well, pull, period):
    """(4.21), its wells made stable: beta' = -K_b x (x - pi/2) (x - pi) + K_h (h - beta), x = beta mod pi."""
    for _ in range(SUBSTEPS):
        x = beta % pi
        beta += period / SUBSTEPS * (-well * x * (x - 0.5 * pi) * (x - pi) + pull * (heading - beta))
    return beta


@kernel
def reversal_history(beta, headings, well, pull, period):
    """beta [rad] after each period under headings (ticks,) [rad]."""
    out = np.empty(headings.size)
    for i in range(headings.size):
        beta = two_wells(beta, headings[i], well, pull, period)
        out[i] = beta
    return out


@bare_kernel
def turn_by_heading(law, memory, at, sensed):
    """One tick: estimate the pose, average the heading over a cycle; after the first whole cycle reverse and steer."""
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
    """Taper the half whose apex turns the snake back, counted from the well that beta is in (conical sidewinding)."""
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
