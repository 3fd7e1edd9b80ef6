"""Vectors of learning environments, Python included, against Gymnasium's swimmer and MuJoCo on the same boards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from itertools import cycle
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid_papers.benchmarks.base import Row, time_interleaved
from serpenoid_papers.references.peg_peer import place_state, planar_model

SWIMMERS, BOARDS, PEER_BOARDS = 1024, 256, 8
COPIES = BOARDS // PEER_BOARDS  # simulations of a batch of MuJoCo, whose boards must have equal numbers of pegs
WARM = 100  # steps before the clock starts, so that boards are under way
ACTIONS = 64  # sets of actions, in turn


def rows() -> Iterator[Row]:
    """Yield processor time per environment step [us]; nothing without Gymnasium."""
    if find_spec("gymnasium") is None:
        return
    yield from swimmer_rows()
    yield from peg_rows()


def many(name: str, count: int) -> tuple[Any, NDArray]:
    """Return environments under way on one thread, and sets of actions for them."""
    import gymnasium

    import serpenoid.learning  # noqa: F401

    environments: Any = gymnasium.make_vec(f"Serpenoid/{name}-v0", num_envs=count, threads=1)
    environments.reset(seed=0)
    size = environments.single_action_space.shape[0]
    actions = np.random.default_rng(0).uniform(-1.0, 1.0, (ACTIONS, count, size)).astype(np.float32)
    for i in range(WARM):
        environments.step(actions[i % ACTIONS])
    return environments, actions


def swimmer_rows() -> Iterator[Row]:
    """Yield the swimmer against Gymnasium's own, and the share of Python in a step."""
    import gymnasium

    environments, actions = many("Swimmer", SWIMMERS)
    turn = cycle(actions)
    peer = gymnasium.make("Swimmer-v5")
    peer.reset(seed=0)
    calls: dict[str, Callable[[], Any]] = {
        "ours": lambda: environments.step(next(turn)), "compiled": lambda: compiled(environments, next(turn)),
        "peer": lambda: peer.step(next(turn)[0]),
    }  # fmt: skip
    times = time_interleaved(calls, clock=process_time)
    ours = times["ours"] / SWIMMERS
    yield Row(f"swimmer, {SWIMMERS} environments", ours, "gymnasium Swimmer-v5", times["peer"], "30")
    python = times["ours"] - times["compiled"]
    yield Row("Python part of a vector step, 1024 swimmers", python, "the whole step", times["ours"], "5")


def compiled(environments: Any, actions: NDArray) -> None:
    """Make the compiled call of a step alone, with other actions each time."""
    stepper = environments.stepper
    stepper.rows.action[:] = actions
    stepper.go(stepper.parts[0])


def peg_rows() -> Iterator[Row]:
    """Yield a control period of 20 ms among pegs against MuJoCo's batches on the same boards, with the same targets."""
    environments, random = many("Pegs", BOARDS)
    joints = 2.0 * np.pi * np.arange(random.shape[2]) / random.shape[2]
    phase = 2.0 * np.pi * np.arange(ACTIONS) / ACTIONS
    wave = 0.6 * np.sin(phase[:, None, None] - joints) * np.ones((1, BOARDS, 1))
    for name, actions in (("random targets", random), ("a wave", wave.astype(np.float32))):
        times = peg_times(environments, actions)
        ours, theirs = times["ours"] / BOARDS, times["peer"] / BOARDS
        peer = "mujoco.batch, same planar model and boards"
        yield Row(f"pegs, {BOARDS} boards, 20 ms, {name}", ours, peer, theirs, "15")


def peg_times(environments: Any, actions: NDArray) -> dict[str, float]:
    """Return the times of a step of our boards and of as many simulations of MuJoCo, a batch per board [us]."""
    from mujoco.batch import Batch

    stepper = environments.stepper
    engines = stepper.parts[0].engines[:PEER_BOARDS]
    models = [planar_model(engine, lean=True) for engine in engines]
    starts = stepper.record.starts[:, 0]
    batches = [Batch(model, COPIES, 1) for model in models]
    for batch, *each in zip(batches, models, engines, starts):
        batch.qpos[:] = place_state(*each).qpos
    targets, steps = cycle(stepper.record.scale * actions[:, :PEER_BOARDS]), stepper.record.steps
    turn = cycle(actions)

    def peer() -> None:
        for batch, target in zip(batches, next(targets)):
            batch.ctrl[:] = target
            batch.step(nstep=steps)

    environments.reset(seed=0)
    for _ in range(WARM):
        environments.step(next(turn))
        peer()
    calls: dict[str, Callable[[], Any]] = {"ours": lambda: environments.step(next(turn)), "peer": peer}
    return time_interleaved(calls, seconds=4.0, clock=process_time)
