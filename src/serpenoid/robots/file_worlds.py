"""Notes on world settings of an MJCF file (gravity, friction, medium), which do not belong to the robot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import mujoco

FRICTION = 1.0  # MuJoCo's default friction coefficient
SAME = 1e-9  # tolerance for equality with MuJoCo's default


def world_notes(model: mujoco.MjModel, planar: bool) -> list[str]:
    """Return a note on each world setting without effect, with the flag that sets it."""
    found = [*gravity_note(model), *friction_note(model, planar), *medium_note(model, planar)]
    return [f"without effect, because worlds are selected separately: {', '.join(found)}"] if found else []


def gravity_note(model: mujoco.MjModel) -> list[str]:
    """Return a note on a gravity that is not MuJoCo's default."""
    import mujoco

    gravity = model.opt.gravity
    if np.allclose(gravity, mujoco.MjOption().gravity, 0.0, SAME):
        return []
    vector = " ".join(f"{value:g}" for value in gravity)
    return [f"gravity {vector} m/s^2 (give --world.gravity {np.linalg.norm(gravity):g})"]


def friction_note(model: mujoco.MjModel, planar: bool) -> list[str]:
    """Return a note on friction; MuJoCo takes the larger coefficient of two solids that touch."""
    stated = model.geom_friction[:, 0]
    if np.allclose(stated, FRICTION, 0.0, SAME):
        return []
    flag = "--world.friction_transverse" if planar else "--world.friction"
    return [f"friction of solids (give {flag} {stated.max():g})"]


def medium_note(model: mujoco.MjModel, planar: bool) -> list[str]:
    """Return notes on density and viscosity of the medium, and on wind."""
    density, viscosity, wind = model.opt.density, model.opt.viscosity, np.linalg.norm(model.opt.wind)
    fluid = f"give --world.medium fluid --world.density {density:g}" if planar else "files have no shapes for water"
    viscous = "give --world.medium viscous" if planar else "not modelled"
    found = {
        f"density {density:g} kg/m^3 of the medium ({fluid})": density,
        f"viscosity {viscosity:g} Pa s of the medium ({viscous})": viscosity,
        f"wind of {wind:g} m/s (not modelled)": wind,
    }
    return [note for note, value in found.items() if value]
