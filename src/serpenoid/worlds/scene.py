"""A world of one's own, from an MJCF file with static geometry."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import at_least, check_fields
from serpenoid.errors import InvalidValue
from serpenoid.kernels.constants import STANDARD_GRAVITY
from serpenoid.worlds.contact import ContactSettings, ContactWorld, Solid
from serpenoid.worlds.geometry import Ground, Point3, Shape
from serpenoid.worlds.solids import Box, Capsule, Cylinder


@dataclass(frozen=True)
class Scene(ContactWorld):
    """Static planes, boxes, capsules and cylinders of an MJCF file, with the file's own friction."""

    path: str
    """the file; read once, when the world is made"""
    text: str = ""
    """what the file says, which recordings keep; empty: read from the file"""
    _: KW_ONLY
    friction: Annotated[float, at_least(0.0, usual=(0.05, 1.2))] = 0.5
    """not used: the file has a coefficient for each shape [-]"""
    friction_along: Annotated[float | None, at_least(0.0, usual=(0.05, 1.2))] = None
    """not used [-]"""
    gravity: Annotated[float, at_least(0.0, usual=(0.0, 10.0))] = STANDARD_GRAVITY
    """acceleration of gravity, along -z [m/s^2]"""
    contact: ContactSettings = ContactSettings()
    """how contacts are solved"""

    def __post_init__(self) -> None:
        check_fields(self)
        if not self.text:
            try:
                object.__setattr__(self, "text", Path(self.path).read_text(encoding="utf-8"))
            except (OSError, UnicodeDecodeError) as error:
                raise InvalidValue(
                    "path", self.path, f"an MJCF file that can be read ({type(error).__name__})"
                ) from None
        self.solids()

    def geometry(self) -> tuple[Shape, ...]:
        """The file's shapes."""
        return tuple(solid.shape for solid in self.solids())

    def solids(self) -> tuple[Solid, ...]:
        """The file's shapes, each with the friction that the file gives it."""
        model, data = self.loaded()
        found = []
        for geom in range(model.ngeom):
            if model.geom_contype[geom] or model.geom_conaffinity[geom]:
                friction = float(model.geom_friction[geom, 0])
                found.append(Solid(shape_of(self.path, model, data, geom), (friction, friction)))
        if not found:
            raise InvalidValue("path", self.path, "an MJCF scene with something that collides")
        return tuple(found)

    def loaded(self) -> tuple[Any, Any]:
        """The file as MuJoCo understands it."""
        import mujoco

        try:
            model = mujoco.MjModel.from_xml_string(self.text)
        except ValueError as error:
            reason = " ".join(str(error).split())[:120]
            raise InvalidValue("path", self.path, f"an MJCF scene ({reason})") from None
        if model.nv:
            raise InvalidValue("path", self.path, "an MJCF scene whose bodies all stand still: this one has joints")
        data = mujoco.MjData(model)
        mujoco.mj_kinematics(model, data)
        return model, data


def shape_of(path: str, model: Any, data: Any, geom: int) -> Shape:
    """A geom as a shape of ours."""
    import mujoco

    kind, size = int(model.geom_type[geom]), model.geom_size[geom]
    place, turn = data.geom_xpos[geom], data.geom_xmat[geom].reshape(3, 3)
    start, end = (point(place + sign * size[1] * turn[:, 2]) for sign in (-1.0, 1.0))
    if kind == mujoco.mjtGeom.mjGEOM_PLANE:
        return Ground(point(place), point(turn[:, 2]))
    if kind == mujoco.mjtGeom.mjGEOM_BOX:
        quaternion = np.zeros(4)
        mujoco.mju_mat2Quat(quaternion, data.geom_xmat[geom])
        w, x, y, z = quaternion.tolist()
        return Box(point(place), point(2.0 * size), (w, x, y, z))
    if kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
        return Capsule(start, end, float(size[0]))
    if kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
        return Cylinder(start, end, float(size[0]))
    raise InvalidValue("path", path, f"planes, boxes, capsules and cylinders; geom {geom} is another shape")


def point(numbers: NDArray) -> Point3:
    """Three numbers as plain ones."""
    x, y, z = numbers.tolist()
    return x, y, z
