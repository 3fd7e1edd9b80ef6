"""Peg boards on a floor with dry friction."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import pi, sqrt
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, at_least, between, check_fields, usual
from serpenoid.errors import InvalidValue, Unsupported, require
from serpenoid.kernels.planar.media import DRY, Medium, make_medium
from serpenoid.kernels.records import Chain
from serpenoid.robots.base import Robot
from serpenoid.worlds.contact import ContactWorld, Solid
from serpenoid.worlds.geometry import Disc, Ground, Point, Point3, Shape, Wall
from serpenoid.worlds.initial_pose import base_to_world, line_of, moved_pose, turned_pose
from serpenoid.worlds.peg_layouts import pegs_of_file, poisson_pegs, refuse_overlaps, regular_pegs

CLEARANCE = 0.003  # clearance between robot and pegs at the start [m]
SPREAD = 0.8  # smallest distance between random pegs, in units of 1 / sqrt(density)
TRIES = 20_000  # start poses tried
TOGETHER = 200  # start poses tested together
MOST_PEGS = 200_000
PLANNED_SMOOTHING = 0.01  # smoothing of the friction in plans, as that of a Plane [m/s]


@dataclass(frozen=True)
class PegTouch:
    """Contact model of pegs and walls in the plane; in space the world's contact settings apply."""

    stiffness: Annotated[float, above(0.0, usual=(3e4, 3e6), most=1e9)] = 1e6
    """contact stiffness [N/m]; it affects how often compliant snakes jam"""
    damping: Annotated[float, at_least(0.0, usual=(0.0, 2000.0))] = 1000.0
    """contact damping [N s/m]"""
    smoothing: Annotated[float, above(0.0, usual=(1e-4, 1e-2))] = 1e-3
    """slip speed at which peg friction reaches 71 % of its limit [m/s]"""
    floor_smoothing: Annotated[float, above(0.0, usual=(1e-5, 1e-3))] = 1e-4
    """the same for the floor [m/s]; a snake held at 71 % of the friction creeps at this speed"""
    stations: Annotated[int, between(1, 16, usual=(1, 4))] = 2
    """Gauss points of the floor friction along each rigid piece"""

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True)
class PegBoard(ContactWorld):
    """Round pegs on a board around the origin, and straight walls, on a floor with dry friction."""

    obstacle = "peg"
    layout: Literal["poisson", "square", "hexagonal", "list", "csv"] = "poisson"
    """arrangement: random with a minimum spacing (poisson), square, hexagonal, from `places` or from `file`"""
    density: Annotated[float, at_least(0.0, usual=(10.0, 40.0))] = 27.0
    """poisson, square, hexagonal: pegs per square metre [1/m^2]"""
    seed: Annotated[int, between(0, 2**31 - 1, usual=(0, 100))] = 0
    """poisson: seed of pegs and start poses"""
    start: Annotated[int, between(0, 2**31 - 1, usual=(0, 10))] = 0
    """number of the start pose on this board, unless the run sets one"""
    size: Annotated[tuple[float, float], above(0.0, usual=(1.0, 10.0))] = (3.2, 3.2)
    """length and width of the area with pegs [m]"""
    spacing: Annotated[float | None, above(0.0, usual=(0.1, 0.3))] = None
    """poisson: smallest distance between the axes of two pegs [m]; none: 0.8 / sqrt(density)"""
    turn: Annotated[float, usual(-pi, pi)] = 0.0
    """square, hexagonal: rotation of the pattern [rad]"""
    places: Annotated[tuple[Point, ...], usual(-5.0, 5.0)] = ()
    """list: x y of each peg [m]"""
    file: str = ""
    """csv: file with x,y [m] of one peg per line"""
    peg_radius: Annotated[float, above(0.0, usual=(0.005, 0.1))] = 0.015
    """[m]"""
    peg_friction: Annotated[float, at_least(0.0, usual=(0.0, 0.6))] = 0.2
    """coefficient of friction of pegs and walls [-]"""
    friction: Annotated[float, at_least(0.0, usual=(0.05, 1.2))] = 0.3
    """coefficient of friction of the floor, across the body [-]"""
    walls: tuple[Wall, ...] = ()
    """straight walls, as wall:x,y,x,y,radius [m]"""
    tilt: Annotated[float, between(-1.5, 1.5, usual=(-0.5, 0.5))] = 0.0
    """angle by which the board slopes down along x [rad]; the board's own axes stay those of the world"""
    start_area: Annotated[float, at_least(0.0, usual=(0.5, 3.0))] = 1.8
    """side of the central square in which the head starts [m]"""
    touch: PegTouch = PegTouch()
    """contact model of pegs and walls in the plane"""

    def __post_init__(self) -> None:
        check_fields(self)
        for wall in self.walls:
            require(isinstance(wall, Wall), "walls", wall, "a Wall")
        most = MOST_PEGS / (self.size[0] * self.size[1])
        require(self.density <= most, "density", self.density, f"at most {most:.4g}: {MOST_PEGS} pegs on the board")
        widest = 0.5 * min(self.size)
        require(self.peg_radius <= widest, "peg_radius", self.peg_radius, f"at most {widest:g} m, half of the board")
        require(
            self.layout != "list" or bool(self.places),
            "places",
            self.places,
            "given for layout list: x,y of every peg [m]",
        )
        if self.layout == "poisson" and self.density > 0.0:
            fits = 0.64 / (2.0 * self.peg_radius) ** 2
            allowed = f"at most {fits:.4g} pegs/m^2 of radius {self.peg_radius:g} m at random places"
            require(self.density <= fits, "density", self.density, allowed)
            least = 2.0 * self.peg_radius
            require(self.apart >= least, "spacing", self.apart, f"at least two radii of a peg, {least:g} m")
        require(self.layout != "csv" or bool(self.file), "file", self.file, "the CSV file that layout csv reads")
        self.pegs()

    @property
    def apart(self) -> float:
        """Smallest distance between the axes of two random pegs [m]."""
        return SPREAD / sqrt(self.density) if self.spacing is None else self.spacing

    @property
    def gravity_vector(self) -> Point3:
        return (self.gravity * float(np.sin(self.tilt)), 0.0, -self.gravity * float(np.cos(self.tilt)))

    def pegs(self) -> NDArray:
        """Return the axes (n, 2) of the pegs [m]."""
        return pegs_of(self)

    def geometry(self) -> tuple[Shape, ...]:
        """Return the floor, the pegs and the walls."""
        return (Ground((0.0, 0.0, 0.0)), *self.obstacles())

    def obstacles(self) -> tuple[Disc | Wall, ...]:
        """Return pegs and walls."""
        discs = (Disc((float(x), float(y)), self.peg_radius) for x, y in self.pegs())
        return (*discs, *self.walls)

    def solids(self) -> tuple[Solid, ...]:
        rough = (self.peg_friction, self.peg_friction)
        ground = Solid(Ground((0.0, 0.0, 0.0)), self.ground_friction)
        return (ground, *(Solid(shape, rough) for shape in self.obstacles()))

    def outermost(self) -> tuple[float, float, float, float]:
        """Return the rectangle around the axes of all pegs: low x, low y, high x, high y [m].

        Without pegs, return the rectangle of the board. Pegs in one line have a rectangle as wide as one peg.
        """
        points = self.pegs()
        if len(points) == 0:
            points = 0.5 * np.array([self.size, self.size]) * np.array([[-1.0], [1.0]])
        low, high = points.min(axis=0), points.max(axis=0)
        wider = np.where(high > low, 0.0, self.peg_radius)
        return (*(low - wider).tolist(), *(high + wider).tolist())  # type: ignore[return-value]

    def medium_record(self, chain: Chain) -> Medium:
        """Return the floor for planners, which need derivatives; it is smoother than the simulated one."""
        if self.tilt != 0.0:
            raise Unsupported("0 with a planner, which supports level boards only")
        weight, (along, across) = self.gravity * chain.mass, self.ground_friction
        smoothing = PLANNED_SMOOTHING * weight
        return make_medium(
            DRY, weight.size, longitudinal=along * weight, transverse=across * weight, smoothing=smoothing
        )

    def clear_start(self, length: NDArray, radius: float, angles: NDArray) -> tuple[float, float, float]:
        """Draw x, y [m] of the snout and heading [rad] at which a chain with these joint angles is clear of pegs and
        walls.

        length (pieces,) [m], angles (pieces - 1,) [rad]; drawn from seed and start.
        """
        draws = np.random.default_rng((self.seed, self.start)).random((TRIES, 3))
        draws[:, :2] = self.start_area * (draws[:, :2] - 0.5)
        draws[:, 2] *= 2.0 * pi
        for begin in range(0, TRIES, TOGETHER):
            some = draws[begin : begin + TOGETHER]
            for x, y, turn in some[self.hopeful(length, radius, angles, some)].tolist():
                if self.clearance(length, radius, np.append(turn, angles), (x, y)) >= CLEARANCE:
                    return x, y, turn
        raise InvalidValue("density", self.density, f"lower: the robot does not fit at any of {TRIES} starts")

    def hopeful(self, length: NDArray, radius: float, angles: NDArray, starts: NDArray) -> NDArray:
        """Return whether (count,) sample points of the chain at starts (count, 3), x y heading, are clear of all pegs.

        The remaining starts need `clearance`.
        """
        if not len(self.pegs()):
            return np.full(len(starts), True)
        heading = starts[:, 2:] + np.append(0.0, np.cumsum(angles))
        along = np.stack([np.cos(heading), np.sin(heading)], axis=-1)  # (count, pieces, 2)
        steps = length[:, None] * along
        front = starts[:, None, :2] + np.cumsum(steps, axis=1) - steps
        points = front[:, :, None] + np.array([0.0, 0.25, 0.5, 0.75, 1.0])[:, None] * steps[:, :, None]
        nearest = peg_tree(self).query(points.reshape(len(starts), -1, 2))[0].min(axis=1)
        return nearest >= self.peg_radius + radius + CLEARANCE

    def clearance(self, length: NDArray, radius: float, angles: NDArray, place: Point) -> float:
        """Return the smallest distance between a chain and any obstacle [m]; `angles` starts with the heading."""
        heading = np.cumsum(angles)
        along = np.stack([np.cos(heading), np.sin(heading)], axis=1)  # (pieces, 2)
        nodes = np.vstack([np.zeros(2), np.cumsum(length[:, None] * along, axis=0)]) + np.array(place)
        pegs = self.pegs()
        gaps = [segment_distance(pegs, nodes[:-1], along, length).min(initial=np.inf) - self.peg_radius]
        for wall in self.walls:
            gaps.append(wall_distance(wall, nodes, along, length) - wall.radius)
        return float(min(gaps)) - radius

    def resting_pose(self, robot: Robot, shape: NDArray) -> tuple[float, ...]:
        """Draw a pose flat on the floor, clear of all pegs, from seed and start."""
        pieces = robot.planar_chain()
        if pieces is None or np.delete(shape, pieces.joints).any():
            lying = super().resting_pose(robot, shape)
            return lying if robot.radius is None else self.cleared(robot, robot.radius, shape, lying)
        x, y, heading = self.clear_start(pieces.chain.length, pieces.radius, np.asarray(shape)[pieces.joints])
        return (x, y, pieces.radius, float(np.cos(0.5 * heading)), 0.0, 0.0, float(np.sin(0.5 * heading)))

    def cleared(self, robot: Robot, radius: float, shape: NDArray, lying: tuple[float, ...]) -> tuple[float, ...]:
        """Move and rotate a pose so that the robot, which is also bent up and down, is clear as seen from above."""
        line = base_to_world(lying, line_of(robot, shape))[:, :2]
        steps = np.diff(line, axis=0)
        heading = np.arctan2(steps[:, 1], steps[:, 0])
        x, y, turn = self.clear_start(np.linalg.norm(steps, axis=1), radius, np.diff(heading))
        front = moved_pose(lying, (-float(line[0, 0]), -float(line[0, 1]), 0.0))
        return moved_pose(turned_pose(front, np.array((0.0, 0.0, turn - heading[0]))), (x, y, 0.0))


@lru_cache(maxsize=256)
def pegs_of(board: PegBoard) -> NDArray:
    """Return the checked axes of a board's pegs (n, 2) [m]."""
    if board.layout == "list":
        points = np.array(board.places, dtype=float).reshape(-1, 2)
    elif board.layout == "csv":
        points = pegs_of_file(board.file)
    elif board.density == 0.0:
        points = np.zeros((0, 2))
    elif board.layout == "poisson":
        points = poisson_pegs(board.density, board.size, board.apart, board.seed)
    else:
        ratio, shift = (1.0, 0.0) if board.layout == "square" else (0.5 * sqrt(3.0), 0.5)
        points = regular_pegs(board.density, board.size, board.turn, ratio, shift)
    refuse_overlaps(points, board.peg_radius, "peg_radius")
    points.flags.writeable = False
    return points


@lru_cache(maxsize=16)
def peg_tree(board: PegBoard) -> Any:
    """Return a k-d tree that finds the nearest peg."""
    from scipy.spatial import cKDTree

    return cKDTree(pegs_of(board))


def segment_distance(points: NDArray, front: NDArray, along: NDArray, length: NDArray) -> NDArray:
    """Return the distances (pieces, points) of points from segments [m]."""
    away = points[None] - front[:, None]
    foot = np.clip((away * along[:, None]).sum(axis=-1), 0.0, length[:, None])
    return np.linalg.norm(away - foot[..., None] * along[:, None], axis=-1)


def wall_distance(wall: Wall, nodes: NDArray, along: NDArray, length: NDArray) -> float:
    """Return the smallest distance between a chain's axis and the centre line of a wall [m]; 0 if they cross."""
    start, end = np.array(wall.start, dtype=float), np.array(wall.end, dtype=float)
    span = float(np.linalg.norm(end - start))
    to_nodes = segment_distance(nodes, start[None], (end - start)[None] / span, np.array([span])).min()
    to_ends = segment_distance(np.array([start, end]), nodes[:-1], along, length).min()
    side = cross_product(end - start, nodes - start)
    for k in range(len(length)):
        ends = cross_product(along[k], np.array([start, end]) - nodes[k])
        if side[k] * side[k + 1] < 0.0 and ends[0] * ends[1] < 0.0:
            return 0.0
    return float(min(to_nodes, to_ends))


def cross_product(a: NDArray, b: NDArray) -> NDArray:
    """Return a_x b_y - a_y b_x (count,) of one vector and many [m^2], whose sign is the side of a."""
    return a[0] * b[:, 1] - a[1] * b[:, 0]
