"""Plane under the snake: ground with friction, or a fluid."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil, floor, log2
from typing import Annotated, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, at_least, between, check_fields
from serpenoid.errors import InvalidValue, UnknownName
from serpenoid.kernels.constants import STANDARD_GRAVITY
from serpenoid.kernels.motion import motion_samples
from serpenoid.kernels.planar.media import BOX, DRY, FLUID, INERTIA_BOX, LAWS, NO_MEDIUM, VISCOUS, Medium, make_medium
from serpenoid.kernels.records import Chain, Motion
from serpenoid.robots.base import Robot
from serpenoid.worlds.base import World
from serpenoid.worlds.geometry import Disc, Ground, Shape, Wall

MediumName = Literal["box", "dry", "viscous", "fluid", "inertia_box"]
RK4_LIMIT = 2.785  # largest stable product of decay rate and RK4 step
MOST_SUBSTEPS = 1000  # of a step
COARSE, FINE = 0.01, 1e-5  # smoothing for unknown link speeds, and the smallest one for a gait [m/s]
AT_REST = 1e-4  # slip times its coefficient [m/s] below which a motion counts as rest
SAMPLES = 500  # samples of a motion that is not a pure wave
SHARE = 0.005  # smoothing over the speed at which a gait rotates its links; loses little friction power
# Thrust falls with the square of the joint swing [rad] between these, and with its fifth power below. The thrust from
# smoothing does not fall. Smaller waves make almost no progress, so a finer smoothing is not worth its cost.
TINY, NARROW, WIDE = 0.2, 0.3, 0.6


@dataclass(frozen=True)
class Plane(World):
    """A horizontal plane with one medium; gravity points into it. Fields of other media have no effect."""

    medium: MediumName = "dry"
    """box or dry friction, viscous drag, a fluid with drag and added mass, or MuJoCo's drag of inertia boxes"""
    friction_longitudinal: Annotated[float, at_least(0.0, usual=(0.0, 0.5))] = 0.1
    """box, dry: coefficient of friction along a link [-]"""
    friction_transverse: Annotated[float, at_least(0.0, usual=(0.1, 1.5))] = 0.9
    """box, dry: coefficient of friction across a link [-]"""
    smoothing: Annotated[float | None, between(1e-9, 100.0, usual=(0.001, 0.1))] = None
    """box, dry: friction is weaker below a slip of smoothing / mu [m/s]; none: follows the gait, 0.01 at most"""
    viscous_longitudinal: Annotated[float, at_least(0.0, usual=(0.1, 5.0))] = 1.0
    """viscous: drag of a link along itself [N s/m]"""
    viscous_transverse: Annotated[float, at_least(0.0, usual=(1.0, 50.0))] = 10.0
    """viscous: drag of a link across itself [N s/m]"""
    density: Annotated[float, above(0.0, usual=(900.0, 1100.0))] = 1000.0
    """fluid, inertia_box: density [kg/m^3]"""
    viscosity: Annotated[float, at_least(0.0, usual=(0.0, 0.2))] = 0.001
    """inertia_box: viscosity [Pa s]"""
    box_length: Annotated[float | None, above(0.0, usual=(0.02, 1.0))] = None
    """inertia_box: length of the box that represents a link [m]; none: the link's length"""
    height: Annotated[float, above(0.0, usual=(0.02, 0.3))] = 0.15
    """fluid: height a of the body's elliptic section [m]; inertia_box: height of the box"""
    width: Annotated[float, above(0.0, usual=(0.02, 0.2))] = 0.05
    """fluid: width b of the body's elliptic section [m]; inertia_box: width of the box"""
    drag_longitudinal: Annotated[float, at_least(0.0, usual=(0.0, 0.1))] = 0.01
    """fluid: coefficient C_f of friction along a link [-]"""
    drag_transverse: Annotated[float, at_least(0.0, usual=(0.5, 2.0))] = 1.0
    """fluid: coefficient C_d of drag across a link [-]"""
    added_mass: Annotated[float, at_least(0.0, usual=(0.0, 2.0))] = 1.0
    """fluid: coefficient C_a of the transverse added mass [-]"""
    added_mass_velocity_terms: bool = True
    """fluid: whether the added mass has its velocity terms; without them, as in the paper's (11), it creates energy"""
    stations: Annotated[int, between(1, 64, usual=(1, 8))] = 1
    """Gauss points along each link where the medium acts; 1: its middle"""
    obstacles: tuple[Disc | Wall, ...] = ()
    """obstacles [m], as disc:x,y,radius or wall:x,y,x,y,radius; planners avoid them, but links do not collide"""

    def __post_init__(self) -> None:
        if not isinstance(self.medium, str) or self.medium not in MEDIA:
            raise UnknownName("medium", self.medium, get_args(MediumName))
        check_fields(self)

    def unread(self) -> tuple[str, ...]:
        own = MEDIA[self.medium].fields
        return tuple(dict.fromkeys(name for medium in MEDIA.values() for name in medium.fields if name not in own))

    @property
    def rubs(self) -> bool:
        """True if the medium is dry friction."""
        return MEDIA[self.medium].rubs

    @property
    def eps(self) -> float:
        """Smoothing in use [m/s]."""
        return COARSE if self.smoothing is None else self.smoothing

    def suited(self, robot: Robot, motion: Motion) -> Plane:
        """Return a smoothing for the link speeds of a motion, in powers of two, so that runs of a sweep share it.

        When the slip of a link reverses, smoothed friction pushes it on, with a thrust of smoothing / slip. The
        thrust of a wave is its swing squared, and less for small swings. Small waves therefore need a smaller
        smoothing.
        """
        if self.smoothing is not None or not self.rubs:
            return self
        rate, swing = greatest(motion)
        thrust = (clip(swing, NARROW, WIDE) / WIDE) ** 2 * (clip(swing, TINY, NARROW) / NARROW) ** 5
        wanted = SHARE * thrust * rate * robot.length / (robot.joints + 1)
        halvings = -floor(log2(max(wanted, FINE) / COARSE)) if wanted > 0.0 else 0
        return with_smoothing(self, COARSE * 0.5 ** max(0, halvings))

    def friction_lost(self, along: NDArray, across: NDArray) -> float:
        """Return 1 - sum s^2 / sqrt(s^2 + eps^2) / sum s, with s the slip times its coefficients [m/s]."""
        slip = np.hypot(self.friction_longitudinal * along, self.friction_transverse * across)
        if not self.rubs or slip.max(initial=0.0) < AT_REST:
            return 0.0
        return float(1.0 - np.sum(slip**2 / np.hypot(slip, self.eps)) / np.sum(slip))

    def geometry(self) -> tuple[Shape, ...]:
        """Return the ground, or the medium that fills the plane, and the obstacles."""
        return (Ground(look=MEDIA[self.medium].look), *self.obstacles)

    def medium_record(self, chain: Chain) -> Medium:
        """Return the reaction on each link of a chain."""
        medium = MEDIA[self.medium]
        return make_medium(medium.kind, chain.mass.size, self.stations, **medium.coefficients(self, chain))

    def decay_rate(self, chain: Chain) -> float:
        """Return the fastest decay rate of a link's motion near rest [1/s]; g mu_t^2 / eps for dry friction."""
        return MEDIA[self.medium].decay_rate(self, chain)

    @property
    def grip(self) -> float:
        """g mu^2 of the larger coefficient [m/s^2]."""
        return STANDARD_GRAVITY * max(self.friction_longitudinal, self.friction_transverse) ** 2

    def substeps(self, chain: Chain, step: float) -> int:
        """Return the RK4 steps per integration step [s] at which smoothing or drag is stable; raise if too many."""
        rate, most = self.decay_rate(chain), MOST_SUBSTEPS * RK4_LIMIT
        if rate * step <= most:
            return max(1, ceil(rate * step / RK4_LIMIT))
        longest = most / rate
        if not self.rubs:
            raise InvalidValue("step", step, f"at most {longest:.3g} s for a stable step with {self.medium} drag")
        raise InvalidValue(
            "smoothing", self.eps,
            f"at least {self.grip * step / most:.3g} m/s for a step of {step:g} s (or step at most {longest:.3g} s)",
        )  # fmt: skip


class PlaneMedium(NamedTuple):
    """Description of a medium: its law and how a plane's fields set its coefficients."""

    kind: int  # of kernels/planar/media.py
    fields: tuple[str, ...]  # that it reads
    coefficients: Callable[[Plane, Chain], Mapping[str, NDArray]]  # fields of the Medium record, (7)-(10)
    decay_rate: Callable[[Plane, Chain], float]  # see Plane.decay_rate()
    look: str  # of the ground
    rubs: bool = False  # whether it is dry friction, smoothed


def friction(plane: Plane, chain: Chain) -> dict[str, NDArray]:
    """Return the coefficients of box and dry friction."""
    weight = STANDARD_GRAVITY * chain.mass
    return {
        "longitudinal": plane.friction_longitudinal * weight,
        "transverse": plane.friction_transverse * weight,
        "smoothing": STANDARD_GRAVITY * plane.eps * chain.mass,
    }


def viscous_drag(plane: Plane, chain: Chain) -> dict[str, NDArray]:
    """Return the coefficients of viscous drag."""
    ones = np.ones(chain.mass.size)
    return {"longitudinal": plane.viscous_longitudinal * ones, "transverse": plane.viscous_transverse * ones}


def fluid_forces(plane: Plane, chain: Chain) -> dict[str, NDArray]:
    """Return drag and added mass (13) of an elliptic section."""
    pressure = 0.5 * plane.density * chain.length
    skin = np.pi * plane.drag_longitudinal * 0.25 * (plane.height + plane.width)
    added = plane.density * np.pi * plane.added_mass * 0.25 * plane.height**2 * chain.length
    return {
        "longitudinal": pressure * skin,
        "transverse": pressure * plane.drag_transverse * plane.height,
        "added_mass": added,
        "turning_mass": added if plane.added_mass_velocity_terms else np.zeros(chain.mass.size),
    }


def box_drag(plane: Plane, chain: Chain) -> dict[str, NDArray]:
    """Return the drag of MuJoCo's inertia-box fluid model: quadratic by density, linear by viscosity."""
    a = chain.length if plane.box_length is None else np.full(chain.mass.size, plane.box_length)
    b, c = plane.width, plane.height
    mean = (a + b + c) / 3.0
    ones = np.ones(chain.mass.size)
    return {
        "longitudinal": 0.5 * plane.density * b * c * ones,
        "transverse": 0.5 * plane.density * a * c,
        "linear": 3.0 * np.pi * plane.viscosity * mean,
        "turning_linear": np.pi * plane.viscosity * mean**3,
        "turning_quadratic": plane.density * c * (a**4 + b**4) / 64.0,
    }


def friction_rate(plane: Plane, chain: Chain) -> float:
    """Return g mu^2 / eps [1/s]."""
    return plane.grip / plane.eps


def viscous_rate(plane: Plane, chain: Chain) -> float:
    """Return drag over mass of the lightest link [1/s]."""
    return float(max(plane.viscous_longitudinal, plane.viscous_transverse) / chain.mass.min())


def box_rate(plane: Plane, chain: Chain) -> float:
    """Return linear drag over mass of the lightest link [1/s]."""
    return float(box_drag(plane, chain)["linear"].max() / chain.mass.min())


def no_rate(plane: Plane, chain: Chain) -> float:
    """Return 0: the force at rest has no slope."""
    return 0.0


FRICTION = ("friction_longitudinal", "friction_transverse", "smoothing")
MEDIA = {
    "box": PlaneMedium(BOX, FRICTION, friction, friction_rate, "dry", rubs=True),
    "dry": PlaneMedium(DRY, FRICTION, friction, friction_rate, "dry", rubs=True),
    "viscous": PlaneMedium(
        VISCOUS, ("viscous_longitudinal", "viscous_transverse"), viscous_drag, viscous_rate, "viscous"
    ),
    "fluid": PlaneMedium(
        FLUID,
        (
            "density", "height", "width", "drag_longitudinal", "drag_transverse", "added_mass",
            "added_mass_velocity_terms",
        ),
        fluid_forces, no_rate, "fluid",
    ),
    "inertia_box": PlaneMedium(
        INERTIA_BOX, ("density", "viscosity", "box_length", "height", "width"), box_drag, box_rate, "fluid"
    ),
}  # fmt: skip
known = {law.name: kind for kind, law in LAWS.items() if kind != NO_MEDIUM}
if known != {name: medium.kind for name, medium in MEDIA.items()} or set(known) != set(get_args(MediumName)):
    raise ImportError(f"laws of kernels/planar/media.py are {known}: MEDIA and MediumName must have the same")


def clip(value: float, low: float, high: float) -> float:
    """Clip a value to a range."""
    return min(max(value, low), high)


def greatest(motion: Motion) -> tuple[float, float]:
    """Return the largest rate [rad/s] and swing [rad] of a joint: of a wave from its record, of others by sampling."""
    if motion.coefficients.shape[1] > 1:
        angles, rates, _ = motion_samples(motion, np.linspace(motion.knots[0], motion.knots[-1], SAMPLES))
        return float(np.abs(rates).max()), 0.5 * float(np.ptp(angles, axis=0).max())
    return float(np.abs(motion.rate * motion.swing).max()), float(motion.swing.max())


@lru_cache(maxsize=256)
def with_smoothing(plane: Plane, smoothing: float) -> Plane:
    """Return the plane with this smoothing; cells of a sweep share the object."""
    return replace(plane, smoothing=smoothing)
