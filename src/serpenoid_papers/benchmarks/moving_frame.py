"""Forward dynamics of the 20-body chain: recursion and matrix form against Pinocchio."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from serpenoid.kernels.records import Tree
from serpenoid.kernels.tree.forward import articulated_workspace, forward_dynamics
from serpenoid.kernels.tree.frames import workspace
from serpenoid.kernels.tree.moving_frame import forward, matrix_space
from serpenoid.robots import MovingFrameChain
from serpenoid_papers.benchmarks.base import Row, interleaved

BODIES = 20


def rows() -> Iterator[Row]:
    """Accelerations of the chain on its fixed tail, all joints moving."""
    calls = contestants(BODIES)
    times = interleaved(calls)
    peer = "Pinocchio aba" if "Pinocchio aba" in times else ""
    theirs = times.get("Pinocchio aba", float("nan"))
    yield Row(f"{BODIES}-body forward dynamics, recursion", times["recursion"], peer, theirs, "1.5")
    yield Row(f"{BODIES}-body forward dynamics, matrix form (84)", times["matrix form"], peer, theirs, "stated")


def contestants(bodies: int) -> dict[str, Any]:
    """Calls that compute the accelerations of one chain on a fixed tail, at the same state."""
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


def pinocchio_model(tree: Tree) -> Any:
    """The same bodies and hinges in Pinocchio, without gravity; None where it is not installed."""
    try:
        import pinocchio
    except ImportError:
        return None
    model = pinocchio.Model()
    model.gravity.linear = np.zeros(3)
    joints = [0]
    if not tree.fixed_base:
        joints[0] = model.addJoint(0, pinocchio.JointModelFreeFlyer(), pinocchio.SE3.Identity(), "root_joint")
    for body in range(tree.parent.size):
        if body > 0:
            place = pinocchio.SE3(tree.rotation[body], tree.offset[body])
            kinds = (pinocchio.JointModelRX, pinocchio.JointModelRY, pinocchio.JointModelRZ)
            hinge = kinds[int(tree.axis[body].argmax())]()  # about one of the body's own axes
            joints.append(model.addJoint(joints[tree.parent[body]], hinge, place, f"joint_{body}"))
        if joints[body] > 0:
            inertia = pinocchio.Inertia(float(tree.mass[body]), tree.center[body], tree.inertia[body])
            model.appendBodyToJoint(joints[body], inertia, pinocchio.SE3.Identity())
    return model
