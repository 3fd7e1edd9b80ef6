"""Write access to the store of a sweep: one process at a time, for one configuration."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from serpenoid import configuration
from serpenoid.errors import FileProblem
from serpenoid.scenarios.base import Scenario
from serpenoid.support.output_paths import lock_path
from serpenoid.sweeps.plan import Plan
from serpenoid.sweeps.store import SweepLayout, Writer, create_store, writing

MOST_DIFFERENCES = 8


@contextmanager
def open_for_writing(path: Path, plan: Plan, attributes: dict[str, Any]) -> Iterator[Writer]:
    """Open the store of a plan, new or existing; raise if another process writes it or its plan differs."""
    refuse_foreign(path)
    with writing(path):
        path.mkdir(parents=True, exist_ok=True)
    with lock_path(path, "another sweep is writing to it; wait until it ends, or stop it"):
        remove_partial_files(path)
        if not (path / "zarr.json").exists():
            yield create_store(path, plan, attributes)
            return
        layout = SweepLayout.read(path)
        check_same(layout, plan)
        yield Writer(path, layout.attributes)


def refuse_foreign(path: Path) -> None:
    """Refuse a path that is a file, or a folder not created by a sweep."""
    try:
        path.stat()
        there = True
    except FileNotFoundError:
        there = False
    except (OSError, ValueError) as error:  # a name that is too long, or with a zero byte
        raise FileProblem(path, f"cannot be written ({getattr(error, 'strerror', None) or error})") from None
    if there and not path.is_dir():
        raise FileProblem(path, "exists and is a file; a sweep is a folder")
    if path.is_dir() and not (path / "zarr.json").exists():
        begun = (path / "chunks" / "zarr.json").exists()
        if not begun and any(entry.name != "chunks" for entry in path.iterdir()):
            raise FileProblem(path, "exists and is not a sweep; choose another name")


def check_same(layout: SweepLayout, plan: Plan) -> None:
    """Refuse a store with another configuration and list the differences."""
    theirs, ours = as_written_now(layout.attributes["configuration"]), json.loads(json.dumps(plan.plain()))
    if found := listed_differences(list(compare(theirs, ours))):
        raise FileProblem(layout.path, f"contains another sweep: {found}. Choose another name or the same values")


def listed_differences(differences: list[str]) -> str:
    """Format differences as one line; of many, the first few."""
    more = f"; and {len(differences) - MOST_DIFFERENCES} more" if len(differences) > MOST_DIFFERENCES else ""
    return "; ".join(differences[:MOST_DIFFERENCES]) + more


def compare_plain(theirs: dict[str, Any], ours: dict[str, Any]) -> str:
    """Return the differences between two nested tables as one line; empty if they are equal."""
    return listed_differences(list(differences(flat(theirs), flat(ours))))


def first_fitting(path: Path, plan: Plan) -> Path:
    """Return the path, or the first of NAME-2, NAME-3, ... next to it, that does not contain another sweep."""
    number, place = 1, path
    while (place / "zarr.json").exists() and differs(SweepLayout.read(place), plan):
        number += 1
        place = path.with_name(f"{path.stem}-{number}{path.suffix}")
    return place


def differs(layout: SweepLayout, plan: Plan) -> bool:
    """Return whether a store has another configuration."""
    return any(compare(as_written_now(layout.attributes["configuration"]), json.loads(json.dumps(plan.plain()))))


def as_written_now(stored: dict[str, Any]) -> dict[str, Any]:
    """Return the configuration of a store as this version writes it, so that a new field does not count as a
    difference."""
    scenario = configuration.from_plain(stored["scenario"], Scenario)
    return {**stored, "scenario": json.loads(json.dumps(configuration.to_plain(scenario)))}


def compare(theirs: dict[str, Any], ours: dict[str, Any]) -> Iterator[str]:
    """Yield the differences between the plain configurations of two sweeps."""
    pairs = [
        ("", flat(theirs["scenario"]), flat(ours["scenario"])),
        ("the axis ", theirs["over"], ours["over"]),
        ("", {"sample": theirs["sample"]}, {"sample": ours["sample"]}),
    ]
    for kind, there, here in pairs:
        yield from (f"{kind}{difference}" for difference in differences(there, here))
        if list(there) != list(here) and set(there) == set(here):
            yield f"the axes are in the order {', '.join(there)} in the store and {', '.join(here)} here"


def differences(there: dict[str, Any], here: dict[str, Any]) -> Iterator[str]:
    """Yield the differing entries of two flat tables."""
    for name in [*there, *(name for name in here if name not in there)]:
        if there.get(name) != here.get(name):
            yield f"{name} is {text(there.get(name))} in the store and {text(here.get(name))} here"


def flat(plain: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Flatten nested tables to one with dotted keys."""
    leaves: dict[str, Any] = {}
    for key, value in plain.items():
        leaves |= flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value}
    return leaves


def text(value: Any) -> str:
    """Format a value of a configuration or an axis briefly."""
    if isinstance(value, dict) and "start" in value:
        prefix = "log:" if value["logarithmic"] else ""
        return f"{prefix}{value['start']:g}:{value['stop']:g}" + (f":{value['count']}" if value["count"] else "")
    if isinstance(value, list):
        return ",".join(map(str, value)) if len(value) <= 6 else f"{len(value)} values from {value[0]} to {value[-1]}"
    return "none" if value is None else str(value)


def remove_partial_files(path: Path) -> None:
    """Remove partly written files that a killed process left next to the arrays."""
    for file in path.rglob("*.partial"):
        file.unlink(missing_ok=True)
