"""Many runs of the slithering snake at once, 64 in lock-step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.planar.chain import planar_model
from serpenoid.kernels.planar.lanes import WaveRuns, wave_rollouts
from serpenoid.robots.drives import PD
from serpenoid.simulation import Timing
from serpenoid.worlds.free import STANDARD_GRAVITY

if TYPE_CHECKING:
    from serpenoid.scenarios.slither import Slither

QUANTITIES = ("speed", "power", "cost_of_transport")
MOST_LINKS = 32  # the lanes keep two matrices per run on the stack of their thread: 1.2 MB for 32 links


def slither_all(scenarios: Sequence[Slither]) -> NDArray:
    """Speed [m/s], power [W] and cost of transport of every scenario, (scenarios, 3); NaN where a run diverged.

    Runs whose snake, plane and times agree go through the lanes together; a snake with prescribed joints goes alone,
    and so does one that is too long for them.
    """
    groups: dict[Any, list[int]] = {}
    for i, scenario in enumerate(scenarios):
        groups.setdefault(shared(scenario), []).append(i)
    results = np.empty((len(scenarios), len(QUANTITIES)))
    for members in groups.values():
        chosen = [scenarios[i] for i in members]
        fits = isinstance(chosen[0].robot.drive, PD) and chosen[0].robot.links <= MOST_LINKS
        results[members] = in_lanes(chosen) if fits else [alone(scenario) for scenario in chosen]
    return results


def shared(scenario: Slither) -> tuple[Any, ...]:
    """All that runs in the same lanes must have in common."""
    robot = scenario.robot
    return (
        robot.links, robot.link_length, robot.link_mass, robot.link_inertia, robot.joint_damping, type(robot.drive),
        scenario.world, scenario.duration, scenario.settle, scenario.step,
    )  # fmt: skip


def in_lanes(scenarios: Sequence[Slither]) -> NDArray:
    """The quantities of driven snakes that differ in gait and gains alone."""
    first = scenarios[0]
    chain = first.robot.chain()
    first.world.check_step(chain, first.step)
    timing = Timing(first.duration, first.step)
    measured = timing.steps - round(first.settle / first.step)
    runs = wave_runs(scenarios)
    model = planar_model(chain, first.world.medium_record(chain))
    found, _ = wave_rollouts(model, runs, initial_states(runs), first.step, timing.steps, measured)
    length = np.linalg.norm(found.direction, axis=1)
    forward = -found.direction / np.where(length > 0.0, length, 1.0)[:, None]
    speed = np.sum(found.displacement * forward, axis=1) / (measured * first.step)
    with np.errstate(divide="ignore"):
        cost = found.power / (chain.mass.sum() * STANDARD_GRAVITY * np.abs(speed))
    return np.stack([speed, found.power, cost], axis=1)


def wave_runs(scenarios: Sequence[Slither]) -> WaveRuns:
    """Gaits and gains as the record of the lanes."""
    joints = np.arange(scenarios[0].robot.joints)
    gaits = np.array([(g.frequency, g.offset, g.amplitude, g.phase_shift) for g in (s.gait for s in scenarios)]).T
    laws = [s.robot.drive for s in scenarios if isinstance(s.robot.drive, PD)]
    drives = np.array([(d.stiffness, d.damping, d.torque_limit) for d in laws]).T
    each = [np.repeat(column[:, None], joints.size, axis=1) for column in (*gaits[1:3], *drives)]
    lag = gaits[3][:, None] * joints
    return WaveRuns(2.0 * np.pi * gaits[0], np.zeros(len(scenarios)), each[0], each[1], lag, *each[2:])


def initial_states(runs: WaveRuns) -> NDArray:
    """At rest in the shape in which the gait begins, as the planar engine starts a driven snake."""
    count, joints = runs.lag.shape
    states = np.zeros((count, 2 * (joints + 3)))
    states[:, 3 : 3 + joints] = runs.offset + runs.amplitude * np.sin(runs.lag + runs.phase[:, None])
    return states


def alone(scenario: Slither) -> list[float]:
    """The quantities of one run by itself."""
    summary = scenario.summary(scenario.run())
    return [float(summary[name].value) for name in QUANTITIES]
