"""Transfer of states to and from MuJoCo's memory, and solver settings that depend on the state."""

from __future__ import annotations

from serpenoid.kernels.compile import inner
from serpenoid.kernels.contact.memory import call, write_int
from serpenoid.kernels.contact.posts import choose_posts, has_moved
from serpenoid.kernels.contact.records import DATA, KINEMATICS, MODEL, PASSES

STILL = 0.01  # rate below which a coordinate is nearly at rest [m/s, rad/s]


@inner
def find_near_posts(physics):
    """Select the posts within reach, if the robot has moved since the last selection."""
    if physics.posts.skin.size > 0 and has_moved(physics.posts):
        choose_posts(physics.posts)


@inner
def look_round(physics):
    """Select the posts within reach after another state was written to MuJoCo's memory."""
    address = physics.addresses
    if physics.posts.skin.size > 0:
        call(address[KINEMATICS], address[MODEL], address[DATA])
        find_near_posts(physics)


@inner
def load(physics, places, state):
    """Write a state to MuJoCo's memory, and select the posts within reach."""
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
    look_round(physics)


@inner
def store(physics, places, state):
    """Read a state from MuJoCo's memory."""
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


@inner
def set_passes(physics):
    """Enable MuJoCo's noslip iterations only while the robot is nearly at rest.

    They matter only there: without them, static contacts creep by some um/s. They take longer than the rest of a step.
    """
    if physics.passes >= 0:
        fastest = 0.0
        for d in range(physics.qvel.size):
            fastest = max(fastest, abs(physics.qvel[d]))
        write_int(physics.addresses[PASSES], physics.passes if fastest < STILL else 0)
