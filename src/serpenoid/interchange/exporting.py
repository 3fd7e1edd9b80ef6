"""Export of a run to a file that other tools open."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from serpenoid.errors import FileProblem, InvalidValue
from serpenoid.interchange import mcap_file, scene_topics, tables
from serpenoid.interchange.head import NAME, head_of, nanoseconds
from serpenoid.interchange.topics import Topic, clock_of, topics_of
from serpenoid.support.output_paths import check_ending, check_file, complete_file
from serpenoid.trajectory import Trajectory

ENDINGS = (".mcap", ".csv", ".parquet")
Progress = Callable[[float], Any]


def export_run(run: Trajectory, path: str | Path, replace: bool = False, progress: Progress | None = None) -> list[str]:
    """Write a run to an MCAP, CSV or parquet file; return remarks on parts that viewers do not show.

    The file appears when it is complete. An existing file is kept unless `replace` is true.
    """
    target = Path(path)
    check_target(target, replace)
    if not run.times.size:
        raise InvalidValue("run", run, "a trajectory with samples")
    writers = {".mcap": write_mcap, ".csv": tables.write_csv, ".parquet": tables.write_parquet}
    with complete_file(target) as file:
        return writers[target.suffix.lower()](run, file, progress) or []


def check_target(target: Path, replace: bool) -> None:
    """Raise FileProblem for a path that must not be written, and Unsupported without the library it needs."""
    check_ending(None, target, ENDINGS)
    check_file(target)
    if target.exists() and not replace:
        raise FileProblem(target, "exists; choose another name, or add --overwrite true")
    if target.suffix.lower() == ".mcap":
        mcap_file.library("writer")
    elif target.suffix.lower() == ".parquet":
        tables.pyarrow()


def write_mcap(run: Trajectory, path: Path, progress: Progress | None = None) -> list[str]:
    """Write a run as ROS 2 messages; return remarks."""
    scene, problem = scene_topics.scene_for(run)
    head = head_of(run, scene_topics.frames_for(scene))
    stamps = {clock: nanoseconds(clock, run[clock]) for clock in run.axes()}
    clocks = {clock: clock_of(stamp) for clock, stamp in stamps.items()}
    topics = topics_of(head, {name: run[name] for name in head.rows}, clocks)
    topics += scene_topics.wrench_topics(run, clocks["time"])
    markers: list[Topic] = [] if scene is None else scene_topics.marker_topics(run, scene)
    qualities = {topic.name: scene_topics.LATCHED for topic in markers}
    every = {**stamps, "once": np.array([min(int(stamp[0]) for stamp in stamps.values())])}
    mcap_file.write_mcap(path, [*topics, *markers], every, {NAME: head.text()}, qualities, progress)
    return [f"no bodies and no world: {problem}"] if problem else []
