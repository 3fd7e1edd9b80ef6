"""A snake that sidewinds through a row of pegs: finds an opening, passes, reverses and continues."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, radians
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import between, usual
from serpenoid.control.kernel_law import first_targets
from serpenoid.control.open_loop import OpenLoop
from serpenoid.control.shape_compliance import ShapeCompliance
from serpenoid.engines.base import Initial
from serpenoid.errors import require
from serpenoid.robots.body_tree import BodyTree
from serpenoid.robots.sea_snake import SeaSnake
from serpenoid.runtime.stop_rules import LeaveArea
from serpenoid.scenarios.base import Parts, Quantity, Scenario
from serpenoid.trajectory import Trajectory
from serpenoid.worlds.initial_pose import lying_pose, moved_pose, turned_pose
from serpenoid.worlds.peg_row import PegRow

FARTHEST = 1.8  # distance beyond the row at which a run ends: some ten seconds after passing at 0.16 m/s [m]
SIDE = 1.0  # distance beyond the outermost pegs at which it ends too [m]
HIGH = 0.008  # contacts above this height are not with the floor [m]
AFTER = 10.0  # interval after the reversal in which the direction is measured [s]


@dataclass(frozen=True)
class SidewindPegs(Scenario, duration=120.0, sample_period=0.05):
    """A snake sidewinds towards a row of pegs, through one of its openings, and continues."""

    robot: SeaSnake | BodyTree = SeaSnake()
    """snake"""
    world: PegRow = PegRow()
    """row of pegs; its seed determines openings and positions"""
    controller: ShapeCompliance | OpenLoop = ShapeCompliance.presets()["sidewinding_ac_sfc"]()
    """controller of the joints; all configurations sidewinding_... reverse and steer by their heading"""
    place: Annotated[float, usual(-0.5, 0.5)] = 0.0
    """initial position of the body centre along the row [m]"""
    repeat: Annotated[int, between(0, 1000, usual=(0, 2))] = 0
    """random repeat, differs by up to 10 mm, 2 deg and 10 deg of phase; 0: no difference"""

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.world.pegs > 1, "world.pegs", self.world.pegs, "at least 2: a single peg has no opening")

    def jitter(self) -> NDArray:
        """Return the random offset (4,) of a repeat: x, y [m], rotation and phase [rad]."""
        rng = np.random.default_rng((self.world.seed, round(1000.0 * (self.place + 10.0)), self.repeat))
        widest = np.array([0.01, 0.01, radians(2.0), radians(10.0)])
        return widest * rng.uniform(-1.0, 1.0, 4) * (self.repeat > 0)

    def parts(self) -> Parts:
        return Parts(self.robot, self.world, self.controller.from_phase(float(self.jitter()[3])))

    def usual_start(self) -> Initial:
        """Return the shape of the wave at its first tick, parallel to the row."""
        robot, world, controller = self.robot, self.world, self.parts().controller
        shape = np.nan_to_num(first_targets(controller, robot, self.control_period))
        x, y, turn, _ = self.jitter().tolist()
        lying = turned_pose(lying_pose(robot, shape, world.ground_height), np.array([0.0, 0.0, turn]))
        return Initial(joint_position=tuple(shape.tolist()), base_pose=moved_pose(lying, (self.place + x, y, 0.0)))

    def stop(self) -> LeaveArea:
        """Return the rule that ends the run when the whole body is far beyond the row or beside it."""
        pegs, line = self.world.centers(), self.world.distance
        low, high = float(pegs[:, 0].min()) - SIDE, float(pegs[:, 0].max()) + SIDE
        return LeaveArea((low, -3.0), (high, line + FARTHEST), len(self.robot.link_names))

    def summary(self, trajectory: Trajectory) -> dict[str, Quantity]:
        times, place = trajectory.times, trajectory["link_pose"][:, :, :2]
        passing = Passing.of(self.world, place)
        beta = trajectory["shape_reversal"] if "shape_reversal" in trajectory else np.zeros(2)
        turned = np.interp(times, self.control_period * np.arange(beta.size), beta) if beta.size > 1 else 0.0 * times
        reversed_ = np.abs(turned) > 0.5 * pi
        beyond = (np.arange(times.size) >= passing.passed) & (passing.passed >= 0)
        done = np.flatnonzero(reversed_ & beyond)
        after = int(done[0]) if len(done) else -1
        touching = self.touching(trajectory)
        first = float(times[touching.argmax()]) if touching.any() else np.nan
        time = float(times[after]) if after >= 0 else np.nan
        across = float(place[-1, :, 1].mean() - place[0, :, 1].mean())
        return {
            "passed": Quantity(passing.passed >= 0),
            "time_used": Quantity(float(times[passing.passed]) if passing.passed >= 0 else self.duration, "s"),
            "time_to_pass": Quantity(float(times[passing.passed]) if passing.passed >= 0 else np.nan, "s"),
            "reversed": Quantity(after >= 0),
            "time": Quantity(time, "s"),
            "time_from_contact": Quantity(time - first, "s"),
            "openings_passed_by": Quantity(float(passing.openings)),
            "off_course": Quantity(off_course(times, place.mean(axis=1), time), "deg"),
            "touching_share": Quantity(float(touching.mean())),
            "speed_across": Quantity(across / max(float(times[-1] - times[0]), self.sample_period), "m/s"),
        }

    def touching(self, trajectory: Trajectory) -> NDArray:
        """Return (samples,) whether any contact is not with the floor."""
        return (np.nan_to_num(trajectory["touch_point"][:, :, 2]) > HIGH).any(axis=1)


@dataclass(frozen=True)
class Passing:
    """Passage of a snake through a row."""

    passed: int
    """first sample after which every link was beyond the row, having crossed between its outermost pegs; -1: never"""
    openings: int
    """number of openings that the mean position passed before the snake entered one"""

    @classmethod
    def of(cls, world: PegRow, place: NDArray) -> Passing:
        """Determine the passage from link positions (samples, links, 2) [m]."""
        pegs, mean = world.centers(), place.mean(axis=1)
        west, east = float(pegs[:, 0].min()), float(pegs[:, 0].max())
        over = place[:, :, 1] > world.distance
        entered = np.cumsum((over & (place[:, :, 0] > west) & (place[:, :, 0] < east)).any(axis=1)) > 0
        gone = ~entered & ((mean[:, 0] < west) | (mean[:, 0] > east))  # past the last peg without entering: failed
        end = int(gone.argmax()) if gone.any() else len(place) - 1
        through = np.flatnonzero((place[: end + 1, :, 1] > pegs[:, 1].max() + world.peg_radius).all(axis=1))
        if not gone.any() and through.size:
            end = int(through[0])
            samples, crossed = last_crossings(place[: end + 1], world.distance)
            if ((crossed > west) & (crossed < east)).all():
                own = int(np.searchsorted(pegs[:, 0], np.median(crossed))) - 1
                return cls(end, count_passed_openings(world, place[: int(samples.min()) + 1], own))
        return cls(-1, count_passed_openings(world, place[: end + 1]))


def last_crossings(place: NDArray, line: float) -> tuple[NDArray, NDArray]:
    """Return (links,) the sample before each link last crosses a horizontal line [m], and x of that crossing [m].

    Links that start beyond the line cross it at their start.
    """
    y = place[:, :, 1]
    below = y <= line
    sample = np.where(below.any(axis=0), len(place) - 1 - below[::-1].argmax(axis=0), 0)
    link, after = np.arange(y.shape[1]), np.minimum(sample + 1, len(place) - 1)
    step = y[after, link] - y[sample, link]
    share = np.where(step > 0.0, (line - y[sample, link]) / np.where(step > 0.0, step, 1.0), 0.0)
    x = place[:, :, 0]
    return sample, x[sample, link] + np.clip(share, 0.0, 1.0) * (x[after, link] - x[sample, link])


def count_passed_openings(world: PegRow, place: NDArray, own: int = -1) -> int:
    """Count the openings that the mean of positions (samples, links, 2) [m] passed, except the snake's own.

    Counted from the sample at which the first link reaches the pegs.
    """
    pegs = world.centers()
    near = (place[:, :, 1] > pegs[:, 1].min() - world.peg_radius).any(axis=1)
    if not near.any():
        return 0
    x = place[int(near.argmax()) :, :, 0].mean(axis=1)
    middles = 0.5 * (pegs[1:, 0] + pegs[:-1, 0])
    by = (middles > x.min()) & (middles < x.max())
    if own >= 0:
        by[own] = False
    return int(by.sum())


def off_course(times: NDArray, mean: NDArray, since: float) -> float:
    """Return the angle [deg] between the displacement in the AFTER seconds after `since` [s] and the normal of the row;
    NaN if too short."""
    if not np.isfinite(since):
        return float("nan")
    chosen = (times >= since) & (times <= since + AFTER)
    if chosen.sum() < 2 or times[chosen][-1] < since + 0.5 * AFTER:
        return float("nan")
    way = mean[chosen][-1] - mean[chosen][0]
    return float(np.degrees(np.abs(np.arctan2(way[0], way[1]))))
