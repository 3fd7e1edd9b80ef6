"""Forward dynamics of the 20-body chain: recursion and matrix form against Pinocchio."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from serpenoid.kernels.tree.forward import articulated_workspace, forward_dynamics
from serpenoid.kernels.tree.frames import workspace
from serpenoid.robots import MovingFrameChain
from serpenoid_papers.benchmarks.base import Row, time_interleaved
from serpenoid_papers.references.moving_frame import forward, matrix_space
from serpenoid_papers.references.pinocchio_tree import pinocchio_model

BODIES = 20


def rows() -> Iterator[Row]:
    """Yield the time of the accelerations of the chain on its fixed tail, all joints moving."""
    calls = contestants(BODIES)
    times = time_interleaved(calls)
    peer = "Pinocchio aba" if "Pinocchio aba" in times else ""
    theirs = times.get("Pinocchio aba", float("nan"))
    yield Row(f"{BODIES}-body forward dynamics, recursion", times["recursion"], peer, theirs, "1.5")
    yield Row(f"{BODIES}-body forward dynamics, matrix form (84)", times["matrix form"], peer, theirs, "stated")


def contestants(bodies: int) -> dict[str, Any]:
    """Return calls that compute the accelerations of one chain on a fixed tail, at the same state."""
    tree = MovingFrameChain(bodies=bodies).tree()
    rng = np.random.default_rng(bodies)
    angles, rates, torque = rng.normal(size=(3, bodies))
    state = np.concatenate([[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], angles, np.zeros(6), rates])
    twist, gravity, none, out = np.zeros(6), np.zeros(3), np.zeros((0, 6)), np.zeros(6 + bodies)
    work, inertia, space = workspace(tree), articulated_workspace(tree), matrix_space(tree)
    calls: dict[str, Any] = {
        "matrix form": lambda: forward(tree, state, torque, gravity, space),
        "recursion": lambda: forward_dynamics(tree, angles, rates, torque, twist, none, work, inertia, out),
    }
    model = pinocchio_model(tree)
    if model is not None:
        import pinocchio

        data = model.createData()
        calls["Pinocchio aba"] = lambda: pinocchio.aba(model, data, angles, rates, torque)
    return calls
