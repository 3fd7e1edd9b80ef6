"""Solids of bodies: read from files, drawn, and carried by exports."""

from __future__ import annotations

import numpy as np
import pytest

from serpenoid.errors import SerpenoidError
from serpenoid.robots import BodyShape, MovingFrameChain, Natrix, PlanarSnake, SeaSnake, load, write_model
from serpenoid.robots.pieces import outline
from serpenoid.robots.shapes import solids

SCENE = """<mujoco>
<compiler angle="radian"/>
<worldbody>
<geom type="plane" size="5 5 0.1"/>
<body name="head"><freejoint/>
  <geom type="capsule" fromto="0 0 0 0.1 0 0" size="0.02" mass="0.1"/>
  <geom type="box" size="0.01 0.01 0.01" pos="0.02 0 0.03" contype="0" conaffinity="0" mass="0"/>
  <body name="mid" pos="0.1 0 0" quat="0.6 0.8 0 0"><joint name="bend" axis="0 0 1" pos="0.01 0 0"/>
    <geom type="ellipsoid" size="0.05 0.02 0.01" pos="0.05 0 0" mass="0.1"/>
    <body name="cap" pos="0.1 0 0"><geom type="sphere" size="0.015" mass="0.05"/></body>
  </body>
</body>
</worldbody></mujoco>"""

VOLUMES = {
    "sphere": ((0.1,), 4.0 / 3.0 * np.pi * 1e-3),
    "capsule": ((0.1, 0.3), np.pi * 0.01 * 0.6 + 4.0 / 3.0 * np.pi * 1e-3),
    "cylinder": ((0.1, 0.3), np.pi * 0.01 * 0.6),
    "box": ((0.1, 0.2, 0.3), 8.0 * 0.006),
    "ellipsoid": ((0.1, 0.2, 0.3), 4.0 / 3.0 * np.pi * 0.006),
}


@pytest.mark.parametrize("kind", VOLUMES)
def test_meshes_are_closed_and_have_their_volume(kind):
    size, volume = VOLUMES[kind]
    vertices, faces = BodyShape(kind, size, (1.0, 2.0, 3.0), (0.6, 0.0, 0.8, 0.0)).mesh()
    a, b, c = (vertices[faces[:, i]] for i in range(3))
    found = float(np.einsum("fi,fi->f", a, np.cross(b, c)).sum() / 6.0)
    assert found == pytest.approx(volume, rel=0.05) and found <= volume * (1.0 + 1e-9)


def test_solids_of_a_file_lie_where_mujoco_has_them(tmp_path):
    import mujoco

    path = tmp_path / "snake.xml"
    path.write_text(SCENE)
    robot = load(path)
    shapes = robot.body_shapes()
    assert [(body, shape.kind) for body, shape in shapes] == [(0, "capsule"), (1, "ellipsoid"), (1, "sphere")]
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    data.qpos[7] = 0.7
    mujoco.mj_forward(model, data)
    turned = pose_of(robot, 0.7)
    for (body, shape), geom in zip(shapes, (1, 3, 4)):
        p, R = turned[body]
        np.testing.assert_allclose(p + R @ shape.position, data.geom_xpos[geom], atol=1e-12)
    assert {solid.body for solid in solids(robot)} == {0, 1} and len(solids(robot)) == 3


def pose_of(robot, angle):
    """Place and axes of base and first link by hand."""
    from scipy.spatial.transform import Rotation

    tree = robot.tree()
    turn = tree.rotation[1] @ Rotation.from_rotvec(angle * tree.axis[1]).as_matrix()
    return [(np.zeros(3), np.eye(3)), (tree.offset[1], turn)]


@pytest.mark.parametrize(
    "robot",
    [SeaSnake(modules=4), Natrix(), PlanarSnake(), MovingFrameChain(fixed_tail=False)],
    ids=lambda robot: type(robot).__name__,
)
@pytest.mark.filterwarnings("ignore:.*omitted")
def test_exports_carry_solids_and_motors(robot, tmp_path):
    import mujoco

    model = mujoco.MjModel.from_xml_path(str(write_model(robot, tmp_path / "robot.xml")))
    assert model.ngeom == len(outline(robot)) and model.nu == robot.joints
    again = mujoco.MjModel.from_xml_path(str(write_model(robot, tmp_path / "robot.urdf")))
    assert again.ngeom == 3 * len(outline(robot))  # URDF has no capsules: a cylinder and two spheres each
    assert model.body_mass.sum() == pytest.approx(again.body_mass.sum(), abs=1e-10)


@pytest.mark.filterwarnings("ignore:.*omitted")
def test_solids_come_back_from_an_export(tmp_path):
    robot = SeaSnake(modules=4)
    again = load(write_model(robot, tmp_path / "snake.xml"))
    for (body, shape), (other, same) in zip(outline(robot), again.body_shapes(), strict=True):
        assert (body, shape.kind) == (other, same.kind)
        np.testing.assert_allclose(shape.size, same.size, rtol=1e-12)
        np.testing.assert_allclose(shape.position, same.position, atol=1e-12)


@pytest.mark.parametrize("kind, size", [("sphere", (0.1, 0.2)), ("box", (0.1, 0.0, 0.1)), ("cone", (0.1,))])
def test_a_solid_that_cannot_be_is_refused(kind, size):
    with pytest.raises(SerpenoidError, match="kind|size"):
        BodyShape(kind, size)
