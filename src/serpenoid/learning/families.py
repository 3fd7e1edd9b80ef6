"""Kernels, records and readings of each engine that learning environments can use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.base import Command
from serpenoid.engines.base import Engine
from serpenoid.engines.command_tracking import still
from serpenoid.engines.contact.engine import ContactEngine
from serpenoid.engines.pegs import PegEngine
from serpenoid.engines.planar import PlanarEngine
from serpenoid.engines.pushing import PushingEngine
from serpenoid.engines.tree import TreeEngine
from serpenoid.errors import Unsupported
from serpenoid.kernels.contact.samples import TOUCH
from serpenoid.kernels.laws.fused_run import NEVER
from serpenoid.kernels.laws.hinges import LOSS, SOFT_COLUMNS
from serpenoid.kernels.learning.contact import ContactPlant, Pushes, contact_reset, contact_steps
from serpenoid.kernels.learning.pegs import PegPlant, peg_reset, peg_steps
from serpenoid.kernels.learning.planar import PlanarPlant, planar_reset, planar_steps
from serpenoid.kernels.learning.push import PushPlant, push_reset, push_steps
from serpenoid.kernels.learning.tree import TreePlant, tree_reset, tree_steps
from serpenoid.kernels.pegs.fused import Joints
from serpenoid.kernels.planar.chain import planar_model
from serpenoid.kernels.planar.rails import moved_base
from serpenoid.kernels.records import Actuation, Sea, StiffDrive
from serpenoid.kernels.reference import by_reference
from serpenoid.worlds import FreeSpace

Reading = tuple[int, str]  # number of components, unit


class Family(NamedTuple):
    """Compiled environments of one class of engines."""

    steps: Any  # kernels
    reset: Any
    plant: Callable[[Any, Any], Any]  # record of an engine with the gains of the environment
    state: Callable[[Any, NDArray], NDArray]  # state of a row from that of the engine
    readings: Callable[[Engine], dict[str, Reading]]  # in the order of the kernel
    lists: Callable[[list[Any]], tuple[int, int]] = lambda engines: (0, 0)  # positions and members of neighbour lists


def joint_readings(engine: Engine) -> dict[str, Reading]:
    """Return the readings of the joints that an engine moves."""
    count = engine.moving.size
    return {"joint_position": (count, "rad"), "joint_velocity": (count, "rad/s"), "joint_torque": (count, "N m")}


HEAD = {"head_direction": (1, "rad"), "head_rate": (1, "rad/s")}
CENTER = {"center_of_mass": (2, "m"), "center_velocity": (2, "m/s")}
TIME = {"time": (1, "s")}
SPACE = {
    "gravity_direction": (3, ""), "gyroscope": (3, "rad/s"), "base_pose": (7, "m"), "base_velocity": (3, "m/s"),
    "accelerometer": (3, "m/s^2"),
}  # fmt: skip


def lane_state(engine: Any, state: NDArray) -> NDArray:
    """Return the part of a planar state that describes motion, its base on the rails if there are any."""
    return moved_base(engine.model, np.ascontiguousarray(state[: engine.layout["joint_rates"].stop]), -1.0)


def whole_state(engine: Any, state: NDArray) -> NDArray:
    """Return the engine's state of a row; accounts and drives that a row does not keep are 0."""
    out = np.zeros(engine.layout.size)
    moved = moved_base(engine.model, state, 1.0) if type(engine) is PlanarEngine else state
    out[: moved.size] = moved
    return out


def lane_plant(engine: Any, gains: Any) -> PlanarPlant:
    """Return the record of a planar chain; raise for joints that lanes cannot simulate."""
    hinges = engine.model.hinges
    plain = hinges.shape[1] == 2 or (hinges.shape[1] == SOFT_COLUMNS and not hinges[:, LOSS].any())
    if not plain or type(gains) is not StiffDrive:
        raise Unsupported("environments in the plane need drive pd and joints without dry friction and hard stops")
    return PlanarPlant(engine.model, gains)


def peg_plant(engine: Any, gains: Any) -> PegPlant:
    """Return the record of a snake on a board."""
    frames, chain = engine.body.frames, engine.scene.chain
    low_x, low_y, high_x, high_y = engine.world.outermost()
    front = len(engine.robot.link_names) // 2
    rule = NEVER._replace(low_x=low_x, low_y=low_y, high_x=high_x, high_y=high_y, links=front)
    joints = Joints(spread=engine.moving, piece=frames.piece, front=frames.front)
    shift = planar_model(chain, FreeSpace().medium_record(chain)).shift
    return PegPlant(engine.scene, gains, joints, shift, rule)


def peg_lists(engines: list[Any]) -> tuple[int, int]:
    """Return the sizes of neighbour lists that serve all boards."""
    nodes = engines[0].scene.chain.mass.size + 1
    most = max(engine.scene.obstacles.most for engine in engines)
    return 2 * nodes, (nodes - 1) * most + nodes


def contact_plant(engine: Any, gains: Any) -> ContactPlant:
    """Return the record of a robot among solids."""
    joints = engine.joints
    lead = engine.held(Command.empty(joints)._replace(torque=np.zeros(joints)))
    pushes = Pushes(np.zeros((1, len(engine.robot.link_names), 3)), np.zeros((1, 0, TOUCH)))
    return ContactPlant(engine.physics, engine.servos, lead, engine.places, engine.notes.none, pushes)


def led(engine: Any, gains: Any) -> Actuation:
    """Return an actuation with targets and torques of its own."""
    joints = engine.robot.joints
    return Actuation(still(np.zeros(joints)), gains, np.zeros(joints))


def tree_plant(engine: Any, gains: Any) -> TreePlant:
    """Return the record of a tree; its kernel starts the time of each control period at zero, so waves are refused."""
    environment = engine.environment
    if isinstance(environment, Sea) and environment.wave.amplitude > 0.0:
        raise Unsupported("learning environments have still water only: use world.waves.height = 0")
    return TreePlant(engine.tree, environment, led(engine, gains), np.zeros((0, 6)))


FAMILIES: dict[type[Engine], Family] = {
    PushingEngine: Family(
        push_steps, push_reset, lambda engine, gains: PushPlant(engine.scene, led(engine, gains), np.zeros((0, 3))),
        lambda engine, state: state,
        lambda engine: joint_readings(engine) | HEAD | CENTER
        | {"object_position": (2, "m"), "object_velocity": (2, "m/s")} | TIME,
    ),
    PlanarEngine: Family(
        planar_steps, planar_reset, lane_plant, lane_state,
        lambda engine: joint_readings(engine) | HEAD | CENTER
        | {"base_position": (2, "m"), "base_velocity": (2, "m/s")} | TIME,
    ),
    PegEngine: Family(
        peg_steps, peg_reset, peg_plant, lambda engine, state: state,
        lambda engine: joint_readings(engine) | HEAD
        | {
            "center_of_mass": (2, "m"), "distance": (1, "m"), "outside": (1, ""),
            "skin_force": (2 * engine.moving.size + 2, "N"),
        } | TIME,
        peg_lists,
    ),
    ContactEngine: Family(
        contact_steps, contact_reset, contact_plant, lambda engine, state: state,
        lambda engine: joint_readings(engine) | SPACE
        | {"skin_force": (3 * len(engine.robot.link_names), "N"), "body_position": (3, "m")} | TIME,
    ),
    TreeEngine: Family(
        tree_steps, tree_reset,
        tree_plant,
        lambda engine, state: state,
        lambda engine: joint_readings(engine) | SPACE | TIME,
    ),
}  # fmt: skip


def family_of(engine: Engine) -> Family:
    """Return the compiled environments of an engine; raise if there are none."""
    if type(engine) not in FAMILIES:
        names = ", ".join(sorted(kind.name for kind in FAMILIES))
        raise Unsupported(f"the engine {engine.name} has no learning environment: use one of {names}")
    if not engine.driven:
        raise Unsupported("an environment needs joints driven by torques: use robot.drive pd, not prescribed")
    return FAMILIES[type(engine)]


def plant_of(engine: Any, torques: bool) -> Any:
    """Return the record of an engine, for joint torques or for joint targets."""
    return family_of(engine).plant(engine, gains_of(engine, torques))


class Records:
    """Records of one class by reference, one for each variant of a task."""

    def __init__(self, records: list[Any]):
        self.first = records[0]
        self.kept = [by_reference(record) for record in records]
        self.reference = self.kept[0]
        self.addresses = np.array([record.address for record in self.kept])

    def replace(self, number: int, record: Any) -> None:
        """Use another record for a variant from now on."""
        self.kept[number] = by_reference(record)
        self.addresses[number] = self.kept[number].address


def gains_of(engine: Any, torques: bool) -> Any:
    """Return the record of the drives; without stiffness and damping if torques are commanded."""
    if engine.gains is None or not torques:
        return engine.gains
    nothing = np.zeros_like(engine.gains.stiffness)
    return engine.gains._replace(stiffness=nothing, damping=nothing)
