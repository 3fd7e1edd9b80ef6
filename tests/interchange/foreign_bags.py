"""Bags as another program writes them: rosbags, with its own definitions of the messages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

ROS = get_typestore(Stores.ROS2_HUMBLE)
JOINT_STATE = "sensor_msgs/msg/JointState"
PLUGINS = {"mcap": StoragePlugin.MCAP, "sqlite": StoragePlugin.SQLITE3}
START = 1_700_000_000_000_000_000  # [ns]


def joint_state(stamp, names, position, velocity=(), effort=()):
    """A message of rosbags."""
    make = ROS.types
    header = make["std_msgs/msg/Header"](
        stamp=make["builtin_interfaces/msg/Time"](sec=stamp // 10**9, nanosec=stamp % 10**9), frame_id="base"
    )
    values = (np.array(each, dtype=float) for each in (position, velocity, effort))
    return make[JOINT_STATE](header, list(names), *values)


def moving(names=("a", "b"), count=20, effort=True, stamped=True):
    """Messages of joints that swing, with their times [ns]."""
    found = []
    for i in range(count):
        time = START + 10_000_000 * i
        angle = 0.1 * np.sin(0.3 * i + np.arange(len(names)))
        torque = 2.0 * angle if effort else ()
        found.append((time, joint_state(time if stamped else 0, names, angle, 0.5 * angle, torque)))
    return found


def write_bag(folder: Path, plugin: str, topics: dict) -> Path:
    """Write a bag: topic -> list of (time [ns], message)."""
    with Writer(folder, version=9, storage_plugin=PLUGINS[plugin]) as writer:
        for topic, messages in topics.items():
            kind = messages[0][1].__msgtype__ if messages else JOINT_STATE
            connection = writer.add_connection(topic, kind, typestore=ROS)
            for time, message in messages:
                writer.write(connection, time, ROS.serialize_cdr(message, kind))
    return folder
