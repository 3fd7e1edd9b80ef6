"""The records of the loop round MuJoCo: its memory by address, the drives, and what leads them."""

from __future__ import annotations

from typing import NamedTuple

from numpy.typing import NDArray

from serpenoid.kernels.contact.posts import Posts
from serpenoid.kernels.records import CascadeDrive, ElasticDrive, Motion

STIFF, ELASTIC, CASCADE = range(3)  # kinds of drives


class Physics(NamedTuple):
    """A MuJoCo model and its data: addresses of both and of the functions, and views of their arrays.

    Arrays over dofs and bodies are in MuJoCo's own order; a free base has dofs 0 to 5: velocity of its origin in world
    axes [m/s], angular velocity in its own [rad/s].
    """

    addresses: NDArray  # (ADDRESSES,) int64, in the order below
    free: bool  # whether the base is free
    step: float  # [s]
    joint_position: NDArray  # (joints,) int64, place of each joint in qpos
    joint_dof: NDArray  # (joints,) int64, and in qvel
    link_body: NDArray  # (links,) int64, body of each link
    geom_link: NDArray  # (geoms,) int64, link of each shape, -1: of the world
    qpos: NDArray
    qvel: NDArray
    before: NDArray  # qvel before a step
    after: NDArray  # and after it, while a sample is told of
    wrench: NDArray  # (6,) of one contact, while it is read
    warm: NDArray  # acceleration that the solver starts from
    outside: NDArray  # (bodies, 6) force [N] at the centre of mass and moment [N m] from outside, world axes
    bias: NDArray  # (joints, 10) constant, position and velocity parts of each drive's torque
    range: NDArray  # (joints, 2) limits of each drive's torque [N m]
    torque: NDArray  # (joints,) of each drive [N m]
    damping: NDArray  # (dofs,) [N m s/rad]
    smooth: NDArray  # (dofs,) all forces but those of constraints
    passive: NDArray  # (dofs,) of friction in joints
    inner: NDArray  # (dofs,) minus weight and inertia
    driven: NDArray  # (dofs,) of drives
    constrained: NDArray  # (dofs,) of contacts and stops
    body_place: NDArray  # (bodies, 3) [m]
    body_turn: NDArray  # (bodies, 4) quaternion w x y z
    body_velocity: NDArray  # (bodies, 6) angular, linear, of the point that moves with the root's centre of mass
    body_acceleration: NDArray  # (bodies, 6) likewise, weight included
    center: NDArray  # (bodies, 3) centre of mass of each body and all that hangs on it [m]
    momentum: NDArray  # (bodies, 3) velocity of that centre [m/s]
    spin: NDArray  # (bodies, 3) angular momentum about it [kg m^2/s]
    energy: NDArray  # (2,) potential and kinetic [J]
    posts: Posts  # what stands upright within reach
    splits: bool  # whether a step may go on from a forward pass; not by Runge-Kutta
    passes: int  # of the solver against slip, while all is nearly still; -1: at every step, as the model has it


(MODEL, DATA, STEP, FORWARD, END, ACCELERATIONS, POTENTIAL, KINETIC, MOMENTUM, KINEMATICS, FORCE, PASSES, COUNT,
 CONTACTS, STRIDE, POINT, FRAME, SHAPES) = range(18)  # fmt: skip
ADDRESSES = 18


class Servos(NamedTuple):
    """The drives of all joints; which of the records counts says the kind."""

    kind: int
    elastic: ElasticDrive  # stiff and elastic drives
    cascade: CascadeDrive
    speed: NDArray  # (joints,) rate beyond which a stiff or elastic drive does not push on [rad/s]
    heating: float  # [K/(N m)^2]
    warming: float  # [s]; 0: no temperature is kept


class Lead(NamedTuple):
    """What leads the joints: a motion, or a command that is held."""

    led: bool  # by the motion
    motion: Motion
    position: NDArray  # (joints,) [rad], NaN: not commanded
    velocity: NDArray  # (joints,) [rad/s]
    torque: NDArray  # (joints,) [N m]


class Places(NamedTuple):
    """Where the parts of a state begin."""

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
    """A stretch of a run."""

    first: int  # steps made before it
    steps: int
    every: int  # steps from one sample to the next
    row: int  # of the Survey that tells of its start; rows begin again where they end
