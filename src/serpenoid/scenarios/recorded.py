"""Recordings as scenarios: a recorded run repeated, or with changed fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from serpenoid.configuration import between, changed, from_plain
from serpenoid.control.base import Controller, Idle
from serpenoid.engines.base import Start
from serpenoid.errors import InvalidValue, instance
from serpenoid.gaits.base import Gait
from serpenoid.robots.base import Robot
from serpenoid.robots.planar import PlanarSnake
from serpenoid.runtime import events
from serpenoid.runtime.loop import MOST_SEED, Progress
from serpenoid.runtime.stop_rules import LeaveArea
from serpenoid.scenarios.base import Parts, Quantity, Scenario, recorded_scenario
from serpenoid.simulation import Timing, run_parts, stored_parts
from serpenoid.trajectory import Trajectory
from serpenoid.worlds.base import World
from serpenoid.worlds.plane import Plane


@dataclass(frozen=True)
class Recorded(Scenario):
    """A run of a robot, a world, and a gait or controller, started by a program."""

    robot: Robot = PlanarSnake()
    """robot"""
    world: World = Plane()
    """world"""
    controller: Gait | Controller = Idle()
    """gait or controller"""
    engine: str | None = None
    """engine; none: the default for robot and world"""
    area: LeaveArea | None = None
    """rule that ends the run early"""
    delay: Annotated[int, between(0, 1000, usual=(0, 5))] = 0
    """control periods until a command acts"""
    realtime: bool = False
    """run in real time"""
    seed: Annotated[int, between(0, MOST_SEED, usual=(0, 100))] = 0
    """seed of all random numbers of the run"""

    @classmethod
    def of(cls, run: Trajectory) -> Recorded:
        """Return the run stored in a recording."""
        parts, engine = stored_parts(run)
        timing, initial = parts["timing"], parts["initial"]
        return cls(
            robot=parts["robot"], world=parts["world"], controller=parts["controller"], engine=engine,
            area=parts.get("stop"), seed=run.attributes.get("seed", 0), scatter=initial.scatter,
            start=Start(**{name: getattr(initial, name) for name in Start.__dataclass_fields__}), **vars(timing),
        )  # fmt: skip

    def parts(self) -> Parts:
        return Parts(self.robot, self.world, self.controller)

    def stop(self) -> LeaveArea | None:
        return self.area

    def timing(self) -> Timing:
        return Timing(
            self.duration, self.step, self.control_period, self.sample_period, self.delay, self.realtime
        )  # fmt: skip

    def label(self, trajectory: Trajectory) -> Trajectory:
        """Return the trajectory unchanged: the parts in its configuration contain all fields."""
        return trajectory

    def summary(self, trajectory: Trajectory) -> dict[str, Quantity]:
        return {}


def origin(run: Trajectory) -> Scenario:
    """Return the scenario that produced a recording, or its parts as a scenario, with the recorded duration."""
    plain = run.configuration
    if "scenario" not in plain:
        return Recorded.of(run)
    scenario = recorded_scenario(run)
    duration = from_plain(plain["timing"], Timing, "timing").duration if "timing" in plain else scenario.duration
    return scenario if duration == scenario.duration else changed(scenario, {"duration": duration})


def repeat(run: Trajectory, changes: Mapping[str, Any] | None = None, progress: Progress | None = None) -> Trajectory:
    """Run a recording again from its configuration and script, bit for bit, or with changed fields.

    `changes` maps dotted field names to values, such as `{"gait.frequency": 1.2}`. They name fields of the scenario
    that produced the run, or robot, world, controller and times if a program did. Recorded external events act again.
    """
    instance("trajectory", run, Trajectory, "a Trajectory, as returned by Trajectory.load(path)")
    check_repeatable(run)
    scenario = origin(run)
    return replay(run, changed(scenario, changes) if changes else scenario, progress)


def check_repeatable(run: Trajectory) -> None:
    """Refuse a recording whose configuration does not suffice to repeat it."""
    if not run.configuration or run.attributes.get("unrepeatable"):
        what = ", ".join(run.attributes.get("unrepeatable", ())) or "configuration"
        raise InvalidValue("configuration", what, "dataclasses of an importable module to repeat the run")


def replay(run: Trajectory, scenario: Scenario, progress: Progress | None = None) -> Trajectory:
    """Run a recording again with a possibly changed scenario; an unchanged one gives identical bits."""
    known, before = run.attributes, origin(run)
    script = events.from_text(known.get("script", "[]"))
    if scenario != before or "timing" not in run.configuration:  # a run on modules has no simulation timing
        own = before.script()
        return scenario.run(progress, [row for row in script if row not in own])
    parts, engine = stored_parts(run)
    rows = events.until(script, parts["timing"].ticks)
    again = run_parts(
        parts, engine, known.get("seed", 0), rows, progress, known.get("stride"), bool(known.get("cut", False))
    )  # fmt: skip
    return scenario.label(again) if "scenario" in run.configuration else again
