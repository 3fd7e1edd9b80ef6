"""F3: polynomial angles -> torques by (84) -> angles by RK4, for accordion, cobra and spiral."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.gaits.base import Gait
from serpenoid.gaits.movements import Accordion, Cobra, Spiral
from serpenoid.plotting.style import COLOURS, GREY, INK, dressed, gradient, labelled, legend, new_figure, write
from serpenoid.robots import MovingFrameChain
from serpenoid_papers.base import ExperimentConfig, Finding, Progress
from serpenoid_papers.moving_frame.states import GRAVITY, NO_GRAVITY, states_of
from serpenoid_papers.references.moving_frame_step import torque_rollout, torque_table

MOVEMENTS = {"accordion": Accordion(), "cobra": Cobra(), "spiral": Spiral()}
TOLERANCE = 1e-3  # [rad], error that ends the accurate part of a trip without convergence


@dataclass(frozen=True)
class Config(ExperimentConfig):
    """Configuration of the experiment."""

    robot: MovingFrameChain = MovingFrameChain()
    """the chain"""
    step: float = 0.005
    """middle one of three RK4 steps [s]; the others are twice and half of it"""
    nudge: float = 1e-9
    """displacement of every joint at the start, to measure the growth of an error [rad]"""

    @classmethod
    def tiny(cls) -> Config:
        """Use short chains."""
        return cls(robot=MovingFrameChain(bodies=4))


class Trip(NamedTuple):
    """One movement converted to torques and back."""

    times: NDArray  # (steps + 1,) [s]
    wanted: NDArray  # (steps + 1, joints) [rad]
    found: NDArray  # (steps + 1, joints) [rad]
    torques: NDArray  # (steps + 1, joints) [N m]

    @property
    def error(self) -> float:
        """Largest deviation [rad]; infinite if the integration diverged."""
        error = np.abs(self.found - self.wanted).max()
        return float(error) if np.isfinite(error) else float("inf")

    @property
    def held(self) -> float:
        """Time for which the error stays below the tolerance [s]."""
        late = ~(np.abs(self.found - self.wanted).max(axis=1) < TOLERANCE)
        return float(self.times[np.argmax(late) - 1] if late.any() else self.times[-1])


class Result(NamedTuple):
    """Trips by movement."""

    steps: tuple[float, ...]  # [s]
    trips: dict[str, list[Trip]]  # one per step, without gravity
    heavy: dict[str, Trip]  # with gravity, at the middle step
    growth: dict[str, float]  # growth of an initial error by the chain's dynamics
    bodies: int  # of the chain


def run(config: Config, progress: Progress) -> Result:
    """Run every movement at three steps, once with gravity, and once from a displaced start."""
    steps = (2.0 * config.step, config.step, 0.5 * config.step)
    trips, heavy, growth = {}, {}, {}
    for name, gait in MOVEMENTS.items():
        trips[name] = [round_trip(config.robot, gait, step) for step in steps]
        heavy[name] = round_trip(config.robot, gait, config.step, GRAVITY)
        nudged = round_trip(config.robot, gait, config.step, nudge=config.nudge)
        growth[name] = float(np.abs(nudged.found - trips[name][1].found).max() / config.nudge)
    return Result(steps, trips, heavy, growth, config.robot.bodies)


def round_trip(
    robot: MovingFrameChain, gait: Gait, step: float, gravity: NDArray = NO_GRAVITY, nudge: float = 0.0
) -> Trip:
    """Compute the torques of a motion at every half step, and the angles by RK4 under them, on a fixed tail."""
    tree, motion = robot.tree(), gait.motion(robot)
    count = round(motion.knots[-1] / step)
    half_times = 0.5 * step * np.arange(2 * count + 1)
    states, accelerations = states_of(motion, half_times)
    torques = torque_table(tree, states, accelerations, gravity)
    start = states[0].copy()
    start[7 : 7 + robot.joints] += nudge
    found = torque_rollout(tree, start, torques, step, gravity)[:, 7 : 7 + robot.joints]
    return Trip(half_times[::2], states[::2, 7 : 7 + robot.joints], found, torques[::2])


def orders(trips: list[Trip]) -> list[float]:
    """Return the observed order between neighbouring steps."""
    return [float(np.log2(coarse.error / fine.error)) for coarse, fine in zip(trips, trips[1:])]


def claims(result: Result) -> list[Finding]:
    """Report the finding on F3."""
    measured: dict[str, Any] = {}
    for name, trips in result.trips.items():
        measured[f"{name}_error_rad"] = trips[1].error
        measured[f"{name}_orders"] = orders(trips)
    growth = ", ".join(f"{name} {value:.2g}" for name, value in result.growth.items())
    held = ", ".join(f"{name} {trip.held:.2f} s" for name, trip in result.heavy.items())
    reason = (
        f"{result.bodies} bodies, largest error of any joint at {result.steps[1] * 1e3:g} ms, orders over "
        f"{', '.join(f'{step * 1e3:g}' for step in result.steps)} ms, torques given at every half step. The chain "
        f"has no feedback, so an initial error grows by {growth}. The spiral's shape was chosen among those whose "
        "trip is stable; an evenly bent helix is unstable. With gravity the chain is an unstable beam, and the "
        f"same trip stays within {TOLERANCE:g} rad for {held}"
    )
    return [Finding("F3", measured, reason)]


def figure(result: Result, folder: Path) -> list[Path]:
    """Plot prescribed and integrated angles, torques, and the error over time by step."""
    picture = new_figure(9.0, 5.6)
    axes = picture.subplots(3, 3)
    for row, (name, trips) in zip(axes, result.trips.items()):
        draw_trip(row, name, trips, result.steps)
    return [write(picture, folder / "round_trip.png")]


def draw_trip(row: Sequence[Any], name: str, trips: list[Trip], steps: tuple[float, ...]) -> None:
    """Draw one movement on three axes."""
    trip = trips[1]
    angles, torques, errors = (dressed(axis) for axis in row)
    for lines, label in (
        (angles.plot(trip.times, trip.wanted, color=GREY, linewidth=2.5), "prescribed"),
        (angles.plot(trip.times, trip.found, "--", color=INK, linewidth=0.8), "integrated"),
    ):
        lines[0].set_label(label)
    labelled(angles, "time [s]", "joint angle [rad]", name)
    low, high = angles.get_ylim()
    angles.set_ylim(low, high + 0.25 * (high - low))  # room for the legend
    legend(angles, loc="upper right", bbox_to_anchor=(1.0, 1.05))
    torques.set_prop_cycle(color=gradient(trip.torques.shape[1]))
    torques.plot(trip.times, trip.torques, linewidth=0.9)
    labelled(torques, "time [s]", "torque [N m]", "joints from tail (dark) to head")
    for colour, each, step in zip(COLOURS, trips, steps):
        error = np.maximum(np.abs(each.found - each.wanted).max(axis=1), 1e-17)
        errors.semilogy(each.times[1:], error[1:], color=colour, label=f"{step * 1e3:g} ms")
    errors.axhline(TOLERANCE, color=GREY, linestyle="--")
    found = " and ".join(f"{order:.2f}" for order in orders(trips))
    labelled(errors, "time [s]", "largest error [rad]", f"order {found}")
    legend(errors, loc="lower right", bbox_to_anchor=(1.0, 0.0))
