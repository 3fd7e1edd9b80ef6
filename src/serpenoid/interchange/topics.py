"""Topics of a run: the messages that hold its variables, in both directions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.interchange.head import Head
from serpenoid.interchange.layout import Layout
from serpenoid.interchange.messages import JOINT_STATE

WORLD = "world"  # frame of the world
SECOND = 1_000_000_000  # [ns]
# Topic -> the variables that are position, velocity and effort of its joint states.
JOINT_TOPICS = {
    "/joint_states": ("joint_position", "joint_velocity", "joint_torque"),
    "/joint_commands": ("command_position", "command_velocity", "command_torque"),
    "/sensed_joint_states": ("sensed_joint_position", "sensed_joint_velocity", "sensed_joint_torque"),
}
FIELDS = ("position", "velocity", "effort")
INERTIAL = ("gyroscope", "accelerometer")
UNKNOWN = [-1.0, *8 * [0.0]]  # covariance of an orientation that is not measured
PLAIN = "/serpenoid/"  # topics of the other variables


class Topic(NamedTuple):
    """Messages of a topic, one per sample or tick."""

    name: str
    kind: str
    clock: str  # time or tick
    layout: Layout


class Clock(NamedTuple):
    """Stamps of the messages of a clock."""

    seconds: NDArray  # (rows,) int32
    rest: NDArray  # (rows,) uint32 [ns]

    def header(self, frame: str = "") -> dict[str, Any]:
        """Return the header of a message."""
        return {"stamp": {"sec": self.seconds, "nanosec": self.rest}, "frame_id": frame}


def clock_of(stamps: NDArray) -> Clock:
    """Return a clock with these times [ns]."""
    return Clock((stamps // SECOND).astype(np.int32), (stamps % SECOND).astype(np.uint32))


def topics_of(head: Head, arrays: Mapping[str, NDArray], clocks: Mapping[str, Clock]) -> list[Topic]:
    """Return the topics of all variables; their layouts refer to the given arrays."""
    found: list[Topic] = []
    covered: set[str] = set()
    contents: dict[str, Any]
    for name, parts in JOINT_TOPICS.items():
        clock = head.rows[parts[0]].dims[0] if parts[0] in head.rows else ""
        held = [part for part in parts if has(head, part, clock, "joint")]
        if parts[0] in held:
            fields = {field: arrays[part] for field, part in zip(FIELDS, parts) if part in held}
            contents = {"header": clocks[clock].header(), "name": list(head.labels["joint"]), **fields}
            found.append(Topic(name, JOINT_STATE, clock, Layout(JOINT_STATE, contents)))
            covered |= set(held)
    frames = frames_of(head, arrays)
    if frames:
        contents = {"transforms": [transform(clocks["time"], name, pose) for name, pose in frames.items()]}
        found.append(Topic("/tf", "tf2_msgs/TFMessage", "time", Layout("tf2_msgs/TFMessage", contents)))
        covered |= {"link_pose", *head.frames.values()}
    if all(has(head, name, "time", "link", "axis") for name in INERTIAL):
        found += imu_topics(head, arrays, clocks["time"])
        covered |= set(INERTIAL)
    kind = "std_msgs/Float64MultiArray"
    others = [name for name in head.rows if name not in covered]
    for name, topic in zip(others, topic_names(PLAIN, others)):
        row = head.rows[name]
        found.append(Topic(topic, kind, row.dims[0], Layout(kind, plain_contents(row.dims[1:], arrays[name]))))
    return found


def has(head: Head, name: str, *dims: str) -> bool:
    """Return whether a variable is of float64 over these dimensions: its clock, then labelled ones."""
    row = head.rows.get(name)
    return row is not None and row.dtype == "float64" and row.dims == dims and set(dims[1:]) <= set(head.labels)


def frames_of(head: Head, arrays: Mapping[str, NDArray]) -> dict[str, NDArray]:
    """Return the frames of a run with their poses (samples, 7), or positions (samples, 3)."""
    found = {}
    if has(head, "link_pose", "time", "link", "pose"):
        found = {name: arrays["link_pose"][:, i] for i, name in enumerate(head.labels["link"])}
    moving = {frame: arrays[name] for frame, name in head.frames.items() if head.rows[name].dims[0] == "time"}
    return found | moving


def transform(clock: Clock, name: str, pose: NDArray) -> dict[str, Any]:
    """Return the contents of a transform from a frame to the world."""
    turn: dict[str, Any] = {"w": 1.0}
    if pose.shape[1] == 7:
        turn = {axis: pose[:, 3 + i] for i, axis in enumerate("wxyz")}
    place = {axis: pose[:, i] for i, axis in enumerate("xyz")}
    return {
        "header": clock.header(WORLD), "child_frame_id": name, "transform": {"translation": place, "rotation": turn},
    }  # fmt: skip


def imu_topics(head: Head, arrays: Mapping[str, NDArray], clock: Clock) -> list[Topic]:
    """Return a topic for the IMU of each link."""
    names = topic_names("/imu/", head.labels["link"])
    kind = "sensor_msgs/Imu"
    found = []
    for i, (name, link) in enumerate(zip(names, head.labels["link"])):
        spin, force = ({axis: arrays[part][:, i, k] for k, axis in enumerate("xyz")} for part in INERTIAL)
        contents = {
            "header": clock.header(link), "orientation": {"w": 1.0}, "orientation_covariance": UNKNOWN,
            "angular_velocity": spin, "linear_acceleration": force,
        }  # fmt: skip
        found.append(Topic(name, kind, "time", Layout(kind, contents)))
    return found


def topic_names(folder: str, labels: Sequence[str]) -> list[str]:
    """Return a valid name of ROS 2 for each label; labels that would share one are numbered."""
    plain = [re.sub(r"[^A-Za-z0-9]+", "_", label).strip("_") or "link" for label in labels]
    words = [f"_{word}" if word[0].isdigit() else word for word in plain]
    return [f"{folder}{word}" if words.count(word) == 1 else f"{folder}{word}_{i}" for i, word in enumerate(words)]


def plain_contents(dims: Sequence[str], values: NDArray) -> dict[str, Any]:
    """Return the contents of a message of plain numbers, with the sizes and strides of its dimensions."""
    shape = values.shape[1:]
    sizes = [
        {"label": dim, "size": size, "stride": int(np.prod(shape[i:]))}
        for i, (dim, size) in enumerate(zip(dims, shape))
    ]
    return {"layout": {"dim": sizes}, "data": values.reshape(len(values), int(np.prod(shape, dtype=int)))}
