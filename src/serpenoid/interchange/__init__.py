"""Exchange of runs with other tools: MCAP and bags of ROS 2, CSV, parquet."""

from serpenoid.interchange.exporting import export_run
from serpenoid.interchange.importing import import_run

__all__ = ["export_run", "import_run"]
