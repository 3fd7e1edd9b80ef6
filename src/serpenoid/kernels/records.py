"""NamedTuples passed from Python to compiled code; every array is float64 or int64 and C-contiguous."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

NO_HARMONICS = np.zeros((0, 2, 0))  # of a motion without any


class Motion(NamedTuple):
    """Prescribed joint angles: a wave plus a piecewise polynomial, which covers every gait here.

        q_j(t) = offset_j + amplitude_j sin(psi_j) + sum_k coefficients[s, k, j] (t - knots[s])^k
                 + sum_m harmonics[m, 0, j] sin((m + 2) psi_j) + harmonics[m, 1, j] cos((m + 2) psi_j)

    Here psi_j = phase_start + rate_j (t - time_start) + lag_j, and s is the segment that contains t (the right-hand one
    at a knot). Before the first knot and after the last, the polynomial keeps the nearest end value, at rest.
    """

    time_start: float  # [s]
    phase_start: float  # [rad]
    rate: NDArray  # (joints,) [rad/s]
    offset: NDArray  # (joints,) [rad]
    amplitude: NDArray  # (joints,) [rad]
    lag: NDArray  # (joints,) [rad]
    knots: NDArray  # (segments + 1,) [s]
    coefficients: NDArray  # (segments, degree + 1, joints) [rad/s^k]
    harmonics: NDArray = NO_HARMONICS  # (count, 2, joints) sine and cosine of the multiples 2, 3, .. of psi [rad]

    @property
    def swing(self) -> NDArray:
        """Bound of the deviation of wave and harmonics from their mean, (joints,) [rad]."""
        own = np.abs(self.amplitude)
        return own + np.abs(self.harmonics).sum(axis=(0, 1)) if self.harmonics.size else own


class Chain(NamedTuple):
    """Planar chain of n links joined by hinges; link 0 is the head and x points from head to tail."""

    length: NDArray  # (n,) [m]
    center: NDArray  # distance from a link's front joint to its centre of mass [m]
    mass: NDArray  # (n,) [kg]
    inertia: NDArray  # (n,) about the centre of mass [kg m^2]
    joint_damping: NDArray  # (n - 1,) [N m s/rad]


class DriveRecord(Protocol):
    """Record of a drive that tracks a motion; its gains are set to 0 where nothing is commanded.

    Kernels select the law of a drive by the exact class of its record.
    """

    @property
    def stiffness(self) -> NDArray: ...  # (joints,) [N m/rad]

    @property
    def damping(self) -> NDArray: ...  # (joints,) [N m s/rad]

    def _replace(self, *, stiffness: NDArray = ..., damping: NDArray = ...) -> Self: ...

    def __iter__(self) -> Iterator[NDArray]: ...


class StiffDrive(NamedTuple):
    """Torque that tracks a motion: clip(stiffness (q_ref - q) + damping (dq_ref - dq), +-limit)."""

    stiffness: NDArray  # (joints,) [N m/rad]
    damping: NDArray  # (joints,) [N m s/rad]
    limit: NDArray  # (joints,) [N m]


class ElasticDrive(NamedTuple):
    """Motor that tracks a motion like `StiffDrive`, with a spring between its rotor and the joint."""

    stiffness: NDArray  # (joints,) [N m/rad]
    damping: NDArray  # (joints,) [N m s/rad]
    limit: NDArray  # (joints,) limit of the motor torque [N m]
    spring: NDArray  # (joints,) [N m/rad]
    spring_damping: NDArray  # (joints,) [N m s/rad]
    rotor_inertia: NDArray  # (joints,) reflected through the gear to the joint [kg m^2]


class CascadeDrive(NamedTuple):
    """Motor behind a spring, with its voltage set by PID loops; see kernels/laws/cascade.py."""

    strategy: int  # 1 to 4
    stall_torque: NDArray  # (joints,) [N m]
    top_speed: NDArray  # (joints,) [rad/s]
    spring: NDArray  # (joints,) [N m/rad]
    spring_damping: NDArray  # (joints,) [N m s/rad]
    rotor_inertia: NDArray  # (joints,) reflected through the gear to the joint [kg m^2]
    gains: NDArray  # (joints, 3, GAINS) of the position, velocity and torque loops


class Actuation(NamedTuple):
    """Command of driven joints: the reference of their drives and a feedforward torque."""

    motion: Motion
    drive: DriveRecord
    feedforward: NDArray  # (joints,) [N m]


DAMPING, ARMATURE = 0, 1  # columns of `Tree.hinges`


class Tree(NamedTuple):
    """Tree of rigid bodies: body 0 is the base, body b > 0 is attached to body parent[b] < b by hinge b - 1.

    Body b's frame in its parent's: translate(offset[b]) rotation[b] turn(axis[b], q[b - 1]). All hinge parameters share
    one array, because each array adds 0.1 us to a call from Python.
    """

    parent: NDArray  # (bodies,) int64, -1 for the base
    rotation: NDArray  # (bodies, 3, 3) from body to parent axes at q = 0
    offset: NDArray  # (bodies, 3) [m]
    axis: NDArray  # (bodies, 3) unit vector in the body's own frame
    mass: NDArray  # (bodies,) [kg]
    center: NDArray  # (bodies, 3) centre of mass in the body's frame [m]
    inertia: NDArray  # (bodies, 3, 3) about the centre of mass, body axes [kg m^2]
    fixed_base: bool
    hinges: NDArray  # (joints, 2) damping and armature, below, or (joints, 8) with friction and stops: laws/hinges.py

    @property
    def damping(self) -> NDArray:
        """Viscous friction of the hinges, (joints,) [N m s/rad]."""
        return self.hinges[:, DAMPING]

    @property
    def armature(self) -> NDArray:
        """Inertia that rotates only with its hinge, such as a geared rotor, (joints,) [kg m^2]."""
        return self.hinges[:, ARMATURE]


class Vacuum(NamedTuple):
    """Environment of a tree that acts by weight alone; other environments are records of their own classes."""

    gravity: tuple[float, float, float]  # in world axes [m/s^2]


class Sections(NamedTuple):
    """Cross-sections: simple polygons of vertices (y, z), counter-clockwise."""

    first: NDArray  # (sections + 1,) int64, start of each section in `polygon`
    polygon: NDArray  # (2 x all vertices,) alternating y, z [m]
    total: NDArray  # (sections, 3) area [m^2] and its first moments over y and z [m^3]
    convex: NDArray  # (sections,) bool
    prefix: NDArray  # (3 x (all vertices + sections),) area and moments of the fan from the origin up to each vertex


class Prisms(NamedTuple):
    """Sections extruded along the x axes of bodies, in the order of their sections."""

    body: NDArray  # (prisms,) int64
    section: NDArray  # (prisms,) int64
    start: NDArray  # (prisms,) station on the body's x axis [m]
    end: NDArray  # (prisms,) [m]
    cosine: NDArray  # (prisms,) of the section's rotation about the body's x axis
    sine: NDArray  # (prisms,) likewise


class Flow(NamedTuple):
    """Hydrodynamics of each prism per metre of length; transverse means normal to its x axis (isotropic)."""

    moves: bool  # whether any drag or damping below is not zero
    linear: NDArray  # (prisms,) transverse [N s/m^2]
    quadratic: NDArray  # (prisms,) transverse [N s^2/m^3]
    longitudinal: NDArray  # (prisms,) quadratic, along x [N s^2/m^3]
    wave: NDArray  # (prisms,) linear, against vertical motion alone [N s/m^2]
    roll: NDArray  # (prisms,) linear, against rotation about x [N s/rad]
    adds: bool  # whether any added mass below is not zero
    added_mass: NDArray  # (prisms,) transverse [kg/m]
    added_roll: NDArray  # (prisms,) about x [kg m]


class Water(NamedTuple):
    """Still water with its surface at z = 0, and the wetted shape of one robot.

    The last four fields are scratch memory, so that a law need not allocate. A record therefore serves one thread at a
    time.
    """

    density: float  # [kg/m^3]
    gravity: float  # [m/s^2]
    sections: Sections
    prisms: Prisms
    flow: Flow
    planes: NDArray  # (4 x prisms,)
    cut: NDArray  # (hydrostatics.CUT,)
    integrals: NDArray  # (5 x prisms,)
    block: NDArray  # (hydrostatics.WORK,)


class Wave(NamedTuple):
    """Regular wave of small steepness: elevation amplitude cos(number s - rate t + phase), s along its travel."""

    amplitude: float  # half the wave's height [m]
    number: float  # [rad/m]
    rate: float  # [rad/s]
    phase: float  # at the origin at time zero [rad]
    cosine: float  # of the direction of travel, from the world's x
    sine: float  # likewise
    depth: float  # of the water [m]; large for deep water
    bottom: float  # exp(-2 number depth)


class Sea(NamedTuple):
    """Water with a wave at its surface, or with added mass that follows immersion, and the wetted shape of one robot.

    The flow's added masses are those of the present immersion. They and the fields from `clock` on are scratch memory
    as in Water.
    """

    density: float  # [kg/m^3]
    gravity: float  # [m/s^2]
    sections: Sections
    prisms: Prisms
    flow: Flow
    wave: Wave
    follows: bool  # whether added mass is proportional to the immersed part of each prism
    whole_mass: NDArray  # (prisms,) added mass of a submerged prism, transverse [kg/m]
    whole_roll: NDArray  # (prisms,) likewise about x [kg m]
    clock: NDArray  # (1,) present time [s]
    streams: NDArray  # (prisms, 6) velocity of the water at each prism, as of a rigid motion, body axes [m/s, rad/s]
    waterplanes: NDArray  # (prisms, 4) area of the section at the surface [m^2] and its first moment [m^3]
    growth: NDArray  # (prisms,) rate of the immersed fraction [1/s]
    shifted: NDArray  # (5 x prisms,) integrals under a shifted surface
    planes: NDArray  # (4 x prisms,)
    cut: NDArray  # (hydrostatics.CUT,)
    integrals: NDArray  # (5 x prisms,)
    block: NDArray  # (hydrostatics.WORK,)


class Buoyancy(NamedTuple):
    """Still water without drag and added mass, for batches; scratch as in Water, floats or wide vectors."""

    density: float  # [kg/m^3]
    gravity: float  # [m/s^2]
    sections: Sections
    prisms: Prisms
    planes: NDArray  # (4 x prisms,)
    cut: NDArray  # (hydrostatics.CUT,)
    integrals: NDArray  # (5 x prisms,)
    block: NDArray  # (hydrostatics.WORK,) floats
