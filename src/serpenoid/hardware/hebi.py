"""Robots of HEBI modules, real ones and their twin, as plants: their joints move softly or not at all."""

from __future__ import annotations

import signal
import threading
from collections.abc import Sequence
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.base import Command, Observation, Signal
from serpenoid.engines.base import Initial, Variable
from serpenoid.errors import HardwareFault, HardwareStopped, InvalidValue, Unsupported, require
from serpenoid.hardware.clock import Clock, RealClock, Timer
from serpenoid.hardware.hebi_twin.bench import LOCKED_BY_OTHER, Bench
from serpenoid.hardware.joint_map import JointMap
from serpenoid.hardware.safety import Safety
from serpenoid.plants import Plant

PATIENCE = 1.0  # how long a law that hangs is waited for after the hold, before it is interrupted [s]
GRACE = 0.3  # periods that feedback may be late before a tick goes on without it
INSTALL = "hebi-py is not installed: pip install 'serpenoid[hebi]'; the twin works without it"

CLAIMED: dict[tuple[str, str], HebiPlant] = {}  # (family, name) of modules that a plant leads


class Network:
    """What a plant needs to know of the modules' side: a group, its command class, a clock, a lookup."""

    def __init__(self, group: Any, command: Any, clock: Clock, lookup: Any = None, bench: Bench | None = None):
        self.group, self.command, self.clock, self.lookup, self.bench = group, command, clock, lookup, bench

    def lost(self, names: Sequence[str]) -> list[str]:
        """Which of these modules do not answer any more, as far as the lookup knows."""
        found = [] if self.lookup is None else list(self.lookup.entrylist)
        return [entry.name for entry in found if entry.name in names and entry.is_stale]

    def place(self, initial: Initial, rng: np.random.Generator) -> None:
        """Put a simulated robot where the run starts; a real one starts where it is."""
        require(initial == Initial(), "initial", initial, "left out: a real robot starts where it is")

    def close(self) -> None:
        """Let the modules go."""


class HebiPlant(Plant):
    """A group of modules that is led once a period, and held as soon as anything is wrong."""

    def __init__(
        self, network: Network, robot: Any, joints: JointMap, period: float = 0.01, safety: Safety | None = None
    ):
        super().__init__(robot, period)
        self.network, self.joints, self.safety = network, joints, safety or Safety()
        size = network.group.size
        require(size == robot.joints, "group", f"{size} modules", f"{robot.joints} modules, one per joint")
        self.lock = threading.RLock()
        self.watch: Timer | None = None
        self.claim()
        self.forget()

    def __enter__(self) -> HebiPlant:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def claim(self) -> None:
        """Refuse modules that another plant of this program leads."""
        keys = [(self.joints.family, name) for name in self.joints.names]
        taken = [name for family, name in keys if (family, name) in CLAIMED]
        require(not taken, "names", ", ".join(taken), "modules that no other plant leads")
        CLAIMED.update(dict.fromkeys(keys, self))

    def forget(self) -> None:
        """Back to before the start; nothing was sent yet."""
        if self.watch is not None:
            self.watch.cancel()
        self.watch = None
        self.tick = 0
        self.sent: Command | None = None
        self.before: Command | None = None  # that was sent before it
        self.fault: HardwareFault | None = None
        self.thinking: float | None = None  # since when the law has been asked [s]
        self.heard = 0.0  # when the last feedback came [s]
        self.stamp: float | None = None  # the modules' own time of it [s]
        self.origin: float | None = None  # when tick 0 was [s]
        self.began = np.inf  # when the run's own time began, after the soft start [s]
        self.ready = np.nan  # how long after its observation the last command was ready [s]
        self.interrupted = self.ended = False
        self.holds: list[float] = []  # when holds were sent, the first ones [s]

    def now(self) -> float:
        """[s]"""
        return self.network.clock.now()

    @property
    def time(self) -> float:
        """Of the run so far [s]."""
        return self.tick * self.period

    def start(self, initial: Initial, rng: np.random.Generator) -> Observation:
        self.forget()
        self.network.place(initial, rng)
        group = self.network.group
        group.feedback_frequency = 1.0 / self.period
        group.send_feedback_request()
        feedback = group.get_next_feedback()
        if feedback is None:
            raise HardwareFault(0.0, "no feedback within half a second")
        self.take(feedback)
        locked = np.asarray(feedback.command_lifetime_state) == LOCKED_BY_OTHER
        if locked.any():
            raise HardwareFault(0.0, f"module {self.joints.names[int(np.argmax(locked))]} is led by another program")
        if self.fault is not None:
            raise self.fault
        return self.observation()

    def step(self, command: Command) -> Observation:
        if self.thinking is not None:
            self.ready = self.now() - self.thinking
        if self.sent is None:
            self.begin(command)
        self.send(command)
        self.tick += 1
        self.hear()
        self.check_pace()
        return self.observation()

    def begin(self, command: Command) -> None:
        """Lead the joints from where they are to where the law wants them; the run's time begins after that."""
        self.refuse(command)
        ramp = soft_start(self.measured["position"], command.position, self.safety.start_rate * self.period)
        self.heard, self.thinking = self.now(), None
        self.watch = self.network.clock.every(0.5 * self.period, self.look)
        for target in ramp:
            self.send(Command.empty(self.robot.joints)._replace(position=target))
            self.hear()
        self.began = self.now()
        self.origin = None

    def refuse(self, command: Command) -> None:
        """Hold instead of a command that must not leave."""
        reason = self.safety.refused(command, self.sent, self.period, self.robot)
        if reason is not None:
            self.trip(reason)
        if self.fault is not None:
            raise self.fault

    def send(self, command: Command) -> None:
        """Let a command leave; the only way out for commands of a law."""
        with self.lock:
            self.refuse(command)
            self.thinking = None
            self.before, self.sent = self.sent, command
            self.transmit(command)

    def transmit(self, command: Command) -> None:
        """As the modules see it."""
        out = self.network.command(self.robot.joints)
        out.position = self.joints.to_modules(command.position)
        if not np.isnan(command.velocity).all():
            out.velocity = self.joints.signs * command.velocity
        if not np.isnan(command.torque).all():
            out.effort = self.joints.signs * command.torque
        self.network.group.send_command(out)

    def hear(self) -> None:
        """Wait for the feedback of this period; without it the tick goes on, until it is too late for that."""
        due = self.now() + self.period if self.origin is None else self.origin + self.tick * self.period
        left = due + GRACE * self.period - self.now()
        feedback = self.network.group.get_next_feedback(timeout_ms=max(0, ceil(1e3 * left - 1e-6)))
        if feedback is not None:
            self.take(feedback)
            if self.origin is None and self.tick == 1:
                self.origin = self.now() - self.period
        with self.lock:
            self.thinking = self.now()
        if self.fault is not None:
            raise self.fault

    def check_pace(self) -> None:
        """Hold where the law has fallen behind the clock."""
        if self.origin is not None:
            late = (self.now() - self.origin) / self.period - self.tick
            if late > self.safety.late_periods:
                self.trip(f"the law is slower than its period: {late:.1f} periods behind")
                assert self.fault is not None
                raise self.fault

    def take(self, feedback: Any) -> None:
        """Read feedback, and look whether all is well."""
        now, elapsed = self.now(), self.now() - self.heard
        stamp = float(column(feedback, "receive_time").min())
        if (
            self.stamp is not None
            and self.sent is not None
            and abs(stamp - self.stamp - elapsed) > self.safety.clock_jump
        ):
            self.trip(f"the modules' clock jumps by {stamp - self.stamp - elapsed:.3g} s")
        self.heard, self.stamp = now, stamp
        to_joints, signs = self.joints.to_joints, self.joints.signs
        self.measured = {
            "position": to_joints(column(feedback, "position")), "velocity": signs * column(feedback, "velocity"),
            "torque": signs * column(feedback, "effort"), "motor": to_joints(column(feedback, "motor_position")),
            "temperature": column(feedback, "motor_winding_temperature"), "voltage": column(feedback, "voltage"),
            "current": column(feedback, "motor_current"), "accelerometer": column(feedback, "accelerometer"),
            "gyroscope": column(feedback, "gyro"),
        }  # fmt: skip
        target = np.full(self.robot.joints, np.nan) if self.sent is None else self.sent.position
        found = self.measured
        reason = self.safety.alarming(
            found["temperature"], found["voltage"], target - found["position"], self.joints.names
        )
        if reason is not None:
            self.trip(reason)

    def observation(self) -> Observation:
        """What is sensed; the tail has no module in front of it and hence no inertial readings of its own."""
        found = self.measured
        none = np.full((len(self.robot.link_names) - self.robot.joints, 3), np.nan)
        source = {
            "joint_position": found["position"], "joint_velocity": found["velocity"], "joint_torque": found["torque"],
            "motor_position": found["motor"], "temperature": found["temperature"], "voltage": found["voltage"],
            "current": found["current"], "accelerometer": np.vstack([found["accelerometer"], none]),
            "gyroscope": np.vstack([found["gyroscope"], none]),
        }  # fmt: skip
        return Observation(self.time, source)

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
                self.trip(
                    f"the law is slower than its period: no command for {(now - self.thinking) / self.period:.1f}"
                )
            elif self.thinking is None and now - self.heard > most:
                self.trip(f"feedback is late by {(now - self.heard) / self.period - 1.0:.1f} periods")

    def trip(self, reason: str) -> None:
        """Something is wrong: hold the joints; the first reason counts."""
        with self.lock:
            if self.fault is None:
                self.fault = HardwareFault(self.time, reason)
                self.tripped = self.now()
                self.hold()

    def hold(self) -> None:
        """Every joint stays at the target that was sent last, or where it is; nothing where nothing was ever sent."""
        if self.sent is None or self.ended:
            return
        if len(self.holds) < 3:
            self.holds.append(self.now())
        nothing = np.full(self.robot.joints, np.nan)
        led = ~np.isnan(self.sent.position) | ~np.isnan(self.sent.torque)
        target = np.where(np.isnan(self.sent.position), self.measured["position"], self.sent.position)
        held = np.clip(target, -self.safety.angles(self.robot), self.safety.angles(self.robot))
        self.transmit(Command(np.where(led, held, np.nan), np.where(led, 0.0, np.nan), nothing, nothing))

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
            return HardwareStopped(self.time, "Ctrl-C")
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
            if self.now() - self.heard < self.period:
                break
            self.network.clock.sleep(0.05)
            if self.network.group.get_next_feedback(timeout_ms=0) is not None:
                break
        return reason

    def finish(self, command: Command, rest: float) -> None:
        self.send(command)
        self.origin = None
        self.hear()
        self.soft_stop()

    def soft_stop(self) -> None:
        """Bring the joints to rest: targets go on ever slower and then stay."""
        if self.fault is not None or self.sent is None or self.before is None or self.ended:
            return
        pace = np.nan_to_num(self.sent.position - self.before.position)
        steps, reach = round(self.safety.stop_time / self.period), self.safety.angles(self.robot)
        nothing, self.origin = np.full(self.robot.joints, np.nan), None
        try:
            for k in range(1, steps + 1):
                target = np.clip(self.sent.position + (1.0 - k / steps) * pace, -reach, reach)
                self.send(Command(target, nothing, nothing, nothing))
                self.hear()
        except HardwareFault:
            return
        self.before = None

    def close(self) -> None:
        """Come to rest, stop watching, let the modules go."""
        self.soft_stop()
        with self.lock:
            self.ended = True
        if self.watch is not None:
            self.watch.cancel()
        for key in [key for key, plant in CLAIMED.items() if plant is self]:
            del CLAIMED[key]
        self.network.close()

    def signals(self) -> dict[str, Signal]:
        found = self.measured
        words = "how long after the observation the last command was ready"
        return {
            "module_temperature": Signal(found["temperature"], "deg C", "of each motor", ("joint",)),
            "module_voltage": Signal(found["voltage"], "V", "supply of each module", ("joint",)),
            "module_current": Signal(found["current"], "A", "of each motor", ("joint",)),
            "command_ready": Signal(self.ready, "s", words, clock=True),
        }


def soft_start(here: NDArray, target: NDArray, most: float) -> list[NDArray]:
    """Angles that lead from here to a target, by at most `most` [rad] in a period; none where it is near."""
    distance = float(np.nan_to_num(np.abs(target - here)).max(initial=0.0))
    steps = 0 if distance <= most else ceil(0.5 * np.pi * distance / most)
    shares = 0.5 - 0.5 * np.cos(np.pi * np.arange(1, steps + 1) / max(steps, 1))
    return [here + share * (target - here) for share in shares]


class TwinPlant(HebiPlant):
    """The twin as fast as it goes: it also knows what the simulation behind it knows, sample by sample."""

    def variable_names(self) -> tuple[str, ...]:
        return self.simulated.variable_names()

    @property
    def simulated(self) -> Any:
        """The simulation behind the modules."""
        assert self.network.bench is not None
        return self.network.bench.plant

    def samples(self) -> tuple[NDArray, dict[str, Variable]]:
        """What the simulation recorded during the run, without soft start and stop."""
        assert self.network.bench is not None
        times, variables = self.simulated.samples()
        times = times - (self.began - self.network.bench.origin)
        kept = (times > -1e-9) & (times < self.time + 1e-9)
        trimmed = {name: each._replace(values=each.values[kept]) for name, each in variables.items()}
        return np.round(times[kept], 9), trimmed


def column(feedback: Any, name: str) -> NDArray:
    """A quantity of feedback; the twin also tells it in double precision."""
    full = getattr(feedback, "full", None)
    return np.asarray(getattr(feedback, name) if full is None else full(name), dtype=float)


def joint_map(robot: Any, family: str, names: Sequence[str] | None, file: str | Path | None) -> JointMap:
    """The map of a file, or of names in the order of the joints."""
    if file is not None:
        return JointMap.read(Path(file), robot)
    if names is None:
        raise InvalidValue("names", names, "the names of the modules, head first, or a map (TOML)")
    return JointMap.plain(family, tuple(names), robot.joints)


def hebi(
    names: Sequence[str] | None = None, family: str = "*", robot: Any = None, *, map: str | Path | None = None,
    period: float = 0.01, lifetime: float = 0.25, safety: Safety | None = None,
) -> HebiPlant:  # fmt: skip
    """Real modules by name and family, head first, or by a map; `lifetime` [s] is that of a command.

    with sp.hardware.hebi(names=..., family="SEA Snake", robot=sp.robots.SeaSnake()) as plant:
        run = sp.run_loop(plant, controller, 60.0)
    """
    try:
        import hebi as theirs
    except ImportError:
        raise Unsupported(INSTALL) from None
    from serpenoid.robots import SeaSnake

    robot = robot or SeaSnake()
    joints = joint_map(robot, family, names, map)
    lookup = theirs.Lookup()
    RealClock().sleep(1.0)  # a lookup needs a while to hear of all modules
    group = lookup.get_group_from_names([joints.family], list(joints.names))
    if group is None:
        raise Unsupported(f"no group of {', '.join(joints.names)} of family {joints.family} on the network")
    group.command_lifetime = round(1e3 * lifetime)
    return HebiPlant(Network(group, theirs.GroupCommand, RealClock(), lookup), robot, joints, period, safety)
