"""Records of shape-based compliance, shared by all configurations; counts, signs and kinds are data.

Sizes: P shape parameters, S sets of windows (set 0 is one window over the whole body), J joints. The distance s along
the body is measured from the first joint, in the shape function's unit of length (body lengths or metres).
"""

from __future__ import annotations

from typing import NamedTuple

from numpy.typing import NDArray

from serpenoid.kernels.laws.turning import Turning


class Waves(NamedTuple):
    """Wave shape functions, one per plane: theta = offset + factor A sin(integral of omega ds - Omega + ...).

    Rows are planes; entries are parameter indices, -1 where a plane has none. See wave_angle() for the formula.
    """

    row: NDArray  # (J,) plane of each joint, int64
    amplitude: NDArray  # (rows,) parameter A, int64
    scale: NDArray  # (rows,) angle per amplitude parameter
    wave: NDArray  # (rows,) parameter omega, integrated along the body, int64
    clock: NDArray  # (rows,) parameter Omega, int64
    lead: NDArray  # (rows,) constant phase [rad]
    turn: NDArray  # (rows,) parameter added to the phase, int64
    offset: NDArray  # (rows,) parameter added to the angle, int64
    front_taper: NDArray  # (rows,) parameter: fraction by which the amplitude is reduced at the head, int64
    rear_taper: NDArray  # (rows,) parameter: fraction by which it is reduced at the tail, int64
    middle: float  # start of the tapers, and their length


class Admittance(NamedTuple):
    """Admittance of each parameter: M x'' + B x' + K x = sign F + bias + K shift, x the deviation from nominal."""

    nominal: NDArray  # (P,) at the start
    drift: NDArray  # (P,) change of the nominal value per period
    initial: NDArray  # (P,) deviation at the start
    carry: NDArray  # (P, 4) exact solution over a period: x and x' from x and x'
    push: NDArray  # (P, 2) and from the force, constant over the period
    stiffness: NDArray  # (P,) K
    bias: NDArray  # (P,) tau_D
    shared: NDArray  # (P,) 1 where windows share the bias in proportion to the body length they cover, int64
    signs: NDArray  # (P, n) +1 complies, -1 resists, 0 ignores forces; window k has sign k mod sign_count
    sign_count: NDArray  # (P,) int64
    low: NDArray  # (P,) lower limit of the parameter
    high: NDArray  # (P,) upper limit
    adapt: NDArray  # (P, 3) change of the set point per period, and its two load thresholds in units of the bias
    window_set: NDArray  # (P,) int64


class WindowSets(NamedTuple):
    """Window positions: edge k at the phase anchor + k span of the wave, or counted from the head without a clock."""

    pace: NDArray  # (S,) parameter that sets the length span / pace of a window, int64
    clock: NDArray  # (S,) parameter whose phase moves the edges, -1: none, int64
    span: NDArray  # (S,) phase of a window [rad]
    anchor: NDArray  # (S,) phase of the first edge [rad]
    slope: NDArray  # (S,) m of (4.3), per unit of s
    copies: NDArray  # (S,) 1 where a window waiting off the body copies its neighbour's values, int64
    integrated: NDArray  # (S,) 1 where the shape uses integrals of the set's parameters along the body, int64
    merging: NDArray  # (S, 3) torques below which neighbours join and above which they separate [N m];
    # fraction of their difference that joined ones lose per period
    slots: int  # number of stored windows


class ShapeLaw(NamedTuple):
    """Shape-based compliance on one robot."""

    basis: Waves
    own: int  # address of a user's shape function, 0: the waves
    numbers: NDArray  # fields of that function, at least one
    admittance: Admittance
    windows: WindowSets
    turning: Turning  # response to the heading
    place: NDArray  # (J,) s of each joint
    lateral: NDArray  # (J,) 1 where a joint bends the body sideways, int64
    moved: NDArray  # (J,) 1 moved, 0 fixed at zero, -1 not commanded, int64
    last: float  # s of the last joint
    feels: int  # 1 if torques are read
    dead_band: float  # torques below this are ignored [N m]
    torque_limit: float  # sensed torques are clipped to this [N m]
    angle_limit: float  # targets are clipped to this [rad]


class Places(NamedTuple):
    """Offsets of the parts of a shape law's memory."""

    drift: int  # (P,) accumulated change of the nominal values
    state: int  # (P, slots) deviations x
    rate: int  # (P, slots) x' [1/s]
    shift: int  # (P, slots) of the set point
    force: int  # (P, slots) J^T tau_ext
    first: int  # (S,) index of the first window
    count: int  # (S,) windows from there to the last
    edges: int  # (S, slots) starts of these windows, in their order
    label: int  # (S, slots) index of the window stored in a slot
    been: int  # (S, slots) 1 once it has been on the body
    joined: int  # (S, slots) 1 where a window is joined to the next
    load: int  # (S, slots) scratch: largest torque that a window senses, in the order of the windows
    head: int  # (S, slots) scratch: integral of an edge's step up to s = 0
    weight: int  # (S, slots) scratch: weights of the windows at one position
    reach: int  # (S, slots) scratch: their integrals from s = 0
    acting: int  # (S, 2) scratch: first and last window that acts there, in the order of the windows
    ordered: int  # (P, slots) scratch: values in the order of the windows
    pressed: int  # (P, slots) scratch: forces in that order
    value: int  # (P,) scratch: parameters at one position
    integral: int  # (P,) scratch: their integrals from s = 0
    by_value: int  # (P,) scratch: derivatives of an angle by them
    by_integral: int  # (P,) scratch
    target: int  # (J,) last command [rad]
    turning: int  # memory of turning
