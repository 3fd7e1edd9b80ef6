"""MCAP files: written in blocks of time, and read record by record within limits."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import FileProblem, Unsupported
from serpenoid.interchange.head import NAME
from serpenoid.interchange.messages import full_name, plain_name, schema_text
from serpenoid.interchange.topics import Topic
from serpenoid.support.recording_checks import DENSEST, SMALL

INSTALL = "MCAP needs the package mcap: pip install 'serpenoid[mcap]'"
BLOCK = 1000  # rows per topic that are in memory as messages
MOST_RECORD = 1 << 27  # bytes of a record or of a decompressed chunk
MOST_CHANNELS = 10_000
END = b"\x02" + struct.pack("<Q", 20) + bytes(20) + b"\x89MCAP0\r\n"  # a footer, where the records of a chunk end


def library(name: str) -> Any:
    """Return a module of the package mcap."""
    try:
        return import_module(f"mcap.{name}")
    except ImportError:
        raise Unsupported(INSTALL) from None


def write_mcap(
    path: Path, topics: Sequence[Topic], stamps: Mapping[str, NDArray], metadata: Mapping[str, str],
    qualities: Mapping[str, str], progress: Callable[[float], Any] | None = None,
) -> None:  # fmt: skip
    """Write messages in the order of their times [ns]; `qualities` are those of service, by topic."""
    writer = library("writer").Writer(str(path))
    writer.start(profile="ros2")
    for name, value in metadata.items():
        writer.add_metadata(name, {name: value})
    schemas: dict[str, int] = {}
    channels = []
    for topic in topics:
        if topic.kind not in schemas:
            definition = schema_text(topic.kind).encode()
            schemas[topic.kind] = writer.register_schema(full_name(topic.kind), "ros2msg", definition)
        quality = {"offered_qos_profiles": qualities.get(topic.name, "")}
        channels.append(writer.register_channel(topic.name, "cdr", schemas[topic.kind], quality))
    for first, last in blocks_of(stamps):
        add_block(writer, list(zip(channels, topics)), stamps, first, last)
        if progress:
            progress(float(last - stamps["time"][0]) / max(float(stamps["time"][-1] - stamps["time"][0]), 1.0))
    writer.finish()


def blocks_of(stamps: Mapping[str, NDArray]) -> Iterator[tuple[int, int]]:
    """Return intervals of time [ns], from the first up to the last, with at most BLOCK stamps of each clock."""
    ends = np.unique(np.concatenate([stamp[BLOCK::BLOCK] for stamp in stamps.values()]))
    edges = [min(int(stamp[0]) for stamp in stamps.values() if stamp.size), *ends.tolist()]
    yield from zip(edges, [*edges[1:], max(int(stamp[-1]) for stamp in stamps.values() if stamp.size) + 1])


def add_block(
    writer: Any, channels: Sequence[tuple[int, Topic]], stamps: Mapping[str, NDArray], first: int, last: int
) -> None:
    """Add the messages of all topics in an interval of time, by time."""
    rows = []
    for channel, topic in channels:
        start, stop = np.searchsorted(stamps[topic.clock], (first, last)).tolist()
        for i, data in enumerate(topic.layout.write(start, stop), start=start):
            rows.append((int(stamps[topic.clock][i]), channel, i, data))
    for time, channel, i, data in sorted(rows, key=lambda row: row[:2]):
        writer.add_message(channel, time, data, time, i)


class BoundedFile:
    """A file that is read forwards, never beyond its end."""

    def __init__(self, path: Path, file: BinaryIO, size: int):
        self.path, self.file, self.left = path, file, size

    def read(self, size: int) -> bytes:
        """Read exactly this many bytes."""
        if size > self.left:
            raise FileProblem(self.path, "is cut off or damaged: a record is longer than the rest of the file")
        self.left -= size
        return self.file.read(size)


class McapFile:
    """An untrusted MCAP file of ROS 2."""

    def __init__(self, path: Path):
        self.path, self.size = path, path.stat().st_size
        self.counts: dict[str, int] = {}  # messages by topic
        self.kinds: dict[str, str] = {}  # messages' type by topic
        self.head: str | None = None  # text of the head of one of our own files
        for record, topic in self.records():
            if topic:
                self.counts[topic] += 1
            elif record.name == NAME:
                self.head = record.metadata.get(NAME, "")

    def messages(self, topics: set[str]) -> Iterator[tuple[str, int, bytes]]:
        """Return topic, time [ns] and bytes of the messages of some topics, in the order of the file."""
        for record, topic in self.records():
            if topic in topics:
                yield topic, record.log_time, record.data

    def records(self) -> Iterator[tuple[Any, str]]:
        """Return metadata, and messages with their topics."""
        reader, records = library("stream_reader"), library("records")
        schemas: dict[int, str] = {}
        topics: dict[int, str] = {}
        try:
            with self.path.open("rb") as file:
                source = BoundedFile(self.path, file, self.size)
                options: Any = {"emit_chunks": True, "validate_crcs": True, "record_size_limit": MOST_RECORD}
                for record in self.flat(reader.StreamReader(source, **options).records, reader, records):
                    if isinstance(record, records.Schema):
                        schemas[record.id] = plain_name(record.name)
                    elif isinstance(record, records.Channel):
                        self.add_channel(record, schemas.get(record.schema_id, "no schema"), topics)
                    elif isinstance(record, records.Metadata):
                        yield record, ""
                    elif isinstance(record, records.Message):
                        yield record, topics[record.channel_id]
        except (FileProblem, OSError):
            raise
        except Exception as error:
            problem = (str(error).splitlines() or [""])[0]
            raise FileProblem(self.path, f"is cut off or damaged ({type(error).__name__}: {problem})") from None

    def add_channel(self, channel: Any, kind: str, topics: dict[int, str]) -> None:
        """Store the topic of a channel and its type."""
        if len(self.kinds) >= MOST_CHANNELS:
            raise FileProblem(self.path, f"has more than {MOST_CHANNELS} channels")
        if channel.message_encoding != "cdr" and channel.message_encoding != "":
            kind = f"{kind} as {channel.message_encoding}"
        topics[channel.id] = channel.topic
        self.kinds[channel.topic] = kind
        self.counts.setdefault(channel.topic, 0)

    def flat(self, found: Iterator[Any], reader: Any, records: Any) -> Iterator[Any]:
        """Return records, those of chunks among them."""
        room = SMALL + DENSEST * self.size
        for record in found:
            if not isinstance(record, records.Chunk):
                yield record
                continue
            data = self.decompressed(record)
            room -= len(data)
            if room < 0:
                raise FileProblem(self.path, f"holds more than {DENSEST} times its size of {self.size} bytes")
            yield from reader.StreamReader(BytesIO(data + END), skip_magic=True, emit_chunks=True).records

    def decompressed(self, chunk: Any) -> bytes:
        """Return the bytes of a chunk, which must be as many as it states."""
        size = chunk.uncompressed_size
        if size > MOST_RECORD:
            raise FileProblem(self.path, f"has a chunk of {size} bytes: must be at most {MOST_RECORD}")
        if chunk.compression == "zstd":
            data = import_module("zstandard").ZstdDecompressor().stream_reader(chunk.data).read(size + 1)
        elif chunk.compression == "lz4":
            data = import_module("lz4.frame").LZ4FrameDecompressor().decompress(chunk.data, max_length=size + 1)
        elif not chunk.compression:
            data = chunk.data
        else:
            raise FileProblem(self.path, f"has a chunk compressed by {chunk.compression!r}: must be zstd, lz4 or none")
        if len(data) != size:
            raise FileProblem(self.path, f"is damaged: a chunk does not have the {size} bytes that it states")
        if chunk.uncompressed_crc and zlib.crc32(data) != chunk.uncompressed_crc:
            raise FileProblem(self.path, "is damaged: the checksum of a chunk is wrong")
        return data
