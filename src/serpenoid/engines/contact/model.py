"""MuJoCo model of a robot in a world with solids."""

from __future__ import annotations

from functools import partial
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from serpenoid.engines.contact.contact_stiffness import share_out, stable_unshared
from serpenoid.engines.contact.posts import add_slots, is_post
from serpenoid.engines.contact.solids import GEOM, add_solid
from serpenoid.engines.hinges import STOP_STEPS
from serpenoid.errors import InvalidValue
from serpenoid.kernels.records import Tree
from serpenoid.robots.base import PlanarRobot, Robot, TreeRobot
from serpenoid.robots.body_shapes import BodyShape, ShapedBodies
from serpenoid.robots.export import limits
from serpenoid.robots.pieces import Piece, pieces_of, touches_with_solids
from serpenoid.robots.rotations import quaternions
from serpenoid.robots.shapes import THIN_RATIO
from serpenoid.support.kernel_inputs import chain_of, tree_of
from serpenoid.worlds.contact import ContactWorld, Solid
from serpenoid.worlds.geometry import Ground

THINGS, SELF = 1, 2  # collision bits; the ground collides by explicit pairs
ROUND = 3.0  # a piece up to this many radii long touches the ground as a sphere
GAUSS = 1.0 / np.sqrt(3.0)  # two supports at these points are equivalent to support along the whole piece
LEAST_MASS, LEAST_INERTIA = 1e-6, 1e-9  # MuJoCo's minimum for bodies; used for massless bodies between two hinges
UNMOVED = 100.0  # inertia that keeps a planar robot from rolling [kg m^2]
POINTS = 2  # contacts of a sole with the ground
STIFFNESS, SOFTNESS, HOLD = 2e4, 1e4, 1e3  # contacts of a planar robot [1/s^2, -, 1/s]; see keep_flat
GROUND, POST, FIRM = (
    0.02,
    0.25,
    0.9,
)  # impedances of contacts with ground and posts, and MuJoCo's default; see add_pairs
TOLERANCE = 1e-6  # of conjugate gradients
SOFTER = 100.0  # regularisation of such a contact relative to others
SMOOTH: dict[str, Any] = {"friction": (0.0, 0.0, 0.0), "condim": 3}  # the friction of the solids is used
INTEGRATORS = {"implicitfast": mujoco.mjtIntegrator.mjINT_IMPLICITFAST, "rk4": mujoco.mjtIntegrator.mjINT_RK4}


class PlanarInSpace(TreeRobot):
    """Planar chain as a tree on the ground."""

    def __init__(self, robot: PlanarRobot):
        self.robot, self.name, self.drive, self.sensors = robot, robot.called, robot.drive, robot.sensors
        self.length, self.radius, self.speed_limit = robot.length, robot.radius, robot.speed_limit
        self.telemetry, self.self_collision = robot.telemetry, robot.self_collision
        self.module_radius = THIN_RATIO * float(chain_of(robot).length.min())

    @property
    def joints(self) -> int:
        return self.robot.joints

    @property
    def joint_names(self) -> tuple[str, ...]:
        return self.robot.joint_names

    @property
    def link_names(self) -> tuple[str, ...]:
        return self.robot.link_names

    @property
    def joint_range(self) -> NDArray | None:
        return self.robot.joint_range

    @property
    def dry_friction(self) -> NDArray | None:
        return self.robot.dry_friction

    def tree(self) -> Tree:
        """Return the links as rods with the chain's inertia about the vertical."""
        chain = chain_of(self.robot)
        count = chain.mass.size
        offset, center, inertia = np.zeros((count, 3)), np.zeros((count, 3)), np.zeros((count, 3, 3))
        offset[1:, 0], center[:, 0] = chain.length[:-1], chain.center
        inertia[:, 0, 0] = np.minimum(0.5 * chain.mass * self.module_radius**2, chain.inertia)
        inertia[:, 1, 1] = inertia[:, 2, 2] = chain.inertia
        armature = np.zeros(count - 1) if self.robot.armature is None else self.robot.armature
        hinges = np.column_stack([chain.joint_damping, armature])
        axis = np.tile((0.0, 0.0, 1.0), (count, 1))
        return Tree(
            np.arange(-1, count - 1), np.tile(np.eye(3), (count, 1, 1)), offset, axis, chain.mass, center, inertia,
            False, hinges,
        )  # fmt: skip


def in_space(robot: PlanarRobot | TreeRobot) -> TreeRobot:
    """Return the robot as a tree."""
    return PlanarInSpace(robot) if isinstance(robot, PlanarRobot) else robot


def model_of(robot: TreeRobot, world: ContactWorld, step: float) -> mujoco.MjModel:
    """Return the MuJoCo model of a robot in a world."""
    check_directions(robot, world)
    closed = not isinstance(robot, PlanarInSpace) and slides_closed(world, world.solids())
    model = build_model(robot, world, step, closed)
    own_solids = isinstance(robot, ShapedBodies) and bool(robot.body_shapes())
    share = closed and own_solids and (touches_with_solids(robot) or not stable_unshared(model))
    if share and not share_out(model, world.contact):
        return build_model(robot, world, step, False)
    return model


def check_directions(robot: Robot, world: ContactWorld) -> None:
    """Raise if friction depends on direction and the robot has solids without a direction in MuJoCo."""
    grounds = [solid.friction for solid in world.solids() if isinstance(solid.shape, Ground)]
    directed = any(along != across for along, across in grounds)
    if directed and touches_with_solids(robot) and any(shape.kind != "capsule" for _, shape in robot.body_shapes()):
        raise InvalidValue(
            "world.friction_along",
            getattr(world, "friction_along", None),
            "none for a robot with solids other than capsules",
        )


def build_model(robot: TreeRobot, world: ContactWorld, step: float, closed: bool) -> mujoco.MjModel:
    """Build that model; `closed` selects contacts with ground and posts that stay closed while sliding."""
    spec = mujoco.MjSpec()
    flat, solids = isinstance(robot, PlanarInSpace), world.solids()
    set_options(spec, world, step, closed)
    on_things = any(not isinstance(solid.shape, Ground) for solid in solids)
    with_axis = flat or any(isinstance(solid.shape, Ground) and len(set(solid.friction)) == 2 for solid in solids)
    by_bits = THINGS if any(not by_pairs(solid) for solid in solids) else 0
    skins, soles = add_links(spec, robot, on_things, with_axis, by_bits)
    add_drives(spec, robot)
    for number, solid in enumerate(solids):
        add_thing(spec, world, number, solid, skins, soles, closed)
    add_slots(
        spec, [solid for solid in solids if is_post(solid)], skins,
        lambda post, shapes: add_pairs(spec, world, post, shapes, (0.0, 0.0), POST if closed else FIRM),
    )  # fmt: skip
    model = spec.compile()
    if model.ntree == 1:  # one robot is one island; searching for islands costs time
        model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ISLAND)
    if flat:
        keep_flat(model, robot)
    return model


def slides_closed(world: ContactWorld, solids: tuple[Solid, ...]) -> bool:
    """Return whether all solids are ground and posts, whose contacts can stay closed while sliding; see add_pairs."""
    return world.contact.cone == "elliptic" and all(isinstance(s.shape, Ground) or is_post(s) for s in solids)


def by_pairs(solid: Solid) -> bool:
    """Return whether a solid collides by pairs: the ground, posts, and solids with anisotropic friction."""
    return isinstance(solid.shape, Ground) or is_post(solid) or len(set(solid.friction)) == 2


def add_thing(
    spec: mujoco.MjSpec,
    world: ContactWorld,
    number: int,
    solid: Solid,
    skins: list[str],
    soles: list[str],
    closed: bool,
) -> None:
    """Add a solid, with its pairs if it has any; add_slots adds the pairs of posts."""
    ground, paired = isinstance(solid.shape, Ground), by_pairs(solid)
    add = partial(
        spec.worldbody.add_geom, friction=(solid.friction[1], 0.0, 0.0), condim=3, priority=1,
        contype=0 if paired else THINGS, conaffinity=0,
        solref=(world.contact.time_constant, world.contact.damping_ratio),
    )  # fmt: skip
    for part, geom in enumerate(add_solid(spec, solid, add)):
        geom.name = f"solid_{number}_{part}"
        if paired and not is_post(solid):
            add_pairs(
                spec, world, geom.name, soles if ground else skins, solid.friction, GROUND if closed else FIRM
            )  # fmt: skip


def keep_flat(model: mujoco.MjModel, robot: TreeRobot) -> None:
    """Keep a planar robot from rolling and pitching, and let each ground contact support the weight of its own link.

    Planar media assume both. Contacts are springs here: f = m STIFFNESS x depth, critically damped. MuJoCo's convex
    cones push sliding contacts apart. The regularisation R = SOFTNESS / w, with w the body's inverse weight,
    outweighs that push. Friction removes slip at the rate HOLD.
    """
    model.dof_armature[3:5] = UNMOVED
    mujoco.mj_setConst(model, mujoco.MjData(model))
    soles = np.flatnonzero(model.geom_type[model.pair_geom1] == GEOM.mjGEOM_PLANE)
    bodies = model.geom_bodyid[model.pair_geom2[soles]]
    load = model.body_mass[bodies] / POINTS * SOFTNESS * model.body_invweight0[bodies, 0]
    d = 1.0 / (1.0 + SOFTNESS)
    model.pair_solimp[soles, :2] = d
    model.pair_solref[soles] = np.column_stack([-STIFFNESS * load * d, -2.0 * np.sqrt(STIFFNESS) * load * d])
    model.pair_solreffriction[soles] = (-d * d, -d * min(HOLD, 1.0 / model.opt.timestep))
    model.opt.impratio, model.opt.noslip_iterations = 100.0 * SOFTNESS, 0


def set_options(spec: mujoco.MjSpec, world: ContactWorld, step: float, closed: bool) -> None:
    """Set integrator, gravity and contact solver; `closed` selects contacts that stay closed while sliding."""
    contact = world.contact
    if contact.time_constant < 2.0 * step:
        raise InvalidValue("contact.time_constant", contact.time_constant, f"at least two steps of {step} s")
    option = spec.option
    option.timestep, option.gravity = step, world.gravity_vector
    option.integrator = INTEGRATORS[contact.integrator]
    cones = {"elliptic": mujoco.mjtCone.mjCONE_ELLIPTIC, "pyramidal": mujoco.mjtCone.mjCONE_PYRAMIDAL}
    option.cone, option.impratio = cones[contact.cone], contact.impedance_ratio
    option.noslip_iterations = contact.noslip_iterations
    option.solver, option.jacobian = mujoco.mjtSolver.mjSOL_NEWTON, mujoco.mjtJacobian.mjJAC_SPARSE
    if closed:
        # With a warm start, conjugate gradients converge in two or three iterations. A Newton iteration costs ten times
        # as much, because of the curvature of the cones. See set_passes for the noslip iterations.
        option.solver, option.jacobian = mujoco.mjtSolver.mjSOL_CG, mujoco.mjtJacobian.mjJAC_DENSE
        option.tolerance, option.impratio = TOLERANCE, SOFTER * contact.impedance_ratio
        option.noslip_iterations = 0
    option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
    spec.compiler.autolimits, spec.compiler.degree = False, False
    spec.compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE
    spec.memory = 1 << 25


def add_links(
    spec: mujoco.MjSpec, robot: TreeRobot, on_things: bool, with_axis: bool, by_bits: int
) -> tuple[list[str], list[str]]:
    """Add the links with their hinges and capsules; return the names of those that touch solids, and the ground.

    Geoms and collision bits without a counterpart are omitted, because each costs time at every step.
    """
    tree, names = tree_of(robot), robot.link_names
    turns = quaternions(tree.rotation)
    bodies: list[Any] = []
    for b, name in enumerate(names):
        parent = spec.worldbody if b == 0 else bodies[tree.parent[b]]
        inertia = tree.inertia[b] + (LEAST_INERTIA * np.eye(3) if tree.mass[b] == 0.0 else 0.0)
        body = parent.add_body(
            name=name, pos=tree.offset[b] if b else np.zeros(3), quat=turns[b],
            mass=max(float(tree.mass[b]), LEAST_MASS), ipos=tree.center[b], explicitinertial=True,
            fullinertia=inertia[(0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)],
        )  # fmt: skip
        bodies.append(body)
        if b > 0:
            friction = 0.0 if robot.dry_friction is None else float(robot.dry_friction[b - 1])
            body.add_joint(
                name=robot.joint_names[b - 1], type=mujoco.mjtJoint.mjJNT_HINGE, axis=tree.axis[b],
                damping=np.array([tree.damping[b - 1], 0.0, 0.0]), armature=tree.armature[b - 1], frictionloss=friction,
                **stops_of(robot, b, spec.option.timestep),
            )  # fmt: skip
        elif not tree.fixed_base:
            body.add_freejoint()
    bit = SELF if robot.self_collision else 0
    if touches_with_solids(robot):
        shapes = add_shapes(bodies, robot.body_shapes(), bit, by_bits)
        return shapes, shapes
    pieces = pieces_of(robot)
    for i, piece in enumerate(pieces):
        if on_things or bit:
            add_skin(bodies[piece.link], i, piece, bit, by_bits)
        add_sole(bodies[piece.link], i, piece, with_axis)
    return [f"skin_{i}" for i in range(len(pieces))], [f"sole_{i}" for i in range(len(pieces))]


def stops_of(robot: TreeRobot, body: int, step: float) -> dict[str, Any]:
    """Return the end stops of a hinge, if it has any, with the stiffness that our own engines use."""
    lower, upper = limits(robot, body)
    hard = {"limited": True, "range": (lower, upper), "solref_limit": (STOP_STEPS * step, 1.0)}
    return hard if lower > -np.pi or upper < np.pi else {}


def add_shapes(bodies: list[Any], shapes: list[tuple[int, BodyShape]], bit: int, by_bits: int) -> list[str]:
    """Add the collision shapes of a robot from a file, for the ground and for solids; return their names."""
    for i, (body, shape) in enumerate(shapes):
        bodies[body].add_geom(
            name=f"skin_{i}", type=getattr(GEOM, f"mjGEOM_{shape.kind.upper()}"), pos=shape.position,
            quat=shape.rotation, size=(*shape.size, 0.0, 0.0)[:3], contype=bit, conaffinity=by_bits | bit,
            **SMOOTH,
        )  # fmt: skip
    return [f"skin_{i}" for i in range(len(shapes))]


def add_skin(body: Any, number: int, piece: Piece, bit: int, by_bits: int) -> None:
    """Add a capsule for solids, and for other links if the bit is set."""
    body.add_geom(
        name=f"skin_{number}", type=GEOM.mjGEOM_CAPSULE, fromto=(*piece.start, *piece.end), size=(piece.radius, 0, 0),
        contype=bit, conaffinity=by_bits | bit, **SMOOTH,
    )  # fmt: skip


def add_sole(body: Any, number: int, piece: Piece, with_axis: bool) -> None:
    """Add a ground contact: a sphere at the centre, or a capsule with its ends at the Gauss points.

    Anisotropic friction and long pieces need a capsule; a sphere is faster.
    """
    reach = GAUSS * piece.half
    name, bits = f"sole_{number}", {"contype": 0, "conaffinity": 0}
    size = (piece.radius, 0.0, 0.0)
    if with_axis or 2.0 * np.linalg.norm(piece.half) > ROUND * piece.radius:
        ends = (*(piece.middle - reach), *(piece.middle + reach))
        body.add_geom(name=name, type=GEOM.mjGEOM_CAPSULE, fromto=ends, size=size, **bits, **SMOOTH)
    else:
        body.add_geom(name=name, type=GEOM.mjGEOM_SPHERE, pos=piece.middle, size=size, **bits, **SMOOTH)


def add_pairs(
    spec: mujoco.MjSpec,
    world: ContactWorld,
    solid: str,
    shapes: list[str],
    friction: tuple[float, float],
    impedance: float,
) -> None:
    """Add contact pairs between a solid and shapes of the robot; the friction frame follows the capsule's axis.

    MuJoCo's convex cones push sliding contacts apart with d / (1 - d) m mu v / tau. Here d is the impedance and v
    the slip that friction removes within the time tau. If that exceeds the load, contacts open and close from step
    to step. Only pairs have a separate time constant for friction, and so an impedance low enough to stay closed
    while sliding.

    This is meant for one contact per link; share_out handles solids that touch the ground at several points. On the
    ground tau is one step. Friction acts against v + tau J q'', which differs from the slip after tau by tau J' q'.
    A large tau would therefore rotate the friction under rolling links.
    """
    (along, across), contact = friction, world.contact
    rate = 1.0 / spec.option.timestep if impedance == GROUND else 2.0 / contact.time_constant  # 1 / tau
    closed = {
        "solref": (max(0.5 * contact.time_constant, 2.0 * spec.option.timestep), contact.damping_ratio),
        "solimp": (impedance, impedance, 0.001, 0.5, 2.0),
        "solreffriction": (-1e-9, -impedance * rate),
    }
    firm = {"solref": (contact.time_constant, contact.damping_ratio)}
    for shape in shapes:
        spec.add_pair(
            geomname1=solid, geomname2=shape, condim=3, friction=(along, across, 0.0, 0.0, 0.0),
            **(firm if impedance == FIRM else closed),
        )  # fmt: skip


def add_drives(spec: mujoco.MjSpec, robot: TreeRobot) -> None:
    """Add a torque actuator per joint, whose parameters the loop sets at every step; see kernels/contact/servos.py."""
    for name in robot.joint_names:
        spec.add_actuator(
            name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT, gaintype=mujoco.mjtGain.mjGAIN_FIXED,
            biastype=mujoco.mjtBias.mjBIAS_AFFINE, gainprm=np.zeros(10), biasprm=np.zeros(10), forcelimited=True,
            forcerange=(-1e9, 1e9),
        )  # fmt: skip
