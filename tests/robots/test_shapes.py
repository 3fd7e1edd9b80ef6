"""Meshes of robots: closed, turned outwards, and of the volume that their shape has."""

from dataclasses import dataclass

import numpy as np
import pytest

from serpenoid.kernels.records import Chain, Tree
from serpenoid.robots import meshes, shapes
from serpenoid.robots.base import PlanarRobot, TreeRobot
from serpenoid.robots.prism import Prism, rounded_triangle


def volume(vertices, faces):
    """Volume of a closed mesh with outward faces (divergence theorem); negative if they face inwards."""
    a, b, c = (vertices[faces[:, i]] for i in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


def test_tube_prism_and_capsule_have_their_volumes():
    start, end = np.array([0.1, -0.2, 0.3]), np.array([0.4, 0.1, 0.2])
    length, polygon = np.linalg.norm(end - start), 12 * np.sin(2 * np.pi / 24)
    assert volume(*shapes.tube(start, end, 0.05)) == pytest.approx(polygon * 0.05**2 * length, rel=1e-9)
    round_volume = np.pi * 0.05**2 * length + 4 / 3 * np.pi * 0.05**3
    assert volume(*shapes.capsule(start, end, 0.05)) == pytest.approx(round_volume, rel=0.03)
    prism = Prism(0, -0.085, 0.085, rounded_triangle(0.04, 0.022))
    assert volume(*meshes.extrude(prism.polygon(), prism.start, prism.end)) == pytest.approx(prism.volume, rel=1e-9)


@dataclass(frozen=True)
class Planar(PlanarRobot):
    joints, joint_names, link_names = 1, ("j",), ("a", "b")

    def chain(self):
        ones = np.ones(2)
        return Chain(np.array([0.2, 0.3]), 0.1 * ones, ones, ones, np.zeros(1))


@dataclass(frozen=True)
class Branched(TreeRobot):
    """A base with two arms."""

    joints, joint_names, link_names = 2, ("l", "r"), ("base", "left", "right")

    def tree(self):
        eye = np.tile(np.eye(3), (3, 1, 1))
        offset = np.array([[0, 0, 0], [0.1, 0.2, 0], [0.1, -0.2, 0]])
        center = np.array([[0, 0, 0], [0, 0.1, 0], [0, -0.1, 0]])
        axis = np.tile([0.0, 0.0, 1.0], (3, 1))
        inertia = np.tile(np.diag([2e-3, 3e-3, 4e-3]), (3, 1, 1))
        mass = np.array([1.0, 0.5, 0.0])
        return Tree(np.array([-1, 0, 0]), eye, offset, axis, mass, center, inertia, False, np.zeros((2, 2)))


def test_segments_follow_the_links():
    first, second = shapes.segments(Planar())
    assert (first.body, second.body) == (0, 1)
    assert second.end == pytest.approx([0.3, 0, 0])
    lines = [(s.body, *s.end) for s in shapes.segments(Branched())]
    assert lines == [(0, 0.1, 0.2, 0.0), (0, 0.1, -0.2, 0.0), (1, 0.0, 0.2, 0.0), (2, 0.0, -0.2, 0.0)]


def test_box_of_a_body_has_its_inertia():
    tree = Branched().tree()
    vertices, faces = shapes.inertia_box(tree, 0)
    size = np.ptp(vertices, axis=0)
    moments = tree.mass[0] / 12 * (np.sum(size**2) - size**2)
    assert moments == pytest.approx([2e-3, 3e-3, 4e-3])
    assert volume(vertices, faces) == pytest.approx(np.prod(size))


@pytest.mark.parametrize("robot", [Planar(), Branched()])
def test_every_solid_is_closed_and_turned_outwards(robot):
    for solid in shapes.solids(robot):
        middle = solid.vertices.mean(axis=0)
        assert volume(solid.vertices - middle, solid.faces) > 0.0
        edges = np.sort(solid.vertices[solid.faces][:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2, 3).round(9), axis=1)
        _, count = np.unique(edges.reshape(-1, 6), axis=0, return_counts=True)
        assert np.all(count == 2)


def test_massless_bodies_have_no_box():
    assert 2 not in [solid.body for solid in shapes.solids(Branched())]
