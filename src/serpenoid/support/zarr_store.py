"""Zarr folders from untrusted sources: each file is checked before Zarr reads it.

Only the format that this package writes is opened: arrays of Zarr 3 with plain numbers, their chunks as bytes, zstd,
crc32c. Other codecs can run code or allocate unlimited memory, so their names never reach Zarr.
"""

from __future__ import annotations

import math
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import zarr
from zarr.storage import LocalStore

from serpenoid.errors import FileProblem, short
from serpenoid.support.reading import MOST_BYTES, MOST_DIMENSIONS, are_sizes, check_regular, read_json

METADATA = "zarr.json"
ITEM_SIZES = {
    "bool": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "int64": 8, "uint64": 8,
    "float32": 4, "float64": 8,
}  # fmt: skip
CODECS = ["bytes", "zstd", "crc32c"]
MOST_VALUES = 1 << 40  # values of an array, which is read in chunks
ZSTD = b"\x28\xb5\x2f\xfd"
MOST_OVERHEAD = 1 << 16  # bytes by which an incompressible chunk may grow
CHECKSUM = 4  # bytes of crc32c at the end of a chunk


class ArrayHead(NamedTuple):
    """The size of an array and of its chunks, from its metadata."""

    shape: tuple[int, ...]
    dtype: str
    chunk: tuple[int, ...]

    @property
    def nbytes(self) -> int:
        """Bytes of the whole array in memory."""
        return math.prod(self.shape) * ITEM_SIZES[self.dtype]

    @property
    def chunk_bytes(self) -> int:
        """Bytes of a chunk in memory."""
        return math.prod(self.chunk) * ITEM_SIZES[self.dtype]


class CheckedStore(LocalStore):
    """A folder that passes only checked metadata and correctly sized chunks to Zarr."""

    def __init__(self, root: Path | str, *, read_only: bool = False):
        super().__init__(root, read_only=read_only)
        self._heads: dict[str, ArrayHead] = {}

    async def get(self, key: str, prototype: Any = None, byte_range: Any = None) -> Any:
        """Return a file of the folder, checked; None if it does not exist."""
        if not self._checked(key):
            return None
        found = await super().get(key, prototype, byte_range)
        return found if found is None else self._whole(key, found)

    def get_sync(self, key: str, *, prototype: Any = None, byte_range: Any = None) -> Any:
        """Return a file of the folder, checked; None if it does not exist."""
        if not self._checked(key):
            return None
        found = super().get_sync(key, prototype=prototype, byte_range=byte_range)
        return found if found is None else self._whole(key, found)

    async def get_partial_values(self, *arguments: Any, **named: Any) -> Any:
        """Raise FileProblem for partial reads: only codecs that are not supported request them."""
        raise FileProblem(self.root, "is damaged: its chunks are not whole files")

    def _checked(self, key: str) -> bool:
        """Check a file before it is read; return whether it exists."""
        path = self.root / key
        if not path.exists():
            return False
        if path.name == METADATA:
            check_node(self.root, key)
        else:
            check_regular(path, self._head(key).chunk_bytes + MOST_OVERHEAD)
        return True

    def _whole(self, key: str, found: Any) -> Any:
        """Return the bytes of a file; raise FileProblem for a chunk that decodes to a wrong size."""
        if key.endswith(METADATA):
            return found
        if decoded_size(memoryview(found.as_numpy_array())) != self._head(key).chunk_bytes:
            raise FileProblem(self.root, f"is damaged: {key} is not a whole chunk")
        return found

    def _head(self, key: str) -> ArrayHead:
        """Return the head of the array that a chunk belongs to."""
        for folder in map(str, PurePosixPath(key).parents):
            if folder in self._heads:
                return self._heads[folder]
            if (self.root / folder / METADATA).is_file():
                return self._heads.setdefault(folder, head_of(self.root, folder))
        raise FileProblem(self.root, f"is damaged: {key} belongs to no array")


def open_store(path: Path, writable: bool = False) -> CheckedStore:
    """Return the store of a folder; Zarr and xarray open it only through this store."""
    return CheckedStore(path, read_only=not writable)


def open_array(path: Path, name: str, writable: bool = False) -> Any:
    """Open an array of a Zarr folder."""
    head_of(path, name)
    mode: Any = "r+" if writable else "r"
    return zarr.open_array(open_store(path, writable), path=name, mode=mode, zarr_format=3)


def head_of(path: Path, name: str) -> ArrayHead:
    """Return the head of an array from its metadata; raise FileProblem for a format not written by this package."""
    place = f"{name}/{METADATA}"
    found = read_node(path, place)
    check(path, place, "node_type", found.get("node_type"), "array", found.get("node_type") == "array")
    dtype: Any = found.get("data_type")
    shape: Any = found.get("shape")
    check(path, place, "data_type", dtype, f"one of {', '.join(ITEM_SIZES)}", dtype in list(ITEM_SIZES))
    check(path, place, "shape", shape, f"at most {MOST_DIMENSIONS} whole numbers", are_sizes(shape, least=0))
    check(path, place, "shape", shape, f"at most {MOST_VALUES} values", math.prod(shape) <= MOST_VALUES)
    codecs = found.get("codecs")
    names = (
        [part.get("name") if isinstance(part, dict) else part for part in codecs] if isinstance(codecs, list) else []
    )
    check(path, place, "codecs", names, ", ".join(CODECS), names == CODECS)
    check(path, place, "storage_transformers", "some", "none", not found.get("storage_transformers"))
    grid: Any = found.get("chunk_grid")
    chunk: Any = grid["configuration"].get("chunk_shape") if is_named(grid, "regular") else None
    whole = are_sizes(chunk, least=1) and len(chunk) == len(shape)
    check(path, place, "chunk_grid", grid, "a regular grid of as many dimensions as the array", whole)
    head = ArrayHead(tuple(shape), dtype, tuple(chunk))
    check(path, place, "chunk_shape", chunk, f"at most {MOST_BYTES} bytes", head.chunk_bytes <= MOST_BYTES)
    key = found.get("chunk_key_encoding")
    check(path, place, "chunk_key_encoding", key, "the default one", is_named(key, "default"))
    check(path, place, "attributes", found.get("attributes"), "a table", isinstance(found.get("attributes", {}), dict))
    return head


def check_node(path: Path, key: str) -> None:
    """Raise FileProblem for metadata of an array or group that this package does not write."""
    found = read_node(path, key)
    if found.get("node_type") == "array":
        head_of(path, str(PurePosixPath(key).parent))
    elif found.get("node_type") != "group":
        raise FileProblem(
            path, f"is damaged: {key}: node_type = {short(found.get('node_type'))}: must be array or group"
        )


def read_node(path: Path, key: str) -> dict[str, Any]:
    """Read metadata of Zarr 3."""
    try:
        found = read_json(path / key)
    except FileProblem as error:
        raise FileProblem(path, f"is damaged: {key} {error.problem}") from None
    check(path, key, "zarr_format", found.get("zarr_format"), "3", found.get("zarr_format") == 3)
    return found


def check(path: Path, place: str, field: str, value: Any, allowed: str, good: bool) -> None:
    """Raise FileProblem unless a field of metadata is valid."""
    if not good:
        raise FileProblem(path, f"is damaged: {place}: {field} = {short(value)}: must be {allowed}")


def is_named(found: Any, name: str) -> bool:
    """Return whether metadata are an extension of a given name, with a configuration."""
    return isinstance(found, dict) and found.get("name") == name and isinstance(found.get("configuration"), dict)


def decoded_size(chunk: memoryview) -> int | None:
    """Return the decoded size of a chunk, from its one zstd frame; None if it is not such a chunk.

    Zarr's decoder allocates the total size that all frames state, or grows without limit if one states none. The
    chunk must therefore have one frame that states its size and ends at the checksum (RFC 8878, section 3.1.1).
    """
    frame = bytes(chunk[:18])
    if len(frame) < 6 or frame[:4] != ZSTD:
        return None
    flags = frame[4]
    single = flags >> 5 & 1
    start = 6 - single + (0, 1, 2, 4)[flags & 3]
    width = (single, 2, 4, 8)[flags >> 6]
    if not width:
        return None
    size = int.from_bytes(frame[start : start + width], "little") + (256 if width == 2 else 0)
    place, last = start + width, False
    while not last and place + 3 <= len(chunk):
        block = int.from_bytes(chunk[place : place + 3], "little")
        last, kind = bool(block & 1), block >> 1 & 3
        place += 3 + (1 if kind == 1 else block >> 3)
    place += 4 if flags >> 2 & 1 else 0
    return size if last and place == len(chunk) - CHECKSUM else None
