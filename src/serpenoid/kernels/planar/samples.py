"""Planar chain: what is worth recording of every sample of a run."""

from __future__ import annotations

import numpy as np

from serpenoid.kernels.compile import inner, kernel
from serpenoid.kernels.constants import STANDARD_GRAVITY
from serpenoid.kernels.planar.chain import forward_dynamics, planar_work
from serpenoid.kernels.planar.inverse import kinetic_energy, link_poses, momentum
from serpenoid.kernels.planar.media import reaction
from serpenoid.kernels.records import NO_MEDIUM


@kernel
def sample_quantities(model, states, torques):
    """Scalars (samples, 5), momenta (samples, 3), links (samples, n, 6) and specific forces (samples, n, 3).

    Scalars: energies of bodies and of added mass [J], powers of drive, medium and joint damping [W]. Links: x, y, angle
    of the front end and their rates. Specific force: acceleration of the middle less gravity, in the link's axes.
    """
    samples, links = states.shape[0], model.shift.size
    scalars, momenta = np.empty((samples, 5)), np.empty((samples, 3))
    poses, specific = np.empty((samples, links, 6)), np.empty((samples, links, 3))
    work = planar_work(links)
    acceleration = np.empty(links + 2)
    for i in range(samples):
        state, torque = states[i], torques[i]
        momenta[i, 0], momenta[i, 1], momenta[i, 2] = momentum(model, work, state)
        forward_dynamics(model, work, state, torque, acceleration)
        specific_forces(model, work, acceleration, specific[i])
        scalars[i, 0], scalars[i, 1] = kinetic_energy(model, work, state)
        powers(model, work, state, torque, scalars[i])
        link_poses(model, state, poses[i])
        link_rates(model, work, state, poses[i])
    return scalars, momenta, poses, specific


@inner
def powers(model, work, state, torque, scalars):
    """Write the work rates of drive, medium and joint damping into scalars[2:5]; velocities must be set."""
    links = work.rate.size
    scalars[2] = 0.0
    scalars[3] = 0.0
    scalars[4] = 0.0
    for j in range(links - 1):
        rate = state[links + 5 + j]
        scalars[2] += torque[j] * rate
        scalars[4] -= model.chain.joint_damping[j] * rate * rate
    if model.medium.kind == NO_MEDIUM:
        return
    for k in range(links):
        c, s, w = work.cosine[k], work.sine[k], work.rate[k]
        vl = c * work.velocity[k, 0] + s * work.velocity[k, 1]
        vt = c * work.velocity[k, 1] - s * work.velocity[k, 0]
        fl, ft, moment = reaction(model.medium, k, model.chain.length[k], vl, vt, w)
        scalars[3] += fl * vl + ft * vt + moment * w


@inner
def link_rates(model, work, state, poses):
    """Velocities of the links' front ends and their angular rates into poses[:, 3:6]."""
    for k in range(work.rate.size):
        half = 0.5 * model.chain.length[k] * work.rate[k]
        poses[k, 3] = work.velocity[k, 0] + half * work.sine[k]
        poses[k, 4] = work.velocity[k, 1] - half * work.cosine[k]
        poses[k, 5] = work.rate[k]


@inner
def specific_forces(model, work, acceleration, out):
    """What an accelerometer in the middle of each link shows, link axes; angles must be set."""
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
