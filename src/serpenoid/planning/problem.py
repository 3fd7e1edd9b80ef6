"""Planning problems: a robot in a world, a cost, a horizon and limits."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, between, check_fields
from serpenoid.control.landmarks import GoalPoint, Landmarks
from serpenoid.errors import InvalidValue, require
from serpenoid.kernels.ilqr.cost_terms import Terms, no_terms
from serpenoid.kernels.ilqr.costs import Both
from serpenoid.kernels.records import StiffDrive
from serpenoid.planning.costs import Cost, Goal, JointLimits, Obstacle, Path, Sum, Torque, Velocity, terms
from serpenoid.robots.base import PlanarPieces, PlanarRobot, Robot
from serpenoid.support.kernel_inputs import chain_of, medium_of
from serpenoid.worlds.base import World
from serpenoid.worlds.peg_board import PegBoard
from serpenoid.worlds.peg_scene import pieces_of

LIMIT_MARGIN = 0.1  # distance from its limit at which a joint is pushed back [rad]
LIMIT_WEIGHT = 30.0  # [1/rad^2]; stiffer limits degrade long horizons


@dataclass(frozen=True)
class Limits:
    """Limits of a plan."""

    torque_lower: Annotated[float, between(-1e9, 1e9, usual=(-20.0, -0.1))] = -1.0
    """least torque of a joint [N m]"""
    torque_upper: Annotated[float, between(-1e9, 1e9, usual=(0.1, 20.0))] = 1.0
    """largest torque of a joint [N m]"""
    joint_angle: Annotated[float | None, above(LIMIT_MARGIN, usual=(0.5, 2.5))] = 2.0
    """largest angle of a joint in either direction [rad], enforced by a steep cost (one below 0.5 rad may be passed by
    0.1 rad in a sharp bend); none: the joints rotate freely, and long plans may wind them up
    """

    def __post_init__(self) -> None:
        check_fields(self)
        require(
            self.torque_upper > self.torque_lower, "torque_upper", self.torque_upper,
            f"above torque_lower = {self.torque_lower}",
        )  # fmt: skip


@dataclass(frozen=True)
class Problem:
    """A robot in a world, a cost, and a horizon."""

    robot: Robot
    """a planar robot; among pegs also a snake that lies flat, such as SeaSnake"""
    world: World
    """a plane with a medium, free space, or a peg board; a plan avoids obstacles, but pushes against pegs"""
    cost: Cost = field(default_factory=lambda: Sum((Goal((-20.0, 0.0)), Torque())))
    """cost to minimise, summed over the knots"""
    horizon: Annotated[int, between(1, 1000, usual=(10, 60))] = 25
    """number of planned steps"""
    step: Annotated[float, above(0.0, usual=(0.002, 0.02), most=0.1)] = 0.01
    """length of a step, over which a torque is constant [s]"""
    limits: Limits = field(default_factory=Limits)
    """limits of torques and joint angles"""
    obstacle_height: Annotated[float, above(0.0, usual=(0.1, 10.0))] = 1.0
    """A, cost inside an obstacle of the world [-]"""
    obstacle_slope: Annotated[float, above(0.0, usual=(10.0, 200.0))] = 50.0
    """k, slope of that cost at the obstacle's surface [1/m]"""
    pegs: Literal["push", "avoid"] = "push"
    """on a peg board: plan through contact, or keep clear of pegs and walls like of other obstacles"""

    def __post_init__(self) -> None:
        require(isinstance(self.world, World), "world", self.world, "a world")
        require(isinstance(self.robot, Robot), "robot", self.robot, "a robot")
        check_fields(self)
        if self.through_contact:
            drive = self.robot.drive
            require(
                type(drive.record(self.robot.joints)) is StiffDrive and not self.robot.springs, "robot.drive",
                type(drive).__name__, "pd in a plan through contact, without passive joints",
            )  # fmt: skip
        else:
            require(isinstance(self.robot, PlanarRobot), "robot", self.robot, "a planar robot")
        medium_of(self.smooth_world, self.pieces.chain)  # raises if a planar robot cannot be in this world
        require(isinstance(self.cost, Cost), "cost", self.cost, "a cost, or a sum of costs")
        require(isinstance(self.limits, Limits), "limits", self.limits, "Limits")
        paths = [term for term in terms(self.cost) if isinstance(term, Path)]
        require(len(paths) <= 1, "cost", f"{len(paths)} paths", "a sum with at most one Path")

    @property
    def through_contact(self) -> bool:
        """True if plans push against pegs."""
        return self.pegs == "push" and isinstance(self.world, PegBoard)

    @property
    def smooth_world(self) -> World:
        """The world without the tilt of a board, which only plans through contact support."""
        return (
            replace(self.world, tilt=0.0) if isinstance(self.world, PegBoard) and self.through_contact else self.world
        )

    @cached_property
    def pieces(self) -> PlanarPieces:
        """Rigid pieces of the robot in the plane."""
        if self.through_contact:
            return pieces_of(self.robot)
        return PlanarPieces(chain_of(self.robot), self.body_radius, np.arange(self.robot.joints))  # type: ignore[arg-type]

    @property
    def joints(self) -> int:
        """Number of planned joints."""
        return int(self.pieces.joints.size)

    @property
    def states(self) -> int:
        """Length of a state vector."""
        return 2 * (self.joints + 3)

    def torque_limits(self) -> tuple[NDArray, NDArray]:
        """Return the least and largest torque per joint, within the drive's own limit."""
        drive, joints = self.robot.drive, self.robot.joints
        cap = drive.torque_limits(joints) if drive.direct else np.full(joints, np.inf)
        cap = cap[self.pieces.joints]
        lower, upper = np.maximum(self.limits.torque_lower, -cap), np.minimum(self.limits.torque_upper, cap)
        allowed = f"a range within the drive's limit of {cap.min():g} N m"
        require(bool(np.all(upper > lower)), "torque_upper", self.limits.torque_upper, allowed)
        return lower, upper

    @property
    def obstacles(self) -> tuple[Obstacle, ...]:
        """Return the obstacles of the world, then those among the costs."""
        return (*self.standing, *(term for term in terms(self.cost) if isinstance(term, Obstacle)))

    @property
    def standing(self) -> tuple[Obstacle, ...]:
        """Return the obstacles of the world as costs; none if plans push against them."""
        if self.through_contact:
            return ()
        places = [place for shape in self.world.geometry() if (place := shape.footprint())]
        return tuple(Obstacle(*place, self.obstacle_height, self.obstacle_slope) for place in places)

    @property
    def body_radius(self) -> float:
        """Radius of the body [m]; 0 if it is not round."""
        return float(self.robot.radius or 0.0)

    def landmarks(self) -> Landmarks:
        """Return goals, route and obstacles of a plan, for pages and plots."""
        costs = terms(self.cost)
        goals = tuple(GoalPoint(cost.position, cost.velocity) for cost in costs if isinstance(cost, Goal))
        routes = (cost.points for cost in costs if isinstance(cost, Path))
        return Landmarks(goals, next(routes, ()), tuple(obstacle.shape for obstacle in self.obstacles))

    def cost_record(self) -> Any:
        """Return the costs for compiled code: one record for all built-in ones, then the user's."""
        own = [term for term in self.all_terms() if type(term).Record is None]
        record: Any = collect_costs(own, self.body_radius)
        for term in terms(self.cost):
            if type(term).Record is not None:
                record = Both(record, term.record())
        return record

    def all_terms(self) -> tuple[Cost, ...]:
        """Return the costs, including the world's obstacles and joint limits."""
        bound, asked = self.limits.joint_angle, (*self.standing, *terms(self.cost))
        if bound is None:
            return asked
        return (*asked, JointLimits(LIMIT_MARGIN - bound, bound - LIMIT_MARGIN, LIMIT_WEIGHT))

    def user_costs(self) -> tuple[type[Cost], ...]:
        """Return the classes of the user-defined costs."""
        return tuple({type(term): None for term in terms(self.cost) if type(term).Record is not None})


def collect_costs(costs: list[Cost], body_radius: float) -> Terms:
    """Collect built-in costs in one record; obstacles are widened by the body's radius [m]."""
    record = no_terms()
    for cost in costs:
        if isinstance(cost, Torque):
            record = record._replace(torque=record.torque + cost.weight)
        elif isinstance(cost, Path):
            weights = np.array([cost.weight, cost.lateral_weight], dtype=float)
            record = record._replace(path=np.array(cost.points, dtype=float), path_weights=weights)
        else:
            name, row = array_row(cost, body_radius)
            longer: dict[str, Any] = {name: np.vstack([getattr(record, name), np.array(row, dtype=float)])}
            record = record._replace(**longer)
    return record


def array_row(cost: Cost, body_radius: float) -> tuple[str, list[float]]:
    """Return the array that stores a cost of which there may be several, and its row."""
    if isinstance(cost, Goal):
        return "goals", [*cost.position, cost.weight, cost.smoothing, *cost.velocity, float(cost.squared)]
    if isinstance(cost, Velocity):
        return "velocities", [*cost.velocity, cost.weight]
    if isinstance(cost, JointLimits):
        return "joints", [cost.lower, cost.upper, cost.weight]
    if isinstance(cost, Obstacle):
        return "obstacles", [*cost.start, *cost.other_end, cost.radius + body_radius, cost.height, cost.slope]
    raise InvalidValue("cost", cost, "a built-in cost, or a Cost with a method residuals(self, knot)")
