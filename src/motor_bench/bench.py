"""Emulated motors on a bench: a simulated robot, its faults, and packets in transit."""

from __future__ import annotations

import heapq
from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import count
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.base import Command, Observation
from serpenoid.engines.base import Initial
from serpenoid.errors import require
from serpenoid.hardware.faults import Fault
from serpenoid.robots.telemetry import Telemetry
from serpenoid.runtime.plants import SimulatedPlant

TOO_SOON = 1e-9  # [s], less than the time between two steps


class Bench(ABC):
    """Motors on a bench, moved by a simulated plant. Its time advances on request and is monotonic."""

    KINDS: ClassVar[frozenset[str]]  # of the faults that it can have

    def __init__(self, plant: SimulatedPlant, modules: Sequence[Any], faults: Sequence[Fault] = (), seed: int = 0):
        self.plant, self.modules, self.faults = plant, tuple(modules), tuple(faults)
        for fault in faults:
            require(fault.kind in self.KINDS, "kind", fault.kind, f"one of {', '.join(sorted(self.KINDS))}")
            require(fault.module < len(self.modules), "module", fault.module, f"below {len(self.modules)}")
        self.seed = seed
        self.joints = np.array([m.joint for m in self.modules if m.joint is not None], dtype=int)
        self.places = np.array([i for i, m in enumerate(self.modules) if m.joint is not None], dtype=int)
        self.origin = 0.0  # time at which the plant's run began [s]
        self.draws = np.random.default_rng(seed)
        self.numbers = count()
        self.prepare()
        self.reset(Initial(), np.random.default_rng(seed))

    @abstractmethod
    def prepare(self) -> None:
        """Switch the motors on, with their usual settings."""

    @abstractmethod
    def handle(self) -> None:
        """Process due events: packets that arrive, feedback to send."""

    @abstractmethod
    def active(self) -> Command:
        """Return the present command of the drives, modified by faults."""

    def reset(self, initial: Initial, rng: np.random.Generator) -> None:
        """Place the robot at an initial pose; packets in transit are lost."""
        self.origin = self.time
        self.plant.start(initial, rng)
        self.outbox: list[tuple[float, int, Any]] = []  # answers in transit
        self.frozen: dict[int, float] = {}  # angles of stalled joints [rad]
        self.seen: tuple[int, Observation] | None = None

    def warm_up(self) -> None:
        """Run a step once, so that compiled code is loaded before the clock matters."""
        self.carry_on(self.time + self.plant.engine.step)
        self.observed()
        self.reset(Initial(), np.random.default_rng(0))

    @property
    def time(self) -> float:
        """Time [s]."""
        return self.origin + (self.plant.time if hasattr(self.plant, "state") else 0.0)

    @property
    def run_time(self) -> float:
        """Return the time since the robot was placed at its start [s]."""
        return self.time - self.origin

    def acting(self, kind: str) -> list[Fault]:
        """Return the active faults of a kind."""
        return [fault for fault in self.faults if fault.kind == kind and fault.acts(self.run_time + TOO_SOON)]

    def lost(self) -> bool:
        """Return whether a packet sent now is lost."""
        return any(self.draws.random() < fault.strength for fault in self.acting("drop"))

    @property
    def delay(self) -> float:
        """Return the delay of a packet sent now [s]."""
        return sum(fault.strength for fault in self.acting("late"))

    @property
    def absent(self) -> set[int]:
        """Return the motors that do not answer."""
        return {fault.module for fault in self.acting("vanish")}

    def answer(self, message: Any, after: float = 0.0) -> None:
        """Send a packet of the motors after a time [s]; it may be late or lost."""
        if not self.lost():
            heapq.heappush(self.outbox, (self.time + after + self.delay, next(self.numbers), message))

    def delivered(self) -> list[Any]:
        """Return the answers that are due."""
        found = []
        while self.outbox and self.outbox[0][0] <= self.time + TOO_SOON:
            found.append(heapq.heappop(self.outbox)[2])
        return found

    def events(self) -> list[float]:
        """Return the times of future events, beside those of faults and answers [s]."""
        return []

    def next_event(self) -> float:
        """Return the time of the next event [s]."""
        now = self.time + TOO_SOON
        edges = [self.origin + edge for f in self.faults for edge in (f.start, f.start + f.duration)]
        answers = [self.outbox[0][0]] if self.outbox else []
        return min([np.inf, *answers, *self.events(), *(edge for edge in edges if edge > now)])

    def next_stop(self) -> float:
        """Return the number of integration steps of the run at the next event; at least one more than now."""
        due = np.ceil((self.next_event() - self.origin) / self.plant.engine.step - 1e-6)
        return float(max(due, self.plant.number + 1))

    def carry_on(self, until: float) -> None:
        """Advance up to a time [s], to the last whole integration step before it."""
        step = self.plant.engine.step
        end = int((until - self.origin) / step + 1e-6)
        while self.plant.number < end:
            stop = int(min(end, self.next_stop()))
            self.plant.carry(self.active(), stop - self.plant.number)
            self.handle()

    def with_faults(self, command: Command) -> Command:
        """Apply brown-outs and stalled joints to a command."""
        if self.acting("brown_out"):
            return Command.empty(self.plant.robot.joints)
        held = [self.modules[fault.module].joint for fault in self.acting("stall")]
        now = self.joint_angles()
        self.frozen = {j: self.frozen.get(j, float(now[j])) for j in held if j is not None}
        for joint, angle in self.frozen.items():
            for part in command:
                part[joint] = np.nan
            command.position[joint], command.velocity[joint] = angle, 0.0
        return command

    def joint_angles(self) -> NDArray:
        """Return the joint angles [rad]."""
        found = self.plant.engine.direct("joint_position", self.plant.state)
        assert found is not None
        return found

    def observed(self) -> Observation:
        """Return the present observation; repeated calls return the same noise."""
        if self.seen is None or self.seen[0] != self.plant.number:
            self.seen = (self.plant.number, self.plant.observe())
        return self.seen[1]

    def telemetry(self, seen: Observation) -> dict[str, NDArray]:
        """Return temperature, voltage and current; values at rest if the engine does not provide them."""
        usual = self.plant.robot.telemetry or Telemetry()
        size = len(self.modules)
        heat = self.over(seen.temperature, np.full(size, usual.ambient))
        for fault in self.acting("hot"):
            heat[fault.module] = fault.strength
        voltage = self.over(seen.voltage, np.full(size, usual.voltage))
        for fault in self.acting("brown_out"):
            voltage = np.full(size, fault.strength)
        current = self.over(seen.current, np.full(size, usual.resting_current))
        return {"temperature": heat, "voltage": voltage, "current": current}

    def over(self, joints: NDArray | None, rest: NDArray | None = None) -> NDArray:
        """Convert a quantity of joints to one of motors; motors that are not joints have `rest`, or 0."""
        column = np.zeros(len(self.modules)) if rest is None else np.array(rest, dtype=float)
        if joints is not None:
            column[self.places] = joints[self.joints]
        return column
