"""Kernel record of a robot on a peg board."""

from __future__ import annotations

from math import ceil, pi, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import InvalidValue, Unsupported
from serpenoid.kernels.pegs.records import FloorContact, Obstacles, PegScene, Stops, Touch
from serpenoid.kernels.pegs.search import SKIN
from serpenoid.kernels.records import Chain
from serpenoid.robots.base import PlanarPieces, PlanarRobot, Robot, TreeRobot
from serpenoid.support.kernel_inputs import chain_of, tree_of
from serpenoid.worlds.peg_board import PegBoard

CELL = 0.15  # side of a grid cell over the pegs [m]
HARDEST = 20.0  # largest contact stiffness x step^2 / link mass at which contacts are resolved


def pieces_of(robot: Robot) -> PlanarPieces:
    """Return the rigid pieces of a robot in the plane."""
    lying = robot.planar_chain()
    if lying is not None:
        return lying
    if not isinstance(robot, PlanarRobot) or robot.radius is None:
        raise Unsupported(f"{robot.called} has no round pieces in the plane: use PlanarSnake or SeaSnake")
    return PlanarPieces(chain_of(robot), float(robot.radius), np.arange(robot.joints))


class Frames(NamedTuple):
    """Links of a robot as positions on its rigid pieces, each (links,)."""

    piece: NDArray  # int64
    front: NDArray  # position of the link frame on the piece [m]
    center: NDArray  # position of the centre of mass [m]
    sensor: NDArray  # position of the accelerometer [m]
    height: float  # height of the frames above the floor [m]

    @classmethod
    def of(cls, robot: Robot, pieces: PlanarPieces) -> Frames:
        """Return the frames of a robot.

        Links and sensors of a robot in space start at its joints; those of a planar robot are the pieces.
        """
        chain = pieces.chain
        if robot.arc_positions is None or isinstance(robot, PlanarRobot):
            count = chain.length.size
            return cls(np.arange(count), np.zeros(count), chain.center.copy(), 0.5 * chain.length, 0.0)
        front = np.append(0.0, robot.arc_positions)
        edges = np.cumsum(chain.length)
        piece = np.searchsorted(edges[:-1], front, side="right")
        place = front - (edges - chain.length)[piece]
        return cls(piece, place, place + tree_of(robot).center[:, 0], place, pieces.radius)


def stops_of(robot: Robot, pieces: PlanarPieces) -> Stops:
    """Return angle and rate limits, friction and armature of the moving joints."""
    led, count = pieces.joints, len(pieces.joints)
    free = np.tile((-np.inf, np.inf), (count, 1))
    lower, upper = (free if robot.joint_range is None else robot.joint_range[led]).T.copy()
    dry = np.zeros(count) if robot.dry_friction is None else np.ascontiguousarray(robot.dry_friction[led], dtype=float)
    top_speed = np.full(count, float(robot.speed_limit))
    armature = own_inertia(robot, led)
    return Stops(lower, upper, top_speed, dry, armature, least_inertia(pieces.chain, armature))


def own_inertia(robot: Robot, led: NDArray) -> NDArray:
    """Return the armature of the moving joints (joints,) [kg m^2]."""
    armature = tree_of(robot).armature if isinstance(robot, TreeRobot) else robot.armature
    return np.zeros(len(led)) if armature is None else np.ascontiguousarray(armature[led], dtype=float)


def peg_scene(robot: Robot, pieces: PlanarPieces, frames: Frames, world: PegBoard) -> PegScene:
    """Return the record of the pieces of a robot on a board."""
    touch, (along, across) = world.touch, world.ground_friction
    chain, (weight_x, weight_y, weight) = pieces.chain, world.gravity_vector
    points, shares = np.polynomial.legendre.leggauss(touch.stations)
    place = np.concatenate([chain.length * 0.5 * (1.0 + point) for point in points])
    load = np.concatenate([-weight * chain.mass * 0.5 * share for share in shares])
    return PegScene(
        chain, stops_of(robot, pieces), float(pieces.radius), obstacles_of(pieces, world),
        Touch(float(touch.stiffness), float(touch.damping), float(world.peg_friction), float(touch.smoothing)),
        FloorContact(place, along * load, across * load, float(touch.floor_smoothing), -weight * max(along, across)),
        float(weight_x), float(weight_y), frames.piece, frames.center,
    )  # fmt: skip


def obstacles_of(pieces: PlanarPieces, world: PegBoard) -> Obstacles:
    """Return pegs and walls with their grid; the ends of walls count as pegs."""
    walls = np.array([(*wall.start, *wall.end, wall.radius) for wall in world.walls], dtype=float).reshape(-1, 5)
    ends = np.concatenate([walls[:, :2], walls[:, 2:4]])
    points = np.concatenate([world.pegs(), ends])
    radius = np.concatenate([np.full(len(world.pegs()), float(world.peg_radius)), walls[:, 4], walls[:, 4]])
    low = points.min(axis=0) if len(points) else np.zeros(2)
    place = ((points - low) // CELL).astype(np.int64)
    columns, rows = (place.max(axis=0) + 1).tolist() if len(points) else (1, 1)
    square = place[:, 1] * columns + place[:, 0]
    member = np.argsort(square, kind="stable")
    first = np.searchsorted(square[member], np.arange(columns * rows + 1)).astype(np.int64)
    return Obstacles(
        points[:, 0].copy(), points[:, 1].copy(), radius, float(radius.max(initial=0.0)), walls, float(low[0]),
        float(low[1]), CELL, columns, rows, first, member.astype(np.int64), most_near(pieces, world, len(points)),
    )  # fmt: skip


def most_near(pieces: PlanarPieces, world: PegBoard, count: int) -> int:
    """Return an upper bound of the obstacles near one link: the densest packing of pegs, and all walls twice."""
    reach = pieces.radius + 2.0 * world.peg_radius + SKIN
    area = 2.0 * reach * float(pieces.chain.length.max()) + pi * reach**2
    pegs = ceil(area / (2.0 * sqrt(3.0) * world.peg_radius**2)) + 2
    return max(1, min(count, pegs + 2 * len(world.walls)) + 2 * len(world.walls))


def longest_step(scene: PegScene, stiffness: NDArray) -> float:
    """Return the longest step [s] for the contact stiffness and drives of a stiffness (joints,)."""
    contact = sqrt(HARDEST * float(scene.chain.mass.min()) / scene.touch.stiffness)
    fastest = fastest_joint(scene.chain, stiffness)
    return min(contact, 2.0 / fastest if fastest > 0.0 else contact)


def check_stiffness(scene: PegScene, stiffness: NDArray, step: float) -> None:
    """Raise if a step [s] is too long for the contact stiffness or for drives of a stiffness (joints,)."""
    lightest = float(scene.chain.mass.min())
    longest = sqrt(HARDEST * lightest / scene.touch.stiffness)
    if step > longest * (1.0 + 1e-9):
        allowed = f"at most {longest:.3g} s for contacts of {scene.touch.stiffness:g} N/m (world.touch.stiffness)"
        raise InvalidValue("step", step, allowed)
    fastest = fastest_joint(scene.chain, stiffness)
    if step * fastest > 2.0:
        allowed = f"at most {2.0 / fastest:.3g} s for drives of {float(stiffness.max()):g} N m/rad (robot.drive)"
        raise InvalidValue("step", step, allowed)


def fastest_joint(chain: Chain, stiffness: NDArray) -> float:
    """Return the highest natural frequency of the straight chain with joint springs [rad/s]; steps beyond 2 / it
    diverge.
    """
    springs = np.diag(np.concatenate([[0.0, 0.0], stiffness]))
    return float(np.sqrt(np.abs(np.linalg.eigvals(np.linalg.solve(straight_inertia(chain), springs))).max()))


def least_inertia(chain: Chain, armature: NDArray) -> float:
    """Return the smallest inertia seen by joint torques with the chain straight [kg m^2]."""
    inertia = straight_inertia(chain) + np.diag(np.concatenate([[0.0, 0.0], armature]))
    return float(1.0 / np.linalg.eigvalsh(np.linalg.inv(inertia)[2:, 2:]).max(initial=1e-9))


def straight_inertia(chain: Chain) -> NDArray:
    """Return the mass matrix of the straight chain for the lateral motion and rotation of the head, and the joints."""
    n = chain.mass.size
    front = np.cumsum(chain.length) - chain.length
    center = front + chain.center
    lever = np.array([[center[i] - front[k] if k <= i else 0.0 for k in range(n)] for i in range(n)])
    turns = np.tril(np.ones((n, n)))
    lever = np.column_stack([np.ones(n), lever])  # lateral motion of the centres per motion of head and joints
    turns = np.column_stack([np.zeros(n), turns])
    return lever.T @ (chain.mass[:, None] * lever) + turns.T @ (chain.inertia[:, None] * turns)
