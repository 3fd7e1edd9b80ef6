"""Water with its mean surface at z = 0: buoyancy of a robot's prisms, optional hydrodynamics and waves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, at_least, check_fields
from serpenoid.errors import InvalidValue, Unsupported
from serpenoid.kernels.attitude import pitch_history, roll_history
from serpenoid.kernels.constants import STANDARD_GRAVITY
from serpenoid.kernels.records import Flow, Prisms, Sea, Sections, Water
from serpenoid.kernels.water.hydrostatics import CUT, INTEGRALS, WORK
from serpenoid.kernels.water.sea import sea_volumes
from serpenoid.kernels.water.wrenches import pose_volumes
from serpenoid.robots.base import Robot
from serpenoid.robots.prism import Prism, outer_prisms, section_integrals
from serpenoid.support.kernel_inputs import environment_of
from serpenoid.variables import WATER
from serpenoid.worlds.base import World
from serpenoid.worlds.geometry import Point3, Shape, WaterLevel
from serpenoid.worlds.waves import Waves

Coefficient = float | tuple[float, ...]
COEFFICIENTS = (
    "added_mass", "added_roll_inertia", "linear_drag", "quadratic_drag", "longitudinal_drag", "wave_damping",
    "roll_damping",
)  # fmt: skip


@dataclass(frozen=True)
class Hydrodynamics:
    """Hydrodynamic coefficients of wetted bodies: one number each, or one per prism of the robot.

    Drag and damping are proportional to a body's immersed part. Added mass is that of the floating body and does
    not change with immersion, unless `immersed_added_mass` is set.
    """

    added_mass: Annotated[Coefficient, at_least(0.0, usual=(0.0, 1.0))] = 0.0
    """transverse added mass over the mass of the water that the whole section displaces [-]"""
    added_roll_inertia: Annotated[Coefficient, at_least(0.0, usual=(0.0, 0.01))] = 0.0
    """added inertia about the long axis per metre [kg m]"""
    linear_drag: Annotated[Coefficient, at_least(0.0, usual=(0.0, 10.0))] = 0.0
    """transverse linear drag per metre [N s/m^2]"""
    quadratic_drag: Annotated[Coefficient, at_least(0.0, usual=(0.0, 2.0))] = 0.0
    """transverse drag coefficient C of C rho w |v| v / 2 per metre, w the section's width [-]"""
    longitudinal_drag: Annotated[Coefficient, at_least(0.0, usual=(0.0, 0.1))] = 0.0
    """drag coefficient along the body's axis [-]"""
    wave_damping: Annotated[Coefficient, at_least(0.0, usual=(0.0, 50.0))] = 0.0
    """radiation damping of vertical motion per metre [N s/m^2]"""
    roll_damping: Annotated[Coefficient, at_least(0.0, usual=(0.0, 0.1))] = 0.0
    """damping of the rotation about the long axis per metre [N s]"""
    immersed_added_mass: bool = False
    """whether added mass is proportional to the immersed part of each body; its coefficients are those of submerged
    bodies"""

    def __post_init__(self) -> None:
        check_fields(self)

    def spread(self, name: str, prisms: int) -> NDArray:
        """Return a coefficient for every prism."""
        value = getattr(self, name)
        if isinstance(value, tuple) and len(value) != prisms:
            raise InvalidValue(f"hydrodynamics.{name}", value, f"one number or {prisms}, one for each wetted body")
        return np.array(np.broadcast_to(np.asarray(value, dtype=float), (prisms,)))


@dataclass(frozen=True)
class WaterSurface(World):
    """Water below z = 0, still or with regular waves, gravity downwards."""

    variable_groups: ClassVar[tuple[str, ...]] = (WATER,)

    density: Annotated[float, above(0.0, usual=(900.0, 1100.0))] = 1000.0
    """density of the water [kg/m^3]"""
    gravity: Annotated[float, above(0.0, usual=(1.6, 25.0))] = STANDARD_GRAVITY
    """acceleration of gravity [m/s^2]"""
    hydrodynamics: Hydrodynamics = field(default_factory=Hydrodynamics)
    """added mass, drag and damping; zero by default"""
    waves: Waves = Waves()
    """regular waves at the surface; none by default"""

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def gravity_vector(self) -> Point3:
        return (0.0, 0.0, -self.gravity)

    def geometry(self) -> tuple[Shape, ...]:
        """Return the surface of the water."""
        return (WaterLevel(),)

    def environment(self, robot: Robot) -> Water | Sea:
        """Return the record of the water around a robot; not thread-safe."""
        water = self.still_record(robot)
        if self.waves.height == 0.0 and not self.hydrodynamics.immersed_added_mass:
            return water
        count, flow = water.prisms.body.size, water.flow
        return Sea(
            **water._asdict(),
            wave=self.waves.record(self.gravity),
            follows=self.hydrodynamics.immersed_added_mass,
            whole_mass=flow.added_mass.copy(),
            whole_roll=flow.added_roll.copy(),
            clock=np.zeros(1),
            streams=np.zeros((count, 6)),
            waterplanes=np.zeros((count, 4)),
            growth=np.zeros(count),
            shifted=np.zeros(INTEGRALS * count),
        )

    def still_record(self, robot: Robot) -> Water:
        """Return the record of the water without waves; its added mass is that of submerged bodies."""
        prisms = wetted_prisms(robot)
        table = sorted({prism.section for prism in prisms}, key=lambda s: [p.section for p in prisms].index(s))
        order = sorted(range(len(prisms)), key=lambda i: table.index(prisms[i].section))
        polygons = [next(p for p in prisms if p.section == section).polygon() for section in table]
        return Water(
            density=self.density,
            gravity=self.gravity,
            sections=sections_record(polygons),
            prisms=Prisms(
                body=np.array([prisms[i].body for i in order]),
                section=np.array([table.index(prisms[i].section) for i in order]),
                start=np.array([prisms[i].start for i in order], dtype=float),
                end=np.array([prisms[i].end for i in order], dtype=float),
                cosine=np.cos([prisms[i].turn for i in order]),
                sine=np.sin([prisms[i].turn for i in order]),
            ),
            flow=self.flow([prisms[i] for i in order], order),
            planes=np.zeros(4 * len(prisms)),
            cut=np.zeros(CUT),
            integrals=np.zeros(INTEGRALS * len(prisms)),
            block=np.zeros(WORK),
        )

    def resting_pose(self, robot: Robot, shape: NDArray) -> tuple[float, ...]:
        """Return the initial pose of a tree: afloat in the equilibrium nearest to upright, x y z and quaternion w x y
        z.
        """
        from serpenoid.worlds.flotation import Flotation

        return Flotation(robot, self, shape).upright().base_pose

    def variables(self, robot: Robot, times: NDArray, links: NDArray) -> dict[str, NDArray]:
        """Return the variables that water adds to a trajectory, from times [s] and link poses (samples, bodies, 7)."""
        immersed, poses, water = np.empty(links.shape[:2]), np.ascontiguousarray(links), environment_of(self, robot)
        if isinstance(water, Sea):
            sea_volumes(water, np.ascontiguousarray(times, dtype=float), poses, immersed)
        else:
            pose_volumes(water, poses, immersed)
        head = links[:, 0]
        return {
            "roll": roll_history(head), "pitch": pitch_history(head), "heave": head[:, 2].copy(),
            "immersed_volume": immersed,
        }  # fmt: skip

    def flow(self, prisms: list[Prism], order: list[int]) -> Flow:
        """Return the hydrodynamic coefficients in the order of the record's prisms, per metre."""
        given = {name: self.hydrodynamics.spread(name, len(prisms))[order] for name in COEFFICIENTS}
        area = np.array([prism.volume / (prism.end - prism.start) for prism in prisms])
        width = np.array([np.ptp(prism.polygon()[:, 0]) for prism in prisms])
        pressure = 0.5 * self.density * width
        drags = (
            given["linear_drag"], given["quadratic_drag"] * pressure, given["longitudinal_drag"] * pressure,
            given["wave_damping"], given["roll_damping"],
        )  # fmt: skip
        added = (given["added_mass"] * self.density * area, given["added_roll_inertia"])
        return Flow(any(d.any() for d in drags), *drags, any(a.any() for a in added), *added)


def wetted_prisms(robot: Robot) -> tuple[Prism, ...]:
    """Return the prisms of a robot; raise if it has none."""
    prisms = outer_prisms(robot)
    if not prisms:
        raise Unsupported(f"{robot.called} has no outer shape (prisms) for buoyancy: use SeaSnake or Natrix")
    return prisms


def sections_record(polygons: list[NDArray]) -> Sections:
    """Return polygons as one record."""
    first = np.cumsum([0, *(polygon.size for polygon in polygons)])
    table = np.concatenate([polygon.ravel() for polygon in polygons])
    total = np.array([section_integrals(polygon) for polygon in polygons])
    convex = np.array([is_convex(polygon) for polygon in polygons])
    return Sections(first, table, total, convex, np.concatenate([fans(polygon) for polygon in polygons]))


def is_convex(polygon: NDArray) -> bool:
    """Return whether a counter-clockwise polygon turns left at every vertex."""
    edge = np.roll(polygon, -1, axis=0) - polygon
    following = np.roll(edge, -1, axis=0)
    return bool(np.all(edge[:, 0] * following[:, 1] - edge[:, 1] * following[:, 0] > 0.0))


def fans(polygon: NDArray) -> NDArray:
    """Return area and first moments of the fan triangles from the origin before each vertex, flat, starting at zero."""
    y, z = polygon.T
    y_next, z_next = np.roll(polygon, -1, axis=0).T
    cross = y * z_next - y_next * z
    parts = np.column_stack((cross / 2.0, cross * (y + y_next) / 6.0, cross * (z + z_next) / 6.0))
    return np.concatenate((np.zeros(3), np.cumsum(parts, axis=0).ravel()))
