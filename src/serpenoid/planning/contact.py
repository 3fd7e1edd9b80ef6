"""Contact planner: joint targets planned through peg contact by iLQR, several times per second.

Every plan minimises the error of the velocity of the centre of mass towards the goal, and the torques. Its model is the
engine's own contact step with the board's stiffness. The plan commands joint angles for the drives, so a plan that is
late or fails is simply continued. Without a goal the snake keeps the direction in which its head points at the start.
If it makes no progress, it tries other directions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, at_least, between, check_fields, usual
from serpenoid.control.base import Command, Observation, Signal
from serpenoid.control.kernel_law import WaveController
from serpenoid.control.landmarks import GoalPoint, Landmarks
from serpenoid.control.open_loop import OpenLoop
from serpenoid.control.shape_compliance import THESIS_SLITHERING
from serpenoid.errors import Unsupported, require
from serpenoid.kernels.motion import motion_samples
from serpenoid.planning.costs import Cost, Torque, Velocity
from serpenoid.planning.felt_map import FeltMap, check_goal
from serpenoid.planning.problem import Limits, Problem
from serpenoid.planning.receding import RecedingHorizon, RecedingLaw
from serpenoid.planning.sampling import RATE, WAVE, SamplingPlanner
from serpenoid.robots.base import Robot
from serpenoid.robots.drives import STIFFEST
from serpenoid.support.kernel_inputs import motion_of
from serpenoid.worlds.peg_board import PegBoard

SPATIAL = WAVE.index("spatial_frequency")
TURN = math.pi * (3.0 - math.sqrt(5.0))  # between two directions that are tried: the golden angle [rad]


@dataclass(frozen=True)
class ContactPlanner(WaveController):
    """Joint targets planned through peg contact by iLQR, in a receding horizon."""

    needs_truth: ClassVar[bool] = True

    law: WaveController = field(default_factory=lambda: OpenLoop(THESIS_SLITHERING))
    """law in whose shape the snake starts, and whose frequency is that of the counted cycles"""
    goal: Annotated[tuple[float, float] | None, usual(-5.0, 5.0)] = None
    """goal of the centre of mass [m]; none: ahead, in the direction of the head at the start"""
    map: Literal["all", "felt"] = "all"
    """known pegs: all, or only those that the robot has touched"""
    speed: Annotated[float, between(0.0, 10.0, usual=(0.1, 0.5))] = 0.4
    """desired speed of the centre of mass [m/s]"""
    speed_weight: Annotated[float, above(0.0, usual=(1.0, 100.0), most=1e6)] = 10.0
    """weight of the squared error of that velocity [s^2/m^2]"""
    torque_weight: Annotated[float, at_least(0.0, usual=(1e-5, 1e-3))] = 1e-4
    """weight of the squared torques [1/(N m)^2]"""
    horizon: Annotated[int, between(1, 1000, usual=(15, 50))] = 25
    """number of planned knots"""
    knot: Annotated[float, between(0.001, 0.1, usual=(0.01, 0.04))] = 0.02
    """time between two knots, over which targets are constant, and between two plans [s]"""
    iterations: Annotated[int, between(1, 10_000, usual=(1, 10))] = 4
    """maximum iterations per plan"""
    regularisation: Annotated[float, at_least(0.0, usual=(0.03, 1.0), most=1e6)] = 0.3
    """least regularisation of a plan, as a multiple of the solver's weights on the state"""
    joint_angle: Annotated[float, between(0.2, math.pi, usual=(1.0, 1.6))] = 1.5
    """largest angle of a joint [rad]"""
    deadline: Annotated[float | None, between(1e-9, 1e3, usual=(0.005, 0.02))] = None
    """time limit of a plan [s]; none: all iterations are completed, and a run repeats bit for bit"""
    samples: Annotated[int, between(0, 10_000, usual=(0, 30))] = 6
    """waves of the law drawn per plan; the best of them replaces a plan that it beats before the iterations; 0: none"""
    patience: Annotated[float, above(0.0, usual=(1.0, 5.0), most=1e6)] = 2.0
    """without a goal: time in which the snake must progress before it tries another direction [s]"""
    progress: Annotated[float, at_least(0.0, usual=(0.02, 0.2), most=1e3)] = 0.05
    """progress that it must make in this time [m]"""

    def __post_init__(self) -> None:
        check_fields(self)
        if self.samples > 0:
            _ = self.waves  # raises if the law has no gait

    def kernel(self, robot: Robot, period: float) -> Any:
        return self.law.kernel(robot, period)

    def phase_rate(self, robot: Robot) -> float:
        return self.law.phase_rate(robot)

    def from_phase(self, phase: float) -> ContactPlanner:
        return replace(self, law=self.law.from_phase(phase))

    def landmarks(self) -> Landmarks:
        """Return the goal, if there is one."""
        return Landmarks(() if self.goal is None else (GoalPoint(self.goal, of="center_of_mass"),))

    @property
    def waves(self) -> SamplingPlanner:
        """The sampling planner from whose ranges waves are drawn."""
        return SamplingPlanner(law=self.law, samples=max(self.samples, 1))

    def cost(self, direction: NDArray, speed: float) -> Cost:
        """Return the cost of plans in a direction (2,) at a speed [m/s]."""
        x, y = (speed * direction).tolist()
        return Velocity((x, y), self.speed_weight) + Torque(self.torque_weight)

    def problem(self, robot: Robot, world: Any, direction: NDArray) -> Problem:
        """Return the problem of a plan."""
        if not isinstance(world, PegBoard):
            raise Unsupported("contact_planner needs a peg board: use RecedingHorizon on open ground")
        torque = min(float(robot.drive.torque_limits(robot.joints).min()), STIFFEST)
        most = Limits(-torque, torque, self.joint_angle)
        return Problem(robot, world, self.cost(direction, self.speed), self.horizon, self.knot, most)

    def receding(self, problem: Problem) -> RecedingHorizon:
        """Return the receding-horizon controller of a problem."""
        return RecedingHorizon(problem, self.iterations, self.deadline, regularisation=self.regularisation)

    def start(self, robot: Robot, period: float, rng: np.random.Generator) -> ContactLaw:
        ticks = self.knot / period
        good = ticks > 1.0 - 1e-6 and abs(ticks - round(ticks)) < 1e-6
        require(good, "knot", self.knot, f"a multiple of the control period, {period:g} s")
        # Compile now, so that compilation does not count against a deadline.
        RecedingLaw(self.receding(self.problem(robot, PegBoard(density=0.0), np.array([1.0, 0.0]))), rng)
        return ContactLaw(self, robot, round(ticks), rng)


class ContactLaw:
    """Running plans, the direction in which they go, and the map."""

    def __init__(self, controller: ContactPlanner, robot: Robot, every: int, rng: np.random.Generator):
        self.controller, self.robot, self.every, self.rng = controller, robot, every, rng
        self.plans: RecedingLaw | None = None
        self.felt: FeltMap | None = None
        self.direction = np.zeros(2)
        self.tick, self.turns = 0, 0
        self.since = (0.0, np.zeros(2))  # time [s] and place [m] at which progress was last measured
        self.held = Command.empty(robot.joints)
        self.waves = controller.waves if controller.samples > 0 else None

    def __call__(self, observation: Observation) -> Command:
        if self.tick % self.every == 0:
            self.held = self.replan(observation)
        elif self.plans is not None:
            self.plans.solved = False
        self.tick += 1
        return self.held

    def replan(self, observation: Observation) -> Command:
        """Update map and direction, plan, and return the command until the next plan."""
        if self.plans is None:
            self.plans = self.first_plans(observation)
        elif self.felt is not None and self.felt.touch(observation.truth):  # type: ignore[arg-type]
            self.plans.move_to(self.felt.board())
        center = self.plans.tracker(observation, self.plans.given[0])[:2]
        self.plans.aim(self.controller.cost(*self.course(observation.time, center)))
        return self.plans(observation, None if self.waves is None else self.guesses(observation.time))

    def guesses(self, time: float) -> Iterator[NDArray]:
        """Yield joint angles (horizon, joints) of waves that the plan may start from."""
        assert self.plans is not None and self.waves is not None
        controller = self.controller
        times = time + controller.knot * (0.5 + np.arange(controller.horizon))
        for wave in self.waves.drawn(self.waves.wave(), self.rng):
            if wave[RATE] < 0.0:  # a reversed wave
                wave[[SPATIAL, RATE]] *= -1.0
            gait: Any = self.waves.with_wave(wave).gait  # type: ignore[attr-defined]  # checked by SamplingPlanner
            angles = motion_samples(motion_of(gait, self.robot), times)[0]
            yield angles[:, self.plans.problem.pieces.joints]

    def first_plans(self, observation: Observation) -> RecedingLaw:
        """Start planning in the world of the run, in the direction of the head."""
        truth, controller = observation.truth, self.controller
        assert truth is not None  # guaranteed by needs_truth
        world, pose = truth.model.world, truth.base_pose
        heading = 2.0 * math.atan2(pose[6], pose[3])
        self.direction = -np.array([math.cos(heading), math.sin(heading)])
        problem = controller.problem(self.robot, world, self.direction)
        check_goal(controller.goal, world)
        if controller.map == "felt":
            self.felt = FeltMap(world)
            self.felt.touch(truth)
            problem = replace(problem, world=self.felt.board())
        plans = RecedingLaw(controller.receding(problem), self.rng)
        self.since = (observation.time, plans.tracker(observation, plans.given[0])[:2])
        return plans

    def course(self, time: float, center: NDArray) -> tuple[NDArray, float]:
        """Return direction (2,) and speed [m/s] of the next plan from the centre of mass (2,) [m]."""
        controller = self.controller
        if controller.goal is not None:
            way = np.array(controller.goal) - center
            left = float(np.linalg.norm(way))
            return way / max(left, 1e-9), min(controller.speed, left / (controller.horizon * controller.knot))
        began, place = self.since
        if time - began >= controller.patience:
            if float(self.direction @ (center - place)) < controller.progress:
                self.turns += 1
                c, s = math.cos(TURN), math.sin(TURN)
                self.direction = np.array([[c, -s], [s, c]]) @ self.direction
            self.since = (time, center)
        return self.direction, controller.speed

    def signals(self) -> dict[str, Signal]:
        """Return the signals of the plans and the number of changes of direction."""
        assert self.plans is not None
        turns = Signal(float(self.turns), "", "number of changes of the direction so far")
        adopted = Signal(float(self.plans.adopted), "", "number of plans that began with a wave so far")
        return self.plans.signals() | {"plan_turns": turns, "plan_waves": adopted}
