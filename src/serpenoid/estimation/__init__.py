"""State estimation from a snake's own sensors: attitude, virtual chassis, heading."""

from serpenoid.estimation.attitude import ComplementaryFilter, pose_at_rest
from serpenoid.estimation.chassis import Chassis, chassis_frames, over_cycle, virtual_chassis
from serpenoid.estimation.readings import Readings, readings_of
from serpenoid.estimation.tables import read_csv

__all__ = [
    "Chassis", "ComplementaryFilter", "Readings", "chassis_frames", "over_cycle", "pose_at_rest", "read_csv",
    "readings_of", "virtual_chassis",
]  # fmt: skip
