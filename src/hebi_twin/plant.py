"""Emulator as a plant: a simulated robot behind modules, in this process or behind a network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hebi_twin.lookup import Lookup
from hebi_twin.messages import GroupCommand
from hebi_twin.network import FAMILY, bench_behind, link_of, module_names, other_modules, snake_modules
from hebi_twin.simulated_modules import ModuleBench
from hebi_twin.udp import UdpLink
from serpenoid.control.base import Command, Observation
from serpenoid.engines.base import Initial
from serpenoid.errors import Unsupported, require
from serpenoid.hardware.clock import RealClock
from serpenoid.hardware.emulator import EmulatedPlant, ModuleAddress, TwinPhysics
from serpenoid.hardware.faults import Fault
from serpenoid.hardware.hebi_bus import HebiBus
from serpenoid.hardware.joint_map import JointMap
from serpenoid.hardware.motor_plant import MotorPlant
from serpenoid.hardware.safety import Safety
from serpenoid.robots.base import Robot
from serpenoid.runtime.events import Event
from serpenoid.runtime.plants import SimulatedPlant
from serpenoid.simulation import Timing, plant_of

SELDOM = 1000  # periods between samples of a simulation whose samples are not used
BACK = 0.9  # fraction of the largest rate at which a joint returns to the law's target


class TwinBus(HebiBus):
    """A bench and the link to it, which are closed together."""

    def __init__(self, group: Any, lookup: Lookup, bench: ModuleBench):
        self.link, self.bench = lookup.link, bench
        clock = RealClock() if isinstance(self.link, UdpLink) else self.link
        super().__init__(group, GroupCommand, clock, lookup)

    def place(self, initial: Initial, rng: np.random.Generator) -> None:
        if isinstance(self.link, UdpLink):
            self.link.server.place(initial, rng)
        else:
            self.bench.reset(initial, rng)

    @property
    def run_time(self) -> float:
        """Return the time of the bench since the robot was placed at its start [s]."""
        return self.link.server.run_time if isinstance(self.link, UdpLink) else self.bench.run_time

    def close(self) -> None:
        self.lookup.close()
        self.group.close()
        self.link.close()


class TwinPlant(EmulatedPlant):
    """The emulator at full speed, with access to the simulation behind it, sample by sample."""

    bus: TwinBus

    def forget(self) -> None:
        super().forget()
        self.by_hand = np.full(self.robot.joints, np.nan)  # angles that replace the law's [rad]
        self.returning = np.zeros(self.robot.joints, dtype=bool)  # joints that still return to the law

    def step(self, command: Command) -> Observation:
        return super().step(self.with_hand(command))

    def lead(self, joint: int, angle: float | None) -> None:
        """Move one joint smoothly to an angle [rad] that replaces the law's; None returns it to the law."""
        reach = float(self.safety.angles(self.robot)[joint])
        require(angle is None or abs(angle) <= reach, "angle", angle, f"within +-{reach:.4g} rad")
        self.returning[joint] = angle is None and not np.isnan(self.by_hand[joint])
        self.by_hand[joint] = np.nan if angle is None else angle

    def with_hand(self, command: Command) -> Command:
        """Return the law's command, except for joints that are moved by hand or are returning."""
        held = self.returning | ~np.isnan(self.by_hand)
        if self.sent is None or not held.any():
            return command
        wanted = np.where(np.isnan(self.by_hand), command.position, self.by_hand)
        most = self.period * np.where(self.returning, BACK * self.safety.most_speed, self.safety.start_rate)
        step = np.clip(wanted - self.sent.position, -most, most)
        self.returning &= np.abs(wanted - self.sent.position) > most
        return command._replace(
            position=np.where(held, self.sent.position + step, command.position),
            velocity=np.where(held & ~np.isnan(command.velocity), 0.0, command.velocity),
        )

    def apply(self, event: Event) -> None:
        """Apply a push, or a changed field of robot or world, to the simulation behind the modules."""
        self.simulated.apply(event)

    def variable_names(self) -> tuple[str, ...]:
        return self.simulated.variable_names()

    @property
    def simulated(self) -> SimulatedPlant:
        """Simulation behind the modules."""
        return self.bus.bench.plant

    def samples(self) -> tuple[NDArray, dict[str, NDArray]]:
        """Return the samples of the run, without soft start and stop."""
        times, variables = self.simulated.samples()
        times = times - (self.began - self.bus.bench.origin)
        kept = (times > -1e-9) & (times < self.time + 1e-9)
        trimmed = {name: values[kept] for name, values in variables.items()}
        return np.round(times[kept], 9), trimmed


def modules() -> list[ModuleAddress]:
    """List the modules of an 18-module snake and those beside it, without a simulation."""
    from serpenoid.robots import SeaSnake

    return [ModuleAddress(m.family, m.name, m.mac, m.address) for m in (*snake_modules(SeaSnake()), *other_modules())]


def joint_map(robot: Robot) -> JointMap:
    """Assign a module to each joint, head first."""
    return JointMap.plain(FAMILY, module_names(robot.joints), robot.joints)


def plant(
    robot: Robot | None, world: Any, joints: JointMap | None, realtime: bool, faults: Sequence[Fault], period: float,
    safety: Safety | None, physics: TwinPhysics | None,
) -> MotorPlant:  # fmt: skip
    """Return a simulated robot as a group of modules, in this process or in real time over loopback UDP."""
    from serpenoid.robots import SeaSnake
    from serpenoid.worlds import Floor

    robot, safety, physics = robot or SeaSnake(), safety or Safety(), physics or TwinPhysics()
    joints = joints or joint_map(robot)
    sampled = SELDOM * period if realtime else period  # as with real modules, only feedback is recorded
    timing = Timing(period, physics.step, period, sampled)
    simulated = plant_of(robot, world or Floor(), timing, physics.engine, 1 if realtime else physics.keep)
    bench = bench_behind(simulated, faults, physics.seed)
    link = link_of(bench, realtime)
    lookup = Lookup(link=link)
    group = lookup.get_group_from_names([joints.family], list(joints.names))
    if group is None:
        link.close()
        raise Unsupported(f"no group of {', '.join(joints.names)} of family {joints.family} on the emulator")
    group.command_lifetime = round(1e3 * safety.lifetime)
    kind = MotorPlant if realtime else TwinPlant
    try:
        found = kind(TwinBus(group, lookup, bench), robot, joints, period, safety)
    except Exception:
        link.close()
        raise
    found.keep = physics.keep
    return found
