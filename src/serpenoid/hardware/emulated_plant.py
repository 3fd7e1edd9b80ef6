"""The twin as a plant: a simulated robot behind modules, in this process or behind a network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from hebi_twin import Fault, GroupCommand, Lookup, link_of
from hebi_twin.network import FAMILY, bench_behind, module_names
from hebi_twin.udp import UdpLink
from serpenoid.configuration import above, at_least, between, check_fields
from serpenoid.control.base import Command, Observation
from serpenoid.engines.base import Initial, Variable
from serpenoid.errors import Unsupported, require
from serpenoid.hardware.clock import RealClock
from serpenoid.hardware.joint_map import JointMap
from serpenoid.hardware.module_network import Network
from serpenoid.hardware.module_plant import HebiPlant
from serpenoid.hardware.safety import Safety
from serpenoid.robots.base import Robot
from serpenoid.runtime.events import Event
from serpenoid.simulation import Timing, plant_of

SELDOM = 1000  # periods between samples of a simulation whose samples nobody asks for
BACK = 0.9  # share of the greatest rate at which a joint goes back to where the law wants it


class TwinNetwork(Network):
    """A bench and the way to it, which end together."""

    def __init__(self, group: Any, lookup: Lookup, bench: Any):
        self.link = lookup.link
        clock = RealClock() if isinstance(self.link, UdpLink) else self.link
        super().__init__(group, GroupCommand, clock, lookup, bench)

    def place(self, initial: Initial, rng: np.random.Generator) -> None:
        assert self.bench is not None
        if isinstance(self.link, UdpLink):
            self.link.server.place(initial, rng)
        else:
            self.bench.reset(initial, rng)

    @property
    def run_time(self) -> float:
        """Of the bench, since the robot was put where it started [s]."""
        assert self.bench is not None
        return self.link.server.run_time if isinstance(self.link, UdpLink) else self.bench.run_time

    def close(self) -> None:
        self.lookup.close()
        self.group.close()
        self.link.close()


class TwinPlant(HebiPlant):
    """The twin as fast as it goes: it also knows what the simulation behind it knows, sample by sample."""

    def forget(self) -> None:
        super().forget()
        self.by_hand = np.full(self.robot.joints, np.nan)  # angles that joints are led to instead of the law's [rad]
        self.returning = np.zeros(self.robot.joints, dtype=bool)  # joints that the law has not got back yet

    def step(self, command: Command) -> Observation:
        return super().step(self.with_hand(command))

    def lead(self, joint: int, angle: float | None) -> None:
        """Lead one joint to an angle [rad], softly, instead of the law; None gives it back."""
        reach = float(self.safety.angles(self.robot)[joint])
        require(angle is None or abs(angle) <= reach, "angle", angle, f"within +-{reach:.4g} rad")
        self.returning[joint] = angle is None and not np.isnan(self.by_hand[joint])
        self.by_hand[joint] = np.nan if angle is None else angle

    def with_hand(self, command: Command) -> Command:
        """The law's command, but for joints that are led by hand or on their way back."""
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
        """A push, or another field of robot or world, of the simulation behind the modules."""
        self.simulated.apply(event)

    def variable_names(self) -> tuple[str, ...]:
        return self.simulated.variable_names()

    @property
    def simulated(self) -> Any:
        """The simulation behind the modules."""
        assert self.network.bench is not None
        return self.network.bench.plant

    def samples(self) -> tuple[NDArray, dict[str, Variable]]:
        """What the simulation recorded during the run, without soft start and stop."""
        assert self.network.bench is not None
        times, variables = self.simulated.samples()
        times = times - (self.began - self.network.bench.origin)
        kept = (times > -1e-9) & (times < self.time + 1e-9)
        trimmed = {name: each._replace(values=each.values[kept]) for name, each in variables.items()}
        return np.round(times[kept], 9), trimmed


@dataclass(frozen=True)
class TwinPhysics:
    """How the robot behind the modules is simulated."""

    step: Annotated[float, above(0.0, usual=(1e-4, 5e-3))] = 0.001
    """integration step [s]"""
    engine: str | None = None
    """which of the engines that can carry the robot through the world; none: the usual one"""
    seed: Annotated[int, between(0, 2**31 - 1, usual=(0, 100))] = 0
    """draws what faults leave to chance"""
    keep: Annotated[int | None, at_least(1, usual=(100, 10_000))] = None
    """how many samples are held; none: all"""

    def __post_init__(self) -> None:
        check_fields(self)


def twin(
    robot: Robot | None = None, world: Any = None, *, joints: JointMap | None = None, realtime: bool = False,
    faults: Sequence[Fault] = (), period: float = 0.01, safety: Safety | None = None,
    physics: TwinPhysics | None = None,
) -> HebiPlant:  # fmt: skip
    """A simulated robot as a group of modules: as fast as it goes, or in real time over loopback UDP.

    `joints` says which module is which joint; `faults` are to order. The rest is as for real modules.
    """
    from serpenoid.robots import SeaSnake
    from serpenoid.worlds import Floor

    robot, safety, physics = robot or SeaSnake(), safety or Safety(), physics or TwinPhysics()
    joints = joints or JointMap.plain(FAMILY, module_names(robot.joints), robot.joints)
    sampled = SELDOM * period if realtime else period  # as of real modules, feedback is all that is recorded
    timing = Timing(period, physics.step, period, sampled)
    plant = plant_of(robot, world or Floor(), timing, physics.engine, 1 if realtime else physics.keep)
    bench = bench_behind(plant, faults, physics.seed)
    link = link_of(bench, realtime)
    lookup = Lookup(link=link)
    group = lookup.get_group_from_names([joints.family], list(joints.names))
    if group is None:
        link.close()
        raise Unsupported(f"no group of {', '.join(joints.names)} of family {joints.family} on the twin")
    group.command_lifetime = round(1e3 * safety.lifetime)
    kind = HebiPlant if realtime else TwinPlant
    try:
        found = kind(TwinNetwork(group, lookup, bench), robot, joints, period, safety)
    except Exception:
        link.close()
        raise
    found.keep = physics.keep
    return found
