"""Lookup of the emulator's modules: entries, and groups by names, family, addresses or connection."""

from __future__ import annotations

import ipaddress
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from hebi_twin.group import Group, Settings, seconds
from hebi_twin.link import Link
from hebi_twin.wire import Message
from serpenoid.hardware.clock import Timer

LOOKUP_FREQUENCY = 5.0  # [Hz]
STALE_AFTER = 3.5  # lookups without an answer


class Entry:
    """A module that was found."""

    def __init__(self, row: Sequence[Any], seen: float, lookup: Lookup):
        self.place, self.name, self.family, self.mac_address, address, self.chain = row
        self.ip_address = ipaddress.ip_address(address)
        self._seen, self._lookup = seen, lookup

    def __str__(self) -> str:
        return f"Family: {self.family} Name: {self.name} Mac Address: {self.mac_address}"

    @property
    def is_stale(self) -> bool:
        """True if it no longer answers."""
        frequency = self._lookup.lookup_frequency
        return frequency > 0.0 and self._lookup.link.now() - self._seen > STALE_AFTER / frequency


class EntryList:
    """All modules that were found."""

    def __init__(self, entries: Sequence[Entry]):
        self._entries = list(entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, index: int) -> Entry:
        return self._entries[index]

    def __str__(self) -> str:
        return str([str(entry) for entry in self._entries])


class Lookup:
    """A periodic search for modules, which creates groups of them."""

    DEFAULT_TIMEOUT_MS = 500

    def __init__(self, interfaces: str | list[str] | None = None, link: Link | None = None):
        from hebi_twin.network import current_link

        self.link = link or current_link()
        self.sender = random.getrandbits(31)
        self.link.listeners[self.sender] = self._receive
        self.initial_group_feedback_frequency = Settings().feedback_frequency
        """[Hz] of new groups; an addition to hebi-py's names"""
        self.initial_group_command_lifetime = Settings().command_lifetime
        """[ms] of new groups; an addition to hebi-py's names"""
        self._timer: Timer | None = None
        self.reset(interfaces)
        self.lookup_frequency = LOOKUP_FREQUENCY

    def __str__(self) -> str:
        count = len(self.entrylist)
        found = f"{count or 'no'} module{'s'[: count != 1]}"
        return f"Lookup(lookup_frequency={self.lookup_frequency}; {found} found)"

    def reset(self, interfaces: str | list[str] | None = None) -> None:
        """Clear the list and search again at these addresses (of one module, or x.y.z.255 for many); all if none."""
        self.interfaces = [interfaces] if isinstance(interfaces, str) else list(interfaces or [])
        self._entries: dict[int, Entry] = {}
        self._ask()

    @property
    def lookup_frequency(self) -> float:
        """Frequency of the search for modules [Hz]."""
        return self._frequency

    @lookup_frequency.setter
    def lookup_frequency(self, value: float) -> None:
        try:
            self._frequency = float(value)
        except (TypeError, ValueError):
            raise ValueError("frequency must be a number") from None
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.link.every(1.0 / self._frequency, self._ask) if self._frequency > 0.0 else None

    @property
    def entrylist(self) -> EntryList:
        """Modules found so far, in the order of the network."""
        return EntryList([self._entries[place] for place in sorted(self._entries)])

    def get_group_from_names(
        self, families: str | list[str], names: str | list[str], timeout_ms: float | None = None
    ) -> Group | None:
        """Return the modules of these names, in this order; `*` is any family."""
        families, names = ([each] if isinstance(each, str) else list(each) for each in (families, names))
        size = max(len(families), len(names))
        if {len(families), len(names)} - {1, size} or not families or not names:
            return None
        pairs = [(families[i % len(families)], names[i % len(names)]) for i in range(size)]
        return self._group(lambda: [self._named(*pair) for pair in pairs], timeout_ms)

    def get_group_from_macs(self, addresses: list[Any], timeout_ms: float | None = None) -> Group | None:
        """Return the modules of these hardware addresses."""
        macs = [mac_text(address) for address in addresses]
        return self._group(lambda: [self._found("mac_address", mac) for mac in macs], timeout_ms)

    def get_group_from_family(self, family: str, timeout_ms: float | None = None) -> Group | None:
        """Return all modules of a family."""
        return self._group(lambda: [entry for entry in self.entrylist if entry.family == family], timeout_ms)

    def get_connected_group_from_name(self, family: str, name: str, timeout_ms: float | None = None) -> Group | None:
        """Return the whole chain that contains a module."""
        return self._group(lambda: self._chain(self._named(family, name)), timeout_ms)

    def get_connected_group_from_mac(self, address: Any, timeout_ms: float | None = None) -> Group | None:
        """Return the whole chain that contains a module, by its hardware address."""
        mac = mac_text(address)
        return self._group(lambda: self._chain(self._found("mac_address", mac)), timeout_ms)

    def close(self) -> None:
        """Stop the search."""
        self.lookup_frequency = 0.0
        self.link.listeners.pop(self.sender, None)

    def _group(self, choose: Callable[[], list[Entry | None]], timeout_ms: float | None) -> Group | None:
        def ready() -> bool:
            found = choose()
            return bool(found) and None not in found

        limit = self.DEFAULT_TIMEOUT_MS if timeout_ms is None else timeout_ms
        if not self.link.wait(ready, seconds(limit)):
            return None
        start = Settings(self.initial_group_feedback_frequency, self.initial_group_command_lifetime)
        return Group(self.link, list(choose()), random.getrandbits(31), start)

    def _named(self, family: str, name: str) -> Entry | None:
        found = (e for e in self.entrylist if e.name == name and family in ("*", e.family))
        return next(found, None)

    def _found(self, field: str, value: str) -> Entry | None:
        return next((entry for entry in self.entrylist if getattr(entry, field) == value), None)

    def _chain(self, entry: Entry | None) -> list[Entry | None]:
        return [] if entry is None else [other for other in self.entrylist if other.chain == entry.chain]

    def _ask(self) -> None:
        self.link.send(Message("lookup", self.sender, {}, {}))

    def _receive(self, message: Message) -> None:
        for row in message.meta["modules"]:
            if self._reached(row[4]):
                self._entries[row[0]] = Entry(row, self.link.now(), self)

    def _reached(self, address: str) -> bool:
        """Return whether an address is among those searched."""
        near = (
            place == address or place.endswith(".255") and address.startswith(place[:-3]) for place in self.interfaces
        )
        return not self.interfaces or any(near)


def mac_text(address: Any) -> str:
    """Return a hardware address as text, from text or six bytes."""
    try:
        parts = (
            [int(part, 16) for part in address.split(":")] if isinstance(address, str) else [int(b) for b in address]
        )
    except (TypeError, ValueError):
        parts = []
    if len(parts) != 6 or not all(0 <= part < 256 for part in parts):
        raise ValueError(f"Unable to parse mac address from {address!r}")
    return ":".join(f"{part:02X}" for part in parts)
