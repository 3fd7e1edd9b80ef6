"""Runs made by hand, with known answers, for the tests of analysis, plotting and studio."""

from __future__ import annotations

import json

import numpy as np

from serpenoid.configuration import to_plain
from serpenoid.robots.base import PlanarRobot
from serpenoid.runtime.samples import log_of
from serpenoid.simulation import stream
from serpenoid.trajectory import Trajectory
from serpenoid.worlds import WORLDS

QUATERNION = (1.0, 0.0, 0.0, 0.0)
SCENE = """<mujoco><worldbody><geom type="plane" size="1 1 1"/>
<geom type="box" pos="0.3 1 0.1" size="0.1 0.2 0.1"/></worldbody></mujoco>"""


def shelf_world(name):
    """A world of the registry with its defaults; a scene has none, so that it gets a file's text."""
    return WORLDS[name]("lab.xml", SCENE) if name == "scene" else WORLDS[name]()


def made(times, labels=None, attributes=None, **arrays):
    """A trajectory of plain arrays; dims and units by name."""
    dims = {
        "joint_position": (("time", "joint"), "rad"), "joint_velocity": (("time", "joint"), "rad/s"),
        "joint_torque": (("time", "joint"), "N m"), "base_pose": (("time", "pose"), ""),
        "base_twist": (("time", "twist"), ""), "center_of_mass": (("time", "axis"), "m"),
        "link_pose": (("time", "link", "pose"), ""),
    }  # fmt: skip
    variables = {}
    for name, values in arrays.items():
        which, unit = dims.get(name, (("time",), "J" if name.startswith("energy") else "W"))
        variables[name] = (which, np.asarray(values, dtype=float), unit, name.replace("_", " "))
    return Trajectory(times, variables, labels or {}, attributes or {})


def planar_poses(x, y, heading):
    """(..., 7) poses of links that lie in the plane."""
    zero = np.zeros_like(np.asarray(x, dtype=float))
    parts = (x, y, zero, np.cos(heading / 2), zero, zero, np.sin(heading / 2))
    return np.stack(np.broadcast_arrays(*parts), axis=-1)


def chain_poses(start, headings, lengths):
    """(time, links, 7) poses of a planar chain, each link's frame at its front end."""
    steps = np.stack([np.cos(headings), np.sin(headings)], axis=-1) * np.asarray(lengths)[None, :, None]
    front = start[:, None] + np.concatenate([np.zeros_like(steps[:, :1]), np.cumsum(steps[:, :-1], axis=1)], axis=1)
    return planar_poses(front[..., 0], front[..., 1], headings)


def made_run(robot, world, duration=2.0, frequency=1.5, height=0.4, **parts):
    """A run of a robot whose joints swing while its base glides; kinematics only, by plain products of transforms.

    `parts` are others of its configuration, such as a controller.
    """
    times = np.linspace(0.0, duration, round(100 * duration) + 1)
    lag = 0.8 * np.arange(robot.joints)
    phase = 2 * np.pi * frequency * times[:, None] + lag
    angles, rates = height * np.sin(phase), height * 2 * np.pi * frequency * np.cos(phase)
    pose = np.array([link_poses(robot, row, (-0.3 * t, 0.0, 0.0)) for t, row in zip(times, angles)])
    torque = 0.1 * np.cos(phase)
    plain = {name: to_plain(part) for name, part in {"robot": robot, "world": world, **parts}.items()}
    return made(
        times, {"joint": robot.joint_names, "link": robot.link_names},
        {"configuration": json.dumps(plain), "complete": True}, joint_position=angles, joint_velocity=rates,
        joint_torque=torque, base_pose=pose[:, 0], link_pose=pose, center_of_mass=pose[:, :, :3].mean(axis=1),
    )  # fmt: skip


def link_poses(robot, angles, start):
    """(links, 7) of a robot at joint angles, its base at `start` without turn."""
    if isinstance(robot, PlanarRobot):
        headings = np.concatenate([[0.0], np.cumsum(angles)])[None]
        return chain_poses(np.array([start[:2]]), headings, robot.chain().length)[0]
    from scipy.spatial.transform import Rotation

    tree = robot.tree()
    places = [(np.array(start), Rotation.identity())]
    for body in range(1, tree.mass.size):
        origin, turn = places[tree.parent[body]]
        hinge = Rotation.from_matrix(tree.rotation[body]) * Rotation.from_rotvec(tree.axis[body] * angles[body - 1])
        places.append((origin + turn.apply(tree.offset[body]), turn * hinge))
    return np.array([np.concatenate([p, r.as_quat(scalar_first=True)]) for p, r in places])


def moments_of(*parts, **options):
    """Times of a run and its variables at the moments of its samples, by name: no means over intervals."""
    samples = list(stream(*parts, **options))
    found = [sample.engine.variables(log_of([sample])) for sample in samples]
    times = np.array([sample.time for sample in samples])
    return times, {name: np.concatenate([each[name] for each in found]) for name in found[0]}
