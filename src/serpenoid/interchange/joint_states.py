"""Joint states of an untrusted bag as a run: one topic, checked message by message."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import FileProblem, UnknownName, short
from serpenoid.interchange.bags import Bag
from serpenoid.interchange.messages import JOINT_STATE
from serpenoid.interchange.topics import FIELDS, JOINT_TOPICS, SECOND
from serpenoid.support.reading import MOST_LETTERS
from serpenoid.trajectory import LARGEST_VALUE, Trajectory
from serpenoid.variables import label

MOST_JOINTS = 1000
LAST_TIME = 1 << 63  # [ns]
VARIABLES = dict(zip(FIELDS, JOINT_TOPICS["/joint_states"]))


class Damaged(Exception):
    """A message that is not a joint state, with the reason."""


class Message(NamedTuple):
    """A joint state."""

    stamp: int  # [ns]
    names: tuple[str, ...]
    values: tuple[NDArray, ...]  # position, velocity, effort; each empty or one per name


class Cursor:
    """Place in the bytes of a message (CDR)."""

    def __init__(self, data: bytes):
        if len(data) < 4 or data[:2] not in (b"\0\0", b"\0\1"):
            raise Damaged("is not in CDR; bags compressed message by message must be unpacked first")
        self.data, self.at, self.order = data, 4, "<" if data[1] else ">"

    def number(self, code: str) -> int:
        """Read a number of four bytes."""
        self.align(4)
        value = struct.unpack_from(self.order + code, self.data, self.at)[0]
        self.at += 4
        return int(value)

    def text(self) -> str:
        """Read a string."""
        size = self.number("I")
        if size > MOST_LETTERS or size > len(self.data) - self.at:
            raise Damaged(f"has a string of {size} bytes: must be at most {MOST_LETTERS}")
        found = self.data[self.at : self.at + size].rstrip(b"\0").decode()
        self.at += size
        if not found.isprintable():
            raise Damaged(f"has the name {short(found)}, which is not printable")
        return found

    def texts(self) -> tuple[str, ...]:
        """Read names."""
        count = self.number("I")
        if count > MOST_JOINTS:
            raise Damaged(f"names {count} joints: must be at most {MOST_JOINTS}")
        return tuple(self.text() for _ in range(count))

    def floats(self) -> NDArray:
        """Read an array of float64."""
        count = self.number("I")
        if count:
            self.align(8)
        if 8 * count > len(self.data) - self.at:
            raise Damaged(f"is cut off: it states {count} numbers")
        found = np.frombuffer(self.data, self.order + "f8", count, self.at)
        self.at += 8 * count
        return found

    def align(self, size: int) -> None:
        """Skip padding."""
        self.at += -(self.at - 4) % size


def joint_state(data: bytes) -> Message:
    """Read a joint state; raise Damaged if the bytes are not one."""
    try:
        cursor = Cursor(data)
        stamp = cursor.number("i") * SECOND + cursor.number("I")
        cursor.text()
        names = cursor.texts()
        values = tuple(cursor.floats() for _ in FIELDS)
    except (struct.error, UnicodeDecodeError) as error:
        raise Damaged(f"is cut off or not text ({error})") from None
    if not names:
        raise Damaged("names no joints")
    if len(set(names)) < len(names):
        raise Damaged(f"names a joint twice: {short(sorted(names))}")
    for field, rows in zip(FIELDS, values):
        if len(rows) not in ((len(names),) if field == "position" else (0, len(names))):
            raise Damaged(f"has {len(rows)} of {field} for {len(names)} joints")
    return Message(stamp, names, values)


class Collected:
    """Joint states of the chosen joints so far."""

    def __init__(self, joints: Sequence[str]):
        self.joints = tuple(joints)  # of the first message if empty
        self.chosen = bool(joints)
        self.stamps, self.times = array("q"), array("q")
        self.values = {field: array("d") for field in FIELDS}
        self.present: list[str] = []  # fields that the messages have
        self.names: tuple[str, ...] = ()  # of the last message
        self.columns: NDArray = np.zeros(0, dtype=int)

    def add(self, time: int, data: bytes) -> None:
        """Add a message; raise Damaged if it does not fit the earlier ones."""
        found = joint_state(data)
        self.joints = self.joints or found.names
        if found.names != self.names:
            if not set(self.joints) <= set(found.names):
                if self.chosen:  # another robot's on the same topic
                    return
                raise Damaged(
                    f"names the joints {list_names(found.names)}, others {list_names(self.joints)}: choose by --joints"
                )
            self.names = found.names
            self.columns = np.array([found.names.index(joint) for joint in self.joints])
        present = [field for field, values in zip(FIELDS, found.values) if values.size]
        self.present = self.present or present
        if present != self.present:
            raise Damaged(f"has {', '.join(present)}, the first one {', '.join(self.present)}")
        if not 0 <= time < LAST_TIME:
            raise Damaged(f"has the time {time} ns: must be at least 0 and less than {LAST_TIME}")
        self.stamps.append(found.stamp)
        self.times.append(time)
        for (field, rows), values in zip(self.values.items(), found.values):
            row = values[self.columns].astype(float) if values.size else np.zeros(0)
            if row.size and (np.abs(row) > LARGEST_VALUE).any():
                raise Damaged(f"has a {field} beyond {LARGEST_VALUE:g}")
            rows.frombytes(row.tobytes())


def list_names(names: Sequence[str]) -> str:
    """Return a few names on a line."""
    return short(", ".join(names)).strip("'")


def read_joint_states(bag: Bag, topic: str | None, joints: Mapping[str, str]) -> Trajectory:
    """Return the run of a topic with joint states; `joints` are the chosen ones with their names in the run."""
    name = topic_of(bag, topic)
    found = Collected(tuple(joints))
    for number, (_, time, data) in enumerate(bag.messages({name}), start=1):
        try:
            found.add(time, data)
        except Damaged as error:
            raise FileProblem(bag.path, f"message {number} of {name} {error}") from None
    if not found.stamps:
        check_chosen(bag, name, joints)
    stamps = np.array(found.stamps if any(found.stamps) else found.times)
    check_stamps(bag, name, stamps)
    arrays = {}
    for field, values in found.values.items():
        rows = np.array(values).reshape(-1, len(found.joints))
        if rows.size and not (field != "position" and np.isnan(rows).all()):  # drivers write NaN for missing quantities
            check_finite(bag, name, field, rows, found.joints)
            arrays[VARIABLES[field]] = rows
    names = tuple(joints.get(joint, joint) for joint in found.joints)
    origin = {"file": bag.path.name, "topic": name, "start_ns": str(stamps[0])}
    attributes = {"imported": origin, "complete": True, "variables": list(arrays)}
    return Trajectory((stamps - stamps[0]) / SECOND, label(arrays), {"joint": names}, attributes)


def topic_of(bag: Bag, topic: str | None) -> str:
    """Return the topic with joint states, or the one requested."""
    found = [name for name, kind in bag.kinds.items() if kind == JOINT_STATE]
    if topic is not None:
        if topic not in bag.kinds:
            raise UnknownName("topic", topic, found)
        if topic not in found:
            raise FileProblem(bag.path, f"{topic} is of type {bag.kinds[topic]}: must be {JOINT_STATE}")
        found = [topic]
    if not found:
        others = list_names([f"{name} ({kind})" for name, kind in bag.kinds.items()] or ["none"])
        raise FileProblem(bag.path, f"contains no topic of type {JOINT_STATE}; its topics: {others}")
    full = [name for name in found if bag.counts[name]]
    if not full:
        raise FileProblem(bag.path, f"contains no messages on {', '.join(found)}")
    if len(full) > 1:
        raise FileProblem(bag.path, f"contains joint states on {', '.join(sorted(full))}: choose one by --topic")
    return full[0]


def check_chosen(bag: Bag, name: str, joints: Mapping[str, str]) -> None:
    """Raise FileProblem that names the joints of a topic which lacks the chosen ones."""
    first = joint_state(next(data for _, _, data in bag.messages({name})))
    missing = [joint for joint in joints if joint not in first.names]
    raise FileProblem(bag.path, f"{name} has no joint {list_names(missing)}: it names {list_names(first.names)}")


def check_stamps(bag: Bag, name: str, stamps: NDArray) -> None:
    """Raise FileProblem unless times increase from message to message."""
    if len(stamps) < 2:
        raise FileProblem(bag.path, f"contains fewer than two messages on {name}")
    back = np.flatnonzero(np.diff(stamps) <= 0)
    if back.size:
        at = int(back[0])
        times = " after ".join(f"{stamps[i] / SECOND:.9f} s" for i in (at + 1, at))
        raise FileProblem(bag.path, f"message {at + 2} of {name} does not increase in time: {times}")


def check_finite(bag: Bag, name: str, field: str, rows: NDArray, joints: Sequence[str]) -> None:
    """Raise FileProblem for a value that is not finite."""
    bad = np.argwhere(~np.isfinite(rows))
    if bad.size:
        at, joint = bad[0].tolist()
        raise FileProblem(bag.path, f"message {at + 1} of {name} has a {field} of {joints[joint]} that is not finite")
