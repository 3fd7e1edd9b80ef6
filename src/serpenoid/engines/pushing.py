"""Planar engine with an object on the floor: contacts that open and close, wheels that grip or slip."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from serpenoid.engines.accounts import account_variables, over_intervals
from serpenoid.engines.base import Initial, Log, Moment, stack_runs
from serpenoid.engines.hinges import hinge_table
from serpenoid.engines.layout import Layout
from serpenoid.engines.planar import PlanarEngine, planar_wrenches, sampled_wrenches
from serpenoid.engines.planar_record import planar_variables, to_space
from serpenoid.errors import Unsupported, require
from serpenoid.kernels.accounts import PUSH_ACCOUNTS
from serpenoid.kernels.constants import STANDARD_GRAVITY
from serpenoid.kernels.planar.chain import planar_model
from serpenoid.kernels.push.constraints import levers
from serpenoid.kernels.push.records import PushScene
from serpenoid.kernels.push.samples import push_quantities
from serpenoid.kernels.push.step import begin_mode, push_rollout
from serpenoid.kernels.records import Motion
from serpenoid.robots.base import PlanarRobot
from serpenoid.robots.planar import chain_tree
from serpenoid.worlds.free import FreeSpace
from serpenoid.worlds.pushing import PushingFloor, chain_of

OF_OBJECT = {"object_position": "object", "object_velocity": "object_velocity"}  # parts of the layout


class PushingEngine(PlanarEngine):
    """Simulates a planar chain on a floor with an object."""

    name: ClassVar[str] = "pushing"

    def __init__(self, robot: PlanarRobot, world: PushingFloor, step: float):
        if robot.drive.prescribed:
            raise Unsupported("a push needs joints driven by torques: use robot.drive pd, not prescribed")
        super(PlanarEngine, self).__init__(robot, world, step)
        links = chain_of(robot)
        hinges = hinge_table(robot, chain_tree(links, robot.armature), step, True)
        self.model = planar_model(links, FreeSpace().medium_record(links), hinges)
        self.set_drive()
        self.scene = push_scene(robot, world)._replace(levers=levers(links, hinges))
        chain, modes = self.chain_parts(), self.joints + 1 + self.scene.wheel_link.size + 1
        drives = {name: chain.pop(name) for name in ("motors", "motor_rates", "impulses", "squares", "works")}
        self.layout = Layout(
            **chain, object=2, object_velocity=2, slide=2, **drives, modes=modes, events=1, accounts=PUSH_ACCOUNTS
        )

    def start_state(self, given: Initial, position: NDArray, velocity: NDArray, turn: float) -> NDArray:
        state = super().start_state(given, position, velocity, turn)
        state[self.layout["object"]] = self.object_start(state)
        return state

    def lanes_key(self, motion: Motion) -> None:
        """Return None: pushes cannot be batched, because their events differ in time between runs."""
        return

    @classmethod
    def batch(
        cls,
        engines: Sequence[Any],
        motions: Sequence[Motion],
        states: NDArray,
        steps: int,
        every: int,
        sampling: None = None,  # type: ignore[override]
    ) -> dict[str, NDArray]:
        return stack_runs([engine.run_alone(*run, steps, every) for engine, *run in zip(engines, motions, states)])

    def object_start(self, chain: NDArray) -> NDArray:
        """Return the initial position of the object's centre: set by the world, or beside the contact point."""
        angle = np.cumsum(chain[2 : self.joints + 3])
        center = self.beside_contact(chain, angle) if self.world.object_at is None else np.array(self.world.object_at)
        self.refuse_overlap(chain, angle, center)
        return center

    def beside_contact(self, chain: NDArray, angle: NDArray) -> NDArray:
        """Return the position of the object's centre beside the contact point, at the gap set by the world."""
        contact, length = self.world.contact, self.scene.length
        require(contact.link < length.size, "world.contact.link", contact.link, f"a link from 0 to {self.joints}")
        lever = self.scene.levers.joint[contact.link].copy()
        lever[contact.link] += length[contact.link] * (0.5 + contact.point)
        point = chain[:2] + np.array([np.cos(angle), np.sin(angle)]) @ lever
        side = 1.0 if contact.side == "left" else -1.0
        normal = side * np.array([-np.sin(angle[contact.link]), np.cos(angle[contact.link])])
        center: NDArray = point + normal * (self.scene.radius + self.world.gap)
        return center

    def refuse_overlap(self, chain: NDArray, angle: NDArray, center: NDArray) -> None:
        """Raise if the object overlaps a link at the start."""
        along = np.stack([np.cos(angle), np.sin(angle)], axis=1)  # (links, 2)
        front = chain[:2] + self.scene.levers.joint @ along
        foot = np.clip(((center - front) * along).sum(axis=1), 0.0, self.scene.length)
        depth = self.scene.radius - np.linalg.norm(center - front - foot[:, None] * along, axis=1)
        link = int(np.argmax(depth))
        allowed = f"such that no link overlaps the object: link {link} is {depth[link]:.3g} m deep in it"
        if self.world.object_at is None:
            require(depth[link] <= 1e-9, "joint_position", tuple(chain[3 : self.joints + 3].tolist()), allowed)
        require(depth[link] <= 1e-9, "world.object_at", self.world.object_at, allowed)

    def run(self, first: int, state: NDArray, lead: Any, steps: int, every: int, wrenches: NDArray | None) -> NDArray:
        end = np.array(state, dtype=float)
        states = np.full((steps // every, end.size), np.nan)
        clock = np.array([first, self.step, steps, 0.0, 0.0])
        push_rollout(self.scene, lead, planar_wrenches(wrenches), clock, end, states, every)
        return states

    def direct(self, name: str, state: NDArray) -> NDArray | None:
        if name in OF_OBJECT:
            return to_space(self.layout.part(state, OF_OBJECT[name]))
        return super().direct(name, state)

    def computed(self, name: str, moment: Moment) -> NDArray | None:
        if name in ("accelerometer", "contact_force"):
            rows, _, _, specific, _ = moment.once(self.survey)
            return specific if name == "accelerometer" else rows[:, : self.joints + 1, 0]
        return super().computed(name, moment)

    def survey(self, log: Log) -> tuple[NDArray, ...]:
        """Return the result of push_quantities() at the samples."""
        torque, wrenches = self.joint_powers(log).torque, sampled_wrenches(log)
        return push_quantities(self.scene, self.model, self.begun(log, torque, wrenches), torque, wrenches)

    def begun(self, log: Log, torques: NDArray, wrenches: NDArray) -> NDArray:
        """Return states (samples, numbers) in the modes that follow each sample; those in the log have the modes
        before it.
        """
        states = np.array(log.states)
        for state, torque, wrench in zip(states, torques, wrenches):
            begin_mode(self.scene, torque, wrench, state)
        return states

    def own_variables(self, log: Log) -> dict[str, NDArray]:
        joints, wrenches = self.joint_powers(log), sampled_wrenches(log)
        states = self.begun(log, joints.torque, wrenches)
        found = planar_variables(self.model, self.layout, log.states, joints, wrenches)
        for name in ("power_medium", "power_damping", "energy_added"):
            del found[name]
        found |= self.spring_variables(log.states)
        found |= account_variables(self.layout, log.states)
        return over_intervals(log.times, found | self.push_variables(states, joints.torque, wrenches))

    def push_variables(self, states: NDArray, torques: NDArray, wrenches: NDArray) -> dict[str, NDArray]:
        """Return the variables of the object, the contact and the wheels."""
        links, part = self.joints + 1, self.layout.part
        rows, contacts, energy, specific, modes = push_quantities(self.scene, self.model, states, torques, wrenches)
        push = rows[:, :links, 0]
        return {
            "accelerometer": specific,
            "object_position": to_space(part(states, "object")),
            "object_velocity": to_space(part(states, "object_velocity")),
            "gap": contacts[:, :, 0],
            "contact_force": push,
            "object_force": to_space((push[..., None] * contacts[:, :, 1:]).sum(axis=1)),
            "wheel_force": self.per_link(rows[:, links:, 0], np.add),
            "wheel_slip": self.per_link(rows[:, links:, 1], np.maximum),
            "wheel_holds": self.per_link((abs(modes[:, links:-1]) != 1).astype(float), np.minimum),
            "object_slides": modes[:, -1].astype(float),
            "events": part(states, "events")[:, 0],
            "energy_kinetic": energy[:, 0],
            "energy_object": energy[:, 1],
        }

    def per_link(self, values: NDArray, join: np.ufunc) -> NDArray:
        """Reduce (samples, wheels) over the wheels of each link to (samples, links); NaN for links without wheels."""
        out = np.full((len(values), self.joints + 1), np.nan)
        for wheel, link in enumerate(self.scene.wheel_link):
            out[:, link] = np.where(np.isnan(out[:, link]), values[:, wheel], join(out[:, link], values[:, wheel]))
        return out


def push_scene(robot: PlanarRobot, world: PushingFloor) -> PushScene:
    """Return the kernel record of robot and floor."""
    chain = chain_of(robot)
    places = world.wheels.places(chain.mass.size, world.contact.link)
    links = np.array([link for link, _ in places], dtype=np.int64)
    return PushScene(
        levers(chain), chain.length.copy(), chain.center.copy(), float(world.object.radius), float(world.object.mass),
        float(world.object.friction * world.object.mass * STANDARD_GRAVITY), links,
        np.array([chain.length[link] * (0.5 + station) for link, station in places], dtype=float),
        np.array([world.wheels.limit(float(chain.mass[link])) for link, _ in places], dtype=float),
    )  # fmt: skip
