"""Runs made by hand, with known answers, for the tests of analysis, plotting and studio."""

from __future__ import annotations

import numpy as np

from serpenoid.trajectory import Trajectory

QUATERNION = (1.0, 0.0, 0.0, 0.0)


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
