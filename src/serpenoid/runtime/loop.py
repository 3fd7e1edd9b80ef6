"""The one loop of simulated and real robots: observe, ask the law, command; tick by tick, or all by run_loop()."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.control.base import Command, Controller, Law, Signal, signals_of
from serpenoid.control.follow import FollowGait
from serpenoid.control.kernel_law import KernelLaw
from serpenoid.engines.base import Initial
from serpenoid.errors import InvalidValue, SimulationDiverged, Unsupported, instance, positive, require, whole_number
from serpenoid.gaits.base import Gait
from serpenoid.gaits.transition import Lead
from serpenoid.robots.sensors import ALWAYS_SENSED
from serpenoid.runtime import events
from serpenoid.runtime.events import Event
from serpenoid.runtime.plants import Plant, SimulatedPlant
from serpenoid.runtime.stop_rules import LeaveArea
from serpenoid.support.interrupts import Interrupted, compiling, never, noted
from serpenoid.trajectory import LABELS, Trajectory
from serpenoid.variables import Variable, label

Progress = Callable[[float], None]
MOST_DELAY, MOST_TICKS, MOST_SEED = 10_000, 10**12, 2**63 - 1
LONGEST_CALL = 250  # ticks in one compiled call: Ctrl-C waits for its end


class Ticks(NamedTuple):
    """What passed between law and plant at one tick, or at several that went by in one compiled call."""

    first: int  # its number
    size: int
    sensed: dict[str, NDArray]  # (size, joints) the observations that the plant wants kept
    command: Command  # arrays (size, joints) that the law gave; they act after the delay
    signals: dict[str, Signal]  # values (size, ...)

    def rows(self, start: int, stop: int) -> Ticks:
        """Some of them."""
        command = Command(*(part[start:stop] for part in self.command))
        sensed = {name: values[start:stop] for name, values in self.sensed.items()}
        signals = {name: signal._replace(value=signal.value[start:stop]) for name, signal in self.signals.items()}
        return Ticks(self.first + start, stop - start, sensed, command, signals)


class Loop:
    """A run that goes one tick at a time; events of its script act at the beginning of their tick."""

    def __init__(
        self,
        plant: Plant,
        controller: Gait | Controller,
        initial: Initial | None = None,
        seed: int = 0,
        delay: int = 0,
        script: Iterable[Event] = (),
        stop: LeaveArea | None = None,
    ):
        self.plant, self.controller = plant, controller
        delay = whole_number("delay", delay, 0, MOST_DELAY)
        self.tick = 0
        self.stop, self.stopped = stop, False
        self.ticks: deque[Ticks] = deque(maxlen=plant.keep)
        self.script = list(events.checked(script))
        self.played = 0
        of_plant, of_law = np.random.default_rng(checked_seed(seed)).spawn(2)
        self.waiting: deque[Command] = deque(Command.empty(plant.robot.joints) for _ in range(delay))
        self.lead: Lead | None = None
        self.law: Law | None = None
        self.shapes: dict[str, tuple[int, ...]] | None = None  # of the signals, once the law has been asked
        if isinstance(controller, Gait) and isinstance(plant, SimulatedPlant):
            if delay:
                raise InvalidValue("delay", delay, "0 where a gait leads the joints: it acts at every step")
            self.lead = Lead.first(controller, plant.robot)
            self.observation = plant.start(initial or Initial(), of_plant, self.lead.motion)
        else:
            law = FollowGait(controller) if isinstance(controller, Gait) else controller
            check_truth(plant, law)
            self.law = law.start(plant.robot, plant.period, of_law)
            require(callable(self.law), f"{type(law).__name__}.start()", self.law, "a law: called with an observation")
            self.observation = plant.start(initial or Initial(), of_plant)

    @property
    def time(self) -> float:
        """Of the tick that comes next [s]."""
        return self.tick * self.plant.period

    def step(self) -> None:
        """One tick."""
        self.advance(1)

    def advance(self, ticks: int) -> None:
        """So many ticks; a gait leads a simulated plant through all of them up to the next event in one call."""
        end = self.tick + ticks
        while self.tick < end and not self.stopped:
            if self.plant.stopped():
                raise KeyboardInterrupt
            self.play()
            until = min([end] + [event.tick for event in self.script[self.played : self.played + 1]])
            if self.fused is not None:
                self.fuse(self.fused, until - self.tick)
            elif self.lead is None:
                self.observation = self.plant.step(self.ask())
                self.tick += 1
                self.ask_to_stop()
            else:
                assert isinstance(self.plant, SimulatedPlant)
                until = until if self.stop is None else self.tick + 1
                self.plant.follow(self.lead.motion, (until - self.tick) * self.plant.steps_per_command)
                self.tick = until
                self.ask_to_stop()

    @property
    def fused(self) -> KernelLaw | None:
        """The law, where the engine can run it inside its own compiled code."""
        law, plant = self.law, self.plant
        if self.waiting or not isinstance(law, KernelLaw) or not isinstance(plant, SimulatedPlant):
            return None
        return law if plant.fuses(law.controller.needs_imu) else None

    def fuse(self, law: KernelLaw, ticks: int) -> None:
        """Let a law lead for some ticks inside the engine, or until the run is to stop."""
        assert isinstance(self.plant, SimulatedPlant)
        run = self.plant.fuse(law, self.stop, ticks)
        found = law.controller.memory_signals(law.robot, law.period, run.memory)
        signals = {name: s._replace(value=np.array(s.value, dtype=float)) for name, s in found.items()}
        self.check_signals(signals)
        nothing = np.full_like(run.targets, np.nan)
        sensed = {name: run.readings[:, k] for k, name in enumerate(ALWAYS_SENSED) if name in self.plant.recorded}
        block = Ticks(self.tick, run.ticks, sensed, Command(run.targets, nothing, nothing, nothing), signals)
        single = self.plant.keep is not None  # then so many of them are held
        self.ticks.extend([block.rows(i, i + 1) for i in range(run.ticks)] if single else [block])
        self.tick, self.stopped = self.tick + run.ticks, run.stopped
        law.time = self.time
        self.observation = self.plant.observe()

    def ask_to_stop(self) -> None:
        """Whether the run has come to the end that its rule gives it."""
        if self.stop is not None:
            assert isinstance(self.plant, SimulatedPlant)
            # Sensors are read once a tick: a law's observation is that of now.
            truth = (self.observation if self.lead is None else self.plant.observe()).truth
            self.stopped = truth is not None and self.stop.met(truth.link_pose)

    def finish(self, rest: float = 0.0) -> None:
        """The last moment of the run, after `rest` [s] that no whole period fills."""
        self.play()
        if self.lead is None:
            self.plant.finish(self.ask(), rest)
        elif rest > 0.0:
            assert isinstance(self.plant, SimulatedPlant)
            self.plant.follow(self.lead.motion, round(rest / self.plant.engine.step))

    def ask(self) -> Command:
        """Ask the law; the command that acts now, which is an older one where there is a delay."""
        assert self.law is not None
        answer = self.law(self.observation)
        if not (isinstance(answer, tuple) and len(answer) == len(Command._fields)):
            raise InvalidValue("command", answer, "a Command(position, velocity, acceleration, torque)")
        command = Command(*answer).checked(self.plant.robot.joints)
        seen, names = self.observation, self.plant.recorded
        known = [name for name in names if name in ALWAYS_SENSED or seen.read(name) is not None]
        sensed = {name: np.asarray(seen.needed(name))[None] for name in known}
        row = Command(*(part[None] for part in command))
        self.ticks.append(Ticks(self.tick, 1, sensed, row, self.checked_signals()))
        self.waiting.append(command)
        return self.waiting.popleft()

    def checked_signals(self) -> dict[str, Signal]:
        """Copies of the signals of law and plant as rows, refused where they are not those of the first tick."""
        found = signals_of(self.law) | signals_of(self.plant)
        rows = {name: signal._replace(value=signal.value[None]) for name, signal in found.items()}
        self.check_signals(rows)
        return rows

    def check_signals(self, rows: dict[str, Signal]) -> None:
        """Refuse signals (ticks, ...) whose names are taken, whose sizes do not fit, or that change."""
        shapes = {name: signal.value.shape[1:] for name, signal in rows.items()}
        if self.shapes is None:
            self.check_names(rows)
            self.check_sizes(rows)
            self.shapes = shapes
        if shapes != self.shapes:
            named = tuple(shapes) != tuple(self.shapes)
            wanted: Any = tuple(self.shapes) if named else self.shapes
            raise InvalidValue("signals", tuple(shapes) if named else shapes, f"the same at every tick: {wanted}")

    def check_names(self, rows: dict[str, Signal]) -> None:
        """Refuse names of signals that variables of the trajectory have."""
        taken = {"time", "tick", "joint", "link", *LABELS, *self.plant.variable_names()}
        for name in rows:
            free = name not in taken and not name.startswith(("command_", "sensed_")) or name == "command_ready"
            require(free, "signal", name, "a name that no variable of the trajectory has")

    def check_sizes(self, rows: dict[str, Signal]) -> None:
        """Refuse dimensions of signals that have two sizes."""
        labels = {"joint": self.plant.robot.joint_names, "link": self.plant.robot.link_names, **LABELS}
        sizes = {dim: len(names) for dim, names in labels.items()}
        for name, signal in rows.items():
            for dim, size in zip(signal.dims, signal.value.shape[1:]):
                good = dim not in ("time", "tick") and sizes.setdefault(dim, size) == size
                require(good, f"signal {name}", signal.dims, f"{sizes.get(dim, 'not')} long in {dim}, not {size}")

    def change(self, what: str, value: Any) -> None:
        """Something acts from the next tick on; it becomes a row of the script unless it is refused."""
        event = Event(self.tick, what, value).checked()
        self.play()
        self.act(event)
        self.script.insert(self.played, event)
        self.played += 1

    def play(self) -> None:
        """Let all events act whose tick has come."""
        while self.played < len(self.script) and self.script[self.played].tick <= self.tick:
            self.act(self.script[self.played])
            self.played += 1

    def act(self, event: Event) -> None:
        """Let one event act."""
        if event.what.partition(".")[0] == "controller":
            self.change_controller(event.applied(self.controller))
        else:
            self.plant.apply(event)

    def change_controller(self, controller: Gait | Controller) -> None:
        """Another gait takes over without a jump; a law goes on with another configuration."""
        if self.lead is not None and isinstance(controller, Gait):
            self.lead = self.lead.followed_by(controller, self.plant.robot, self.time)
        elif isinstance(controller, Gait) == isinstance(self.controller, Gait) and hasattr(self.law, "changed"):
            law: Any = self.law
            law.changed(FollowGait(controller) if isinstance(controller, Gait) else controller)
        else:
            raise Unsupported(f"{type(self.controller).__name__} cannot become another controller while it runs")
        self.controller = controller

    def trajectory(self, attributes: dict[str, Any]) -> Trajectory:
        """What there is so far."""
        times, sampled = self.plant.samples()
        variables, ticked = label(sampled), tick_variables(self.ticks)
        if not variables and ticked:  # observations are all there is
            times = self.tick_times()
            variables = label({name: ticked.pop(f"sensed_{name}").values for name in ALWAYS_SENSED})
        clocked = [name for name, signal in self.ticks[0].signals.items() if signal.clock] if self.ticks else []
        labels = {"joint": self.plant.robot.joint_names, "link": self.plant.robot.link_names}
        names = {"variables": [*variables, *ticked], "clock_variables": clocked}
        return Trajectory(times, {**variables, **ticked}, labels, {**attributes, **names}, self.tick_times())

    def tick_times(self) -> NDArray:
        """When the law was asked [s]."""
        numbers = [np.arange(ticks.first, ticks.first + ticks.size) for ticks in self.ticks]
        return np.concatenate(numbers) * self.plant.period if numbers else np.zeros(0)


def checked_seed(seed: Any) -> int:
    """The seed of a run."""
    return whole_number("seed", seed, 0, MOST_SEED)


def check_run(plant: Any, controller: Any, initial: Any, stop: Any) -> None:
    """Refuse what is not of the kind that a run is made of."""
    instance("plant", plant, Plant, "a Plant: SimulatedPlant, a twin or modules")
    require(isinstance(controller, Gait | Controller), "controller", controller, "a Gait or a Controller")
    if initial is not None:
        instance("initial", initial, Initial, "an Initial(joint_position, ...)")
    if stop is not None:
        instance("stop", stop, LeaveArea, "a LeaveArea(low, high, links)")
        require(isinstance(plant, SimulatedPlant), "stop", stop, "left out where the plant is no simulation")


def check_truth(plant: Plant, controller: Controller) -> None:
    """Refuse a controller that needs what this plant cannot know."""
    if controller.needs_truth and not plant.has_truth:
        name = type(controller).__name__
        raise Unsupported(f"{name} needs the robot's true pose, which {type(plant).__name__} does not know")


def run_loop(
    plant: Plant,
    controller: Gait | Controller,
    duration: float,
    *,
    initial: Initial | None = None,
    seed: int = 0,
    delay: int = 0,
    script: Iterable[Event] = (),
    stop: LeaveArea | None = None,
    stride: int | None = None,
    cut: bool = False,
    attributes: dict[str, Any] | None = None,
    progress: Progress | None = None,
) -> Trajectory:
    """Run a controller on a plant for a time [s] or until a rule stops it.

    SimulationDiverged and Interrupted carry the trajectory until then.

    stride: ticks between two reports of progress, and in one compiled call of a gait, at most. cut: end before the last
    moment, as a stream that was left between two ticks. The plant stays open: who made it closes it.
    """
    positive("duration", duration)
    require(progress is None or callable(progress), "progress", progress, "called with the share that is done")
    instance("attributes", {} if attributes is None else attributes, dict, "a dictionary")
    stride = None if stride is None else whole_number("stride", stride, 1, MOST_TICKS)
    check_run(plant, controller, initial, stop)
    ticks, rows = ticks_in(duration, plant.period), events.checked(script)
    events.check_last(rows, ticks)
    loop = Loop(plant, controller, initial, seed, delay, rows, stop)
    known = {"seed": checked_seed(seed), **(attributes or {})}
    if isinstance(plant, SimulatedPlant) and plant.realtime:
        stride = 1
    stride = stride or (16 if loop.lead is None and loop.fused is None else min(max(16, ticks // 16), LONGEST_CALL))
    try:
        with noted(plant.breaks_off, lambda frame: starting(loop) and compiling(frame)) as plant.stopped:
            try:
                while loop.tick < ticks and not loop.stopped:
                    loop.advance(min(stride, ticks - loop.tick))
                    if progress:
                        progress(loop.time / duration)
                if cut:
                    loop.play()
                else:
                    loop.finish(0.0 if loop.stopped else max(0.0, duration - ticks * plant.period))
            except BaseException as error:  # also sys.exit() of a law: joints must not be left moving
                end_of(loop, error, known)
                raise
    finally:
        plant.stopped = never
    ended = {"stopped": loop.stopped} if stop is not None else {}
    return loop.trajectory({**known, **ended, "complete": not cut})


def ticks_in(duration: float, period: float) -> int:
    """How many whole periods a time [s] has, which is the number of a run's last tick."""
    return int(duration / period + 1e-6)


def end_of(loop: Loop, error: BaseException, known: dict[str, Any]) -> None:
    """Keep what an error that breaks a run off leaves: in that error, or in what it means on this plant."""
    if isinstance(error, SimulationDiverged):
        error.trajectory = loop.trajectory({**known, "complete": False})
        return
    fault = loop.plant.failed(error)
    if fault is not None:
        fault.trajectory = loop.trajectory({**known, "complete": False, "ended_by": str(fault)})
        raise fault from (None if fault is error else error)
    if isinstance(error, KeyboardInterrupt) and elapsed(loop) > 0.0:  # else there is nothing to keep
        raise Interrupted(elapsed(loop), loop.trajectory({**known, "complete": False})) from None


def elapsed(loop: Loop) -> float:
    """How far a run is [s]."""
    return loop.plant.time if isinstance(loop.plant, SimulatedPlant) else loop.time


def starting(loop: Loop) -> bool:
    """Whether a simulation has not gone a step yet: its kernels may still have to be compiled."""
    return isinstance(loop.plant, SimulatedPlant) and elapsed(loop) == 0.0


def tick_variables(ticks: Sequence[Ticks]) -> dict[str, Variable]:
    """Commands, kept observations and signals over the ticks; targets that were never commanded are left out."""
    if not ticks:
        return {}
    arrays: dict[str, NDArray] = {}
    for name in Command._fields:
        values = np.concatenate([getattr(part.command, name) for part in ticks])
        if not np.isnan(values).all():
            arrays[f"command_{name}"] = values
    for name in ticks[0].sensed:
        arrays[f"sensed_{name}"] = np.concatenate([part.sensed[name] for part in ticks])
    found = label(arrays)
    for name, signal in ticks[0].signals.items():
        rows = np.concatenate([part.signals[name].value for part in ticks])
        found[name] = Variable(("tick", *signal.dims), rows, signal.unit, signal.meaning)
    return found
