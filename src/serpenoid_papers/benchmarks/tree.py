"""Tree recursions: NATRIX's base acceleration against Pinocchio, and the scaling with the bodies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.kernels.compile import kernel
from serpenoid.kernels.records import Tree
from serpenoid.kernels.tree.frames import workspace
from serpenoid.kernels.tree.recursion import base_acceleration
from serpenoid.robots import MovingFrameChain, Natrix
from serpenoid.robots.export import urdf
from serpenoid_papers.benchmarks.base import Row, time_interleaved

STATES = 64  # different states per compiled call, so that caches and branch prediction give no advantage
CHAINS = (5, 10, 20, 50, 100, 200)


def rows() -> Iterator[Row]:
    """Yield ours as a rollout calls it, many states in one compiled call; the peer by its own fastest call."""
    robot = Natrix()
    calls: dict[str, Callable[[], Any]] = {"ours": accelerations(robot.tree())}
    peer = pinocchio_calls(robot)
    if peer:
        calls["peer"] = peer
    times = time_interleaved(calls)
    name, theirs = ("Pinocchio rnea + ccrba", times["peer"]) if peer else ("", float("nan"))
    yield Row("NATRIX base acceleration (12)-(13)", times["ours"] / STATES, name, theirs, "4")
    chains = {str(n): accelerations(MovingFrameChain(n, fixed_tail=False).tree()) for n in CHAINS}
    times = {n: time / STATES for n, time in time_interleaved(chains, seconds=0.3).items()}
    exponent = np.polyfit(np.log(CHAINS), np.log([times[str(n)] for n in CHAINS]), 1)[0]
    yield Row(f"recursion, 200 bodies; time ~ n^{exponent:.2f} from 5 to 200", times["200"], target="n^1.1")


def accelerations(tree: Tree) -> Callable[[], Any]:
    """Return a call that computes the base accelerations of STATES random states, all joints moving."""
    random = np.random.default_rng(5)
    angles, rates, wanted = random.normal(size=(3, STATES, tree.parent.size - 1))
    twists, none, work = random.normal(size=(STATES, 6)), np.zeros((0, 6)), workspace(tree)
    return lambda: many_accelerations(tree, angles, rates, wanted, twists, none, work)


@kernel
def many_accelerations(
    tree: Tree, angles: NDArray, rates: NDArray, accelerations: NDArray, twists: NDArray, wrenches: NDArray, work: Any
) -> float:
    """Return the sum of the base accelerations of many states."""
    total = 0.0
    for i in range(angles.shape[0]):
        linear, angular = base_acceleration(tree, angles[i], rates[i], accelerations[i], twists[i], wrenches, work)
        total += linear[0] + angular[0]
    return total


def pinocchio_calls(robot: Natrix) -> Callable[[], Any] | None:
    """Return a call for (13), with bias and joint accelerations' share by rnea, inertia by ccrba; None if not
    installed.
    """
    try:
        import pinocchio
    except ImportError:
        return None
    model = pinocchio.buildModelFromXML(urdf(robot))
    model.gravity.linear = np.zeros(3)
    data, random = model.createData(), np.random.default_rng(5)
    q = pinocchio.integrate(model, pinocchio.neutral(model), random.normal(size=model.nv))
    v, a = random.normal(size=(2, model.nv))

    def call() -> None:
        pinocchio.rnea(model, data, q, v, a)
        pinocchio.ccrba(model, data, q, v)

    return call
