"""Many runs of NATRIX afloat: 64 in lock-step where they differ in gait and seed alone, one at a time else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.gaits import Undulation
from serpenoid.gaits.limits import check_limits
from serpenoid.kernels.motion import motion_samples
from serpenoid.kernels.tree.block import LANES
from serpenoid.kernels.tree.lanes import WaveJoints
from serpenoid.kernels.tree.scene import NO_WRENCHES
from serpenoid.kernels.tree.step import prescribed_rollout
from serpenoid.kernels.water.lanes import afloat_rollouts
from serpenoid.worlds.flotation import Flotation

if TYPE_CHECKING:
    from serpenoid.scenarios.natrix import NatrixAfloat


def start_state(scenario: NatrixAfloat) -> NDArray:
    """The flat state that a run starts from."""
    motion = scenario.gait.motion(scenario.robot)
    check_limits(scenario.robot, motion)
    shape, rates, _ = (part[0] for part in motion_samples(motion, np.zeros(1)))
    twist = Flotation(scenario.robot, scenario.world, shape).resting_twist(rates)
    return np.concatenate((scenario.initial().base_pose or (), shape, twist, rates))


def blocks(scenarios: Sequence[NatrixAfloat]) -> Iterator[list[int]]:
    """Indices of runs that go through the lanes together, at most 64; a run that cannot goes alone."""
    groups: dict[Any, list[int]] = {}
    for i, scenario in enumerate(scenarios):
        groups.setdefault(shared(scenario) if fits(scenario) else i, []).append(i)
    for members in groups.values():
        for first in range(0, len(members), LANES):
            yield members[first : first + LANES]


def fits(scenario: NatrixAfloat) -> bool:
    """Whether a run can go through the lanes: a wave in water that only carries."""
    flow = scenario.world.environment(scenario.robot).flow
    return isinstance(scenario.gait, Undulation) and not scenario.stabilise and not (flow.moves or flow.adds)


def shared(scenario: NatrixAfloat) -> tuple[Any, ...]:
    """All that runs in the same lanes must have in common."""
    return (scenario.robot, scenario.world, scenario.duration, scenario.step, scenario.sample_period)


def poses_of(scenarios: Sequence[NatrixAfloat]) -> NDArray:
    """Base poses (runs, samples, 7) at every sample after the start, of runs that blocks() put together."""
    first = scenarios[0]
    states = np.array([start_state(scenario) for scenario in scenarios])
    motions = [scenario.gait.motion(scenario.robot) for scenario in scenarios]
    steps, every = round(first.duration / first.step), round(first.sample_period / first.step)
    tree, water = first.robot.tree(), first.world.environment(first.robot)
    if len(scenarios) == 1:
        return prescribed_rollout(tree, water, motions[0], states[0], 0, steps, every, first.step, NO_WRENCHES)[
            None, :, :7
        ]
    joints = WaveJoints(
        *(np.array([getattr(m, name) for m in motions]) for name in ("offset", "amplitude", "rate", "lag"))
    )
    return afloat_rollouts(tree, water, joints, states, 0, steps, every, first.step)[..., :7]


def rolls_and_pitches(poses: NDArray) -> tuple[NDArray, NDArray]:
    """Roll, unwrapped, and pitch of link 0 [rad] from poses (..., samples, 7)."""
    w, x, y, z = np.moveaxis(poses[..., 3:], -1, 0)
    roll = np.unwrap(np.arctan2(2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)), axis=-1)
    return roll, -np.arcsin(np.clip(2.0 * (x * z - w * y), -1.0, 1.0))
