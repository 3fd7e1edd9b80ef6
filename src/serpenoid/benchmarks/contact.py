"""Contact worlds: the SEA snake on a floor and among pegs, our loop beside bare steps of MuJoCo, two threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from time import process_time
from typing import Any

import mujoco
import numpy as np

from serpenoid.benchmarks.base import Row, interleaved
from serpenoid.control import FollowGait
from serpenoid.engines.base import Initial
from serpenoid.engines.contact import ContactEngine
from serpenoid.gaits import CompoundSerpenoid
from serpenoid.robots import Cascade, SeaSnake
from serpenoid.simulation import simulate
from serpenoid.worlds import Disc, Floor, Ground, Shape

GAIT = CompoundSerpenoid(0.5, 0.25, phase_offset=0.75 * np.pi)
SLITHER = CompoundSerpenoid(0.5, 0.0)
STEPS, EVERY = 1000, 10  # of a millisecond; samples and commands after every 10


@dataclass(frozen=True)
class Pegs(Floor):
    """300 pegs on a square grid, 0.2 m apart, the snake in a lane between them."""

    def geometry(self) -> tuple[Shape, ...]:
        places = [(0.2 * i - 1.9, 0.2 * j - 1.5) for i in range(20) for j in range(15)]
        return (Ground((0.0, 0.0, 0.0)), *(Disc(place, 0.015) for place in places))


def rows() -> Iterator[Row]:
    """All rows of this topic."""
    straight = Initial(joint_position=(0.0,) * 18)
    for name, world, gait, target in (
        ("step of 1 ms, flat floor", Floor(), GAIT, "50 us: 20 x real time"),
        ("step of 1 ms, 300 pegs", Pegs(), SLITHER, "83 us: 12 x real time"),
    ):
        found = interleaved({"ours": rollout_of(SeaSnake(), world, gait, straight)}, seconds=3.0, clock=process_time)
        yield Row(f"SEA snake, {name}", found["ours"] / STEPS, target=target)
    yield from loop_rows(straight)
    yield thread_row(straight)


def rollout_of(robot: SeaSnake, world: Floor, gait: CompoundSerpenoid, start: Initial) -> Callable[[], Any]:
    """A second of a gait in an engine of its own."""
    engine, motion = ContactEngine(robot, world, 0.001), gait.motion(robot)
    state = engine.initial(start, None, np.random.default_rng(0))
    return lambda: engine.rollout(0, state, motion, STEPS, EVERY)


def bare_loop(start: Initial) -> Callable[[], None]:
    """MuJoCo's own step in a Python loop, the drives' targets renewed after every 10."""
    robot = SeaSnake()
    engine, motion = ContactEngine(robot, Floor(), 0.001), GAIT.motion(robot)
    state = engine.initial(start, None, np.random.default_rng(0))
    angles, rates, _, _ = engine.motion_commands(0.01 * np.arange(STEPS // EVERY), motion)
    constant = 30.0 * angles + 0.3 * rates
    engine.physics.bias[:, 1:3] = -30.0, -0.3
    pose, joints = engine.layout.part(state, "base_pose"), engine.layout.part(state, "joints")

    def loop() -> None:
        mujoco.mj_resetData(engine.model, engine.data)
        engine.data.qpos[:7], engine.data.qpos[7:] = pose, joints
        for target in constant:
            engine.physics.bias[:, 0] = target
            for _ in range(EVERY):
                mujoco.mj_step(engine.model, engine.data)

    return loop


def loop_rows(start: Initial) -> Iterator[Row]:
    """Our loop with recording, and the cascades, beside the bare loop."""
    contestants = {
        "bare": bare_loop(start),
        "loop": lambda: simulate(SeaSnake(), Floor(), FollowGait(GAIT), 1.0, initial=start),
        "cascade": rollout_of(SeaSnake(drive=Cascade()), Floor(), GAIT, start),
    }
    found = interleaved(contestants, seconds=6.0, clock=process_time)  # one thread: others on the machine count less
    peer = "mj_step in a Python loop"
    name = "SEA snake, 1 s of control at 100 Hz, recorded"
    yield Row(name, found["loop"], peer, found["bare"], "0.87: 1.15 x the peer's time at most")
    name = "SEA snake, 1 s of cascades at 1 kHz"
    yield Row(name, found["cascade"], peer, found["bare"], "0.67: 1.5 x the peer's time at most")


def thread_row(start: Initial) -> Row:
    """Two runs in two threads beside one after the other."""
    runs = [rollout_of(SeaSnake(), Floor(), GAIT, start) for _ in range(2)]

    def together(pool: ThreadPoolExecutor) -> None:
        for job in [pool.submit(run) for run in runs]:
            job.result()

    def in_turn() -> None:
        for run in runs:
            run()

    with ThreadPoolExecutor(2) as pool:
        found = interleaved({"two": lambda: together(pool), "one": in_turn}, seconds=4.0)
    return Row("SEA snake, two runs of 1 s in two threads", found["two"], "one after the other", found["one"], "1.8")
