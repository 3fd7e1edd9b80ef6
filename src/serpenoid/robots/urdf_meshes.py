"""Meshes of a URDF file, found by path or ROS's package://; solids with a missing mesh are omitted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from serpenoid.support.reading import check_regular

READABLE = (".stl", ".obj", ".msh")  # formats that MuJoCo reads
MOST_NAMED = 4  # meshes that a note names


def with_meshes(path: Path, root: ElementTree.Element) -> tuple[str, list[str]]:
    """Return the text of a file with full mesh paths, and a note on omitted meshes."""
    folder = own_folder(path, root)
    lost: list[str] = []
    for link in root.iterfind("link"):
        for part in [*link.iterfind("visual"), *link.iterfind("collision")]:
            mesh = part.find("geometry/mesh")
            if mesh is None:
                continue
            name = mesh.get("filename", "")
            found = next((file for file in places(path, folder, name) if file.is_file()), None)
            if found is None or found.suffix.lower() not in READABLE:
                link.remove(part)
                lost += [name.rpartition("/")[2]] if name.rpartition("/")[2] not in lost else []
            else:
                check_regular(found)
                mesh.set("filename", str(found.resolve()))
    return ElementTree.tostring(root, encoding="unicode"), note_on(lost)


def own_folder(path: Path, root: ElementTree.Element) -> Path:
    """Return the mesh folder given in the file (MuJoCo's element in URDF); full paths make it obsolete."""
    compiler = root.find("mujoco/compiler")
    if compiler is None:
        return path.parent
    compiler.set("strippath", "false")
    return path.parent / compiler.attrib.pop("meshdir", "")


def places(path: Path, folder: Path, name: str) -> Iterator[Path]:
    """Yield candidate paths of a mesh; package://NAME is searched in parent folders, with and without NAME."""
    scheme, mark, rest = name.partition("://")
    if mark and scheme == "package":
        for above in path.resolve().parents:
            yield above / rest
            yield above / rest.partition("/")[2]
    else:
        plain = rest if mark else name
        yield from (folder / plain, folder / Path(plain).name, path.parent / plain)


def note_on(lost: list[str]) -> list[str]:
    """Return one phrase for all omitted meshes."""
    if not lost:
        return []
    more = f" and {len(lost) - MOST_NAMED} more" if len(lost) > MOST_NAMED else ""
    kinds = ", ".join(READABLE)
    return [
        f"solids without their mesh are omitted: {', '.join(lost[:MOST_NAMED])}{more} (no such file, or not {kinds})"
    ]
