"""Catalogue of trajectory variables: name, dimensions, unit and meaning of each, once.

Engines, plants and worlds yield `{name: array}`; label() adds the rest. A sensed quantity Q is recorded as
`sensed_Q`. A third party adds its own variables with add_variable(). tools/variable_table.py generates the table of
docs/reference/variables.md from this file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from numpy.typing import NDArray

from serpenoid.errors import InvalidValue

SENSED = "sensed_"


class Described(NamedTuple):
    """A row of the catalogue."""

    dims: tuple[str, ...]  # time or tick first, then joint, link, contact, axis, pose, twist
    unit: str  # empty: a plain number
    meaning: str
    where: tuple[str, ...] = ()  # worlds (World.variable_groups) or parts that yield it, all if empty
    flat: bool = False  # whether the last dimension is missing for motion in the plane
    clock: bool = False  # whether it is a wall-clock time, which differs between runs


class Variable(NamedTuple):
    """A labelled variable of a trajectory."""

    dims: tuple[str, ...]
    values: NDArray
    unit: str
    meaning: str


VARIABLES: dict[str, Described] = {}


def add_variable(
    name: str, dims: str, unit: str, meaning: str, *where: str, flat: bool = False, clock: bool = False
) -> None:
    """Add a row to the catalogue; `dims` is a string of words. The same row may be added again."""
    row = Described(tuple(dims.split()), unit, meaning, where, flat, clock)
    if VARIABLES.setdefault(name, row) != row:
        raise InvalidValue("variable", name, f"a name that is not taken: it is {VARIABLES[name].meaning}")


def describe(name: str) -> Described:
    """Return the row of a variable; that of `sensed_Q` follows from Q."""
    if name in VARIABLES:
        return VARIABLES[name]
    known = VARIABLES.get(name.removeprefix(SENSED))
    if known is None:
        raise InvalidValue("variable", name, "in the catalogue: serpenoid.variables.add_variable() adds a row")
    return Described(("tick", *known.dims[1:]), known.unit, f"{name.removeprefix(SENSED).replace('_', ' ')} as sensed")


def label(values: Mapping[str, NDArray]) -> dict[str, Variable]:
    """Label arrays with the dimensions, unit and meaning of their names in the catalogue."""
    found = {}
    for name, array in values.items():
        row = describe(name)
        dims = row.dims[:-1] if row.flat and array.ndim < len(row.dims) else row.dims
        found[name] = Variable(dims, array, row.unit, row.meaning)
    return found


def variables_in(*groups: str) -> dict[str, Described]:
    """Return the rows of some groups, such as those of a world."""
    return {name: row for name, row in VARIABLES.items() if not {*groups}.isdisjoint(row.where)}


PUSH, WATER, CONTACTS = "pushing", "water", "contacts"  # groups of worlds
ELASTIC, CASCADE, MODULES, CLOCK = "elastic drives", "cascades", "modules", "real time"  # groups of parts

add_variable("joint_position", "time joint", "rad", "joint angle")
add_variable("joint_velocity", "time joint", "rad/s", "joint rate")
add_variable("joint_torque", "time joint", "N m", "mean torque of the drive")
add_variable("base_pose", "time pose", "m, -", "pose of link 0")
add_variable("base_twist", "time twist", "m/s, rad/s", "twist of link 0, in its own axes")
add_variable("link_pose", "time link pose", "m, -", "pose of every link")
add_variable("center_of_mass", "time axis", "m", "centre of mass of the robot")
add_variable("center_velocity", "time axis", "m/s", "velocity of the centre of mass")
add_variable("body_axis", "time axis", "", "mean over links of the unit vector from tail to head")
add_variable("momentum_linear", "time axis", "kg m/s", "linear momentum, added mass included")
add_variable("momentum_angular", "time axis", "kg m^2/s", "angular momentum about the world's origin", flat=True)
add_variable("accelerometer", "time link axis", "m/s^2", "specific force at each link's sensor, in its own axes")
add_variable("gyroscope", "time link axis", "rad/s", "angular velocity of each link, in its own axes")
add_variable("power", "time", "W", "mean sum over drives of abs(torque x rate)")
add_variable("power_drive", "time", "W", "mean work rate of the drives, with its sign")
add_variable("power_medium", "time", "W", "mean work rate of the medium on the links, added mass excluded")
add_variable("power_damping", "time", "W", "mean work rate of friction and stops in joints and drives")
add_variable("power_world", "time", "W", "mean work rate of the world on the bodies, weight and buoyancy included")
add_variable("energy_kinetic", "time", "J", "kinetic energy of the robot")
add_variable("energy_added", "time", "J", "kinetic energy of the added mass")
add_variable("energy_potential", "time", "J", "potential energy of weight and buoyancy")
add_variable("roll", "time", "rad", "roll of link 0, unwrapped", WATER)
add_variable("pitch", "time", "rad", "pitch of link 0, positive lifts the tail", WATER)
add_variable("heave", "time", "m", "height of link 0 above the surface", WATER)
add_variable("immersed_volume", "time link", "m^3", "volume of each body below the surface", WATER)
add_variable("object_position", "time axis", "m", "centre of the object", PUSH)
add_variable("object_velocity", "time axis", "m/s", "velocity of the object", PUSH)
add_variable("object_force", "time axis", "N", "force of the robot on the object", PUSH)
add_variable("object_slides", "time", "", "0 while the ground holds the object", PUSH)
add_variable("energy_object", "time", "J", "kinetic energy of the object", PUSH)
add_variable("gap", "time link", "m", "distance between each link and the object", PUSH)
add_variable(
    "contact_force", "time link axis", "N",
    "force of all contacts on each link, world axes; in a push the normal force of each link on the object",
    CONTACTS, PUSH, flat=True,
)  # fmt: skip
add_variable("touch_link", "time contact", "", "link of each single contact, NaN where there is none", CONTACTS)
add_variable("touch_point", "time contact axis", "m", "position of each single contact", CONTACTS)
add_variable("touch_force", "time contact axis", "N", "force of each contact on the robot, world axes", CONTACTS)
add_variable("touch_slip", "time contact", "m/s", "tangential speed of the robot at each contact", CONTACTS)
add_variable("wheel_force", "time link", "N", "force across a link's wheels, to the right of the link", PUSH)
add_variable("wheel_slip", "time link", "m/s", "speed of slip across a link's wheels, to the right", PUSH)
add_variable("wheel_holds", "time link", "", "1 where every wheel of a link holds, 0 where one slips, or NaN", PUSH)
add_variable("events", "time", "", "changes of contact and wheels so far", PUSH)
add_variable("motor_position", "time joint", "rad", "motor angle, before the spring", ELASTIC)
add_variable("energy_spring", "time", "J", "energy of springs and rotors", ELASTIC)
add_variable("pwm", "time joint", "", "share of the supply voltage at each motor over the last step, -1 to 1", CASCADE)
add_variable("temperature", "time joint", "deg C", "temperature of each motor", MODULES)
add_variable("voltage", "time joint", "V", "supply voltage of each module", MODULES)
add_variable("current", "time joint", "A", "current at rest and for the mean work of each motor", MODULES)
add_variable("joint_impulse", "time joint", "N m s", "integral of the drive's torque so far")
add_variable("joint_torque_squared", "time joint", "N^2 m^2 s", "integral of the drive's squared torque so far")
add_variable("joint_work", "time joint", "J", "work of each drive so far")
add_variable("work_drive", "time", "J", "work of the drives on the robot so far")
add_variable("work_medium", "time", "J", "work of ground or fluid so far, weight, buoyancy and added mass excluded")
add_variable("work_damping", "time", "J", "work of viscous friction in joints and drives so far")
add_variable("work_external", "time", "J", "work of pushes so far, and the energy that came with changed fields")
add_variable("work_absolute", "time", "J", "integral of the sum over drives of abs(torque x rate) so far")
add_variable("work_wheels", "time", "J", "work of friction under slipping wheels so far", PUSH)
add_variable("work_ground", "time", "J", "work of friction under the sliding object so far", PUSH)
add_variable("work_impacts", "time", "J", "work of impacts so far", PUSH)
add_variable("work_contact", "time", "J", "work of contacts and joint stops on the robot so far", CONTACTS)
add_variable("module_temperature", "tick joint", "deg C", "temperature of each motor, as read", MODULES)
add_variable("module_voltage", "tick joint", "V", "supply voltage of each module, as read", MODULES)
add_variable("module_current", "tick joint", "A", "current of each motor, as read", MODULES)
add_variable("command_ready", "tick", "s", "time from the observation until its command was ready", CLOCK, clock=True)
add_variable("tick_delay", "tick", "s", "time from when a tick was due until its command left", MODULES, clock=True)
add_variable("reading_time", "tick", "s", "time of the reading, by the modules' clock", MODULES, clock=True)
add_variable("sending_time", "tick", "s", "time the last command left, by the modules' clock", MODULES, clock=True)
add_variable("command_position", "tick joint", "rad", "commanded angle, NaN where there is none")
add_variable("command_velocity", "tick joint", "rad/s", "commanded rate, NaN where there is none")
add_variable("command_acceleration", "tick joint", "rad/s^2", "commanded acceleration, NaN where there is none")
add_variable("command_torque", "tick joint", "N m", "commanded torque, NaN where there is none")
