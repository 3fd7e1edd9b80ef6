"""Exports of ours in MCAP, read back without loss."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import FileProblem
from serpenoid.interchange.bags import Bag
from serpenoid.interchange.head import Head, read_head, run_of
from serpenoid.interchange.topics import PLAIN, Clock, Topic, topics_of
from serpenoid.trajectory import TIMES, Trajectory

BLOCK = 1000  # messages that are decoded together


def restore_run(bag: Bag, text: str) -> Trajectory:
    """Return the run that an export contains; raise FileProblem if messages are missing or differ from its head."""
    head = read_head(bag.path, text)
    counts = {clock: bag.counts.get(PLAIN + clock, 0) for clock in TIMES if clock in head.rows}
    arrays, clocks = arrays_of(head, dict.fromkeys(counts, 0))
    sizes = {topic.name: topic.layout.size for topic in topics_of(head, arrays, clocks)}
    for name, _, data in first_messages(bag, set(sizes)):
        if len(data) != sizes[name]:
            raise FileProblem(bag.path, f"is damaged: a message of {name} has {len(data)} bytes: must be {sizes[name]}")
    arrays, clocks = arrays_of(head, counts)
    topics = topics_of(head, arrays, clocks)
    for topic in topics:
        if bag.counts.get(topic.name, 0) != counts[topic.clock]:
            found = bag.counts.get(topic.name, 0)
            raise FileProblem(bag.path, f"is damaged: {topic.name} has {found} messages: must be {counts[topic.clock]}")
    fill(bag, topics)
    return run_of(bag.path, head, arrays)


def first_messages(bag: Bag, names: set[str]) -> Any:
    """Return the first message of each of some topics."""
    left = {name for name in names if bag.counts.get(name)}
    for message in bag.messages(set(left)):
        if message[0] in left:
            left.remove(message[0])
            yield message
        if not left:
            return


def arrays_of(head: Head, counts: dict[str, int]) -> tuple[dict[str, NDArray], dict[str, Clock]]:
    """Return empty arrays for all variables, and clocks, with a row per message."""
    arrays = {
        name: np.empty((counts[row.dims[0]], *row.shape), dtype=np.float64) for name, row in head.rows.items()
    }  # fmt: skip
    clocks = {
        name: Clock(np.empty(count, dtype=np.int32), np.empty(count, dtype=np.uint32)) for name, count in counts.items()
    }
    return arrays, clocks


def fill(bag: Bag, topics: list[Topic]) -> None:
    """Read the messages of all topics into the arrays of their layouts."""
    named = {topic.name: topic for topic in topics}
    waiting: dict[str, list[bytes]] = {name: [] for name in named}
    done = dict.fromkeys(named, 0)

    def decode(name: str) -> None:
        if waiting[name] and not named[name].layout.read(done[name], waiting[name]):
            raise FileProblem(bag.path, f"is damaged: a message of {name} does not match its metadata")
        done[name] += len(waiting[name])
        waiting[name].clear()

    for name, _, data in bag.messages(set(named)):
        waiting[name].append(data)
        if len(waiting[name]) == BLOCK:
            decode(name)
    for name in named:
        decode(name)
