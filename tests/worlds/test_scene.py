"""Worlds from MJCF files: shapes, friction, contents of recordings, and files that are not scenes."""

import json
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

import serpenoid as sp
from serpenoid.cli.arguments import applied
from serpenoid.engines.base import Initial
from serpenoid.errors import InvalidValue, UnknownName
from serpenoid.scenarios.gait_run import GaitRun
from serpenoid.worlds import Box, Capsule, Ground, Hull, Scene

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


ROUND = """<mujoco><asset><mesh name="wedge" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
<hfield name="hills" nrow="2" ncol="3" size="1 0.5 0.4 1" elevation="0 1 2 3 4 4"/></asset><worldbody>
<geom type="sphere" size="0.3" pos="3 0 0"/><geom type="ellipsoid" size="0.1 0.2 0.3" pos="0 4 0"/>
<geom type="mesh" mesh="wedge" pos="7 0 0"/><geom type="hfield" hfield="hills" pos="0 9 0.2"/>
</worldbody></mujoco>"""


def test_round_shapes_meshes_and_height_fields(tmp_path):
    (tmp_path / "round.xml").write_text(ROUND)
    ball, egg, wedge, hills = Scene(str(tmp_path / "round.xml")).geometry()
    for shape, low, high in ((ball, (2.7, -0.3, -0.3), (3.3, 0.3, 0.3)), (egg, (-0.1, 3.8, -0.3), (0.1, 4.2, 0.3)),
                             (wedge, (7, 0, 0), (8, 1, 1)), (hills, (-1, 8.5, 0.2), (1, 9.5, 0.6))):  # fmt: skip
        np.testing.assert_allclose((shape.extent().low, shape.extent().high), (low, high), atol=0.01)


@pytest.mark.parametrize(("name", "height"), [("sphere", 0.3), ("wedge", 1.0), ("hills", 0.4)])
def test_a_module_comes_to_rest_on_them(name, height, tmp_path):
    kinds = {
        "sphere": '<geom type="sphere" size="0.3"/>', "hills": '<geom type="hfield" hfield="flat"/>',
        "wedge": '<geom type="mesh" mesh="block" pos="0 0 0.5"/>',
    }  # fmt: skip
    corners = " ".join(f"{x} {y} {z}" for x in (-1, 1) for y in (-1, 1) for z in (-0.5, 0.5))
    assets = f"""<asset><mesh name="block" vertex="{corners}"/><hfield name="flat" nrow="5" ncol="9" size="1 1 0.4 1"
elevation="0 {"1 " * 44}"/></asset>"""
    (tmp_path / "one.xml").write_text(f"<mujoco>{assets}<worldbody>{kinds[name]}</worldbody></mujoco>")
    start = Initial(base_pose=(-0.1, 0.0, height + 0.03, 1.0, 0.0, 0.0, 0.0))
    still = sp.gaits.CompoundSerpenoid(0.0, 0.0, frequency=0.0)
    run = sp.simulate(sp.robots.SeaSnake(2), Scene(str(tmp_path / "one.xml")), still, 0.2, initial=start)
    assert np.abs(run["center_of_mass"][-1, 2] - height - 0.0255) < 0.004
    assert run["contact_force"][-1].sum(axis=0)[2] == pytest.approx(9.81 * sp.robots.SeaSnake(2).mass, rel=0.2)


def test_a_recording_keeps_the_text_and_repeats_without_the_file(lab, tmp_path):
    run = sp.simulate(sp.robots.SeaSnake(), lab, sp.gaits.CompoundSerpenoid(0.3, 0.1), 0.05)
    assert json.loads(run.attributes["configuration"])["world"]["text"] == LAB
    (tmp_path / "lab.xml").unlink()
    np.testing.assert_array_equal(sp.repeat(run)["link_pose"], run["link_pose"])


PARTS = """<mujoco><asset><mesh name="block" file="block.obj" scale="0.1 0.1 0.1"/>
<hfield name="hills" file="hills.png" size="1 0.5 0.2 1"/></asset>
<include file="ball.xml"/><worldbody><body pos="2 0 0" euler="0 0 90"><geom type="mesh" mesh="block" pos="0.1 0 0.3"
friction="0.7"/></body><geom type="hfield" hfield="hills" pos="0 5 0"/></worldbody></mujoco>"""


def test_a_file_that_names_others_becomes_a_text_that_stands_alone(tmp_path):
    block = Hull(tuple((x, y, z) for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0))).triangles()
    lines = [f"v {x} {y} {z}" for x, y, z in block.vertices] + [f"f {a} {b} {c}" for a, b, c in block.faces + 1]
    (tmp_path / "block.obj").write_text("\n".join(lines))
    Image.fromarray(np.array([[0, 50, 255], [100, 100, 100]], dtype=np.uint8)).save(tmp_path / "hills.png")
    (tmp_path / "ball.xml").write_text('<mujoco><worldbody><geom size="0.3" pos="4 0 0"/></worldbody></mujoco>')
    (tmp_path / "lab.xml").write_text(PARTS)
    found = Scene(str(tmp_path / "lab.xml"))
    for file in tmp_path.iterdir():
        file.unlink()
    ball, hills, block = Scene(found.path, found.text).solids()
    assert block.friction == (0.7, 0.7) and ball.friction == (1.0, 1.0)
    for solid, low, high in ((ball, (3.7, -0.3, -0.3), (4.3, 0.3, 0.3)), (hills, (-1, 4.5, 0), (1, 5.5, 0.2)),
                             (block, (1.9, 0.1, 0.3), (2.0, 0.2, 0.4))):  # fmt: skip
        np.testing.assert_allclose((solid.shape.extent().low, solid.shape.extent().high), (low, high), atol=1e-5)
    # The picture's first row is the far one, where y is greatest.
    np.testing.assert_allclose(hills.shape.heights, 0.2 / 255 * np.array([[100, 100, 100], [0, 50, 255]]), atol=1e-6)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("not xml", "an MJCF file"),
        ("<mujoco/>", "at least one shape that collides"),
        ('<mujoco><worldbody><body><freejoint/><geom size="0.1"/></body></worldbody></mujoco>', "without joints"),
        (
            '<mujoco><asset><hfield name="h" nrow="2" ncol="3" size="1 1 1 1" elevation="0 0 0 1 1 1"/></asset>'
            '<worldbody><geom type="hfield" hfield="h" euler="0 0 20"/></worldbody></mujoco>',
            "are level and aligned with x and y",
        ),
        ('<mujoco><include file="nowhere.xml"/></mujoco>', "nowhere.xml"),
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


def test_a_scene_is_named_on_the_command_line(lab):
    config = applied(GaitRun(), [("world", ["scene"]), ("world.path", [lab.path]), ("world.gravity", ["3"])])
    assert config.world == replace(lab, gravity=3.0) and config.world.text == LAB


def test_another_path_is_another_text(lab, tmp_path):
    (tmp_path / "other.xml").write_text(LAB.replace("0.4", "0.3"))
    config = applied(GaitRun(world=lab), [("world.path", [str(tmp_path / "other.xml")])])
    assert config.world.solids()[0].friction == (0.3, 0.3)


def test_a_scene_without_its_file_is_refused():
    with pytest.raises(InvalidValue, match=r"given with --world\.path"):
        applied(GaitRun(), [("world", ["scene"])])


def test_a_file_is_no_name_of_a_world(lab):
    with pytest.raises(UnknownName) as error:
        applied(GaitRun(), [("world", [lab.path])])
    assert "scene" in error.value.choices
