"""The records of shape-based compliance: all configurations share these classes; counts, signs and kinds are data.

P shape parameters, S sets of windows (set 0 is one window over the whole body), J joints. The distance s along the body
is counted from the first joint, in the shape function's own unit of length (body lengths, or metres).
"""

from __future__ import annotations

from typing import NamedTuple

from numpy.typing import NDArray

from serpenoid.kernels.laws.turning import Turning


class Waves(NamedTuple):
    """Shape functions that are waves, one per plane: theta = offset + factor A sin(integral of omega ds - Omega + ...).

    Rows are planes; entries are places of parameters, -1 where a plane has none. See wave_angle() for the formula.
    """

    row: NDArray  # (J,) which plane moves a joint, int64
    amplitude: NDArray  # (rows,) parameter A, int64
    scale: NDArray  # (rows,) angle per amplitude parameter
    wave: NDArray  # (rows,) parameter omega, integrated along the body, int64
    clock: NDArray  # (rows,) parameter Omega, int64
    lead: NDArray  # (rows,) constant phase [rad]
    turn: NDArray  # (rows,) parameter that adds to the phase, int64
    offset: NDArray  # (rows,) parameter that adds to the angle, int64
    front_taper: NDArray  # (rows,) parameter: share of the amplitude that is gone at the head, int64
    rear_taper: NDArray  # (rows,) parameter: share that is gone at the tail, int64
    middle: float  # where tapers begin, and their length


class Admittance(NamedTuple):
    """How each parameter yields: M x'' + B x' + K x = sign F + bias + K shift, x the deviation from nominal."""

    nominal: NDArray  # (P,) at the start
    drift: NDArray  # (P,) change of the nominal value in a period
    initial: NDArray  # (P,) deviation at the start
    carry: NDArray  # (P, 4) exact solution over a period: x and x' by x and x'
    push: NDArray  # (P, 2) and by the force, held over the period
    stiffness: NDArray  # (P,) K
    bias: NDArray  # (P,) tau_D
    shared: NDArray  # (P,) 1 where windows share the bias by how much of the body they cover, int64
    signs: NDArray  # (P, n) +1 complies, -1 pushes back, 0 does not feel; window k takes sign k mod sign_count
    sign_count: NDArray  # (P,) int64
    low: NDArray  # (P,) least value of the parameter
    high: NDArray  # (P,) greatest
    adapt: NDArray  # (P, 3) change of the set point in a period, and the loads, in biases, that start it
    window_set: NDArray  # (P,) int64


class WindowSets(NamedTuple):
    """Where windows lie: edge k at the phase anchor + k span of the wave, or counted from the head without a clock."""

    pace: NDArray  # (S,) parameter that sets the length span / pace of a window, int64
    clock: NDArray  # (S,) parameter whose phase the edges ride on, -1: none, int64
    span: NDArray  # (S,) phase of a window [rad]
    anchor: NDArray  # (S,) phase of the first edge [rad]
    slope: NDArray  # (S,) m of (4.3), per unit of s
    copies: NDArray  # (S,) 1 where a window that waits off the body takes its neighbour's values, int64
    integrated: NDArray  # (S,) 1 where the shape takes integrals of the set's parameters along the body, int64
    merging: NDArray  # (S, 3) torque below which neighbours join, above which they part [N m]; share of their
    # difference that joined ones lose in a period
    slots: int  # windows that are remembered


class ShapeLaw(NamedTuple):
    """Shape-based compliance on one robot."""

    basis: Waves
    own: int  # address of a user's shape function, 0: the waves
    numbers: NDArray  # fields of that function, at least one
    admittance: Admittance
    windows: WindowSets
    turning: Turning  # what the heading does to it
    place: NDArray  # (J,) s of each joint
    lateral: NDArray  # (J,) 1 where a joint bends the body sideways, int64
    moved: NDArray  # (J,) 1 moved, 0 held at zero, -1 not commanded, int64
    last: float  # s of the last joint
    feels: int  # 1 where torques are read
    dead_band: float  # torque that is not felt [N m]
    torque_limit: float  # largest torque that is felt [N m]
    angle_limit: float  # targets are cut there [rad]


class Places(NamedTuple):
    """Where the parts of a shape law's memory begin."""

    drift: int  # (P,) change of the nominal values so far
    state: int  # (P, slots) deviations x
    rate: int  # (P, slots) x' [1/s]
    shift: int  # (P, slots) of the set point
    force: int  # (P, slots) J^T tau_ext
    first: int  # (S,) index of the first window
    count: int  # (S,) windows from there to the last
    edges: int  # (S, slots) starts of these windows, in their order
    label: int  # (S, slots) which window a slot holds
    been: int  # (S, slots) 1 once it has lain on the body
    joined: int  # (S, slots) 1 where a window is joined to the next
    load: int  # (S, slots) scratch: greatest torque that a window feels, in the order of the windows
    head: int  # (S, slots) scratch: integral of an edge's step up to s = 0
    weight: int  # (S, slots) scratch: weights of the windows at one place
    reach: int  # (S, slots) scratch: their integrals from s = 0
    acting: int  # (S, 2) scratch: the first and the last window that acts there, in the order of the windows
    ordered: int  # (P, slots) scratch: values in the order of the windows
    pressed: int  # (P, slots) scratch: forces in that order
    value: int  # (P,) scratch: the parameters at one place
    integral: int  # (P,) scratch: and integrated from s = 0
    by_value: int  # (P,) scratch: slope of an angle by them
    by_integral: int  # (P,) scratch
    target: int  # (J,) last command [rad]
    turning: int  # what turning remembers
