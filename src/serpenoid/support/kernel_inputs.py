"""Validation of inputs to compiled code: records and arrays of a user's classes, checked once.

Compiled code does not check sizes: an array that is too short would be read and written beyond its end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import LARGEST, InvalidValue, finite, instance, require
from serpenoid.kernels.planar.media import COEFFICIENTS, LAWS, Medium
from serpenoid.kernels.records import NO_HARMONICS, Chain, Motion, Sea, Tree, Vacuum, Water

if TYPE_CHECKING:
    from serpenoid.gaits.base import Gait
    from serpenoid.robots.base import Robot
    from serpenoid.worlds.base import World

NUMBERS = "fiu"  # kinds of numpy dtypes that are real numbers
STEEPEST = 1e7  # limit of a gait's wave [rad, rad/s]; sines of greater angles lose all digits
ANY = -1  # size of an axis of any length from 1
WAVE = ("rate", "offset", "amplitude", "lag")
Sizes = tuple[int, ...]


def numbers(field: str, value: Any, shape: Sizes | None = None, most: float = LARGEST) -> NDArray:
    """Return a contiguous array of finite float64 for compiled code; ANY in a shape is a free size."""
    array = value
    if not (type(value) is np.ndarray and value.dtype == float and value.flags.carray):
        try:
            given = np.asarray(value)
            good = given.dtype.kind in NUMBERS or given.size == 0
            array = np.array(given, dtype=float, order="C") if good else None
        except (TypeError, ValueError):  # rows of different sizes
            array = None
    if array is None or not fits(array, shape) or not np.abs(array).max(initial=0.0) <= most:
        raise InvalidValue(
            field, value, describe_shape(shape) + (f", at most {most:g} in size" if most < LARGEST else "")
        )
    return array


def places(field: str, value: Any, shape: Sizes, low: int, high: int) -> NDArray:
    """Return an array of int64 indices into another array, each from `low` to below `high`."""
    array = np.asarray(value)
    good = array.dtype.kind in "iu" and fits(array, shape) and bool(((array >= low) & (array < high)).all())
    require(good, field, value, f"{describe_shape(shape).replace('finite', 'whole')} from {low} to {high - 1}")
    return np.array(array, dtype=np.int64, order="C")


def fits(array: NDArray, shape: Sizes | None) -> bool:
    """Return whether an array has a shape."""
    if shape is None or array.shape == shape:
        return True
    found = array.shape
    return len(found) == len(shape) and all(a == b or (b == ANY and a > 0) for a, b in zip(found, shape))


def describe_shape(shape: Sizes | None) -> str:
    """Describe the numbers that a shape requires."""
    if shape is None or shape == (ANY,):
        return "finite numbers"
    sizes = ", ".join("any" if size == ANY else str(size) for size in shape)
    return f"{sizes} finite numbers" if len(shape) == 1 else f"an array ({sizes}) of finite numbers"


def motion_of(gait: Gait, robot: Robot) -> Motion:
    """Return a gait's motion on a robot; raise InvalidValue if it does not match the joints or is not finite."""
    motion, joints = gait.motion(robot), robot.joints
    if isinstance(gait.frequency, float) and gait.frequency < STEEPEST and is_plain_wave(motion, joints):
        return motion
    owner = type(gait).__name__
    field = f"{owner}.motion()"
    instance(field, motion, Motion, "a Motion, as created by wave() and polynomial() of serpenoid.gaits.base")
    finite(f"{owner}.frequency", gait.frequency)
    begin, phase = (finite(f"{field}.{name}", getattr(motion, name)) for name in ("time_start", "phase_start"))
    parts = (numbers(f"{field}.{name}", getattr(motion, name), (joints,), STEEPEST) for name in WAVE)
    rate, offset, amplitude, lag = parts
    knots = numbers(f"{field}.knots", motion.knots, (ANY,))
    ascending = knots.size >= 2 and bool((knots[1:] >= knots[:-1]).all())
    require(ascending, f"{field}.knots", motion.knots, "at least two times [s], ascending")
    pieces = numbers(f"{field}.coefficients", motion.coefficients, (knots.size - 1, ANY, joints))
    if motion.harmonics.size == 0:
        return Motion(begin, phase, rate, offset, amplitude, lag, knots, pieces)
    more = numbers(f"{field}.harmonics", motion.harmonics, (ANY, 2, joints), STEEPEST)
    return Motion(begin, phase, rate, offset, amplitude, lag, knots, pieces, more)


def is_plain_wave(motion: Any, joints: int) -> bool:
    """Return whether a motion is a wave alone with valid arrays; a fast path for sweeps of a million cells."""
    if type(motion) is not Motion or not type(motion.time_start) is type(motion.phase_start) is float:
        return False
    if motion.harmonics is not NO_HARMONICS:
        return False
    arrays, one = motion[2:8], (joints,)
    if not all(type(part) is np.ndarray and part.dtype == float and part.flags.carray for part in arrays):
        return False
    if [part.shape for part in arrays] != [one, one, one, one, (2,), (1, 1, joints)]:
        return False
    begin, end = motion.knots.tolist()
    size = abs(motion.time_start) + abs(motion.phase_start) + float(np.abs(np.concatenate(arrays[:4])).max(initial=0.0))
    return size <= STEEPEST and -LARGEST <= begin <= end <= LARGEST and not motion.coefficients.any()


def chain_of(robot: Robot) -> Chain:
    """Return the record of a planar robot's links; raise InvalidValue if it does not match its joints."""
    field, links = f"{type(robot).__name__}.chain()", robot.joints + 1
    chain = robot.chain()
    instance(field, chain, Chain, "a Chain of serpenoid.kernels.records")
    sizes = dict.fromkeys(Chain._fields, links) | {"joint_damping": links - 1}
    checked = Chain(*(numbers(f"{field}.{name}", getattr(chain, name), (size,)) for name, size in sizes.items()))
    for name in ("length", "mass"):
        require(bool((getattr(checked, name) > 0.0).all()), f"{field}.{name}", getattr(chain, name), "above 0")
    return checked


def tree_of(robot: Robot) -> Tree:
    """Return the record of a robot's bodies; raise InvalidValue for wrong sizes or a parent after its child."""
    field, bodies = f"{type(robot).__name__}.tree()", robot.joints + 1
    tree = robot.tree()
    instance(field, tree, Tree, "a Tree of serpenoid.kernels.records")
    parent = np.ascontiguousarray(tree.parent)
    ordered = parent.shape == (bodies,) and parent.dtype.kind in "iu" and parent[0] == -1
    ordered = ordered and bool(((parent[1:] >= 0) & (parent[1:] < np.arange(1, bodies))).all())
    require(ordered, f"{field}.parent", tree.parent, f"{bodies} bodies, -1 for the base and each after its parent")
    sizes: dict[str, Sizes] = {
        "rotation": (bodies, 3, 3), "offset": (bodies, 3), "axis": (bodies, 3), "mass": (bodies,),
        "center": (bodies, 3), "inertia": (bodies, 3, 3), "hinges": (bodies - 1, 2),
    }  # fmt: skip
    arrays = {name: numbers(f"{field}.{name}", getattr(tree, name), size) for name, size in sizes.items()}
    return tree._replace(parent=parent.astype(np.int64, copy=False), fixed_base=bool(tree.fixed_base), **arrays)


def medium_of(world: World, chain: Chain) -> Medium:
    """Return the medium of a world for a chain; raise InvalidValue if the record does not match the links."""
    field, links = f"{type(world).__name__}.medium_record()", chain.mass.size
    medium = world.medium_record(chain)
    instance(field, medium, Medium, "a Medium of serpenoid.kernels.planar.media")
    require(medium.kind in LAWS, f"{field}.kind", medium.kind, f"one of {', '.join(map(str, LAWS))}")
    points = numbers(f"{field}.points", medium.points, (ANY,))
    sizes = dict.fromkeys(COEFFICIENTS, links) | {"weights": points.size}
    arrays = {name: numbers(f"{field}.{name}", getattr(medium, name), (size,)) for name, size in sizes.items()}
    return medium._replace(kind=int(medium.kind), points=points, **arrays)


def environment_of(world: World, robot: Robot) -> Any:
    """Return the environment of a tree in a world; raise InvalidValue for a record unknown to compiled code."""
    field = f"{type(world).__name__}.environment()"
    found = world.environment(robot)
    allowed = "a Vacuum, a Water or a Sea of serpenoid.kernels.records"
    require(isinstance(found, Vacuum | Water | Sea), field, found, allowed)
    if isinstance(found, Vacuum):
        x, y, z = numbers(f"{field}.gravity", found.gravity, (3,)).tolist()
        return Vacuum((x, y, z))
    return found


def still_water(environment: Any) -> Any:
    """Return an environment with a sea as still water, its added mass that of submerged bodies."""
    if not isinstance(environment, Sea):
        return environment
    flow = environment.flow._replace(added_mass=environment.whole_mass, added_roll=environment.whole_roll)
    return Water(**{name: getattr(environment, name) for name in Water._fields} | {"flow": flow})


def check_joints(robot: Robot) -> None:
    """Raise InvalidValue if names, limits or frictions do not match a robot's joints."""
    owner, joints = type(robot).__name__, robot.joints
    require(isinstance(joints, int | np.integer) and joints >= 0, f"{owner}.joints", joints, "a whole number")
    require(len(robot.joint_names) == joints, f"{owner}.joint_names", robot.joint_names, f"{joints} names")
    reach = robot.joint_range
    if reach is not None:
        good = np.shape(reach) == (joints, 2) and not np.isnan(reach).any()
        allowed = f"an array ({joints}, 2) of angles [rad], infinite without a limit"
        require(good, f"{owner}.joint_range", reach, allowed)
    for name, value in (("dry_friction", robot.dry_friction), ("armature", robot.armature)):
        if value is not None:
            numbers(f"{owner}.{name}", value, (joints,))
