"""Emulator of HEBI modules behind hebi-py's own names: `import hebi_twin as hebi` in place of hebi.

Not implemented, compared with hebi-py 2.15.0:
- modules: pins (io, debug), persistent settings (name, family, boot, reset, reference_position, ...), commanded forces
  and motor currents, safety parameter files
- functions: create_mobile_io, create_keyboard_io, create_imitation_group, arm, robot_model, config, version,
  alpha_blend
- trajectories: rescale_with_limits, get_max_velocity, get_max_acceleration, get_min_max_position,
  estimate_segment_times, create_jerkazoidal_trajectory
"""

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
