"""Engine base class: initial states, held commands, divergence and springs, and the data passed to and from plants."""

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
from serpenoid.control.kernel_law import KernelLaw
from serpenoid.engines.command_tracking import following, hold_command
from serpenoid.engines.layout import Layout
from serpenoid.engines.link_variables import OF_LINKS, LinkFrames, link_variables
from serpenoid.errors import InvalidValue, SimulationDiverged, Unsupported
from serpenoid.gaits.limits import check_limits
from serpenoid.kernels.laws.fused_run import Course, FusedRun, FusedTask
from serpenoid.kernels.laws.sensed import Errors
from serpenoid.kernels.motion import motion_samples
from serpenoid.kernels.records import Actuation, Motion
from serpenoid.robots.base import Robot, TreeRobot
from serpenoid.robots.imus import frame_motion
from serpenoid.robots.sensors import no_errors
from serpenoid.runtime.stop_rules import LeaveArea, rule_of
from serpenoid.support.kernel_inputs import check_joints, tree_of

IN_STATE = {"joint_position": "joints", "joint_velocity": "joint_rates", "motor_position": "motors"}  # parts of layouts
NO_DRAWS = np.random.default_rng(0)  # for starts without scatter, which draw nothing


class Log(NamedTuple):
    """Samples of a run; commands and wrenches apply from each sample on."""

    times: NDArray  # (samples,) [s]
    states: NDArray  # (samples, numbers) flat states of the engine
    commands: Command  # arrays (samples, joints), NaN if not commanded
    wrenches: NDArray | None = None  # (samples, links, 6) external, see Engine.advance; None if there are none


@dataclass(frozen=True)
class Start:
    """Initial state of a run.

    For fields left None, scenario or engine choose: at rest, straight, at the start of the gait.
    """

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
        """Return a joint field as an array; raise if its length does not match the robot."""
        value = getattr(self, name)
        if value is None:
            return None
        if len(value) != joints:
            raise InvalidValue(name, value, f"{joints} numbers, one per joint")
        return np.array(value, dtype=float)


@dataclass(frozen=True)
class Initial(Start):
    """Initial state with random scatter."""

    scatter: Annotated[float, at_least(0.0, usual=(0.0, 0.3))] = 0.0
    """standard deviation of the initial heading of a free base and of each joint angle that is not prescribed [rad];
    drawn from the seed of the run
    """


AT_REST = Initial()  # in the engine's default pose


def fused_task(
    law: KernelLaw, course: Course, stop: LeaveArea | None = None, errors: Errors | None = None
) -> FusedTask:
    """Return a kernel law as a task for an engine; `errors` are added to the sensor readings, None means ideal ones."""
    return FusedTask(
        law=law.record,
        memory=law.memory,
        target=law.target,
        torques=law.controller.commands == "torque",
        imu=law.controller.needs_imu,
        rule=rule_of(stop),
        errors=no_errors(law.target.size) if errors is None else errors,
        course=course,
    )


class Engine(ABC):
    """Simulation of one robot in one world at a fixed integration step. Time is step count x step.

    A compiled engine defines `layout`, `gains`, `start_state`, `run` and `own_variables`; the base class does the
    rest.
    External wrenches are None or (links, 6): force [N] at each link's centre of mass and moment [N m], in world
    axes.
    """

    name: ClassVar[str]
    fuses: bool = False  # whether it compiles kernel laws into its own loop, see run_law()
    fuses_torques: ClassVar[bool] = False  # whether it also fuses laws that command torques
    fuses_imus: ClassVar[bool] = False  # whether it also fuses laws that read accelerometers and gyroscopes
    heading_first: ClassVar[bool] = False  # whether scatter() draws the heading before the joints
    layout: Layout  # layout of its flat state
    gains: Any = None  # record of the drives; None if joints are prescribed
    driven: bool = True  # whether torques move the joints; else they are prescribed
    steps_per_sample: int = 1  # interval at which states are stored, for variables requested later

    def __init__(self, robot: Robot, world: Any, step: float):
        check_joints(robot)
        self.robot = robot
        self.world = world
        self.step = step
        self.moving = np.arange(robot.joints)  # joints that this engine moves; others stay at 0

    def initial(self, given: Initial, motion: Motion | None, rng: np.random.Generator) -> NDArray:
        """Return the flat state at time zero; a prescribed robot starts with the angles and rates of the motion."""
        position, velocity = self.start_joints(given, motion)
        turn = 0.0
        if given.scatter > 0.0:
            turn, bend = self.scatter(given, rng)
            position = position + bend
        return self.start_state(given, position, velocity, turn)

    def start_joints(self, given: Initial, motion: Motion | None) -> tuple[NDArray, NDArray]:
        """Return angles and rates (joints,); driven joints start at the motion's angles, at rest, unless given."""
        joints = self.robot.joints
        position, velocity = (given.joint_array(name, joints) for name in ("joint_position", "joint_velocity"))
        if motion is not None:
            check_limits(self.robot, motion)
            start, rate, _ = (part[0] for part in motion_samples(motion, np.zeros(1)))
            position = start if position is None or not self.driven else position
            velocity = velocity if self.driven else rate
        position = np.zeros(joints) if position is None else position
        return position, np.zeros(joints) if velocity is None else velocity

    def scatter(self, given: Initial, rng: np.random.Generator) -> tuple[float, NDArray]:
        """Draw the deviations of heading and joint angles (joints,) from the given start [rad]."""
        draws = given.scatter * rng.standard_normal(1 + self.moving.size)
        turn, bend = (draws[0], draws[1:]) if self.heading_first else (draws[-1], draws[:-1])
        out = np.zeros(self.robot.joints)
        out[self.moving] = bend * self.driven
        return float(turn), out

    @abstractmethod
    def start_state(self, given: Initial, position: NDArray, velocity: NDArray, turn: float) -> NDArray:
        """Return the initial state from joint angles and rates (joints,) and the scatter of the heading [rad]."""

    def state_at(self, pose: NDArray, twist: NDArray, position: NDArray, velocity: NDArray) -> NDArray:
        """Return the state at a pose (7,) and twist (6,) of the base, with angles and rates (joints,)."""
        raise Unsupported(f"the engine {self.name} cannot start a prediction at an observed state")

    def centers(self, states: NDArray) -> NDArray:
        """Return x, y of the centre of mass at states (samples, numbers) [m]."""
        raise Unsupported(f"the engine {self.name} does not compute the centre of mass of a state alone")

    def state_of_parts(self, **parts: Any) -> NDArray:
        """Return a state with the given parts, zero elsewhere; springs are relaxed, so motors start at the joint
        angles.
        """
        state = self.layout.state(**parts)
        if self.layout.part(state, "motors").size:
            for motors, joints in (("motors", "joints"), ("motor_rates", "joint_rates")):
                state[self.layout[motors]] = state[self.layout[joints]]
        return state

    def lead(self, first: int, state: NDArray, command: Command, steps: int) -> Any:
        """Return a held command in the form that compiled rollouts use."""
        if self.driven:
            return hold_command(self.gains, command)
        angles, rates = self.layout.part(state, "joints"), self.layout.part(state, "joint_rates")
        return following(angles, rates, command, first * self.step, self.step, steps)

    def motion_lead(self, motion: Motion) -> Any:
        """Return a motion in the form that compiled rollouts use."""
        return Actuation(motion, self.gains, np.zeros(self.robot.joints)) if self.driven else motion

    @abstractmethod
    def run(self, first: int, state: NDArray, lead: Any, steps: int, every: int, wrenches: NDArray | None) -> NDArray:
        """Return states (steps / every, numbers) after every `every`-th step; NaN from the step of divergence on."""

    @abstractmethod
    def own_variables(self, log: Log) -> dict[str, NDArray]:
        """Compute the variables of this engine, under the names of the catalogue (variables.py)."""

    def variables(self, log: Log) -> dict[str, NDArray]:
        """Compute all variables of a trajectory: those of this engine, and those of every engine."""
        found = self.own_variables(log)
        return found | link_variables(self.parents, found)

    def advance(
        self, first: int, state: NDArray, command: Command, steps: int, wrenches: NDArray | None = None
    ) -> NDArray:
        """Return the state after `steps` steps with command and wrenches held; raise SimulationDiverged if it
        diverges.
        """
        lead = self.lead(first, state, command, steps)
        end = self.run(first, state, lead, steps, steps, wrenches)[-1]
        if np.isnan(end[0]):
            raise self.divergence(first, state, lead, steps, wrenches)
        return end

    def divergence(
        self, first: int, state: NDArray, lead: Any, steps: int, wrenches: NDArray | None
    ) -> SimulationDiverged:
        """Repeat steps of which one diverges, to find that step and the last finite state."""
        states = self.run(first, state, lead, steps, 1, wrenches)
        bad = int(np.isnan(states[:, 0]).argmax())
        return SimulationDiverged((first + bad + 1) * self.step, states[bad - 1] if bad else state)

    def rollout(
        self, first: int, state: NDArray, motion: Motion, steps: int, every: int, wrenches: NDArray | None = None
    ) -> NDArray:
        """Return states (steps / every, numbers) after every `every`-th step while a motion commands the joints.

        Rows from the step of divergence on are NaN.
        """
        return self.run(first, state, self.motion_lead(motion), steps, every, wrenches)

    def motion_command(self, step: int, motion: Motion) -> Command:
        """Return the targets of a motion at a step."""
        return Command(*(part[0] for part in self.motion_commands(np.array([step * self.step]), motion)))

    def motion_commands(self, times: NDArray, motion: Motion) -> Command:
        """Return the targets of a motion at the given times, as arrays (samples, joints)."""
        angle, rate, acceleration = motion_samples(motion, np.asarray(times, dtype=float))
        return Command(angle, rate, acceleration, np.full_like(angle, np.nan))

    @cached_property
    def parents(self) -> NDArray | None:
        """(links,) parent of each link of a robot in space, -1 for the base; None for a planar robot."""
        return tree_of(self.robot).parent if isinstance(self.robot, TreeRobot) else None

    def run_law(
        self, state: NDArray, task: FusedTask, wrenches: NDArray | None = None, before: NDArray | None = None
    ) -> FusedRun:
        """Run a compiled law until its rule stops it; its memory and target change in place.

        An engine that reads IMUs needs the state one tick `before`, NaN if there is none. It overwrites `before` with
        the state one tick before the end.
        """
        raise NotImplementedError(f"the engine {self.name} evaluates laws tick by tick")

    def lanes_key(self, motion: Motion) -> Any:
        """Return a key shared by runs that can be batched in lanes; None for a run that cannot be batched."""
        return None

    @classmethod
    def starts(cls, engines: Sequence[Any], given: Sequence[Initial], motions: Sequence[Motion]) -> NDArray:
        """Return the initial() states (runs, numbers) of runs without scatter that share a lanes_key."""
        return np.array([engine.initial(*rest, NO_DRAWS) for engine, *rest in zip(engines, given, motions)])

    @classmethod
    def batch(
        cls, engines: Sequence[Any], motions: Sequence[Motion], states: NDArray, steps: int, every: int
    ) -> dict[str, NDArray]:
        """Return variables (runs, samples + 1, ...) of runs with one lanes_key, at time 0 and after every `every`
        steps.

        Values are NaN after a run diverged. The default runs one after the other.
        """
        return stack_runs([engine.run_alone(*run, steps, every) for engine, *run in zip(engines, motions, states)])

    def run_alone(self, motion: Motion, state: NDArray, steps: int, every: int) -> dict[str, NDArray]:
        """Return all variables of one run, NaN after it diverged."""
        states = np.vstack([state, self.rollout(0, state, motion, steps, every)])
        good = np.isfinite(states).all(axis=1)
        times = self.step * every * np.flatnonzero(good)
        log = Log(times, np.ascontiguousarray(states[good]), self.motion_commands(times, motion))
        found = {}
        for name, values in self.variables(log).items():
            found[name] = np.full((len(states), *values.shape[1:]), np.nan)
            found[name][good] = values
        return found

    def check_wrenches(self, wrenches: NDArray) -> None:  # noqa: B027
        """Raise if this engine cannot apply the wrenches (links, 6)."""

    def computed(self, name: str, moment: Moment) -> NDArray | None:
        """Compute one variable (1, ...) separately; None if it is only computed with the others or is missing."""
        return None

    def taken_over(self, before: Any, state: NDArray) -> NDArray:
        """Convert the state of a run from an engine of the same layout to this engine, so that no link jumps."""
        return state

    def direct(self, name: str, state: NDArray) -> NDArray | None:
        """Return a copy of a quantity stored in the state; None if it must be computed."""
        part = IN_STATE.get(name)
        found = None if part is None else self.layout.part(state, part).copy()
        if found is None or part == "motors" and not found.size:
            return None
        return self.shown(found)

    def shown(self, values: NDArray) -> NDArray:
        """Expand values (..., moving joints) to all joints, with 0 for joints that are held."""
        if self.moving.size == self.robot.joints:
            return values
        out = np.zeros((*values.shape[:-1], self.robot.joints))
        out[..., self.moving] = values
        return out

    def spring_variables(self, states: NDArray) -> dict[str, NDArray]:
        """Return motor positions and the energy of springs and rotors; nothing for drives without a spring."""
        joints, motors, rates = (self.layout.part(states, name) for name in ("joints", "motors", "motor_rates"))
        if not motors.size:
            return {}
        stored = self.robot.drive.energy(joints, motors, rates)
        return {"motor_position": self.shown(motors), "energy_spring": stored}


def stack_runs(runs: Sequence[Mapping[str, NDArray]]) -> dict[str, NDArray]:
    """Stack the variables of many runs along a new first axis."""
    return {name: np.array([run[name] for run in runs]) for name in runs[0]}


class Moment:
    """State of a run at one time, and the quantities derived from it."""

    def __init__(self, engine: Engine, time: float, state: NDArray, command: Command, wrenches: NDArray | None):
        self.engine, self.time, self.state, self.command, self.wrenches = engine, time, state, command, wrenches
        self.made: dict[Callable[[Log], Any], Any] = {}

    @cached_property
    def log(self) -> Log:
        """Log of this state alone."""
        commands = Command(*(np.asarray(part, dtype=float)[None] for part in self.command))
        wrenches = None if self.wrenches is None else self.wrenches[None]
        return Log(np.array([self.time]), self.state[None], commands, wrenches)

    @cached_property
    def variables(self) -> dict[str, NDArray]:
        """All trajectory variables at this time."""
        return self.engine.variables(self.log)

    @cached_property
    def frames(self) -> tuple[NDArray, NDArray]:
        """Quaternions (links, 4) and velocities (links, 3) in world axes [m/s] of the frames of a robot in space."""
        assert self.engine.parents is not None
        known = (self.quantity(name) for name in ("link_pose", "gyroscope", "base_twist"))
        return frame_motion(self.engine.parents, *known)

    @cached_property
    def links(self) -> LinkFrames:
        """Frames of the links at this one sample."""
        return LinkFrames(self.engine.parents, lambda name: self.quantity(name)[None])

    def once(self, make: Callable[[Log], Any]) -> Any:
        """Return the result of an engine method on the log, cached because several quantities may need it."""
        if make not in self.made:
            self.made[make] = make(self.log)
        return self.made[make]

    def quantity(self, name: str) -> Any:
        """Return a quantity by name; None if this robot in this world does not have it."""
        value = self.engine.direct(name, self.state)
        if value is not None or name == "chain_state":
            return value
        alone = self.engine.computed(name, self)
        if alone is not None:
            return alone[0]
        if name in OF_LINKS:
            return OF_LINKS[name](self.links)[0]
        found = self.variables.get(name)
        return None if found is None else found[0]
