"""Virtual chassis against numpy's SVD of the links' middles, under rotations of the frame, and with gaps."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from serpenoid.estimation import virtual_chassis
from serpenoid.robots import SeaSnake

ROBOT = SeaSnake()
TREE = ROBOT.tree()


def middles_of(angles):
    """Return the middles of all links in head axes (links, 3)."""
    turns, places = [Rotation.identity()], [np.zeros(3)]
    for k in range(1, TREE.parent.size):
        parent = TREE.parent[k]
        places.append(places[parent] + turns[parent].apply(TREE.offset[k]))
        hinge = Rotation.from_rotvec(angles[k - 1] * TREE.axis[k])
        turns.append(turns[parent] * Rotation.from_matrix(TREE.rotation[k]) * hinge)
    return np.array([place + turn.apply(center) for place, turn, center in zip(places, turns, TREE.center)])


def plain_chassis(position, attitude):
    """Return axis, heading, validity, and ratio by sample; the axis keeps its direction."""
    axis, heading, was_clear, rows = np.full(3, np.nan), np.nan, False, []
    for angles, turn in zip(position, attitude):
        points = turn.apply(middles_of(angles))
        about = points - points.mean(axis=0)
        sizes, columns = np.linalg.svd(about, full_matrices=False)[1:]
        clear = sizes[0] >= 1.2 * sizes[1]
        if clear:
            wanted = axis if was_clear else about[0]
            axis = columns[0] * np.sign(columns[0] @ wanted)
            angle = np.arctan2(axis[1], axis[0])
            earlier = 0.0 if np.isnan(heading) else heading
            heading = angle + 2.0 * np.pi * np.round((earlier - angle) / (2.0 * np.pi))
        was_clear = clear
        rows.append((*axis, heading, clear, sizes[0] / sizes[1]))
    return np.array(rows)


def writhing(samples, seed, ring=0.0):
    """Return large smooth motions of all joints and the head; ring = 1 passes through a ring without a main axis."""
    rng, times = np.random.default_rng(seed), np.linspace(0.1, 6.1, samples)[:, None]
    position = 1.2 * np.sin(0.8 * times) * np.sin(np.arange(ROBOT.joints) * 0.7 + rng.normal() - 2.0 * times)
    position[:, ::2] = (1.0 - ring) * position[:, ::2] + ring * 2.0 * np.pi / 9.0 * np.sin(0.5 * times)
    return position, Rotation.from_rotvec(np.hstack([0.5 * np.sin(times), 0.3 * times, 1.4 * times]))


def test_axes_headings_and_ratios_are_those_of_the_svd():
    seen = []
    for seed in range(3):
        position, attitude = writhing(200, seed, 0.5 * seed)
        found = virtual_chassis(ROBOT, position, attitude.as_quat(scalar_first=True))
        plain = plain_chassis(position, attitude)
        near = np.abs(plain[:, 5] - 1.2) < 1e-6  # rounding decides there
        assert not near.any()
        np.testing.assert_array_equal(found.clear, plain[:, 4] == 1.0)
        np.testing.assert_allclose(found.axis, plain[:, :3], atol=1e-6)
        np.testing.assert_allclose(found.heading, plain[:, 3], atol=1e-6)
        assert (np.abs(found.ratio / plain[:, 5] - 1.0) < 1e-9 * plain[:, 5] ** 2).all()  # squares are compared
        seen.append(found.clear.mean())
    assert 0.0 < np.mean(seen) < 1.0


def test_a_rotation_of_the_frame_rotates_the_axis_and_leaves_the_ratio():
    position, attitude = writhing(100, 5)
    turn = Rotation.from_euler("z", 0.9)
    first, turned = (
        virtual_chassis(ROBOT, position, each.as_quat(scalar_first=True)) for each in (attitude, turn * attitude)
    )
    np.testing.assert_allclose(turned.axis, turn.apply(first.axis), atol=1e-9)
    np.testing.assert_allclose(turned.ratio, first.ratio, rtol=1e-12)
    heading = turned.heading - first.heading
    np.testing.assert_allclose(np.exp(1j * heading), np.exp(0.9j), atol=1e-7)
    np.testing.assert_allclose(np.diff(heading), 0.0, atol=1e-7)


def test_a_straight_snake_has_the_axis_of_its_links():
    """All middles on one line: the other singular values are zero or rounding."""
    attitude = Rotation.random(50, rng=np.random.default_rng(6))
    found = virtual_chassis(ROBOT, np.zeros((50, ROBOT.joints)), attitude.as_quat(scalar_first=True))
    middles = middles_of(np.zeros(ROBOT.joints))
    along = attitude.apply((middles[0] - middles[-1]) / np.linalg.norm(middles[0] - middles[-1]))
    side = np.sign((found.axis * along).sum(axis=1))
    np.testing.assert_allclose(side[:, None] * found.axis, along, atol=1e-9)
    assert found.clear.all() and side[0] == 1.0
    assert (found.axis[1:] * found.axis[:-1]).sum(axis=1).min() >= 0.0


def test_a_gap_keeps_axis_and_heading_and_goes_on_from_there():
    position, attitude = writhing(40, 7)
    quaternions = attitude.as_quat(scalar_first=True)
    whole = virtual_chassis(ROBOT, position, quaternions)
    assert whole.clear.all()
    broken, turned = position.copy(), quaternions.copy()
    broken[10:12, 4], turned[20, 0] = np.nan, np.inf
    found = virtual_chassis(ROBOT, broken, turned)
    gap = np.isin(np.arange(40), (10, 11, 20))
    np.testing.assert_array_equal(found.clear, ~gap)
    assert np.isnan(found.ratio[gap]).all()
    for name in ("axis", "heading"):
        kept, wanted = getattr(found, name), getattr(whole, name)
        np.testing.assert_array_equal(kept[~gap], wanted[~gap])
        np.testing.assert_array_equal(kept[gap], wanted[[9, 9, 19]])
