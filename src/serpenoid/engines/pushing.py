"""The planar engine with an object on the floor: contacts made, kept and lost, wheels that hold or slip."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.base import Command, Observation
from serpenoid.engines.base import Initial, Log, Variable
from serpenoid.engines.following import held
from serpenoid.engines.planar import PlanarEngine
from serpenoid.engines.planar_record import lifted, planar_variables
from serpenoid.errors import SimulationDiverged, Unsupported, require
from serpenoid.kernels.planar.chain import planar_model
from serpenoid.kernels.push.constraints import levers
from serpenoid.kernels.push.records import PushScene
from serpenoid.kernels.push.samples import push_quantities
from serpenoid.kernels.push.step import begin_mode, push_rollout
from serpenoid.kernels.records import Actuation, Motion
from serpenoid.robots.drives import PD
from serpenoid.worlds.free import FreeSpace
from serpenoid.worlds.pushing import GRAVITY, PushingFloor, chain_of

ACCOUNTS = (
    ("work_drive", "work of the joint torques so far"),
    ("loss_joints", "energy lost in the joints' viscous friction so far"),
    ("loss_wheels", "energy lost under slipping wheels so far"),
    ("loss_ground", "energy lost under the sliding object so far"),
    ("loss_impacts", "energy lost in impacts so far"),
)


class PushingEngine(PlanarEngine):
    """Carries a planar chain over a floor with an object on it."""

    name: ClassVar[str] = "pushing"

    def __init__(self, robot: Any, world: PushingFloor, step: float):
        if not isinstance(robot.drive, PD):
            raise Unsupported("a push needs joints that are driven by torques: robot.drive pd, not prescribed")
        super(PlanarEngine, self).__init__(robot, world, step)
        chain = chain_of(robot)
        self.model = planar_model(chain, FreeSpace().medium_record(chain))
        self.joints, self.driven = robot.joints, True
        self.scene = push_scene(robot, world)
        self.chain_size = 2 * (self.joints + 3)
        self.modes = self.joints + 1 + self.scene.wheel_link.size + 1

    def initial(self, given: Initial, motion: Motion | None) -> NDArray:
        chain = super().initial(given, motion)
        state = np.zeros(self.chain_size + 11 + self.modes + 1)
        state[: self.chain_size] = chain
        state[self.chain_size : self.chain_size + 2] = self.object_start(chain)
        return state

    def object_start(self, chain: NDArray) -> NDArray:
        """Where the object's centre lies: beside the contact point, at the gap that the world asks for."""
        contact, length = self.world.contact, self.scene.length
        require(contact.link < length.size, "world.contact.link", contact.link, f"a link from 0 to {self.joints}")
        angle = np.cumsum(chain[2 : self.joints + 3])
        lever = self.scene.levers.joint[contact.link].copy()
        lever[contact.link] += length[contact.link] * (0.5 + contact.point)
        point = chain[:2] + np.array([np.cos(angle), np.sin(angle)]) @ lever
        side = 1.0 if contact.side == "left" else -1.0
        normal = side * np.array([-np.sin(angle[contact.link]), np.cos(angle[contact.link])])
        center = point + normal * (self.scene.radius + self.world.gap)
        self.refuse_overlap(chain, angle, center)
        return center

    def refuse_overlap(self, chain: NDArray, angle: NDArray, center: NDArray) -> None:
        """The object must not lie in a link at the start."""
        along = np.stack([np.cos(angle), np.sin(angle)], axis=1)  # (links, 2)
        front = chain[:2] + self.scene.levers.joint @ along
        foot = np.clip(((center - front) * along).sum(axis=1), 0.0, self.scene.length)
        depth = self.scene.radius - np.linalg.norm(center - front - foot[:, None] * along, axis=1)
        link = int(np.argmax(depth))
        allowed = f"such that no link lies in the object: link {link} is {depth[link]:.3g} m deep in it at the start"
        require(depth[link] <= 1e-9, "joint_position", tuple(chain[3 : self.joints + 3].tolist()), allowed)

    def observe(self, first: int, state: NDArray, command: Command) -> Observation:
        time = first * self.step
        batch = Command(*(np.asarray(part, dtype=float)[None] for part in command))
        seen = self.variables(Log(np.array([time]), state[None], batch))
        gyroscope = np.zeros((self.joints + 1, 3))
        gyroscope[:, 2] = np.cumsum(state[self.joints + 5 : self.chain_size])
        return Observation(
            time, seen["joint_position"].values[0], seen["joint_velocity"].values[0], seen["joint_torque"].values[0],
            seen["base_pose"].values[0], seen["base_twist"].values[0], seen["accelerometer"].values[0], gyroscope,
        )  # fmt: skip

    def advance(self, first: int, state: NDArray, command: Command, steps: int) -> NDArray:
        leading = held(self.robot.drive.record(self.joints), command)
        states, diverged = push_rollout(self.scene, leading, state, first, self.step, steps, steps)
        if diverged >= 0:
            raise SimulationDiverged(diverged * self.step, state)
        return states[-1]

    def rollout(self, first: int, state: NDArray, motion: Motion, steps: int, every: int) -> NDArray:
        leading = Actuation(motion, self.robot.drive.record(self.joints), np.zeros(self.joints))
        return push_rollout(self.scene, leading, state, first, self.step, steps, every)[0]

    def variables(self, log: Log) -> dict[str, Variable]:
        torques = self.torques(Log(log.times, log.states[:, : self.chain_size], log.commands))
        states = np.array(log.states)  # a sample shows the torques from then on, its state the modes until then
        for state, torque in zip(states, torques):
            begin_mode(self.scene, torque, state)
        found = planar_variables(self.model, np.ascontiguousarray(states[:, : self.chain_size]), torques)
        for name in ("power_medium", "power_damping", "energy_added"):
            del found[name]
        return found | self.push_variables(states, torques)

    def push_variables(self, states: NDArray, torques: NDArray) -> dict[str, Variable]:
        """What the object, the contact and the wheels add to the trajectory."""
        size, links = self.chain_size, self.joints + 1
        rows, contacts, energy, specific, modes = push_quantities(self.scene, self.model, states, torques)
        accounts = states[:, size + 4 : size + 9]
        holds = self.per_link((modes[:, links:-1] == 0).astype(float), np.minimum)
        push = rows[:, :links, 0]
        total = (push[..., None] * contacts[:, :, 1:]).sum(axis=1)
        time, link = ("time",), ("time", "link")
        found = {
            "accelerometer": Variable((*link, "axis"), specific, "m/s^2", "specific force at each link's middle"),
            "object_position": Variable(("time", "axis"), lifted(states[:, size : size + 2]), "m", "object's centre"),
            "object_velocity": Variable(("time", "axis"), lifted(states[:, size + 2 : size + 4]), "m/s", "velocity"),
            "gap": Variable(link, contacts[:, :, 0], "m", "distance between each link and the object"),
            "contact_force": Variable(link, push, "N", "normal force of each link on the object"),
            "object_force": Variable(("time", "axis"), lifted(total), "N", "force of the robot on it"),
            "wheel_force": Variable(link, self.per_link(rows[:, links:, 0], np.add), "N", "to the right of the link"),
            "wheel_slip": Variable(link, self.per_link(rows[:, links:, 1], np.maximum), "m/s", "to the right"),
            "wheel_holds": Variable(link, holds, "", "1 where every wheel of a link holds, 0 where one slips, or NaN"),
            "object_slides": Variable(time, modes[:, -1].astype(float), "", "0 while the ground holds the object"),
            "events": Variable(time, states[:, -1], "", "changes of contact and wheels so far"),
            "energy_kinetic": Variable(time, energy[:, 0], "J", "kinetic energy of the robot"),
            "energy_object": Variable(time, energy[:, 1], "J", "kinetic energy of the object"),
            "energy_dissipated": Variable(time, accounts[:, 1:].sum(axis=1), "J", "all losses so far"),
        }
        for i, (name, meaning) in enumerate(ACCOUNTS):
            found[name] = Variable(time, accounts[:, i], "J", meaning)
        return found

    def per_link(self, values: NDArray, join: np.ufunc) -> NDArray:
        """(samples, wheels) joined over the wheels of each link, (samples, links); NaN where a link has none."""
        out = np.full((len(values), self.joints + 1), np.nan)
        for wheel, link in enumerate(self.scene.wheel_link):
            out[:, link] = np.where(np.isnan(out[:, link]), values[:, wheel], join(out[:, link], values[:, wheel]))
        return out


def push_scene(robot: Any, world: PushingFloor) -> PushScene:
    """Robot and floor as the record that kernels take."""
    chain = chain_of(robot)
    places = world.wheels.places(chain.mass.size, world.contact.link)
    links = np.array([link for link, _ in places], dtype=np.int64)
    return PushScene(
        levers(chain), chain.length.copy(), float(world.object.radius), float(world.object.mass),
        float(world.object.friction * world.object.mass * GRAVITY), links,
        np.array([chain.length[link] * (0.5 + station) for link, station in places], dtype=float),
        np.array([world.wheels.limit(float(chain.mass[link])) for link, _ in places], dtype=float),
    )  # fmt: skip
