"""Messages between groups and modules, and their network format."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

LARGEST = 65_000  # bytes of a datagram


class Message(NamedTuple):
    """One packet."""

    kind: str  # lookup, subscribe, request, command, info, bye; modules, feedback, acknowledge, information
    sender: int  # group or lookup that sends or receives it
    meta: Mapping[str, Any]
    values: Mapping[str, NDArray]


def packed(message: Message) -> bytes:
    """Encode a message: a line of JSON that names the arrays, then the arrays. Only angles keep double precision."""
    arrays = {name: np.asarray(value, wire_type(name)) for name, value in message.values.items()}
    shapes = [[name, array.dtype.str, array.shape] for name, array in arrays.items()]
    head = {"kind": message.kind, "sender": message.sender, "meta": dict(message.meta), "arrays": shapes}
    return b"\n".join([json.dumps(head).encode(), b"".join(array.tobytes() for array in arrays.values())])


def unpacked(data: bytes) -> Message | None:
    """Decode a message; return None for invalid bytes."""
    line, _, body = data.partition(b"\n")
    try:
        head = json.loads(line)
        values, place = {}, 0
        for name, kind, shape in head["arrays"]:
            count = int(np.prod(shape, dtype=int))
            array = np.frombuffer(body, np.dtype(kind), count, place)
            values[name] = array.reshape(shape).astype(float)
            place += array.nbytes
        return Message(head["kind"], head["sender"], head["meta"], values)
    except (ValueError, KeyError, TypeError):
        return None


def wire_type(name: str) -> str:
    """Return the type of a column: angles, times and colour numbers need more than single precision."""
    return "<f8" if name.startswith(("position", "motor_position", "led")) or name.endswith("time") else "<f4"
