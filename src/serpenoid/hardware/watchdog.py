"""The watchdog of a plant of modules: as soon as anything is wrong its joints are held, and one line says why."""

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
from serpenoid.hardware.module_network import Network
from serpenoid.hardware.safety import Safety
from serpenoid.robots.base import Robot
from serpenoid.runtime.plant import Plant
from serpenoid.support.interrupts import interrupted_by

PATIENCE = 1.0  # how long a law that hangs is waited for after the hold, before it is interrupted [s]


class GuardedPlant(Plant):
    """Looks twice a period whether modules and law are there, and holds the joints where they are not."""

    measured: dict[str, NDArray]  # the last feedback, by quantity, over joints

    def __init__(self, network: Network, robot: Robot, joints: JointMap, period: float, safety: Safety | None = None):
        super().__init__(robot, period)
        self.network, self.joints, self.safety = network, joints, safety or Safety()
        self.lock = threading.RLock()
        self.watch: Timer | None = None
        self.forget()

    def forget(self) -> None:
        """Back to before the start; nothing was sent yet."""
        if self.watch is not None:
            self.watch.cancel()
        self.watch = None
        self.tick = 0
        self.sent: Command | None = None  # the last command of the law
        self.fault: HardwareFault | None = None
        self.thinking: float | None = None  # since when the law has been asked [s]
        self.heard = np.zeros(self.robot.joints)  # when the last feedback of each module came [s]
        self.tripped = np.inf  # when the fault was found [s]
        self.asked = np.inf  # when anyone asked for the time, by the clock [s]
        self.missed = 0.0  # time that the machine gave to others, all in all [s]
        self.interrupted = self.hurried = self.ended = False
        self.emitted = np.inf  # when the last command of law or watchdog left, by the clock [s]
        self.worked = 0.0  # processor time of this program when anyone asked for the time [s]
        self.expired = False  # whether the last command has run out: modules are limp, and stay so
        self.holds: list[float] = []  # when holds were sent, the first ones, by the clock [s]

    def now(self) -> float:
        """Time in which this program was there: the clock's, less what the machine gave to others [s].

        The watchdog asks twice a period. Where nobody asked for a whole one, nobody was late for that long; but modules
        go limp when their commands have lived.
        """
        with self.lock:
            clock, worked = self.network.clock.now(), process_time()
            pause, work = clock - self.asked - 0.5 * self.period, worked - self.worked
            self.asked, self.worked = clock, worked
            if pause > 0.5 * self.period:
                self.missed += pause
                if self.sent is not None and clock - self.emitted > self.safety.lifetime > 0.0:
                    self.expire(pause, work)
            return clock - self.missed

    def expire(self, pause: float, work: float) -> None:
        """End the run where not even the watchdog could send in time: the modules' command lifetime stopped them.

        Joints that went limp may have moved, so no hold follows. `work` is the processor time in the pause [s].
        """
        self.expired = True
        real = isinstance(self.network.clock, RealClock)
        busy = real and self.thinking is not None and work > 0.5 * pause
        cause = "the law held Python's lock" if busy else "this machine gave the program no time"
        lifetime = 1e3 * self.safety.lifetime
        self.trip(f"{cause} for {pause:.2g} s; the modules went limp {lifetime:g} ms after the last command")

    def emit(self, command: Command) -> None:
        """Let a command leave, and remember when."""
        self.emitted = self.network.clock.now()
        self.transmit(command)

    @property
    def time(self) -> float:
        """Of the run so far [s]."""
        return self.tick * self.period

    @abstractmethod
    def transmit(self, command: Command) -> None:
        """Let a command leave for the modules, unseen."""

    @abstractmethod
    def soft_stop(self) -> None:
        """Bring the joints to rest."""

    def watch_over(self) -> None:
        """From now on, look twice a period."""
        self.asked = self.network.clock.now()
        self.watch = self.network.clock.every(0.5 * self.period, self.look)

    def look(self) -> None:
        """The watchdog, twice a period: hold where nothing is heard of modules or law, and keep a hold alive."""
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
        """Whose feedback is late, and by how much."""
        late = now - self.heard > self.safety.late_periods * self.period
        whose = "" if late.all() else f" of {', '.join(np.array(self.joints.names)[late])}"
        return f"feedback{whose} is late by {(now - self.heard.min()) / self.period - 1.0:.1f} periods"

    def trip(self, reason: str) -> None:
        """Something is wrong: hold the joints; the first reason counts."""
        with self.lock:
            if self.fault is None:
                self.fault = HardwareFault(self.time, reason)
                self.tripped = self.now()
                self.hold()

    def hold(self) -> None:
        """Hold every joint at the target that was sent last, or where it is; not where it is limp."""
        if self.sent is None or self.ended or self.expired:
            return
        if len(self.holds) < 3:
            self.holds.append(self.network.clock.now())
        nothing = np.full(self.robot.joints, np.nan)
        led = ~np.isnan(self.sent.position) | ~np.isnan(self.sent.torque)
        target = np.where(np.isnan(self.sent.position), self.measured["joint_position"], self.sent.position)
        held = np.clip(target, -self.safety.angles(self.robot), self.safety.angles(self.robot))
        self.emit(Command(np.where(led, held, np.nan), np.where(led, 0.0, np.nan), nothing, nothing))

    def breaks_off(self, again: bool) -> bool:
        """Before anything moves, and where a law hangs; else the run ends at its next tick, and its end is kept."""
        self.hurried |= again
        return self.sent is None or self.fault is not None and self.thinking is not None

    def interrupt(self, now: float) -> None:
        """Break off a law that hangs long after the hold, where Python lets us: in the main thread."""
        waiting = self.thinking is not None and now - self.tripped > PATIENCE
        if waiting and not self.interrupted and isinstance(self.network.clock, RealClock):
            self.interrupted = True
            main = threading.main_thread()
            if main.ident is not None and threading.current_thread() is not main:
                signal.pthread_kill(main.ident, signal.SIGINT)

    def failed(self, error: BaseException) -> HardwareFault | None:
        """What a run that breaks off ends in: the fault that was found, Ctrl-C, or a law that went wrong."""
        self.thinking = None
        if self.fault is None and isinstance(error, KeyboardInterrupt):
            self.soft_stop()
            return self.fault or HardwareStopped(self.time, interrupted_by())
        if self.fault is None:
            self.trip(f"the law went wrong: {type(error).__name__}: {error}")
        assert self.fault is not None
        if "feedback" in self.fault.reason:
            self.fault = HardwareFault(self.fault.time, self.explained(self.fault.reason))
        return self.fault

    def explained(self, reason: str) -> str:
        """The same with the modules that do not answer any more, once the lookup knows."""
        for _ in range(20):
            lost = self.network.lost(self.joints.names)
            if lost:
                return f"module {', '.join(lost)} lost: {reason}"
            if self.now() - self.heard.min() < self.period:
                break
            self.network.clock.sleep(0.05)
            if self.network.group.get_next_feedback(timeout_ms=0) is not None:
                break
        return reason
