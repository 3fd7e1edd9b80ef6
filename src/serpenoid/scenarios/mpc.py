"""The planar snake that finds its own gait: a receding-horizon planner closed round an RK4 truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid import analysis
from serpenoid.configuration import within_field
from serpenoid.control.delayed import Delayed
from serpenoid.errors import InvalidValue, finite, nonnegative, positive, require
from serpenoid.kernels.planar.chain import planar_model
from serpenoid.planning import Cost, Goal, Limits, Obstacle, Path, Problem, RecedingHorizon, Torque
from serpenoid.planning.realtime import RealTime
from serpenoid.planning.solver import touching
from serpenoid.robots import PlanarSnake
from serpenoid.scenarios.base import Parts, Quantity, Scenario
from serpenoid.simulation import Progress, simulate
from serpenoid.trajectory import Trajectory
from serpenoid.worlds import Plane


@dataclass(frozen=True)
class PredictiveControl(Scenario):
    """A planar snake plans its own gait towards a goal, 100 times a second."""

    robot: PlanarSnake = PlanarSnake()
    """the snake; it starts straight and at rest, its head at the origin and its body along +x"""
    world: Plane = Plane()
    """the plane and its medium"""
    goal: tuple[float, float] = (-20.0, 0.0)
    """where the head is to go [m]; the snake faces -x"""
    goal_velocity: tuple[float, float] = (0.0, 0.0)
    """of a goal that moves, from where it is at first on [m/s]"""
    goal_weight: float = 1.0
    """alpha, weight of the head's distance from the goal, or of the way left along the path [1/m]"""
    path: tuple[float, ...] = ()
    """x y of one corner after the other of a line that the head is to follow, in place of the goal [m]"""
    path_weight: float = 5.0
    """weight of the squared distance of the head from the path [1/m^2]"""
    torque_weight: float = 0.01
    """beta, weight of the squared torques [1/(N m)^2]"""
    horizon: int = 25
    """steps planned ahead, each as long as the control period"""
    limits: Limits = Limits()
    """limits of torques and joint angles"""
    discs: tuple[float, ...] = ()
    """obstacles: x y radius of one disc after the other [m]"""
    walls: tuple[float, ...] = ()
    """obstacles: x y x y radius of one wall after the other [m]"""
    obstacle_slope: float = 50.0
    """how steeply the cost of an obstacle rises at its surface [1/m]"""
    iterations: int = 4
    """iterations per plan at most"""
    actions: int = 1
    """torques of a plan that are carried out before the next plan"""
    delay: int = 0
    """control periods until a command acts"""
    predict: bool = True
    """whether the planner knows of the delay, and plans from the state that it predicts for its end"""
    deadline: float = 0.008
    """time that a plan may take [s]; enforced with realtime, else only counted, so that a run repeats exactly"""
    realtime: bool = False
    """run against the clock"""
    duration: float = 6.0
    """simulated time [s]"""
    sample_period: float = 0.001
    """time between two samples of the trajectory [s]"""
    settle: float = 2.0
    """time at the start that speed, power and spectrum leave out [s]"""

    def __post_init__(self) -> None:
        super().__post_init__()
        nonnegative("settle", self.settle)
        require(self.settle < self.duration, "settle", self.settle, f"below the duration {self.duration} s")
        positive("deadline", self.deadline)
        for value in self.goal_velocity:
            finite("goal_velocity", value)
        problem = self.problem()
        RecedingHorizon(problem, self.iterations, None, self.actions, self.delay)
        chain = self.robot.chain()
        remarks = touching(problem, planar_model(chain, self.world.medium_record(chain)), straight(self.robot))
        if remarks:
            raise InvalidValue("discs and walls", remarks[0], "clear of the snake where it starts")

    def problem(self) -> Problem:
        """What is planned at every control period."""
        cost = self.target() + Torque(self.torque_weight)
        for obstacle in self.obstacles():
            cost = cost + obstacle
        return Problem(self.robot, self.world, cost, self.horizon, self.control_period, self.limits)

    def target(self) -> Cost:
        """The path where there is one, else the goal."""
        if self.path:
            corners: Any = tuple(rows("path", self.path, 2))
            require(self.goal_velocity == (0.0, 0.0), "goal_velocity", self.goal_velocity, "0 0 where there is a path")
            with within_field("path"):
                return Path(corners, self.goal_weight, self.path_weight)
        with within_field("goal"):
            return Goal(self.goal, self.goal_weight, velocity=self.goal_velocity)

    def obstacles(self) -> list[Obstacle]:
        """Discs and walls."""
        discs, walls = rows("discs", self.discs, 3), rows("walls", self.walls, 5)
        slope = positive("obstacle_slope", self.obstacle_slope)
        return [Obstacle((x, y), None, r, slope=slope) for x, y, r in discs] + [
            Obstacle((a, b), (c, d), r, slope=slope) for a, b, c, d, r in walls
        ]

    def parts(self) -> Parts:
        limit, known = self.deadline if self.realtime else None, self.delay if self.predict else 0
        controller: Any = RecedingHorizon(self.problem(), self.iterations, limit, self.actions, known)
        if self.delay:
            controller = Delayed(controller, self.delay)
        return Parts(self.robot, self.world, RealTime(controller, self.control_period) if self.realtime else controller)

    def run(self, progress: Progress | None = None) -> Trajectory:
        robot, world, controller = self.parts()
        trajectory = simulate(
            robot, world, controller, self.duration, step=self.step, control_period=self.control_period,
            sample_period=self.sample_period, initial=self.initial(), seed=self.seed, progress=progress,
        )  # fmt: skip
        add_solves(trajectory, controller)
        return self.sign(trajectory)

    def summary(self, trajectory: Trajectory) -> dict[str, Quantity]:
        oscillation = analysis.oscillation(trajectory, start=self.settle)
        result = {
            "speed": Quantity(analysis.speed(trajectory, self.settle), "m/s"),
            "power": Quantity(analysis.power(trajectory, self.settle), "W"),
            **self.way(trajectory.times, trajectory["base_pose"][:, :2]),
            "frequency": Quantity(oscillation.frequency, "Hz"),
        }
        for name, value in zip(self.robot.joint_names, oscillation.amplitude):
            result[f"amplitude_{name}"] = Quantity(float(value), "rad")
        return result | solve_summary(trajectory, self.deadline, self.control_period)

    def way(self, times: NDArray, head: NDArray) -> dict[str, Quantity]:
        """How far the head still has to go, and how near it kept to its path or to a goal that moves."""
        target = self.target()
        if not isinstance(target, Path):
            distance = np.hypot(*(head - self.goal - np.outer(times, self.goal_velocity)).T)
            found = {"distance_left": Quantity(float(distance[-1]), "m")}
            if any(self.goal_velocity):
                settled = distance[times >= self.settle]
                found["goal_distance_mean"] = Quantity(float(settled.mean()), "m")
                found["goal_distance_worst"] = Quantity(float(settled.max()), "m")
            return found
        distance, left = target.nearest(head)
        return {
            "distance_left": Quantity(float(left[-1]), "m"),
            "path_deviation_mean": Quantity(float(distance.mean()), "m"),
            "path_deviation_worst": Quantity(float(distance.max()), "m"),
        }


def straight(robot: PlanarSnake) -> NDArray:
    """The planner's state of a straight snake at rest with its head at the origin."""
    state = np.zeros(2 * (robot.links + 2))
    state[0] = 0.5 * robot.length
    return state


def rows(name: str, values: tuple[float, ...], width: int) -> list[tuple[float, ...]]:
    """A flat list of numbers as rows of so many."""
    require(len(values) % width == 0, name, values, f"{width} numbers each")
    return [tuple(values[i : i + width]) for i in range(0, len(values), width)]


def add_solves(trajectory: Trajectory, controller: Any) -> None:
    """Lay the times of the solves into the trajectory, NaN at samples without one."""
    planner: Any = controller
    while not isinstance(planner, RecedingHorizon):
        planner = planner.controller
    memory = planner.memory
    columns = {
        "solve_time": (memory.times, memory.seconds, "s", "time of the plan made here, by the clock"),
        "solve_processor_time": (memory.times, memory.processor, "s", "processor time of the plan made here"),
    }
    if isinstance(controller, RealTime):
        clock = controller.clock
        columns["command_ready"] = (clock.times, clock.ready, "s", "how long after its time the command was ready")
    for name, (times, values, unit, meaning) in columns.items():
        column = np.full(trajectory.times.size, np.nan)
        column[np.searchsorted(trajectory.times, np.array(times) - 1e-9)] = values
        trajectory.variables[name] = (("time",), column, unit, meaning)
    trajectory.attributes["variables"] = list(trajectory.variables)


def solve_summary(trajectory: Trajectory, deadline: float, period: float) -> dict[str, Quantity]:
    """Mean, 99th percentile and worst of the solve times, and the share inside the deadline."""
    wall, processor = (known(trajectory[name]) for name in ("solve_time", "solve_processor_time"))
    result = {
        "solve_mean": Quantity(1e3 * float(wall.mean()), "ms"),
        "solve_99th_percentile": Quantity(1e3 * float(np.percentile(wall, 99)), "ms"),
        "solve_worst": Quantity(1e3 * float(wall.max()), "ms"),
        "solve_processor_mean": Quantity(1e3 * float(processor.mean()), "ms"),
        "solves_inside_deadline": Quantity(100.0 * float(np.mean(wall <= deadline)), "%"),
    }
    if "command_ready" in trajectory:
        ready = known(trajectory["command_ready"])
        result["ticks_in_time"] = Quantity(100.0 * float(np.mean(ready <= period)), "%")
        result["ticks_missed"] = Quantity(int(np.sum(ready > period)))
    return result


def known(values: NDArray) -> NDArray:
    """The values that are there."""
    return values[~np.isnan(values)]
