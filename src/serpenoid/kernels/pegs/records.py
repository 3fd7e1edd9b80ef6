"""Records of the peg-board kernels: the board, the body on it, and the arrays of a step."""

from __future__ import annotations

from typing import NamedTuple

from numpy.typing import NDArray

from serpenoid.kernels.records import Chain


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
    length: NDArray  # of the chain [m]
    center: NDArray  # of the chain [m]
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
    tolerance: NDArray  # square of the accepted error of the force [N^2]
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
    """Joints during a step, (joints,), padded to whole vectors with joints that have no torque."""

    lower: NDArray  # angles at which a spring and a damper start to act, at most UNLIMITED [rad]
    upper: NDArray
    top: NDArray  # rate beyond which a drive on the joint does not accelerate it, at most UNLIMITED [rad/s]
    fade: NDArray  # 1 / (range of rates below it over which the torque limit fades) [s/rad]
    viscous: NDArray  # friction [N m s/rad]
    dry: NDArray  # [N m]
    armature: NDArray  # [kg m^2]
    angle: NDArray  # in the middle of the step [rad]
    rate: NDArray  # at the start of the step [rad/s]
    friction: NDArray  # viscous friction of the step, including the dry one [N m s/rad]
    limit: NDArray  # of the drive's torque [N m]
    steep: NDArray  # decrease of the fading torque limit per rate [N m s/rad]
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
    resistance: NDArray  # armature, and step x slope including the joint's stop and friction [kg m^2]
    acceleration: NDArray  # result [rad/s^2]
    mean: NDArray  # torque of the drive during the step [N m]
    done: NDArray  # its work [J]


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
