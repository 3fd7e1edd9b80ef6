"""Snakes of the plane in MJCF and URDF: ours come back, a swimmer as reinforcement learning knows it opens."""

import mujoco
import numpy as np
import pytest
from planar_kernels import mass_matrix

from serpenoid.cli import main
from serpenoid.engines import find_engine
from serpenoid.errors import FileProblem
from serpenoid.kernels.planar.chain import planar_work
from serpenoid.robots import Body, BodyTree, MovingFrameChain, Natrix, PlanarSnake, SeaSnake, load, write_model
from serpenoid.trajectory import Trajectory
from serpenoid.worlds import FreeSpace

UNEQUAL = PlanarSnake(
    3, (0.1, 0.2, 0.3), (0.1, 0.2, 0.4), link_center=(0.03, 0.1, 0.15), radius=0.03, joint_friction=0.01,
    joint_armature=(0.001, 0.002), joint_lower=-1.0, joint_upper=(1.0, 0.5),
)  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*omitted")
@pytest.mark.parametrize("suffix", [".xml", ".urdf"])
@pytest.mark.parametrize("robot", [PlanarSnake(), PlanarSnake(2), UNEQUAL], ids=["equal", "two links", "unequal"])
def test_a_planar_snake_comes_back_as_it_went(robot, suffix, tmp_path):
    again = load(write_model(robot, tmp_path / f"snake{suffix}"))
    assert isinstance(again, PlanarSnake) and again.radius == pytest.approx(robot.radius)
    for ours, theirs in zip(robot.chain(), again.chain()):
        np.testing.assert_allclose(theirs, ours, rtol=1e-12)
    for name in ("joint_range", "dry_friction", *(("armature",) if suffix == ".xml" else ())):  # URDF has no armature
        ours, theirs = getattr(robot, name), getattr(again, name)
        assert (ours is None) == (theirs is None)
        np.testing.assert_allclose(theirs if theirs is not None else 0.0, ours if ours is not None else 0.0)


CAPSULE = '<geom type="capsule" density="1000" size="0.1" fromto="{}"/>'
SWIMMER = f"""<mujoco><compiler angle="degree" inertiafromgeom="true"/>
<option density="4000" viscosity="0.1" integrator="RK4"/><default><joint armature="0.1"/></default>
<worldbody><geom type="plane" size="40 40 0.1" pos="0 0 -0.1"/>
<body name="front">{CAPSULE.format("1.5 0 0 0.5 0 0")}
<joint name="along" type="slide" axis="1 0 0"/><joint name="across" type="slide" axis="0 1 0"/>
<joint name="turn" type="hinge" axis="0 0 1"/>
<body name="middle" pos="0.5 0 0">{CAPSULE.format("0 0 0 -1 0 0")}
<joint name="first" type="hinge" axis="0 0 1" range="-100 100" limited="true"/>
<body name="rear" pos="-1 0 0">{CAPSULE.format("0 0 0 -1 0 0")}
<joint name="second" type="hinge" axis="0 0 1" range="-100 100" limited="true"/></body></body></body></worldbody>
<actuator><motor joint="first" ctrlrange="-1 1" gear="150"/><motor joint="second" ctrlrange="-1 1" gear="150"/>
</actuator></mujoco>"""


@pytest.mark.filterwarnings("ignore:.*without effect")
def test_a_swimmer_opens_and_has_mujocos_mass_matrix(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "swimmer.xml"
    path.write_text(SWIMMER)
    robot = load(path)
    assert robot.links == 3 and robot.link_length == pytest.approx(1.0) and robot.joint_armature == 0.1
    assert robot.joint_upper == pytest.approx(np.radians(100.0)) and robot.radius == 0.1
    model = mujoco.MjModel.from_xml_path(str(path))
    model.dof_armature[:3] = 0.0  # of the base, a thousandth of the robot: omitted
    data, theirs = mujoco.MjData(model), np.zeros((5, 5))
    data.qpos[3:] = 0.3, -0.5
    mujoco.mj_forward(model, data)
    for column, unit in enumerate(np.eye(5)):
        mujoco.mj_mulM(model, data, theirs[column], unit)
    engine, state = find_engine(robot, FreeSpace())(robot, FreeSpace(), 1e-3), np.zeros(10)
    state[3:5] = 0.3, -0.5
    ours = mass_matrix(engine.model, planar_work(3), state)
    np.testing.assert_allclose(np.linalg.inv(ours)[3:, 3:], np.linalg.inv(theirs)[3:, 3:], rtol=1e-9)


@pytest.mark.filterwarnings("ignore:.*without effect")
def test_a_swimmer_is_moved_by_its_own_motors(tmp_path, monkeypatch):
    """It follows its gait, with torques that the drive of 1 N m that it once was given could not have."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "swimmer.xml").write_text(SWIMMER)
    assert load(tmp_path / "swimmer.xml").drive.torque_limit == 150.0
    words = "run slither --robot swimmer.xml --world.medium fluid --duration 2"
    assert main([*words.split(), "--out", "a.zarr"]) == 0
    run = Trajectory.load("a.zarr")
    assert np.ptp(run["joint_position"][run.times > 1.0, 0]) > 0.5
    assert 2.0 < np.abs(run["joint_torque"]).max() <= 150.0 + 1e-9
    assert main([*words.split(), "--robot.drive.torque_limit", "1", "--out", "b.zarr"]) == 0  # a flag wins
    assert np.abs(Trajectory.load("b.zarr")["joint_torque"]).max() <= 1.0 + 1e-9


SECOND = 'name="second" type="hinge" axis="0 0 1"'
FIN = f'<body name="fin" pos="1 0 0">{CAPSULE.format("0 0 0 -1 0 0")}<joint type="hinge" axis="0 0 1"/></body>'
BAD = {
    "a branch": (SWIMMER.replace("</body></body></body>", f"</body></body>{FIN}</body>"), "form a chain"),
    "a hinge that nods": (SWIMMER.replace(SECOND, SECOND.replace("0 0 1", "0 1 0")), "about its normal"),
    "a kink": (SWIMMER.replace('name="rear" pos="-1 0 0"', 'name="rear" pos="-1 0.2 0"'), "off the line"),
    "a slider behind": (SWIMMER.replace(SECOND, 'name="second" type="slide" axis="1 0 0"'), "not a hinge"),
    "a rubbing base": (SWIMMER.replace('name="turn" type', 'name="turn" damping="1" type'), "in its base joints"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_snake_of_the_plane_is_refused_in_one_line(name, tmp_path):
    text, message = BAD[name]
    (tmp_path / "bad.xml").write_text(text)
    with pytest.raises(FileProblem, match=message) as caught:
        load(tmp_path / "bad.xml")
    assert "\n" not in str(caught.value)


ROUND = (0.01, 0.01, 0.01, 0.0, 0.0, 0.0)
RUBBED = BodyTree((
    Body("a", mass=1.0, inertia=ROUND),
    Body("b", "a", (0.1, 0.0, 0.0), mass=1.0, inertia=ROUND, friction=0.2, lower=-1.0, upper=0.5),
))  # fmt: skip


@pytest.mark.parametrize(
    "robot",
    [Natrix(), MovingFrameChain(3, fixed_tail=False), SeaSnake(4), RUBBED, UNEQUAL],
    ids=lambda robot: type(robot).__name__,
)
@pytest.mark.filterwarnings("ignore:.*omitted")
def test_mujoco_and_pinocchio_open_every_export(robot, tmp_path):
    """NATRIX with its body without mass is one of them."""
    import pinocchio

    joints, mass = robot.joints, float(robot.mass if isinstance(robot, PlanarSnake) else robot.tree().mass.sum())
    for suffix in (".xml", ".urdf"):
        model = mujoco.MjModel.from_xml_path(str(write_model(robot, tmp_path / f"robot{suffix}")))
        hinges = np.flatnonzero(model.jnt_type == mujoco.mjtJoint.mjJNT_HINGE)
        assert len(hinges) - (isinstance(robot, PlanarSnake)) == joints
        assert model.body_mass.sum() == pytest.approx(mass, abs=1e-9)
        dry = 0.0 if robot.dry_friction is None else robot.dry_friction
        np.testing.assert_allclose(np.sort(model.dof_frictionloss[-joints:]), np.sort(dry + np.zeros(joints)))
    peer = pinocchio.buildModelFromUrdf(str(tmp_path / "robot.urdf"))
    assert sum(inertia.mass for inertia in peer.inertias) == pytest.approx(mass, abs=1e-9)
    opened = pinocchio.buildModelFromMJCF(str(tmp_path / "robot.xml"))
    assert opened.nv == peer.nv


def test_friction_and_limits_come_back(tmp_path):
    for suffix in (".xml", ".urdf"):
        again = load(write_model(RUBBED, tmp_path / f"robot{suffix}"))
        assert (again.bodies[1].friction, again.bodies[1].lower, again.bodies[1].upper) == (0.2, -1.0, 0.5)


def test_meshes_are_found_by_the_name_of_their_package(tmp_path):
    import struct

    corners = np.array([(0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1)], dtype=np.float32)
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    body = b"".join(struct.pack("<3f", 0, 0, 0) + corners[list(face)].tobytes() + b"\0\0" for face in faces)
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "wedge.stl").write_bytes(b"\0" * 80 + struct.pack("<I", 4) + body)
    write_model(RUBBED, tmp_path / "robot.urdf")
    mesh = '<collision><geometry><mesh filename="package://snake/meshes/{}"/></geometry></collision></link>'
    text = (tmp_path / "robot.urdf").read_text().replace("</link>", mesh.format("wedge.stl"), 2)
    (tmp_path / "found.urdf").write_text(text)
    assert load(tmp_path / "found.urdf").bodies[0].shapes
    (tmp_path / "lost.urdf").write_text(text.replace("wedge", "nothing"))
    with pytest.warns(
        UserWarning, match=r"lost.urdf: solids without their mesh are omitted: nothing.stl \(no such file"
    ):
        plain = load(tmp_path / "lost.urdf")
    whole = load(tmp_path / "found.urdf")
    assert len(plain.bodies[0].shapes) == len(whole.bodies[0].shapes) - 1
    assert plain.tree().mass.sum() == whole.tree().mass.sum()
    (tmp_path / "own.urdf").write_text(
        text.replace("package://snake/meshes/", "").replace(
            "<link", '<mujoco><compiler meshdir="meshes"/></mujoco><link', 1
        )
    )
    assert load(tmp_path / "own.urdf").bodies == whole.bodies
