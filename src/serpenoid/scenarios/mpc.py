"""Model predictive control of the planar snake: a receding-horizon planner in closed loop with an RK4 simulation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from serpenoid import analysis
from serpenoid.analysis.spectra import LEAST, Oscillation
from serpenoid.configuration import above, at_least, between, usual
from serpenoid.engines.base import AT_REST, Initial
from serpenoid.engines.starts import flat_pose
from serpenoid.errors import InvalidValue, require, within_field
from serpenoid.kernels.planar.chain import planar_model
from serpenoid.planning import (
    Believed,
    Cost,
    Estimator,
    Goal,
    Limits,
    Path,
    Problem,
    RecedingHorizon,
    Torque,
    TrueState,
)
from serpenoid.planning.estimators import Place
from serpenoid.planning.solver import touching
from serpenoid.robots import PlanarSnake
from serpenoid.scenarios.base import Parts, Quantity, Scenario, settle_time
from serpenoid.simulation import Timing
from serpenoid.support.kernel_inputs import chain_of, medium_of
from serpenoid.trajectory import Trajectory
from serpenoid.worlds import PegBoard, Plane

TOO_SHORT = "less than two cycles"  # a run too short to determine a frequency
NEAR = 0.1  # distance from the goal at which the head has arrived [m]


@dataclass(frozen=True)
class PredictiveControl(Scenario, duration=6.0, sample_period=0.001):
    """A planar snake plans its own gait towards a goal, 100 times per second."""

    robot: PlanarSnake = PlanarSnake()
    """snake; it starts straight and at rest with its head at the origin and its body along +x, on a peg board clear of
    all pegs"""
    world: Plane | PegBoard = Plane()
    """plane with its medium and obstacles, or a peg board; plans avoid pegs, and the snake collides with them"""
    goal: Annotated[tuple[float, float], usual(-20.0, 20.0)] = (-20.0, 0.0)
    """target position of the head [m]; the snake faces -x"""
    goal_velocity: Annotated[tuple[float, float], usual(-1.0, 1.0)] = (0.0, 0.0)
    """velocity of a moving goal [m/s]"""
    goal_weight: Annotated[float, at_least(0.0, usual=(0.1, 10.0), most=1e6)] = 1.0
    """alpha, weight of the head's distance from the goal, or of the remaining path length [1/m]"""
    path: Annotated[tuple[float, ...], usual(-10.0, 10.0)] = ()
    """x y of the successive corners of a path for the head, instead of the goal [m]"""
    path_weight: Annotated[float, at_least(0.0, usual=(0.5, 50.0))] = Path.lateral_weight
    """weight of the squared distance of the head from the path [1/m^2]"""
    torque_weight: Annotated[float, at_least(0.0, usual=(0.001, 1.0))] = 0.01
    """beta, weight of the squared torques [1/(N m)^2]"""
    goal_squared: bool = False
    """whether the squared distance from the goal counts, with goal_weight in 1/m^2"""
    believed: Believed = Believed()
    """errors of the planner's model"""
    estimator: Estimator = TrueState()
    """source of the planner's state"""
    horizon: Annotated[int, between(1, 1000, usual=(10, 60))] = 25
    """planning horizon in steps of one control period"""
    limits: Limits = Limits()
    """limits of torques and joint angles"""
    obstacle_height: Annotated[float, above(0.0, usual=(0.1, 10.0))] = 1.0
    """cost inside an obstacle of the world [-]"""
    obstacle_slope: Annotated[float, above(0.0, usual=(10.0, 200.0))] = 50.0
    """steepness of the obstacle cost at the surface [1/m]"""
    iterations: Annotated[int, between(1, 10_000, usual=(1, 10))] = 4
    """maximum iterations per plan"""
    actions: Annotated[int, between(1, 1000, usual=(1, 5))] = 1
    """torques of a plan that are applied before the next plan"""
    delay: Annotated[int, between(0, 100, usual=(0, 5))] = 0
    """control periods until a command acts"""
    predict: bool = True
    """whether the planner accounts for the delay and plans from the predicted state"""
    deadline: Annotated[float, between(1e-9, 1e3, usual=(0.002, 0.05))] = 0.008
    """time limit of a plan [s]; enforced with realtime, otherwise only counted, so that runs are repeatable"""
    realtime: bool = False
    """run in real time"""
    settle: Annotated[float | None, at_least(0.0, usual=(0.0, 5.0), most=1e6)] = None
    """initial transient excluded from speed, power and spectrum [s]; none: a third of the travel time, at most 2 s"""

    def __post_init__(self) -> None:
        super().__post_init__()
        require((self.settle or 0.0) < self.duration, "settle", self.settle, f"below the duration {self.duration} s")
        problem = self.problem()
        RecedingHorizon(problem, self.iterations, None, self.actions, self.delay)
        chain = chain_of(self.robot)
        remarks = touching(problem, planar_model(chain, medium_of(self.world, chain)), self.start_state())
        if remarks:
            raise InvalidValue("world.obstacles", remarks[0], "clear of the snake at its start")

    @property
    def engine(self) -> str | None:
        """Engine name: `pegs` among solid obstacles, otherwise None."""
        return "pegs" if self.world.solid else None

    def start_pose(self) -> Place:
        """Return x, y [m] of the head and heading [rad]."""
        if not isinstance(self.world, PegBoard):
            return 0.0, 0.0, 0.0
        return self.world.clear_start(chain_of(self.robot).length, self.robot.radius, np.zeros(self.robot.joints))

    def head_place(self) -> Place:
        """Return x, y [m] and heading [rad] of the head at the start of the run."""
        return flat_pose(pose) if (pose := self.initial().base_pose) is not None else (0.0, 0.0, 0.0)

    def usual_start(self) -> Initial:
        """Return the straight snake at rest."""
        x, y, heading = self.start_pose()
        turn = (float(np.cos(0.5 * heading)), 0.0, 0.0, float(np.sin(0.5 * heading)))
        return Initial(base_pose=(x, y, 0.0, *turn)) if self.world.solid else AT_REST

    def start_state(self) -> NDArray:
        """Return the planner's initial state."""
        x, y, heading = self.start_pose()
        state = np.zeros(2 * (self.robot.links + 2))
        half = 0.5 * self.robot.length
        state[:3] = x + half * np.cos(heading), y + half * np.sin(heading), heading
        return state

    def problem(self) -> Problem:
        """Return the problem solved at every control period."""
        robot, world = self.believed.robot(self.robot), self.believed.world(self.world)
        return Problem(
            robot, world, self.target() + Torque(self.torque_weight), self.horizon, self.control_period, self.limits,
            self.obstacle_height, self.obstacle_slope, "avoid",
        )  # fmt: skip

    def target(self) -> Cost:
        """Return the cost of the path if there is one, otherwise of the goal."""
        if self.path:
            corners: Any = tuple(pairs("path", self.path))
            require(self.goal_velocity == (0.0, 0.0), "goal_velocity", self.goal_velocity, "0 0 if there is a path")
            with within_field("path"):
                return Path(corners, self.goal_weight, self.path_weight)
        with within_field("goal"):
            return Goal(self.goal, self.goal_weight, velocity=self.goal_velocity, squared=self.goal_squared)

    def settling(self, duration: float) -> float:
        return settle_time(self.settle, duration, self.sample_period)

    def parts(self) -> Parts:
        limit, known = self.deadline if self.realtime else None, self.delay if self.predict else 0
        planner = RecedingHorizon(
            self.problem(), self.iterations, limit, self.actions, known, self.estimator, self.head_place()
        )
        return Parts(self.robot, self.world, planner)

    def timing(self) -> Timing:
        return replace(super().timing(), delay=self.delay, realtime=self.realtime)

    def summary(self, trajectory: Trajectory) -> dict[str, Quantity]:
        start, end = self.averaged(trajectory)
        oscillation = self.oscillation(trajectory, start, end)
        result = {
            "speed": Quantity(analysis.speed(trajectory, start, end), "m/s"),
            "power": Quantity(analysis.power(trajectory, start, end), "W"),
            **self.way(trajectory.times, trajectory["base_pose"][:, :2]),
            **self.kept_clear(trajectory),
            **self.misjudged(trajectory),
            "frequency": Quantity(oscillation.frequency, "Hz", absent=TOO_SHORT),
        }
        for name, value in zip(self.robot.joint_names, oscillation.amplitude):
            result[f"amplitude_{name}"] = Quantity(float(value), "rad", absent=TOO_SHORT)
        return result | solve_summary(trajectory, self.deadline, self.control_period)

    def averaged(self, trajectory: Trajectory) -> tuple[float, float]:
        """Return the interval until the head arrives; a snake that has arrived rests."""
        last, arrival = float(trajectory.times[-1]), self.arrival(trajectory.times, trajectory["base_pose"][:, :2])
        end = arrival if arrival > 0.0 and not any(self.goal_velocity) else last
        return self.settling(end), end

    def arrival(self, times: NDArray, head: NDArray) -> float:
        """Return the time [s] at which the head first reaches its goal or the end of its path; NaN if never."""
        target = self.target()
        if isinstance(target, Path):
            _, left = target.nearest(head)
        else:
            left = np.hypot(*(head - self.goal - np.outer(times, self.goal_velocity)).T)
        arrived = np.flatnonzero(left < NEAR)
        return float(times[arrived[0]]) if arrived.size else float("nan")

    def oscillation(self, trajectory: Trajectory, start: float, end: float) -> Oscillation:
        """Return frequency and amplitudes of the joints; NaN if there are too few samples."""
        chosen = analysis.stretch(trajectory.times, start, end)
        if chosen.stop - chosen.start >= LEAST:
            return analysis.oscillation(trajectory, start=start, end=end)
        unknown = np.full(self.robot.joints, np.nan)
        return Oscillation(np.nan, unknown, unknown)

    def kept_clear(self, trajectory: Trajectory) -> dict[str, Quantity]:
        """Return the smallest distance to obstacles that the body does not collide with, if there are any."""
        if "contact_force" in trajectory:  # contact forces are recorded instead
            return {}
        least = float(analysis.clearance(trajectory).min())
        return {"least_clearance": Quantity(least, "m")} if np.isfinite(least) else {}

    def misjudged(self, trajectory: Trajectory) -> dict[str, Quantity]:
        """Return the largest error of the estimated position of the head, if it is estimated."""
        if self.estimator == TrueState():
            return {}
        return {"position_error_worst": Quantity(float(position_error(trajectory).max()), "m")}

    def way(self, times: NDArray, head: NDArray) -> dict[str, Quantity]:
        """Return the remaining distance, and the deviation from the path or from a moving goal."""
        target, arrived_at = self.target(), Quantity(self.arrival(times, head), "s", absent="never")
        if not isinstance(target, Path):
            distance = np.hypot(*(head - self.goal - np.outer(times, self.goal_velocity)).T)
            found = {"distance_left": Quantity(float(distance[-1]), "m"), "arrived_at": arrived_at}
            if any(self.goal_velocity):
                settled = distance[times >= self.settling(float(times[-1]))]
                found["goal_distance_mean"] = Quantity(float(settled.mean()), "m")
                found["goal_distance_worst"] = Quantity(float(settled.max()), "m")
            return found
        distance, left = target.nearest(head)
        return {
            "distance_left": Quantity(float(left[-1]), "m"),
            "arrived_at": arrived_at,
            "path_deviation_mean": Quantity(float(distance.mean()), "m"),
            "path_deviation_worst": Quantity(float(distance.max()), "m"),
        }


def pairs(name: str, values: tuple[float, ...]) -> list[tuple[float, ...]]:
    """Split a flat list of coordinates into points."""
    require(len(values) % 2 == 0, name, values, "x y of every point [m], so an even count of numbers")
    return [tuple(values[i : i + 2]) for i in range(0, len(values), 2)]


def solve_summary(trajectory: Trajectory, deadline: float, period: float) -> dict[str, Quantity]:
    """Return mean, 99th percentile and maximum of the solve times, and the percentage within the deadline."""
    wall, processor = (drop_missing(trajectory[name]) for name in ("solve_time", "solve_processor_time"))
    result = {
        "solve_mean": Quantity(1e3 * float(wall.mean()), "ms", True),
        "solve_99th_percentile": Quantity(1e3 * float(np.percentile(wall, 99)), "ms", True),
        "solve_worst": Quantity(1e3 * float(wall.max()), "ms", True),
        "solve_processor_mean": Quantity(1e3 * float(processor.mean()), "ms", True),
        "solves_inside_deadline": Quantity(100.0 * float(np.mean(wall <= deadline)), "%", True),
    }
    if "command_ready" in trajectory:
        ready = drop_missing(trajectory["command_ready"])
        in_time = 100.0 * float(np.mean(ready <= period)) if ready.size else np.nan  # nothing before the second tick
        result["ticks_in_time"] = Quantity(in_time, "%", True)
        result["ticks_missed"] = Quantity(int(np.sum(ready > period)), "", True)
    return result


def drop_missing(values: NDArray) -> NDArray:
    """Return the values that are not NaN."""
    return values[~np.isnan(values)]


def position_error(trajectory: Trajectory) -> NDArray:
    """Return the error of the estimated position of the head at each tick (ticks,) [m]."""
    at = np.searchsorted(trajectory.times, trajectory.ticks - 1e-9).clip(max=trajectory.times.size - 1)
    away = trajectory["estimated_head"][:, :2] - trajectory["base_pose"][at, :2]
    return np.hypot(*away.T)
