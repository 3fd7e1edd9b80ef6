"""Modules of a robot and of the thesis's list, and the network that Lookup() searches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hebi_twin.group import GROUPS
from hebi_twin.link import DirectLink, Link
from hebi_twin.simulated_modules import Module, ModuleBench
from hebi_twin.udp import UdpLink, UdpServer
from motor_bench.server_process import CannotBeSent, ServerProcess
from serpenoid.errors import Unsupported
from serpenoid.hardware.faults import Fault
from serpenoid.robots.base import Robot
from serpenoid.runtime.plants import SimulatedPlant
from serpenoid.simulation import Timing, plant_of

FAMILY = "SEA Snake"
# Page 13 of the thesis: the snake's modules from head to tail, and other modules switched on.
SNAKE_NAMES = (
    "SA002", "SA003", "SA007", "SA011", "SA013", "SA017", "SA021", "SA024", "SA025", "SA026", "SA027", "SA032", "SA036",
    "SA040", "SA042", "SA054",
)  # fmt: skip
OTHERS = (("spare", "X5_test"), *(("Snake Monster", name) for name in ("SA001", "SA055", "SA056", "SA057")))

_current: list[Link] = []


def module_names(count: int) -> tuple[str, ...]:
    """Return the names of a snake's modules, head first: those of the thesis, and further ones if it has more."""
    return (*SNAKE_NAMES, *(f"SA1{i:02d}" for i in range(count)))[:count]


def snake_modules(robot: Robot) -> list[Module]:
    """Return a module for every joint, in one chain. (The thesis prints one hardware address for all; here they
    differ.)
    """
    return [
        Module(name, FAMILY, f"00:1E:C0:F4:{j // 256:02X}:{j % 256:02X}", f"10.10.{10 + j // 200}.{10 + j % 200}", j)
        for j, name in enumerate(module_names(robot.joints))
    ]


def other_modules() -> list[Module]:
    """Return the modules of page 13 that are not part of the snake, each on its own."""
    return [
        Module(name, family, f"8B:05:84:48:BE:{k:02X}", f"10.10.10.{240 + k}", None, 1 + k)
        for k, (family, name) in enumerate(OTHERS)
    ]


def bench_of(
    robot: Robot, world: Any, faults: Sequence[Fault] = (), seed: int = 0, step: float = 0.001, period: float = 0.01,
    engine: str | None = None,
) -> ModuleBench:  # fmt: skip
    """Create a bench of modules from a simulated snake."""
    return bench_behind(plant_of(robot, world, Timing(period, step, period, period), engine), faults, seed)


def bench_behind(plant: SimulatedPlant, faults: Sequence[Fault], seed: int) -> ModuleBench:
    """Create modules from a simulated plant; unrelated modules of page 13 are added."""
    return ModuleBench(plant, [*snake_modules(plant.robot), *other_modules()], faults, seed)


def link_of(bench: ModuleBench, realtime: bool) -> Link:
    """Return the link to a bench: in this process at full speed, or in real time over loopback UDP.

    In real time the modules run in a separate process if it knows the classes of robot and world. Classes of a
    notebook or a script are known only here, so their modules share this process.
    """
    if not realtime:
        return DirectLink(bench)
    try:
        return UdpLink(ServerProcess(bench, UdpServer))
    except CannotBeSent:
        return UdpLink(UdpServer(bench))


def use(link: Link) -> None:
    """Set the network that Lookup() searches."""
    _current[:] = [link]


def current_link() -> Link:
    """Return the network that Lookup() searches: the one of use(), or else a SEA snake on a floor, in real time."""
    if not _current:
        from serpenoid.robots import SeaSnake
        from serpenoid.worlds import Floor

        try:
            use(link_of(bench_of(SeaSnake(), Floor()), realtime=True))
        except Unsupported as error:
            raise Unsupported(f"no modules to find: {error}") from None
    return _current[0]


def clear_all_groups() -> None:
    """Release all groups, as hebi.util does."""
    for group in list(GROUPS):
        group.close()
