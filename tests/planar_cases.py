"""Chains, media, states and finite differences that the tests of the planar chain share."""

import numpy as np

from serpenoid.kernels.accounts import ACCOUNTS, PER_JOINT
from serpenoid.kernels.planar.chain import planar_model
from serpenoid.kernels.planar.step import driven_rollout, prescribed_rollout
from serpenoid.kernels.records import Actuation, Motion, StiffDrive
from serpenoid.robots import PlanarSnake
from serpenoid.worlds import FreeSpace, Plane

NO_WRENCH = np.zeros((0, 3))
MEDIA = ("box", "dry", "viscous", "fluid")


def model_in(medium, links=5, stations=1, **fields):
    """A snake's model; medium None is free space, "calm" fluid without drag, "printed" without velocity terms."""
    chain = PlanarSnake(links=links, **fields).chain()
    if medium is None:
        world = FreeSpace()
    elif medium == "calm":
        world = Plane(medium="fluid", drag_longitudinal=0.0, drag_transverse=0.0)
    elif medium == "printed":
        world = Plane(medium="fluid", stations=stations, added_mass_velocity_terms=False)
    else:
        world = Plane(medium=medium, stations=stations)
    return planar_model(chain, world.medium_record(chain))


def random_state(rng, links, speed=1.0):
    """Any pose, velocities of the given scale."""
    state = rng.normal(size=2 * (links + 2))
    state[links + 2 :] *= speed
    return state


def slack(joints):
    """An actuation without torque."""
    nothing = np.zeros(joints)
    return led(Motion(0.0, 0.0, *([nothing] * 4), np.zeros(2), np.zeros((1, 1, joints))), 0.0, 0.0, 0.0)


def led(motion, stiffness, damping, limit):
    """An actuation that tracks a motion."""
    joints = motion.offset.size
    gains = (np.broadcast_to(np.asarray(v, dtype=float), (joints,)).copy() for v in (stiffness, damping, limit))
    return Actuation(motion, StiffDrive(*gains), np.zeros(joints))


def driven(model, lead, state, first, step, steps, every):
    """driven_rollout() of states without accounts: (steps / every, 2 (n + 2)), and the step that diverged or -1."""
    start = np.r_[state, np.zeros(PER_JOINT * (model.shift.size - 1) + ACCOUNTS)]
    states, diverged = driven_rollout(model, lead, NO_WRENCH, start, first, step, steps, every)
    return np.ascontiguousarray(states[:, : state.size]), diverged


def prescribed(model, motion, state, first, step, steps, every):
    """prescribed_rollout() likewise."""
    start = np.r_[state, np.zeros(PER_JOINT * (model.shift.size - 1) + ACCOUNTS)]
    states, diverged = prescribed_rollout(model, motion, NO_WRENCH, start, first, step, steps, every)
    return np.ascontiguousarray(states[:, : state.size]), diverged


def central_differences(function, point, step):
    """Jacobian of a vector function."""
    columns = []
    for i in range(point.size):
        change = np.zeros(point.size)
        change[i] = step
        columns.append((function(point + change) - function(point - change)) / (2.0 * step))
    return np.array(columns).T


def head_jacobian(model, state):
    """d(state rates)/d(head's velocity, heading rate, joint rates), and the accelerations due to squared rates."""
    half = state.size // 2
    angle, rate = np.cumsum(state[2:half]), np.cumsum(state[half + 2 :])
    jacobian = np.eye(half)
    normal = model.shift * np.array([-np.sin(angle), np.cos(angle)])
    jacobian[:2, 2:] = np.cumsum(normal[:, ::-1], axis=1)[:, ::-1]
    centripetal = -(model.shift * np.array([np.cos(angle), np.sin(angle)])) @ rate**2
    return jacobian, np.r_[centripetal, np.zeros(half - 2)]
