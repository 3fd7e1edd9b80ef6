"""What a controller acts on: the interface of real and simulated robots, and the simulated one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from itertools import groupby
from math import isfinite
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.base import Command, Observation, Signal
from serpenoid.engines.base import Engine, Initial, Log, Moment, Variable
from serpenoid.engines.observation import sensed_at
from serpenoid.errors import (
    HardwareFault,
    InvalidValue,
    SimulationDiverged,
    Unsupported,
    instance,
    positive,
    require,
    whole_number,
)
from serpenoid.kernels.accounts import EXTERNAL
from serpenoid.kernels.laws.fused_run import Course, FusedRun
from serpenoid.kernels.records import Motion
from serpenoid.robots.base import Robot
from serpenoid.robots.sensors import SENSED, Readings, Sensors
from serpenoid.runtime.clock import Pace
from serpenoid.runtime.events import PUSH, Event
from serpenoid.support.interrupts import never

CHUNK_SAMPLES = 2000  # samples per compiled call
MOST_KEPT = 10**9  # samples
ROUNDING = 1e-12  # of an energy


class Sample(NamedTuple):
    """A simulated run at one moment."""

    time: float  # [s]
    state: NDArray  # the engine's flat state
    command: Command  # that holds from then on
    wrenches: NDArray | None  # (links, 6) from outside
    engine: Engine  # that carries the run from then on


class Plant(ABC):
    """A robot that takes one command a period: simulated, a twin, or real."""

    has_truth: ClassVar[bool] = False  # whether its observations hold the truth
    keep: int | None = None  # how many samples and ticks are held; None: all

    def __init__(self, robot: Robot, period: float):
        self.robot = robot
        self.period = period  # [s] between two commands
        self.stopped: Callable[[], bool] = never  # whether the run is to end, asked between two compiled calls

    @abstractmethod
    def start(self, initial: Initial, rng: np.random.Generator) -> Observation:
        """Begin a run, also a second one; what is sensed at its start."""

    @abstractmethod
    def step(self, command: Command) -> Observation:
        """Hold a command for one period; what is sensed at its end. A real plant waits for the clock."""

    def close(self) -> None:  # noqa: B027
        """Let the robot go."""

    def finish(self, command: Command, rest: float) -> None:  # noqa: B027
        """The end of a run: the last command, and `rest` [s] that no whole period fills."""

    def failed(self, error: BaseException) -> HardwareFault | None:
        """What a run that an error breaks off ends in, once the robot is safe; None: in that error."""
        return None

    def breaks_off(self, again: bool) -> bool:
        """Whether Ctrl-C, perhaps pressed again, ends a run where it is instead of at its next tick."""
        return again

    def apply(self, event: Event) -> None:
        """Something acts from outside."""
        raise Unsupported(f"{type(self).__name__} takes no {event.what} from outside")

    def signals(self) -> dict[str, Signal]:
        """What the plant wants recorded of a tick."""
        return {}

    @property
    def recorded(self) -> tuple[str, ...]:
        """Which observations are kept of every tick."""
        return SENSED

    def variable_names(self) -> tuple[str, ...]:
        """Names of the variables that its samples hold."""
        return SENSED

    def samples(self) -> tuple[NDArray, dict[str, Variable]]:
        """Times of its own samples and the variables there; nothing where observations are all there is."""
        return np.zeros(0), {}


class SimulatedPlant(Plant):
    """An engine behind the interface of a robot. It keeps its own samples, all of them or the latest so many."""

    has_truth: ClassVar[bool] = True

    def __init__(
        self, engine: Engine, period: float, sample_period: float, realtime: bool = False, keep: int | None = None
    ):
        instance("engine", engine, Engine, "an engine that carries a robot: find_engine() knows which")
        super().__init__(engine.robot, period)
        instance("robot.sensors", self.robot.sensors, Sensors, "Sensors(...)")
        self.engine = engine
        self.steps_per_command = steps_in("period", period, engine.step)
        self.steps_per_sample = engine.steps_per_sample = steps_in("sample_period", sample_period, engine.step)
        self.realtime, self.keep = realtime, None if keep is None else whole_number("keep", keep, 1, MOST_KEPT)
        self.forget()

    def forget(self) -> None:
        """Back to before the start."""
        self.number = 0  # of integration steps so far
        self.log: deque[Sample] = deque(maxlen=self.keep)
        self.recorded_samples = 0  # samples so far, those that were let go included
        self.wrenches: NDArray | None = None
        self.command = Command.empty(self.robot.joints)
        self.pace = Pace(self.period) if self.realtime else None
        self.readings: Readings | None = None
        self.here: Moment | None = None  # that was sensed last
        self.past: deque[tuple[int, Moment]] = deque()  # where commands began to be held, over a period

    def start(self, initial: Initial, rng: np.random.Generator, motion: Motion | None = None) -> Observation:
        """As for every plant; joints that a motion leads start in it."""
        self.forget()
        of_start, of_sensors = rng.spawn(2)
        if not self.robot.sensors.ideal:
            self.readings = Readings(self.robot.sensors, self.period, of_sensors)
        self.state = self.engine.initial(initial, motion, of_start)
        if motion is not None:
            self.record(self.engine.motion_command(0, motion))
        return self.observe()

    @property
    def time(self) -> float:
        """Of the run so far [s]."""
        return self.number * self.engine.step

    def observe(self) -> Observation:
        """What is sensed now."""
        since = self.number - self.steps_per_command
        before = self.past[0][1] if self.past and self.past[0][0] <= since else None
        self.here = self.moment()
        true = sensed_at(self.here, before)
        if self.readings is None:
            return true
        tick = self.number // self.steps_per_command
        return Observation(true.time, self.readings.take(tick, true.read), true.truth)

    def moment(self) -> Moment:
        """The run as it is now."""
        return Moment(self.engine, self.time, self.state, self.command, self.wrenches)

    def step(self, command: Command) -> Observation:
        if self.pace is not None:
            self.pace.command_is_ready(self.time)
        self.carry(command, self.steps_per_command)
        if self.pace is not None:
            self.pace.wait(self.time)
        return self.observe()

    def finish(self, command: Command, rest: float) -> None:
        self.carry(command, round(rest / self.engine.step))
        if self.number % self.steps_per_sample == 0:
            self.record(command)

    def carry(self, command: Command, steps: int) -> None:
        """Hold a command for some integration steps, sampling on the way."""
        command = self.checked_command(command)
        here = self.here if self.here is not None and self.here.state is self.state else self.moment()
        self.past.append((self.number, here))
        self.command, end = command, self.number + steps
        while self.number < end:
            if self.number % self.steps_per_sample == 0:
                self.record(command)
            stop = min(end, self.next_sample())
            self.state = self.engine.advance(self.number, self.state, command, stop - self.number, self.wrenches)
            self.number = stop
        while len(self.past) > 1 and self.past[1][0] <= self.number - self.steps_per_command:
            self.past.popleft()

    def checked_command(self, command: Command) -> Command:
        """A command as engines take it; one of another size, or that the drives would not act on at all, is refused."""
        size = (self.robot.joints,)
        if not all(type(part) is np.ndarray and part.shape == size and part.dtype == float for part in command):
            command = command.checked(self.robot.joints)  # a loop has checked its law's
        if not np.isnan(command.position).all():
            return command
        given = {name for name, part in zip(Command._fields, command) if not np.isnan(part).all()}
        prescribed = self.robot.drive.prescribed
        if prescribed and given == {"torque"}:
            raise Unsupported("prescribed joints take no torques: give the robot another drive, such as pd")
        if not prescribed and given == {"acceleration"}:
            raise Unsupported("driven joints take no accelerations: give the robot a prescribed drive")
        return command

    def follow(self, motion: Motion, steps: int) -> None:
        """Let a motion lead the joints for some integration steps: whole stretches of samples per compiled call."""
        end = self.number + steps
        self.past.clear()
        while self.number < end:
            if self.stopped():
                raise KeyboardInterrupt
            if self.pace is not None and self.number:
                self.pace.wait(self.time)
            every, ready = self.steps_per_sample, self.number % self.steps_per_sample == 0
            count = min(CHUNK_SAMPLES, (end - self.number) // every) if ready else 0
            stop = self.number + count * every if count else min(end, self.next_sample())
            self.follow_to(motion, stop, every if count else stop - self.number)

    def follow_to(self, motion: Motion, stop: int, every: int) -> None:
        """One compiled call up to a step number, with a sample after every so many steps where one is due."""
        first, start = self.number, self.state
        states = self.engine.rollout(first, start, motion, stop - first, every, self.wrenches)
        numbers = np.arange(first + every, stop + 1, every)
        good = np.isfinite(states).all(axis=1)
        commands = self.engine.motion_commands(numbers * self.engine.step, motion)
        for i in range(len(numbers) if good.all() else int(np.argmin(good))):
            self.number, self.state = int(numbers[i]), states[i]
            if self.number % self.steps_per_sample == 0:
                self.record(Command(*(part[i] for part in commands)))
        if not good.all():
            raise self.divergence(motion, every)

    def fuses(self, imu: bool) -> bool:
        """Whether a law that is a kernel can run inside the engine: it reads every tick at once.

        imu: whether the law reads accelerometers and gyroscopes.
        """
        able = self.engine.fuses_imus if imu else self.engine.fuses
        return able and (self.readings is None or self.readings.at_once) and self.pace is None

    def fuse(self, law: Any, stop: Any, ticks: int) -> FusedRun:
        """Let a law lead for some ticks in one compiled call, or until a rule stops the run."""
        course = Course(self.number, self.engine.step, self.steps_per_command, ticks, self.steps_per_sample)
        since = self.number - self.steps_per_command
        before = next((moment.state.copy() for number, moment in self.past if number == since), None)
        before = np.full(self.state.size, np.nan) if before is None else before
        links = len(self.robot.link_names) if law.controller.needs_imu else 0
        errors, mark, size = None, None, (self.robot.joints, links)
        if self.readings is not None:
            mark, errors = self.readings.mark(), self.readings.errors_ahead(ticks, *size)
        run = self.engine.led_by_law(self.state, law, stop, course, self.wrenches, errors, before)
        if self.readings is not None and run.ticks < ticks:  # what was drawn for the rest comes later
            self.readings.back_to(mark)
            self.readings.errors_ahead(run.ticks, *size)
        nothing = Command.empty(self.robot.joints)
        sample = self.number if self.number % self.steps_per_sample == 0 else self.next_sample()
        for state in run.states:
            target = run.targets[(sample - course.first) // self.steps_per_command]
            held = nothing._replace(position=target)
            self.log.append(Sample(sample * self.engine.step, state, held, self.wrenches, self.engine))
            sample += self.steps_per_sample
        self.recorded_samples += len(run.states)
        if run.diverged >= 0:
            raise SimulationDiverged(
                (run.diverged + 1) * self.engine.step, run.states[-1] if len(run.states) else self.state
            )
        self.number, self.state = course.first + run.ticks * self.steps_per_command, run.end
        self.command = nothing._replace(position=run.targets[-1])
        self.past.clear()
        if self.engine.fuses_imus:
            last = self.number - self.steps_per_command
            moment = Moment(self.engine, last * self.engine.step, before, self.command, self.wrenches)
            self.past.append((last, moment))
        return run

    def divergence(self, motion: Motion, steps: int) -> SimulationDiverged:
        """Which of the next steps under a motion is the one that diverges."""
        states = self.engine.rollout(self.number, self.state, motion, steps, 1, self.wrenches)
        lost = int(np.argmin(np.isfinite(states).all(axis=1)))
        return SimulationDiverged((self.number + lost + 1) * self.engine.step, states[lost - 1] if lost else self.state)

    def next_sample(self) -> int:
        """The step number of the next sample."""
        return (self.number // self.steps_per_sample + 1) * self.steps_per_sample

    def record(self, command: Command) -> None:
        """Keep a sample of this moment."""
        self.log.append(Sample(self.time, self.state, command, self.wrenches, self.engine))
        self.recorded_samples += 1

    def apply(self, event: Event) -> None:
        """A push on a link, or a robot or world with another field, from now on."""
        self.act(event)
        if self.log and self.log[-1].time == self.time:  # a sample shows what holds from then on
            self.log[-1] = self.log[-1]._replace(state=self.state, wrenches=self.wrenches, engine=self.engine)

    def act(self, event: Event) -> None:
        """Take over what an event changes."""
        if event.what.startswith(PUSH + "."):
            links = len(self.robot.link_names)
            if event.link >= links:
                raise InvalidValue("push", event.what, f"a link from 0 to {links - 1}")
            wrenches = np.zeros((links, 6)) if self.wrenches is None else self.wrenches.copy()
            wrenches[event.link] = event.value
            self.engine.check_wrenches(wrenches)
            self.wrenches = wrenches if wrenches.any() else None
            return
        owner = event.what.partition(".")[0]
        parts = {"robot": self.robot, "world": self.engine.world}
        if owner not in parts:
            super().apply(event)
        parts[owner] = event.applied(parts[owner])
        if parts["robot"].joint_names != self.robot.joint_names:
            raise InvalidValue(event.what, event.value, "such that the robot keeps its joints while it runs")
        engine = type(self.engine)(parts["robot"], parts["world"], self.engine.step)
        if engine.layout.slices != self.engine.layout.slices or parts["robot"].sensors != self.robot.sensors:
            raise InvalidValue(event.what, event.value, "such that drives keep their kind and sensors stay as they are")
        engine.steps_per_sample = self.steps_per_sample
        self.take_over(engine)

    def take_over(self, engine: Engine) -> None:
        """Another engine carries on from here; energy that it finds or misses came from outside."""
        before, state = self.energy(), engine.taken_over(self.engine, self.state)
        self.engine, self.robot, self.state = engine, engine.robot, state
        gained = self.energy() - before
        if abs(gained) > ROUNDING * abs(before):
            self.state = state.copy()
            self.state[engine.layout["accounts"]][EXTERNAL] += gained

    def energy(self) -> float:
        """All that the trajectory's books call energy, now [J]."""
        found = self.moment().variables
        return float(sum(variable.values[0] for name, variable in found.items() if name.startswith("energy_")))

    def signals(self) -> dict[str, Signal]:
        return {} if self.pace is None else self.pace.signals()

    @property
    def recorded(self) -> tuple[str, ...]:
        return () if self.readings is None else SENSED

    def variable_names(self) -> tuple[str, ...]:
        return tuple(self.moment().variables)

    def samples(self) -> tuple[NDArray, dict[str, Variable]]:
        """All variables at the samples, each stretch as the engine sees it that carried it."""
        pieces: list[dict[str, Variable]] = []
        before: list[Sample] = []  # the sample before a stretch, from which its first means begin
        for _, group in groupby(self.log, key=lambda sample: id(sample.engine)):
            piece = list(group)
            found = piece[0].engine.variables(log_of([*before, *piece])).items()
            pieces.append({name: each._replace(values=each.values[len(before) :]) for name, each in found})
            before = piece[-1:]
        joined = {
            name: variable._replace(values=np.concatenate([piece[name].values for piece in pieces]))
            for name, variable in (pieces[0] if pieces else {}).items()
        }
        return np.array([sample.time for sample in self.log]), joined


def log_of(samples: list[Sample]) -> Log:
    """Samples of one engine as what it makes variables of."""
    times, states = (np.array([sample[i] for sample in samples]) for i in range(2))
    commands = Command(*(np.array([sample.command[i] for sample in samples]) for i in range(len(Command._fields))))
    if all(sample.wrenches is None for sample in samples):
        return Log(times, states, commands)
    nothing = np.zeros((len(samples[0].engine.robot.link_names), 6))
    pushes = np.array([nothing if sample.wrenches is None else sample.wrenches for sample in samples])
    return Log(times, states, commands, pushes)


def steps_in(field: str, period: Any, step: float) -> int:
    """How many integration steps a period [s] has; refused where it is no multiple of them."""
    ratio = positive(field, period) / step
    fits = isfinite(ratio) and round(ratio) >= 1 and abs(ratio - round(ratio)) <= 1e-6 * max(1.0, ratio * 1e-3)
    require(fits, field, period, f"a multiple of the step {step} s")
    return round(ratio)
