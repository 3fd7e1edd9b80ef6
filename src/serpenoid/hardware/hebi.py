"""HEBI modules on the network, through hebi-py."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import redirect_stdout
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any

from serpenoid.errors import Unsupported
from serpenoid.hardware.clock import RealClock
from serpenoid.hardware.hebi_bus import HebiBus
from serpenoid.hardware.joint_map import JointMap
from serpenoid.hardware.motor_plant import MotorPlant
from serpenoid.hardware.safety import Safety
from serpenoid.robots.base import Robot

INSTALL = "hebi-py is not installed: pip install 'serpenoid[hebi]'; the emulator works without it"


def hebi_py() -> Any:
    """Import the vendor's library; its output while loading is suppressed."""
    try:
        with redirect_stdout(StringIO()):
            return import_module("hebi")
    except ImportError:
        raise Unsupported(INSTALL) from None


def hebi(
    names: Sequence[str] | None = None, family: str = "*", robot: Robot | None = None, *, map: str | Path | None = None,
    period: float = 0.01, safety: Safety | None = None,
) -> MotorPlant:  # fmt: skip
    """Connect to real modules by name and family, head first, or by a map (TOML); `period` [s] is that of commands.

    with sp.hardware.hebi(names=..., family="SEA Snake", robot=sp.robots.SeaSnake()) as plant:
        run = sp.run_loop(plant, controller, 60.0)
    """
    from serpenoid.robots import SeaSnake

    theirs = hebi_py()
    robot = robot or SeaSnake()
    joints, safety = JointMap.chosen(robot, family, names, map), safety or Safety()
    lookup = theirs.Lookup()
    RealClock().sleep(1.0)  # a lookup takes time to discover all modules
    group = lookup.get_group_from_names([joints.family], list(joints.names))
    if group is None:
        raise Unsupported(f"no group of {', '.join(joints.names)} of family {joints.family} on the network")
    group.command_lifetime = round(1e3 * safety.lifetime)
    return MotorPlant(HebiBus(group, theirs.GroupCommand, RealClock(), lookup), robot, joints, period, safety)
