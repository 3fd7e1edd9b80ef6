"""Shapes: closed meshes with the volumes of closed forms, outlines, boxes, and refused input."""

import numpy as np
import pytest

from serpenoid.errors import InvalidValue, UnknownName
from serpenoid.kernels.segments import segment_distance
from serpenoid.worlds import (
    Box,
    Capsule,
    Cylinder,
    Disc,
    Frustum,
    Ground,
    HeightField,
    Moving,
    Pipe,
    Wall,
    WaterLevel,
)  # fmt: skip
from serpenoid.worlds.geometry import Extent

ROOM = Extent(np.array([-1.0, -2.0, -0.1]), np.array([3.0, 2.0, 0.4]))
HIGH = 0.5
START, END = (0.1, 0.2, 0.3), (0.4, -0.2, 1.3)
LENGTH = float(np.linalg.norm(np.subtract(END, START)))
TURN = (np.cos(0.3), 0.0, np.sin(0.3), 0.0)
ROUGH = HeightField((0.0, 1.0), 0.5, ((0.0, 0.1, 0.2), (0.3, 0.0, 0.1)))
CLOSED = [
    (Disc((1.0, -0.5), 0.2), np.pi * 0.2**2 * HIGH),
    (Wall((0.0, 0.0), (1.0, 1.0), 0.1), (np.pi * 0.1**2 + 0.2 * np.sqrt(2.0)) * HIGH),
    (Cylinder(START, END, 0.1), np.pi * 0.1**2 * LENGTH),
    (Frustum(START, END, 0.1, 0.05), np.pi * LENGTH * (0.1**2 + 0.1 * 0.05 + 0.05**2) / 3.0),
    (Capsule(START, END, 0.1), np.pi * 0.1**2 * LENGTH + 4.0 / 3.0 * np.pi * 0.1**3),
    (Pipe(START, END, 0.1, 0.02), np.pi * (0.12**2 - 0.1**2) * LENGTH),
    (Box((1.0, 0.0, 0.2), (0.4, 0.3, 0.2), TURN), 0.4 * 0.3 * 0.2),
]  # fmt: skip
ALL = [*(shape for shape, _ in CLOSED), Ground(), Ground((0.0, 0.0, 0.1), (0.6, 0.0, 0.8)), WaterLevel(0.2), ROUGH,
       Moving(Disc((0.0, 0.0), 0.1), "object_position")]  # fmt: skip


@pytest.mark.parametrize(("shape", "volume"), CLOSED)
def test_meshes_are_closed_and_look_outwards(shape, volume):
    vertices, faces, _ = shape.mesh(ROOM)
    a, b, c = (vertices[faces[:, i]] for i in range(3))
    assert np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0 == pytest.approx(volume, rel=0.03)
    assert np.linalg.norm(np.cross(b - a, c - a), axis=1).min() > 0.0
    area = 0.5 * np.cross(b - a, c - a).sum(axis=0)
    assert area == pytest.approx(np.zeros(3), abs=1e-9)  # the areas of a closed skin cancel


@pytest.mark.parametrize("shape", ALL, ids=lambda shape: type(shape).__name__)
@pytest.mark.parametrize("plane", ["xy", "xz", "yz"])
def test_outlines_and_boxes_hold_the_mesh(shape, plane):
    vertices = shape.mesh(ROOM).vertices
    box = shape.extent()
    assert np.all(vertices >= box.low - 1e-9) and np.all(vertices <= box.high + 1e-9)
    columns = ["xyz".index(letter) for letter in plane]
    seen = shape.outline(plane, ROOM)
    if seen is None:
        assert plane == "xy" and shape.surface() is not None
    elif seen.filled and shape.surface() is None:
        assert seen.points.min(axis=0) == pytest.approx(vertices[:, columns].min(axis=0))
        assert seen.points.max(axis=0) == pytest.approx(vertices[:, columns].max(axis=0))
    with pytest.raises(UnknownName, match="plane"):
        Disc((0.0, 0.0), 0.1).outline("xw", ROOM)


@pytest.mark.parametrize("shape", [Disc((0.3, -0.2), 0.2), Wall((-1.0, 0.5), (0.5, 1.0), 0.1)])
def test_the_footprint_is_where_the_surface_stands(shape):
    foot = shape.footprint()
    for point in shape.outline("xy", ROOM).points:
        away = segment_distance(point, point, np.array(foot.start), np.array(foot.end))[0]
        assert away == pytest.approx(foot.radius)


def test_a_slope_rises_against_its_normal():
    slope = Ground((1.0, 0.0, 0.5), (-0.6, 0.0, 0.8))
    vertices = slope.mesh(ROOM).vertices
    assert (vertices - (1.0, 0.0, 0.5)) @ (-0.6, 0.0, 0.8) == pytest.approx(np.zeros(4), abs=1e-12)
    line = slope.outline("xz", ROOM).points
    assert np.diff(line[:, 1]) / np.diff(line[:, 0]) == pytest.approx([0.75])


def test_ground_without_a_place_lies_under_the_robot_and_water_fills_what_is_below():
    assert Ground().mesh(ROOM).vertices[:, 2] == pytest.approx(ROOM.low[2])
    water = WaterLevel(0.2).outline("xz", ROOM).points
    assert (water[:, 1].min(), water[:, 1].max()) == pytest.approx((0.2 - 4.0, 0.2))


def test_rough_ground_seen_from_the_side_is_its_highest_line():
    assert ROUGH.outline("xz", ROOM).points == pytest.approx(np.array([(0.0, 0.3), (0.5, 0.1), (1.0, 0.2)]))
    assert ROUGH.outline("yz", ROOM).points == pytest.approx(np.array([(1.0, 0.2), (1.5, 0.3)]))
    a, b, c = (ROUGH.mesh(ROOM).vertices[ROUGH.mesh(ROOM).faces[:, i]] for i in range(3))
    assert np.cross(b - a, c - a)[:, 2].min() > 0.0  # it looks upwards


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: Disc((0.0, 0.0), 0.0), "radius"), (lambda: Disc((0.0, np.nan), 1.0), "center"),
        (lambda: Wall((0.0, 0.0), (0.0, 0.0), 0.1), "end"), (lambda: Wall((0.0, 0.0), (1.0, 0.0), -0.1), "radius"),
        (lambda: Ground(normal=(1.0, 0.0, 0.0)), "normal"), (lambda: Ground(normal=(0.0, 0.0, 2.0)), "normal"),
        (lambda: Cylinder(START, START, 0.1), "end"), (lambda: Frustum(START, END, 0.1, 0.0), "end_radius"),
        (lambda: Box(START, (1.0, 1.0, -1.0)), "size"), (lambda: Box(START, (1.0, 1.0, 1.0), (2.0, 0, 0, 0)), "turn"),
        (lambda: HeightField((0.0, 0.0), 0.1, ((1.0, 2.0), (1.0,))), "heights"),
        (lambda: Pipe(START, END, -1.0), "radius"),
        (lambda: Capsule((0.0, 0.0), END, 0.1), "start"), (lambda: WaterLevel(np.inf), "height"),
    ],
)  # fmt: skip
def test_what_is_no_shape_is_refused_by_field(make, field):
    with pytest.raises(InvalidValue, match=field):
        make()
    with pytest.raises(UnknownName, match="look"):
        Ground(look="lava")
