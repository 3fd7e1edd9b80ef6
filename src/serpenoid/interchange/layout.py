"""Byte layout of the messages of a topic (CDR, little endian): constants, and positions of the variable numbers.

All messages of a topic of ours have the same strings and array lengths, hence the same layout. Arrays are written
into many messages at once, and read from them into the same arrays.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.interchange.messages import MESSAGES, element_of, fields_of

HEAD = b"\0\1\0\0"  # of plain CDR, little endian; alignment counts from its end
FORMATS = {"float64": "<f8", "float32": "<f4", "int32": "<i4", "uint32": "<u4", "uint8": "u1", "bool": "u1"}


class Layout:
    """Layout of messages of one kind with given contents.

    Contents are dictionaries by field. An array (rows, ...) is a number, or an array of numbers, that varies between
    messages; everything else is constant. Missing fields are zero or empty.
    """

    def __init__(self, kind: str, contents: Any):
        self.template = bytearray(HEAD)
        self.places: list[tuple[int, str, NDArray]] = []  # offset, format, values (rows, ...)
        self._add(kind, contents)
        self.size = len(self.template)

    def write(self, start: int, stop: int) -> list[bytes]:
        """Return the messages of a range of rows."""
        buffer = np.tile(np.frombuffer(bytes(self.template), dtype=np.uint8), (stop - start, 1))
        record = self._record(buffer)
        for number, (_, _, values) in enumerate(self.places):
            record[str(number)] = values[start:stop]
        return [row.tobytes() for row in buffer]

    def read(self, start: int, messages: Sequence[bytes]) -> bool:
        """Read messages into the rows from `start`; return whether they have this layout and its constants."""
        if any(len(message) != self.size for message in messages):
            return False
        buffer = np.frombuffer(bytearray().join(messages), dtype=np.uint8).reshape(-1, self.size)
        record = self._record(buffer)
        for number, (_, _, values) in enumerate(self.places):
            values[start : start + len(messages)] = record[str(number)]
            record[str(number)] = 0
        return bool((buffer == np.frombuffer(bytes(self.template), dtype=np.uint8)).all())

    def _record(self, buffer: NDArray) -> NDArray:
        names = [str(number) for number in range(len(self.places))]
        formats = [(form, values.shape[1:]) for _, form, values in self.places]
        offsets = [offset for offset, _, _ in self.places]
        table: Any = {"names": names, "formats": formats, "offsets": offsets, "itemsize": self.size}
        return buffer.view(np.dtype(table))[:, 0]

    def _add(self, kind: str, value: Any) -> None:
        if kind.endswith("]"):
            self._add_array(element_of(kind), kind[kind.index("[") + 1 : -1], value)
        elif kind == "string":
            text = str(value or "").encode()
            self._put("<I", len(text) + 1)
            self.template += text + b"\0"
        elif kind in FORMATS:
            self._reserve(kind, value) if isinstance(value, np.ndarray) else self._put(FORMATS[kind], value or 0)
        else:
            for inner, name in fields_of(kind):
                self._add(inner, (value or {}).get(name))

    def _add_array(self, element: str, size: str, value: Any) -> None:
        """Add an array of numbers or of messages; `size` is empty if its length varies between topics."""
        if isinstance(value, np.ndarray):
            if not size:
                self._put("<I", value.shape[1])
            if 0 not in value.shape[1:]:
                inner = {kind for kind, _ in fields_of(element)} if element in MESSAGES else {element}
                self._reserve(inner.pop(), value)
            return
        values = [None] * int(size or 0) if value is None else value
        if not size:
            self._put("<I", len(values))
        for each in values:
            self._add(element, each)

    def _put(self, form: str, value: Any) -> None:
        code = {"<f8": "<d", "<f4": "<f", "<i4": "<i", "<u4": "<I", "u1": "B"}.get(form, form)
        self._align(struct.calcsize(code))
        self.template += struct.pack(code, value)

    def _reserve(self, kind: str, values: NDArray) -> None:
        form = FORMATS[kind]
        self._align(np.dtype(form).itemsize)
        self.places.append((len(self.template), form, values))
        self.template += bytes(np.dtype(form).itemsize * int(np.prod(values.shape[1:], dtype=int)))

    def _align(self, size: int) -> None:
        self.template += bytes(-(len(self.template) - len(HEAD)) % size)
