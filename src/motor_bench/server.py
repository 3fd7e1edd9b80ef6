"""Server thread that runs a bench in real time and answers packets."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from select import select
from threading import Lock, Thread
from time import monotonic
from typing import Any

import numpy as np

from motor_bench.bench import Bench
from serpenoid.engines.base import Initial

NAP = 0.004  # longest wait for a packet before the simulation advances [s]
SLICE = 0.005  # longest time simulated before answers are sent [s]
FARTHEST = 0.02  # largest delay that a bench catches up [s]


class Server(ABC):
    """A server that advances a bench in real time and answers packets."""

    address: Any  # at which the motors are reached

    def __init__(self, bench: Any, show: Callable[[float], None] | None = None) -> None:
        self.bench: Bench = bench
        self.show = show  # called with the bench's run time [s] as it advances
        bench.warm_up()
        self.source = self.opened()
        self.running = True
        self.lock = Lock()
        self.began = monotonic() - bench.time  # clock time at which the bench's time was 0 [s]
        self.thread = Thread(target=self.serve, daemon=True)
        self.thread.start()

    @abstractmethod
    def opened(self) -> int:
        """Open the channel to the motors, set its address, and return its file number."""

    @abstractmethod
    def hear(self) -> None:
        """Receive all packets that have arrived."""

    @abstractmethod
    def send(self, answer: Any) -> None:
        """Send an answer of the bench."""

    @abstractmethod
    def shut(self) -> None:
        """Close the channel."""

    def serve(self) -> None:
        """Serve until closed: wait, advance to the present, receive, answer."""
        while self.running:
            self.rest()
            with self.lock:
                self.bench.carry_on(self.due())
                self.hear()
                answers = self.bench.delivered()
                self.tell()
            for answer in answers:
                self.send(answer)
        self.shut()

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
        select([self.source], [], [], min(max(left, 0.0), NAP))

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
        """Switch the motors off."""
        self.running = False
        self.thread.join()
