"""Robots out to MJCF and URDF and back, and files that are refused in one line."""

from dataclasses import replace

import numpy as np
import pytest

from serpenoid.errors import FileProblem, InvalidValue
from serpenoid.kernels.tree.frames import workspace
from serpenoid.kernels.tree.matrix import mass_matrix
from serpenoid.robots import Body, BodyTree, MovingFrameChain, Natrix, PlanarSnake, load
from serpenoid.robots.export import mujoco_model, write_model

TILTED = BodyTree((
    Body("trunk", mass=1.0, center=(0.1, 0.0, 0.02), inertia=(0.02, 0.03, 0.04, 0.001, -0.002, 0.003)),
    Body("arm", "trunk", (0.2, 0.1, 0.0), (0.5, 0.5, -0.5, 0.5), (0.6, 0.0, 0.8), 0.5, (0.1, 0.0, 0.0),
         (0.001, 0.002, 0.002, 0.0, 0.0, 0.0), joint="shoulder", lower=-1.0, upper=2.0, damping=0.25),
    Body("leg", "trunk", (-0.2, 0.1, 0.0), (0.8, 0.0, 0.6, 0.0), (0.0, 1.0, 0.0), 0.5, (0.1, 0.2, 0.0),
         (0.001, 0.002, 0.002, 0.0, 0.0, 0.0)),
))  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*omitted")
@pytest.mark.parametrize("suffix", [".xml", ".mjcf", ".MJCF", ".urdf", ".URDF"])
@pytest.mark.parametrize("robot", [Natrix(), MovingFrameChain(4), MovingFrameChain(3, fixed_tail=False), TILTED])
def test_a_robot_comes_back_as_it_went(robot, suffix, tmp_path):
    again = load(write_model(robot, tmp_path / f"robot{suffix}"))
    assert set(again.joint_names) == set(robot.joint_names)
    assert again.fixed_base == robot.tree().fixed_base
    order = [*range(6), *(6 + again.joint_names.index(name) for name in robot.joint_names)]
    angles = np.random.default_rng(3).normal(size=robot.joints)
    ours = matrix_of(robot, angles)
    theirs = matrix_of(again, angles[[robot.joint_names.index(name) for name in again.joint_names]])
    first = 6 if again.fixed_base else 0  # parts welded to the world do not move
    difference = (theirs[np.ix_(order, order)] - ours)[first:, first:]
    assert np.abs(difference).max() < 1e-12 * np.abs(ours).max()
    if robot is TILTED:
        arm = again.bodies[again.link_names.index("arm")]
        assert (arm.lower, arm.upper, arm.damping) == (-1.0, 2.0, 0.25)


def test_what_an_mjcf_file_names_is_sought_in_its_folder(tmp_path, monkeypatch):
    """The file extension does not matter, nor does another model of that name in the working directory."""
    (tmp_path / "robots" / "parts").mkdir(parents=True)
    (tmp_path / "robots" / "snake.xml").write_text("<mujoco/>")
    corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
    (tmp_path / "robots" / "parts" / "head.obj").write_text(corners)
    (tmp_path / "robots" / "parts" / "head.xml").write_text(
        '<mujoco><asset><mesh name="head" file="head.obj"/></asset></mujoco>'
    )
    text = hinge('<include file="parts/head.xml"/>').replace('<geom size="0.1"/>', '<geom type="mesh" mesh="head"/>')
    (tmp_path / "robots" / "snake.mjcf").write_text(text.replace("<mujoco>", '<mujoco><compiler meshdir="parts"/>'))
    monkeypatch.chdir(tmp_path)
    assert load("robots/snake.mjcf").tree().mass == pytest.approx(1000.0 / 6.0)
    assert load(tmp_path / "robots" / "snake.mjcf").name == "snake"


def test_a_folder_is_no_robot(tmp_path):
    for ending in (".urdf", ".toml", ""):
        (tmp_path / f"snake{ending}").mkdir()
        with pytest.raises(FileProblem, match="is a folder: must be a file"):
            load(tmp_path / f"snake{ending}")


def test_armature_comes_back_from_mjcf(tmp_path):
    geared = replace(TILTED, bodies=(*TILTED.bodies[:2], replace(TILTED.bodies[2], armature=0.5)))
    again = load(write_model(geared, tmp_path / "robot.xml"))
    assert [body.armature for body in again.bodies] == [0.0, 0.0, 0.5]


def matrix_of(robot, angles):
    """The robot's mass matrix."""
    tree, out = robot.tree(), np.zeros((6 + robot.joints, 6 + robot.joints))
    mass_matrix(tree, np.ascontiguousarray(angles), workspace(tree), out)
    return out


@pytest.mark.filterwarnings("ignore:.*omitted")
def test_a_planar_snake_is_written_with_a_planar_base(tmp_path):
    import mujoco
    import pinocchio

    robot = PlanarSnake()
    model = mujoco.MjModel.from_xml_path(str(write_model(robot, tmp_path / "snake.xml")))
    other = pinocchio.buildModelFromUrdf(str(write_model(robot, tmp_path / "snake.urdf")))
    assert model.nv == other.nv == 3 + robot.joints
    np.testing.assert_allclose(model.dof_damping[3:], robot.chain().joint_damping)


@pytest.mark.parametrize("integrator", ["Euler", "RK4", "implicitfast"])
def test_the_model_in_mujoco_coasts_in_empty_space(integrator):
    """No weight and no contacts: a bent snake that turns about its joints keeps its momentum."""
    import mujoco

    model = mujoco_model(PlanarSnake(joint_damping=0.0), 0.002, integrator)
    data = mujoco.MjData(model)
    data.qpos[3:], data.qvel[:] = 0.3, 0.1
    mujoco.mj_forward(model, data)
    before = mass_matrix_of(model, data)[:2] @ data.qvel
    mujoco.mj_step(model, data, nstep=50)
    assert data.time == pytest.approx(0.1)
    mujoco.mj_forward(model, data)
    np.testing.assert_allclose(mass_matrix_of(model, data)[:2] @ data.qvel, before, rtol=1e-3)


def mass_matrix_of(model, data):
    """MuJoCo's mass matrix."""
    import mujoco

    out, unit = np.zeros((model.nv, model.nv)), np.eye(model.nv)
    for column in range(model.nv):
        mujoco.mj_mulM(model, data, out[column], unit[column])
    return out


def hinge(inner="", **options):
    """MJCF of two bodies with a joint between them."""
    joint = " ".join(f'{key}="{value}"' for key, value in {"name": "j", "type": "hinge", **options}.items())
    return f"""<mujoco><worldbody><body name="a"><freejoint/><geom size="0.1"/>
    <body name="b"><joint {joint}/><geom size="0.1"/></body></body></worldbody>{inner}</mujoco>"""


BAD = {
    "slide": (hinge(type="slide"), "joint j is a slide joint: must be a hinge"),
    "ball": (hinge(type="ball"), "joint j is a ball joint: must be a hinge"),
    "loop": (hinge('<equality><connect body1="a" body2="b" anchor="0 0 0"/></equality>'), "closes a loop"),
    "no hinge": ('<mujoco><worldbody><body><freejoint/><geom size="1"/></body></worldbody></mujoco>', "has no hinge"),
    "two robots": (
        '<mujoco><worldbody><body name="a"><geom size="1"/></body><body name="b"><geom size="1"/></body></worldbody>'
        "</mujoco>",
        "contains 2 bodies on the world",
    ),
    "one name for two joints": (
        '<robot name="r"><link name="a"/><link name="b"/><link name="c"/>'
        '<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>'
        '<joint name="j" type="continuous"><parent link="b"/><child link="c"/></joint></robot>',
        "has 2 joints named 'j': names must differ",
    ),
    "empty": ("<mujoco/>", "contains no body"),
    "text": ("no robot at all", "not XML"),
    "massless tip": (
        '<mujoco><worldbody><body name="a"><geom size="1"/><body name="b"><joint/></body></body></worldbody></mujoco>',
        "mass",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_gets_one_line(name, tmp_path):
    text, message = BAD[name]
    path = tmp_path / "bad.xml"
    path.write_text(text)
    with pytest.raises(FileProblem) as caught:
        load(path)
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_welded_bodies_count_and_a_hinge_may_lie_off_the_frame(tmp_path):
    import mujoco

    text = """<mujoco><worldbody><body name="a" pos="1 2 3"><freejoint/><geom size="0.1"/>
    <body name="w" pos="0.3 0 0" euler="10 20 30"><geom type="box" size="0.1 0.2 0.3"/>
    <body name="b" pos="0 0.4 0"><joint name="j" pos="0.1 0.05 0" axis="1 1 0" ref="20"/><joint name="k" axis="0 0 1"/>
    <geom type="box" size="0.2 0.1 0.1" pos="0.1 0 0"/></body></body></body></worldbody></mujoco>"""
    path = tmp_path / "welded.xml"
    path.write_text(text)
    robot, model = load(path), mujoco.MjModel.from_xml_path(str(path))
    assert robot.joint_names == ("j", "k")
    data, angles, full = mujoco.MjData(model), np.array((0.7, -0.4)), np.zeros((8, 8))
    data.qpos[:7], data.qpos[7:] = (0, 0, 0, 1, 0, 0, 0), angles
    mujoco.mj_forward(model, data)
    unit = np.eye(8)
    for column in range(8):
        mujoco.mj_mulM(model, data, full[column], unit[column])
    np.testing.assert_allclose(matrix_of(robot, angles), full, rtol=1e-10, atol=1e-12 * np.abs(full).max())


GOOD = {"mass": 1.0, "inertia": (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)}


@pytest.mark.parametrize(
    ("bodies", "message"),
    [
        (lambda: (Body("a", **GOOD), Body("b", "c", **GOOD)), "bodies[1].parent"),
        (lambda: (Body("a", **GOOD), Body("b", "b", **GOOD)), "loop"),
        (lambda: (Body("a", **GOOD), Body("a", "a", **GOOD)), "used once"),
        (lambda: (Body("a", **GOOD), Body("b", "a", mass=-1.0)), "mass = -1.0"),
        (lambda: (Body("a", **GOOD), Body("b", "a", axis=(1.0, 1.0, 0.0), **GOOD)), "axis"),
        (lambda: (Body("a", **GOOD), Body("b", "a")), "above 0"),
        (lambda: (Body("a", **GOOD), Body("b", "a", mass=1.0, inertia=(1.0, 1.0, 3.0, 0.0, 0.0, 0.0))), "inertia"),
        (lambda: (Body("a", **GOOD),), "2 to 1000 bodies"),
    ],
)
def test_a_bad_tree_gets_one_line(bodies, message):
    with pytest.raises(InvalidValue) as caught:
        BodyTree(bodies())
    assert message in str(caught.value) and "\n" not in str(caught.value)
