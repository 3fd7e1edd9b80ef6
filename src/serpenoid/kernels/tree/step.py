"""Rollouts of a tree whose joints follow a motion exactly, in one compiled call: RK4 on the centroidal motion.

States are flat: base position (3), quaternion w x y z (4), joint angles, base twist in base axes (6), joint rates. The
accounts of ledger.py may follow. The world is a record registered in `environment.py`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.accounts import DRIVE, MEDIUM, PER_JOINT
from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.linear import copy
from serpenoid.kernels.motion import joint_motion, motion_segment
from serpenoid.kernels.runge_kutta import LARGEST, is_bounded, new_stages, runge_kutta_step, slope_of
from serpenoid.kernels.tree.centroidal import base_of, centroidal_rate, gather, normalise, scatter
from serpenoid.kernels.tree.environment import set_time
from serpenoid.kernels.tree.frames import workspace
from serpenoid.kernels.tree.ledger import Books, balance, energy_of_motion, open_books, stored_potential
from serpenoid.kernels.tree.shape import CENTROIDAL, SIZE, compute_shape

KNOT_TOLERANCE = 1e-9  # of a step: a knot closer than this to a step's end does not split it
STARTS, MIDDLE, ENDS = 0, 1, 2


class PrescribedTree(NamedTuple):
    """Tree with known shapes at a step's start, middle and end; `order` gives the rows of these three."""

    tree: Any
    world: Any
    outside: NDArray  # wrenches, see scene.push_bodies()
    order: NDArray  # (3,) int64: rows below of the start, middle and end of the step
    angles: NDArray  # (3, joints) [rad]
    rates: NDArray  # (3, joints) [rad/s]
    accelerations: NDArray  # (3, joints) [rad/s^2]
    works: tuple[NDArray, NDArray, NDArray]
    shapes: NDArray  # (3, SIZE)
    extra: NDArray  # (6, 7) for added inertia
    slopes: NDArray  # (4, CENTROIDAL) of the stages
    middle: NDArray  # (CENTROIDAL,) centroidal motion in the step's middle
    good: NDArray  # (1,) bool: whether the state at the step's start is finite and bounded
    books: Books


@kernel
def prescribed_tree(tree, world, outside):
    """Allocate a PrescribedTree."""
    joints = tree.parent.size - 1
    return PrescribedTree(
        tree=tree,
        world=world,
        outside=outside,
        order=np.arange(3),
        angles=np.zeros((3, joints)),
        rates=np.zeros((3, joints)),
        accelerations=np.zeros((3, joints)),
        works=(workspace(tree), workspace(tree), workspace(tree)),
        shapes=np.zeros((3, SIZE)),
        extra=np.zeros((6, 7)),
        slopes=np.zeros((4, CENTROIDAL)),
        middle=np.zeros(CENTROIDAL),
        good=np.ones(1, np.bool_),
        books=open_books(tree),
    )


@slope_of(PrescribedTree)
@inner
def prescribed_slope(system, stage, time, state, out):
    """Write the centroidal rate for the shape at the stage's time."""
    at = system.order[(stage + 1) // 2]
    set_time(system.world, time)
    place, linear, omega = centroidal_rate(
        system.world, system.tree, system.outside, system.works[at], system.extra, system.shapes[at], state,
        system.books.scene, out,
    )  # fmt: skip
    if stage == 0:
        system.good[0] = is_within(place) and is_within(linear) and is_within(omega)
    for k in range(CENTROIDAL):
        system.slopes[stage, k] = out[k]


@inner
def is_within(vector):
    """Return whether three numbers of a state are finite and below LARGEST."""
    return abs(vector[0]) < LARGEST and abs(vector[1]) < LARGEST and abs(vector[2]) < LARGEST


@inner
def next_stop(motion, time, end, tolerance):
    """Return the first knot of a motion after a time if it is before a step's end, else the end."""
    for knot in motion.knots:
        if time + tolerance < knot < end - tolerance:
            return knot
    return end


@kernel
def prescribed_rollout(tree, world, motion, state, first, steps, every, step, outside):
    """Return states (steps / every, numbers) of a tree whose joints follow a motion exactly, at every `every`-th step.

    The method is RK4 at `step` [s] from step number `first`. Steps are split at the motion's knots, and each stage
    takes the motion from its own side of a knot. Only the base of the state, its joint rates (for the momentum) and its
    accounts are used. outside: constant wrenches, see scene.push_bodies(). Rows are NaN from the step in which a number
    of the state leaves its range.
    """
    out, system = np.full((steps // every, state.size), np.nan), prescribed_tree(tree, world, outside)
    centroidal, stages = np.zeros(CENTROIDAL), new_stages(CENTROIDAL)
    books, known = state[11 + 2 * tree.parent.size :].copy(), -2
    accounts = books[PER_JOINT * (tree.parent.size - 1) :]
    open_prescribed(system, first * step, state, centroidal, accounts)
    for k in range(steps):
        time, end = (first + k) * step, (first + k + 1) * step
        while time < end and system.good[0]:
            stop = next_stop(motion, time, end, KNOT_TOLERANCE * step)
            segment = motion_segment(motion, 0.5 * (time + stop))
            shape_step(system, motion, segment, segment != known, time, stop, centroidal, accounts)
            if not tree.fixed_base:
                runge_kutta_step(system, stages, time, stop - time, centroidal, 4)
                normalise(centroidal)
            if accounts.size > 0:
                account_step(system, time, stop - time, centroidal, books)
            time, known = stop, segment
        if not system.good[0]:
            break
        if (k + 1) % every == 0 and not close_prescribed(system, end, centroidal, books, out[(k + 1) // every - 1]):
            break
    return out


@inner
def shape_step(system, motion, segment, fresh, time, stop, centroidal, accounts):
    """Compute joints and shapes at a step's start, middle and end; reuse the last end as start unless `fresh`.

    If joint rates jump at a knot, the drive does work equal to the gain of kinetic energy.
    """
    start, end = system.order[STARTS], system.order[ENDS]
    system.order[STARTS], system.order[ENDS] = end, start
    if fresh and accounts.size > 0:
        accounts[DRIVE] -= kinetic(system, end, centroidal)
    for stage in range(STARTS if fresh else MIDDLE, ENDS + 1):
        at = system.order[stage]
        moment = time + 0.5 * stage * (stop - time) if stage < ENDS else stop
        for joint in range(system.angles.shape[1]):
            angle, rate, acceleration = joint_motion(motion, segment, moment, joint)
            system.angles[at, joint], system.rates[at, joint] = angle, rate
            system.accelerations[at, joint] = acceleration
        compute_shape(
            system.world, system.tree, system.angles[at], system.rates[at], system.works[at], system.extra,
            system.shapes[at],
        )  # fmt: skip
    if fresh and accounts.size > 0:
        accounts[DRIVE] += kinetic(system, end, centroidal)
        enter(system, STARTS, time, centroidal)


@inner
def kinetic(system, at, centroidal):
    """Return the kinetic energy [J] in one of the three shapes."""
    base = base_at(system, at, centroidal)
    return energy_of_motion(system.world, system.tree, system.rates[at], system.works[at], base, system.books.scene)


@inner
def base_at(system, at, centroidal):
    """Return base_of() in one of the three shapes."""
    return base_of(system.world, system.tree, system.works[at], system.extra, system.shapes[at], centroidal)


@inner
def enter(system, moment, time, centroidal):
    """Compute the rates of all accounts at one of a step's three times [s]."""
    at = system.order[moment]
    set_time(system.world, time)
    joints = (system.angles[at], system.rates[at], system.accelerations[at])
    base = base_at(system, at, centroidal)
    work, books, count = system.works[at], system.books, system.angles.shape[1]
    rates = books.rates[moment]
    balance(system.world, system.tree, system.outside, joints, work, base, books, rates[PER_JOINT * count :])
    for joint in range(count):
        torque = books.torques[joint]
        rates[joint], rates[count + joint] = torque, torque * torque
        rates[2 * count + joint] = torque * joints[1][joint]


@inner
def account_step(system, time, step, centroidal, books):
    """Add a step from a time [s] that ended in `centroidal` to all accounts, by Simpson's rule: the weights of RK4.

    The centroidal motion in the middle is RK4's continuous extension, y0 + h (5 k1 + 4 k2 + 4 k3 - k4) / 24, of third
    order like the stages. The rates at the end become those at the start of the next step.
    """
    slopes, rates, middle = system.slopes, system.books.rates, system.middle
    for k in range(CENTROIDAL):
        back = 5.0 * slopes[3, k] + 4.0 * (slopes[1, k] + slopes[2, k]) - slopes[0, k]
        middle[k] = centroidal[k] - step / 24.0 * back
    enter(system, MIDDLE, time + 0.5 * step, middle)
    enter(system, ENDS, time + step, centroidal)
    for k in range(books.size):
        books[k] += step / 6.0 * (rates[STARTS, k] + 4.0 * rates[MIDDLE, k] + rates[ENDS, k])
        rates[STARTS, k] = rates[ENDS, k]


@inner
def open_prescribed(system, time, state, centroidal, accounts):
    """Compute the centroidal motion from a state at a time [s]; its shape is stored as the end of the previous step."""
    joints, at = system.angles.shape[1], system.order[ENDS]
    copy(state, 7, system.angles[at], 0, joints)
    copy(state, 13 + joints, system.rates[at], 0, joints)
    shape, work = system.shapes[at], system.works[at]
    set_time(system.world, time)
    compute_shape(system.world, system.tree, system.angles[at], system.rates[at], work, system.extra, shape)
    gather(system.world, system.tree, work, system.extra, shape, state, joints, centroidal)
    if accounts.size > 0:
        base = base_at(system, at, centroidal)
        accounts[MEDIUM] -= stored_potential(system.world, system.tree, work, base, system.books.scene)


@inner
def close_prescribed(system, time, centroidal, books, out):
    """Write the state at a step's end, a time [s]; return False and write NaN if a number has left its range."""
    joints, at = system.angles.shape[1], system.order[ENDS]
    set_time(system.world, time)
    scatter(system.world, system.tree, system.works[at], system.extra, system.shapes[at], centroidal, joints, out)
    copy(system.angles[at], 0, out, 7, joints)
    copy(system.rates[at], 0, out, 13 + joints, joints)
    if books.size > 0:
        base = base_at(system, at, centroidal)
        potential = stored_potential(system.world, system.tree, system.works[at], base, system.books.scene)
        copy(books, 0, out, 13 + 2 * joints, books.size)
        out[13 + (2 + PER_JOINT) * joints + MEDIUM] += potential
    good = is_bounded(out, 13 + 2 * joints)
    if not good:
        out[:] = np.nan
    return good
