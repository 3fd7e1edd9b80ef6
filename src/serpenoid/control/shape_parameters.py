"""Configuration of shape-based compliance: compliant shape parameters and the windows in which they act."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import pi
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, at_least, between, check_fields, usual
from serpenoid.errors import require


@lru_cache(maxsize=4096)
def carried_over(mass: float, damping: float, stiffness: float, period: float) -> tuple[NDArray, NDArray]:
    """Return the matrices of Parameter.over_period()."""
    from scipy.linalg import expm

    system = np.zeros((3, 3))
    system[0, 1] = 1.0
    system[1] = np.array([-stiffness, -damping, 1.0]) / mass
    carried = expm(period * system)
    return carried[:2, :2].ravel(), np.ascontiguousarray(carried[:2, 2])


@dataclass(frozen=True)
class Parameter:
    """A shape parameter and its admittance: M x'' + B x' + K x = sign F + bias, with x its deviation from nominal
    (3.13).

    F = J^T tau_ext is the generalised force of the environment on the parameter. Units are those of the parameter,
    [u].
    """

    name: str
    """name of a parameter of the gait; the gait's field of this name is the nominal value"""
    initial: Annotated[float | None, usual(0.0, 13.0)] = None
    """initial value [u]; none: nominal"""
    mass: Annotated[float, above(0.0, usual=(0.1, 5.0))] = 1.0
    """M, virtual mass [N m s^2/u^2]"""
    damping: Annotated[float, above(0.0, usual=(0.5, 10.0))] = 2.0
    """B, virtual damping [N m s/u^2]"""
    stiffness: Annotated[float, above(0.0, usual=(0.5, 10.0))] = 1.0
    """K, virtual stiffness [N m/u^2]"""
    sign: Annotated[tuple[float, ...], between(-1.0, 1.0, usual=(-1.0, 1.0))] = (0.0,)
    """1 yields to torques, -1 pushes back, 0 ignores them; several values apply to successive windows cyclically"""
    bias: Annotated[float, usual(-10.0, 10.0)] = 0.0
    """tau_D, constant force on a window's value [N m/u]"""
    shared: bool = False
    """whether windows share the bias in proportion to the body length that each covers, so that the body has one bias
    """
    low: Annotated[float, usual(-1e6, 20.0)] = -1e6
    """least value [u]"""
    high: Annotated[float, usual(-10.0, 1e6)] = 1e6
    """greatest value [u]"""
    windows: str = ""
    """name of the windows in which it acts, with one value per window; empty: one value for the whole body"""
    steer: Annotated[float, usual(-1.0, 1.0)] = 0.0
    """shift of its set point at a steering of 1, full left (`AlongRoute`) [u]; 0: it does not steer"""
    adapt_rate: Annotated[float, at_least(0.0, usual=(0.0, 0.5))] = 0.0
    """rate at which the set point of a window follows its load [u/s]; 0: constant"""
    adapt_low: Annotated[float, at_least(0.0, usual=(0.0, 1.0))] = 0.8
    """load, in multiples of the bias, below which the set point moves with the bias"""
    adapt_high: Annotated[float, at_least(0.0, usual=(1.0, 3.0))] = 1.5
    """load, in multiples of the bias, above which the set point moves against the bias"""

    def __post_init__(self) -> None:
        check_fields(self)
        require(len(self.sign) > 0, "sign", self.sign, "at least one number")
        require(self.low < self.high, "low", self.low, f"below high, which is {self.high:g}")
        started = self.initial is None or self.low <= self.initial <= self.high
        require(started, "initial", self.initial, f"within {(self.low, self.high)}")
        require(self.adapt_low < self.adapt_high, "adapt_low", self.adapt_low, f"below {self.adapt_high:g}")
        require(not self.adapt_rate or self.bias != 0.0, "adapt_rate", self.adapt_rate, "0 without a bias")

    @property
    def feels(self) -> bool:
        """True if torques act on it."""
        return any(self.sign)

    def over_period(self, period: float) -> tuple[NDArray, NDArray]:
        """Return the exact transition over a period [s]: matrices (4,) for x and x', and (2,) for a constant force."""
        return carried_over(self.mass, self.damping, self.stiffness, period)


@dataclass(frozen=True)
class Windows:
    """Windows along the body, each spanning a part of the wave; their weights sum to one everywhere."""

    name: str = "half_wave"
    """name by which parameters refer to them"""
    pace: str = "spatial_frequency"
    """parameter that sets their length: span / its value in the window"""
    clock: str = "phase"
    """parameter whose phase moves their edges; empty: counted from the head, fixed on the body"""
    span: Annotated[float, above(0.0, usual=(pi / 4, 2.0 * pi))] = pi
    """phase that a window spans [rad]; pi: half a wave"""
    anchor: Annotated[float, usual(0.0, pi)] = 0.0
    """phase of an edge [rad]; 0: zero curvature, pi/2: greatest curvature"""
    slope: Annotated[float, above(0.0, usual=(50.0, 400.0))] = 200.0
    """m of (4.3), steepness of a window's edges, per body length or metre as the shape function counts"""
    fresh: Literal["nominal", "neighbour"] = "nominal"
    """initial value of a window that appears for the first time: nominal, or its neighbour's"""
    merge_below: Annotated[float, at_least(0.0, usual=(0.0, 3.0))] = 0.0
    """largest torque on two neighbours below which they merge and act as one window [N m]"""
    split_above: Annotated[float, at_least(0.0, usual=(0.0, 5.0))] = 0.0
    """torque above which they split again [N m]; 0: windows never merge"""
    merge_time: Annotated[float, above(0.0, usual=(0.1, 2.0))] = 0.5
    """time constant in which the values of merged windows converge, to a third of their difference [s]"""

    def __post_init__(self) -> None:
        check_fields(self)
        allowed = f"at least merge_below, which is {self.merge_below:g} N m"
        require(self.split_above >= self.merge_below, "split_above", self.split_above, allowed)
        require(bool(self.name), "name", self.name, "a name")
