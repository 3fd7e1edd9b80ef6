"""Simulated plants: an engine behind the interface of a robot."""

from __future__ import annotations

from collections import deque
from itertools import groupby
from math import isfinite
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.base import Command, Observation, Signal
from serpenoid.control.kernel_law import KernelController, KernelLaw
from serpenoid.engines.base import Engine, Initial, Moment, fused_task
from serpenoid.engines.observation import sensed_at
from serpenoid.errors import (
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
from serpenoid.robots.sensors import ALWAYS_SENSED, Readings, Sensors
from serpenoid.runtime.clock import Pace
from serpenoid.runtime.events import PUSH, Event
from serpenoid.runtime.plant import STRIDE, Plant
from serpenoid.runtime.running_law import GaitLaw, RunningLaw, Ticks
from serpenoid.runtime.samples import Block, Sample, join_blocks

LONGEST_CALL = 250  # ticks in one compiled call; Ctrl-C waits for its end
CHUNK_SAMPLES = 2000  # samples per compiled call
MOST_KEPT = 10**9  # samples
ROUNDING = 1e-12  # tolerance of an energy


class SimulatedPlant(Plant):
    """An engine behind the interface of a robot, with all of its samples or the latest `keep`."""

    has_truth: ClassVar[bool] = True

    def __init__(
        self, engine: Engine, period: float, sample_period: float, realtime: bool = False, keep: int | None = None
    ):
        instance("engine", engine, Engine, "an engine of a robot, as find_engine() returns")
        super().__init__(engine.robot, period)
        instance("robot.sensors", self.robot.sensors, Sensors, "Sensors(...)")
        self.engine = engine
        self.steps_per_command = steps_in("period", period, engine.step)
        self.steps_per_sample = engine.steps_per_sample = steps_in("sample_period", sample_period, engine.step)
        self.realtime, self.keep = realtime, None if keep is None else whole_number("keep", keep, 1, MOST_KEPT)
        self.motion: Motion | None = None  # motion of a gait that runs from the start
        self.forget()

    def forget(self) -> None:
        """Reset to the state before the start."""
        self.number = 0  # integration steps so far
        self.log: deque[Block] = deque(maxlen=self.keep)
        self.recorded_samples = 0  # samples so far, including those dropped
        self.wrenches: NDArray | None = None
        self.command = Command.empty(self.robot.joints)
        self.pace = Pace(self.period) if self.realtime else None
        self.readings: Readings | None = None
        self.here: Moment | None = None  # last sensed state
        self.past: deque[tuple[int, Moment]] = deque()  # states at which commands began, over a period

    def start(self, initial: Initial, rng: np.random.Generator, motion: Motion | None = None) -> Observation:
        """Begin a run; joints that follow a motion start in it."""
        motion = self.motion if motion is None else motion
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
        """Time of the run so far [s]."""
        return self.number * self.engine.step

    def observe(self) -> Observation:
        """Return the present observation."""
        since = self.number - self.steps_per_command
        before = self.past[0][1] if self.past and self.past[0][0] <= since else None
        self.here = self.moment()
        true = sensed_at(self.here, before)
        if self.readings is None:
            return true
        tick = self.number // self.steps_per_command
        return Observation(true.time, self.readings.take(tick, true.read), true.truth)

    def moment(self) -> Moment:
        """Return the present state of the run."""
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
        """Apply a command for some integration steps, and record samples that are due."""
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
        """Return a command for the engine; raise an error for a wrong size or targets that the drives ignore."""
        size = (self.robot.joints,)
        if not all(type(part) is np.ndarray and part.shape == size and part.dtype == float for part in command):
            command = command.checked(self.robot.joints)  # a loop has already checked its law's commands
        if not np.isnan(command.position).all():
            return command
        given = {name for name, part in zip(Command._fields, command) if not np.isnan(part).all()}
        prescribed = self.robot.drive.prescribed
        if prescribed and given == {"torque"}:
            raise Unsupported("prescribed joints do not accept torques: give the robot another drive, such as pd")
        if not prescribed and given == {"acceleration"}:
            raise Unsupported("driven joints do not accept accelerations: give the robot a prescribed drive")
        return command

    def follow(self, motion: Motion, steps: int) -> None:
        """Follow a motion for some integration steps, in compiled calls over many samples."""
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
        """Run one compiled call up to a step number, with a sample after every `every` steps when due."""
        first, start = self.number, self.state
        states = self.engine.rollout(first, start, motion, stop - first, every, self.wrenches)
        numbers = np.arange(first + every, stop + 1, every)
        good = np.isfinite(states).all(axis=1)
        count = len(numbers) if good.all() else int(np.argmin(good))
        if count:
            self.number, self.state = int(numbers[count - 1]), states[count - 1]
            due = np.flatnonzero(numbers[:count] % self.steps_per_sample == 0)
            times = numbers[due] * self.engine.step
            self.add(Block(times, states[due], self.engine.motion_commands(times, motion), self.wrenches, self.engine))
        if not good.all():
            lead = self.engine.motion_lead(motion)
            raise self.engine.divergence(self.number, self.state, lead, every, self.wrenches)

    def add(self, block: Block) -> None:
        """Store samples, one by one if their number is limited."""
        size = len(block.times)
        if size:
            self.log.extend([block] if self.keep is None else [block.rows(i, i + 1) for i in range(size)])
        self.recorded_samples += size

    def attach(self, law: RunningLaw) -> None:
        """Prepare for a law; joints that follow a gait start in its motion."""
        self.motion = law.law.motion if isinstance(law.law, GaitLaw) else None
        if self.motion is not None and law.waiting:
            raise InvalidValue("delay", len(law.waiting), "0 for a gait, which acts at every step")

    def advance(self, law: RunningLaw, ticks: int) -> Ticks:
        """Run a law; a gait or a compiled law runs all ticks in one compiled call."""
        if isinstance(law.law, GaitLaw):
            return self.advance_gait(law, law.law, ticks)
        if self.can_fuse(law):
            return self.advance_kernel(law, ticks)
        return super().advance(law, ticks)

    def advance_gait(self, law: RunningLaw, gait: GaitLaw, ticks: int) -> Ticks:
        """Follow a gait's motion; a stop rule is checked at every tick."""
        ticks = ticks if law.stop is None else 1
        self.follow(gait.motion, ticks * self.steps_per_command)
        gait.time = (law.tick + ticks) * self.period
        if law.stop is not None:
            law.observation = self.observe()
        return Ticks(law.tick, ticks, {}, None, {}, law.rule_is_met())

    def advance_kernel(self, law: RunningLaw, ticks: int) -> Ticks:
        """Run a law inside the engine, until a rule stops the run."""
        inner: Any = law.law
        run = self.fuse(inner, law.stop, ticks)
        found = inner.controller.memory_signals(inner.robot, inner.period, run.memory)
        signals = {name: s._replace(value=np.array(s.value, dtype=float)) for name, s in found.items()}
        sensed = {name: run.readings[:, k] for k, name in enumerate(ALWAYS_SENSED) if name in self.recorded}
        block = Ticks(law.tick, run.ticks, sensed, commands_of(inner, run.targets), signals)
        law.keep(block)
        inner.time = (law.tick + run.ticks) * self.period
        law.observation = self.observe()
        return block._replace(stopped=run.stopped)

    def can_fuse(self, law: RunningLaw) -> bool:
        """Return whether the engine can run a law inside its own compiled code."""
        inner = law.law
        return isinstance(inner, KernelLaw) and not law.waiting and self.fuses(inner.controller)

    def end(self, law: RunningLaw, rest: float) -> None:
        if not isinstance(law.law, GaitLaw):
            super().end(law, rest)
        elif rest > 0.0:
            self.follow(law.law.motion, round(rest / self.engine.step))

    def stride(self, law: RunningLaw, ticks: int, wanted: int | None) -> int:
        if self.realtime:
            return 1
        compiled = isinstance(law.law, GaitLaw) or self.can_fuse(law)
        return wanted or (min(max(STRIDE, ticks // 16), LONGEST_CALL) if compiled else STRIDE)

    def reached(self, time: float) -> float:
        return self.time

    @property
    def may_compile(self) -> bool:
        return self.number == 0

    def fuses(self, controller: KernelController) -> bool:
        """Return whether a compiled law can run inside the engine, which reads every tick at once."""
        able = self.engine.fuses_imus if controller.needs_imu else self.engine.fuses
        able = able and (controller.commands == "position" or self.engine.fuses_torques)
        return able and (self.readings is None or self.readings.at_once) and self.pace is None

    def fuse(self, law: Any, stop: Any, ticks: int) -> FusedRun:
        """Run a law for some ticks in one compiled call, or until a rule stops the run."""
        course = Course(self.number, self.engine.step, self.steps_per_command, ticks, self.steps_per_sample)
        since = self.number - self.steps_per_command
        before = next((moment.state.copy() for number, moment in self.past if number == since), None)
        before = np.full(self.state.size, np.nan) if before is None else before
        links = len(self.robot.link_names) if law.controller.needs_imu else 0
        errors, mark, size = None, None, (self.robot.joints, links)
        if self.readings is not None:
            mark, errors = self.readings.mark(), self.readings.errors_ahead(ticks, *size)
        run = self.engine.run_law(self.state, fused_task(law, course, stop, errors), self.wrenches, before)
        if self.readings is not None and run.ticks < ticks:  # keep random numbers drawn for the rest
            self.readings.back_to(mark)
            self.readings.errors_ahead(run.ticks, *size)
        self.add_fused(law, run, course)
        if run.diverged >= 0:
            raise SimulationDiverged(
                (run.diverged + 1) * self.engine.step, run.states[-1] if len(run.states) else self.state
            )
        self.number, self.state = course.first + run.ticks * self.steps_per_command, run.end
        self.command = commands_of(law, run.targets[-1])
        self.past.clear()
        if self.engine.fuses_imus:
            last = self.number - self.steps_per_command
            moment = Moment(self.engine, last * self.engine.step, before, self.command, self.wrenches)
            self.past.append((last, moment))
        return run

    def add_fused(self, law: Any, run: FusedRun, course: Course) -> None:
        """Store the samples of a law that ran inside the engine."""
        first = self.number if self.number % self.steps_per_sample == 0 else self.next_sample()
        numbers = first + self.steps_per_sample * np.arange(len(run.states))
        targets = run.targets[(numbers - course.first) // self.steps_per_command]
        commands = commands_of(law, targets)
        self.add(Block(numbers * self.engine.step, run.states, commands, self.wrenches, self.engine))

    def next_sample(self) -> int:
        """Return the step number of the next sample."""
        return (self.number // self.steps_per_sample + 1) * self.steps_per_sample

    def record(self, command: Command) -> None:
        """Store a sample of this instant."""
        self.add(Sample(self.time, self.state, command, self.wrenches, self.engine).block())

    def sample(self, number: int) -> Sample:
        """Return one of the stored samples, counted from the run's start."""
        back = self.recorded_samples - number
        for block in reversed(self.log):
            if back <= len(block.times):
                return block.sample(len(block.times) - back)
            back -= len(block.times)
        raise IndexError(number)

    def apply(self, event: Event) -> None:
        """Apply a push on a link, or a changed field of robot or world, from now on."""
        self.act(event)
        if not self.log or self.log[-1].times[-1] != self.time:
            return
        last = self.log.pop()  # a sample shows the values valid from then on
        size = len(last.times)
        if size > 1:
            self.log.append(last.rows(0, size - 1))
        shown = last.rows(size - 1, size)
        self.log.append(shown._replace(states=self.state[None], wrenches=self.wrenches, engine=self.engine))

    def act(self, event: Event) -> None:
        """Adopt the change of an event."""
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
            raise InvalidValue(event.what, event.value, "such that the robot keeps its joints during a run")
        engine = type(self.engine)(parts["robot"], parts["world"], self.engine.step)
        if engine.layout.slices != self.engine.layout.slices or parts["robot"].sensors != self.robot.sensors:
            raise InvalidValue(event.what, event.value, "such that drives keep their kind and sensors are unchanged")
        engine.steps_per_sample = self.steps_per_sample
        self.take_over(engine)

    def take_over(self, engine: Engine) -> None:
        """Continue with another engine; the difference in energy counts as external work."""
        before, state = self.energy(), engine.taken_over(self.engine, self.state)
        self.engine, self.robot, self.state = engine, engine.robot, state
        gained = self.energy() - before
        if abs(gained) > ROUNDING * abs(before):
            self.state = state.copy()
            self.state[engine.layout["accounts"]][EXTERNAL] += gained

    def energy(self) -> float:
        """Return the present energy in the trajectory's energy balance [J]."""
        found = self.moment().variables
        return float(sum(values[0] for name, values in found.items() if name.startswith("energy_")))

    def signals(self) -> dict[str, Signal]:
        return {} if self.pace is None else self.pace.signals()

    @property
    def recorded(self) -> tuple[str, ...]:
        return () if self.readings is None else self.readings.recorded

    def variable_names(self) -> tuple[str, ...]:
        return tuple(self.moment().variables)

    def samples(self) -> tuple[NDArray, dict[str, NDArray]]:
        """Return all variables at the samples, computed by the engine that simulated each part."""
        pieces: list[dict[str, NDArray]] = []
        before: list[Block] = []  # sample before a part, from which its first means begin
        for _, group in groupby(self.log, key=lambda block: id(block.engine)):
            blocks = list(group)
            found = blocks[0].engine.variables(join_blocks([*before, *blocks])).items()
            pieces.append({name: values[len(before) :] for name, values in found})
            before = [blocks[-1].rows(len(blocks[-1].times) - 1, len(blocks[-1].times))]
        variables = {name: np.concatenate([piece[name] for piece in pieces]) for name in (pieces[0] if pieces else {})}
        return np.concatenate([np.zeros(0), *(block.times for block in self.log)]), variables


def steps_in(field: str, period: Any, step: float) -> int:
    """Return the number of steps in a period [s]; raise InvalidValue if it is not a multiple of the step."""
    ratio = positive(field, period) / step
    fits = isfinite(ratio) and round(ratio) >= 1 and abs(ratio - round(ratio)) <= 1e-6 * max(1.0, ratio * 1e-3)
    require(fits, field, period, f"a multiple of the step {step} s")
    return round(ratio)


def commands_of(law: Any, targets: NDArray) -> Command:
    """Return the commands of a compiled law's targets (..., joints)."""
    nothing = np.full_like(targets, np.nan)
    return Command(nothing, nothing, nothing, nothing)._replace(**{law.controller.commands: targets})
