"""Serial port of a Dynamixel bus, through the manufacturer's SDK."""

from __future__ import annotations

import errno
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any, NamedTuple

from serpenoid.errors import Unsupported
from serpenoid.hardware.clock import Clock
from serpenoid.hardware.dynamixel_map import STATUS, BusSettings
from serpenoid.hardware.dynamixel_models import ALERT, Register

INSTALL = "dynamixel-sdk is not installed: pip install 'serpenoid[dynamixel]'"
NAP = 2e-4  # between two looks for bytes [s]
PATIENCE = 50.0  # time for which answers are awaited while nothing moves [ms]
SECOND_ANSWER = 4.0  # time after which no second motor answers a ping [ms]
PROTOCOL = 2.0
ID_PLACE, ERROR_PLACE, DATA_PLACE, CHECKSUM = 4, 8, 9, 2  # of a status packet; bytes of its checksum
BROKEN: tuple[type[Exception], ...] = (OSError,)  # raised by a port that was unplugged
with suppress(ImportError):  # not on Windows
    BROKEN += (import_module("termios").error,)
REFUSED: tuple[type[Exception], ...] = (*BROKEN, ValueError)  # raised by a port that cannot be opened
REASONS = {
    errno.ENOENT: "does not exist: connect the adapter, or name another port",
    errno.EACCES: "may not be opened: add yourself to the group of the port (dialout on Linux) and log in again",
    errno.EPERM: "may not be opened: add yourself to the group of the port (dialout on Linux) and log in again",
    errno.EBUSY: "is used by another program",
    errno.ENOTTY: "is not a serial port",
}  # fmt: skip


def sdk() -> Any:
    """Import the manufacturer's library."""
    try:
        return import_module("dynamixel_sdk")
    except ImportError:
        raise Unsupported(INSTALL) from None


class Status(NamedTuple):
    """A status packet."""

    identity: int
    error: int  # the alert bit, and a number that is not 0 if an instruction failed
    data: bytes

    @property
    def alert(self) -> bool:
        """True if the motor reports a hardware error."""
        return bool(self.error & ALERT)


def port_class(theirs: Any) -> Any:
    """Return the SDK's port with our clock: it naps instead of spinning, and waits no longer than the bus needs."""

    class Port(theirs.PortHandler):
        """A port whose time-outs follow a clock."""

        def __init__(self, name: str, clock: Clock, latency: float):
            super().__init__(name)
            self.clock, self.latency = clock, latency  # [ms]

        def getCurrentTime(self) -> float:  # noqa: N802 - the SDK's name [ms]
            return 1e3 * self.clock.now()

        def getCFlagBaud(self, baudrate: int) -> int:  # noqa: N802 - the table of the SDK ends at 4 million
            return baudrate

        def setPacketTimeout(self, packet_length: int) -> None:  # noqa: N802
            self.setPacketTimeoutMillis(self.tx_time_per_byte * packet_length + self.latency)

        def readPort(self, length: int) -> bytes:  # noqa: N802
            found = super().readPort(length)
            if not found and length:
                self.clock.sleep(NAP)
            return found

    return Port


class PacketPort:
    """Packets to and from motors. Failed transfers return nothing; a port that breaks raises OSError."""

    def __init__(self, bus: BusSettings, clock: Clock, port_type: Any = None):
        theirs = sdk()
        self.theirs, self.clock = theirs, clock
        self.packets = theirs.PacketHandler(PROTOCOL)
        self.corrupt = 0  # number of packets with a wrong checksum or a missing end
        self.port = (port_type or port_class(theirs))(bus.port, clock, bus.latency + 1e-3 * bus.return_delay)
        self.port.baudrate = bus.baud_rate  # the SDK would open the port at 1 million first
        try:
            self.port.openPort()
        except REFUSED as error:
            number = getattr(error, "errno", None)
            detail = " ".join(str(error).split())
            raise Unsupported(f"port {bus.port} {REASONS.get(number or 0, f'cannot be opened ({detail})')}") from None

    @contextmanager
    def patiently(self) -> Iterator[None]:
        """Wait longer for late answers: for transfers that do not have to be done in time. A port that breaks raises
        Unsupported.
        """
        usual, self.port.latency = self.port.latency, max(self.port.latency, PATIENCE)
        try:
            yield
        except BROKEN as error:
            raise Unsupported(f"port {self.port.port_name} was lost ({' '.join(str(error).split())})") from None
        finally:
            self.port.latency = usual

    def cut_short(self) -> None:
        """End the wait for answers of a transfer in another thread: something more urgent must be sent."""
        self.port.setPacketTimeoutMillis(0.0)

    def ping(self, identity: int) -> tuple[int | None, bool]:
        """Return the model number of a motor, None if it does not answer; and whether the answer is ambiguous."""
        number, result, _ = self.packets.ping(self.port, identity)
        if result == self.theirs.COMM_SUCCESS:
            self.clock.sleep(1e-3 * SECOND_ANSWER)  # a second motor with this ID may answer later
            return number, self.port.getBytesAvailable() > 0
        return None, result == self.theirs.COMM_RX_CORRUPT

    def read(self, identity: int, register: Register) -> int | None:
        """Return a value of a motor; None if the transfer failed."""
        data, result, _ = self.packets.readTxRx(self.port, identity, *register)
        return int.from_bytes(bytes(data), "little") if result == self.theirs.COMM_SUCCESS else None

    def write(self, identity: int, register: Register, value: int) -> bool:
        """Write a value to a motor; return whether the motor confirmed it."""
        data = list(value.to_bytes(register.size, "little"))
        result, error = self.packets.writeTxRx(self.port, identity, *register, data)
        return result == self.theirs.COMM_SUCCESS and not error & ~ALERT

    def write_all(self, identities: Sequence[int], register: Register, values: Iterable[int]) -> None:
        """Write a value to each motor by one packet, which no motor confirms."""
        group = self.theirs.GroupSyncWrite(self.port, self.packets, *register)
        for identity, value in zip(identities, values):
            group.addParam(identity, list(value.to_bytes(register.size, "little", signed=value < 0)))
        group.txPacket()

    def read_all(self, identities: Sequence[int], block: Register) -> dict[int, Status]:
        """Read a block of each motor by one request; motors whose answer is lost are missing.

        The SDK's own reader of a group stops at the first lost answer.
        """
        found: dict[int, Status] = {}
        result = self.packets.syncReadTx(self.port, *block, list(identities), len(identities), False)
        if result != self.theirs.COMM_SUCCESS:
            return found
        self.port.setPacketTimeout(len(identities) * (STATUS + block.size))
        while len(found) < len(identities):
            packet, result = self.packets.rxPacket(self.port, False)
            if result == self.theirs.COMM_SUCCESS:
                end = DATA_PLACE + block.size
                if len(packet) >= end + CHECKSUM:
                    status = Status(packet[ID_PLACE], packet[ERROR_PLACE], bytes(packet[DATA_PLACE:end]))
                    found[status.identity] = status
            elif not self.port.packet_timeout:  # the SDK sets it to 0 when it is over
                break
            else:
                self.corrupt += 1
        self.port.is_using = False
        return found

    def reboot(self, identity: int) -> bool:
        """Restart a motor; return whether it confirmed that."""
        result, _ = self.packets.reboot(self.port, identity)
        return result == self.theirs.COMM_SUCCESS

    def scan(self) -> dict[int, tuple[int, int]]:
        """Return model number and firmware of every motor that answers a broadcast, by ID."""
        found, _ = self.packets.broadcastPing(self.port)
        return {int(identity): (int(number), int(version)) for identity, (number, version) in found.items()}

    def close(self) -> None:
        """Close the port."""
        self.port.closePort()
