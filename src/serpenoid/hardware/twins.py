"""The twin as a plant: a simulated robot behind modules, in this process or behind a network."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from serpenoid.engines.base import Initial
from serpenoid.errors import Unsupported
from serpenoid.hardware.clock import RealClock
from serpenoid.hardware.hebi import HebiPlant, Network, TwinPlant
from serpenoid.hardware.hebi_twin import Fault, GroupCommand, Lookup, bench_of, link_of
from serpenoid.hardware.hebi_twin.network import FAMILY, module_names
from serpenoid.hardware.hebi_twin.udp import UdpLink
from serpenoid.hardware.joint_map import JointMap
from serpenoid.hardware.safety import Safety


class TwinNetwork(Network):
    """A bench and the way to it, which end together."""

    def __init__(self, group: Any, lookup: Lookup, bench: Any):
        self.link = lookup.link
        clock = RealClock() if isinstance(self.link, UdpLink) else self.link
        super().__init__(group, GroupCommand, clock, lookup, bench)

    def place(self, initial: Initial, rng: np.random.Generator) -> None:
        assert self.bench is not None
        with self.link.server.lock if isinstance(self.link, UdpLink) else nullcontext():
            self.bench.reset(initial, rng)

    def close(self) -> None:
        self.lookup.close()
        self.group.close()
        self.link.close()


def twin(
    robot: Any = None, world: Any = None, *, names: Sequence[str] | None = None, family: str = FAMILY,
    map: str | Path | None = None, realtime: bool = False, faults: Sequence[Fault] = (), seed: int = 0,
    step: float = 0.001, period: float = 0.01, lifetime: float = 0.25, safety: Safety | None = None,
    engine: str | None = None,
) -> HebiPlant:  # fmt: skip
    """A simulated robot as a group of modules: as fast as it goes, or in real time over loopback UDP.

    `faults` are to order; `seed` draws what they leave to chance. The rest is as for real modules.
    """
    from serpenoid.robots import SeaSnake
    from serpenoid.worlds import Floor

    robot = robot or SeaSnake()
    joints = JointMap.read(Path(map), robot) if map is not None else JointMap.plain(
        family, tuple(names or module_names(robot.joints)), robot.joints
    )  # fmt: skip
    bench = bench_of(robot, world or Floor(), faults, seed, step, period, engine)
    link = link_of(bench, realtime)
    lookup = Lookup(link=link)
    group = lookup.get_group_from_names([joints.family], list(joints.names))
    if group is None:
        link.close()
        raise Unsupported(f"no group of {', '.join(joints.names)} of family {joints.family} on the twin")
    group.command_lifetime = round(1e3 * lifetime)
    kind = HebiPlant if realtime else TwinPlant
    try:
        return kind(TwinNetwork(group, lookup, bench), robot, joints, period, safety)
    except Exception:
        link.close()
        raise
