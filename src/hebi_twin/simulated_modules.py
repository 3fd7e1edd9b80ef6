"""Emulated modules: a simulated robot that accepts commands and answers as HEBI modules do."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hebi_twin.wire import Message
from serpenoid.control.base import Command, Observation
from serpenoid.engines.base import Initial
from serpenoid.errors import SerpenoidError
from serpenoid.hardware.faults import Fault
from serpenoid.hardware.hebi_fields import (
    LOCKED_BY_OTHER,
    LOCKED_BY_SENDER,
    SETTINGS,
    TARGETS,
    TEMPERATURES,
    TIMES,
    UNLOCKED,
)
from serpenoid.hardware.hebi_settings import drive_with, settings_of
from serpenoid.robots.sensors import FRONT_LINK, SENSED
from serpenoid.robots.telemetry import Telemetry
from serpenoid.runtime.events import Event
from serpenoid.runtime.plants import SimulatedPlant

NOBODY = -1
TOO_SOON = 1e-9  # [s], less than the time between two steps


class Module(NamedTuple):
    """One module on the network."""

    name: str
    family: str
    mac: str  # such as 00:1E:C0:F4:3F:78
    address: str  # IPv4
    joint: int | None = None  # of the robot; None for a separate module
    chain: int = 0  # modules of one chain are connected


@dataclass
class Subscription:
    """Receiver of feedback of some modules, and its frequency."""

    modules: list[int]
    frequency: float  # [Hz]
    due: float  # time of the next one [s]
    number: int = 0  # packets so far


class ModuleBench:
    """Modules on a bench, moved by a simulated plant. Its time advances on request and is monotonic."""

    def __init__(self, plant: SimulatedPlant, modules: Sequence[Module], faults: Sequence[Fault] = (), seed: int = 0):
        self.plant, self.modules, self.faults = plant, tuple(modules), tuple(faults)
        self.seed = seed
        self.joints = np.array([m.joint for m in self.modules if m.joint is not None], dtype=int)
        self.places = np.array([i for i, m in enumerate(self.modules) if m.joint is not None], dtype=int)
        self.origin = 0.0  # time at which the plant's run began [s]
        self.draws = np.random.default_rng(seed)
        self.subscriptions: dict[int, Subscription] = {}
        self.settings = settings_of(plant.robot, [m.joint for m in self.modules])
        self.numbers = count()
        self.asked = 0  # lookups so far
        self.reset(Initial(), np.random.default_rng(seed))

    def reset(self, initial: Initial, rng: np.random.Generator) -> None:
        """Place the robot at an initial pose; packets in transit are lost, and nothing is commanded."""
        self.origin = self.time
        self.plant.start(initial, rng)
        size = len(self.modules)
        self.targets = {name: np.full(size, np.nan) for name in TARGETS}
        self.idle_position = np.zeros(size)
        self.expires, self.owner = np.full(size, -np.inf), np.full(size, NOBODY)
        self.arrivals: list[tuple[float, int, Message]] = []  # commands in transit
        self.outbox: list[tuple[float, int, Message]] = []  # answers in transit
        self.frozen: dict[int, float] = {}  # angles of stalled joints [rad]
        self.seen: tuple[int, Observation] | None = None
        for subscription in self.subscriptions.values():
            subscription.due = self.time + 1.0 / subscription.frequency if subscription.frequency else np.inf

    def warm_up(self) -> None:
        """Run a step and a feedback once, so that compiled code is loaded before the clock matters."""
        self.carry_on(self.time + self.plant.engine.step)
        self.feedback(NOBODY, 0)
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
        """Return the modules that do not answer."""
        return {fault.module for fault in self.acting("vanish")}

    def take(self, message: Message) -> None:
        """Accept a packet for the modules; it may be late or lost."""
        if not self.lost():
            heapq.heappush(self.arrivals, (self.time + self.delay, next(self.numbers), message))
        self.handle()

    def answer(self, message: Message) -> None:
        """Send a packet of the modules; it may be late or lost."""
        if not self.lost():
            heapq.heappush(self.outbox, (self.time + self.delay, next(self.numbers), message))

    def delivered(self) -> list[Message]:
        """Return the answers that are due."""
        found = []
        while self.outbox and self.outbox[0][0] <= self.time + TOO_SOON:
            found.append(heapq.heappop(self.outbox)[2])
        return found

    def next_event(self) -> float:
        """Return the time of the next event [s]."""
        times = [subscription.due for subscription in self.subscriptions.values()]
        times += [heap[0][0] for heap in (self.arrivals, self.outbox) if heap]
        now = self.time + TOO_SOON
        edges = [self.origin + edge for f in self.faults for edge in (f.start, f.start + f.duration)]
        times += [edge for edge in edges if edge > now]
        return min([*times, float(self.expires.min(where=self.expires > now, initial=np.inf))])

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

    def handle(self) -> None:
        """Process due events: packets that arrive, feedback to send."""
        while self.arrivals and self.arrivals[0][0] <= self.time + TOO_SOON:
            message = heapq.heappop(self.arrivals)[2]
            getattr(self, f"on_{message.kind}", self.on_unknown)(message)
        for sender, subscription in self.subscriptions.items():
            if subscription.due <= self.time + TOO_SOON:
                self.send_feedback(sender, subscription)
                subscription.due += 1.0 / subscription.frequency

    def on_unknown(self, message: Message) -> None:
        """Ignore an unknown packet."""

    def on_lookup(self, message: Message) -> None:
        """Answer a lookup."""
        self.asked += 1
        there = [i for i in range(len(self.modules)) if i not in self.absent]
        rows = [[i, m.name, m.family, m.mac, m.address, m.chain] for i, m in enumerate(self.modules) if i in there]
        self.answer(Message("modules", message.sender, {"modules": rows}, {}))

    def on_subscribe(self, message: Message) -> None:
        """Subscribe to periodic feedback; 0 Hz means only on request."""
        frequency = float(message.meta["frequency"])
        due = self.time + 1.0 / frequency if frequency else np.inf
        self.subscriptions[message.sender] = Subscription(list(message.meta["modules"]), frequency, due)

    def on_bye(self, message: Message) -> None:
        """Release a group."""
        self.subscriptions.pop(message.sender, None)

    def on_request(self, message: Message) -> None:
        """Send feedback at once."""
        if message.sender in self.subscriptions:
            self.send_feedback(message.sender, self.subscriptions[message.sender])

    def on_info(self, message: Message) -> None:
        """Send names and settings."""
        places = list(message.meta["modules"])
        if self.absent.isdisjoint(places):
            rows = [self.modules[i] for i in places]
            words = {"name": [m.name for m in rows], "family": [m.family for m in rows],
                     "mac_address": [m.mac for m in rows], "serial": [m.mac.replace(":", "") for m in rows],
                     "ip_address": [m.address for m in rows]}  # fmt: skip
            columns = {name: column[places] for name, column in self.settings.items()}
            self.answer(Message("information", message.sender, {"words": words, "id": message.meta["id"]}, columns))

    def on_command(self, message: Message) -> None:
        """Apply set points and settings; modules controlled by another sender ignore them."""
        places = np.array(message.meta["modules"], dtype=int)
        others = (self.owner[places] != NOBODY) & (self.owner[places] != message.sender)
        locked = others & (self.expires[places] > self.time)
        hears = ~locked & ~np.isin(places, list(self.absent))
        taken = bool(hears.all())
        if any(name in message.values for name in TARGETS):
            lifetime = float(message.meta["lifetime"])
            free = places[hears]
            for name in TARGETS:
                self.targets[name][free] = message.values.get(name, np.full(len(places), np.nan))[hears]
            self.expires[free] = self.time + lifetime if lifetime else np.inf
            self.owner[free] = message.sender if lifetime else NOBODY
        if any(name in message.values for name in SETTINGS):
            taken = taken and self.set(places, {n: v for n, v in message.values.items() if n in SETTINGS})
        if message.meta.get("id") is not None and taken:
            self.answer(Message("acknowledge", message.sender, {"id": message.meta["id"]}, {}))

    def set(self, places: NDArray, given: Mapping[str, NDArray]) -> bool:
        """Apply settings; return False if the drives cannot have them."""
        settings = {name: column.copy() for name, column in self.settings.items()}
        for name, column in given.items():
            kept = ~np.isnan(column)
            settings[name][places[kept]] = column[kept]
        try:
            drive = drive_with(self.plant.robot, settings, self.places, self.joints.tolist())
            if drive is not None:
                self.plant.apply(Event(0, "robot.drive", drive))
        except SerpenoidError:
            return False
        self.settings = settings
        return True

    def active(self) -> Command:
        """Return the present command of the drives: targets that have not expired, modified by faults."""
        live = self.expires > self.time + TOO_SOON
        low, high = self.settings["position_limit_min"], self.settings["position_limit_max"]
        position = np.clip(self.targets["position"], low, high)
        rows = [np.where(live, row, np.nan) for row in (position, self.targets["velocity"], self.targets["effort"])]
        self.idle_position = np.where(live & ~np.isnan(rows[0]), rows[0], self.idle_position)
        command = Command.empty(self.plant.robot.joints)
        for part, row in zip((command.position, command.velocity, command.torque), rows):
            part[self.joints] = row[self.places]
        return self.with_faults(command)

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

    def send_feedback(self, sender: int, subscription: Subscription) -> None:
        """Send feedback to a group, once all of its modules have answered."""
        subscription.number += 1
        if self.absent.isdisjoint(subscription.modules):
            values = self.feedback(sender, subscription.number)
            chosen = {name: column[subscription.modules] for name, column in values.items()}
            self.answer(Message("feedback", sender, {}, chosen))

    def feedback(self, sender: int, number: int) -> dict[str, NDArray]:
        """Return every column of feedback over all modules."""
        size, seen = len(self.modules), self.observed()
        time = self.time + sum(fault.strength for fault in self.acting("clock"))
        other = (self.expires > self.time) & (self.owner != NOBODY)
        state = np.where(other, np.where(self.owner == sender, LOCKED_BY_SENDER, LOCKED_BY_OTHER), UNLOCKED)
        columns = {
            **{row.feedback: self.column(name, seen) for name, row in SENSED.items() if row.feedback},
            "position": self.over(seen.joint_position, self.idle_position),
            **{f"{name}_command": column.copy() for name, column in self.targets.items()},
            "motor_position": self.over(first(seen.motor_position, seen.joint_position), self.idle_position),
            "command_lifetime_state": state, "sequence_number": np.full(size, float(number)),
            "sender_id": np.full(size, float(sender)), "led": self.settings["led"].copy(),
            **self.telemetry(seen),
        }  # fmt: skip
        columns["deflection"] = columns["motor_position"] - columns["position"]
        for stamp in TIMES:
            columns[stamp] = np.full(size, time)
        for fault in self.acting("noise"):
            columns["position"] = columns["position"] + fault.strength * self.draws.standard_normal(size)
        for fault in self.acting("blank"):
            for name in columns.keys() - TIMES:
                columns[name] = np.array(columns[name], dtype=float)
                columns[name][fault.module] = np.nan
        return columns

    def telemetry(self, seen: Observation) -> dict[str, NDArray]:
        """Return temperatures, voltage and current; values at rest if the engine does not provide them."""
        usual = self.plant.robot.telemetry or Telemetry()
        size = len(self.modules)
        heat = self.over(seen.temperature, np.full(size, usual.ambient))
        for fault in self.acting("hot"):
            heat[fault.module] = fault.strength
        voltage = self.over(seen.voltage, np.full(size, usual.voltage))
        for fault in self.acting("brown_out"):
            voltage = np.full(size, fault.strength)
        current = self.over(seen.current, np.full(size, usual.resting_current))
        return {**{name: heat.copy() for name in TEMPERATURES}, "voltage": voltage, "motor_current": current}

    def column(self, name: str, seen: Observation) -> NDArray:
        """Return a sensed quantity over the modules: 0, or NaN for links, if the simulation does not provide it.

        Quantities of links are those of the front half of each module, in that link's axes.
        """
        values: Any = seen.read(name)
        if SENSED[name].mapping != FRONT_LINK:
            return self.over(values)
        found = np.full((len(self.modules), 3), np.nan)
        if values is not None:
            found[self.places] = values[self.joints]
        return found

    def over(self, joints: NDArray | None, rest: NDArray | None = None) -> NDArray:
        """Convert a quantity of joints to one of modules; modules that are not joints have `rest`, or 0."""
        column = np.zeros(len(self.modules)) if rest is None else np.array(rest, dtype=float)
        if joints is not None:
            column[self.places] = joints[self.joints]
        return column


def first(value: Any, other: Any) -> Any:
    """Return the value, or the other if it is None."""
    return other if value is None else value
