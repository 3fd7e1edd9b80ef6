"""MJCF scene files as self-contained texts, with referenced files inlined."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import FileProblem, InvalidValue
from serpenoid.robots.model_text import check_named_files, named_files, parse_model
from serpenoid.robots.mujoco_library import library
from serpenoid.support.reading import read_text

if TYPE_CHECKING:
    import mujoco


def scene_text(path: str) -> str:
    """Return the text of a file, with the shapes of referenced files (meshes, height fields, includes) inlined."""
    with as_value(path):
        text = read_text(path)
        root = parse_model(path, text)
        check_named_files(Path(path), root)
    return alone(compile_scene(path, "from_xml_path", path)) if any(named_files(root)) else text


def check_text(path: str, text: str) -> None:
    """Raise if a scene's text references files; a recording contains their shapes instead."""
    with as_value(path):
        if any(named_files(parse_model(path, text))):
            raise FileProblem(path, "its text references other files")


@contextmanager
def as_value(path: str) -> Iterator[None]:
    """Convert a problem of a file to an error of the field that names it."""
    try:
        yield
    except FileProblem as error:
        raise InvalidValue("path", path, f"an MJCF file that can be read ({error.problem})") from None


def compile_scene(path: str, way: str, given: str) -> mujoco.MjModel:
    """Compile a scene with MuJoCo, from a file or from a text; `path` is named in errors."""
    import mujoco

    library()
    try:
        model = getattr(mujoco.MjModel, way)(given)
    except (ValueError, RuntimeError) as error:  # RuntimeError: out of memory
        reason = " ".join(str(error).split())[:120]
        raise InvalidValue("path", path, f"an MJCF scene ({reason})") from None
    if model.nv:
        raise InvalidValue("path", path, "an MJCF scene without joints")
    return model


def alone(model: mujoco.MjModel) -> str:
    """Return the colliding shapes of a scene as an MJCF text without file references."""
    import mujoco

    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    root = ElementTree.Element("mujoco")
    assets, world = ElementTree.SubElement(root, "asset"), ElementTree.SubElement(root, "worldbody")
    for geom in np.flatnonzero((model.geom_contype > 0) | (model.geom_conaffinity > 0)):
        kind, quaternion, asset = mujoco.mjtGeom(model.geom_type[geom]), np.zeros(4), int(model.geom_dataid[geom])
        mujoco.mju_mat2Quat(quaternion, data.geom_xmat[geom])
        place = {"pos": words(data.geom_xpos[geom]), "quat": words(quaternion)}
        shape = {"type": kind.name.removeprefix("mjGEOM_").lower(), "friction": words(model.geom_friction[geom])}
        if kind == mujoco.mjtGeom.mjGEOM_MESH:  # a mesh of its own would be centred again
            corners = data.geom_xpos[geom] + vertices_of(model, asset) @ data.geom_xmat[geom].reshape(3, 3).T
            ElementTree.SubElement(assets, "mesh", {"name": f"mesh {geom}", "vertex": words(corners)})
            place, shape = {}, shape | {"mesh": f"mesh {geom}"}
        elif kind == mujoco.mjtGeom.mjGEOM_HFIELD:
            ElementTree.SubElement(assets, "hfield", {"name": f"hfield {geom}", **heights_words(model, asset)})
            shape |= {"hfield": f"hfield {geom}"}
        else:
            shape |= {"size": words(model.geom_size[geom])}
        ElementTree.SubElement(world, "geom", shape | place)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode")


def vertices_of(model: mujoco.MjModel, mesh: int) -> NDArray:
    """Return the vertices (vertices, 3) of a mesh in the axes of its geom [m]."""
    first, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
    return model.mesh_vert[first : first + count].astype(float)


def heights_words(model: mujoco.MjModel, field: int) -> dict[str, str]:
    """Return the attributes of a height field; MuJoCo scales elevations to 0..1, which ours fill."""
    rows, columns = int(model.hfield_nrow[field]), int(model.hfield_ncol[field])
    first = model.hfield_adr[field]
    heights = model.hfield_data[first : first + rows * columns].astype(float)
    return {
        "nrow": str(rows), "ncol": str(columns), "size": words(model.hfield_size[field]),
        "elevation": words(heights.reshape(rows, columns)[::-1]),
    }  # fmt: skip


def words(numbers: NDArray) -> str:
    """Format numbers for MJCF."""
    return " ".join(map(repr, np.ravel(numbers).tolist()))
