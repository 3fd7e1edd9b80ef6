"""Import of files from other tools as runs. Each is untrusted: bounded before it is read, and checked whole."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

from serpenoid.errors import FileProblem, InvalidValue
from serpenoid.interchange.bags import ENDINGS, open_bag
from serpenoid.interchange.joint_states import read_joint_states
from serpenoid.interchange.read_tables import read_parquet, read_table
from serpenoid.interchange.restore import restored
from serpenoid.trajectory import Trajectory

TABLES = {".csv": read_table, ".parquet": read_parquet}


def import_run(path: str | Path, topic: str | None = None, joints: Mapping[str, str] | None = None) -> Trajectory:
    """Return the run in a file or bag: an export of ours without loss, else the joint states of a topic.

    `joints` maps the chosen joints of the topic to their names in the run, in the order of the robot's joints.
    """
    source = Path(path)
    reader = TABLES.get(source.suffix.lower())
    if not source.exists():
        raise FileProblem(source, "no such file or folder")
    if (source / "zarr.json").exists():
        raise FileProblem(source, "is a recording already")
    if reader is None and not source.is_dir() and source.suffix.lower() not in ENDINGS:
        raise FileProblem(source, f"must end in {', '.join([*ENDINGS, *TABLES])}, or be the folder of a bag")
    if reader is not None:
        if topic or joints:
            raise InvalidValue(
                "topic" if topic else "joints", topic or joints, "left out for a table, which has no topics"
            )
        return checked(source, reader(source))
    bag = open_bag(source)
    if bag.head is not None and topic is None and not joints:
        return checked(source, restored(bag, bag.head))
    return checked(source, read_joint_states(bag, topic, joints or {}))


def checked(source: Path, run: Trajectory) -> Trajectory:
    """Return the run as it will be loaded again; raise FileProblem for what no recording may contain."""
    with tempfile.TemporaryDirectory(prefix="serpenoid-") as folder:
        try:
            return Trajectory.load(run.save(Path(folder) / "run.zarr"))
        except FileProblem as error:
            raise FileProblem(source, error.problem) from None
