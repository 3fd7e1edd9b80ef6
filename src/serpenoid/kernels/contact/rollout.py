"""Compiled loop around MuJoCo: steps, accounts, samples, and detection of divergence."""

from __future__ import annotations

import numpy as np

from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.contact.memory import call
from serpenoid.kernels.contact.records import DATA, END, MODEL, STEP, STIFF
from serpenoid.kernels.contact.samples import tell_start
from serpenoid.kernels.contact.servos import book, book_drives, pull, turn_motors, warm_up
from serpenoid.kernels.contact.states import find_near_posts, load, look_round, set_passes, store
from serpenoid.kernels.motion import motion_segment

LARGEST = 1e6  # a number of a state beyond this has diverged


@inner
def is_bounded(state):
    """Return whether every number is finite and at most LARGEST; comparisons with NaN are false."""
    good = True
    for i in range(state.size):
        good = good and abs(state[i]) <= LARGEST
    return good


@inner
def one_step(physics, servos, lead, number, places, state, row, survey, passed):
    """Advance the state in MuJoCo's memory by one step; return whether it is finite and bounded.

    passed: a forward pass at that state was made under other torques. Position- and velocity-dependent quantities are
    then up to date, and the step resumes at the drives. Row `row` of `survey` receives the results of the forward pass
    for the state before the step; none for -1.
    """
    time = number * physics.step
    segment = motion_segment(lead.motion, time + 0.5 * physics.step)
    pull(physics, servos, lead, segment, time, places, state)
    for d in range(physics.qvel.size):
        physics.before[d] = physics.qvel[d]
    if not passed:  # the forward pass has selected them
        find_near_posts(physics)
    set_passes(physics)
    call(physics.addresses[END if passed else STEP], physics.addresses[MODEL], physics.addresses[DATA])
    if row >= 0:
        tell_start(physics, lead, segment, number, state, row, survey)
    book(physics, places, state)
    if servos.kind == STIFF:
        book_drives(physics, places, state)
    else:
        turn_motors(physics, servos, lead, segment, time, places, state)
    if servos.warming > 0.0:
        warm_up(physics, servos, places, state)
    store(physics, places, state)
    return is_bounded(state)


@kernel
def contact_rollout(physics, servos, lead, places, start, stretch, survey):
    """Return states (samples, numbers) after every `every` steps of a Stretch, NaN after divergence.

    The samples before them, from the start on, are written to the rows of the Survey `survey`, if it has any.
    """
    every, rows = stretch.every, survey.number.size
    states = np.full((stretch.steps // every, start.size), np.nan)
    state = start.copy()
    load(physics, places, state)
    for i in range(stretch.steps):
        row = (stretch.row + i // every) % rows if rows > 0 and i % every == 0 else -1
        if not one_step(physics, servos, lead, stretch.first + i, places, state, row, survey, False):
            break
        if (i + 1) % every == 0:
            states[(i + 1) // every - 1] = state
    return states


@kernel
def find_posts(physics):
    """Select the posts within reach of the robot in MuJoCo's memory."""
    look_round(physics)
