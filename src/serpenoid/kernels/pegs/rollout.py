"""Rollouts among pegs in one compiled call, commanded by a motion or a constant command."""

from __future__ import annotations

import numpy as np

from serpenoid.kernels.accounts import CONTACT_ACCOUNTS, PER_JOINT
from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.motion import motion_segment
from serpenoid.kernels.pegs.joints import aim, follow
from serpenoid.kernels.pegs.step import peg_step
from serpenoid.kernels.pegs.working_arrays import peg_work
from serpenoid.kernels.runge_kutta import is_bounded


@inner
def is_moving(motion):
    """Return whether a motion ever changes."""
    turning = motion.coefficients.shape[0] > 1 or motion.coefficients.shape[1] > 1
    for j in range(motion.rate.size):
        turning = turning or motion.rate[j] != 0.0
    return turning


@kernel
def peg_rollout(scene, lead, wrench, state, first, step, steps, every):
    """Return states after every `every`-th of `steps` steps from step number `first`, and the diverged step or -1.

    The states are (steps // every, numbers); rows after divergence are NaN. Time is step number x step; a step's
    targets are those of its middle. `lead` is an Actuation. wrench (links, 3) or (0, 3) is constant. Its rows, one
    for each link shown by the robot, are force x, y at the centre of mass and moment [N, N m].
    """
    work, now = peg_work(scene), state.copy()
    states = np.full((steps // every, state.size), np.nan)
    aim(lead, work)
    moving = is_moving(lead.motion)
    for i in range(steps):
        time = (first + i + 0.5) * step
        if moving or i == 0:
            follow(lead.motion, motion_segment(lead.motion, time), time, work)
        peg_step(scene, lead.drive, work, wrench, step, now)
        if not is_bounded(now, now.size - CONTACT_ACCOUNTS - PER_JOINT * (scene.chain.mass.size - 1)):
            return states, first + i
        if (i + 1) % every == 0:
            states[(i + 1) // every - 1] = now
    return states, -1
