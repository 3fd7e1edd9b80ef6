"""Flotation of a robot in one shape: potential energy over pose, equilibria, and small motions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import InvalidValue, SerpenoidError, Unsupported
from serpenoid.kernels.attitude import pitch_of, roll_of
from serpenoid.kernels.tree.frames import workspace
from serpenoid.kernels.tree.matrix import mass_matrix
from serpenoid.kernels.tree.samples import resting_twist
from serpenoid.kernels.water import wrenches as kernels
from serpenoid.kernels.water.added_mass import shape_added_inertia
from serpenoid.robots.base import Robot
from serpenoid.robots.prism import outer_prisms
from serpenoid.support.kernel_inputs import environment_of, numbers, still_water, tree_of
from serpenoid.worlds.water import WaterSurface

if TYPE_CHECKING:
    from scipy.spatial.transform import Rotation

UPRIGHT = np.array([0.0, 0.0, 1.0])
DEEP = 10.0  # largest height or depth of a floating robot's origin [m]
SMALL = 1e-5  # step of the central differences [m, rad]


@dataclass(frozen=True)
class Afloat:
    """Pose up to horizontal position and heading: the vertical in the base's axes, and the height of its origin."""

    up: NDArray  # (3,)
    height: float  # [m]

    @property
    def roll(self) -> float:
        """atan2(R32, R33) [rad]."""
        return float(roll_of(self.up))

    @property
    def pitch(self) -> float:
        """-asin(R31): positive lifts the tail [rad]."""
        return float(pitch_of(self.up))

    @property
    def attitude(self) -> Rotation:
        """From base to world axes with heading zero: about y by the pitch, after about x by the roll."""
        from scipy.spatial.transform import Rotation

        return Rotation.from_euler("xy", (self.roll, self.pitch))

    @property
    def rotation(self) -> NDArray:
        """The same as a matrix (3, 3)."""
        return self.attitude.as_matrix()

    @property
    def base_pose(self) -> tuple[float, ...]:
        """x y z, quaternion w x y z, heading zero."""
        return (0.0, 0.0, self.height, *self.attitude.as_quat(scalar_first=True).tolist())

    def displaced(self, twist: NDArray) -> Afloat:
        """Return the pose after a small displacement (linear, angular) in base axes."""
        from scipy.spatial.transform import Rotation

        up = Rotation.from_rotvec(twist[3:]).apply(self.up, inverse=True)
        return Afloat(up, self.height + float(self.up @ twist[:3]))


class Flotation:
    """A robot in still water, frozen in one shape, without waves."""

    def __init__(self, robot: Robot, world: WaterSurface, shape: Any = None):
        self.tree, self.water = tree_of(robot), still_water(environment_of(world, robot))
        self.shape = np.zeros(robot.joints) if shape is None else numbers("shape", shape, (robot.joints,))
        self.mass = float(self.tree.mass.sum())
        self.weight = self.mass * world.gravity
        self._work, self._sums = workspace(self.tree), np.empty(8)
        check_floats(robot, world, self.mass)

    def sums(self, pose: Afloat) -> NDArray:
        """Return immersed volume, its first moment (3), first moment of mass (3) and potential energy."""
        up = (float(pose.up[0]), float(pose.up[1]), float(pose.up[2]))
        kernels.flotation(self.water, self.tree, self.shape, up, float(pose.height), self._work, self._sums)
        return self._sums

    def energy(self, pose: Afloat) -> float:
        """Return the potential energy of weight and buoyancy [J]."""
        return float(self.sums(pose)[7])

    def wrench(self, pose: Afloat) -> NDArray:
        """Return the net weight and buoyancy about the base's origin in its axes: force [N], moment [N m]."""
        sums = self.sums(pose)
        weight = self.water.density * self.water.gravity
        lever = weight * sums[1:4] - self.water.gravity * sums[4:7]
        return np.concatenate(((weight * sums[0] - self.weight) * pose.up, np.cross(lever, pose.up)))

    def stiffness(self, pose: Afloat) -> NDArray:
        """Return -d wrench / d displacement (6, 6) in base axes; symmetric at an equilibrium."""
        columns = [
            (self.wrench(pose.displaced(-SMALL * unit)) - self.wrench(pose.displaced(SMALL * unit))) / (2.0 * SMALL)
            for unit in np.eye(6)
        ]
        return np.array(columns).T

    def inertia(self) -> NDArray:
        """Return the inertia (6, 6) of the frozen shape about the base's origin, including added mass."""
        inertia = np.ascontiguousarray(self.full_inertia()[:6, :6])
        if self.water.flow.adds:
            extra = np.zeros((6, 7))
            shape_added_inertia(self.water, self.tree, self._work, extra)
            inertia += extra[:, :6]
        return inertia

    def full_inertia(self) -> NDArray:
        """Return the mass matrix (6 + joints, 6 + joints) of the shape, without added mass."""
        size = 6 + self.shape.size
        matrix = np.empty((size, size))
        mass_matrix(self.tree, self.shape, self._work, matrix)
        return matrix

    def level(self, up: NDArray) -> Afloat:
        """Return the pose with this vertical at which the robot displaces its own weight."""
        from scipy.optimize import brentq

        wanted = self.mass / self.water.density

        def excess(height: float) -> float:
            return self.sums(Afloat(up, height))[0] - wanted

        if not excess(DEEP) < 0.0 < excess(-DEEP):
            displaced = (excess(-DEEP) + wanted) * self.water.density
            raise Unsupported(f"a robot of {self.mass:.3g} kg does not float: it displaces {displaced:.3g} kg of water")
        height = brentq(excess, -DEEP, DEEP, xtol=1e-15)
        return Afloat(up, float(height))

    def settle(self, up: NDArray = UPRIGHT, steps: int = 60) -> Afloat | None:
        """Return the equilibrium that Newton's method reaches from a vertical; None without convergence."""
        pose = self.level(np.asarray(up, dtype=float) / np.linalg.norm(up))
        scale = self.weight * np.array([1.0, 1.0, 1.0, 0.1, 0.1, 0.1])
        for _ in range(steps):
            wrench = self.wrench(pose)
            if np.all(np.abs(wrench) < 1e-11 * scale):
                return pose
            stiffness = self.stiffness(pose)
            if not (np.isfinite(stiffness).all() and np.isfinite(wrench).all()):
                return None
            move = np.linalg.lstsq(stiffness, wrench, rcond=1e-9)[0]
            move *= min(1.0, 0.05 / max(1e-300, np.abs(move[:3]).max()), 0.3 / max(1e-300, np.abs(move[3:]).max()))
            pose = pose.displaced(move)
        return pose if np.all(np.abs(self.wrench(pose)) < 1e-8 * scale) else None

    def upright(self) -> Afloat:
        """Return the equilibrium nearest to upright."""
        pose = self.settle()
        if pose is None:
            raise SerpenoidError("no floating equilibrium was found near the upright pose of this shape")
        return pose

    def roll_mode(self, pose: Afloat) -> NDArray:
        """Return the eigenmode (6,) of the frozen shape with most rotation about the base's x, per radian of roll."""
        from scipy.linalg import eigh

        stiffness = self.stiffness(pose)
        _, modes = eigh(0.5 * (stiffness + stiffness.T), self.inertia())
        rolls = np.abs(modes[3]) / np.linalg.norm(modes[3:], axis=0)
        rolls[:3] = 0.0  # the three modes without stiffness: surge, sway, yaw
        mode = modes[:, rolls.argmax()]
        return mode / mode[3]

    def resting_twist(self, rates: NDArray) -> NDArray:
        """Return the base twist (6,) with zero total momentum, including the water's, at these joint rates."""
        return resting_twist(self.tree, self.water, self.shape, np.ascontiguousarray(rates))


def check_floats(robot: Robot, world: WaterSurface, mass: float) -> None:
    """Raise if a robot sinks."""
    volume = sum(prism.volume for prism in outer_prisms(robot))
    if mass >= world.density * volume:
        allowed = f"below {world.density * volume:.4g} kg, the mass of the water that it displaces when submerged"
        raise InvalidValue("mass of the robot", round(mass, 6), allowed)
