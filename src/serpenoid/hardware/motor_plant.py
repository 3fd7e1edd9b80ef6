"""A group of motors as a plant: commanded once per period, with soft start and soft stop."""

from __future__ import annotations

from collections import deque
from math import ceil
from time import thread_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.base import Command, Observation, Signal
from serpenoid.engines.base import Initial
from serpenoid.errors import HardwareFault, require
from serpenoid.hardware import realtime_priority
from serpenoid.hardware.clock import RealClock
from serpenoid.hardware.joint_map import JointMap
from serpenoid.hardware.motor_bus import Feedback, MotorBus
from serpenoid.hardware.safety import Safety
from serpenoid.hardware.watchdog import GuardedPlant
from serpenoid.robots.base import Robot
from serpenoid.robots.sensors import ANGLE, FRONT_LINK, SENSED, SIGNED

GRACE = 0.3  # periods that feedback may be late before a tick continues without it
REGULAR, SETTLING = 10, 5.0  # successive feedback messages in time before anything moves; time limit for that [s]
EARLY = 0.5  # periods that feedback may arrive early
REMEMBERED = 25  # number of feedback messages that define the offset of the two clocks
PULL = 0.01  # largest shift of a tick, in periods, towards the median arrival of feedback

CLAIMED: dict[tuple[str, str], MotorPlant] = {}  # (family, name) of motors that a plant controls


class MotorPlant(GuardedPlant):
    """A group of motors, commanded once per period and held on any fault."""

    def __init__(
        self, bus: MotorBus, robot: Robot, joints: JointMap, period: float = 0.01, safety: Safety | None = None
    ):
        super().__init__(bus, robot, joints, period, safety)
        size, noun = bus.size, bus.noun
        require(size == robot.joints, "group", f"{size} {noun}s", f"{robot.joints} {noun}s, one per joint")
        self.claim()

    def __enter__(self) -> MotorPlant:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def claim(self) -> None:
        """Raise InvalidValue if another plant of this program controls one of the motors."""
        keys = [(self.joints.family, name) for name in self.joints.names]
        known = {(own, name) for family, name in CLAIMED for own in (family, "*")}
        anyhow = {name for _, name in CLAIMED} if self.joints.family == "*" else set()
        taken = [name for family, name in keys if (family, name) in known or name in anyhow]
        require(not taken, "names", ", ".join(taken), f"{self.bus.noun}s that no other plant controls")
        CLAIMED.update(dict.fromkeys(keys, self))

    def forget(self) -> None:
        super().forget()
        self.measured = {}
        self.before: Command | None = None  # command before the last one
        self.stamp: tuple[float, float] | None = None  # time of the last feedback by the motors' clock and by ours [s]
        self.origin: float | None = None  # time of tick 0 [s]
        self.counted = 0.0  # total OS suspension up to the last command [s]
        self.began = np.inf  # start of the run's own time, after the soft start [s]
        self.left = np.nan  # clock time of the law's last command [s]
        self.sending_time = np.nan  # the same by the motors' clock [s]
        self.offsets: deque[float] = deque(maxlen=REMEMBERED)  # clock offsets at feedback [s]
        self.debt = 0.0  # time that the law used beyond its periods and has not recovered [s]
        self.computed = 0.0  # processor time of this thread when the law was called [s]
        self.ready = np.nan  # latency of the last command after its observation [s]
        self.delay = np.nan  # delay of the last command after its tick was due [s]

    def start(self, initial: Initial, rng: np.random.Generator) -> Observation:
        self.forget()
        real = isinstance(self.bus.clock, RealClock)
        if real:
            realtime_priority.hurry()
        self.bus.place(initial, rng)
        self.bus.listen(self.period)
        feedback = self.bus.feedback()
        if feedback is None:
            raise HardwareFault(0.0, "no feedback within half a second")
        self.heard[:] = self.now()
        self.take(feedback)
        silent, busy = np.isnan(self.measured["joint_position"]), self.bus.busy()
        if silent.any():
            raise HardwareFault(0.0, f"{self.titles[int(np.argmax(silent))]} does not report its angle")
        if busy is not None:
            raise HardwareFault(0.0, f"{self.titles[busy]} is controlled by another program")
        if real:
            self.await_rhythm()
        if self.fault is not None:
            raise self.fault
        return self.observation()

    def await_rhythm(self) -> None:
        """Wait until feedback arrives regularly, a few times in a row, before anything moves."""
        heard = began = self.now()
        regular = 0
        while regular < REGULAR:
            feedback = self.bus.feedback()
            late, heard = self.now() - heard > self.safety.late_periods * self.period, self.now()
            if feedback is None or heard - began > SETTLING:
                raise HardwareFault(0.0, f"feedback does not arrive every {1e3 * self.period:g} ms")
            self.take(feedback)
            regular = 0 if late else regular + 1

    def step(self, command: Command) -> Observation:
        self.check_law()
        if self.sent is None:
            self.begin(command)
        self.send(command)
        self.left, self.sending_time = self.bus.clock.now(), self.motor_time()
        self.delay = self.ready if self.origin is None else self.now() - self.origin - self.time
        self.delay, self.counted = self.delay + self.missed - self.counted, self.missed
        self.tick += 1
        self.hear()
        self.check_pace()
        return self.observation()

    def motor_time(self) -> float:
        """Return the time by the motors' clock [s], from the recent feedback with the least delay."""
        return self.bus.clock.now() - min(self.offsets)

    def begin(self, command: Command) -> None:
        """Move the joints from their measured angles to the law's first targets; the run's time begins after that."""
        self.refuse(command)
        targets = soft_start(self.measured["joint_position"], command.position, self.safety.start_rate * self.period)
        self.bus.engage()
        self.heard[:], self.thinking = self.now(), None
        self.watch_over()
        for target in targets:
            if self.stopped():
                raise KeyboardInterrupt
            self.send(Command.empty(self.robot.joints)._replace(position=target))
            self.hear()
        self.began, self.counted = self.bus.clock.now(), self.missed
        self.origin = None

    def refuse(self, command: Command) -> None:
        """Hold the joints instead of sending a rejected command."""
        reason = self.safety.refused(command, self.sent, self.measured["joint_position"], self.period, self.robot)
        reason = reason or self.bus.refused(self.in_motors(command))
        if reason is not None:
            self.trip(reason)
        if self.fault is not None:
            raise self.fault

    def send(self, command: Command) -> None:
        """Send a command of the law; every command of a law passes here."""
        with self.lock:
            self.refuse(command)
            self.thinking = None
            self.before, self.sent = self.sent, command
            self.emit(command)

    def transmit(self, command: Command) -> None:
        self.bus.send(self.in_motors(command))

    def in_motors(self, command: Command) -> Command:
        """Convert a command to the motors' signs and offsets."""
        signs = self.joints.signs
        rates = (signs * part for part in command[1:])
        return Command(self.joints.to_modules(command.position), *rates)

    def hear(self) -> None:
        """Wait for the feedback of this period; continue without it until it is too late."""
        due = self.now() + self.period if self.origin is None else self.origin + self.tick * self.period
        while True:
            left = due + GRACE * self.period - self.now()
            feedback = self.bus.feedback(max(0.0, left))
            if feedback is not None:
                self.take(feedback)
                self.pull(self.now() - due)
            if feedback is None or self.origin is None or self.now() > due - EARLY * self.period:
                break  # feedback that arrived long before its time, such as after delayed ones
        if feedback is not None and self.origin is None and self.tick == 1:
            self.origin = self.now() - self.period
        with self.lock:
            self.thinking, self.computed = self.now(), thread_time()
        if self.fault is not None:
            raise self.fault

    def pull(self, late: float) -> None:
        """Shift the ticks slightly towards the arrival of feedback; `late` is its delay after a tick [s]."""
        if self.origin is not None:
            late = (late + 0.5 * self.period) % self.period - 0.5 * self.period
            self.origin += min(max(late, -PULL * self.period), PULL * self.period)

    def check_law(self) -> None:
        """Hold the joints if a law exceeds its periods, including a law that blocks the watchdog."""
        if self.thinking is None:
            return
        computed = thread_time() - self.computed if isinstance(self.bus.clock, RealClock) else 0.0
        self.ready = max(self.now() - self.thinking, computed)
        self.debt = max(0.0, self.debt + self.ready - self.period)
        if self.debt > self.safety.late_periods * self.period:
            self.trip(f"the law is slower than its period: {self.debt / self.period:.1f} periods behind")

    def check_pace(self) -> None:
        """Hold the joints if the law has fallen behind the clock."""
        if self.origin is not None:
            late = (self.now() - self.origin) / self.period - self.tick
            if late > self.safety.late_periods:
                self.trip(f"the law is slower than its period: {late:.1f} periods behind")
                assert self.fault is not None
                raise self.fault

    def take(self, feedback: Feedback) -> None:
        """Read feedback and check it; motors missing in it keep their last known values."""
        clock, stamp = self.bus.clock.now(), feedback.time
        jump = 0.0 if self.stamp is None or self.sent is None else (stamp - self.stamp[0]) - (clock - self.stamp[1])
        if abs(jump) > self.safety.clock_jump:
            self.trip(f"the {self.bus.noun}s' clock jumps by {jump:.3g} s")
        self.stamp = (stamp, clock)
        self.offsets.append(clock - stamp)
        quantities = {name: self.in_joints(name, values) for name, values in feedback.values.items()}
        missing = np.isnan(quantities["joint_position"])
        self.heard = np.where(missing, self.heard, self.now())
        for name, values in quantities.items():
            if missing.any() and name in self.measured:
                values[missing] = self.measured[name][missing]
        self.measured = quantities
        target = np.full(self.robot.joints, np.nan) if self.sent is None else self.sent.position
        found = self.measured
        lag = target - found["joint_position"]
        reason = self.bus.problem() or self.safety.alarming(found["temperature"], found["voltage"], lag, self.titles)
        if reason is not None:
            self.trip(reason)

    def in_joints(self, name: str, values: NDArray) -> NDArray:
        """Convert a quantity of feedback to the sign and offset of the joints."""
        mapping = SENSED[name].mapping
        if mapping == ANGLE:
            return self.joints.to_joints(values)
        return self.joints.signs * values if mapping == SIGNED else values

    def observation(self) -> Observation:
        """Return the observation; no motor precedes the tail, so it has no inertial readings of its own."""
        none = np.full((len(self.robot.link_names) - self.robot.joints, 3), np.nan)
        source = {
            name: np.vstack([values, none]) if SENSED[name].mapping == FRONT_LINK else values
            for name, values in self.measured.items()
        }
        return Observation(self.time, source)

    def finish(self, command: Command, rest: float) -> None:
        self.send(command)
        self.origin = None
        self.hear()
        self.soft_stop()
        if self.fault is not None:
            raise self.fault

    def soft_stop(self) -> None:
        """Bring the joints to rest: targets slow down and then stay constant."""
        if self.fault is not None or self.sent is None or self.before is None or self.ended:
            return
        pace = np.nan_to_num(self.sent.position - self.before.position)
        steps, reach = round(self.safety.stop_time / self.period), self.safety.angles(self.robot)
        nothing, self.origin = np.full(self.robot.joints, np.nan), None
        led = ~np.isnan(self.sent.velocity)  # joints with a commanded rate keep one until they rest
        try:
            for k in range(1, steps + 1):
                if self.hurried:  # Ctrl-C was pressed again
                    self.hold()
                    break
                before = self.sent.position
                target = np.clip(before + (1.0 - k / steps) * pace, -reach, reach)
                rate = np.where(led, np.nan_to_num(target - before) / self.period, np.nan)
                self.send(Command(target, rate, nothing, nothing))
                self.hear()
        except HardwareFault:
            return  # held instead; `fault` has the reason
        finally:
            self.thinking = None  # no law was called, so Ctrl-C interrupts none
        self.before = None

    def close(self) -> None:
        """Stop the joints softly, stop the watchdog, and release the motors."""
        self.soft_stop()
        with self.lock:
            self.ended = True
        if self.watch is not None:
            self.watch.cancel()
        for key in [key for key, plant in CLAIMED.items() if plant is self]:
            del CLAIMED[key]
        realtime_priority.calm()
        self.bus.close()

    def signals(self) -> dict[str, Signal]:
        found, read = self.measured, np.nan if self.stamp is None else self.stamp[0]
        quantities = {SENSED[name].signal: values for name, values in found.items() if SENSED[name].signal} | {
            "command_ready": self.ready, "tick_delay": self.delay, "reading_time": read,
            "sending_time": self.sending_time,
        }  # fmt: skip
        return {name: Signal.of(name, value) for name, value in quantities.items()}


def soft_start(here: NDArray, target: NDArray, most: float) -> list[NDArray]:
    """Return angles from here to a target, by at most `most` [rad] per period; empty if it is near."""
    distance = float(np.nan_to_num(np.abs(target - here)).max(initial=0.0))
    return list(ramp(here, target, 0 if distance <= most else ceil(0.5 * np.pi * distance / most)))


def ramp(here: NDArray, target: NDArray, steps: int) -> NDArray:
    """Return angles (steps, joints) from here to a target, starting and ending at rest."""
    shares = 0.5 - 0.5 * np.cos(np.pi * np.arange(1, steps + 1) / max(steps, 1))
    return here + shares[:, None] * (target - here)
