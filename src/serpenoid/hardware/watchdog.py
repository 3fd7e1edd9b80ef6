"""Watchdog of a plant of motors: on any fault it holds the joints and reports the reason in one line."""

from __future__ import annotations

import signal
import threading
from abc import abstractmethod
from time import process_time

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.base import Command
from serpenoid.errors import HardwareFault, HardwareStopped
from serpenoid.hardware.clock import RealClock, Timer
from serpenoid.hardware.joint_map import JointMap
from serpenoid.hardware.motor_bus import MotorBus
from serpenoid.hardware.safety import Safety
from serpenoid.robots.base import Robot
from serpenoid.runtime.plant import Plant
from serpenoid.support.interrupts import interrupted_by

PATIENCE = 1.0  # time between the hold and the interruption of a law that hangs [s]


class GuardedPlant(Plant):
    """A plant that checks motors and law twice per period, and holds the joints if one of them fails."""

    measured: dict[str, NDArray]  # last feedback by quantity, over joints

    def __init__(self, bus: MotorBus, robot: Robot, joints: JointMap, period: float, safety: Safety | None = None):
        super().__init__(robot, period)
        self.bus, self.joints, self.safety = bus, joints, safety or Safety()
        self.titles = tuple(f"{bus.noun} {name}" for name in joints.names)
        self.lock = threading.RLock()
        self.watch: Timer | None = None
        self.forget()

    def forget(self) -> None:
        """Reset to the state before the start; no command was sent."""
        if self.watch is not None:
            self.watch.cancel()
        self.watch = None
        self.tick = 0
        self.sent: Command | None = None  # last command of the law
        self.fault: HardwareFault | None = None
        self.thinking: float | None = None  # time at which the running law was called [s]
        self.heard = np.zeros(self.robot.joints)  # time of the last feedback of each motor [s]
        self.tripped = np.inf  # time at which the fault was detected [s]
        self.asked = np.inf  # clock time of the last call of now() [s]
        self.missed = 0.0  # total time in which the OS suspended this process [s]
        self.interrupted = self.hurried = self.ended = False
        self.emitted = np.inf  # clock time of the last command of law or watchdog [s]
        self.worked = 0.0  # processor time of this process at the last call of now() [s]
        self.expired = False  # whether the last command expired: the motors stopped and stay stopped
        self.holds: list[float] = []  # clock times of the first hold commands [s]

    def now(self) -> float:
        """Return the time in which this process was running: the clock's minus OS suspensions [s].

        The watchdog asks twice per period. If it did not ask for a whole period, the process was suspended, and the
        gap is not counted as a missed deadline. Motors still stop when the lifetime of their command expires.
        """
        with self.lock:
            clock, worked = self.bus.clock.now(), process_time()
            pause, work = clock - self.asked - 0.5 * self.period, worked - self.worked
            self.asked, self.worked = clock, worked
            if pause > 0.5 * self.period:
                self.missed += pause
                if self.sent is not None and clock - self.emitted > self.safety.lifetime > 0.0:
                    self.expire(pause, work)
            return clock - self.missed

    def expire(self, pause: float, work: float) -> None:
        """End the run if even the watchdog could not send in time: the motors' command lifetime stopped them.

        Limp joints may have moved, so no hold follows. `work` is the processor time used in the pause [s].
        """
        self.expired = True
        real = isinstance(self.bus.clock, RealClock)
        busy = real and self.thinking is not None and work > 0.5 * pause
        cause = "the law did not release the GIL" if busy else "the operating system suspended the program"
        lifetime = 1e3 * self.safety.lifetime
        self.trip(
            f"{cause} for {pause:.2g} s; the {self.bus.noun}s {self.bus.expiry} {lifetime:g} ms after the last command"
        )

    def emit(self, command: Command) -> None:
        """Send a command and store its time."""
        self.emitted = self.bus.clock.now()
        self.transmit(command)

    @property
    def time(self) -> float:
        """Time of the run so far [s]."""
        return self.tick * self.period

    @abstractmethod
    def transmit(self, command: Command) -> None:
        """Send a command to the motors without any check."""

    @abstractmethod
    def soft_stop(self) -> None:
        """Bring the joints to rest."""

    def watch_over(self) -> None:
        """Start the watchdog, which checks twice per period."""
        self.asked = self.bus.clock.now()
        self.watch = self.bus.clock.every(0.5 * self.period, self.look)

    def look(self) -> None:
        """Check motors and law, twice per period: hold if one is silent, and renew an active hold."""
        with self.lock:
            if self.ended:
                return
            now, most = self.now(), self.safety.late_periods * self.period
            if self.fault is not None:
                self.hold()
                self.interrupt(now)
            elif self.thinking is not None and now - self.thinking > most:
                late = (now - self.thinking) / self.period
                self.trip(f"the law is slower than its period: no command for {late:.1f} periods")
            elif self.thinking is None and now - self.heard.min() > most:
                self.trip(self.lateness(now))

    def lateness(self, now: float) -> str:
        """Return the motors whose feedback is late, and by how much."""
        late = now - self.heard > self.safety.late_periods * self.period
        whose = "" if late.all() else f" of {', '.join(np.array(self.joints.names)[late])}"
        return f"feedback{whose} is late by {(now - self.heard.min()) / self.period - 1.0:.1f} periods"

    def trip(self, reason: str) -> None:
        """Record a fault and hold the joints; the first reason is kept."""
        with self.lock:
            if self.fault is None:
                self.fault = HardwareFault(self.time, reason)
                self.tripped = self.now()
                self.hold()

    def hold(self) -> None:
        """Hold every joint at the last target sent, or at its measured angle; do nothing if the joints are limp."""
        if self.sent is None or self.ended or self.expired:
            return
        if len(self.holds) < 3:
            self.holds.append(self.bus.clock.now())
        nothing = np.full(self.robot.joints, np.nan)
        led = ~np.isnan(self.sent.position) | ~np.isnan(self.sent.torque)
        target = np.where(np.isnan(self.sent.position), self.measured["joint_position"], self.sent.position)
        held = np.clip(target, -self.safety.angles(self.robot), self.safety.angles(self.robot))
        self.emit(Command(np.where(led, held, np.nan), np.where(led, 0.0, np.nan), nothing, nothing))

    def breaks_off(self, again: bool) -> bool:
        """Return whether Ctrl-C must interrupt at once: before anything moves, or if a law hangs.

        Otherwise the run ends at its next tick, and its recording is kept.
        """
        self.hurried |= again
        return self.sent is None or self.fault is not None and self.thinking is not None

    def interrupt(self, now: float) -> None:
        """Interrupt a law that still hangs after the hold, if Python allows it: in the main thread."""
        waiting = self.thinking is not None and now - self.tripped > PATIENCE
        if waiting and not self.interrupted and isinstance(self.bus.clock, RealClock):
            self.interrupted = True
            main = threading.main_thread()
            if main.ident is not None and threading.current_thread() is not main:
                signal.pthread_kill(main.ident, signal.SIGINT)

    def failed(self, error: BaseException) -> HardwareFault | None:
        """Return the fault in which an interrupted run ends: the one detected, Ctrl-C, or an error of the law."""
        self.thinking = None
        if self.fault is None and isinstance(error, KeyboardInterrupt):
            self.soft_stop()
            return self.fault or HardwareStopped(self.time, interrupted_by())
        if self.fault is None:
            self.trip(f"the law failed: {type(error).__name__}: {error}")
        assert self.fault is not None
        if "feedback" in self.fault.reason:
            self.fault = HardwareFault(self.fault.time, self.explained(self.fault.reason))
        return self.fault

    def explained(self, reason: str) -> str:
        """Return the reason, extended by the motors that no longer answer."""
        for _ in range(20):
            lost = self.bus.lost(self.joints.names)
            if lost:
                return f"{self.bus.noun} {', '.join(lost)} lost: {reason}"
            if self.now() - self.heard.min() < self.period:
                break
            self.bus.clock.sleep(0.05)
            if self.bus.feedback(0.0) is not None:
                break
        return reason
