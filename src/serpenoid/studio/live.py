"""A run that goes on in a thread of its own, while a page looks at it and acts on it."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, replace
from functools import partial
from time import monotonic, sleep
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid import configuration
from serpenoid.control.base import Idle
from serpenoid.errors import SerpenoidError, SimulationDiverged
from serpenoid.gaits.base import Gait
from serpenoid.robots.base import PlanarRobot
from serpenoid.runtime.samples import log_of
from serpenoid.scenarios.base import Parts, Scenario
from serpenoid.simulation import Sample, Stream, stream
from serpenoid.studio.changes import field_of, part_changes
from serpenoid.studio.module_stream import TwinStream
from serpenoid.trajectory import Trajectory
from serpenoid.variables import label

KEPT = 60.0  # of the run are held for saving and for looking back [s]
MOST_KEPT = 20_000  # samples
SLICE = 1.0 / 60.0  # of the clock between two looks at what the page asks for [s]
BEHIND = 0.25  # a run that is slower than the clock catches up with no more than this [s]

Job = Callable[[Stream], Any]


class Live:
    """A scenario under way. The page's thread asks, the run's thread does it between two ticks."""

    def __init__(self, scenario: Scenario, report: Callable[[str], None], speed: float = 1.0, modules: bool = False):
        self.scenario = scenario
        self.modules = modules  # whether it goes on the twin of modules
        self.parts = scenario.parts()  # as the run has them, or is about to
        self.report = report  # takes what the page is to say
        self.speed = speed  # times of the run per time of the clock; infinite: as fast as it goes
        self.paused = False
        self.jobs: queue.Queue[Job] = queue.Queue()
        self.name = ""  # of the scenario
        self.wanted: Any = None  # the controller as it is to become by jobs that wait
        self.releases: dict[int, float] = {}  # link that is pushed -> time of the run at which it is let go [s]
        self.recent: tuple[Sample, ...] = ()  # the latest sample, and the one before it
        self.stream: Stream | None = None
        self.failure = ""  # why it ended by itself
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self.go, daemon=True, name="live run")

    def start(self) -> Live:
        """Begin; compiling and the first sample happen in the run's own thread."""
        self.thread.start()
        return self

    @property
    def latest(self) -> Sample | None:
        """The latest sample; None before the first."""
        return self.recent[-1] if self.recent else None

    @property
    def running(self) -> bool:
        """Whether it goes on."""
        return self.thread.is_alive()

    def stop(self) -> None:
        """End it, and wait until it has ended."""
        self.stopping.set()
        self.thread.join()

    def go(self) -> None:
        """The run's own thread: whatever a run can do wrong ends in a sentence."""
        try:
            self.stream = opened(self.scenario, self.modules)
            self.recent = (next(self.stream),)
            self.carry(self.stream)
        except StopIteration:
            self.end("the run has come to its end")
        except SimulationDiverged as error:
            self.end(f"the run diverged at {error.time:.4g} s and was stopped")
        except SerpenoidError as error:
            self.end(str(error))
        except Exception as error:  # a controller of the user's own may raise anything; the page must live on
            self.end(f"{type(error).__name__}: {error}")
        finally:
            if isinstance(self.stream, TwinStream):
                self.stream.close()

    def end(self, reason: str) -> None:
        """Note why it ended."""
        self.failure = reason
        self.report(reason)

    def carry(self, run: Stream) -> None:
        """Go on until stopped, so many ticks at a time as the clock asks for."""
        due = monotonic()
        while not self.stopping.is_set():
            self.do_jobs(run)
            if self.paused:
                sleep(SLICE)
                due = monotonic()
                continue
            end = monotonic() + SLICE
            while monotonic() < end and (not np.isfinite(self.speed) or due <= monotonic()):
                self.recent = (*self.recent[-1:], next(run))
                self.release(run)
                due += run.timing.sample_period / self.speed
            due = max(due, monotonic() - BEHIND)
            if due > monotonic():
                sleep(min(SLICE, max(0.0, due - monotonic())))

    def do_jobs(self, run: Stream) -> None:
        """What the page asked for; what is refused is said, and the run goes on."""
        refused = []
        while not self.jobs.empty():
            try:
                self.jobs.get_nowait()(run)
            except SerpenoidError as error:
                refused.append(str(error))
        self.wanted = None
        for reason in refused:
            self.report(reason)

    def release(self, run: Stream) -> None:
        """Let go of links that were pushed for long enough."""
        for link in [link for link, time in self.releases.items() if run.loop.time >= time]:
            del self.releases[link]
            run.push(link, (0.0, 0.0, 0.0))

    def act(self, job: Job) -> None:
        """Let something happen between two ticks."""
        self.jobs.put(job)

    def change(self, parts: Parts) -> list[str]:
        """Go on with other parts of the same classes, or another gait; returns the fields that are about to change."""
        changes = part_changes(self.parts._replace(controller=self.controller), parts)
        before, self.parts = self.parts, parts
        self.wanted = parts.controller if changes else self.wanted
        for what, value in changes:
            self.act(partial(self.set_field, what, value, field_of(before, what)))
        return [what for what, _ in changes]

    def set_field(self, what: str, value: Any, before: Any, run: Stream) -> None:
        """Change one field of the run; where it is refused, the parts have it as it was before."""
        try:
            run.change(what, value)
        except SerpenoidError:
            owner, _, field = what.partition(".")
            part = configuration.changed(getattr(self.parts, owner), {field: before}) if field else before
            self.parts = self.parts._replace(**{owner: part})
            raise

    def lead(self, gait: Gait) -> None:
        """Another gait takes over."""
        before, self.parts, self.wanted = self.controller, self.parts._replace(controller=gait), gait
        self.act(partial(self.set_field, "controller", gait, before))

    def push(self, link: int, force: NDArray, duration: float) -> None:
        """A force [N] in world axes on a link for a time of the run [s]."""

        def begin(run: Stream) -> None:
            run.push(link, tuple(force))
            self.releases[link] = run.loop.time + duration

        self.act(begin)

    @property
    def planar(self) -> bool:
        """Whether the robot lies in the plane, and can only be pushed in it."""
        return isinstance(self.parts.robot, PlanarRobot)

    @property
    def controller(self) -> Any:
        """The gait or controller that is in charge, or is about to be."""
        wanted = self.wanted
        if wanted is not None:
            return wanted
        return self.stream.loop.controller if self.stream else self.parts.controller

    def variables(self) -> dict[str, Any]:
        """All variables of the latest sample, and the signals of the latest tick, each with one row."""
        samples, run = self.recent, self.stream
        if not samples or run is None:
            return {}
        made = samples[-1].engine.variables(log_of(list(samples)))  # means since the sample before
        found: dict[str, Any] = {**label({name: values[-1:] for name, values in made.items()})}
        if run.loop.running.ticks:
            for name, signal in run.loop.running.ticks[-1].signals.items():
                found[name] = (("tick", *signal.dims), signal.value[-1:], signal.unit, signal.meaning)
        return found

    def trajectory(self) -> Trajectory:
        """What was just seen, as a recording that repeats."""
        assert self.stream is not None
        answer: queue.Queue[Trajectory] = queue.Queue()
        if self.running:
            self.act(lambda run: answer.put(run.trajectory()))
        while self.running:
            with suppress(queue.Empty):
                return self.scenario.label(answer.get(timeout=0.2))
        return self.scenario.label(self.stream.trajectory())


def opened(scenario: Scenario, modules: bool = False) -> Stream:
    """A scenario as a stream that goes on until it is stopped, by itself or on the twin of modules."""
    period = scenario.control_period if modules else scenario.sample_period  # modules are sampled at each command
    keep = int(min(MOST_KEPT, max(100, round(KEPT / period))))
    return TwinStream(scenario, keep) if modules else streamed(scenario, scenario.parts(), keep)


def first_moment(scenario: Scenario) -> Trajectory:
    """A scenario at time zero, by the engine that would carry it; its controller is named, but not woken."""
    parts = scenario.parts()
    asleep = parts if isinstance(parts.controller, Gait) else parts._replace(controller=Idle())
    run = streamed(scenario, asleep, None)
    next(run)
    run.parts["controller"] = parts.controller
    return run.trajectory()


def streamed(scenario: Scenario, parts: Parts, keep: int | None) -> Stream:
    """The stream of a scenario's parts, of which the latest `keep` samples are held; None: all."""
    times = asdict(scenario.timing())
    del times["duration"], times["realtime"]  # the page holds it to the clock by itself
    initial = replace(scenario.initial(), scatter=scenario.scatter)
    return stream(
        *parts, initial=initial, engine=getattr(scenario, "engine", None), seed=scenario.seed,
        script=scenario.script(), keep=keep, **times,
    )  # fmt: skip
