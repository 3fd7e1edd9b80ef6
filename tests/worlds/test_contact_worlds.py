"""Worlds that a robot touches: solids with friction, and starts that lie on the ground without being in it."""

import numpy as np
import pytest
from runs import link_poses, shelf_world

from serpenoid.errors import InvalidValue
from serpenoid.robots import Natrix
from serpenoid.worlds import WORLDS, ContactSettings, ContactWorld, Floor, Ground
from serpenoid.worlds.initial_pose import links_of, skin_of

TOUCHED = [name for name, world in WORLDS.items() if issubclass(world, ContactWorld)]


@pytest.mark.parametrize("name", TOUCHED)
def test_every_solid_is_drawn_and_has_friction(name):
    world = shelf_world(name)
    solids = world.solids()
    assert len(solids) >= len(world.geometry())
    low, high = (np.array([[getattr(solid.shape.extent(), end) for solid in solids]]) for end in ("low", "high"))
    for shape in world.geometry():  # drawn and colliding shapes have the same boxes, except for a wall's corners
        box = shape.extent()
        assert np.all(box.low > low.min(axis=(0, 1)) - 0.01) or not np.isfinite(box.low).all()
        assert np.all(box.high < high.max(axis=(0, 1)) + 0.01) or not np.isfinite(box.high).all()
    assert all(min(solid.friction) >= 0.0 for solid in solids)
    assert world.gravity_vector == (0.0, 0.0, -world.gravity)


def test_friction_along_the_body_is_that_across_unless_given():
    assert Floor(friction=0.4).solids()[0].friction == (0.4, 0.4)
    assert Floor(friction=0.4, friction_along=0.1).solids()[0].friction == (0.1, 0.4)
    assert Floor().solids()[0].shape == Ground((0.0, 0.0, 0.0))


def test_links_are_placed_as_by_plain_products_of_transforms():
    robot, shape = Natrix(), np.linspace(-0.5, 0.6, 14)
    assert links_of(robot, shape).place == pytest.approx(link_poses(robot, shape, (0.0, 0.0, 0.0))[:, :3], abs=1e-14)


@pytest.mark.parametrize("bend", [0.0, 0.3])
def test_a_start_lies_flat_over_the_origin_and_touches_the_ground(bend):
    from scipy.spatial.transform import Rotation

    robot = Natrix()
    shape = bend * np.sin(np.arange(14.0))
    pose = np.array(Floor().resting_pose(robot, shape))
    links = links_of(robot, shape)
    turn = Rotation.from_quat(pose[3:], scalar_first=True)
    places = pose[:3] + turn.apply(links.place)
    assert (pose[:3] + turn.apply(skin_of(robot, links)))[:, 2].min() == pytest.approx(0.0, abs=1e-12)
    assert places[:, :2].mean(axis=0) == pytest.approx([0.0, 0.0], abs=1e-12)
    assert places[0, 0] < places[-1, 0]  # the head lies towards -x
    assert (turn.apply([0.0, 0.0, 1.0])[2] == pytest.approx(1.0)) == (bend == 0.0)


def test_bad_settings_are_refused_by_field():
    with pytest.raises(InvalidValue, match="friction"):
        Floor(friction=-0.1)
    with pytest.raises(InvalidValue, match="cone"):
        ContactSettings(cone="round")
