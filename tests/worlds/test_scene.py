"""Worlds from MJCF files: shapes, friction, what a recording keeps, and files that are no scenes."""

import json

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.errors import InvalidValue
from serpenoid.worlds import Box, Capsule, Ground, Scene

LAB = """<mujoco><worldbody><geom type="plane" size="5 5 1" friction="0.4"/>
<geom type="box" size="0.1 0.2 0.3" pos="2 0 0.3" euler="0 0 90"/>
<body pos="0 1 0"><geom type="capsule" size="0.05" fromto="0 0 0 0 0 1" friction="0.2"/></body></worldbody></mujoco>"""


@pytest.fixture
def lab(tmp_path):
    (tmp_path / "lab.xml").write_text(LAB)
    return Scene(str(tmp_path / "lab.xml"))


def test_shapes_and_friction_are_the_files(lab):
    ground, box, post = lab.solids()
    assert isinstance(ground.shape, Ground) and ground.friction == (0.4, 0.4)
    assert isinstance(box.shape, Box) and box.shape.size == pytest.approx((0.2, 0.4, 0.6))
    assert isinstance(post.shape, Capsule) and post.friction == (0.2, 0.2)
    np.testing.assert_allclose(sorted((post.shape.start, post.shape.end)), [(0, 1, 0), (0, 1, 1)], atol=1e-12)


def test_a_recording_keeps_the_text_and_repeats_without_the_file(lab, tmp_path):
    run = sp.simulate(sp.robots.SeaSnake(), lab, sp.gaits.CompoundSerpenoid(0.3, 0.1), 0.05)
    assert json.loads(run.attributes["configuration"])["world"]["text"] == LAB
    (tmp_path / "lab.xml").unlink()
    np.testing.assert_array_equal(sp.repeat(run)["link_pose"], run["link_pose"])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("not xml", "an MJCF scene"),
        ("<mujoco/>", "something that collides"),
        ('<mujoco><worldbody><body><freejoint/><geom size="0.1"/></body></worldbody></mujoco>', "stand still"),
        ('<mujoco><worldbody><geom type="ellipsoid" size="1 1 2"/></worldbody></mujoco>', "another shape"),
    ],
)
def test_what_is_no_scene_is_refused_in_one_line(text, says, tmp_path):
    (tmp_path / "bad.xml").write_text(text)
    with pytest.raises(InvalidValue, match=says) as caught:
        Scene(str(tmp_path / "bad.xml"))
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(InvalidValue, match="can be read"):
        Scene(str(tmp_path / "none.xml"))
