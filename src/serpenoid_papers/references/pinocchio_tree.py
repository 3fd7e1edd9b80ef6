"""Trees of bodies as models of Pinocchio, an independent library."""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.kernels.records import Tree


def pinocchio_model(tree: Tree) -> Any:
    """Return the same bodies and hinges in Pinocchio, without gravity; None if it is not installed."""
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
