"""Scenario base class: a named run with its configuration as fields and the scalars of its summary."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from operator import attrgetter
from typing import Annotated, Any, ClassVar, NamedTuple, get_type_hints

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import Part, above, at_least, between, check_fields, from_plain, to_plain
from serpenoid.control.base import Controller
from serpenoid.control.joint_pid import JointPID
from serpenoid.engines import find_engine
from serpenoid.engines.base import AT_REST, Engine, Initial, Start, stack_runs
from serpenoid.engines.planar import PlanarEngine
from serpenoid.engines.planar_lanes import Sampling
from serpenoid.errors import InvalidValue, SerpenoidError, SimulationDiverged
from serpenoid.gaits.base import Gait
from serpenoid.kernels.records import Motion
from serpenoid.robots.base import Robot
from serpenoid.runtime.events import Event, check_script, until
from serpenoid.runtime.loop import Progress
from serpenoid.runtime.stop_rules import LeaveArea
from serpenoid.simulation import Timing, parts_of, run_parts
from serpenoid.support.interrupts import Interrupted
from serpenoid.support.kernel_inputs import motion_of
from serpenoid.trajectory import Trajectory

ROUNDING = 1e-12  # [m/s]
YES_OR_NO = "yes or no"  # replaces the unit: 1 means yes, 0 no


class Quantity(NamedTuple):
    """Scalar of a summary."""

    value: float | bool | str | NDArray
    unit: str = ""
    clock: bool = False  # a wall-clock time, which is not repeatable and not stored in sweeps
    absent: str = "unknown"  # text for NaN in tables

    def formatted(self) -> tuple[float | bool | str | NDArray, str]:
        """Return value and unit as shown in a table."""
        if isinstance(self.value, float) and np.isnan(self.value):
            return self.absent, ""
        if self.unit == YES_OR_NO:
            return "yes" if self.value else "no", ""
        return without_rounding(self.value, self.unit), self.unit


def without_rounding(value: Any, unit: str) -> Any:
    """Return a value as shown in a table: speeds within rounding error become 0."""
    return 0.0 if unit == "m/s" and isinstance(value, float) and abs(value) < ROUNDING else value


class Parts(NamedTuple):
    """Robot, world, and gait or controller of a scenario."""

    robot: Robot
    world: Any
    controller: Gait | Controller


TOGETHER = 256  # runs whose samples are in memory at once, limited by the processor's cache
LONGEST_SETTLE = 2.0  # [s]


@lru_cache(maxsize=64)
def check_times(duration: float, step: float, control_period: float, sample_period: float) -> None:
    """Refuse inconsistent times; cached because the cells of a sweep share them."""
    Timing(duration, step, control_period, sample_period)


@dataclass(frozen=True)
class Scenario(Part, ABC):
    """A run that can be named, configured, swept and repeated. `serpenoid list` shows the first line."""

    kept: ClassVar[tuple[str, ...]] = ()  # variables read by measures(), if there are any
    lane_fields: ClassVar[tuple[str, ...]] = ("robot", "world", "gait", "seed", "start")  # may differ between lanes

    duration: Annotated[float, between(1e-7, 1e6, usual=(1.0, 60.0))] = 10.0
    """longest simulated time [s]"""
    step: Annotated[float, above(0.0, usual=(1e-4, 5e-3))] = 0.001
    """integration step [s]"""
    control_period: Annotated[float, between(1e-7, 1e6, usual=(0.001, 0.05))] = 0.01
    """time between two commands of a controller [s]; gaits act at every step"""
    sample_period: Annotated[float, between(1e-7, 1e6, usual=(0.001, 0.1))] = 0.01
    """time between two samples of the trajectory [s]"""
    seed: Annotated[int, between(0, 2**31 - 1, usual=(0, 100))] = 0
    """seed of all random numbers: scatter of the start, sensor noise and random controllers"""
    scatter: Annotated[float, at_least(0.0, usual=(0.0, 0.3))] = 0.0
    """standard deviation of the initial heading, and of initial joint angles that are not prescribed [rad]"""

    start: Start = Start()
    """joint angles and rates, pose and twist of link 0 at time zero; omitted values are those of the scenario"""

    def __init_subclass__(cls, **defaults: Any) -> None:
        """Set other defaults of inherited fields: class Own(Scenario, duration=6.0)."""
        super().__init_subclass__()
        hints = get_type_hints(cls.__mro__[1], include_extras=True) if defaults else {}
        cls.__annotations__ = {name: hints[name] for name in defaults} | vars(cls).get("__annotations__", {})
        for name, value in defaults.items():
            setattr(cls, name, value)

    def __post_init__(self) -> None:
        check_fields(self)
        check_times(self.duration, self.step, self.control_period, self.sample_period)

    @abstractmethod
    def parts(self) -> Parts:
        """Return robot, world, and gait or controller."""

    def usual_start(self) -> Initial:
        """Return the default initial state, used unless `start` overrides it."""
        return AT_REST

    def initial(self) -> Initial:
        """Return the initial state."""
        given = {name: value for name, value in vars(self.start).items() if value is not None}
        return replace(self.usual_start(), **given) if given else self.usual_start()

    def periods(self, swept: Collection[str]) -> Mapping[str, float]:
        """Return periodic fields with their periods for a sweep of `swept`, which then runs equal cells once."""
        return {}

    def stop(self) -> LeaveArea | None:
        """Return the rule that ends the run early, or None."""
        return None

    def script(self) -> tuple[Event, ...]:
        """Return the external events that act during the run."""
        return ()

    def run(self, progress: Progress | None = None, script: Iterable[Event] = ()) -> Trajectory:
        """Simulate and return the trajectory, labelled with this scenario even if the simulation diverged.

        script: external events in addition to the scenario's own script().
        """
        made, timing, stop = self.parts(), self.timing(), self.stop()
        initial = replace(self.initial(), scatter=self.scatter)  # after parts(), whose errors are more specific
        parts = parts_of(*made, timing, initial) | ({} if stop is None else {"stop": stop})
        rows = until(check_script((*self.script(), *script)), timing.ticks)
        try:
            trajectory = run_parts(parts, getattr(self, "engine", None), self.seed, rows, progress)
        except (SimulationDiverged, Interrupted) as error:
            self.label(error.trajectory)
            raise
        except InvalidValue as error:
            raise error.within("start") if vars(self.start).get(error.field) is not None else error from None
        return self.label(trajectory)

    def settling(self, duration: float) -> float:
        """Return the initial transient [s] excluded from averages of a run of `duration` seconds."""
        return 0.0

    def averaged(self, trajectory: Trajectory) -> tuple[float, float]:
        """Return start and end [s] of the interval over which a run is averaged."""
        end = float(trajectory.times[-1])
        return self.settling(end), end

    def timing(self) -> Timing:
        """Return duration, step and periods."""
        return Timing(self.duration, self.step, self.control_period, self.sample_period)

    def label(self, trajectory: Trajectory) -> Trajectory:
        """Write the scenario into the configuration of a trajectory."""
        known = {**trajectory.configuration, "scenario": to_plain(self)}
        trajectory.attributes["configuration"] = json.dumps(known)
        return trajectory

    @abstractmethod
    def summary(self, trajectory: Trajectory) -> dict[str, Quantity]:
        """Return the scalars that describe a run, in the order of printing."""

    def measures(self, times: NDArray, variables: Mapping[str, NDArray]) -> dict[str, Quantity]:
        """Compute the part of the summary that depends only on the variables in `kept`, for one run or a batch.

        Times are shared; a variable is (time, ...) or (runs, time, ...). NaN if a run diverged. Implementations may
        read only fields that all runs of a batch share: nothing of `lane_fields` except values that the lanes have in
        common.
        """
        raise NotImplementedError

    def gait_measures(
        self, times: NDArray, variables: Mapping[str, NDArray], motions: Sequence[Motion]
    ) -> dict[str, Quantity]:
        """Compute the measures of a batch (runs, time, ...) that depend on the gait of each run as well."""
        return {}

    def measured(self, trajectory: Trajectory) -> dict[str, Quantity]:
        """Return measures() of one run as plain numbers."""
        kept = {name: trajectory[name] for name in self.kept}
        found = self.measures(trajectory.times, kept).items()
        return {name: quantity._replace(value=np.asarray(quantity.value).item()) for name, quantity in found}

    @classmethod
    def batch(cls, scenarios: Sequence[Scenario]) -> dict[str, Quantity] | None:
        """Return measures() of many runs, computed 16 at a time in lock step if possible; each value is an array
        (runs,).

        None if that is impossible: no measures, a controller in the loop, a random start, a script or a stop rule. A
        run that diverged is NaN in every quantity; an invalid scenario raises. Results do not depend on the other runs
        of the batch.
        """
        if not cls.kept or any(s.scatter > 0.0 or s.script() or s.stop() is not None for s in scenarios):
            return None
        engines: dict[Any, Engine] = {}
        lanes = [Lane.of(scenario, engines) for scenario in scenarios]
        if any(lane is None for lane in lanes):
            return None
        groups: dict[Any, list[int]] = {}
        for place, lane in enumerate(lanes):
            groups.setdefault(lane.key or place, []).append(place)  # type: ignore[union-attr]
        found: dict[str, Quantity] = {}
        stretches = [places[i : i + TOGETHER] for places in groups.values() for i in range(0, len(places), TOGETHER)]
        for places in stretches:
            for name, quantity in run_together([lanes[place] for place in places]).items():
                values = found.setdefault(name, quantity._replace(value=np.full(len(scenarios), np.nan))).value
                np.asarray(values)[places] = quantity.value
        return found


def settle_time(settle: float | None, duration: float, sample_period: float) -> float:
    """Return the transient excluded from averages [s]: a third of the run, at most 2 s, by default or if it ended
    earlier.

    At least two samples remain if the run has two.
    """
    wanted = min(LONGEST_SETTLE, duration / 3.0) if settle is None or settle >= duration else settle
    return min(wanted, max(0.0, duration - 1.001 * sample_period))


def recorded_scenario(run: Trajectory) -> Scenario:
    """Return the scenario that produced a run; raise KeyError if there is none."""
    return from_plain(run.configuration["scenario"], Scenario)


def scenario_of(run: Trajectory) -> Scenario | None:
    """Return the scenario that produced a run; None if there is none or its class cannot be imported."""
    try:
        return recorded_scenario(run)
    except (KeyError, SerpenoidError):
        return None


class Lane(NamedTuple):
    """One run of a batch."""

    scenario: Scenario
    engine: Engine
    motion: Motion
    initial: Initial
    key: Any  # runs with equal keys are batched, those with None are not
    sampling: Sampling | None = None  # of joint controllers; None if the drives act at every step

    @classmethod
    def of(cls, scenario: Scenario, engines: dict[Any, Engine]) -> Lane | None:
        """Build the lane of a scenario, reusing engines if possible; None if it is not driven by a gait."""
        robot, world, gait = scenario.parts()
        sampling = None
        if isinstance(gait, JointPID):
            sampling, gait = Sampling(round(scenario.control_period / scenario.step), gait.integral), gait.gait
        if not isinstance(gait, Gait):
            return None
        motion = motion_of(gait, robot)
        world = world.suited(robot, motion)
        same = (id(robot), id(world), scenario.step)  # neighbouring cells of a sweep share robot and world
        if same not in engines:
            named = getattr(scenario, "engine", None)
            engines[same] = find_engine(robot, world, named)(robot, world, scenario.step)
        engine = engines[same]
        shared = engine.lanes_key(motion)
        key = None if shared is None else (shared, what_lanes_share(type(scenario))(scenario))
        if sampling is not None and (key is None or not isinstance(engine, PlanarEngine)):
            return None
        return cls(scenario, engine, motion, scenario.initial(), key, sampling)


def goes_in_lanes(scenario: Scenario) -> bool:
    """Return whether runs of a scenario are batched, so that many together cost little more than one."""
    if type(scenario).batch.__func__ is not Scenario.batch.__func__:  # type: ignore[attr-defined]
        return True  # batch() is overridden
    try:
        lane = Lane.of(scenario, {}) if scenario.kept else None
    except SerpenoidError:  # the cells report the error
        return False
    return lane is not None and lane.key is not None


@lru_cache(maxsize=64)
def what_lanes_share(scenario: type[Scenario]) -> Callable[[Scenario], Any]:
    """Return a function that reads the fields in which runs of a batch must agree."""
    return attrgetter(*(field.name for field in fields(scenario) if field.name not in scenario.lane_fields))


def run_together(lanes: Sequence[Any]) -> dict[str, Quantity]:
    """Return measures() of runs that share everything except their lane fields."""
    first: Lane = lanes[0]
    timing = first.scenario.timing()
    every = timing.steps_per_sample
    engines, motions, given = ([lane[i] for lane in lanes] for i in (1, 2, 3))
    states = type(first.engine).starts(engines, given, motions)
    sampling = {} if first.sampling is None else {"sampling": first.sampling}
    kept = type(first.engine).batch(engines, motions, states, timing.steps, every, **sampling)
    if not set(first.scenario.kept) <= set(kept):  # the batch does not record all required variables
        runs = zip(engines, motions, states)
        kept = stack_runs([engine.run_alone(motion, state, timing.steps, every) for engine, motion, state in runs])
    times = timing.step * every * np.arange(timing.steps // every + 1)
    return first.scenario.measures(times, kept) | first.scenario.gait_measures(times, kept, motions)
