"""Records of the loop around MuJoCo: its memory by address, the drives, and their commands."""

from __future__ import annotations

from typing import NamedTuple

from numpy.typing import NDArray

from serpenoid.kernels.contact.posts import Posts
from serpenoid.kernels.records import CascadeDrive, ElasticDrive, Motion

STIFF, ELASTIC, CASCADE = range(3)  # kinds of drives


class Physics(NamedTuple):
    """MuJoCo model and data: addresses of both and of the functions, and views of their arrays.

    Arrays over dofs and bodies are in MuJoCo's order. A free base has dofs 0 to 5: velocity of its origin in world axes
    [m/s], angular velocity in its own axes [rad/s].
    """

    addresses: NDArray  # (ADDRESSES,) int64, in the order below
    free: bool  # whether the base is free
    step: float  # [s]
    joint_position: NDArray  # (joints,) int64, index of each joint in qpos
    joint_dof: NDArray  # (joints,) int64, and in qvel
    link_body: NDArray  # (links,) int64, body of each link
    geom_link: NDArray  # (geoms,) int64, link of each geom, -1: of the world
    qpos: NDArray
    qvel: NDArray
    before: NDArray  # qvel before a step
    after: NDArray  # and after it, while a sample is recorded
    wrench: NDArray  # (6,) of the current contact
    warm: NDArray  # initial acceleration of the solver
    outside: NDArray  # (bodies, 6) force [N] at the centre of mass and moment [N m] from outside, world axes
    bias: NDArray  # (joints, 10) constant, position and velocity parts of each drive's torque
    range: NDArray  # (joints, 2) limits of each drive's torque [N m]
    torque: NDArray  # (joints,) of each drive [N m]
    damping: NDArray  # (dofs,) [N m s/rad]
    smooth: NDArray  # (dofs,) all forces except those of constraints
    passive: NDArray  # (dofs,) of friction in joints
    inner: NDArray  # (dofs,) minus weight and inertia
    driven: NDArray  # (dofs,) of drives
    constrained: NDArray  # (dofs,) of contacts and stops
    body_place: NDArray  # (bodies, 3) [m]
    body_turn: NDArray  # (bodies, 4) quaternion w x y z
    body_velocity: NDArray  # (bodies, 6) angular, linear, of the point at the root's centre of mass
    body_acceleration: NDArray  # (bodies, 6) likewise, including gravity
    center: NDArray  # (bodies, 3) centre of mass of each body's subtree [m]
    momentum: NDArray  # (bodies, 3) velocity of that centre [m/s]
    spin: NDArray  # (bodies, 3) angular momentum about it [kg m^2/s]
    energy: NDArray  # (2,) potential and kinetic [J]
    posts: Posts  # upright posts within reach
    splits: bool  # whether a step may resume from a forward pass; false for Runge-Kutta
    passes: int  # noslip iterations of the solver while nearly at rest; -1 means at every step, as in the model


(MODEL, DATA, STEP, FORWARD, END, ACCELERATIONS, POTENTIAL, KINETIC, MOMENTUM, KINEMATICS, FORCE, PASSES, COUNT,
 CONTACTS, STRIDE, POINT, FRAME, SHAPES) = range(18)  # fmt: skip
ADDRESSES = 18


class Servos(NamedTuple):
    """Drives of all joints; the kind selects the record in use."""

    kind: int
    elastic: ElasticDrive  # stiff and elastic drives
    cascade: CascadeDrive
    speed: NDArray  # (joints,) rate beyond which a stiff or elastic drive does not accelerate the joint [rad/s]
    heating: float  # [K/(N m)^2]
    warming: float  # [s]; 0 disables temperatures


class Lead(NamedTuple):
    """Command of the joints: a motion or a constant command."""

    led: bool  # whether the motion is used
    motion: Motion
    position: NDArray  # (joints,) [rad], NaN: not commanded
    velocity: NDArray  # (joints,) [rad/s]
    torque: NDArray  # (joints,) [N m]


class Places(NamedTuple):
    """Offsets of the parts of a state."""

    joints: int
    velocity: int
    rates: int
    warm: int
    motors: int
    motor_rates: int
    memory: int
    heat: int
    impulses: int
    squares: int
    works: int
    accounts: int


class Stretch(NamedTuple):
    """Section of a run."""

    first: int  # steps before it
    steps: int
    every: int  # steps from one sample to the next
    row: int  # of the Survey for its start; rows wrap around at the end
