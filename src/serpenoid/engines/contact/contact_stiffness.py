"""Per-point contact stiffness for robots with many ground contacts (MuJoCo).

A contact with impedance d exerts D (a + b v + k depth), with D = d / (1 - d) / A and A the body's inverse weight.
MuJoCo solves for the acceleration a but uses the velocity v before the step, so at low d the damper is explicit.
One contact removes a share b D A of its velocity per second; n contacts on the same mass remove n times as much.
Beyond 2 / step the contacts throw the robot up. Corners of boxes and ends of capsules are such contacts. This
module therefore divides the damped mass among them. It uses the spectrum of the mobility between the contact
points.
"""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from serpenoid.engines.contact.solids import GEOM
from serpenoid.worlds.contact import ContactSettings

QUICK, LEAST_STEPS = 0.25, 2.5  # contact time: fraction of the world's time constant, and its minimum in steps
APART = 5.0  # fraction of the mass that separates sliding contacts, per second [1/s]; see add_pairs
GRIP = 2e3  # fraction of the mass held by friction, per second and impedance ratio [1/s]
USUAL_STEP = 0.001  # [s]
LOWEST = 1.0001e-4  # MuJoCo's smallest impedance
FEWEST = 0.05  # minimum supported fraction of the mass; below it a robot would sink in too deep
ON_GROUND = 0.004  # height above the lowest point within which a straight robot counts as touching the ground [m]
STEEP = 0.7  # cosine between the vertical and the axis of a geom that stands on its end


class Footing(NamedTuple):
    """Contact points of a straight robot on level ground."""

    pairs: NDArray  # (pairs,) ground-geom pairs of the MuJoCo model
    body: NDArray  # (pairs,) body of each pair
    owner: NDArray  # (points,) pair of each point, counted from 0
    places: NDArray  # (points, 3) [m]
    moved: NDArray  # (points, points) acceleration of points per force along z on others [1/kg]


def footing_of(model: mujoco.MjModel) -> Footing:
    """Return all contact points of a model on the ground."""
    pairs = np.flatnonzero(model.geom_type[model.pair_geom1] == GEOM.mjGEOM_PLANE)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    owner, places = all_points(model, data, model.pair_geom2[pairs])
    body = model.geom_bodyid[model.pair_geom2[pairs]]
    return Footing(pairs, body, owner, places, mobility(model, data, body[owner], places))


def stable_unshared(model: mujoco.MjModel) -> bool:
    """Return whether independently tuned contacts damp the motion against the ground stably.

    They do if 2 exceeds step x (largest eigenvalue of b D times the mobility). Steps below the usual one count as
    the usual one, so that a finer step keeps the same contacts.
    """
    pairs, body, owner, _, moved = footing_of(model)
    d, lasts = model.pair_solimp[pairs, 0], model.pair_solref[pairs, 0]
    root = np.sqrt(2.0 / lasts / (1.0 - d) / model.body_invweight0[body, 0])[owner]  # of b D, with b = 2 / (d lasts)
    fastest = float(np.linalg.eigvalsh(root[:, None] * moved * root)[-1])
    return fastest * max(model.opt.timestep, USUAL_STEP) < 2.0


def share_out(model: mujoco.MjModel, contact: ContactSettings) -> bool:
    """Set the stiffness of each ground contact to its share of the mass; return False if that is impossible.

    Each point supports the weight of its body divided by the body's points, so the joints transmit none of it. The
    fastest motion against the ground decays over at least LEAST_STEPS steps. The separation of sliding contacts
    uses the same share of the mass at all steps. A robot that stands on a small part of its mass would sink in;
    then the result is False.
    """
    step, (pairs, body, owner, places, moved) = model.opt.timestep, footing_of(model)
    weight = model.body_mass[body] / np.bincount(body[owner])[body]  # (pairs,) mass supported per point [kg]
    root = np.sqrt(weight[owner])
    share = weight / max(float(np.linalg.eigvalsh(root[:, None] * moved * root)[-1]), 1e-9)
    touching = places[:, 2] < places[:, 2].min() + ON_GROUND
    if share[owner][touching].sum() < FEWEST * model.body_mass.sum():
        return False
    lasts = max(QUICK * contact.time_constant, LEAST_STEPS * step)
    inverse = model.body_invweight0[body, 0]
    wanted = APART * step * weight * inverse
    d = np.maximum(wanted / (1.0 + wanted), LOWEST)
    rate = wanted * (1.0 - d) / d / step  # of friction: 1 / step, less if d is MuJoCo's minimum
    by = share * inverse * (1.0 - d)  # D = d / (1 - d) / inverse, and MuJoCo divides by d again
    stiffness = min(1.0 / (lasts * contact.damping_ratio), 1.0 / step) ** 2
    model.pair_solimp[pairs, :2] = d[:, None]
    model.pair_solref[pairs] = np.column_stack([-stiffness * by, -2.0 / lasts * by])
    model.pair_solreffriction[pairs] = np.column_stack([np.full_like(d, -1e-9), -d * rate])
    model.opt.impratio = GRIP / APART * contact.impedance_ratio
    return True


def mobility(model: mujoco.MjModel, data: mujoco.MjData, body: NDArray, places: NDArray) -> NDArray:
    """Return the accelerations at all points per force along z at each (points, points) [1/kg]."""
    rows, spatial = np.zeros((len(places), model.nv)), np.zeros((3, model.nv))
    for row, b, place in zip(rows, body, places):
        mujoco.mj_jac(model, data, spatial, None, place, b)
        row[:] = spatial[2]
    solved = np.zeros_like(rows)
    mujoco.mj_solveM(model, data, solved, rows)
    return np.asarray(rows @ solved.T)


def all_points(model: mujoco.MjModel, data: mujoco.MjData, geoms: NDArray) -> tuple[NDArray, NDArray]:
    """Return the contact points of geoms on level ground: geom index (points,) and position (points, 3) [m]."""
    found = [
        data.geom_xpos[g] + lowest_points(int(model.geom_type[g]), model.geom_size[g], data.geom_xmat[g].reshape(3, 3))
        for g in geoms
    ]
    return np.repeat(np.arange(len(geoms)), [len(points) for points in found]), np.concatenate(found)


def lowest_points(kind: int, size: NDArray, turn: NDArray) -> NDArray:
    """Return the contact points (points, 3) of a geom with rotation (3, 3) on level ground, from its centre [m]."""
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
