"""Linear model of a frozen shape near a floating equilibrium: eigenfrequencies, modes and damping."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.robots.base import Robot
from serpenoid.worlds.flotation import Afloat, Flotation
from serpenoid.worlds.water import WaterSurface

MOTIONS = ("surge", "sway", "heave", "roll", "pitch", "yaw")


@dataclass(frozen=True)
class LinearModel:
    """M ddx + D dx + K x = 0 for small displacements x (linear, angular) of the base, in its axes."""

    inertia: NDArray  # (6, 6)
    damping: NDArray  # (6, 6)
    stiffness: NDArray  # (6, 6)
    frequencies: NDArray  # (modes,) undamped eigenfrequencies, ascending, without those of zero stiffness [Hz]
    modes: NDArray  # (6, modes) displacements, largest motion scaled to one
    names: tuple[str, ...]  # motion of the centre of mass with most of a mode's energy

    def frequency(self, name: str) -> float:
        """Return the eigenfrequency of a named mode [Hz]; NaN if there is none."""
        return float(self.frequencies[self.names.index(name)]) if name in self.names else float("nan")


def linearise(robot: Robot, world: WaterSurface, shape: Any = None, pose: Afloat | None = None) -> LinearModel:
    """Return the linear model about an equilibrium, by default the one nearest to upright.

    A mode of negative stiffness has a negative frequency: its growth rate over 2 pi.
    """
    from scipy.linalg import eigh

    flotation = Flotation(robot, world, shape)
    pose = flotation.upright() if pose is None else pose
    inertia, stiffness = flotation.inertia(), flotation.stiffness(pose)
    stiffness = 0.5 * (stiffness + stiffness.T)
    values, modes = eigh(stiffness, inertia)
    kept = np.argsort(np.abs(values))[3:]
    kept = kept[np.argsort(values[kept])]
    values, modes = values[kept], modes[:, kept]
    frequencies = np.sign(values) * np.sqrt(np.abs(values)) / (2.0 * np.pi)
    names = tuple(mode_name(inertia, pose, mode) for mode in modes.T)
    modes = modes / np.take_along_axis(modes, np.abs(modes).argmax(axis=0)[None], axis=0)
    return LinearModel(inertia, linear_damping(flotation, pose), stiffness, frequencies, modes, names)


def mode_name(inertia: NDArray, pose: Afloat, mode: NDArray) -> str:
    """Return the motion, in level axes about the centre of mass, with most of a mode's kinetic energy."""
    mass = inertia[0, 0]
    center = np.array([inertia[1, 5], inertia[2, 3], inertia[0, 4]]) / mass
    linear = pose.rotation @ (mode[:3] + np.cross(mode[3:], center))
    cross = np.array([[0, -center[2], center[1]], [center[2], 0, -center[0]], [-center[1], center[0], 0]])
    about_center = inertia[3:, 3:] + mass * cross @ cross
    angular = pose.rotation @ mode[3:]
    spin = pose.rotation @ about_center @ pose.rotation.T
    shares = np.concatenate((mass * linear**2, angular * (spin @ angular)))
    return MOTIONS[int(shares.argmax())]


def linear_damping(flotation: Flotation, pose: Afloat) -> NDArray:
    """Return (6, 6) -d wrench / d twist of drag and damping at rest; zero if the water only provides buoyancy."""
    from serpenoid.kernels.water.wrenches import net_drag

    flow = flotation.water.flow
    if not flow.moves:
        return np.zeros((6, 6))
    up = (float(pose.up[0]), float(pose.up[1]), float(pose.up[2]))
    columns = []
    for unit in np.eye(6):
        wrench = np.zeros(6)
        twist = 1e-7 * unit
        net_drag(flotation.water, flotation.tree, flotation.shape, up, pose.height, twist, flotation._work, wrench)
        columns.append(-wrench / 1e-7)
    return np.array(columns).T
