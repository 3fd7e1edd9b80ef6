"""Command `serpenoid bench`: our code against the installed peers, interleaved in one run."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from serpenoid.cli import arguments
from serpenoid.cli.compile_progress import announced
from serpenoid.cli.printing import say, table
from serpenoid.errors import FileProblem, UnknownName
from serpenoid.support.output_paths import check_ending, check_file
from serpenoid.support.versions import PEERS, versions
from serpenoid_papers.benchmarks import base


@dataclass(frozen=True)
class Options:
    """Options of `bench`."""

    json: str | None = None
    """also write the rows, the machine and the versions to this file (.json)"""


def main(words: list[str]) -> int:
    """Measure our code against the installed peers."""
    title = f"serpenoid bench [TOPIC ...]: measure our code against its peers; topics: {', '.join(base.TOPICS)}"
    given = arguments.read_options(words, title, Options())
    if given is None:
        return 0
    topics, options = given
    for topic in topics:
        if topic not in base.TOPICS:
            raise UnknownName("topic", topic, base.TOPICS)
    if options.json:
        check_place(Path(options.json))
    with announced():
        rows = list(base.collect(topics or base.TOPICS))
    shown = [[row.name, row.ours_us, row.peer or "-", row.peer_us, row.ratio, row.target] for row in rows]
    say(table(shown, ["what", "ours [us]", "peer", "peer [us]", "ratio", "asked"]))
    if options.json:
        Path(options.json).write_text(json.dumps(document(rows), indent=2) + "\n")
    return 0


def check_place(path: Path) -> None:
    """Refuse a file that cannot be written, or that holds anything but earlier rows."""
    check_ending("json", path, (".json",))
    check_file(path)
    if not path.is_file():
        return
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        held = None
    if not (isinstance(held, dict) and {"rows", "machine"} <= held.keys()):
        raise FileProblem(path, "must be a new file or one with rows of bench; choose another --json")


def document(rows: list[base.Row]) -> dict[str, object]:
    """Return the rows with machine and versions; values without a peer are null."""
    plain = [
        {
            "name": row.name, "ours_us": row.ours_us, "peer": row.peer or None,
            "peer_us": row.peer_us if row.peer else None, "ratio": row.ratio if row.peer else None, "asked": row.target,
        }
        for row in rows
    ]  # fmt: skip
    return {"rows": plain, "machine": base.machine(), "versions": versions(also=PEERS)}
