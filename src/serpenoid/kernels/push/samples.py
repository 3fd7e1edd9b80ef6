"""Recorded quantities of every sample of a push."""

from __future__ import annotations

import numpy as np

from serpenoid.kernels.compile import kernel
from serpenoid.kernels.planar.chain import forward_dynamics, planar_work
from serpenoid.kernels.planar.samples import specific_forces
from serpenoid.kernels.push.modes import mode_dynamics
from serpenoid.kernels.push.rows import kinetic_energy, push_work
from serpenoid.kernels.push.step import unpack_state


@kernel
def push_quantities(scene, model, states, torques, wrenches):
    """Return rows, contacts, energies, specific forces and modes of every sample.

    - rows (samples, n + w, 2): force [N], slip [m/s]
    - contacts (samples, n, 3): gap [m], normal
    - energies (samples, 2) of chain and object [J]
    - specific forces (samples, n, 3) [m/s^2]
    - modes (samples, n + w + 1)

    The modes in the states must be those that result from the torques; wrenches (samples, n, 3) or (samples, 0, 3).
    """
    samples, n, wheels = states.shape[0], scene.length.size, scene.wheel_link.size
    size = states.shape[1] - (n + wheels + 2)
    rows, contacts = np.empty((samples, n + wheels, 2)), np.empty((samples, n, 3))
    energies, specific = np.empty((samples, 2)), np.empty((samples, n, 3))
    modes = np.empty((samples, n + wheels + 1), np.int64)
    work, chain_work, y = push_work(n, wheels), planar_work(n), np.empty(size)
    acceleration = np.empty(n + 2)
    for i in range(samples):
        unpack_state(states[i], y, modes[i])
        mode_dynamics(scene, y, work, modes[i], torques[i], wrenches[i], False)
        energies[i, 0], energies[i, 1] = kinetic_energy(scene, y, work)
        for row in range(n + wheels):
            rows[i, row, 0], rows[i, row, 1] = work.force[row], work.slip[row]
        for link in range(n):
            contacts[i, link, 0] = work.gap[link]
            contacts[i, link, 1], contacts[i, link, 2] = work.grip[link, 0], work.grip[link, 1]
        forward_dynamics(model, chain_work, y[: 2 * (n + 2)], torques[i], acceleration)  # sets the angles
        for k in range(n + 2):
            acceleration[k] = work.acceleration[k] - (work.acceleration[k - 1] if k > 2 else 0.0)
        specific_forces(model, chain_work, acceleration, specific[i])
    return rows, contacts, energies, specific, modes
