"""Emulator of HEBI modules behind hebi-py's own names: `import hebi_twin as hebi` in place of hebi."""

from hebi_twin import trajectory, util
from hebi_twin.group import Group
from hebi_twin.leds import Color
from hebi_twin.log import LogFile
from hebi_twin.lookup import Lookup
from hebi_twin.messages import GroupCommand, GroupFeedback, GroupInfo
from hebi_twin.network import bench_of, link_of, use
from hebi_twin.simulated_modules import Module, ModuleBench
from serpenoid.hardware.faults import Fault

__all__ = [
    "Color", "Fault", "Group", "GroupCommand", "GroupFeedback", "GroupInfo", "LogFile", "Lookup", "Module",
    "ModuleBench", "bench_of", "link_of", "trajectory", "use", "util",
]  # fmt: skip
