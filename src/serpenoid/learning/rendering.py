"""Images of environments, by the renderer of films."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.base import Command, Idle
from serpenoid.engines.base import Log
from serpenoid.learning.families import whole_state
from serpenoid.learning.stepper import Stepper
from serpenoid.scenarios.base import Scenario
from serpenoid.simulation import simulate
from serpenoid.studio.film import camera_at, view_of
from serpenoid.studio.scene import scene_of
from serpenoid.trajectory import Trajectory

SIZE = (480, 360)  # width, height [pixels]


class Picture:
    """Renderers of the variants of a task."""

    def __init__(self) -> None:
        self.scenes: dict[int, Any] = {}  # scenario, run of one sample, scene and view of each variant

    def draw(self, stepper: Stepper, row: int) -> NDArray:
        """Return an image of a row, (height, width, 3) bytes."""
        number = int(stepper.rows.variant[row])
        scenario, engine = stepper.scenarios[number], stepper.part_of(row).engines[number]
        if number not in self.scenes or self.scenes[number][0] is not scenario:
            run = first_sample(scenario)
            scene = scene_of(run)
            self.scenes[number] = (scenario, run, scene, view_of(scene, SIZE))
        _, run, scene, view = self.scenes[number]
        state = whole_state(engine, stepper.rows.state[row])
        unknown = np.full((1, engine.robot.joints), np.nan)
        found = engine.variables(Log(np.zeros(1), state[None], Command(unknown, unknown, unknown, unknown)))
        now = scene_of(with_values(run, found))
        scene.positions[:], scene.quaternions[:] = now.positions, now.quaternions
        for drawn, thing in zip(scene.things, now.things):
            drawn.poses[:] = thing.poses
        return view(0, camera_at(now, 0, True))


def first_sample(scenario: Scenario) -> Trajectory:
    """Return a scenario at time 0."""
    parts, step = scenario.parts(), scenario.step
    run = simulate(
        parts.robot, parts.world, Idle(), step, initial=scenario.initial(), engine=getattr(scenario, "engine", None),
        step=step, control_period=step, sample_period=step,
    )  # fmt: skip
    first: dict[str, Any] = {
        name: (dims, values[:1], *rest) for name, (dims, values, *rest) in run.variables.items() if dims[0] == "time"
    }  # fmt: skip
    return Trajectory(run.times[:1], first, run.labels, run.attributes)


def with_values(run: Trajectory, values: dict[str, NDArray]) -> Trajectory:
    """Return a run of one sample with other values."""
    known: dict[str, Any] = {
        name: (dims, values.get(name, before), *rest) for name, (dims, before, *rest) in run.variables.items()
    }  # fmt: skip
    return Trajectory(run.times, known, run.labels, run.attributes)
