"""States in and out of MuJoCo's memory."""

from __future__ import annotations

from serpenoid.kernels.compile import inner


@inner
def load(physics, places, state):
    """Put a state into MuJoCo's memory."""
    if physics.free:
        for i in range(7):
            physics.qpos[i] = state[i]
        for i in range(6):
            physics.qvel[i] = state[places.velocity + i]
    for j in range(physics.joint_dof.size):
        physics.qpos[physics.joint_position[j]] = state[places.joints + j]
        physics.qvel[physics.joint_dof[j]] = state[places.rates + j]
    for i in range(physics.warm.size):
        physics.warm[i] = state[places.warm + i]


@inner
def store(physics, places, state):
    """Put MuJoCo's memory back into a state."""
    if physics.free:
        for i in range(7):
            state[i] = physics.qpos[i]
        for i in range(6):
            state[places.velocity + i] = physics.qvel[i]
    for j in range(physics.joint_dof.size):
        state[places.joints + j] = physics.qpos[physics.joint_position[j]]
        state[places.rates + j] = physics.qvel[physics.joint_dof[j]]
    for i in range(physics.warm.size):
        state[places.warm + i] = physics.warm[i]
