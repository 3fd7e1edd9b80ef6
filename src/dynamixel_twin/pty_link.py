"""Pseudo-terminal in place of a serial port: as fast as the simulation runs, or in real time."""

from __future__ import annotations

import os
import termios
import tty
from select import select
from typing import Any

from dynamixel_twin.simulated_motors import MotorBench
from motor_bench.clock import SimulatedClock
from motor_bench.server import Server
from serpenoid.errors import Unsupported
from serpenoid.hardware.dynamixel_models import BAUD_RATES
from serpenoid.hardware.dynamixel_port import port_class, sdk

LONGEST = 65_536  # bytes read at once
PATIENCE = 5.0  # within which bytes pass a pseudo-terminal [s]
SPEEDS = {getattr(termios, f"B{rate}", None): rate for rate in BAUD_RATES}


class Pty:
    """A pseudo-terminal whose far end has motors."""

    def __init__(self) -> None:
        self.master, self.slave = os.openpty()  # the slave stays open, so that the master can always be read
        tty.setraw(self.slave)
        os.set_blocking(self.master, False)
        self.name = os.ttyname(self.slave)

    @property
    def baud_rate(self) -> int | None:
        """Baud rate that the program has set; None if the system has no name for it."""
        return SPEEDS.get(termios.tcgetattr(self.master)[5])

    def received(self) -> bytes:
        """Return the bytes that have arrived."""
        try:
            return os.read(self.master, LONGEST)
        except BlockingIOError:
            return b""

    def send(self, data: bytes) -> None:
        """Send bytes to the program."""
        while data:
            select([], [self.master], [], PATIENCE)
            data = data[os.write(self.master, data) :]

    def close(self) -> None:
        """Remove the pseudo-terminal."""
        os.close(self.master)
        os.close(self.slave)


class PtyServer(Server):
    """A server of motors on a pseudo-terminal, in real time."""

    bench: MotorBench

    def opened(self) -> int:
        self.pty = Pty()
        self.address: str = self.pty.name
        return self.pty.master

    def hear(self) -> None:
        data = self.pty.received()
        if data:
            self.bench.hear(data, self.pty.baud_rate)

    def send(self, answer: bytes) -> None:
        self.pty.send(answer)

    def shut(self) -> None:
        self.pty.close()


class PtyLink(SimulatedClock):
    """A pseudo-terminal to a bench in this process. Its time advances only while the program waits.

    The kernel passes bytes on after an unknown time; both ends wait until all bytes have arrived.
    """

    bench: MotorBench

    def __init__(self, bench: MotorBench) -> None:
        super().__init__(bench)
        self.pty = Pty()
        self.address = self.pty.name
        self.sent = 0  # bytes of the motors
        self.open = True

    def accept(self, count: int) -> None:
        """Pass as many bytes of the program on to the motors."""
        data = b""
        while len(data) < count:
            if not select([self.pty.master], [], [], PATIENCE)[0]:
                raise Unsupported("the pseudo-terminal lost bytes")
            data += self.pty.received()
        self.bench.hear(data, self.pty.baud_rate)
        self.deliver()

    def deliver(self) -> None:
        for packet in self.bench.delivered() if self.open else ():
            self.pty.send(packet)
            self.sent += len(packet)

    def port_type(self) -> Any:
        """Return a port of the SDK that waits for bytes in transit."""
        link, base = self, port_class(sdk())

        class LinkedPort(base):  # type: ignore[misc, valid-type]
            """A port in the same process as its motors."""

            taken = 0  # bytes of the motors that were read or cleared

            def arrived(self, most: int = LONGEST) -> int:
                """Wait until all bytes have arrived that were sent, or `most`; return how many are left to read."""
                left = link.sent - self.taken
                while self.ser.in_waiting < min(left, most):
                    select([self.ser.fileno()], [], [], PATIENCE)
                return left

            def writePort(self, packet: Any) -> int:  # noqa: N802 - the SDK's name
                count: int = super().writePort(packet)
                link.accept(count)
                return count

            def readPort(self, length: int) -> bytes:  # noqa: N802
                self.arrived(length)
                found: bytes = super().readPort(length)
                self.taken += len(found)
                return found

            def clearPort(self) -> None:  # noqa: N802
                self.taken += self.arrived()
                super().clearPort()

            def getBytesAvailable(self) -> int:  # noqa: N802
                return self.arrived()

            def setupPort(self, cflag_baud: int) -> bool:  # noqa: N802
                self.taken = link.sent
                done: bool = super().setupPort(cflag_baud)
                return done

        return LinkedPort

    def close(self) -> None:
        """Remove the motors."""
        if self.open:
            self.open = False
            self.pty.close()
