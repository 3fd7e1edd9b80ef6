"""The compiled loop round MuJoCo: states in and out of its memory, steps, books, and where a run went wrong."""

from __future__ import annotations

import numpy as np

from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.contact.memory import call
from serpenoid.kernels.contact.records import DATA, MODEL, STEP, STIFF
from serpenoid.kernels.contact.servos import book, book_drives, pull, turn_motors, warm_up
from serpenoid.kernels.motion import motion_segment

LARGEST = 1e6  # a number of a state beyond this has diverged


@inner
def load(physics, places, state):
    """Put a state into MuJoCo's memory."""
    if physics.free:
        for i in range(7):
            physics.qpos[i] = state[i]
        for i in range(6):
            physics.qvel[i] = state[places.velocity + i]
    for j in range(physics.joint_dof.size):
        physics.qpos[physics.joint_position[j]] = state[places.joints + j]
        physics.qvel[physics.joint_dof[j]] = state[places.rates + j]
    for i in range(physics.warm.size):
        physics.warm[i] = state[places.warm + i]


@inner
def store(physics, places, state):
    """Put MuJoCo's memory back into a state."""
    if physics.free:
        for i in range(7):
            state[i] = physics.qpos[i]
        for i in range(6):
            state[places.velocity + i] = physics.qvel[i]
    for j in range(physics.joint_dof.size):
        state[places.joints + j] = physics.qpos[physics.joint_position[j]]
        state[places.rates + j] = physics.qvel[physics.joint_dof[j]]
    for i in range(physics.warm.size):
        state[places.warm + i] = physics.warm[i]


@inner
def sound(state):
    """Whether every number is finite and at most LARGEST; comparisons with NaN are false."""
    good = True
    for i in range(state.size):
        good = good and abs(state[i]) <= LARGEST
    return good


@inner
def one_step(physics, servos, lead, number, places, state, pushed):
    """Carry a state that stands in MuJoCo's memory over one step; whether it is sound."""
    time = number * physics.step
    segment = motion_segment(lead.motion, time + 0.5 * physics.step)
    pull(physics, servos, lead, segment, time, places, state)
    for d in range(physics.qvel.size):
        physics.before[d] = physics.qvel[d]
    call(physics.addresses[STEP], physics.addresses[MODEL], physics.addresses[DATA])
    book(physics, places, state, pushed)
    if servos.kind == STIFF:
        book_drives(physics, places, state)
    else:
        turn_motors(physics, servos, lead, segment, time, places, state)
    if servos.warming > 0.0:
        warm_up(physics, servos, places, state)
    store(physics, places, state)
    return sound(state)


@kernel
def contact_rollout(physics, servos, lead, places, start, first, steps, every):
    """States (steps / every, numbers) after every `every`-th step, NaN from where a run diverged."""
    states = np.full((steps // every, start.size), np.nan)
    state = start.copy()
    load(physics, places, state)
    pushed = np.any(physics.outside != 0.0)
    for i in range(steps):
        if not one_step(physics, servos, lead, first + i, places, state, pushed):
            break
        if (i + 1) % every == 0:
            states[(i + 1) // every - 1] = state
    return states
