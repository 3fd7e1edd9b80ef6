"""Exports as MCAP, read by rosbags: every number, frame and marker, and back without loss."""

from __future__ import annotations

import signal
import subprocess
import sys

import mujoco
import numpy as np
import pytest
from rosbags.highlevel import AnyReader
from rosbags.interfaces import QosDurability
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from runs import made_run
from scipy.spatial.transform import Rotation

import serpenoid as sp
from serpenoid import Trajectory
from serpenoid.errors import FileProblem, InvalidValue
from serpenoid.interchange import export_run, import_run, mcap_file
from serpenoid.interchange.messages import MESSAGES, full_name, schema_text
from serpenoid.robots import PlanarSnake, SeaSnake, write_model
from serpenoid.scenarios.slither import Slither
from serpenoid.studio.scene import quick_scene
from serpenoid.worlds import Plane
from serpenoid.worlds.peg_board import PegBoard


def read(path):
    """Topic -> (times [ns], messages) as rosbags decodes them, with the definitions in the file."""
    found = {}
    with AnyReader([path]) as reader:
        for connection, time, raw in reader.messages():
            times, messages = found.setdefault(connection.topic, ([], []))
            times.append(time)
            messages.append(reader.deserialize(raw, connection.msgtype))
    return found


def assert_same(run, other):
    """Assert that two runs have the same numbers to the last bit, the same units and the same labels."""
    np.testing.assert_array_equal(run.times, other.times)
    np.testing.assert_array_equal(run.ticks, other.ticks)
    assert set(run.variables) == set(other.variables)
    for name, (dims, values, unit, meaning) in run.variables.items():
        theirs = other.variables[name]
        assert (tuple(dims), values.dtype, unit, meaning) == (tuple(theirs[0]), theirs[1].dtype, *theirs[2:]), name
        np.testing.assert_array_equal(values, theirs[1], err_msg=name)
    assert run.used_labels() == other.used_labels()


@pytest.fixture(scope="module")
def slither():
    return Slither(robot=PlanarSnake(links=4), duration=0.3, settle=0.1).run()


@pytest.fixture(scope="module")
def slither_file(slither, tmp_path_factory):
    path = tmp_path_factory.mktemp("mcap") / "run.mcap"
    assert export_run(slither, path) == []
    return path


@pytest.mark.parametrize("store", [Stores.ROS2_HUMBLE, Stores.ROS2_JAZZY])
def test_the_definitions_are_those_of_ros(store):
    theirs = get_typestore(store)
    ours = get_typestore(Stores.EMPTY)
    for kind in MESSAGES:
        name = full_name(kind)
        ours.register(get_types_from_msg(schema_text(kind), name))
        assert ours.hash_rihs01(name) == theirs.hash_rihs01(name), name


def test_another_reader_finds_the_numbers_to_the_last_bit(slither, slither_file):
    times, messages = read(slither_file)["/joint_states"]
    np.testing.assert_array_equal(times, np.round(slither.times * 1e9))
    assert [10**9 * m.header.stamp.sec + m.header.stamp.nanosec for m in messages] == times
    assert all(tuple(m.name) == slither.labels["joint"] for m in messages)
    for field, name in (("position", "joint_position"), ("velocity", "joint_velocity"), ("effort", "joint_torque")):
        np.testing.assert_array_equal([getattr(m, field) for m in messages], slither[name])
    spin = [m.angular_velocity for m in read(slither_file)["/imu/link_2"][1]]
    np.testing.assert_array_equal([(w.x, w.y, w.z) for w in spin], slither["gyroscope"][:, 2])
    plain = read(slither_file)["/serpenoid/center_of_mass"][1]
    np.testing.assert_array_equal([m.data for m in plain], slither["center_of_mass"])
    assert [(d.label, d.size, d.stride) for d in plain[0].layout.dim] == [("axis", 3, 3)]


def test_messages_are_in_the_order_of_time_and_in_blocks(slither, tmp_path, monkeypatch):
    monkeypatch.setattr(mcap_file, "BLOCK", 7)
    export_run(slither, tmp_path / "run.mcap")
    with AnyReader([tmp_path / "run.mcap"]) as reader:
        count = len(reader.connections)
        stored = [time for _, time, _ in mcap_file.McapFile(tmp_path / "run.mcap").messages(set(reader.topics))]
    assert stored == sorted(stored) and count == len(set(read(tmp_path / "run.mcap")))
    assert_same(slither, import_run(tmp_path / "run.mcap"))


def test_frames_are_the_poses_of_links_and_the_forward_kinematics_of_mujoco(tmp_path):
    """Transforms as rosbags reads them, against MuJoCo's kinematics of the exported robot at the exported angles."""
    robot = SeaSnake()
    run = sp.simulate(robot, sp.worlds.FreeSpace(), sp.gaits.Serpenoid(amplitude=0.4), 0.1)
    export_run(run, tmp_path / "run.mcap")
    write_model(robot, tmp_path / "robot.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "robot.xml"))
    data = mujoco.MjData(model)
    found = read(tmp_path / "run.mcap")
    for i in (0, 4, len(run.times) - 1):
        frames = {t.child_frame_id: t.transform for t in found["/tf"][1][i].transforms}
        assert tuple(frames) == run.labels["link"]
        assert all(t.header.frame_id == "world" for t in found["/tf"][1][i].transforms)
        message = found["/joint_states"][1][i]
        head = frames[run.labels["link"][0]]
        if model.nq > robot.joints:
            data.qpos[:7] = [*vars(head.translation).values()][:3] + [getattr(head.rotation, a) for a in "wxyz"]
        for name, angle in zip(message.name, message.position):
            data.qpos[model.joint(name).qposadr[0]] = angle
        mujoco.mj_kinematics(model, data)
        base = model.body(run.labels["link"][0]).id
        to_world = pose_of(head) @ np.linalg.inv(body_pose(data, base))
        for k, (link, told) in enumerate(frames.items()):
            np.testing.assert_array_equal(
                [*(getattr(told.translation, a) for a in "xyz"), *(getattr(told.rotation, a) for a in "wxyz")],
                run["link_pose"][i, k],
            )
            theirs = to_world @ body_pose(data, model.body(link).id)
            np.testing.assert_allclose(pose_of(told), theirs, atol=1e-9)


def pose_of(transform):
    """Return the matrix (4, 4) of a transform."""
    found = np.eye(4)
    found[:3, :3] = Rotation.from_quat([getattr(transform.rotation, axis) for axis in "xyzw"]).as_matrix()
    found[:3, 3] = [getattr(transform.translation, axis) for axis in "xyz"]
    return found


def body_pose(data, body):
    """Return the matrix (4, 4) of a body of MuJoCo."""
    found = np.eye(4)
    found[:3, :3], found[:3, 3] = data.xmat[body].reshape(3, 3), data.xpos[body]
    return found


def test_contact_forces_are_those_of_the_world_turned_into_link_axes(tmp_path):
    run = made_run(PlanarSnake(links=3), Plane(), duration=0.1)
    force = np.random.default_rng(0).normal(size=(run.times.size, 3, 3))
    run.variables["contact_force"] = (("time", "link", "axis"), force, "N", "force")
    export_run(run, tmp_path / "run.mcap")
    found = read(tmp_path / "run.mcap")
    for i, link in enumerate(run.labels["link"]):
        messages = found[f"/contact/{link}"][1]
        told = [(m.wrench.force.x, m.wrench.force.y, m.wrench.force.z) for m in messages]
        turn = Rotation.from_quat(run["link_pose"][:, i, 3:], scalar_first=True)
        np.testing.assert_allclose(turn.apply(told), force[:, i], atol=1e-12)
        assert {m.header.frame_id for m in messages} == {link}
    np.testing.assert_array_equal(import_run(tmp_path / "run.mcap")["contact_force"], force)


def test_markers_have_the_areas_of_the_scene_and_reach_viewers_that_open_later(tmp_path):
    run = made_run(PlanarSnake(links=3), PegBoard(layout="list", places=((0.3, 0.2), (0.5, -0.2))), duration=0.1)
    export_run(run, tmp_path / "run.mcap")
    scene, found = quick_scene(run), read(tmp_path / "run.mcap")
    bodies = found["/markers/robot"][1][0].markers
    assert [m.header.frame_id for m in bodies] == [run.labels["link"][solid.body] for solid in scene.solids]
    for m, solid in zip(bodies, scene.solids):
        points = np.array([(p.x, p.y, p.z) for p in m.points]).reshape(-1, 3, 3)
        np.testing.assert_array_equal(points, solid.vertices[np.asarray(solid.faces)])
        assert m.type == 11 and m.frame_locked and m.color.a == 1.0 and m.pose.orientation.w == 1.0
    around = found["/markers/world"][1][0].markers
    assert sum(m.ns.startswith("peg") for m in around) == sum(t.name.startswith("peg") for t in scene.things) > 0
    assert len({(m.ns, m.id) for m in around}) == len(around)
    with AnyReader([tmp_path / "run.mcap"]) as reader:
        offered = {c.topic: c.ext.offered_qos_profiles for c in reader.connections}
    assert offered["/markers/robot"][0].durability == QosDurability.TRANSIENT_LOCAL and not offered["/tf"]


def test_a_moving_object_has_its_own_frame(tmp_path):
    run = sp.scenarios.find_scenario("push")(duration=0.2).run()
    export_run(run, tmp_path / "run.mcap")
    found = read(tmp_path / "run.mcap")
    markers = [m for m in found["/markers/world"][1][0].markers if m.header.frame_id != "world"]
    assert len(markers) == 1
    frame = markers[0].header.frame_id
    told = [t.transform.translation for m in found["/tf"][1] for t in m.transforms if t.child_frame_id == frame]
    np.testing.assert_array_equal([(p.x, p.y, p.z) for p in told], run["object_position"])
    assert_same(run, import_run(tmp_path / "run.mcap"))


def test_a_run_comes_back_whole(slither, slither_file):
    back = import_run(slither_file)
    assert_same(slither, back)
    assert back.attributes == slither.attributes
    again = sp.repeat(back)
    np.testing.assert_array_equal(again["joint_position"], slither["joint_position"])


def test_what_a_stamp_cannot_hold_is_refused(slither, tmp_path):
    late = Trajectory(slither.times + 2.0**31, slither.variables, slither.labels, slither.attributes)
    close = Trajectory(slither.times * 1e-8, slither.variables, slither.labels, slither.attributes)
    for run, words in ((late, "from 0 to"), (close, "1 ns")):
        with pytest.raises(InvalidValue, match=words):
            export_run(run, tmp_path / "run.mcap")
    assert list(tmp_path.iterdir()) == []


def test_an_existing_file_is_kept_and_a_run_without_a_robot_has_no_bodies(slither, tmp_path):
    path = tmp_path / "run.mcap"
    path.write_text("mine")
    with pytest.raises(FileProblem, match="exists"):
        export_run(slither, path)
    assert path.read_text() == "mine"
    bare = Trajectory(slither.times, slither.variables, slither.labels, {"complete": True})
    assert "no bodies" in export_run(bare, path, replace=True)[0]
    assert_same(bare, import_run(path))


SLOW = """
import sys, time
from serpenoid import Trajectory
from serpenoid.interchange import export_run, mcap_file
mcap_file.BLOCK = 2
def wait(share):
    print("block", flush=True)
    time.sleep(0.2)
export_run(Trajectory.load(sys.argv[1]), sys.argv[2], progress=wait)
"""


def test_an_interrupted_export_leaves_nothing(slither, tmp_path):
    slither.save(tmp_path / "run.zarr")
    out = tmp_path / "out"
    out.mkdir()
    words = [sys.executable, "-c", SLOW, str(tmp_path / "run.zarr"), str(out / "run.mcap")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None and process.stdout.readline() == b"block\n"
        process.send_signal(signal.SIGINT)
    assert process.returncode != 0 and list(out.iterdir()) == []
