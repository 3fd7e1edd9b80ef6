"""Prediction: an engine as the model of a planner, which runs laws ahead of an observed state."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.base import Observation
from serpenoid.control.kernel_law import KernelLaw
from serpenoid.engines.base import Engine, fused_task
from serpenoid.errors import Unsupported
from serpenoid.kernels.laws.fused_run import Course
from serpenoid.robots.base import Robot


class Ahead(NamedTuple):
    """State and law after a predicted run."""

    state: NDArray  # (numbers,) of the engine
    law: KernelLaw  # with the memory of that time
    path: NDArray  # (samples, 2) centre of mass at the start and after every interval [m]
    effort: float  # integral of the squared torques over all joints [N^2 m^2 s]
    good: bool  # whether the run stayed finite


class Predictor:
    """Engine that runs a law ahead; several threads may use it at once."""

    def __init__(self, engine: Engine):
        if not engine.fuses:
            raise Unsupported(f"the engine {engine.name} cannot predict a law: use pegs or contact")
        self.engine = engine

    def state(self, observation: Observation) -> NDArray:
        """Return the engine's state at an observation: measured joints and motors, true pose and twist."""
        truth, motors = observation.truth, observation.motor_position
        assert truth is not None
        joints = observation.joint_position, observation.joint_velocity
        state = self.engine.state_at(truth.base_pose, truth.base_twist, *joints)
        if motors is not None:
            self.engine.layout.part(state, "motors")[:] = motors[self.engine.moving]
        return state

    def run(self, state: NDArray, law: KernelLaw, ticks: int, samples: int = 1) -> Ahead:
        """Run a copy of a law from its next tick on; the path has `samples` intervals."""
        law = law.copy()
        step = self.engine.step
        per_tick = round(law.period / step)
        first, every = round(law.time / step), max(1, ticks * per_tick // samples)
        course = Course(first, step, per_tick, ticks, every)
        run = self.engine.run_law(state, fused_task(law, course))
        law.time += run.ticks * law.period
        path = self.engine.centers(np.vstack([state, run.states[1:], run.end]))
        before, after = (self.engine.layout.part(part, "squares").sum() for part in (state, run.end))
        return Ahead(state=run.end, law=law, path=path, effort=float(after - before), good=run.diverged < 0)


class Model(NamedTuple):
    """Robot, world and class of the engine that simulates a run, from which a planner makes its own model."""

    kind: type[Engine]
    robot: Robot
    world: Any

    def predictor(self, step: float, world: Any = None) -> Predictor:
        """Return a predictor with an integration step [s], in the world of the run unless another is given."""
        return Predictor(self.kind(self.robot, self.world if world is None else world, step))
