"""Sampling planner: the wave of a law, chosen by simulating candidates through contact from the present state.

A plan is a wave (amplitude, spatial frequency, frequency, offset) that the law drives until the next plan. Candidates
are the present wave, small changes of it, and waves drawn from the whole ranges. Each runs in the engine's own contact
model over the horizon. The candidate with the most progress becomes the plan (predictive sampling). While it is
computed, the law drives the plan before; the candidates therefore start from the state predicted for its end.
"""

from __future__ import annotations

import math
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from math import pi
from time import perf_counter, thread_time
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import above, at_least, between, changed, check_fields, usual
from serpenoid.control.base import Command, Observation, Signal
from serpenoid.control.kernel_law import KernelLaw, WaveController
from serpenoid.control.landmarks import GoalPoint, Landmarks
from serpenoid.control.open_loop import OpenLoop
from serpenoid.control.shape_compliance import THESIS_SLITHERING
from serpenoid.errors import SerpenoidError, require
from serpenoid.planning.felt_map import FeltMap, check_goal
from serpenoid.robots.base import Robot

WAVE = ("amplitude", "spatial_frequency", "frequency", "offset")  # searched fields of the gait
RANGES = tuple(f"{name}_range" for name in WAVE)
RATE = WAVE.index("frequency")
PATH = 15  # intervals of the predicted path
Span = tuple[float, float]


@dataclass(frozen=True)
class SamplingPlanner(WaveController):
    """A law whose wave is planned through contact: candidates are simulated ahead, several times per second."""

    needs_truth: ClassVar[bool] = True

    law: WaveController = field(default_factory=lambda: OpenLoop(THESIS_SLITHERING))
    """law that drives the wave; it has a gait"""
    goal: Annotated[tuple[float, float] | None, usual(-5.0, 5.0)] = None
    """goal of the centre of mass [m]; none: as far as possible from where it is"""
    map: Literal["all", "felt"] = "all"
    """known pegs: all, or only those that the robot has touched"""
    amplitude_range: Annotated[Span, between(0.0, pi, usual=(0.3, 1.4))] = (0.3, 1.4)
    """range of the amplitude [rad]; both ends equal: not searched"""
    spatial_frequency_range: Annotated[Span, between(-100.0, 100.0, usual=(4.0, 16.0))] = (4.0, 14.0)
    """range of the spatial frequency [rad/body]"""
    frequency_range: Annotated[Span, between(0.0, 10.0, usual=(0.1, 0.5))] = (THESIS_SLITHERING.frequency,) * 2
    """range of the frequency [Hz]"""
    reverse: bool = True
    """whether the wave may also run from tail to head"""
    offset_range: Annotated[Span, between(-pi, pi, usual=(-0.5, 0.5))] = (-0.3, 0.3)
    """range of the mean angle of the joints [rad]"""
    horizon: Annotated[float, between(0.01, 60.0, usual=(0.5, 4.0))] = 1.5
    """length of a prediction [s]"""
    interval: Annotated[float, between(0.001, 60.0, usual=(0.05, 0.5))] = 0.1
    """time between two plans [s], in which the next one is computed"""
    samples: Annotated[int, between(1, 100_000, usual=(10, 100))] = 30
    """candidates per plan, besides the present wave"""
    spread: Annotated[float, above(0.0, usual=(0.02, 0.3), most=10.0)] = 0.1
    """standard deviation of small changes, as a fraction of each range"""
    fresh: Annotated[float, between(0.0, 1.0, usual=(0.0, 0.5))] = 0.3
    """fraction of the candidates drawn from the whole ranges"""
    torque_weight: Annotated[float, at_least(0.0, usual=(0.0, 2e-3))] = 5e-4
    """cost of the squared torques, integrated over the horizon [m/(N m)^2/s]"""
    gain: Annotated[float, between(0.0, 10.0, usual=(0.0, 0.05))] = 0.03
    """least additional progress for which the wave changes [m]"""
    step: Annotated[float, above(0.0, usual=(1e-3, 2e-3), most=0.1)] = 0.002
    """integration step of a prediction [s]"""
    threads: Annotated[int, between(1, 64, usual=(1, 8))] = 2
    """threads that simulate candidates; their number does not change the plans"""
    wait: bool = True
    """whether a run waits for a late plan, so that it repeats bit for bit; if not, the wave continues meanwhile"""

    def __post_init__(self) -> None:
        check_fields(self)
        require(hasattr(self.law, "gait"), "law", self.law, "a law with a gait, such as open_loop")
        require(not isinstance(self.law, SamplingPlanner), "law", self.law, "a law that does not plan itself")
        for name in RANGES:
            low, high = getattr(self, name)
            require(low <= high, name, (low, high), "the lower end, then the upper one")
        require(self.interval <= self.horizon, "interval", self.interval, f"at most the horizon, {self.horizon:g} s")

    def kernel(self, robot: Robot, period: float) -> Any:
        return self.law.kernel(robot, period)

    def phase_rate(self, robot: Robot) -> float:
        """Return the greatest rate of the phase that a plan may have [rad/s]."""
        return 2.0 * pi * self.frequency_range[1]

    def from_phase(self, phase: float) -> SamplingPlanner:
        return replace(self, law=self.law.from_phase(phase))

    def landmarks(self) -> Landmarks:
        """Return the goal, if there is one."""
        return Landmarks(() if self.goal is None else (GoalPoint(self.goal, of="center_of_mass"),))

    def start(self, robot: Robot, period: float, rng: np.random.Generator) -> SamplingLaw:
        for name, least in (("interval", period), ("horizon", period)):
            value = getattr(self, name)
            whole = abs(value / period - round(value / period)) < 1e-6
            require(value >= least and whole, name, value, f"a multiple of the control period, {period:g} s")
        whole = abs(period / self.step - round(period / self.step)) < 1e-6
        require(whole, "step", self.step, f"a whole fraction of the control period, {period:g} s")
        return SamplingLaw(self, robot, period, rng)

    @property
    def ranges(self) -> NDArray:
        """Lower and upper ends (2, 4) of the searched waves."""
        return np.array([getattr(self, name) for name in RANGES], dtype=float).T

    def wave(self) -> NDArray:
        """Return the wave (4,) of the law as given, within the ranges."""
        gait: Any = self.law.gait  # type: ignore[attr-defined]  # checked above
        return self.within(np.array([getattr(gait, name) for name in WAVE], dtype=float))

    def within(self, waves: NDArray) -> NDArray:
        """Clip waves (..., 4) to the ranges; the frequency keeps its sign if waves may be reversed."""
        sign = np.where(self.reverse & (waves[..., RATE] < 0.0), -1.0, 1.0)
        size = waves.copy()
        size[..., RATE] = np.abs(waves[..., RATE])
        out: NDArray = np.clip(size, *self.ranges)
        out[..., RATE] *= sign
        return out

    def drawn(self, wave: NDArray, rng: np.random.Generator) -> NDArray:
        """Draw waves (samples, 4): some from the whole ranges, half of these reversed, the others near `wave`."""
        (low, high), size = self.ranges, (self.samples, len(WAVE))
        near = wave + self.spread * (high - low) * rng.standard_normal(size)
        anywhere = low + (high - low) * rng.random(size)
        anywhere[1::2, RATE] *= -1.0
        count = round(self.fresh * self.samples)
        return self.within(np.vstack([anywhere[:count], near[count:]]))

    def with_wave(self, values: NDArray) -> WaveController:
        """Return the law with another wave."""
        law: WaveController = changed(self.law, {f"gait.{name}": float(v) for name, v in zip(WAVE, values)})
        return law

    def score(self, ahead: Any) -> float:
        """Return the value of a prediction: its progress less the cost of its torques [m]."""
        return self.progress(ahead.path) - self.torque_weight * ahead.effort

    def progress(self, path: NDArray) -> float:
        """Return the progress along a path (samples, 2) of the centre of mass [m]."""
        if self.goal is None:
            return float(np.linalg.norm(path[-1] - path[0]))
        start, end = np.linalg.norm(path[[0, -1]] - np.array(self.goal), axis=1)
        return float(start - end)


class Plan(NamedTuple):
    """Chosen wave with its prediction."""

    wave: NDArray  # (4,)
    path: NDArray  # (PATH + 1, 2) predicted centre of mass [m]
    progress: float  # [m]
    seconds: float  # wall-clock time of the computation [s]
    processor: float  # its processor time, all threads [s]


class SamplingLaw:
    """Running law, its present plan, and the computation of the next one."""

    def __init__(self, controller: SamplingPlanner, robot: Robot, period: float, rng: np.random.Generator):
        self.controller, self.robot, self.period, self.rng = controller, robot, period, rng
        self.wave = controller.wave()
        law = controller.with_wave(self.wave).start(robot, period, rng)
        assert isinstance(law, KernelLaw)
        self.law = law
        self.every, self.ticks = round(controller.interval / period), round(controller.horizon / period)
        self.pool = ThreadPoolExecutor(controller.threads)
        self.planner = ThreadPoolExecutor(1)
        self.pending: Future[Plan] | None = None
        self.plan: Plan | None = None
        self.fresh = False  # whether this tick began a plan
        self.late = 0  # plans that were not ready in time
        self.tick, self.due = 0, 0  # number of this tick, and of the one at which the next plan should begin
        self.felt: FeltMap | None = None
        self.predictor: Any = None

    def __call__(self, observation: Observation) -> Command:
        assert observation.truth is not None  # guaranteed by needs_truth
        model, self.fresh = observation.truth.model, False
        if self.tick == 0:
            check_goal(self.controller.goal, model.world)
        if self.controller.map == "felt":
            self.feel(observation)
        elif self.predictor is None:
            self.predictor = model.predictor(self.controller.step)
        if self.tick >= self.due:
            self.replan(observation)
        self.tick += 1
        return self.law(observation)

    def feel(self, observation: Observation) -> None:
        """Add touched pegs to the map, and make a new model if there are any."""
        assert observation.truth is not None
        model = observation.truth.model
        if self.felt is None:
            self.felt = FeltMap(model.world)
        if self.felt.touch(observation.truth) or self.predictor is None:
            self.predictor = model.predictor(self.controller.step, self.felt.board())

    def replan(self, observation: Observation) -> None:
        """Take over the plan that is ready, and start to compute the next one."""
        if self.pending is not None:
            if not self.controller.wait and not self.pending.done():
                self.late += self.tick == self.due
                return
            self.adopt(self.pending.result())
        self.due = self.tick + self.every
        self.law.time = observation.time
        waves = np.vstack([self.wave, self.controller.drawn(self.wave, self.rng)])
        state = self.predictor.state(observation)
        if self.pending is None:
            self.predictor.run(state, self.law, 1)  # compiles now, so that compilation does not count as planning
        self.pending = self.planner.submit(self.search, self.predictor, state, self.law.copy(), waves)

    def adopt(self, plan: Plan) -> None:
        """Drive the wave of a plan from this tick on."""
        self.plan, self.fresh = plan, True
        if not np.array_equal(plan.wave, self.wave):
            self.wave = plan.wave
            self.law.changed(self.controller.with_wave(plan.wave))  # type: ignore[arg-type]

    def search(self, predictor: Any, state: NDArray, law: KernelLaw, waves: NDArray) -> Plan:
        """Simulate waves (1 + samples, 4) from the state predicted for the next plan; the first is the present one."""
        begin = perf_counter()
        ahead = predictor.run(state, law, self.every)

        def simulate(number: int) -> tuple[float, NDArray, float]:
            start = thread_time()
            try:
                changed = self.with_change(ahead.law, waves[number] if number else None)
                found = predictor.run(ahead.state, changed, self.ticks, PATH)
            except SerpenoidError:  # a wave beyond the joints' limits
                return -math.inf, np.zeros((0, 2)), thread_time() - start
            return self.controller.score(found) if found.good else -math.inf, found.path, thread_time() - start

        scores, paths, seconds = zip(*self.pool.map(simulate, range(len(waves))))
        best = int(np.argmax(scores))
        if not scores[best] > scores[0] + self.controller.gain:
            best = 0
        progress = self.controller.progress(paths[best])
        return Plan(waves[best], paths[best], progress, perf_counter() - begin, sum(seconds))

    def with_change(self, law: KernelLaw, wave: NDArray | None) -> KernelLaw:
        """Return a copy of a law that takes over another wave; None keeps the present one."""
        law = law.copy()
        if wave is not None:
            law.changed(self.controller.with_wave(wave))  # type: ignore[arg-type]
        return law

    def signals(self) -> dict[str, Signal]:
        """Return the wave, the predicted path, and statistics of the plan that begins at this tick."""
        path = np.full((PATH + 1, 3), np.nan)
        if self.plan is not None and len(self.plan.path) == PATH + 1:
            path[:, :2], path[:, 2] = self.plan.path, 0.0
        plan = self.plan if self.fresh else None
        nan = math.nan
        clocks = "wall-clock time of the plan", "processor time of the plan, in all threads"
        return {
            "plan_path": Signal(path, "m", "predicted path of the centre of mass", ("horizon", "axis")),
            "plan_amplitude": Signal(self.wave[0], "rad", "amplitude of the planned wave"),
            "plan_spatial_frequency": Signal(self.wave[1], "rad/body", "spatial frequency of the planned wave"),
            "plan_frequency": Signal(self.wave[2], "Hz", "frequency of the planned wave"),
            "plan_offset": Signal(self.wave[3], "rad", "mean joint angle of the planned wave"),
            "plan_progress": Signal(plan.progress if plan else nan, "m", "predicted progress of the plan"),
            "plan_late": Signal(float(self.late), "", "number of plans that were late so far"),
            "solve_time": Signal(plan.seconds if plan else nan, "s", clocks[0], clock=True),
            "solve_processor_time": Signal(plan.processor if plan else nan, "s", clocks[1], clock=True),
        }
