"""NamedTuples of pushing that are passed from Python to compiled code; separate, so that they compile separately."""

from __future__ import annotations

from typing import NamedTuple

from numpy.typing import NDArray


class Levers(NamedTuple):
    """Planar chain relative to its centre of mass: positions are sums of levers times the links' unit vectors."""

    mass: float  # of the whole chain [kg]
    joint: NDArray  # (n, n) front joint of link i from the centre of mass: sum_k joint[i, k] u_k [m]
    coupling: NDArray  # (n, n) sum_i mass_i lever[i, k] lever[i, l], levers of the links' centres of mass [kg m^2]
    inertia: NDArray  # (n,) of the links about their centres of mass [kg m^2]
    hinges: NDArray  # (n - 1, columns) of laws/hinges.py


class Push(NamedTuple):
    """Chain at rest against an object.

    Row 0 is the contact (unilateral), then come the wheels and supports. An optional last row with link -1 is the
    friction of the ground under the object.
    """

    levers: Levers
    link: NDArray  # (rows,) int64; link of each row
    position: NDArray  # (rows,) position on it, from its front joint [m]
    direction: NDArray  # (rows, 2) of a positive row velocity, along the link and to its left
    presses: NDArray  # (rows,) 1 if the force of a row acts on the object, else 0
    limits: NDArray  # (rows, 2) force limits [N]
    object_mass: float  # [kg]
    object_inertia: float  # [kg m^2]
    spin_arm: float  # largest friction moment of the ground on the object over its largest force [m]


class PushScene(NamedTuple):
    """Moving chain of n links with w wheels, and a round object on the same floor."""

    levers: Levers
    length: NDArray  # (n,) of the links [m]
    center: NDArray  # (n,) distance from a link's front joint to its centre of mass [m]
    radius: float  # of the object [m]
    object_mass: float  # [kg]
    ground_limit: float  # largest friction of the ground under the object [N]
    wheel_link: NDArray  # (w,) int64
    wheel_position: NDArray  # (w,) from the link's front joint [m]
    wheel_limit: NDArray  # (w,) largest lateral force of a wheel [N], infinite if ideal
