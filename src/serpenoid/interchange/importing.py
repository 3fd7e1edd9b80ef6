"""Import of files from other tools as runs. Each is untrusted: bounded before it is read, and checked whole."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from serpenoid.errors import FileProblem, InvalidValue
from serpenoid.interchange.bags import ENDINGS, open_bag
from serpenoid.interchange.joint_states import read_joint_states
from serpenoid.interchange.read_tables import read_parquet, read_table
from serpenoid.interchange.restore import restore_run
from serpenoid.support.recording_checks import SIZES, check_times, known_dimensions
from serpenoid.trajectory import LARGEST_VALUE, Trajectory, check_named

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
                "topic" if topic else "joints", topic or joints, "omitted for a table, which has no topics"
            )
        return check_run(source, reader(source))
    bag = open_bag(source)
    if bag.head is not None and topic is None and not joints:
        return check_run(source, restore_run(bag, bag.head))
    return check_run(source, read_joint_states(bag, topic, joints or {}))


def check_run(source: Path, run: Trajectory) -> Trajectory:
    """Return the run; raise FileProblem for content that recordings cannot have."""
    try:
        check_named(run.configuration)
    except (ValueError, TypeError, RecursionError) as error:
        raise FileProblem(source, f"is damaged: configuration ({type(error).__name__})") from None
    check_times(source, run.times, run.ticks)
    sizes = {dim: len(names) for dim, names in run.labels.items()} | SIZES
    sizes |= {"time": run.times.size, "tick": run.ticks.size}
    for name, (dims, values, *_) in run.variables.items():
        known = known_dimensions(name)
        if known and (tuple(dims) not in known or values.dtype != float):
            raise FileProblem(source, f"is damaged: {name} is {values.dtype} over {', '.join(dims)}")
        if any(size != sizes.setdefault(dim, size) for dim, size in zip(dims, values.shape)):
            raise FileProblem(source, f"is damaged: {name} has the shape {values.shape} over {', '.join(dims)}")
        if (np.isfinite(values) & (np.abs(values) > LARGEST_VALUE)).any():
            raise FileProblem(source, f"is damaged: {name} has values beyond {LARGEST_VALUE:g}")
    return run
