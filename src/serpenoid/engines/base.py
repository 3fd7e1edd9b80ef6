"""What carries a robot through a world: the interface of every engine, and what passes through it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import at_least, check_fields, usual
from serpenoid.control.base import Command
from serpenoid.engines.layout import Layout
from serpenoid.errors import InvalidValue, SimulationDiverged
from serpenoid.kernels.laws.fused_run import Course, FusedRun
from serpenoid.kernels.laws.sensed import Errors
from serpenoid.kernels.motion import motion_samples
from serpenoid.kernels.records import Motion
from serpenoid.robots.base import Robot, TreeRobot
from serpenoid.robots.imus import frame_motion
from serpenoid.support.kernel_inputs import check_joints, tree_of

IN_STATE = {"joint_position": "joints", "joint_velocity": "joint_rates", "motor_position": "motors"}  # parts of layouts
NO_DRAWS = np.random.default_rng(0)  # for starts without scatter, which draw nothing


class Variable(NamedTuple):
    """One quantity of a trajectory."""

    dims: tuple[str, ...]  # time or tick first, then joint, link, axis, pose, twist, or a law's own
    values: NDArray
    unit: str
    meaning: str


class Log(NamedTuple):
    """What a run leaves behind, sample by sample; commands and wrenches hold from each sample on."""

    times: NDArray  # (samples,) [s]
    states: NDArray  # (samples, numbers) flat states of the engine
    commands: Command  # arrays (samples, joints), NaN: not commanded
    wrenches: NDArray | None = None  # (samples, links, 6) from outside, see Engine.advance; None: none at all


@dataclass(frozen=True)
class Start:
    """Where a run starts; what is left None scenario or engine choose (at rest, straight, as the gait begins)."""

    joint_position: Annotated[tuple[float, ...] | None, usual(-1.5, 1.5)] = None
    """joint angles [rad]"""
    joint_velocity: Annotated[tuple[float, ...] | None, usual(-5.0, 5.0)] = None
    """joint rates [rad/s]"""
    base_pose: Annotated[tuple[float, ...] | None, usual(-5.0, 5.0)] = None
    """pose of link 0: x y z [m], quaternion w x y z"""
    base_twist: Annotated[tuple[float, ...] | None, usual(-2.0, 2.0)] = None
    """twist of link 0 in its own axes: linear [m/s], angular [rad/s]"""

    def __post_init__(self) -> None:
        check_fields(self)
        for name, size in (("base_pose", 7), ("base_twist", 6)):
            value = getattr(self, name)
            if value is not None and len(value) != size:
                raise InvalidValue(name, value, f"{size} numbers")

    def joint_array(self, name: str, joints: int) -> NDArray | None:
        """A joint field as an array, its length checked against the robot."""
        value = getattr(self, name)
        if value is None:
            return None
        if len(value) != joints:
            raise InvalidValue(name, value, f"{joints} numbers, one per joint")
        return np.array(value, dtype=float)


@dataclass(frozen=True)
class Initial(Start):
    """A start that is drawn: where a run starts, and how far from there."""

    scatter: Annotated[float, at_least(0.0, usual=(0.0, 0.3))] = 0.0
    """standard deviation of what a start differs by, from the run's seed: in the heading of a base that is free and in
    every joint angle that is not prescribed [rad]"""


AT_REST = Initial()  # where the engine puts it


class Engine(ABC):
    """Carries one robot through one world at a fixed integration step. Time is step count x step.

    Wrenches from outside are None or (links, 6): force [N] at each link's centre of mass and moment [N m], world axes.
    """

    name: ClassVar[str]
    fuses: ClassVar[bool] = False  # whether it takes laws that are kernels into its own compiled code: led_by_law()
    fuses_imus: ClassVar[bool] = False  # and those that read accelerometers and gyroscopes
    layout: Layout  # of its flat state
    steps_per_sample: int = 1  # every so many steps a state is kept, of which variables are asked for later

    def __init__(self, robot: Robot, world: Any, step: float):
        check_joints(robot)
        self.robot = robot
        self.world = world
        self.step = step

    @abstractmethod
    def initial(self, given: Initial, motion: Motion | None, rng: np.random.Generator) -> NDArray:
        """The flat state at time zero; a prescribed robot starts in the motion's own angles and rates."""

    @abstractmethod
    def advance(
        self, first: int, state: NDArray, command: Command, steps: int, wrenches: NDArray | None = None
    ) -> NDArray:
        """The state after `steps` steps with command and wrenches held; raises SimulationDiverged."""

    @abstractmethod
    def variables(self, log: Log) -> dict[str, Variable]:
        """What a trajectory of this robot in this world holds."""

    def rollout(
        self, first: int, state: NDArray, motion: Motion, steps: int, every: int, wrenches: NDArray | None = None
    ) -> NDArray:
        """States after every `every`-th of `steps` steps while the joints are led by a motion.

        (steps / every, numbers); on divergence the rows from there on are NaN.
        """
        states = np.full((steps // every, state.size), np.nan)
        for i in range(steps):
            try:
                state = self.advance(first + i, state, self.motion_command(first + i, motion), 1, wrenches)
            except SimulationDiverged:
                break
            if (i + 1) % every == 0:
                states[(i + 1) // every - 1] = state
        return states

    def motion_command(self, step: int, motion: Motion) -> Command:
        """The motion's targets at a step."""
        return Command(*(part[0] for part in self.motion_commands(np.array([step * self.step]), motion)))

    def motion_commands(self, times: NDArray, motion: Motion) -> Command:
        """The motion's targets at the given times, arrays (samples, joints)."""
        angle, rate, acceleration = motion_samples(motion, np.asarray(times, dtype=float))
        return Command(angle, rate, acceleration, np.full_like(angle, np.nan))

    @cached_property
    def parents(self) -> NDArray | None:
        """(links,) on which each link of a robot in space hangs, -1 for the base; None of one in the plane."""
        return tree_of(self.robot).parent if isinstance(self.robot, TreeRobot) else None

    def led_by_law(
        self,
        state: NDArray,
        law: Any,
        stop: Any,
        course: Course,
        wrenches: NDArray | None = None,
        errors: Errors | None = None,
        before: NDArray | None = None,
    ) -> FusedRun:
        """Run a law that is a kernel (control/kernel_law.py), whose memory and target change, until a rule stops it.

        errors: what sensors add at each tick; none: they are ideal. An engine that reads IMUs needs the state one tick
        `before`, NaN where there is none, and writes into it that before the end.
        """
        raise NotImplementedError(f"the engine {self.name} asks laws tick by tick")

    def lanes_key(self, motion: Motion) -> Any:
        """What runs that motions lead must have in common to share lanes; None for one that goes alone."""
        return None

    @classmethod
    def starts(cls, engines: Sequence[Any], given: Sequence[Initial], motions: Sequence[Motion]) -> NDArray:
        """initial() of many runs without scatter that have the same lanes_key, (runs, numbers)."""
        return np.array([engine.initial(*rest, NO_DRAWS) for engine, *rest in zip(engines, given, motions)])

    @classmethod
    def batch(
        cls, engines: Sequence[Any], motions: Sequence[Motion], states: NDArray, steps: int, every: int
    ) -> dict[str, NDArray]:
        """Variables (runs, samples + 1, ...) of runs with the same lanes_key, at time 0 and after every `every` steps.

        NaN from where a run diverged. By default one run after the other.
        """
        return stacked([engine.run_alone(*run, steps, every) for engine, *run in zip(engines, motions, states)])

    def run_alone(self, motion: Motion, state: NDArray, steps: int, every: int) -> dict[str, NDArray]:
        """All variables of one run, NaN from where it diverged."""
        states = np.vstack([state, self.rollout(0, state, motion, steps, every)])
        good = np.isfinite(states).all(axis=1)
        times = self.step * every * np.flatnonzero(good)
        log = Log(times, np.ascontiguousarray(states[good]), self.motion_commands(times, motion))
        found = {}
        for name, variable in self.variables(log).items():
            found[name] = np.full((len(states), *variable.values.shape[1:]), np.nan)
            found[name][good] = variable.values
        return found

    def check_wrenches(self, wrenches: NDArray) -> None:  # noqa: B027
        """Refuse wrenches (links, 6) that this engine cannot apply."""

    def computed(self, name: str, moment: Moment) -> NDArray | None:
        """One of the variables (1, ...) by itself; None for one that comes with the others, or is not there."""
        return None

    def taken_over(self, before: Any, state: NDArray) -> NDArray:
        """The state of a run that an engine of the same layout carried before, as this one has it: no link jumps."""
        return state

    def direct(self, name: str, state: NDArray) -> NDArray | None:
        """A copy of a quantity that stands in the state as it is; None for one that must be computed."""
        part = IN_STATE.get(name)
        found = None if part is None else self.layout.part(state, part).copy()
        return None if found is not None and part == "motors" and not found.size else found


def stacked(runs: Sequence[Mapping[str, NDArray]]) -> dict[str, NDArray]:
    """The variables of many runs with a first axis over them."""
    return {name: np.array([run[name] for run in runs]) for name in runs[0]}


class Moment:
    """One state of a run, and what follows from it."""

    def __init__(self, engine: Engine, time: float, state: NDArray, command: Command, wrenches: NDArray | None):
        self.engine, self.time, self.state, self.command, self.wrenches = engine, time, state, command, wrenches
        self.made: dict[Callable[[Log], Any], Any] = {}

    @cached_property
    def log(self) -> Log:
        """A log of this moment alone."""
        commands = Command(*(np.asarray(part, dtype=float)[None] for part in self.command))
        wrenches = None if self.wrenches is None else self.wrenches[None]
        return Log(np.array([self.time]), self.state[None], commands, wrenches)

    @cached_property
    def variables(self) -> dict[str, Variable]:
        """Everything that a trajectory would hold of this moment."""
        return self.engine.variables(self.log)

    @cached_property
    def frames(self) -> tuple[NDArray, NDArray]:
        """Quaternions (links, 4) and velocities (links, 3) in world axes [m/s] of the frames of a robot in space."""
        assert self.engine.parents is not None
        known = (self.quantity(name) for name in ("link_pose", "gyroscope", "base_twist"))
        return frame_motion(self.engine.parents, *known)

    def once(self, make: Callable[[Log], Any]) -> Any:
        """What a method of the engine makes of the log; several quantities may follow from it."""
        if make not in self.made:
            self.made[make] = make(self.log)
        return self.made[make]

    def quantity(self, name: str) -> Any:
        """A quantity by its name; None where this robot in this world has none."""
        value = self.engine.direct(name, self.state)
        if value is not None or name == "chain_state":
            return value
        alone = self.engine.computed(name, self)
        if alone is not None:
            return alone[0]
        found = self.variables.get(name)
        return None if found is None else found.values[0]
