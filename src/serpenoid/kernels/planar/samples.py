"""Recorded quantities of every sample of a planar chain."""

from __future__ import annotations

import numpy as np

from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.constants import STANDARD_GRAVITY
from serpenoid.kernels.laws.hinges import add_hinges
from serpenoid.kernels.linear import copy
from serpenoid.kernels.planar.chain import (
    add_armature,
    add_wrenches,
    assemble,
    damping_power,
    medium_power,
    middle_velocities,
    planar_work,
    set_angles,
    solve_accelerations,
    write_accelerations,
)
from serpenoid.kernels.planar.inverse import (
    assembled_momentum,
    fill_matrix,
    kinetic_energy,
    link_poses,
    prescribed_dynamics,
)
from serpenoid.kernels.planar.soft_stops import push_back, soft_stops


@kernel
def sample_quantities(model, states, torques, wrenches):
    """Return scalars (samples, 4), momenta (samples, 3), links (samples, n, 6) and specific forces (samples, n, 3).

    Scalars: energies of bodies and of added mass [J], powers of medium and joints' friction [W]. Links: x, y, angle of
    the front end and their rates. Specific force: acceleration of the middle minus gravity, in the link's axes.
    wrenches (samples, n, 3) from outside, or (samples, 0, 3).
    """
    samples, links = states.shape[0], model.shift.size
    scalars, momenta = np.empty((samples, 4)), np.empty((samples, 3))
    poses, specific = np.empty((samples, links, 6)), np.empty((samples, links, 3))
    work = planar_work(links)
    acceleration, torque = np.empty(links + 2), np.empty(links - 1)
    stops = soft_stops(model.hinges, links)
    for i in range(samples):
        state = states[i]
        copy(torques[i], 0, torque, 0, links - 1)
        rubbed = add_hinges(model.hinges, 1.0, state, 3, links + 5, torque)
        assemble(model, work, state, torque)
        add_armature(model, work)
        fill_matrix(model, work)
        momenta[i, 0], momenta[i, 1], momenta[i, 2] = assembled_momentum(work, state, acceleration)
        scalars[i, 2] = medium_power(model, work)
        add_wrenches(model, work, state, wrenches[i])
        solve_accelerations(model, work)
        rubbed += push_back(model, work, stops, state)
        write_accelerations(work, acceleration)
        specific_forces(model, work, acceleration, specific[i])
        scalars[i, 0], scalars[i, 1] = kinetic_energy(model, work, state)
        scalars[i, 3] = damping_power(model, state) + rubbed
        link_poses(model, state, poses[i])
        link_rates(model, work, state, poses[i])
    return scalars, momenta, poses, specific


@kernel
def link_frames(model, states):
    """Return the links of sample_quantities, (samples, n, 6), without computing forces or solving equations."""
    samples, links = states.shape[0], model.shift.size
    poses, work = np.empty((samples, links, 6)), planar_work(links)
    for i in range(samples):
        state = states[i]
        set_angles(work, state)
        middle_velocities(model, work, work.rate, state[links + 2], state[links + 3], work.velocity)
        link_poses(model, state, poses[i])
        link_rates(model, work, state, poses[i])
    return poses


@kernel
def prescribed_torques(model, states, joint_accelerations, wrenches):
    """Return joint torques (samples, n - 1) [N m] of prescribed joints; wrenches as in sample_quantities."""
    links = model.shift.size
    out, work, acceleration = np.empty(joint_accelerations.shape), planar_work(links), np.empty(links + 2)
    for i in range(states.shape[0]):
        prescribed_dynamics(model, work, states[i], joint_accelerations[i], wrenches[i], acceleration, out[i])
        add_hinges(model.hinges, -1.0, states[i], 3, links + 5, out[i])
    return out


@kernel
def state_of_head(shift, pose, rates, size):
    """Return a state of `size` numbers from the head's x, y, heading, joint angles and their rates, (n + 2,).

    x and y are those of the head's front end.
    """
    out, half = np.zeros(size), pose.size
    for i in range(half):
        out[i] = pose[i]
        out[half + i] = rates[i]
    angle, rate = 0.0, 0.0
    for k in range(shift.size):
        angle += pose[2 + k]
        rate += rates[2 + k]
        x, y = shift[k] * np.cos(angle), shift[k] * np.sin(angle)
        out[0] += x
        out[1] += y
        out[half] -= y * rate
        out[half + 1] += x * rate
    return out


@inner
def link_rates(model, work, state, poses):
    """Write velocities of the links' front ends and their angular rates to poses[:, 3:6]."""
    for k in range(work.rate.size):
        half = 0.5 * model.chain.length[k] * work.rate[k]
        poses[k, 3] = work.velocity[k, 0] + half * work.sine[k]
        poses[k, 4] = work.velocity[k, 1] - half * work.cosine[k]
        poses[k, 5] = work.rate[k]


@inner
def specific_forces(model, work, acceleration, out):
    """Write the reading of an accelerometer in the middle of each link, link axes; angles must be set."""
    links = work.rate.size
    c, s, w = work.cosine, work.sine, work.rate
    for i in range(links):
        ax, ay, angular = acceleration[0], acceleration[1], 0.0
        for k in range(links):
            angular += acceleration[2 + k]
            ax -= model.arm[i, k] * (angular * s[k] + w[k] * w[k] * c[k])
            ay += model.arm[i, k] * (angular * c[k] - w[k] * w[k] * s[k])
        out[i, 0] = c[i] * ax + s[i] * ay
        out[i, 1] = c[i] * ay - s[i] * ax
        out[i, 2] = STANDARD_GRAVITY  # at rest on the plane
