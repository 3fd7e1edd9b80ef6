"""How a robot that lies on the ground with many points shares out what carries it.

A contact with the impedance d pulls with D (a + b v + k depth), D = d / (1 - d) / A, A the body's inverse weight.
MuJoCo solves for the acceleration a, and takes the velocity v from before the step: where d is low, the damper is
explicit. One contact takes b D A of its velocity out in a second; n contacts that lift the same mass take n times as
much, and beyond 2 / step contacts throw the robot up. Corners of boxes and ends of capsules are such contacts. The mass
that all of them damp is therefore shared out here, by the spectrum of what a force at one point does at the others.
"""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from serpenoid.engines.contact.solids import GEOM
from serpenoid.worlds.contact import ContactSettings

QUICK, LEAST_STEPS = 0.25, 2.5  # of a contact's time: share of the world's time constant; at least so many steps
APART = 5.0  # share of the mass by which sliding contacts are pushed apart, over a second [1/s]; see add_pairs
GRIP = 2e3  # share of the mass that friction holds, over a second, by the impedance ratio [1/s]
USUAL_STEP = 0.001  # [s]
LOWEST = 1.0001e-4  # MuJoCo's least impedance
FEWEST = 0.05  # share of the mass that has to be carried: with less, a robot lies too deep
ON_GROUND = 0.004  # above its lowest point, where a straight robot touches the ground [m]
STEEP = 0.7  # cosine between the vertical and the axis of what stands on its end


class Footing(NamedTuple):
    """The points in which a straight robot lies on a level ground."""

    pairs: NDArray  # (pairs,) of MuJoCo's model, ground and geom
    body: NDArray  # (pairs,) of each
    owner: NDArray  # (points,) pair of each point, counted from 0
    places: NDArray  # (points, 3) [m]
    moved: NDArray  # (points, points) acceleration of points by a force along z on others [1/kg]


def footing_of(model: mujoco.MjModel) -> Footing:
    """Return all points of a model on the ground."""
    pairs = np.flatnonzero(model.geom_type[model.pair_geom1] == GEOM.mjGEOM_PLANE)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    owner, places = all_points(model, data, model.pair_geom2[pairs])
    body = model.geom_bodyid[model.pair_geom2[pairs]]
    return Footing(pairs, body, owner, places, mobility(model, data, body[owner], places))


def stable_unshared(model: mujoco.MjModel) -> bool:
    """Return whether contacts that know nothing of each other damp the motion against the ground stably.

    They do where step x (greatest eigenvalue of b D times the mobility) < 2. A step below the usual one counts as the
    usual one, so that a finer step means the same contacts.
    """
    pairs, body, owner, _, moved = footing_of(model)
    d, lasts = model.pair_solimp[pairs, 0], model.pair_solref[pairs, 0]
    root = np.sqrt(2.0 / lasts / (1.0 - d) / model.body_invweight0[body, 0])[owner]  # of b D, with b = 2 / (d lasts)
    fastest = float(np.linalg.eigvalsh(root[:, None] * moved * root)[-1])
    return fastest * max(model.opt.timestep, USUAL_STEP) < 2.0


def share_out(model: mujoco.MjModel, contact: ContactSettings) -> bool:
    """Set the pairs of a robot of solids with the ground, each as stiff as its share of the mass; False: it cannot be.

    Each point carries the weight of its body over the body's points, so that the chain's joints carry none of it, and
    the fastest motion against the ground dies away in LEAST_STEPS steps or more. What pushes sliding contacts apart is
    the same share of the mass at all steps. Robots that stand on little of their mass would sink in.
    """
    step, (pairs, body, owner, places, moved) = model.opt.timestep, footing_of(model)
    weight = model.body_mass[body] / np.bincount(body[owner])[body]  # (pairs,) that each of its points carries [kg]
    root = np.sqrt(weight[owner])
    share = weight / max(float(np.linalg.eigvalsh(root[:, None] * moved * root)[-1]), 1e-9)
    touching = places[:, 2] < places[:, 2].min() + ON_GROUND
    if share[owner][touching].sum() < FEWEST * model.body_mass.sum():
        return False
    lasts = max(QUICK * contact.time_constant, LEAST_STEPS * step)
    inverse = model.body_invweight0[body, 0]
    wanted = APART * step * weight * inverse
    d = np.maximum(wanted / (1.0 + wanted), LOWEST)
    rate = wanted * (1.0 - d) / d / step  # of friction: 1 / step, less where d is MuJoCo's least
    by = share * inverse * (1.0 - d)  # D = d / (1 - d) / inverse, and MuJoCo divides by d once more
    stiffness = min(1.0 / (lasts * contact.damping_ratio), 1.0 / step) ** 2
    model.pair_solimp[pairs, :2] = d[:, None]
    model.pair_solref[pairs] = np.column_stack([-stiffness * by, -2.0 / lasts * by])
    model.pair_solreffriction[pairs] = np.column_stack([np.full_like(d, -1e-9), -d * rate])
    model.opt.impratio = GRIP / APART * contact.impedance_ratio
    return True


def mobility(model: mujoco.MjModel, data: mujoco.MjData, body: NDArray, places: NDArray) -> NDArray:
    """(points, points) how a force along z at one point accelerates the others [1/kg]."""
    rows, spatial = np.zeros((len(places), model.nv)), np.zeros((3, model.nv))
    for row, b, place in zip(rows, body, places):
        mujoco.mj_jac(model, data, spatial, None, place, b)
        row[:] = spatial[2]
    solved = np.zeros_like(rows)
    mujoco.mj_solveM(model, data, solved, rows)
    return np.asarray(rows @ solved.T)


def all_points(model: mujoco.MjModel, data: mujoco.MjData, geoms: NDArray) -> tuple[NDArray, NDArray]:
    """Where geoms touch a level ground: which of them each point is of (points,), and the points (points, 3) [m]."""
    found = [
        data.geom_xpos[g] + lowest_points(int(model.geom_type[g]), model.geom_size[g], data.geom_xmat[g].reshape(3, 3))
        for g in geoms
    ]
    return np.repeat(np.arange(len(geoms)), [len(points) for points in found]), np.concatenate(found)


def lowest_points(kind: int, size: NDArray, turn: NDArray) -> NDArray:
    """(points, 3) where a geom turned by (3, 3) touches a level ground, from its middle [m]."""
    down = np.array([0.0, 0.0, -1.0])
    if kind == int(GEOM.mjGEOM_BOX):  # the corners of its lowest face
        side = int(np.abs(turn[2]).argmax())
        corners = np.array([(a, b, c) for a in (-1.0, 1.0) for b in (-1.0, 1.0) for c in (-1.0, 1.0)])
        return np.asarray((corners[corners[:, side] == -np.sign(turn[2, side])] * size) @ turn.T)
    if kind == int(GEOM.mjGEOM_ELLIPSOID):
        reach = size * turn[2]
        return np.asarray((-size * reach / np.linalg.norm(reach)) @ turn.T)[None]
    ends = np.outer((-1.0, 1.0), size[1] * turn[:, 2])
    lower = ends[[int(ends[:, 2].argmin())]]
    upright = abs(turn[2, 2]) > STEEP
    if kind == int(GEOM.mjGEOM_CAPSULE):
        return np.asarray((lower if upright else ends) + size[0] * down)
    if kind == int(GEOM.mjGEOM_CYLINDER):
        angles = 2.0 * np.pi / 3.0 * np.arange(3)
        rim = np.outer(np.cos(angles), turn[:, 0]) + np.outer(np.sin(angles), turn[:, 1])
        return np.asarray(lower + size[0] * rim if upright else ends + size[0] * down)
    return size[0] * down[None]
