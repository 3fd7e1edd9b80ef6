"""Live run in its own thread, which a page shows and acts on."""

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

KEPT = 60.0  # stored part of the run for saving and playback [s]
MOST_KEPT = 20_000  # samples
SLICE = 1.0 / 60.0  # of wall-clock time between two checks of the page's requests [s]
BEHIND = 0.25  # most lag behind the clock that a slow run catches up [s]

Job = Callable[[Stream], Any]


class Live:
    """Scenario in progress. The page's thread posts requests; the run's thread executes them between two ticks."""

    def __init__(self, scenario: Scenario, report: Callable[[str], None], speed: float = 1.0, modules: bool = False):
        self.scenario = scenario
        self.modules = modules  # whether it runs on emulated modules
        self.parts = scenario.parts()  # current or requested parts of the run
        self.report = report  # receives messages for the page
        self.speed = speed  # run time per wall-clock time; infinite for no limit
        self.paused = False
        self.jobs: queue.Queue[Job] = queue.Queue()
        self.name = ""  # of the scenario
        self.wanted: Any = None  # the controller after all pending requests
        self.releases: dict[int, float] = {}  # pushed link -> time of the run at which it is released [s]
        self.recent: tuple[Sample, ...] = ()  # the latest sample, and the one before it
        self.stream: Stream | None = None
        self.failure = ""  # why it ended
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self.go, daemon=True, name="live run")

    def start(self) -> Live:
        """Start the run; compilation and the first sample happen in the run's thread."""
        self.thread.start()
        return self

    @property
    def latest(self) -> Sample | None:
        """Latest sample; None before the first."""
        return self.recent[-1] if self.recent else None

    @property
    def running(self) -> bool:
        """True while the run continues."""
        return self.thread.is_alive()

    def stop(self) -> None:
        """Stop the run and wait until it has ended."""
        self.stopping.set()
        self.thread.join()

    def go(self) -> None:
        """Run the thread; every error becomes a message."""
        try:
            self.stream = open_stream(self.scenario, self.modules)
            self.recent = (next(self.stream),)
            self.carry(self.stream)
        except StopIteration:
            self.end("the run is complete")
        except SimulationDiverged as error:
            self.end(f"the run diverged at {error.time:.4g} s and was stopped")
        except SerpenoidError as error:
            self.end(str(error))
        except Exception as error:  # a user-defined controller may raise anything; the page must survive
            self.end(f"{type(error).__name__}: {error}")
        finally:
            if isinstance(self.stream, TwinStream):
                self.stream.close()

    def end(self, reason: str) -> None:
        """Store why the run ended."""
        self.failure = reason
        self.report(reason)

    def carry(self, run: Stream) -> None:
        """Advance until stopped, by as many ticks as the clock requires."""
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
        """Execute the page's requests; report refused ones and continue."""
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
        """Release links whose push is over."""
        for link in [link for link, time in self.releases.items() if run.loop.time >= time]:
            del self.releases[link]
            run.push(link, (0.0, 0.0, 0.0))

    def act(self, job: Job) -> None:
        """Execute a request between two ticks."""
        self.jobs.put(job)

    def change(self, parts: Parts) -> list[str]:
        """Continue with other parts of the same classes, or another gait; return the fields that will change."""
        changes = part_changes(self.parts._replace(controller=self.controller), parts)
        before, self.parts = self.parts, parts
        self.wanted = parts.controller if changes else self.wanted
        for what, value in changes:
            self.act(partial(self.set_field, what, value, field_of(before, what)))
        return [what for what, _ in changes]

    def set_field(self, what: str, value: Any, before: Any, run: Stream) -> None:
        """Change one field of the run; if refused, restore the previous value."""
        try:
            run.change(what, value)
        except SerpenoidError:
            owner, _, field = what.partition(".")
            part = configuration.changed(getattr(self.parts, owner), {field: before}) if field else before
            self.parts = self.parts._replace(**{owner: part})
            raise

    def lead(self, gait: Gait) -> None:
        """Switch to another gait."""
        before, self.parts, self.wanted = self.controller, self.parts._replace(controller=gait), gait
        self.act(partial(self.set_field, "controller", gait, before))

    def push(self, link: int, force: NDArray, duration: float) -> None:
        """Apply a force [N] in world axes to a link for a duration [s]."""

        def begin(run: Stream) -> None:
            run.push(link, tuple(force))
            self.releases[link] = run.loop.time + duration

        self.act(begin)

    @property
    def planar(self) -> bool:
        """True if the robot is planar and can only be pushed in the plane."""
        return isinstance(self.parts.robot, PlanarRobot)

    @property
    def controller(self) -> Any:
        """Current or requested gait or controller."""
        wanted = self.wanted
        if wanted is not None:
            return wanted
        return self.stream.loop.controller if self.stream else self.parts.controller

    def variables(self) -> dict[str, Any]:
        """Return all variables of the latest sample and the signals of the latest tick, each with one row."""
        samples, run = self.recent, self.stream
        if not samples or run is None:
            return {}
        made = samples[-1].engine.variables(log_of(list(samples)))  # means since the previous sample
        found: dict[str, Any] = {**label({name: values[-1:] for name, values in made.items()})}
        if run.loop.running.ticks:
            for name, signal in run.loop.running.ticks[-1].signals.items():
                found[name] = (("tick", *signal.dims), signal.value[-1:], signal.unit, signal.meaning)
        return found

    def trajectory(self) -> Trajectory:
        """Return the stored part of the run as a recording that can be repeated."""
        assert self.stream is not None
        answer: queue.Queue[Trajectory] = queue.Queue()
        if self.running:
            self.act(lambda run: answer.put(run.trajectory()))
        while self.running:
            with suppress(queue.Empty):
                return self.scenario.label(answer.get(timeout=0.2))
        return self.scenario.label(self.stream.trajectory())


def open_stream(scenario: Scenario, modules: bool = False) -> Stream:
    """Open a scenario as an unlimited stream, simulated directly or on emulated modules."""
    period = scenario.control_period if modules else scenario.sample_period  # modules are sampled at each command
    keep = int(min(MOST_KEPT, max(100, round(KEPT / period))))
    return TwinStream(scenario, keep) if modules else stream_parts(scenario, scenario.parts(), keep)


def first_moment(scenario: Scenario) -> Trajectory:
    """Return a scenario at time zero from its engine; the controller is named but not started."""
    parts = scenario.parts()
    asleep = parts if isinstance(parts.controller, Gait) else parts._replace(controller=Idle())
    run = stream_parts(scenario, asleep, None)
    next(run)
    run.parts["controller"] = parts.controller
    return run.trajectory()


def stream_parts(scenario: Scenario, parts: Parts, keep: int | None) -> Stream:
    """Return the stream of a scenario's parts that stores the latest `keep` samples, or all for None."""
    times = asdict(scenario.timing())
    del times["duration"], times["realtime"]  # the page paces the run itself
    initial = replace(scenario.initial(), scatter=scenario.scatter)
    return stream(
        *parts, initial=initial, engine=getattr(scenario, "engine", None), seed=scenario.seed,
        script=scenario.script(), keep=keep, **times,
    )  # fmt: skip
