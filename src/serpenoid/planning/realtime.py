"""Running a controller against the clock: commands are asked for when their time has come, and lateness is noted."""

from __future__ import annotations

import gc
from dataclasses import dataclass, field
from time import monotonic, sleep

from serpenoid.control.base import Command, Controller, Observation
from serpenoid.control.landmarks import Guided, Landmarks
from serpenoid.errors import positive

SPIN = 0.0005  # a sleep is this much too coarse [s]; the rest is spent waiting in a loop


@dataclass
class Clock:
    """What the clock said."""

    running: bool = False
    start: float | None = None
    times: list[float] = field(default_factory=list)  # [s] of the commands
    ready: list[float] = field(default_factory=list)  # each was ready so long after its time [s]


@dataclass(frozen=True)
class RealTime(Controller):
    """Holds a controller to the clock; a tick is missed where its command is ready later than the next one is due.

    The clock starts with the second command: after the first one the engine loads its compiled code, once.
    """

    controller: Controller
    """the controller that is timed"""
    period: float = 0.01
    """time between two commands [s]"""
    clock: Clock = field(default_factory=Clock, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        positive("period", self.period)

    def landmarks(self) -> Landmarks:
        """Those of the controller that is timed."""
        return self.controller.landmarks() if isinstance(self.controller, Guided) else Landmarks()

    def reset(self) -> None:
        self.controller.reset()
        vars(self.clock).update(vars(Clock()))

    def command(self, observation: Observation) -> Command:
        clock = self.clock
        if not clock.running:
            clock.running = True
            return self.controller.command(observation)
        if clock.start is None:
            set_memory_aside()
            clock.start = monotonic() - observation.time
        due = clock.start + observation.time
        wait_until(due)
        command = self.controller.command(observation)
        clock.times.append(observation.time)
        clock.ready.append(monotonic() - due)
        return command


def set_memory_aside() -> None:
    """Collect garbage now, and keep what is left out of later collections: they then take microseconds, not a tick."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def wait_until(due: float) -> None:
    """Return when the monotonic clock shows a time [s]."""
    rest = due - monotonic()
    if rest > SPIN:
        sleep(rest - SPIN)
    while monotonic() < due:
        pass
