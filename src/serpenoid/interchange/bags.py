"""ROS 2 bags from any source: an MCAP file, a .db3 file, or the folder of either."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from serpenoid.errors import FileProblem
from serpenoid.interchange.mcap_file import McapFile
from serpenoid.interchange.sqlite_file import SqliteFile
from serpenoid.support.reading import check_regular
from serpenoid.support.recording_checks import LARGEST

ENDINGS = (".mcap", ".db3")
MOST_FILES = 10_000


class Bag(Protocol):
    """Messages by topic."""

    path: Path
    kinds: dict[str, str]  # type of the messages by topic, such as sensor_msgs/JointState
    counts: dict[str, int]  # messages by topic
    head: str | None  # text of the head, if the file is an export of ours

    def messages(self, topics: set[str]) -> Iterator[tuple[str, int, bytes]]:
        """Return topic, time [ns] and bytes of the messages of some topics."""


class Folder:
    """A bag of several files, one after the other."""

    def __init__(self, path: Path, files: list[Path]):
        self.path, self.parts = path, [open_file(file) for file in files]
        self.head = self.parts[0].head if len(self.parts) == 1 else None
        self.kinds: dict[str, str] = {}
        self.counts: dict[str, int] = {}
        for part in self.parts:
            self.kinds |= part.kinds
            for topic, count in part.counts.items():
                self.counts[topic] = self.counts.get(topic, 0) + count

    def messages(self, topics: set[str]) -> Iterator[tuple[str, int, bytes]]:
        """Return the messages of all files in turn."""
        for part in self.parts:
            yield from part.messages(topics)


def open_bag(path: Path) -> Bag:
    """Open a bag; raise FileProblem for anything else."""
    if not path.is_dir():
        return open_file(path)
    found = [file for _, file in zip(range(MOST_FILES), path.iterdir())]
    files = sorted((file for file in found if file.suffix.lower() in ENDINGS), key=number_of)
    if not files:
        packed = any(file.suffix in (".zstd", ".lz4") for file in found)
        advice = "; it is compressed file by file: unpack it first" if packed else ""
        raise FileProblem(path, f"contains no file ending in {' or '.join(ENDINGS)}{advice}")
    return Folder(path, files)


def open_file(path: Path) -> Bag:
    """Open a file of a bag."""
    check_regular(path, LARGEST)
    return SqliteFile(path) if path.suffix.lower() == ".db3" else McapFile(path)


def number_of(file: Path) -> tuple[int, str]:
    """Return the number at the end of a file's name, which orders the files of a bag."""
    digits = re.search(r"(\d{1,9})$", file.stem)
    return (int(digits[1]) if digits else 0, file.name)
