"""A Tree record as a Pinocchio model, joint by joint, and its dynamics."""

import numpy as np
import pinocchio as pin


def model_of(tree, gravity=(0.0, 0.0, 0.0)):
    model = pin.Model()
    model.gravity.linear = np.asarray(gravity, dtype=float)
    joints = [0]
    if not tree.fixed_base:
        joints[0] = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "root_joint")
        model.appendBodyToJoint(joints[0], inertia_of(tree, 0), pin.SE3.Identity())
    for body in range(1, tree.parent.size):
        place = pin.SE3(tree.rotation[body], tree.offset[body])
        hinge = pin.JointModelRevoluteUnaligned(tree.axis[body])
        joints.append(model.addJoint(joints[tree.parent[body]], hinge, place, f"joint_{body}"))
        model.appendBodyToJoint(joints[body], inertia_of(tree, body), pin.SE3.Identity())
    return model


def inertia_of(tree, body):
    return pin.Inertia(float(tree.mass[body]), tree.center[body], tree.inertia[body])


def arguments_of(tree, state):
    """(q, v) of Pinocchio for a flat state; its quaternions are x y z w."""
    joints = tree.parent.size - 1
    if tree.fixed_base:
        return state[7 : 7 + joints], state[13 + joints :]
    return np.concatenate([state[:3], state[4:7], state[3:4], state[7 : 7 + joints]]), state[7 + joints :]


def forward(tree, state, torque, gravity):
    model = model_of(tree)
    q, v = arguments_of(tree, state)
    data = model.createData()
    # A fixed base may be tilted in the world: gravity then stands in its axes.
    model.gravity.linear = rotation(state).T @ gravity if tree.fixed_base else np.asarray(gravity)
    forces = torque if tree.fixed_base else np.concatenate([np.zeros(6), torque])
    return pin.aba(model, data, q, v, forces)


def rotation(state):
    return pin.Quaternion(*state[3:7]).toRotationMatrix()
