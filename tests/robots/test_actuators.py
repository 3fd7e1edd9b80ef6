"""Actuators and limits of effort in MJCF and URDF files: the drive gives the torque that MuJoCo's actuators give."""

import warnings
from dataclasses import replace

import mujoco
import numpy as np
import pytest

from serpenoid.cli import main
from serpenoid.control.base import Command
from serpenoid.engines.command_tracking import driven_torques
from serpenoid.robots import PlanarSnake, SeaSnake, load, write_model
from serpenoid.robots.cascade import Cascade
from serpenoid.robots.drives import PD, Prescribed, SeriesElastic

LINK = '<geom type="capsule" size="0.02" fromto="0 0 0 0.2 0 0" density="{}"/>'


def snake(actuators="", first="", name='model="eel"', more=""):
    """MJCF of three links with the hinges one and two."""
    return f"""<mujoco {name}><compiler angle="radian"/><worldbody><body name="a"><freejoint name="base"/>
    <site name="r"/>{LINK.format(800)}<body name="b" pos="0.2 0 0"><joint name="one" axis="0 0 1" range="-2 2" {first}/>
    {LINK.format(900)}<body name="c" pos="0.2 0 0"><joint name="two" axis="0 0 1"/>{LINK.format(700)}<site name="s"/>
    </body></body></body></worldbody>{more}<actuator>{actuators}</actuator></mujoco>"""


@pytest.fixture
def read(tmp_path):
    """Read text as a file's robot, and check its warnings."""

    def robot_of(text, suffix=".xml"):
        path = tmp_path / f"snake{suffix}"
        path.write_text(text)
        with warnings.catch_warnings(record=True) as notes:
            warnings.simplefilter("always")
            robot = load(path)
        return robot, [str(warning.message) for warning in notes]

    return robot_of


SERVOS = {
    "position": '<position joint="one" kp="4" kv="0.3"/><position joint="two" kp="5"/>',
    "a geared one with limits": (
        '<position joint="one" kp="4" kv="0.3" gear="3" forcerange="-1 1"/><position joint="two" kp="9"/>'
    ),
    "damped by ratio": '<position joint="one" kp="4" dampratio="1"/><position joint="two" kp="2" dampratio="0.5"/>',
    "velocity beside": '<position joint="one" kp="4"/><velocity joint="one" kv="0.2"/><velocity joint="two" kv="1"/>',
    "general": (
        '<general joint="one" gainprm="6" biastype="affine" biasprm="0 -6 -0.4" forcerange="-2 2"/>'
        '<general joint="two" gainprm="6" biastype="affine" biasprm="0 -6 0" gear="-1"/>'
    ),
    "limited by the joint": '<position joint="one" kp="40"/><position joint="two" kp="3"/>',
}


@pytest.mark.parametrize("kind", SERVOS)
def test_a_drive_gives_the_torque_of_mujocos_servos(kind, read):
    """In any state, for angles as targets and rates of zero, as far as the limits go."""
    text = snake(SERVOS[kind], 'actuatorfrcrange="-3 3"' if "joint" in kind else "")
    robot, notes = read(text)
    assert not notes and isinstance(robot.drive, PD)
    model = mujoco.MjModel.from_xml_string(text)
    data, rng = mujoco.MjData(model), np.random.default_rng(0)
    for _ in range(20):
        target, angle, rate = rng.normal(size=(3, 2))
        data.qpos[7:], data.qvel[6:] = angle, rate
        servo = (model.actuator_biasprm[:, 1] != 0) * model.actuator_gear[:, 0]
        data.ctrl[:] = servo * target[model.actuator_trnid[:, 0] - 1]
        mujoco.mj_forward(model, data)
        nothing = np.zeros((1, 2))
        command = Command(target[None], nothing, nothing * np.nan, nothing)
        joint, motor = (angle[None], rate[None]), (nothing, nothing)
        ours = driven_torques(robot.drive.record(2), command, joint, motor)[0, 0]
        np.testing.assert_allclose(ours, data.qfrc_actuator[6:], rtol=1e-12, atol=1e-12)


def test_motors_tell_their_greatest_torque(read):
    """The torque is MuJoCo's at the end of the control range; a joint without an actuator has none."""
    text = snake('<motor joint="two" gear="-150" ctrlrange="-0.2 0.2" forcerange="-0.01 0.01"/>')
    robot, notes = read(text)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.ctrl[:] = 5.0
    mujoco.mj_forward(model, data)
    assert not notes
    np.testing.assert_allclose(robot.drive.torque_limit, np.abs(data.qfrc_actuator[6:]))
    assert robot.drive.torque_limit[0] == 0.0 == robot.drive.stiffness[0]
    assert not np.signbit(robot.drive.torque_limit[0])
    assert robot.drive.stiffness[1] == pytest.approx(4.5)  # all of 1.5 N m at a third of a radian


def test_strong_motors_of_light_joints_are_no_stiffer_than_a_step_carries(read):
    robot, _ = read(snake('<motor joint="one" ctrlrange="-9e3 9e3"/><motor joint="two" ctrlrange="-9e3 9e3"/>'))
    model = mujoco.MjModel.from_xml_string(snake())
    np.testing.assert_allclose(np.sqrt(robot.drive.stiffness * model.dof_invweight0[6:]), 250.0)


def test_a_file_without_limits_leaves_joints_prescribed(read):
    for actuators in ("", '<motor joint="one"/><motor joint="two"/>'):
        robot, notes = read(snake(actuators))
        assert robot.drive == Prescribed() and not notes


TENDON = '<tendon><spatial name="t"><site site="s"/><site site="r"/></spatial></tendon>'
ODD = {
    "muscle": ('<muscle name="m" joint="one" lengthrange="0 1"/>', "omitted: m (neither motor nor servo)"),
    "tendon": ('<motor name="m" tendon="t"/>', "omitted: m (by a tendon, not by a joint)"),
    "base": ('<motor name="m" joint="base"/>', "omitted: m (on the base)"),
    "spring": ('<general name="m" joint="one" gainprm="1" biastype="affine" biasprm="0 -5 0"/>', "neither motor nor"),
    "one-sided": ('<motor joint="one" ctrlrange="0 2"/>', "one pushes by 0 to 2 N m: the larger is taken both ways"),
    "lag": ('<general name="m" joint="one" dyntype="filter" dynprm="0.1"/>', "m acts at once"),
    "bias": ('<general name="m" joint="one" biastype="affine" biasprm="2 0 0"/>', "no force at rest (bias 2"),
    "narrow": (
        '<position name="m" joint="one" kp="2" ctrlrange="-1 1"/>',
        "m are not kept within -1 to 1 rad",
    ),
    "rates": ('<velocity name="m" joint="one" kv="2" ctrlrange="-1 1"/>', "within -1 to 1 rad/s"),
}


@pytest.mark.parametrize("kind", ODD)
def test_what_cannot_be_used_is_said_in_one_line(kind, read):
    actuators, expected = ODD[kind]
    _, notes = read(snake(actuators, more=TENDON))
    assert len(notes) == 1 and expected in notes[0] and "\n" not in notes[0]


def test_the_command_line_says_it_in_one_line(tmp_path, capsys):
    (tmp_path / "snake.xml").write_text(snake('<motor name="m" joint="one" ctrlrange="0 2"/>'))
    words = f"run undulate --robot {tmp_path / 'snake.xml'} --duration 0.1 --out {tmp_path / 'a.zarr'}"
    assert main(words.split()) == 0
    printed = capsys.readouterr().err.strip().splitlines()
    assert len(printed) == 1 and printed[0].startswith("serpenoid: warning: ") and "both ways" in printed[0]
    assert main(["show", str(tmp_path / "a.zarr")]) == 0
    assert "robot: eel" in capsys.readouterr().out


URDF_LINK = (
    '<link name="{}"><inertial><origin xyz="0.1 0 0"/><mass value="1"/>'
    '<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>'
)


def urdf(*limits):
    """URDF of a chain of hinges with these limits."""
    links = "".join(URDF_LINK.format(i) for i in range(len(limits) + 1))
    joints = "".join(
        f'<joint name="j{i}" type="continuous"><parent link="{i}"/><child link="{i + 1}"/><axis xyz="0 0 1"/>'
        f'<origin xyz="0.2 0 0"/>{limit}</joint>'
        for i, limit in enumerate(limits)
    )
    return f'<robot name="worm">{links}{joints}</robot>'


def test_urdf_tells_effort_and_speed(read):
    """Zero and nothing mean no limit."""
    limits = ('<limit effort="7" velocity="2"/>', '<limit effort="0" velocity="0"/>', "")
    robot, notes = read(urdf(*limits), ".urdf")
    assert not notes and robot.name == "worm"
    assert robot.drive.torque_limit == (7.0, 1e6, 1e6)
    np.testing.assert_array_equal(robot.speed_limit, (2.0, np.inf, np.inf))


@pytest.mark.parametrize("ending", [".urdf", ".xml"])
def test_a_speed_that_cannot_be_read_is_told_and_the_others_are_kept(ending, read):
    limits = [f'<limit effort="7" velocity="{word}"/>' for word in ("3", "1_0", "2", "nan")]
    robot, notes = read(urdf(*limits), ending)
    np.testing.assert_array_equal(robot.speed_limit, (3.0, np.inf, 2.0, np.inf))
    assert len(notes) == 1 and notes[0].endswith("unreadable speed limits: j1 (1_0), j3 (nan)")


def test_a_robot_without_a_name_is_called_by_its_file(read):
    assert read(snake(name=""))[0].called == "snake"


@pytest.mark.parametrize("robot", [PlanarSnake(3), SeaSnake(2)], ids=["planar", "tree"])
@pytest.mark.parametrize(
    "drive",
    [
        PD(),
        PD((2.0, 3.0), 0.1, (0.3, 0.4)),
        SeriesElastic(torque_limit=2.5),
        Cascade(stall_torque=3.5),
        Prescribed(),
    ],
    ids=["pd", "each", "elastic", "cascade", "prescribed"],
)
def test_exports_come_back_with_their_limits(robot, drive, tmp_path):
    robot = replace(robot, drive=drive)
    limits = getattr(drive, "torque_limit", getattr(drive, "stall_torque", None))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # MJCF has no limit of speed
        again = load(write_model(robot, tmp_path / "robot.xml"))
    if isinstance(drive, PD | Prescribed):
        assert again.drive == drive
    else:
        assert again.drive.torque_limit == limits
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a snake of the plane has no limit of speed
        other = load(write_model(robot, tmp_path / "robot.urdf"))
    wanted = np.array(1e6 if limits is None else limits)
    got = 1e6 if isinstance(other.drive, Prescribed) else other.drive.torque_limit
    np.testing.assert_array_equal(np.broadcast_to(got, 2), np.broadcast_to(wanted, 2))
    if isinstance(robot, SeaSnake):
        np.testing.assert_allclose(other.speed_limit, robot.speed_limit)


def test_an_export_that_loses_limits_of_speed_says_so(read, tmp_path):
    robot, _ = read(urdf('<limit effort="7" velocity="3"/>', '<limit effort="7" velocity="2"/>'), ".urdf")
    with pytest.warns(UserWarning) as notes:
        write_model(robot, tmp_path / "a.mjcf")
    (line,) = [str(warning.message) for warning in notes]
    assert "speed limits (from 2 rad/s)" in line and "\n" not in line
    with pytest.warns(UserWarning, match="gains of the drives"):
        again = load(write_model(robot, tmp_path / "a.urdf"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        write_model(PlanarSnake(3), tmp_path / "b.xml")
    np.testing.assert_array_equal(again.speed_limit, (3.0, 2.0))


@pytest.mark.parametrize("ending", [".xml", ".urdf"])
@pytest.mark.parametrize("robot", [PlanarSnake(3), SeaSnake(2)], ids=["planar", "tree"])
@pytest.mark.parametrize("limit", [0.0, (0.0, 1e6), (0.5, 0.0)], ids=str)
def test_a_loose_joint_comes_back_loose(limit, robot, ending, tmp_path):
    """URDF takes an effort of 0 for no limit."""
    drive = PD((2.0, 3.0), 0.1, limit)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about speed
        again = load(write_model(replace(robot, drive=drive), tmp_path / f"robot{ending}"))
    np.testing.assert_array_equal(again.drive.record(2).limit, drive.record(2).limit)
    assert ending == ".urdf" or again.drive == drive


@pytest.mark.filterwarnings("ignore:.*omitted")
def test_a_joint_that_a_file_leaves_loose_stays_so(read, tmp_path):
    robot, _ = read(snake('<motor joint="two"/>'))
    assert robot.drive.torque_limit == (0.0, 1e6)
    for ending in (".xml", ".urdf"):
        assert load(write_model(robot, tmp_path / f"again{ending}")).drive.torque_limit == (0.0, 1e6)


def test_gains_must_be_one_or_one_for_each_joint(tmp_path, capsys):
    words = f"run slither --robot.drive.torque_limit 1,2 --duration 0.1 --out {tmp_path / 'a.zarr'}"
    assert main(words.split()) == 2
    assert "robot.drive.torque_limit = (1.0, 2.0): must be one number or 4, one for each" in capsys.readouterr().err
