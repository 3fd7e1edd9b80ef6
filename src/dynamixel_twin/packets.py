"""Packets of protocol 2.0 on the side of the motors: checksum, byte stuffing, framing."""

from __future__ import annotations

from typing import NamedTuple

HEADER = b"\xff\xff\xfd\x00"
PATTERN = b"\xff\xff\xfd"  # within a packet it is followed by one more 0xfd
SHORTEST, LONGEST = 3, 1024  # value of the length field: instruction and checksum
POLYNOMIAL = 0x8005
STATUS = 0x55


class Instruction(NamedTuple):
    """A packet for motors."""

    identity: int
    code: int
    data: bytes
    good: bool  # whether its checksum is right


def shifted(byte: int) -> int:
    """Return the CRC-16 of one byte: polynomial x^16 + x^15 + x^2 + 1, first bit highest, from 0."""
    crc = byte << 8
    for _ in range(8):
        crc = (crc << 1 ^ POLYNOMIAL if crc & 0x8000 else crc << 1) & 0xFFFF
    return crc


TABLE = [shifted(byte) for byte in range(256)]


def checksum(data: bytes) -> int:
    """Return the CRC-16 of bytes."""
    crc = 0
    for byte in data:
        crc = (crc << 8 & 0xFF00) ^ TABLE[crc >> 8 ^ byte]
    return crc


def stuffed(data: bytes) -> bytes:
    """Return bytes with one more 0xfd after each header pattern."""
    return data.replace(PATTERN, PATTERN + b"\xfd")


def packet(identity: int, data: bytes) -> bytes:
    """Return a packet of instruction or status, error and parameters."""
    body = stuffed(data)
    head = HEADER + bytes([identity]) + (len(body) + 2).to_bytes(2, "little") + body
    return head + checksum(head).to_bytes(2, "little")


def status_packet(identity: int, error: int, data: bytes = b"") -> bytes:
    """Return an answer of a motor."""
    return packet(identity, bytes([STATUS, error]) + data)


class Framing:
    """Bytes of the bus as packets; noise between them is skipped."""

    def __init__(self) -> None:
        self.buffer = bytearray()

    def instructions(self, data: bytes) -> list[Instruction]:
        """Return the packets that are complete with these bytes."""
        self.buffer += data
        found = []
        while (instruction := self.next()) is not None:
            found.append(instruction)
        return found

    def next(self) -> Instruction | None:
        """Return the next complete packet; None if more bytes are needed."""
        while True:
            start = self.buffer.find(HEADER)
            if start < 0:
                del self.buffer[: max(0, len(self.buffer) - len(HEADER) + 1)]
                return None
            del self.buffer[:start]
            if len(self.buffer) < 7:
                return None
            size = int.from_bytes(self.buffer[5:7], "little")
            if not SHORTEST <= size <= LONGEST:
                del self.buffer[0]
                continue
            if len(self.buffer) < 7 + size:
                return None
            whole = bytes(self.buffer[: 7 + size])
            del self.buffer[: 7 + size]
            body = whole[7:-2].replace(PATTERN + b"\xfd", PATTERN)
            good = checksum(whole[:-2]) == int.from_bytes(whole[-2:], "little")
            return Instruction(whole[4], body[0], body[1:], good)
