"""Level floor with an object to push: contact, wheels, and their kernel record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, at_least, between, check_fields, usual
from serpenoid.errors import InvalidValue, require
from serpenoid.kernels.constants import STANDARD_GRAVITY
from serpenoid.kernels.push.constraints import levers
from serpenoid.kernels.push.records import Push
from serpenoid.kernels.records import Chain
from serpenoid.robots.base import PlanarRobot, Robot
from serpenoid.robots.meshes import tube
from serpenoid.robots.shapes import Solid
from serpenoid.support import kernel_inputs
from serpenoid.variables import PUSH
from serpenoid.worlds.base import World
from serpenoid.worlds.geometry import Disc, Ground, Shape
from serpenoid.worlds.solids import Moving

KINDS = ("none", "friction", "ideal")
ACROSS = (0.0, 1.0)  # to the left of a link
# Drawn sizes in link lengths; the engine treats a wheel as a point on its link.
WHEEL_RADIUS, WHEEL_SIDES = 0.08, (0.06, 0.085)


@dataclass(frozen=True)
class PushedObject:
    """Round object: every contact normal passes through its centre of mass."""

    mass: Annotated[float, above(0.0, usual=(0.5, 50.0))] = 20.0
    """mass [kg]"""
    radius: Annotated[float, above(0.0, usual=(0.02, 0.5))] = 0.1
    """radius [m]"""
    friction: Annotated[float, at_least(0.0, usual=(0.0, 1.0))] = 0.0
    """coefficient of friction between the object and the ground"""
    spin_radius: Annotated[float, between(0.0, 1.0, usual=(0.0, 1.0))] = 2.0 / 3.0
    """friction moment against spinning over radius times sliding friction; 2/3: even pressure, 1: on its rim; 0: none
    """

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def inertia(self) -> float:
        """Inertia of a full disc about its centre [kg m^2]."""
        return 0.5 * self.mass * self.radius**2


@dataclass(frozen=True)
class Contact:
    """Contact point of the robot on the object."""

    link: Annotated[int, between(0, 500, usual=(0, 10))] = 0
    """index of the link in contact"""
    point: Annotated[float, between(-0.5, 0.5, usual=(-0.5, 0.5))] = 0.0
    """contact point on the link, in link lengths from its middle, -0.5 (front) to 0.5 (rear)"""
    side: Literal["left", "right"] = "left"
    """the side of the link on which the object lies, seen along the link's x axis"""

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True)
class Wheels:
    """Passive wheels that roll along their link and resist motion across it."""

    kind: Literal["none", "friction", "ideal"] = "friction"
    """none: no wheels; friction: a wheel holds up to its limit, then slips; ideal: a wheel never slips"""
    friction: Annotated[float, at_least(0.0, usual=(0.0, 1.0), most=1e9)] = 0.1
    """coefficient of friction across a wheel; its limit is this times its share of the link's weight"""
    links: Annotated[tuple[int, ...] | None, between(0, 500, usual=(0, 10))] = None
    """links that have wheels; none: every link that does not touch the object"""
    stations: Annotated[tuple[float, ...], between(-0.5, 0.5, usual=(-0.5, 0.5))] = (0.0,)
    """positions of the wheels of each such link, in link lengths from its middle"""

    def __post_init__(self) -> None:
        check_fields(self)
        require(len(self.stations) > 0, "stations", self.stations, "one number or more")

    def places(self, links: int, touching: int | None) -> list[tuple[int, float]]:
        """Return (link, station) of every wheel."""
        if self.kind == "none":
            return []
        chosen = range(links) if self.links is None else self.links
        for link in chosen:
            require(0 <= link < links, "links", self.links, f"links from 0 to {links - 1}")
        skip = touching if self.links is None else None
        return [(link, station) for link in chosen if link != skip for station in self.stations]

    def limit(self, mass: float) -> float:
        """Return the largest force of one wheel of a link of this mass [N]."""
        return np.inf if self.kind == "ideal" else self.friction * mass * STANDARD_GRAVITY / len(self.stations)


@dataclass(frozen=True)
class Support:
    """Further constraints of a robot that pushes: more contacts with the object, walls, a fixed link."""

    contacts: tuple[Contact, ...] = ()
    """further contacts with the object; only their normals count, which pass through its centre"""
    walls: tuple[Contact, ...] = ()
    """contacts with fixed walls, along the link's side"""
    base: Annotated[int | None, between(0, 500, usual=(0, 10))] = None
    """link that is fixed to the ground, like the base of an arm, and has no wheels; none: the robot is free"""

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True)
class PushingFloor(World):
    """Level floor without resistance along the wheels, and one round object on it."""

    variable_groups: ClassVar[tuple[str, ...]] = (PUSH,)

    object: PushedObject = field(default_factory=PushedObject)
    """object to push"""
    wheels: Wheels = field(default_factory=Wheels)
    """the robot's wheels"""
    contact: Contact = field(default_factory=Contact)
    """contact point of the robot on the object once the gap is closed"""
    gap: Annotated[float, at_least(0.0, usual=(0.0, 0.2))] = 0.0
    """distance between the robot and the object at the start [m]"""
    object_at: Annotated[tuple[float, float] | None, usual(-5.0, 5.0)] = None
    """position of the object's centre at the start [m]; none: beside the contact point, at the gap"""

    def __post_init__(self) -> None:
        check_fields(self)

    def geometry(self) -> tuple[Shape, ...]:
        """Return the floor, and the object at its current position."""
        return (Ground(), Moving(Disc((0.0, 0.0), self.object.radius), "object_position"))

    def fittings(self, robot: Robot) -> list[Solid]:
        """Return the wheels, a pair at each station: one on either side of the link, on a transverse axle."""
        lengths = chain_of(robot).length
        found = []
        for link, station in self.wheels.places(lengths.size, self.contact.link):
            size = float(lengths[link])
            for near, far in (WHEEL_SIDES, (-WHEEL_SIDES[1], -WHEEL_SIDES[0])):
                ends = [np.array([(0.5 + station) * size, side * size, 0.0]) for side in (near, far)]
                found.append(Solid(link, *tube(ends[0], ends[1], WHEEL_RADIUS * size), True))
        return found


def wheels_of(wheels: Wheels | str) -> Wheels:
    """Return wheels as given, or by the name of their kind."""
    if isinstance(wheels, str):
        require(wheels in KINDS, "wheels", wheels, "one of " + ", ".join(KINDS))
        return Wheels(kind=wheels)  # type: ignore[arg-type]
    require(isinstance(wheels, Wheels), "wheels", wheels, "Wheels, or one of " + ", ".join(KINDS))
    return wheels


def chain_of(robot: Robot) -> Chain:
    """Return the record of a robot that can push in the plane."""
    require(isinstance(robot, PlanarRobot), "robot", robot, "a robot that moves in the plane, such as PlanarSnake")
    require(robot.joints >= 1, "robot.joints", robot.joints, "1 or more: a robot without joints cannot push")
    return kernel_inputs.chain_of(robot)


class Row(NamedTuple):
    """One constraint of a push."""

    name: str
    link: int  # -1: the ground under the object
    station: float  # in link lengths from its middle
    direction: tuple[float, float]  # along the link and to its left
    presses: float  # 1 if its force acts on the object
    limits: tuple[float, float]  # [N]


def push_rows(object: PushedObject, wheels: Wheels, contact: Contact, support: Support, mass: NDArray) -> Iterator[Row]:
    """Yield the constraints of a push on links of these masses [kg], in order."""
    count = mass.size
    touching = (contact, *support.contacts)
    for place in touching:
        yield contact_row("contact", place, count, 1.0)
    for link, station in wheels.places(count, contact.link):
        if link == support.base:
            continue
        limit = wheels.limit(float(mass[link]))
        name = f"wheel at link {link}" + (f", station {station:g}" if len(wheels.stations) > 1 else "")
        yield Row(name, link, station, ACROSS, 0.0, (-limit, limit))
    for place in support.walls:
        yield contact_row("wall", place, count, 0.0)
    base = support.base
    if base is not None:
        require(base < count, "base", base, f"a link from 0 to {count - 1}")
        for name, station, direction in (("along", -0.5, (1.0, 0.0)), ("front", -0.5, ACROSS), ("rear", 0.5, ACROSS)):
            yield Row(f"base at link {base}, {name}", base, station, direction, 0.0, (-np.inf, np.inf))
    if object.friction > 0.0:
        limit = object.friction * object.mass * STANDARD_GRAVITY
        yield Row("ground under the object", -1, 0.0, (0.0, 0.0), 0.0, (-limit, limit))


def contact_row(name: str, contact: Contact, links: int, presses: float) -> Row:
    """Return the row of a contact, which can only press."""
    if contact.link >= links:
        raise InvalidValue("contact.link", contact.link, f"a link from 0 to {links - 1}")
    side = 1.0 if contact.side == "left" else -1.0
    return Row(f"{name} at link {contact.link}", contact.link, contact.point, (0.0, side), presses, (0.0, np.inf))


def push_record(
    robot: PlanarRobot, object: PushedObject, wheels: Wheels, contact: Contact, support: Support
) -> tuple[Push, tuple[str, ...]]:
    """Return the kernel rows of all constraints, and their names."""
    chain = chain_of(robot)
    rows = list(push_rows(object, wheels, contact, support, chain.mass))
    names, link, station, direction, presses, limits = (list(column) for column in zip(*rows))
    links = np.array(link, dtype=np.int64)
    push = Push(
        levers=levers(chain),
        link=links,
        position=np.where(links < 0, 0.0, chain.length[links] * (0.5 + np.array(station))),
        direction=np.array(direction),
        presses=np.array(presses),
        limits=np.array(limits),
        object_mass=float(object.mass),
        object_inertia=float(object.inertia),
        spin_arm=float(object.spin_radius * object.radius),
    )
    return push, tuple(names)
