"""Emulator as a plant: a simulated robot behind modules, in this process or behind a network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hebi_twin.lookup import Lookup
from hebi_twin.messages import GroupCommand
from hebi_twin.network import FAMILY, bench_behind, link_of, module_names, other_modules, snake_modules
from hebi_twin.simulated_modules import ModuleBench
from hebi_twin.udp import UdpLink
from motor_bench.plant import BenchPlant
from serpenoid.engines.base import Initial
from serpenoid.errors import Unsupported
from serpenoid.hardware.clock import RealClock
from serpenoid.hardware.emulator import ModuleAddress, TwinPhysics, simulation_of
from serpenoid.hardware.faults import Fault
from serpenoid.hardware.hebi_bus import HebiBus
from serpenoid.hardware.joint_map import JointMap
from serpenoid.hardware.motor_plant import MotorPlant
from serpenoid.hardware.safety import Safety
from serpenoid.robots.base import Robot


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
    simulated, safety, physics = simulation_of(robot, world, realtime, period, safety, physics)
    robot = simulated.robot
    joints = joints or joint_map(robot)
    bench = bench_behind(simulated, faults, physics.seed)
    link = link_of(bench, realtime)
    lookup = Lookup(link=link)
    group = lookup.get_group_from_names([joints.family], list(joints.names))
    if group is None:
        link.close()
        raise Unsupported(f"no group of {', '.join(joints.names)} of family {joints.family} on the emulator")
    group.command_lifetime = round(1e3 * safety.lifetime)
    kind = MotorPlant if realtime else BenchPlant
    try:
        found = kind(TwinBus(group, lookup, bench), robot, joints, period, safety)
    except Exception:
        link.close()
        raise
    found.keep = physics.keep
    return found
