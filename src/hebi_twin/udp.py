"""Emulator behind a network: a bench that runs in real time on loopback UDP, and the link to it."""

from __future__ import annotations

import socket
from collections.abc import Callable
from threading import Condition, Thread
from time import monotonic, sleep

from hebi_twin.link import Link
from hebi_twin.simulated_modules import ModuleBench
from hebi_twin.wire import LARGEST, Message, packed, unpacked
from motor_bench.server import Server
from motor_bench.server_process import ServerProcess
from serpenoid.hardware.clock import RealClock, Timer

LOOPBACK = "127.0.0.1"
BUFFER = 1 << 20  # bytes of the system's receive buffer


def opened() -> socket.socket:
    """Open a socket on loopback, at a free port."""
    found = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
    found.bind((LOOPBACK, 0))
    return found


class UdpServer(Server):
    """A server of modules on loopback UDP."""

    bench: ModuleBench

    def opened(self) -> int:
        self.socket = opened()
        self.socket.setblocking(False)
        self.address: tuple[str, int] = self.socket.getsockname()
        self.senders: dict[int, tuple[str, int]] = {}
        return self.socket.fileno()

    def hear(self) -> None:
        while True:
            try:
                data, address = self.socket.recvfrom(LARGEST)
            except BlockingIOError:
                return
            message = unpacked(data)
            if message is not None:
                self.senders[message.sender] = address
                self.bench.take(message)

    def send(self, answer: Message) -> None:
        if answer.sender in self.senders:
            self.socket.sendto(packed(answer), self.senders[answer.sender])

    def shut(self) -> None:
        self.socket.close()


class UdpLink(Link):
    """A link to a server; a thread delivers answers."""

    def __init__(self, server: Server | ServerProcess) -> None:
        super().__init__()
        self.server, self.clock = server, RealClock()
        self.socket = opened()
        self.socket.settimeout(0.1)
        self.news, self.open = Condition(), True
        self.thread = Thread(target=self.listen, daemon=True)
        self.thread.start()

    def now(self) -> float:
        return monotonic()

    def sleep(self, seconds: float) -> None:
        sleep(max(0.0, seconds))

    def every(self, period: float, call: Callable[[], None]) -> Timer:
        return self.clock.every(period, call)

    def send(self, message: Message) -> bool:
        if not self.open:
            return False
        data = packed(message)
        return len(data) <= LARGEST and self.socket.sendto(data, self.server.address) == len(data)

    def wait(self, ready: Callable[[], bool], timeout: float) -> bool:
        with self.news:
            return self.news.wait_for(ready, timeout)

    def listen(self) -> None:
        """Run the thread that delivers answers."""
        while self.open:
            try:
                message = unpacked(self.socket.recv(LARGEST))
            except TimeoutError:
                continue
            except OSError:
                return
            if message is not None:
                with self.news:
                    self.hand_out(message)
                    self.news.notify_all()

    def close(self) -> None:
        if self.open:
            self.open = False
            self.thread.join()
            self.socket.close()
            self.server.close()
