"""ROS 2 bags in SQLite (.db3), opened read-only with nothing permitted but reading their two tables."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from serpenoid.errors import FileProblem, short
from serpenoid.interchange.messages import plain_name
from serpenoid.support.reading import MOST_LETTERS, is_line

MOST_MESSAGE = 1 << 24  # bytes of a message
PERMITTED = {
    (sqlite3.SQLITE_SELECT, None), (sqlite3.SQLITE_READ, "topics"), (sqlite3.SQLITE_READ, "messages"),
    (sqlite3.SQLITE_READ, "sqlite_master"),
}  # fmt: skip


class SqliteFile:
    """An untrusted bag in SQLite."""

    head: str | None = None  # bags in SQLite have no metadata of ours

    def __init__(self, path: Path):
        self.path = path
        self.numbers: dict[str, int] = {}  # topics
        self.kinds: dict[str, str] = {}
        self.counts: dict[str, int] = {}
        with self.opened() as bag:
            tables = dict(bag.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchmany(100))
            for name in ("topics", "messages"):
                if not str(tables.get(name, "")).upper().startswith("CREATE TABLE"):
                    raise FileProblem(path, f"is not a ROS 2 bag: it lacks the table {name}")
            for number, topic, kind, form in bag.execute("SELECT id, name, type, serialization_format FROM topics"):
                if type(number) is not int or not all(map(is_line, (topic, kind, form))):
                    raise FileProblem(path, f"is damaged: a topic is {short((number, topic, kind, form))}")
                self.numbers[topic] = number
                self.kinds[topic] = plain_name(kind) if form == "cdr" else f"{plain_name(kind)} as {form}"
                self.counts[topic] = 0
            topics = {number: topic for topic, number in self.numbers.items()}
            for (number,) in bag.execute("SELECT topic_id FROM messages"):
                if number in topics:
                    self.counts[topics[number]] += 1

    def messages(self, topics: set[str]) -> Iterator[tuple[str, int, bytes]]:
        """Return topic, time [ns] and bytes of the messages of some topics, by time."""
        wanted = {self.numbers[topic]: topic for topic in topics if topic in self.numbers}
        with self.opened() as bag:
            for number, time, data in bag.execute("SELECT topic_id, timestamp, data FROM messages ORDER BY timestamp"):
                if number in wanted:
                    if type(time) is not int or type(data) is not bytes:
                        raise FileProblem(self.path, "is damaged: a message must have a time and bytes")
                    yield wanted[number], time, data

    @contextmanager
    def opened(self) -> Iterator[sqlite3.Connection]:
        """Open the file; raise FileProblem if SQLite refuses it."""
        place = f"{self.path.resolve().as_uri()}?mode=ro&immutable=1"
        try:
            with closing(sqlite3.connect(place, uri=True)) as bag:
                bag.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_MESSAGE)
                bag.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, MOST_LETTERS)
                bag.set_authorizer(permit)
                yield bag
        except (sqlite3.Error, UnicodeDecodeError, OverflowError) as error:
            raise FileProblem(self.path, f"cannot be read as a ROS 2 bag ({error})") from None


def permit(action: int, first: str | None, *_: str | None) -> int:
    """Accept reading of the tables of a bag; refuse functions, views, pragmas and anything else."""
    return sqlite3.SQLITE_OK if (action, first) in PERMITTED else sqlite3.SQLITE_DENY
