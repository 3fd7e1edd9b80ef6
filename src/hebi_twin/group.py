"""Groups of emulated modules: commands, feedback, information and logs, by hebi-py's names and conventions."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hebi_twin.link import Link
from hebi_twin.log import STATES, LogFile, LogWriter
from hebi_twin.messages import GroupCommand, GroupFeedback, GroupInfo
from hebi_twin.wire import Message

FEEDBACK_FREQUENCY = 100.0  # [Hz]
COMMAND_LIFETIME = 250  # [ms]
MOST_LIFETIME = 65_534  # [ms]; hebi-py refuses more
MOST_FREQUENCY = 5000.0  # [Hz]

GROUPS: weakref.WeakSet[Group] = weakref.WeakSet()  # open groups


class Settings(NamedTuple):
    """Initial settings of a group."""

    feedback_frequency: float = FEEDBACK_FREQUENCY  # [Hz]
    command_lifetime: int = COMMAND_LIFETIME  # [ms]


class Group:
    """Modules that are commanded and read together."""

    DEFAULT_TIMEOUT_MS = 500

    def __init__(self, link: Link, entries: list[Any], sender: int, settings: Settings | None = None):
        self._link, self._entries, self._sender = link, entries, sender
        self._places = [entry.place for entry in entries]
        self._feedback: Message | None = None  # latest one that was not requested yet
        self._handlers: list[Callable[[GroupFeedback], None]] = []
        self._answers: dict[int, Message] = {}
        self._requests = count()
        self._log: LogWriter | None = None
        settings = settings or Settings()
        self._lifetime = int(settings.command_lifetime)
        link.listeners[sender] = self._receive
        self.feedback_frequency = settings.feedback_frequency
        GROUPS.add(self)

    def __str__(self) -> str:
        return (
            f"Group(feedback_frequency={self.feedback_frequency}, command_lifetime={self._lifetime * 0.001}, "
            f"size={self.size})"
        )

    @property
    def size(self) -> int:
        """Number of modules."""
        return len(self._places)

    @property
    def feedback_frequency(self) -> float:
        """Frequency of periodic feedback [Hz]; 0 means on request only."""
        return self._frequency

    @feedback_frequency.setter
    def feedback_frequency(self, value: float) -> None:
        try:
            value = float(value)
        except (TypeError, ValueError):
            raise ValueError("frequency must be a number") from None
        if not 0.0 <= value <= MOST_FREQUENCY:
            raise RuntimeError(f"Could not set feedback frequency to {value}")
        self._frequency = value
        self._send("subscribe", {"frequency": value})

    @property
    def command_lifetime(self) -> int:
        """Time for which modules act on a command and ignore other senders [ms]. 0: permanently, without ignoring
        others.
        """
        return self._lifetime

    @command_lifetime.setter
    def command_lifetime(self, value: int) -> None:
        try:
            value = int(value)
        except (TypeError, ValueError):
            raise ValueError("lifetime must be a number") from None
        if not 0 <= value <= MOST_LIFETIME:
            raise RuntimeError(f"Could not set command lifetime to {value}")
        self._lifetime = value

    def send_command(self, group_command: GroupCommand) -> bool:
        """Send a command without waiting."""
        return self._command(group_command, None)

    def send_command_with_acknowledgement(self, group_command: GroupCommand, timeout_ms: int | None = None) -> bool:
        """Send a command and wait until every module has acknowledged it."""
        number = next(self._requests)
        return self._command(group_command, number) and self._answer(number, timeout_ms) is not None

    def send_layout(
        self, layout_file: str | None = None, layout: list[dict] | None = None, timeout_ms: int | None = None
    ) -> bool:
        """Send the layout of a screen; emulated modules have none."""
        return False

    def send_feedback_request(self) -> bool:
        """Request feedback once."""
        return self._send("request", {})

    def get_next_feedback(
        self, timeout_ms: float | None = None, reuse_fbk: GroupFeedback | None = None
    ) -> GroupFeedback | None:
        """Return the latest feedback not returned yet, or the next one; None if none arrives in time."""
        if not self._link.wait(lambda: self._feedback is not None, seconds(timeout_ms)):
            return None
        message, self._feedback = self._feedback, None
        assert message is not None
        feedback = GroupFeedback(self.size) if reuse_fbk is None else reuse_fbk
        feedback.values = dict(message.values)
        return feedback

    def request_info(self, timeout_ms: float | None = None, reuse_info: GroupInfo | None = None) -> GroupInfo | None:
        """Return names and settings of the modules; None if not all answer in time."""
        number = next(self._requests)
        self._send("info", {"id": number})
        message = self._answer(number, timeout_ms)
        if message is None:
            return None
        info = GroupInfo(self.size) if reuse_info is None else reuse_info
        info.values, info.words = dict(message.values), dict(message.meta["words"])
        return info

    request_info_extra = request_info

    def start_log(self, directory: str | None = None, name: str | None = None, mkdirs: bool = False) -> str:
        """Write all feedback to a table (CSV) from now on; return its path."""
        folder = Path.cwd() if directory is None else Path(directory)
        if mkdirs:
            folder.mkdir(parents=True, exist_ok=True)
        if not folder.is_dir():
            raise OSError(f"Could not start logging because directory '{folder}' does not exist and 'mkdirs=False'")
        self.stop_log()
        self._log = LogWriter.open(folder, name, [entry.name for entry in self._entries])
        return str(self._log.path)

    def stop_log(self) -> LogFile | None:
        """Close the log; return None if there is none."""
        if self._log is None:
            return None
        log, self._log = self._log, None
        return log.close()

    def log_user_state(
        self, v1: float | None = None, v2: float | None = None, v3: float | None = None, v4: float | None = None,
        v5: float | None = None, v6: float | None = None, v7: float | None = None, v8: float | None = None,
        v9: float | None = None,
    ) -> bool:  # fmt: skip
        """Write v1 .. v9 into the log's next row; return False if no log is open."""
        values = dict(zip(STATES, (v1, v2, v3, v4, v5, v6, v7, v8, v9)))
        if self._log is not None:
            self._log.states.update({name: value for name, value in values.items() if value is not None})
        return self._log is not None

    def add_feedback_handler(self, handler: Callable[[GroupFeedback], None]) -> None:
        """Call a function with every feedback that arrives."""
        if not callable(handler):
            raise ValueError("handler was not callable")
        if handler not in self._handlers:
            self._handlers.append(handler)

    def clear_feedback_handlers(self) -> None:
        """Remove all handlers."""
        self._handlers = []

    def close(self) -> None:
        """Release the modules; hebi-py does this when a group is garbage-collected and has no such method."""
        self.stop_log()
        self.clear_feedback_handlers()
        self._send("bye", {})
        self._link.listeners.pop(self._sender, None)
        GROUPS.discard(self)

    def _send(self, kind: str, meta: dict[str, Any], values: dict[str, Any] | None = None) -> bool:
        return self._link.send(Message(kind, self._sender, {"modules": self._places, **meta}, values or {}))

    def _command(self, command: GroupCommand, number: int | None) -> bool:
        values = {name: column.copy() for name, column in command.values.items() if not np.isnan(column).all()}
        if any(len(column) != self.size for column in values.values()):
            return False
        return self._send("command", {"lifetime": self._lifetime * 0.001, "id": number}, values)

    def _answer(self, number: int, timeout_ms: float | None) -> Message | None:
        self._link.wait(lambda: number in self._answers, seconds(timeout_ms))
        return self._answers.pop(number, None)

    def _receive(self, message: Message) -> None:
        if message.kind != "feedback":
            self._answers[message.meta["id"]] = message
            return
        self._feedback = message
        if self._handlers or self._log is not None:
            feedback = GroupFeedback(self.size)
            feedback.values = dict(message.values)
            if self._log is not None:
                self._log.write(feedback)
            for handler in self._handlers:
                handler(feedback)


def seconds(timeout_ms: float | None) -> float:
    """Convert a time-out of hebi-py, in milliseconds with a default of half a second, to seconds."""
    try:
        return int(Group.DEFAULT_TIMEOUT_MS if timeout_ms is None else timeout_ms) * 0.001
    except (TypeError, ValueError):
        raise ValueError("timeout_ms must be a number") from None
