"""Still water with its surface at z = 0: buoyancy of a robot's prisms and, if wanted, simple hydrodynamics."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import InvalidValue, Unsupported, nonnegative, positive
from serpenoid.kernels.attitude import pitch_history, roll_history
from serpenoid.kernels.records import Flow, Prisms, Sections, Water
from serpenoid.kernels.water.hydrostatics import INTEGRALS, WORK
from serpenoid.kernels.water.wrenches import pose_volumes
from serpenoid.robots.prism import Prism, section_integrals

Series = tuple[tuple[str, ...], NDArray, str, str]  # dims, values, unit, meaning
Coefficient = float | tuple[float, ...]


@dataclass(frozen=True)
class Hydrodynamics:
    """What moving water does to each wetted body; every coefficient is one number, or one per prism of the robot.

    Drag and damping act in proportion to a body's immersed part; added mass is that of the body as it floats and does
    not change with immersion.
    """

    added_mass: Coefficient = 0.0
    """transverse added mass over the mass of the water that the whole section displaces [-]"""
    added_roll_inertia: Coefficient = 0.0
    """added inertia about the long axis per metre [kg m]"""
    linear_drag: Coefficient = 0.0
    """transverse linear drag per metre [N s/m^2]"""
    quadratic_drag: Coefficient = 0.0
    """transverse drag coefficient C of C rho w |v| v / 2 per metre, w the section's width [-]"""
    longitudinal_drag: Coefficient = 0.0
    """the same along the body's axis [-]"""
    wave_damping: Coefficient = 0.0
    """radiation damping of vertical motion per metre [N s/m^2]"""
    roll_damping: Coefficient = 0.0
    """damping of the turn about the long axis per metre [N s]"""

    def __post_init__(self) -> None:
        for name in (f.name for f in fields(self)):
            value = getattr(self, name)
            for item in value if isinstance(value, tuple) else (value,):
                nonnegative(name, item)

    def spread(self, name: str, prisms: int) -> NDArray:
        """A coefficient for every prism."""
        value = getattr(self, name)
        if isinstance(value, tuple) and len(value) != prisms:
            raise InvalidValue(f"hydrodynamics.{name}", value, f"one number or {prisms}, one per wetted body")
        return np.array(np.broadcast_to(np.asarray(value, dtype=float), (prisms,)))


@dataclass(frozen=True)
class WaterSurface:
    """Still water below z = 0, gravity downwards."""

    density: float = 1000.0
    """density of the water [kg/m^3]"""
    gravity: float = 9.81
    """acceleration of gravity [m/s^2]"""
    hydrodynamics: Hydrodynamics = field(default_factory=Hydrodynamics)
    """added mass, drag and damping; all zero unless given"""

    def __post_init__(self) -> None:
        positive("density", self.density)
        positive("gravity", self.gravity)

    @property
    def acceleration(self) -> float:
        """Gravity's acceleration along z [m/s^2]."""
        return -self.gravity

    def environment(self, robot: Any) -> Water:
        """The record of this water round a robot; for one thread at a time."""
        prisms = wetted_prisms(robot)
        table = sorted({prism.section for prism in prisms}, key=lambda s: [p.section for p in prisms].index(s))
        order = sorted(range(len(prisms)), key=lambda i: table.index(prisms[i].section))
        polygons = [next(p for p in prisms if p.section == section).polygon() for section in table]
        return Water(
            self.density,
            self.gravity,
            sections_record(polygons),
            Prisms(
                np.array([prisms[i].body for i in order]),
                np.array([table.index(prisms[i].section) for i in order]),
                np.array([prisms[i].start for i in order], dtype=float),
                np.array([prisms[i].end for i in order], dtype=float),
                np.cos([prisms[i].turn for i in order]),
                np.sin([prisms[i].turn for i in order]),
            ),
            self.flow([prisms[i] for i in order], order),
            np.zeros(4 * len(prisms)),
            np.zeros(INTEGRALS * len(prisms)),
            np.zeros(WORK),
        )

    def resting_pose(self, robot: Any, shape: NDArray) -> tuple[float, ...]:
        """Where a tree starts: afloat in the equilibrium nearest to upright, x y z and quaternion w x y z."""
        from serpenoid.worlds.flotation import Flotation

        return Flotation(robot, self, shape).upright().base_pose

    def variables(self, robot: Any, links: NDArray) -> dict[str, Series]:
        """What water adds to a trajectory, from the links' poses (samples, bodies, 7): dims, values, unit, meaning."""
        return water_variables(robot, self, links)

    def flow(self, prisms: list[Prism], order: list[int]) -> Flow:
        """The coefficients of hydrodynamics in the order of the record's prisms, per metre."""
        given = {f.name: self.hydrodynamics.spread(f.name, len(prisms))[order] for f in fields(Hydrodynamics)}
        area = np.array([prism.volume / (prism.end - prism.start) for prism in prisms])
        width = np.array([np.ptp(prism.polygon()[:, 0]) for prism in prisms])
        pressure = 0.5 * self.density * width
        drags = (
            given["linear_drag"], given["quadratic_drag"] * pressure, given["longitudinal_drag"] * pressure,
            given["wave_damping"], given["roll_damping"],
        )  # fmt: skip
        added = (given["added_mass"] * self.density * area, given["added_roll_inertia"])
        return Flow(any(d.any() for d in drags), *drags, any(a.any() for a in added), *added)


def wetted_prisms(robot: Any) -> tuple[Prism, ...]:
    """The prisms of a robot that has any."""
    prisms = robot.prisms() if hasattr(robot, "prisms") else ()
    if not prisms:
        raise Unsupported(f"{type(robot).__name__} has no outer shape (prisms): it cannot be put into water")
    return tuple(prisms)


def sections_record(polygons: list[NDArray]) -> Sections:
    """Polygons as one record."""
    first = np.cumsum([0, *(polygon.size for polygon in polygons)])
    table = np.concatenate([polygon.ravel() for polygon in polygons])
    total = np.array([section_integrals(polygon) for polygon in polygons])
    convex = np.array([is_convex(polygon) for polygon in polygons])
    return Sections(first, table, total, convex, np.concatenate([fans(polygon) for polygon in polygons]))


def is_convex(polygon: NDArray) -> bool:
    """Whether a counter-clockwise polygon turns left at every vertex."""
    edge = np.roll(polygon, -1, axis=0) - polygon
    following = np.roll(edge, -1, axis=0)
    return bool(np.all(edge[:, 0] * following[:, 1] - edge[:, 1] * following[:, 0] > 0.0))


def fans(polygon: NDArray) -> NDArray:
    """Area and first moments of the triangles from the origin over the edges before each vertex, flat, from zero on."""
    y, z = polygon.T
    y_next, z_next = np.roll(polygon, -1, axis=0).T
    cross = y * z_next - y_next * z
    parts = np.column_stack((cross / 2.0, cross * (y + y_next) / 6.0, cross * (z + z_next) / 6.0))
    return np.concatenate((np.zeros(3), np.cumsum(parts, axis=0).ravel()))


def water_variables(robot: Any, world: WaterSurface, links: NDArray) -> dict[str, Series]:
    """What water adds to a trajectory, from the links' poses (samples, bodies, 7): roll, pitch, heave, immersion."""
    immersed = np.empty(links.shape[:2])
    pose_volumes(world.environment(robot), np.ascontiguousarray(links), immersed)
    return {
        "roll": (("time",), roll_history(links[:, 0]), "rad", "roll of link 0, unwrapped"),
        "pitch": (("time",), pitch_history(links[:, 0]), "rad", "pitch of link 0, positive lifts the tail"),
        "heave": (("time",), links[:, 0, 2].copy(), "m", "height of link 0 above the water"),
        "immersed_volume": (("time", "link"), immersed, "m^3", "volume of each body below the water"),
    }
