"""User-defined world from an MJCF file with static geometry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from serpenoid.configuration import at_least, check_fields
from serpenoid.errors import InvalidValue
from serpenoid.kernels.constants import STANDARD_GRAVITY
from serpenoid.worlds.contact import ContactSettings, ContactWorld, Solid
from serpenoid.worlds.convex import Ellipsoid, Hull
from serpenoid.worlds.geometry import Ground, Point3, Shape
from serpenoid.worlds.scene_files import check_text, compile_scene, scene_text, vertices_of
from serpenoid.worlds.solids import Box, Capsule, Cylinder, HeightField

if TYPE_CHECKING:
    import mujoco

KINDS = ("plane", "box", "sphere", "ellipsoid", "capsule", "cylinder", "mesh", "hfield")


@dataclass(frozen=True)
class Scene(ContactWorld):
    """Static shapes of an MJCF file with their friction; meshes collide as their convex hulls."""

    follows: ClassVar[Mapping[str, str]] = {"text": "path"}  # another path: another text

    path: str
    """path of the file; read once, when the world is created"""
    text: str = ""
    """content of the file with the shapes of referenced files, stored in recordings; empty: read from the file"""
    _: KW_ONLY
    friction: Annotated[float, at_least(0.0, usual=(0.05, 1.2))] = 0.5
    """not used, because the file has a coefficient for each shape [-]"""
    friction_along: Annotated[float | None, at_least(0.0, usual=(0.05, 1.2))] = None
    """not used [-]"""
    gravity: Annotated[float, at_least(0.0, usual=(0.0, 10.0))] = STANDARD_GRAVITY
    """acceleration of gravity, along -z [m/s^2]"""
    contact: ContactSettings = ContactSettings()
    """contact solver settings"""

    def __post_init__(self) -> None:
        check_fields(self)
        if self.text:
            check_text(self.path, self.text)
        else:
            object.__setattr__(self, "text", scene_text(self.path))
        self.solids()

    def geometry(self) -> tuple[Shape, ...]:
        """Return the shapes of the file."""
        return tuple(solid.shape for solid in self.solids())

    def solids(self) -> tuple[Solid, ...]:
        """Return the shapes of the file, each with its friction from the file."""
        model, data = self.loaded()
        found = []
        for geom in range(model.ngeom):
            if model.geom_contype[geom] or model.geom_conaffinity[geom]:
                friction = float(model.geom_friction[geom, 0])
                found.append(Solid(shape_of(self.path, model, data, geom), (friction, friction)))
        if not found:
            raise InvalidValue("path", self.path, "an MJCF scene with at least one shape that collides")
        return tuple(found)

    def loaded(self) -> tuple[Any, Any]:
        """Return the file as compiled by MuJoCo."""
        import mujoco

        model = compile_scene(self.path, "from_xml_string", self.text)
        data = mujoco.MjData(model)
        mujoco.mj_kinematics(model, data)
        return model, data


def shape_of(path: str, model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> Shape:
    """Convert a MuJoCo geom to a shape."""
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
        return Hull(tuple(map(point, place + vertices_of(model, model.geom_dataid[geom]) @ axes.T)))
    if kind == kinds.mjGEOM_HFIELD:
        return heights_of(path, model, geom, place, axes)
    name = kinds(kind).name.removeprefix("mjGEOM_").lower()
    raise InvalidValue("path", path, f"an MJCF scene of {', '.join(KINDS)}; geom {geom} is of type {name}")


def heights_of(path: str, model: mujoco.MjModel, geom: int, place: NDArray, axes: NDArray) -> HeightField:
    """Convert a height field, which must be level and aligned with the axes."""
    field = model.geom_dataid[geom]
    half, top = model.hfield_size[field, :2], model.hfield_size[field, 2]
    rows, columns = int(model.hfield_nrow[field]), int(model.hfield_ncol[field])
    spacing = 2.0 * half / np.array([columns - 1, rows - 1])
    if np.abs(axes - np.eye(3)).max() > 1e-9:
        raise InvalidValue("path", path, f"height fields that are level and aligned with x and y; geom {geom} is not")
    first = model.hfield_adr[field]
    heights = place[2] + top * model.hfield_data[first : first + rows * columns].astype(float).reshape(rows, columns)
    corner = (float(place[0] - half[0]), float(place[1] - half[1]))
    along_x, along_y = spacing.tolist()
    return HeightField(corner, along_x, tuple(tuple(row) for row in heights.tolist()), along_y)


def point(numbers: NDArray) -> Point3:
    """Convert three numbers to plain floats."""
    x, y, z = numbers.tolist()
    return x, y, z
