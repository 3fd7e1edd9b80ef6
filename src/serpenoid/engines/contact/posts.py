"""Upright posts in the MuJoCo model: pairs that the compiled loop assigns to posts within a robot's reach."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np

from serpenoid.kernels.contact.posts import Posts, slots_needed
from serpenoid.worlds.contact import Solid
from serpenoid.worlds.geometry import Disc

NOWHERE, DEEP = "nowhere", -1000.0  # a post far below everything [m]


def is_post(solid: Solid) -> bool:
    """Return whether a solid is a single upright post."""
    return isinstance(solid.shape, Disc)


def places_of(solids: list[Solid]) -> tuple[Any, Any]:
    """Return axes (posts, 2) and radii (posts,) of posts [m]."""
    feet = [solid.shape.standing() for solid in solids]  # type: ignore[attr-defined]
    return np.array([foot.start for foot in feet]).reshape(-1, 2), np.array([foot.radius for foot in feet])


def add_slots(
    spec: mujoco.MjSpec, solids: list[Solid], skins: list[str], add_pairs: Callable[[str, list[str]], None]
) -> None:
    """Add unassigned pairs for each shape of the robot, as many as there can be posts within its reach."""
    if not solids or not skins:
        return
    spec.worldbody.add_geom(
        name=NOWHERE, type=mujoco.mjtGeom.mjGEOM_CAPSULE, size=(1e-3, 1e-3, 0.0), pos=(0.0, 0.0, DEEP), contype=0,
        conaffinity=0,
    )  # fmt: skip
    slots = slots_needed(*places_of(solids), max(reach_of(spec.geom(name)) for name in skins))
    for _ in range(slots):
        add_pairs(NOWHERE, skins)


def reach_of(geom: Any) -> float:
    """Return an upper bound of the distance of a shape's points from its centre [m]."""
    ends = np.array(geom.fromto)
    if not np.isnan(ends).any():
        return 0.5 * float(np.linalg.norm(ends[3:] - ends[:3])) + float(geom.size[0])
    return float(np.linalg.norm(geom.size)) if geom.type != mujoco.mjtGeom.mjGEOM_SPHERE else float(geom.size[0])


def posts_of(model: mujoco.MjModel, data: mujoco.MjData, solids: tuple[Solid, ...]) -> Posts:
    """Return the posts of a model whose solids are named solid_NUMBER_PART; none if it has no slots."""
    nowhere = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, NOWHERE)
    of_slots = np.flatnonzero((nowhere >= 0) & ((model.pair_geom1 == nowhere) | (model.pair_geom2 == nowhere)))
    numbers = [number for number, solid in enumerate(solids) if is_post(solid)] if len(of_slots) else []
    place, radius = places_of([solids[number] for number in numbers])
    geoms = [mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, f"solid_{number}_0") for number in numbers]
    others = {int(p): int(model.pair_geom1[p] + model.pair_geom2[p]) - nowhere for p in of_slots}
    skins = sorted(set(others.values()))
    slots = [[p for p, skin in others.items() if skin == one] for one in skins]
    return Posts(
        place, radius, np.array(geoms, dtype=np.int64), np.array([solids[n].friction for n in numbers]).reshape(-1, 2),
        nowhere, np.array(skins, dtype=np.int64), model.geom_rbound[skins].astype(float),
        np.array(slots, dtype=np.int64).reshape(len(skins), -1 if skins else 0),
        np.array([model.pair_geom1[row[0]] != nowhere for row in slots], dtype=bool), model.pair_geom1,
        model.pair_geom2, model.pair_friction, data.geom_xpos, np.full((len(skins), 2), np.nan),
    )  # fmt: skip
