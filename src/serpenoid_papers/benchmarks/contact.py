"""Contact worlds: the SEA snake on a floor and among pegs, our loop against bare MuJoCo steps, two threads."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from time import process_time
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from serpenoid.control import Controller, OpenLoop, ShapeCompliance
from serpenoid.engines.base import Initial
from serpenoid.engines.contact.engine import ContactEngine
from serpenoid.gaits import CompoundSerpenoid
from serpenoid.kernels.motion import motion_samples
from serpenoid.robots import Cascade, SeaSnake
from serpenoid.runtime.loop import run_loop
from serpenoid.simulation import Timing, plant_of, simulate
from serpenoid.trajectory import Trajectory
from serpenoid.worlds import Disc, Floor, Ground, Shape
from serpenoid_papers.benchmarks.base import Row, time_calls, time_interleaved

GAIT = CompoundSerpenoid(0.5, 0.25, phase_offset=0.75 * np.pi)
SLITHER = CompoundSerpenoid(0.5, 0.0)
STEPS, EVERY = 1000, 10  # steps of 1 ms; samples and commands every 10 steps
TICKS = 1000  # commands of a run compared with bare steps


@dataclass(frozen=True)
class Pegs(Floor):
    """300 pegs on a square grid, 0.2 m apart, with the snake in a lane between them."""

    def geometry(self) -> tuple[Shape, ...]:
        places = [(0.2 * i - 1.9, 0.2 * j - 1.5) for i in range(20) for j in range(15)]
        return (Ground((0.0, 0.0, 0.0)), *(Disc(place, 0.015) for place in places))


def rows() -> Iterator[Row]:
    """Yield all rows of this topic."""
    straight = Initial(joint_position=(0.0,) * 18)
    for name, world, gait, target in (
        ("step of 1 ms, flat floor", Floor(), GAIT, "50 us: 20 x real time"),
        ("step of 1 ms, 300 pegs", Pegs(), SLITHER, "83 us: 12 x real time"),
    ):
        found = time_interleaved(
            {"ours": rollout_of(SeaSnake(), world, gait, straight)}, seconds=3.0, clock=process_time
        )
        yield Row(f"SEA snake, {name}", found["ours"] / STEPS, target=target)
    yield from loop_rows()
    yield thread_row(straight)


def rollout_of(
    robot: SeaSnake, world: Floor, gait: CompoundSerpenoid, start: Initial, steps: int = STEPS
) -> Callable[[], Any]:
    """Return a call that runs a gait in a separate engine."""
    engine, motion = ContactEngine(robot, world, 0.001), gait.motion(robot)
    state = engine.initial(start, None, np.random.default_rng(0))
    return lambda: engine.rollout(0, state, motion, steps, EVERY)


def in_gait(robot: SeaSnake) -> Initial:
    """Return a start with the gait's angles and rates, so that drives stay within the limits that bare steps lack."""
    angle, rate, _ = (part[0] for part in motion_samples(GAIT.motion(robot), np.zeros(1)))
    return Initial(joint_position=tuple(angle), joint_velocity=tuple(rate))


def bare_loop(ticks: int, with_rates: bool) -> Callable[[], NDArray]:
    """Return a call that runs mj_step in a Python loop, with targets updated every 10 steps; it returns the last qpos.

    If `with_rates`, targets are angles and rates, as OpenLoop(rates=True) commands them. Otherwise they are angles
    only.
    """
    robot = SeaSnake()
    engine, motion = ContactEngine(robot, Floor(), 0.001), GAIT.motion(robot)
    state = engine.initial(in_gait(robot), None, np.random.default_rng(0))
    angles, rates, _, _ = engine.motion_commands(0.01 * np.arange(ticks), motion)
    gains = engine.servos.elastic
    constant = gains.stiffness * angles + gains.damping * rates * with_rates
    engine.physics.bias[:, 1], engine.physics.bias[:, 2] = -gains.stiffness, -gains.damping
    position = np.append(engine.layout.part(state, "base_pose"), engine.layout.part(state, "joints"))
    velocity = np.append(engine.layout.part(state, "base_velocity"), engine.layout.part(state, "joint_rates"))

    def loop() -> NDArray:
        mujoco.mj_resetData(engine.model, engine.data)
        engine.data.qpos[:], engine.data.qvel[:] = position, velocity
        for target in constant:
            engine.physics.bias[:, 0] = target
            for _ in range(EVERY):
                mujoco.mj_step(engine.model, engine.data)
        return engine.data.qpos.copy()

    return loop


def our_loop(ticks: int, law: Controller) -> Callable[[], Trajectory]:
    """Return a call that makes and records the same run under a controller, on a prebuilt model like the peer's."""
    robot, duration = SeaSnake(), 0.01 * ticks
    plant, start = plant_of(robot, Floor(), Timing(duration)), in_gait(robot)
    return lambda: run_loop(plant, law, duration, initial=start)


def loop_rows() -> Iterator[Row]:
    """Yield recorded runs and cascades compared with the bare loop, and the time before a run's first step."""
    robot = SeaSnake()
    contestants = {
        "bare": bare_loop(TICKS, with_rates=False),
        "bare with rates": bare_loop(TICKS, with_rates=True),
        "loop": our_loop(TICKS, OpenLoop(GAIT)),
        "asked": our_loop(TICKS, OpenLoop(GAIT, rates=True)),
        "imus": our_loop(TICKS, ShapeCompliance.presets()["sidewinding_ac"]()),
        "cascade": rollout_of(SeaSnake(drive=Cascade()), Floor(), GAIT, in_gait(robot), EVERY * TICKS),
        "start": lambda: simulate(robot, Floor(), OpenLoop(GAIT, rates=True), 0.01, initial=in_gait(robot)),
    }
    # one thread: other load on the machine counts less
    found = time_interleaved(contestants, seconds=6.0, clock=process_time)
    peer, span = "mj_step in a Python loop", f"{0.01 * TICKS:g} s"
    name = f"SEA snake, {span} of control at 100 Hz, recorded"
    yield Row(name, found["loop"], peer, found["bare"], "0.87: 1.15 x the peer's time at most")
    yield Row(f"{name}, by a law in Python", found["asked"], peer, found["bare with rates"])
    yield Row(f"{name}, by a law that reads IMUs", found["imus"], peer, found["bare"])
    name = f"SEA snake, {span} of cascades at 1 kHz"
    yield Row(name, found["cascade"], peer, found["bare with rates"], "0.67: 1.5 x the peer's time at most")
    yield Row("SEA snake, a run of one tick: model, start, recording", found["start"])
    yield Row("SEA snake, from the start of a process to its first sample", first_sample(), target="1 s")


def first_sample(tries: int = 5) -> float:
    """Return the time of a separate process to the first tick of `run sidewinding`, best of some [us]."""
    script = "import gc; from serpenoid import cli; gc.set_threshold(cli.YOUNG); from serpenoid.cli.run import "
    script += "find_scenario; find_scenario('sidewinding')(duration=0.01).run(); print(flush=True)"

    def start() -> None:
        with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()  # the end of the process is not timed
            process.kill()

    return 1e6 * min(time_calls(start, 1) for _ in range(tries))


def thread_row(start: Initial) -> Row:
    """Compare two runs in two threads with two runs in sequence."""
    runs = [rollout_of(SeaSnake(), Floor(), GAIT, start) for _ in range(2)]

    def together(pool: ThreadPoolExecutor) -> None:
        for job in [pool.submit(run) for run in runs]:
            job.result()

    def in_turn() -> None:
        for run in runs:
            run()

    with ThreadPoolExecutor(2) as pool:
        found = time_interleaved({"two": lambda: together(pool), "one": in_turn}, seconds=4.0)
    return Row("SEA snake, two runs of 1 s in two threads", found["two"], "one after the other", found["one"], "1.8")
