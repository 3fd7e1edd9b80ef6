"""A world of one's own, from an MJCF file with static geometry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import at_least, check_fields
from serpenoid.errors import InvalidValue
from serpenoid.kernels.constants import STANDARD_GRAVITY
from serpenoid.worlds.contact import ContactSettings, ContactWorld, Solid
from serpenoid.worlds.convex import Ellipsoid, Hull
from serpenoid.worlds.geometry import Ground, Point3, Shape
from serpenoid.worlds.solids import Box, Capsule, Cylinder, HeightField


@dataclass(frozen=True)
class Scene(ContactWorld):
    """The static shapes of an MJCF file, with the file's own friction; meshes collide as their convex hulls."""

    follows: ClassVar[Mapping[str, str]] = {"text": "path"}  # another path: another text

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

    kinds, kind, size = mujoco.mjtGeom, int(model.geom_type[geom]), model.geom_size[geom]
    place, axes, quaternion = data.geom_xpos[geom], data.geom_xmat[geom].reshape(3, 3), np.zeros(4)
    mujoco.mju_mat2Quat(quaternion, data.geom_xmat[geom])
    w, x, y, z = quaternion.tolist()
    start, end = (point(place + sign * size[1] * axes[:, 2]) for sign in (-1.0, 1.0))
    if kind == kinds.mjGEOM_PLANE:
        return Ground(point(place), point(axes[:, 2]))
    if kind == kinds.mjGEOM_BOX:
        return Box(point(place), point(2.0 * size), (w, x, y, z))
    if kind in (kinds.mjGEOM_CAPSULE, kinds.mjGEOM_CYLINDER):
        return (Capsule if kind == kinds.mjGEOM_CAPSULE else Cylinder)(start, end, float(size[0]))
    if kind in (kinds.mjGEOM_SPHERE, kinds.mjGEOM_ELLIPSOID):
        radii = size if kind == kinds.mjGEOM_ELLIPSOID else np.full(3, size[0])
        return Ellipsoid(point(place), point(radii), (w, x, y, z))
    if kind == kinds.mjGEOM_MESH:
        mesh = model.geom_dataid[geom]
        first, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
        return Hull(tuple(map(point, place + model.mesh_vert[first : first + count].astype(float) @ axes.T)))
    return heights_of(path, model, geom, place, axes)


def heights_of(path: str, model: Any, geom: int, place: NDArray, axes: NDArray) -> HeightField:
    """A height field, which must lie level and along the axes, on a square grid."""
    field = model.geom_dataid[geom]
    half, top = model.hfield_size[field, :2], model.hfield_size[field, 2]
    rows, columns = int(model.hfield_nrow[field]), int(model.hfield_ncol[field])
    spacing = 2.0 * half / np.array([columns - 1, rows - 1])
    if np.abs(axes - np.eye(3)).max() > 1e-9 or abs(spacing[0] / spacing[1] - 1.0) > 1e-6:
        raise InvalidValue("path", path, f"a level height field on a square grid along x and y; geom {geom} is another")
    first = model.hfield_adr[field]
    heights = place[2] + top * model.hfield_data[first : first + rows * columns].astype(float).reshape(rows, columns)
    corner = (float(place[0] - half[0]), float(place[1] - half[1]))
    return HeightField(corner, float(spacing[0]), tuple(tuple(row) for row in heights.tolist()))


def point(numbers: NDArray) -> Point3:
    """Three numbers as plain ones."""
    x, y, z = numbers.tolist()
    return x, y, z
