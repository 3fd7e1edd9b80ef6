"""Topics for viewers alone: bodies of the robot and the world around it as markers, contact forces as wrenches."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from serpenoid.errors import SerpenoidError
from serpenoid.interchange.layout import Layout
from serpenoid.interchange.topics import WORLD, Clock, Topic, topic_names
from serpenoid.robots.rotations import rotations
from serpenoid.studio.scene import FloorGrid, SceneData, quick_scene
from serpenoid.studio.world_objects import Thing
from serpenoid.trajectory import Trajectory
from serpenoid.worlds.geometry import Colour

MARKERS = "visualization_msgs/MarkerArray"
WRENCH = "geometry_msgs/WrenchStamped"
TRIANGLES = 11  # type of a marker of triangles
CORNERS = np.array([(-0.5, -0.5, 0.0), (0.5, -0.5, 0.0), (0.5, 0.5, 0.0), (-0.5, 0.5, 0.0)])
HALVES = np.array([(0, 1, 2), (0, 2, 3)])
# Quality of service by which players offer the markers also to viewers that open later.
FOREVER = "sec: 9223372036\n    nsec: 854775807\n"
LATCHED = (
    f"- history: 1\n  depth: 1\n  reliability: 1\n  durability: 1\n  deadline:\n    {FOREVER}  lifespan:\n    {FOREVER}"
    f"  liveliness: 1\n  liveliness_lease_duration:\n    {FOREVER}  avoid_ros_namespace_conventions: false"
)


def scene_for(run: Trajectory) -> tuple[SceneData | None, str]:
    """Return the scene of a run; None and the reason if the run lacks the required variables."""
    try:
        return quick_scene(run), ""
    except SerpenoidError as error:
        return None, str(error)


def frames_for(scene: SceneData | None) -> dict[str, str]:
    """Return the frames of moving objects with the variable that moves each."""
    things = [] if scene is None else scene.things
    return {thing.name: thing.variable for thing in things if thing.variable}


def marker_topics(run: Trajectory, scene: SceneData) -> list[Topic]:
    """Return one message with the bodies of the robot and one with the world, both sent at the first sample."""
    clock = Clock(np.zeros(1, dtype=np.int32), np.zeros(1, dtype=np.uint32))  # zero: at the latest transform
    names = run.labels["link"]
    bodies = [
        marker(clock, names[solid.body], "robot", i, (solid.vertices, solid.faces), colour, 1.0)
        for i, (solid, colour) in enumerate(zip(scene.solids, scene.colours))
    ]
    things = [thing for thing in scene.things if thing.variable or not thing.moves]
    around = [thing_marker(clock, i, thing) for i, thing in enumerate(things, start=1)]
    if scene.floor.opacity > 0.0:
        around.append(floor_marker(clock, scene.floor))
    return [
        Topic(name, MARKERS, "once", Layout(MARKERS, {"markers": markers}))
        for name, markers in (("/markers/robot", bodies), ("/markers/world", around))
        if markers
    ]


def thing_marker(clock: Clock, number: int, thing: Thing) -> dict[str, Any]:
    """Return the marker of an object: in its own frame if it moves."""
    vertices = np.asarray(thing.mesh.vertices)
    if not thing.variable:
        pose = thing.poses[0]
        vertices = pose[:3] + vertices @ rotations(pose[3:]).T
    frame = thing.name if thing.variable else WORLD
    return marker(clock, frame, thing.name, number, (vertices, thing.mesh.faces), thing.colour, thing.opacity)


def floor_marker(clock: Clock, floor: FloorGrid) -> dict[str, Any]:
    """Return the marker of the floor."""
    vertices = floor.center + (CORNERS * [*floor.size, 0.0]) @ rotations(floor.turn).T
    return marker(clock, WORLD, "floor", 0, (vertices, HALVES), floor.colour, floor.opacity)


def marker(
    clock: Clock, frame: str, group: str, number: int, mesh: tuple[NDArray, NDArray], colour: Colour, opacity: float
) -> dict[str, Any]:
    """Return the contents of a marker that moves with a frame."""
    vertices, faces = mesh
    red, green, blue = (part / 255.0 for part in colour)
    return {
        "header": clock.header(frame), "ns": group, "id": number, "type": TRIANGLES,
        "pose": {"orientation": {"w": 1.0}}, "scale": dict.fromkeys("xyz", 1.0),
        "color": {"r": red, "g": green, "b": blue, "a": opacity}, "frame_locked": True,
        "points": np.asarray(vertices, dtype=float)[np.asarray(faces).reshape(-1)][None],
    }  # fmt: skip


def wrench_topics(run: Trajectory, clock: Clock) -> list[Topic]:
    """Return the force of all contacts on each link, in the link's own axes, which are those of its frame."""
    if not all(name in run for name in ("contact_force", "link_pose")) or run["contact_force"].ndim != 3:
        return []
    links = run.labels["link"]
    found = []
    for i, (name, link) in enumerate(zip(topic_names("/contact/", links), links)):
        turn = rotations(run["link_pose"][:, i, 3:])
        force = np.einsum("tji,tj->ti", turn, run["contact_force"][:, i])
        contents = {
            "header": clock.header(link), "wrench": {"force": {axis: force[:, k] for k, axis in enumerate("xyz")}},
        }  # fmt: skip
        found.append(Topic(name, WRENCH, "time", Layout(WRENCH, contents)))
    return found
