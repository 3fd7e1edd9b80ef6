"""Emulated modules: a simulated robot that accepts commands and answers as HEBI modules do."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hebi_twin.wire import Message
from motor_bench.bench import TOO_SOON, Bench
from serpenoid.control.base import Command, Observation
from serpenoid.engines.base import Initial
from serpenoid.errors import SerpenoidError
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
from serpenoid.runtime.events import Event

NOBODY = -1


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


class ModuleBench(Bench):
    """HEBI modules on a bench."""

    KINDS: ClassVar[frozenset[str]] = frozenset(
        ("drop", "late", "vanish", "noise", "stall", "brown_out", "hot", "clock", "blank")
    )

    def prepare(self) -> None:
        self.subscriptions: dict[int, Subscription] = {}
        self.settings = settings_of(self.plant.robot, [m.joint for m in self.modules])
        self.asked = 0  # lookups so far

    def reset(self, initial: Initial, rng: np.random.Generator) -> None:
        """Place the robot at an initial pose; packets in transit are lost, and nothing is commanded."""
        super().reset(initial, rng)
        size = len(self.modules)
        self.targets = {name: np.full(size, np.nan) for name in TARGETS}
        self.idle_position = np.zeros(size)
        self.expires, self.owner = np.full(size, -np.inf), np.full(size, NOBODY)
        self.arrivals: list[tuple[float, int, Message]] = []  # commands in transit
        for subscription in self.subscriptions.values():
            subscription.due = self.time + 1.0 / subscription.frequency if subscription.frequency else np.inf

    def warm_up(self) -> None:
        self.feedback(NOBODY, 0)
        super().warm_up()

    def take(self, message: Message) -> None:
        """Accept a packet for the modules; it may be late or lost."""
        if not self.lost():
            heapq.heappush(self.arrivals, (self.time + self.delay, next(self.numbers), message))
        self.handle()

    def events(self) -> list[float]:
        times = [subscription.due for subscription in self.subscriptions.values()]
        expiries = self.expires[self.expires > self.time + TOO_SOON]
        return [*times, *(arrival[0] for arrival in self.arrivals[:1]), *expiries]

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
        module_state = self.telemetry(seen)
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
            **dict.fromkeys(TEMPERATURES, module_state["temperature"]), "voltage": module_state["voltage"],
            "motor_current": module_state["current"],
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


def first(value: Any, other: Any) -> Any:
    """Return the value, or the other if it is None."""
    return other if value is None else value
