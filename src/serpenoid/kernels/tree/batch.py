"""Batched rollouts of one floating tree under waves, sixteen per block: RK4 on centre of mass and momentum.

The mechanics of shape.py, centroidal.py and environment.py and the method of runge_kutta.py are instantiated for wide
vectors; each slot is a run.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from serpenoid.kernels.compile import CHOSEN, bare_kernel, inner
from serpenoid.kernels.records import Buoyancy, Tree, Vacuum, Water
from serpenoid.kernels.runge_kutta import Stages, runge_kutta_step, slope_of
from serpenoid.kernels.simd import WIDE, store
from serpenoid.kernels.stack import slots, stack_array, stack_vectors
from serpenoid.kernels.tree.centroidal import centroidal_rate, gather, normalise, scatter
from serpenoid.kernels.tree.frames import COLUMNS
from serpenoid.kernels.tree.scene import NO_WRENCHES
from serpenoid.kernels.tree.shape import CENTROIDAL, SIZE, compute_shape
from serpenoid.kernels.trigonometry import sine_cosine
from serpenoid.kernels.water.hydrostatics import CUT, INTEGRALS, WORK


class WaveJoints(NamedTuple):
    """Joint waves of every run: q = offset + amplitude sin(phase + rate t)."""

    offset: NDArray  # (runs, joints) [rad]
    amplitude: NDArray  # (runs, joints) [rad]
    rate: NDArray  # (runs, joints) [rad/s]
    phase: NDArray  # (runs, joints) [rad] at time zero


class Steps(NamedTuple):
    """Steps of a rollout."""

    first: int  # number of the first one
    count: int
    every: int  # steps between two samples
    size: float  # [s]


class WaveTrees(NamedTuple):
    """Block of trees, each commanded by its own wave; all arrays except the tree's contain wide vectors."""

    tree: Tree
    world: Vacuum | Buoyancy
    outside: NDArray  # no wrenches
    waves: WaveJoints  # each (joints,)
    angles: NDArray  # (joints,) [rad]
    rates: NDArray  # (joints,) [rad/s]
    works: NDArray  # (3, bodies, COLUMNS)
    shapes: NDArray  # (3, SIZE) at one end of a step, in its middle and at its other end
    extra: NDArray  # (6, 7) for added inertia, which is absent here
    start: int  # index of the step's start in `shapes`, 0 or 2


@slope_of(WaveTrees)
@inner
def wave_slope(system, stage, time, state, out):
    """Write the centroidal rate for the shape at the stage's time."""
    at = (system.start, 1, 2 - system.start)[(stage + 1) // 2]
    centroidal_rate(
        system.world, system.tree, system.outside, system.works[at], system.extra, system.shapes[at], state, None, out
    )  # fmt: skip


@inner
def set_joints(system, time):
    """Set the angles and rates of the waves at a time [s]."""
    waves = system.waves
    for j in range(system.angles.size):
        sine, cosine = sine_cosine(waves.phase[j] + time * waves.rate[j])
        system.angles[j] = waves.offset[j] + waves.amplitude[j] * sine
        system.rates[j] = waves.amplitude[j] * waves.rate[j] * cosine


@inner
def set_shape(system, at):
    """Compute shape number `at` from the current angles and rates."""
    compute_shape(
        system.world, system.tree, system.angles, system.rates, system.works[at], system.extra, system.shapes[at]
    )


@inner
def open_block(system, joints, states, first, state, whole):
    """Copy sixteen runs into the slots of a block and their centroidal motion into `whole`.

    Repeat the last run if needed.
    """
    last, waves, count = states.shape[0] - 1, system.waves, system.angles.size
    for slot in range(WIDE):
        run = min(first + slot, last)
        for j in range(count):
            slots(waves.offset)[j, slot] = joints.offset[run, j]
            slots(waves.amplitude)[j, slot] = joints.amplitude[run, j]
            slots(waves.rate)[j, slot] = joints.rate[run, j]
            slots(waves.phase)[j, slot] = joints.phase[run, j]
        for k in range(state.size):
            slots(state)[k, slot] = states[run, k]
    for j in range(count):
        system.angles[j], system.rates[j] = state[7 + j], state[13 + count + j]
    set_shape(system, system.start)
    at = system.start
    gather(system.world, system.tree, system.works[at], system.extra, system.shapes[at], state, count, whole)


@inner
def close_block(system, at, whole, state, out, row, column):
    """Write the states of a block whose shape is number `at`: rows of the runs from `column` on."""
    count = system.angles.size
    scatter(system.world, system.tree, system.works[at], system.extra, system.shapes[at], whole, count, state)
    for j in range(count):
        state[7 + j], state[13 + count + j] = system.angles[j], system.rates[j]
    for k in range(state.size):
        store(out, row + k, column, state[k])


@bare_kernel
def run_blocks(tree, world, outside, joints, states, steps, out):
    """Advance all runs; out (samples x numbers, runs rounded up to a multiple of sixteen)."""
    bodies, size = tree.parent.size, (states.shape[1],)
    n, whole, planes = (bodies - 1,), (CENTROIDAL,), (4 * count_prisms(world),)
    integrals = (INTEGRALS * count_prisms(world),)
    system = WaveTrees(
        tree=tree,
        world=widen(world, stack_vectors(planes), stack_vectors((CUT,)), stack_vectors(integrals), stack_array(WORK)),
        outside=outside,
        waves=WaveJoints(stack_vectors(n), stack_vectors(n), stack_vectors(n), stack_vectors(n)),
        angles=stack_vectors(n), rates=stack_vectors(n), works=stack_vectors((3, bodies, COLUMNS)),
        shapes=stack_vectors((3, SIZE)), extra=stack_vectors((6, 7)), start=0,
    )  # fmt: skip
    stages = Stages(stack_vectors(whole), stack_vectors(whole), stack_vectors(whole), stack_vectors(whole))
    state, motion = stack_vectors(size), stack_vectors(whole)
    for block in range(0, states.shape[0], WIDE):
        open_block(system, joints, states, block, state, motion)
        for k in range(CENTROIDAL):
            stages.carry[k] = 0.0
        set_joints(system, steps.first * steps.size)
        set_shape(system, 0)
        for k in range(steps.count):
            time, start = (steps.first + k) * steps.size, 2 * (k % 2)
            set_joints(system, time + 0.5 * steps.size)
            set_shape(system, 1)
            set_joints(system, time + steps.size)
            set_shape(system, 2 - start)
            runge_kutta_step(replace_start(system, start), stages, time, steps.size, motion, 4)
            normalise(motion)
            if (k + 1) % steps.every == 0:
                close_block(system, 2 - start, motion, state, out, ((k + 1) // steps.every - 1) * state.size, block)


@inner
def replace_start(system, start):
    """Return the system with another shape at its step's start."""
    return WaveTrees(
        tree=system.tree,
        world=system.world,
        outside=system.outside,
        waves=system.waves,
        angles=system.angles,
        rates=system.rates,
        works=system.works,
        shapes=system.shapes,
        extra=system.extra,
        start=start,
    )


def count_prisms(world):
    """Return the number of prisms immersed in a world."""
    raise NotImplementedError("for compiled code")


@overload(count_prisms, jit_options=CHOSEN)
def choose_count(world):
    if world.instance_class is Vacuum:
        return lambda world: 0
    return lambda world: world.prisms.body.size


def widen(world, planes, cut, integrals, block):
    """Return the world of a block with its own scratch memory, because threads may share records."""
    raise NotImplementedError("for compiled code")


@overload(widen, jit_options=CHOSEN)
def choose_wide(world, planes, cut, integrals, block):
    if world.instance_class is Vacuum:
        return lambda world, planes, cut, integrals, block: world
    return lambda world, planes, cut, integrals, block: Buoyancy(
        world.density, world.gravity, world.sections, world.prisms, planes, cut, integrals, block
    )


def wave_rollouts(tree: Tree, world: Any, joints: WaveJoints, states: NDArray, steps: Steps) -> NDArray:
    """Return the states (runs, samples, numbers) of many runs of one tree, each commanded by its own waves.

    The world is a Vacuum, or a Water without drag and added mass. `states` (runs, numbers) are the runs' states before
    the first step; the method is RK4. Results equal prescribed_rollout() of each run up to rounding.
    """
    if isinstance(world, Water):
        world = Buoyancy(*(getattr(world, name) for name in Buoyancy._fields))
    count, samples = len(states), steps.count // steps.every
    out = np.empty((samples * states.shape[1], -(-count // WIDE) * WIDE))
    run_blocks(tree, world, NO_WRENCHES, joints, states, steps, out)
    return out.reshape(samples, states.shape[1], -1)[:, :, :count].transpose(2, 0, 1)
