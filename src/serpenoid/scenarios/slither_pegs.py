"""A snake that slithers through a board of pegs until its front half is outside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import pi
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from serpenoid.analysis.contacts import mean_slip
from serpenoid.analysis.energy import mean_power, torque_rms
from serpenoid.analysis.goals import goal_distance
from serpenoid.control.kernel_law import WaveController, first_targets
from serpenoid.control.open_loop import OpenLoop
from serpenoid.engines.base import Initial
from serpenoid.gaits.base import cycle_ticks
from serpenoid.planning import ContactPlanner, SamplingPlanner
from serpenoid.robots.base import Robot
from serpenoid.robots.sea_snake import SeaSnake
from serpenoid.runtime.stop_rules import LeaveArea
from serpenoid.scenarios.base import Parts, Quantity, Scenario
from serpenoid.scenarios.mpc import solve_summary
from serpenoid.simulation import Timing
from serpenoid.trajectory import Trajectory
from serpenoid.worlds.peg_board import PegBoard

SHARE = 0.8  # of the control period in which a contact planner must plan in real time
LAST, LEAST = 30.0, 0.15  # a run is stuck if it is still on the board and moved less than 0.15 m in the last 30 s


@dataclass(frozen=True)
class SlitherPegs(Scenario, duration=120.0, sample_period=0.05):
    """A snake slithers among pegs by a wave of its lateral joints; the run ends when its front half is outside."""

    kept: ClassVar[tuple[str, ...]] = (
        "link_pose", "joint_torque", "joint_torque_squared", "work_absolute", "touch_force", "touch_slip",
    )  # fmt: skip

    robot: Robot = SeaSnake()
    """snake"""
    world: PegBoard = PegBoard()
    """board; its seed and start also determine the initial pose and phase"""
    controller: WaveController = OpenLoop()
    """controller of the joints, open loop or compliant; its initial phase is random"""
    engine: Literal["pegs", "contact"] = "pegs"
    """pegs: planar, own kernels; contact: 3D, MuJoCo"""
    realtime: bool = False
    """run in real time; a planner then continues its present plan while a late one is computed"""

    def law(self) -> Any:
        """Return the controller at the phase determined by seed and start."""
        phase = 2.0 * pi * np.random.default_rng((self.world.seed, self.world.start, 1)).random()
        law = self.controller.from_phase(float(phase))
        if self.realtime and isinstance(law, SamplingPlanner):
            return replace(law, wait=False)
        if self.realtime and isinstance(law, ContactPlanner) and law.deadline is None:
            return replace(law, deadline=SHARE * self.control_period)
        return law

    def timing(self) -> Timing:
        return replace(super().timing(), realtime=self.realtime)

    def parts(self) -> Parts:
        return Parts(self.robot, self.world, self.law())

    def usual_start(self) -> Initial:
        """Return the shape of the wave at its first tick, clear of all pegs."""
        target = first_targets(self.law(), self.robot, self.control_period)
        return Initial(joint_position=tuple(np.nan_to_num(target).tolist()))

    def stop(self) -> LeaveArea:
        """Return the rule that ends the run when the front half of the links is outside the outermost pegs."""
        low_x, low_y, high_x, high_y = self.world.outermost()
        return LeaveArea((low_x, low_y), (high_x, high_y), len(self.robot.link_names) // 2)

    def summary(self, trajectory: Trajectory) -> dict[str, Quantity]:
        found = self.measured(trajectory)
        if isinstance(self.controller, SamplingPlanner):
            found |= solve_summary(trajectory, self.controller.interval, self.control_period)
        if isinstance(self.controller, ContactPlanner):
            found |= solve_summary(trajectory, self.controller.knot, self.control_period)
        goal = getattr(self.controller, "goal", None)  # of a planner
        if goal is not None:
            found["goal_distance"] = Quantity(float(goal_distance(trajectory)[-1, 0]), "m")
        return found if trajectory.complete else found | {"out": Quantity(False)}  # ended early inside the board

    def cycle_samples(self) -> int:
        """Return the number of samples per cycle of the wave; 1 without a wave."""
        return cycle_ticks(self.controller.phase_rate(self.robot), self.sample_period)

    def measures(self, times: NDArray, variables: Mapping[str, NDArray]) -> dict[str, Quantity]:
        """Compute how one run ended, its distance and its cost."""
        place = variables["link_pose"][:, 1:, :2].mean(axis=1)  # mean of the joint axes
        rate = self.controller.phase_rate(self.robot)
        cycle = self.cycle_samples()
        way = smooth_path_length(place, cycle)
        late = np.searchsorted(times, times[-1] - LAST)
        early = times[-1] < self.duration - 1.5 * self.sample_period  # stopped between two samples
        out = early or self.stop().met(variables["link_pose"][-1])
        stuck = not out and times[-1] >= LAST and way[-1] - way[late] < LEAST
        push = np.nan_to_num(variables["touch_force"])
        force = np.linalg.norm(push, axis=-1)
        impulse = float(force.sum(axis=1).mean() * times[-1])
        cycles, metres = rate * times[-1] / (2.0 * pi), float(way[-1])
        return {
            "out": Quantity(bool(out)),
            "stuck": Quantity(bool(stuck)),
            "time": Quantity(float(times[-1]), "s"),
            "distance": Quantity(metres, "m"),
            "path_speed": Quantity(metres / float(times[-1]) if times[-1] > 0.0 else 0.0, "m/s"),
            "displacement": Quantity(float(np.linalg.norm(place[-1] - place[0])), "m"),
            "cycles": Quantity(cycles),
            "cycles_per_metre": Quantity(cycles / metres if metres > 0.0 else np.inf, "1/m"),
            "net_cycles_per_metre": Quantity(net_cycles(place, cycle), "1/m"),
            "power": Quantity(float(mean_power(times, variables["work_absolute"])) if times[-1] > 0.0 else 0.0, "W"),
            "torque_rms": Quantity(torque_rms(times, variables["joint_torque_squared"]), "N m"),
            "greatest_torque": Quantity(float(np.abs(variables["joint_torque"]).max()), "N m"),
            "slip": Quantity(mean_slip(self.robot, force, variables["touch_slip"]), "m/s"),
            "greatest_contact_force": Quantity(float(force.max(initial=0.0)), "N"),
            "peg_impulse_per_metre": Quantity(impulse / metres if metres > 0.0 else np.inf, "N s/m"),
        }


def net_cycles(place: NDArray, cycle: int) -> float:
    """Return the inverse of the mean net displacement over one cycle of samples [1/m]; NaN if the run is shorter."""
    if len(place) <= cycle:
        return np.nan
    mean = float(np.linalg.norm(place[cycle:] - place[:-cycle], axis=1).mean())
    return 1.0 / mean if mean > 0.0 else np.inf


def moving_average(place: NDArray, window: int) -> NDArray:
    """Return positions (samples, 2) [m] smoothed by a centred moving average over a window of samples."""
    number, half = np.arange(len(place)), window // 2
    sums = np.vstack([np.zeros(2), np.cumsum(place, axis=0)])
    reach = np.minimum(half, np.minimum(number, len(place) - 1 - number))
    low, high = number - reach, number + reach + 1
    return (sums[high] - sums[low]) / (high - low)[:, None]


def smooth_path_length(place: NDArray, window: int) -> NDArray:
    """Return the path length (samples,) [m] along positions (samples, 2), smoothed by a moving average over a
    window."""
    return np.append(0.0, np.cumsum(np.linalg.norm(np.diff(moving_average(place, window), axis=0), axis=1)))
