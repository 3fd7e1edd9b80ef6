"""Records of the peg-board kernels: the board, the body on it, and the arrays of a step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from serpenoid.kernels.compile import glue, inner
from serpenoid.kernels.records import Chain
from serpenoid.kernels.simd import WIDTH
from serpenoid.kernels.stack import stack_array


class Obstacles(NamedTuple):
    """Round pegs and straight walls. Pegs at the ends of walls make each wall only its straight part."""

    x: NDArray  # (pegs,) [m]
    y: NDArray  # (pegs,) [m]
    radius: NDArray  # (pegs,) [m]
    widest: float  # largest radius of a peg [m]
    wall: NDArray  # (walls, 5) x and y of one end, of the other, half thickness [m]
    low_x: float  # corner of a grid over the pegs [m]
    low_y: float  # [m]
    cell: float  # side of a square of the grid [m]
    columns: int
    rows: int
    first: NDArray  # (columns x rows + 1,) int64, start of the pegs of each square in `member`
    member: NDArray  # (pegs,) int64, pegs square by square, sorted by index within each
    most: int  # largest number of obstacles near one link


class Touch(NamedTuple):
    """Contact with pegs and walls: a spring and a damper along the normal, Coulomb friction along the tangent."""

    stiffness: float  # [N/m]
    damping: float  # [N s/m]
    friction: float  # [-]
    smoothing: float  # speed at which friction has 71 % of its size [m/s]


class FloorContact(NamedTuple):
    """Coulomb friction under every link; stations of all links in sequence, (stations x links,)."""

    place: NDArray  # distance from the link's front end [m]
    along: NDArray  # largest force along the link [N]
    across: NDArray  # largest force across the link [N]
    smoothing: float  # speed at which friction has 71 % of its size [m/s]
    grip: float  # largest deceleration by friction [m/s^2]


class Stops(NamedTuple):
    """Properties of a joint besides its drive, (joints,); limits are infinite if there are none."""

    lower: NDArray  # angles at which a spring and a damper start to act [rad]
    upper: NDArray
    speed: NDArray  # rate beyond which a drive on the joint does not accelerate it [rad/s]
    friction: NDArray  # dry [N m]
    armature: NDArray  # inertia that rotates only with the joint [kg m^2]
    lightest: float  # smallest inertia seen by joint torques, for the straight chain [kg m^2]


class PegScene(NamedTuple):
    """Body of capsules on a board."""

    chain: Chain
    stops: Stops
    radius: float  # of every link [m]
    obstacles: Obstacles
    touch: Touch
    floor: FloorContact
    weight_x: float  # acceleration of gravity along x, on a tilted board [m/s^2]
    weight_y: float  # [m/s^2]
    push_piece: NDArray  # (links shown by the robot,) int64, rigid piece of each
    push_place: NDArray  # position of its centre of mass on that piece, where external pushes act [m]


class LinkWork(NamedTuple):
    """Numbers of each link during a step.

    Twists, inertias and wrenches are about the head's front end in world axes: (angular, x, y). Arrays (n,) are padded
    to whole vectors with massless links at rest.
    """

    mass: NDArray  # of the chain [kg]
    inertia: NDArray  # of the chain [kg m^2]
    cosine: NDArray  # of the link's angle
    sine: NDArray
    x: NDArray  # (n + 1,) front ends and the tail's end, from the head's front end [m]
    y: NDArray
    arm_along: NDArray  # speed of the front end along and across the link per rad/s about the head's front end [m]
    arm_across: NDArray
    rate: NDArray  # twist at the start of the step [rad/s]
    u: NDArray  # [m/s]
    v: NDArray
    center_x: NDArray  # centre of mass [m]
    center_y: NDArray
    push0: NDArray  # wrench that is constant in all sweeps [N m]
    push1: NDArray  # [N]
    push2: NDArray
    next_rate: NDArray  # twist at the end of the step
    next_u: NDArray
    next_v: NDArray


class SweepWork(NamedTuple):
    """Articulated sweep: inertia and bias of each link with all links behind it, in the layout of LinkWork.

    See articulated_solve.py.
    """

    a00: NDArray
    a01: NDArray
    a02: NDArray
    a10: NDArray
    a11: NDArray
    a12: NDArray
    a20: NDArray
    a21: NDArray
    a22: NDArray
    b0: NDArray
    b1: NDArray
    b2: NDArray
    g0: NDArray  # V / D of the joint that connects the link to the one nearer the middle
    g1: NDArray
    g2: NDArray
    free: NDArray  # acceleration of that joint if the other link were at rest [rad/s^2]


class FloorWork(NamedTuple):
    """Friction of the floor during a step, (stations x links,), padded as in LinkWork; see floor.py."""

    place: NDArray  # distance from the link's front end [m]
    most_along: NDArray  # largest force along the link [N]
    most_across: NDArray  # and across it
    start_along: NDArray  # velocity at the start of the step along the link [m/s]
    start_across: NDArray  # and across it
    start_size: NDArray  # sqrt(v^2 + eps^2) of it
    along: NDArray  # G for the next sweep [N s/m]
    across: NDArray
    share: NDArray  # w likewise
    ease: NDArray  # t and r of the tangents, 0 after the first sweep [1/W]
    shed: NDArray
    end_along: NDArray  # velocity at the end of the step found by the last sweep [m/s]
    end_across: NDArray
    drag_along: NDArray  # floor friction on the link in it [N]
    drag_across: NDArray


class JointWork(NamedTuple):
    """Joints during a step, (joints,)."""

    target: NDArray  # angle that the drive tracks [rad]
    target_rate: NDArray  # [rad/s]
    feedforward: NDArray  # [N m]
    stiffness: NDArray  # of the drive as commanded: 0 if no angle is tracked [N m/rad]
    damping: NDArray  # likewise [N m s/rad]
    torque: NDArray  # of the drive at the start of the step [N m]
    used: NDArray  # the same by the piece of the drive's law on which the step ends [N m]
    give: NDArray  # decrease of a tracking torque per rate at the step's end [N m s/rad]
    slope: NDArray  # the same for the torque in use
    stop: NDArray  # torque of the joint's stop at the start of the step [N m]
    stop_slope: NDArray  # its decrease per joint rate [N m s/rad]
    total: NDArray  # torque including the joint's stop and friction [N m]
    resistance: NDArray  # slope including the joint's stop and friction [N m s/rad]
    acceleration: NDArray  # result [rad/s^2]


class ContactWork(NamedTuple):
    """Neighbour lists and contacts of links with obstacles."""

    near: NDArray  # (n x most,) int64, obstacles near each link
    count: NDArray  # (n + 1,) int64, number of them; the last entry is the number of contacts
    seen_x: NDArray  # (n + 1,) positions of the nodes when the lists were made [m]
    seen_y: NDArray
    link: NDArray  # (contacts,) int64
    row: NDArray  # (contacts, COLUMNS) see contacts.py


class PegWork(NamedTuple):
    """All arrays of a step."""

    links: LinkWork
    sweep: SweepWork
    floor: FloorWork
    joints: JointWork
    contacts: ContactWork


COLUMNS = 20  # numbers of a contact


@register_jitable
def pad_count(count):
    """Return the smallest multiple of a vector's width not below `count`."""
    return -(-count // WIDTH) * WIDTH


@glue
def link_work(n):
    """Allocate link arrays on the stack of the kernel that inlines this function."""
    m = pad_count(n)
    return LinkWork(
        mass=stack_array(m),
        inertia=stack_array(m),
        cosine=stack_array(m),
        sine=stack_array(m),
        x=stack_array(pad_count(n + 1)),
        y=stack_array(pad_count(n + 1)),
        arm_along=stack_array(m),
        arm_across=stack_array(m),
        rate=stack_array(m),
        u=stack_array(m),
        v=stack_array(m),
        center_x=stack_array(m),
        center_y=stack_array(m),
        push0=stack_array(m),
        push1=stack_array(m),
        push2=stack_array(m),
        next_rate=stack_array(m),
        next_u=stack_array(m),
        next_v=stack_array(m),
    )


@glue
def sweep_work(m):
    """Allocate sweep arrays on the stack of the kernel that inlines this function."""
    return SweepWork(
        a00=stack_array(m),
        a01=stack_array(m),
        a02=stack_array(m),
        a10=stack_array(m),
        a11=stack_array(m),
        a12=stack_array(m),
        a20=stack_array(m),
        a21=stack_array(m),
        a22=stack_array(m),
        b0=stack_array(m),
        b1=stack_array(m),
        b2=stack_array(m),
        g0=stack_array(m),
        g1=stack_array(m),
        g2=stack_array(m),
        free=stack_array(m),
    )


@glue
def floor_work_arrays(m):
    """Allocate floor arrays on the stack of the kernel that inlines this function."""
    return FloorWork(
        place=stack_array(m),
        most_along=stack_array(m),
        most_across=stack_array(m),
        start_along=stack_array(m),
        start_across=stack_array(m),
        start_size=stack_array(m),
        along=stack_array(m),
        across=stack_array(m),
        share=stack_array(m),
        ease=stack_array(m),
        shed=stack_array(m),
        end_along=stack_array(m),
        end_across=stack_array(m),
        drag_along=stack_array(m),
        drag_across=stack_array(m),
    )


@inner
def fill(scene, links, floor):
    """Write the constants of a chain on its floor; all other entries, and padding links, are 0."""
    for array in links:
        array[:] = 0.0
    for array in floor:
        array[:] = 0.0
    n = scene.chain.mass.size
    for k in range(n):
        links.mass[k], links.inertia[k] = scene.chain.mass[k], scene.chain.inertia[k]
    for i in range(scene.floor.place.size):
        at = i // n * links.mass.size + i % n
        floor.place[at] = scene.floor.place[i]
        floor.most_along[at], floor.most_across[at] = scene.floor.along[i], scene.floor.across[i]


@glue
def joint_work(n):
    """Allocate joint arrays on the stack of the kernel that inlines this function."""
    return JointWork(
        target=stack_array(n),
        target_rate=stack_array(n),
        feedforward=stack_array(n),
        stiffness=stack_array(n),
        damping=stack_array(n),
        torque=stack_array(n),
        used=stack_array(n),
        give=stack_array(n),
        slope=stack_array(n),
        stop=stack_array(n),
        stop_slope=stack_array(n),
        total=stack_array(n),
        resistance=stack_array(n),
        acceleration=stack_array(n),
    )


@glue
def contact_work(scene):
    """Allocate empty, outdated neighbour lists."""
    n, most = scene.chain.mass.size, scene.obstacles.most
    seen = np.full(n + 1, np.inf)
    return ContactWork(
        np.empty(n * most, np.int64), np.zeros(n + 1, np.int64), seen, seen.copy(),
        np.empty(n * most, np.int64), np.empty((n * most, COLUMNS)),
    )  # fmt: skip


@glue
def peg_work(scene):
    """Allocate all arrays for one chain on one board."""
    n = scene.chain.mass.size
    links, floor = link_work(n), floor_work_arrays(scene.floor.place.size // n * pad_count(n))
    fill(scene, links, floor)
    return PegWork(links, sweep_work(pad_count(n)), floor, joint_work(n - 1), contact_work(scene))
