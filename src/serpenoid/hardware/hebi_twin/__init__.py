"""A twin of HEBI modules behind hebi-py's own names: `import serpenoid.hardware.hebi_twin as hebi` in place of hebi."""

from serpenoid.hardware.hebi_twin import trajectory, util
from serpenoid.hardware.hebi_twin.bench import Module, ModuleBench
from serpenoid.hardware.hebi_twin.faults import Fault
from serpenoid.hardware.hebi_twin.group import Group
from serpenoid.hardware.hebi_twin.leds import Color
from serpenoid.hardware.hebi_twin.log import LogFile
from serpenoid.hardware.hebi_twin.lookup import Lookup
from serpenoid.hardware.hebi_twin.messages import GroupCommand, GroupFeedback, GroupInfo
from serpenoid.hardware.hebi_twin.network import bench_of, link_of, use

__all__ = [
    "Color", "Fault", "Group", "GroupCommand", "GroupFeedback", "GroupInfo", "LogFile", "Lookup", "Module",
    "ModuleBench", "bench_of", "link_of", "trajectory", "use", "util",
]  # fmt: skip
