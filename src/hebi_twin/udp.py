"""Emulator behind a network: a bench that runs in real time on loopback UDP, and the link to it."""

from __future__ import annotations

import socket
from collections.abc import Callable
from select import select
from threading import Condition, Lock, Thread
from time import monotonic, sleep
from typing import TYPE_CHECKING

import numpy as np

from hebi_twin.link import Link
from hebi_twin.simulated_modules import ModuleBench
from hebi_twin.wire import LARGEST, Message, packed, unpacked
from serpenoid.engines.base import Initial
from serpenoid.hardware.clock import RealClock, Timer

if TYPE_CHECKING:
    from hebi_twin.server_process import ServerProcess

LOOPBACK = "127.0.0.1"
NAP = 0.004  # longest wait for a packet before the simulation advances [s]
SLICE = 0.005  # longest time simulated before answers are sent [s]
FARTHEST = 0.02  # largest delay that a bench catches up [s]
BUFFER = 1 << 20  # bytes of the system's receive buffer


def opened() -> socket.socket:
    """Open a socket on loopback, at a free port."""
    found = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
    found.bind((LOOPBACK, 0))
    return found


class Server:
    """A server that advances a bench in real time and answers packets."""

    def __init__(self, bench: ModuleBench, show: Callable[[float], None] | None = None) -> None:
        self.bench = bench
        self.show = show  # called with the bench's run time [s] as it advances
        bench.warm_up()
        self.socket = opened()
        self.socket.setblocking(False)
        self.address = self.socket.getsockname()
        self.senders: dict[int, tuple[str, int]] = {}
        self.running = True
        self.lock = Lock()
        self.began = monotonic() - bench.time  # clock time at which the bench's time was 0 [s]
        self.thread = Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self) -> None:
        """Serve until closed: wait, advance to the present, receive, answer."""
        while self.running:
            self.rest()
            with self.lock:
                self.bench.carry_on(self.due())
                self.hear()
                answers = self.bench.delivered()
                self.tell()
            for message in answers:
                if message.sender in self.senders:
                    self.socket.sendto(packed(message), self.senders[message.sender])
        self.socket.close()

    def due(self) -> float:
        """Return the bench's next time [s]: now, in slices if it is behind. Far behind, its clock stops.

        A loaded machine may give a simulation less time than it needs.
        """
        now, last = monotonic(), self.bench.time
        self.began = max(self.began, now - last - FARTHEST)
        return min(now - self.began, last + SLICE)

    def rest(self) -> None:
        """Wait until a packet arrives or the bench has an event, for a limited time."""
        with self.lock:
            due = self.bench.origin + self.bench.next_stop() * self.bench.plant.engine.step
        left = due + self.began - monotonic()
        select([self.socket], [], [], min(max(left, 0.0), NAP))

    def hear(self) -> None:
        """Receive all packets that have arrived."""
        while True:
            try:
                data, address = self.socket.recvfrom(LARGEST)
            except BlockingIOError:
                return
            message = unpacked(data)
            if message is not None:
                self.senders[message.sender] = address
                self.bench.take(message)

    def tell(self) -> None:
        """Report the time of the bench."""
        if self.show is not None:
            self.show(self.bench.run_time)

    @property
    def run_time(self) -> float:
        """Return the time of the bench since the robot was placed at its start [s]."""
        return self.bench.run_time

    def place(self, initial: Initial, rng: np.random.Generator) -> None:
        """Place the robot at an initial pose; the bench's clock stops meanwhile."""
        with self.lock:
            self.bench.reset(initial, rng)
            self.began = monotonic() - self.bench.time
            self.tell()

    def close(self) -> None:
        """Switch the modules off."""
        self.running = False
        self.thread.join()


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
