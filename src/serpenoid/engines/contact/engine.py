"""Engine of worlds with solids: MuJoCo, with drives and work integrals in a compiled loop."""

from __future__ import annotations

from threading import Lock
from typing import Any, ClassVar

import mujoco
import numpy as np
from numpy.typing import NDArray

from serpenoid.control.base import Command
from serpenoid.engines.accounts import CONTACT_ACCOUNTS, account_variables, mean_rates, over_intervals
from serpenoid.engines.base import Engine, Initial, Log, Moment
from serpenoid.engines.command_tracking import still
from serpenoid.engines.contact.drives import drive_variables, joint_damping, servos_of
from serpenoid.engines.contact.model import in_space, model_of
from serpenoid.engines.contact.mujoco_offsets import physics_of
from serpenoid.engines.contact.posts import posts_of
from serpenoid.engines.contact.record import OF_SURVEY, motion_variables, telemetry_variables
from serpenoid.engines.contact.sample_cache import Notes, empty_survey
from serpenoid.engines.layout import Layout
from serpenoid.engines.starts import start_pose
from serpenoid.errors import InvalidValue
from serpenoid.kernels import accounts
from serpenoid.kernels.contact.fused import SampleRows, contact_law_rollout
from serpenoid.kernels.contact.records import CASCADE, STIFF, Lead, Places, Stretch
from serpenoid.kernels.contact.rollout import contact_rollout, find_posts
from serpenoid.kernels.contact.samples import Survey, contact_survey
from serpenoid.kernels.laws.cascade import JOINT_MEMORY
from serpenoid.kernels.laws.fused_run import FusedRun, FusedTask
from serpenoid.kernels.records import Motion
from serpenoid.robots.base import PlanarRobot, TreeRobot
from serpenoid.robots.rotations import rotations
from serpenoid.support.kernel_inputs import tree_of

PARTS = (
    "joints", "base_velocity", "joint_rates", "warm", "motors", "motor_rates", "memory", "heat", "impulses", "squares",
    "works", "accounts",
)  # fmt: skip
UPRIGHT = 0.99  # minimum cosine between the vertical and a contact normal of the ground
DEEPEST = 0.004  # largest allowed initial penetration [m]; a deeper start is inside an obstacle


class ContactEngine(Engine):
    """Simulates a tree, or a planar chain placed on the ground, in a world of solids."""

    name: ClassVar[str] = "contact"
    fuses = True
    fuses_imus: ClassVar[bool] = True

    def __init__(self, robot: PlanarRobot | TreeRobot, world: Any, step: float):
        super().__init__(robot, world, step)
        self.body = in_space(robot)
        tree = tree_of(self.body)
        self.joints, self.fixed, self.mass = robot.joints, tree.fixed_base, float(tree.mass.sum())
        self.damping = joint_damping(robot)  # (joints,) [N m s/rad]
        self.servos = servos_of(robot)
        self.telemetry = robot.telemetry
        self.model = model_of(self.body, world, step)
        self.data = mujoco.MjData(self.model)
        closed = self.model.opt.solver == mujoco.mjtSolver.mjSOL_CG
        passes = world.contact.noslip_iterations if closed else -1
        posts = posts_of(self.model, self.data, world.solids())
        self.physics = physics_of(self.model, self.data, robot.joint_names, robot.link_names, posts, passes)
        self.lock = Lock()  # MuJoCo's data serve one run at a time
        if self.servos.kind == STIFF:
            limit = self.servos.elastic.limit
            self.physics.range[:] = np.column_stack([-limit, limit])
        self.unled = still(np.zeros(self.joints))  # the motion of a Lead with a held command
        self.layout = self.layout_of()
        self.places = Places(*(self.layout[name].start for name in PARTS))
        self.notes = Notes(len(robot.link_names), self.joints, self.layout.size)

    def layout_of(self) -> Layout:
        """Return the parts of a state; the base velocity is linear in world axes, then angular in body axes."""
        motors = 0 if self.servos.kind == STIFF else self.joints
        memory = JOINT_MEMORY * self.joints if self.servos.kind == CASCADE else 0
        heat = 0 if self.telemetry is None else self.joints
        return Layout(
            base_pose=7, joints=self.joints, base_velocity=6, joint_rates=self.joints, warm=self.model.nv,
            motors=motors, motor_rates=motors, memory=memory, heat=heat, impulses=self.joints,
            squares=self.joints, works=self.joints, accounts=accounts.CONTACT_ACCOUNTS,
        )  # fmt: skip

    def start_state(self, given: Initial, position: NDArray, velocity: NDArray, turn: float) -> NDArray:
        rest = given.base_pose or self.world.resting_pose(self.body, position)
        pose = start_pose(rest, 0.0 if self.fixed else turn)
        twist = np.zeros(6) if given.base_twist is None or self.fixed else np.array(given.base_twist, dtype=float)
        state = self.state_at(pose, twist, position, velocity)
        if given.base_pose is None and not self.fixed:
            state[2] += self.sunk(state)
        self.check_start(state)
        self.notes.forget()
        return state

    def state_at(self, pose: NDArray, twist: NDArray, position: NDArray, velocity: NDArray) -> NDArray:
        moving = np.concatenate([rotations(pose[3:]) @ twist[:3], twist[3:]])
        return self.state_of_parts(base_pose=pose, joints=position, base_velocity=moving, joint_rates=velocity)

    def centers(self, states: NDArray) -> NDArray:
        found = np.empty((len(states), 2))
        with self.lock:
            for state, center in zip(states, found):
                self.pose_joints(state)
                mujoco.mj_kinematics(self.model, self.data)
                mujoco.mj_comPos(self.model, self.data)
                center[:] = self.data.subtree_com[self.physics.link_body[0], :2]
        return found

    def touched(self, state: NDArray) -> Any:
        """Return the contacts of a state; the lock must be held."""
        self.pose_joints(state)
        if self.physics.posts.skin.size:
            find_posts(self.physics)
        mujoco.mj_fwdPosition(self.model, self.data)
        return self.data.contact

    def sunk(self, state: NDArray) -> float:
        """Return the initial penetration of the ground [m], 0 if negligible, with the skin touching the ground.

        Links that are not round collide as capsules of the same cross-section, which reach lower than a flat link.
        """
        with self.lock:
            contact = self.touched(state)
            deepest = float((-contact.dist)[np.abs(contact.frame[:, 2]) > UPRIGHT].max(initial=0.0))
        return deepest if deepest > DEEPEST else 0.0

    def check_start(self, state: NDArray) -> None:
        """Raise if the start is inside an obstacle."""
        with self.lock:
            contact = self.touched(state)
            depth = -contact.dist
            if depth.size and depth.max() > DEEPEST:
                pair = contact.geom[int(depth.argmax())]
                links = [self.robot.link_names[link] for link in self.physics.geom_link[pair] if link >= 0]
                place = tuple(round(float(x), 4) for x in contact.pos[int(depth.argmax())])
                where = f"contact of {' and '.join(links)}, {1e3 * depth.max():.0f} mm deep, at {place} m"
                raise InvalidValue("initial", where, "a start clear of all obstacles")

    def pose_joints(self, state: NDArray) -> None:
        """Set the pose of the base and the joint angles in MuJoCo's data."""
        self.place_base(state)
        if not self.fixed:
            self.data.qpos[:7] = state[:7]
        self.data.qpos[self.physics.joint_position] = self.layout.part(state, "joints")

    def place_base(self, state: NDArray) -> None:
        """Set the pose of a fixed base to that of the state."""
        if self.fixed:
            body = self.physics.link_body[0]
            self.model.body_pos[body], self.model.body_quat[body] = state[:3], state[3:7]

    def lead(self, first: int, state: NDArray, command: Command, steps: int) -> Lead:
        return self.held(command)

    def motion_lead(self, motion: Motion) -> Lead:
        nothing = np.full(self.joints, np.nan)
        return Lead(True, motion, nothing, nothing, nothing)

    def held(self, command: Command) -> Lead:
        """Return the record of a held command."""
        parts = (np.array(part, dtype=float) for part in (command.position, command.velocity, command.torque))
        return Lead(False, self.unled, *parts)

    def run(self, first: int, state: NDArray, lead: Any, steps: int, every: int, wrenches: NDArray | None) -> NDArray:
        with self.lock:
            self.place_base(state)
            self.physics.outside[self.physics.link_body] = 0.0 if wrenches is None else wrenches
            samples = steps // every if first % self.steps_per_sample == 0 else 0  # other samples are never requested
            survey, row = self.room(samples, wrenches)
            stretch = Stretch(first, steps, every, row)
            return contact_rollout(
                self.physics, self.servos, lead, self.places, np.ascontiguousarray(state), stretch, survey
            )  # fmt: skip

    def room(self, samples: int, wrenches: NDArray | None) -> tuple[Survey, int]:
        """Return the buffer for notes on samples; empty with wrenches, which notes do not store, and for Runge-Kutta.

        Runge-Kutta steps end in a forward pass at another time.
        """
        return self.notes.room(samples if wrenches is None and self.world.contact.integrator != "rk4" else 0)

    def run_law(
        self, state: NDArray, task: FusedTask, wrenches: NDArray | None = None, before: NDArray | None = None
    ) -> FusedRun:
        nothing, course = np.full(self.joints, np.nan), task.course
        lead = Lead(False, self.unled, task.target, nothing, nothing)
        first, end = course.first, course.first + course.ticks * course.per_tick
        samples = -(-end // course.every) - -(-first // course.every)
        before = np.full(self.layout.size, np.nan) if before is None else before
        with self.lock:
            self.place_base(state)
            self.physics.outside[self.physics.link_body] = 0.0 if wrenches is None else wrenches
            return contact_law_rollout(
                self.physics, self.servos, lead, self.places, task, np.array(self.world.gravity_vector), before,
                np.ascontiguousarray(state), SampleRows(*self.room(samples, wrenches)),
            )  # fmt: skip

    def survey(self, log: Log) -> Survey:
        """Return MuJoCo's quantities at the samples, from notes taken during the run or by a forward pass."""
        commands = np.array((log.commands.position, log.commands.velocity, log.commands.torque), dtype=float)
        with self.lock:
            if log.wrenches is None:
                noted = self.notes.find(np.rint(log.times / self.step), log.states, commands)
            else:
                noted = np.full(len(log.times), -1)
            missing = np.flatnonzero(noted < 0)
            return self.notes.merged(noted, missing, self.passed(log, commands, missing))

    def passed(self, log: Log, commands: NDArray, chosen: NDArray) -> Survey:
        """Compute the quantities of some samples by a forward pass; commands are (3, samples, joints)."""
        out = empty_survey(len(chosen), len(self.robot.link_names), self.joints, self.layout.size)
        states, times = np.ascontiguousarray(log.states[chosen]), np.ascontiguousarray(log.times[chosen], dtype=float)
        outside = np.zeros((0, len(self.robot.link_names), 6)) if log.wrenches is None else log.wrenches[chosen]
        if len(chosen):
            self.place_base(states[0])
        lead = self.held(Command.empty(self.joints))
        contact_survey(
            self.physics, self.servos, lead, self.places, states, times, np.ascontiguousarray(commands[:, chosen]),
            np.ascontiguousarray(outside, dtype=float), out,
        )  # fmt: skip
        return out

    def computed(self, name: str, moment: Moment) -> NDArray | None:
        return OF_SURVEY[name](moment.once(self.survey)) if name in OF_SURVEY else None

    def own_variables(self, log: Log) -> dict[str, NDArray]:
        survey, parts = self.survey(log), self.layout.part
        found = {"joint_position": parts(log.states, "joints"), "joint_velocity": parts(log.states, "joint_rates")}
        found |= motion_variables(survey, self.mass) | self.spring_variables(log.states)
        drives, power = drive_variables(self.damping, self.servos, self.layout, log, survey.torque)
        found |= drives | account_variables(self.layout, log.states, CONTACT_ACCOUNTS)
        if self.telemetry is not None:
            mean = mean_rates(log.times, parts(log.states, "works"), power)
            found |= telemetry_variables(self.telemetry, parts(log.states, "heat"), mean)
        return over_intervals(log.times, found)
