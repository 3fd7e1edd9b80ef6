"""Recursion in water against Pinocchio under wrenches from an independent buoyancy, and added mass against energy."""

import numpy as np
import pytest
from naive_hydrostatics import convex_immersion
from scipy.spatial.transform import Rotation

from serpenoid.kernels.tree.frames import workspace
from serpenoid.kernels.water.recursion import afloat_dynamics, afloat_wrenches
from serpenoid.robots.natrix import Natrix
from serpenoid.worlds.water import Hydrodynamics, WaterSurface

pinocchio = pytest.importorskip("pinocchio")
ROBOT = Natrix()


def random_state(rng, tilt):
    """Return a state near the surface, with rotated shells and a lifted head."""
    joints = ROBOT.joints
    attitude = Rotation.from_rotvec(rng.normal(size=3) * tilt).as_quat(scalar_first=True)
    position = (*rng.normal(size=2), rng.uniform(-0.04, 0.04))
    return np.concatenate(
        (position, attitude, rng.normal(size=joints) * 0.4, rng.normal(size=6), rng.normal(size=joints))
    )


def pinocchio_model(tree):
    """Return the same tree with a free-flyer base; joint b - 1 of ours is joint b + 1 there."""
    model = pinocchio.Model()
    ids = [model.addJoint(0, pinocchio.JointModelFreeFlyer(), pinocchio.SE3.Identity(), "root")]
    for body in range(1, tree.parent.size):
        placement = pinocchio.SE3(tree.rotation[body], tree.offset[body])
        joint = pinocchio.JointModelRevoluteUnaligned(tree.axis[body])
        ids.append(model.addJoint(ids[tree.parent[body]], joint, placement, f"joint_{body - 1}"))
    for body, joint in enumerate(ids):
        inertia = pinocchio.Inertia(tree.mass[body], tree.center[body], tree.inertia[body])
        model.appendBodyToJoint(joint, inertia, pinocchio.SE3.Identity())
    return model, ids


def pinocchio_order(model, ids, values):
    """Return joint values in Pinocchio's order of velocities."""
    out = np.zeros(model.nv - 6)
    for body in range(1, len(ids)):
        out[model.joints[ids[body]].idx_v - 6] = values[body - 1]
    return out


def naive_wrench(prism, rotation, position):
    """Return the buoyancy of a prism on its body, body axes, by convex hulls."""
    spin = np.array([[np.cos(prism.turn), -np.sin(prism.turn)], [np.sin(prism.turn), np.cos(prism.turn)]])
    polygon = prism.polygon() @ spin.T
    volume, centroid = convex_immersion(polygon, prism.start, prism.end, (*rotation[2], position[2]))
    force = 9810.0 * volume * rotation[2]
    return np.concatenate((force, np.cross(centroid, force)))


def test_acceleration_and_torques_agree_with_pinocchio_under_independent_buoyancy():
    tree, water, rng = ROBOT.tree(), WaterSurface().environment(ROBOT), np.random.default_rng(5)
    model, ids = pinocchio_model(tree)
    data, joints = model.createData(), ROBOT.joints
    for tilt in (0.05, 0.3, 3.0):
        state, accelerations = random_state(rng, tilt), rng.normal(size=joints)
        base, torques = np.zeros(6), np.zeros(joints)
        afloat_dynamics(tree, water, state, accelerations, base, torques)
        angles, twist, rates = state[7 : 7 + joints], state[7 + joints : 13 + joints], state[13 + joints :]
        q = np.concatenate((state[:3], np.roll(state[3:7], -1), pinocchio_order(model, ids, angles)))
        v = np.concatenate((twist, pinocchio_order(model, ids, rates)))
        a = np.concatenate((base, pinocchio_order(model, ids, accelerations)))
        pinocchio.forwardKinematics(model, data, q)
        wrenches = [pinocchio.Force.Zero() for _ in range(model.njoints)]
        for prism in ROBOT.prisms():
            pose = data.oMi[ids[prism.body]]
            wrenches[ids[prism.body]] += pinocchio.Force(naive_wrench(prism, pose.rotation, pose.translation))
        theirs = pinocchio.rnea(model, data, q, v, a, wrenches)
        scale = np.abs(theirs).max()
        assert theirs[:6] == pytest.approx(np.zeros(6), abs=2e-8 * scale)
        assert theirs[6:] == pytest.approx(pinocchio_order(model, ids, torques), abs=2e-8 * scale)


def test_drag_takes_energy_and_added_mass_resists_in_proportion():
    """The power of drag is negative in any motion; a body's wrench vanishes out of the water."""
    rng = np.random.default_rng(6)
    dry = WaterSurface().environment(ROBOT)
    flow = Hydrodynamics(
        linear_drag=3.0, quadratic_drag=1.0, longitudinal_drag=0.1, wave_damping=2.0, roll_damping=0.02
    )
    wet = WaterSurface(hydrodynamics=flow).environment(ROBOT)
    tree, joints = ROBOT.tree(), ROBOT.joints
    for _ in range(20):
        state = random_state(rng, 0.2)
        shape = (state[7 : 7 + joints], state[13 + joints :])
        drag = afloat_wrenches(tree, wet, state, shape, workspace(tree)) - afloat_wrenches(
            tree, dry, state, shape, workspace(tree)
        )
        work = workspace(tree)
        afloat_wrenches(tree, wet, state, shape, work)
        rotations = work[:, :9].reshape(-1, 3, 3)
        twists = np.concatenate(
            (np.einsum("bji,bj->bi", rotations, work[:, 21:24]), np.einsum("bji,bj->bi", rotations, work[:, 18:21])),
            axis=1,
        )
        assert np.sum(drag * twists) < 0.0
        assert not drag[3:9].any()  # the modules are inside their shells
        state[2] = 5.0
        assert afloat_wrenches(tree, wet, state, shape, workspace(tree)) == pytest.approx(
            afloat_wrenches(tree, dry, state, shape, workspace(tree))
        )
