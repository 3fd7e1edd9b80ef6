"""Data of an exported page: meshes, poses, lines, forces and windows of a run as one block with a table of contents."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from serpenoid.analysis.bodies import bodies_of, part_of
from serpenoid.robots.rotations import rotations
from serpenoid.studio.overlays import (
    CHASSIS_LENGTH,
    HEADING,
    HEADING_LENGTH,
    HEADING_SIGNAL,
    chassis_poses,
    contact_arrows,
    headings_of,
    ticks_before,
)
from serpenoid.studio.scene import (
    FIELD_OF_VIEW,
    HEAD,
    TRACK,
    WHEEL,
    FloorGrid,
    SceneData,
    head_link,
    scene_of,
    shadow_colour,
    shadow_of,
)
from serpenoid.studio.stage import merge_static
from serpenoid.studio.windows import PALETTE, body_places, first_windows, joined_with, window_colours, window_sets
from serpenoid.studio.world_objects import GOAL
from serpenoid.trajectory import Trajectory
from serpenoid.worlds.geometry import Colour

FORCE: Colour = (124, 58, 160)
AXES: tuple[Colour, ...] = ((204, 32, 32), (36, 150, 60), (32, 80, 200))  # of the virtual chassis
SHAPE_SIGNALS = ("edge_", "shape_", "chassis_")  # prefixes of signals that only shape laws record
KINDS = {"float": "<f4", "whole": "<u4", "small": "u1"}
ENDLESS = 40.0  # size of an unbounded floor over that of the visible scene
LONG_ARROW = 0.2  # of a large force, as a fraction of the robot's length
GREAT = 95.0  # percentile of the forces that counts as large; single impacts would make all others invisible


class LegendEntry(NamedTuple):
    """Line of the legend."""

    name: str
    colours: tuple[Colour, ...]
    line: bool = False  # a line, otherwise an area


class Packed(NamedTuple):
    """Data of a run in a page."""

    text: str  # JSON: table of contents and the packed block
    legend: list[LegendEntry]
    cell: float  # side of a grid square [m]
    forces: bool  # whether there are any
    windows: bool
    chassis: bool
    title: str


class PackedArrays:
    """Concatenated arrays, with a table of their types, offsets and shapes."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0
        self.table: dict[str, tuple[str, int, list[int]]] = {}

    def add(self, name: str, values: NDArray, kind: str = "float") -> str:
        """Append an array as 4-byte floats, 4-byte integers or bytes; return its name."""
        data = np.ascontiguousarray(values, dtype=KINDS[kind])
        self.table[name] = (kind, self.size, list(data.shape))
        self.parts.append(data.tobytes() + bytes(-data.nbytes % 4))  # browsers require aligned numbers
        self.size += len(self.parts[-1])
        return name

    def packed(self) -> str:
        """Return the block, compressed, as text."""
        return base64.b64encode(zlib.compress(b"".join(self.parts), 6)).decode("ascii")


def pack_run(run: Trajectory, frames_per_second: float, progress: Callable[[float], None]) -> Packed:
    """Pack everything that a page shows of a run."""
    scene, block = scene_of(run, frames_per_second), PackedArrays()
    progress(0.3)
    items, shown = add_items(block, scene)
    lines = add_lines(block, scene)
    add_floor(block, scene.floor)
    law_entries = [*add_windows(block, run, scene), *add_chassis(block, run, scene)]
    scale = add_forces(block, run, scene, lambda share: progress(0.3 + 0.5 * share))
    header = {
        "follow": scene.climbs, "rate": frames_per_second, "reach": reach_of(scene),
        "duration": f"{run.duration:g}", "items": items,
        "lines": [{"name": name, "colour": colour} for name, _, colour in lines], "force": FORCE,
        "windows": PALETTE.tolist(), "chassis": {"colours": AXES, "length": CHASSIS_LENGTH},
        "heading": {"colour": HEADING, "length": HEADING_LENGTH},
        "floor": floor_words(scene.floor), "shadow": shadow_words(scene.floor),
        "camera": {
            "position": scene.camera.position.tolist(), "target": scene.camera.target.tolist(), "fov": FIELD_OF_VIEW,
        },
        "arrays": block.table, "packed": block.packed(),
    }  # fmt: skip
    progress(1.0)
    water = (
        [LegendEntry("water", (scene.floor.colour,))] if 0.0 < scene.floor.opacity < 1.0 else []
    )  # only water is clear
    entries = [
        LegendEntry("head", (HEAD,)),
        *water,
        *shown,
        *(LegendEntry(words, (colour,), True) for _, words, colour in lines),
    ]
    entries += law_entries
    if scale:
        entries.append(LegendEntry(f"contact force, 0.1 m for {0.1 / scale:.3g} N (tick forces)", (FORCE,), True))
    parts = (scale > 0.0, "windows" in block.table, "chassis" in block.table)
    return Packed(json.dumps(header), entries, scene.floor.cell, *parts, scene.title)


def reach_of(scene: SceneData) -> float:
    """Return the length of the robot at the start [m]."""
    return float(np.linalg.norm(np.ptp(scene.positions[0], axis=0))) or 1.0


def add_items(block: PackedArrays, scene: SceneData) -> tuple[list[dict[str, Any]], list[LegendEntry]]:
    """Add the meshes of robot and objects with their poses; return them and their legend entries."""
    poses = np.concatenate([scene.positions, scene.quaternions], axis=-1)
    links = block.add("links", poses)
    items = [
        add_mesh(block, i, solid, colour, 1.0)
        | {"poses": links, "index": solid.body, "painted": colour not in (HEAD, WHEEL), "casts": True}
        for i, (solid, colour) in enumerate(zip(scene.solids, scene.colours))
    ]
    still = merge_static([thing for thing in scene.things if not thing.moves])
    for thing in (*still, *(thing for thing in scene.things if thing.moves)):
        way = block.add(f"poses {len(items)}", thing.poses[:, None])
        mesh = add_mesh(block, len(items), thing.mesh, thing.colour, thing.opacity)
        casts, steps = thing.casts and thing.opacity == 1.0, thing.drift is not None  # waves jump back: do not blend
        items.append(mesh | {"poses": way, "index": 0, "casts": casts, "steps": steps})
    named = {thing.name.partition("/")[0]: thing.colour for thing in reversed(scene.things)}
    return items, [LegendEntry(name, (colour,)) for name, colour in named.items()]


def add_mesh(block: PackedArrays, number: int, mesh: Any, colour: Colour, opacity: float) -> dict[str, Any]:
    """Add triangles with vertex normals."""
    block.add(f"vertices {number}", mesh.vertices)
    block.add(f"normals {number}", normals(mesh.vertices, np.asarray(mesh.faces)))
    block.add(f"faces {number}", np.asarray(mesh.faces).ravel(), "whole")
    return {"colour": colour, "opacity": opacity, "smooth": bool(mesh.smooth)}


def normals(vertices: NDArray, faces: NDArray) -> NDArray:
    """Return unit normals (v, 3) at the vertices: the normalised sum of the triangles' normals."""
    corners = np.asarray(vertices, dtype=float)[faces]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    total = np.zeros((len(vertices), 3))
    np.add.at(total, faces, across[:, None])
    return total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-30)


def add_lines(block: PackedArrays, scene: SceneData) -> list[tuple[str, str, Colour]]:
    """Add the paths of robot and moving objects, and the route; return array, legend text and colour of each."""
    lines = []
    if len(scene.track) > 1:
        block.add("track times", scene.track_times[1:])
        words = "path of the head" if scene.climbs else "path of the centre of mass"
        lines.append((block.add("track", pairs(scene.track)), words, TRACK))
    if len(scene.route) > 1:
        route = np.column_stack([scene.route, np.full(len(scene.route), scene.bottom + 0.01)])
        lines.append((block.add("route", pairs(route)), "route", GOAL))
    for thing in scene.things:
        places = thing.poses[:, :3] * (1.0, 1.0, 0.0) + (0.0, 0.0, scene.bottom + 0.01)
        if np.ptp(places, axis=0).any():
            words = f"path of the {thing.name.partition('/')[0]}"
            lines.append((block.add(f"path {thing.name}", pairs(places)), words, thing.colour))
    return lines


def pairs(points: NDArray) -> NDArray:
    """Return both ends (points - 1, 6) of every piece of a line."""
    return np.concatenate([points[:-1], points[1:]], axis=1)


def add_floor(block: PackedArrays, floor: FloorGrid) -> None:
    """Add the floor as two triangles in world axes; an unbounded one extends until haze hides its edges."""
    half = 0.5 * np.array(floor.size) * (ENDLESS if floor.endless else 1.0)
    corners = np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, -1, 0), (1, 1, 0), (-1, 1, 0)]) * [*half, 0.0]
    block.add("sheet", floor.center + corners @ rotations(floor.turn).T)


def floor_words(floor: FloorGrid) -> dict[str, Any]:
    """Return the style of the floor and its grid."""
    corner = floor.center - rotations(floor.turn) @ [0.5 * floor.size[0], 0.5 * floor.size[1], 0.0]
    axes = rotations(floor.turn)[:, :2].T
    return {
        "colour": floor.colour, "opacity": floor.opacity, "cell": floor.cell, "corner": corner.tolist(),
        "axes": axes.tolist(), "endless": floor.endless,
    }  # fmt: skip


def shadow_words(floor: FloorGrid) -> dict[str, Any] | None:
    """Return colour and matrix (column-major) of shadows on the floor; None if it is not solid."""
    flat = shadow_of(floor)
    if flat is None:
        return None
    matrix = np.concatenate([flat, [[0.0, 0.0, 0.0, 1.0]]])
    return {"colour": shadow_colour(floor), "matrix": matrix.T.ravel().tolist()}


def add_windows(block: PackedArrays, run: Trajectory, scene: SceneData) -> list[LegendEntry]:
    """Add the colour of every link in every frame by its window; return the legend entries."""
    sets, places = window_sets(run.variables), body_places(part_of(run, "robot"))
    if not sets or places is None:
        return []
    edges = run[sets[0]]
    first, ticks = first_windows(edges), ticks_before(run, run.times[0] + scene.times)
    joined = run[joined_with(sets[0])] if joined_with(sets[0]) in run else np.zeros_like(edges)
    colours = [window_colours(edges[tick], first[tick], places, joined[tick]) for tick in ticks]
    block.add("windows", np.array(colours), "small")
    words = "windows: each keeps its colour" + ("; joined windows share one" if joined.any() else "")
    return [LegendEntry(words, tuple(map(tuple, PALETTE[:4].tolist())))]


def add_chassis(block: PackedArrays, run: Trajectory, scene: SceneData) -> list[LegendEntry]:
    """Add the virtual chassis of a run by a shape law, and the heading on the ground if the law estimates one."""
    if not any(name.startswith(SHAPE_SIGNALS) for name in run.variables):
        return []
    poses = np.concatenate([scene.positions, scene.quaternions], axis=-1)
    robot = part_of(run, "robot")
    chassis, clear = chassis_poses(poses, bodies_of(robot), head_link(robot.link_names))
    block.add("chassis", np.where(clear[:, None], chassis, np.nan)[:, None])
    words = "principal axes of the links, red towards the head"
    if not clear.all():
        words = "red towards the head, hidden without a main axis"
    entries = [LegendEntry(f"virtual chassis: {words}", AXES, True)]
    if HEADING_SIGNAL not in run:
        return entries
    half = 0.5 * headings_of(run, run.times[0] + scene.times, chassis)
    zero = np.zeros(half.size)
    ground = [*chassis[:, :2].T, zero + scene.bottom + 0.01, np.cos(half), zero, zero, np.sin(half)]
    block.add("heading", np.stack(ground, axis=-1)[:, None])
    return [*entries, LegendEntry("heading over a cycle, estimated by the law", (HEADING,), True)]


def add_forces(block: PackedArrays, run: Trajectory, scene: SceneData, progress: Callable[[float], None]) -> float:
    """Add contact forces in every frame as arrows; return their scale [m/N], 0 if there are none."""
    samples = np.searchsorted(run.times, run.times[0] + scene.times - 1e-9).clip(0, run.times.size - 1)
    found = []
    for i, sample in enumerate(samples.tolist()):
        found.append(contact_arrows(run.variables, sample, 1.0))
        if i % 100 == 0:
            progress(i / samples.size)
    forces = np.concatenate(found)
    sizes = np.linalg.norm(forces[:, 1] - forces[:, 0], axis=1)
    scale = LONG_ARROW * reach_of(scene) / float(np.percentile(sizes, GREAT)) if sizes.size else 0.0
    forces[:, 1] = forces[:, 0] + scale * (forces[:, 1] - forces[:, 0])
    block.add("forces", forces.reshape(-1, 6))
    block.add("force starts", np.cumsum([0, *(len(one) for one in found)]), "whole")
    return scale
