"""Exchange of runs with other tools: MCAP and ROS 2 bags, CSV, parquet."""

from serpenoid.interchange.exporting import export_run
from serpenoid.interchange.importing import import_run

__all__ = ["export_run", "import_run"]
