"""Foreign bags, written by rosbags: their contents, and a one-line error for each defect."""

from __future__ import annotations

import sqlite3
import struct
import zlib
from io import BytesIO

import numpy as np
import pytest
from foreign_bags import START, joint_state, moving, write_bag
from mcap.writer import CompressionType, Writer
from refusals import refused
from zstandard import ZstdCompressor

import serpenoid as sp
from serpenoid import Trajectory
from serpenoid.cli import main
from serpenoid.errors import FileProblem, SerpenoidError
from serpenoid.hardware.dry_run import law_of
from serpenoid.hardware.fit import fit
from serpenoid.hardware.module_logs import read_log
from serpenoid.interchange import export_run, import_run
from serpenoid.interchange.joint_states import Cursor
from serpenoid.interchange.joint_states import joint_state as decoded
from serpenoid.scenarios.slither import Slither
from serpenoid.simulation import world_for


@pytest.mark.parametrize("plugin", ["mcap", "sqlite"])
def test_joint_states_of_a_bag_become_a_run(plugin, tmp_path):
    messages = moving(("b", "a", "gripper"))
    bag = write_bag(tmp_path / "bag", plugin, {"/joint_states": messages})
    run = import_run(bag)
    assert run.labels["joint"] == ("b", "a", "gripper")
    np.testing.assert_allclose(run.times, 0.01 * np.arange(20), rtol=1e-15)
    np.testing.assert_array_equal(run["joint_position"], [m.position for _, m in messages])
    np.testing.assert_array_equal(run["joint_torque"], [m.effort for _, m in messages])
    assert run.attributes["imported"]["start_ns"] == str(START)
    chosen = import_run(next(bag.glob("bag*")), joints={"a": "joint_0", "b": "b"})
    assert chosen.labels["joint"] == ("joint_0", "b")
    np.testing.assert_array_equal(chosen["joint_position"], run["joint_position"][:, [1, 0]])


def test_a_bag_of_several_files_is_read_in_their_order(tmp_path):
    messages = moving(count=24)
    for i in range(12):  # NAME_10 comes after NAME_2
        part = write_bag(tmp_path / f"part{i}", "sqlite", {"/joint_states": messages[2 * i : 2 * i + 2]})
        (tmp_path / "bag").mkdir(exist_ok=True)
        next(part.glob("*.db3")).rename(tmp_path / "bag" / f"bag_{i}.db3")
    np.testing.assert_array_equal(import_run(tmp_path / "bag")["joint_position"], [m.position for _, m in messages])


def test_messages_in_the_other_byte_order_and_without_stamps_are_read(tmp_path):
    data = struct.pack(">BBHiI", 0, 0, 0, 3, 5) + struct.pack(">I", 1) + b"\0\0\0\0" + struct.pack(">II", 1, 2) + b"a\0"
    data += b"\0\0" + struct.pack(">Id", 1, 0.25) + struct.pack(">II", 0, 0)
    found = decoded(data)
    assert (found.stamp, found.names, found.values[0].tolist()) == (3_000_000_005, ("a",), [0.25])
    assert Cursor(b"\0\0\0\0" + struct.pack(">I", 7)).number("I") == 7
    bag = write_bag(tmp_path / "bag", "mcap", {"/joint_states": moving(stamped=False)})
    np.testing.assert_allclose(import_run(bag).times, 0.01 * np.arange(20), rtol=1e-15)  # the times of the log


def test_missing_effort_is_reported_and_full_of_nan_is_missing(tmp_path, capsys):
    bag = write_bag(tmp_path / "bag", "mcap", {"/joint_states": moving(effort=False)})
    assert main(["import", str(bag), str(tmp_path / "a.zarr")]) == 0
    assert "not in the file: joint torque" in capsys.readouterr().out
    blank = [(t, joint_state(t, m.name, m.position, m.velocity, np.full(2, np.nan))) for t, m in moving()]
    run = import_run(write_bag(tmp_path / "nan", "mcap", {"/joint_states": blank}))
    assert "joint_torque" not in run and "joint_velocity" in run


def replaced(i, **fields):
    """Messages of which one differs."""
    messages = moving()
    time, m = messages[i]
    values = {"names": m.name, "position": m.position, "velocity": m.velocity, "effort": m.effort} | fields
    messages[i] = (time, joint_state(values.pop("stamp", time), **values))
    return messages


BAD = {
    "two robots": ({"/a/joint_states": moving(), "/b/joint_states": moving()}, "/a/joint_states, /b/joint_states"),
    "no messages": ({"/joint_states": []}, "no messages on /joint_states"),
    "one message": ({"/joint_states": moving(count=1)}, "fewer than two messages"),
    "no names": ({"/joint_states": replaced(3, names=[])}, "message 4 of /joint_states names no joints"),
    "few numbers": ({"/joint_states": replaced(3, position=[0.1])}, "1 of position for 2 joints"),
    "nan": ({"/joint_states": replaced(3, position=[0.1, np.nan])}, "a position of b that is not finite"),
    "inf": ({"/joint_states": replaced(3, velocity=[np.inf, 0.0])}, "a velocity beyond"),
    "some nan effort": ({"/joint_states": replaced(3, effort=[np.nan, 0.0])}, "an? effort of a that is not finite"),
    "effort ends": ({"/joint_states": replaced(3, effort=[])}, "the first one position, velocity, effort"),
    "repeated": ({"/joint_states": replaced(3, stamp=START + 20_000_000)}, "message 4 .* does not increase in time"),
    "backwards": ({"/joint_states": replaced(3, stamp=START)}, "does not increase in time"),
    "other names": ({"/joint_states": replaced(3, names=["c", "d"])}, "choose by --joints"),
    "twice": ({"/joint_states": replaced(3, names=["a", "a"])}, "names a joint twice"),
    "long name": ({"/joint_states": replaced(3, names=["a" * 5000, "b"])}, "a string of 5001 bytes"),
    "control": ({"/joint_states": replaced(3, names=["a\n", "b"])}, "not printable"),
}


@pytest.mark.parametrize("plugin", ["mcap", "sqlite"])
@pytest.mark.parametrize("name", BAD)
def test_a_bag_that_is_wrong_ends_in_one_line(name, plugin, tmp_path):
    topics, words = BAD[name]
    bag = write_bag(tmp_path / "bag", plugin, topics)
    with pytest.raises(FileProblem, match=words) as caught:
        import_run(bag)
    assert "\n" not in str(caught.value)


def test_the_command_writes_nothing_for_a_wrong_bag(tmp_path, capsys):
    bag = str(write_bag(tmp_path / "bag", "mcap", BAD["two robots"][0]))
    out = tmp_path / "out"
    out.mkdir()
    for more in ([], ["--topic", "/c"], ["--topic", "/a/joint_states", "--joints", "x"], ["--joints", "a,a"]):
        assert main(["import", bag, str(out / "run.zarr"), *more]) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1
    assert list(out.iterdir()) == []
    assert main(["import", bag, str(out / "run.zarr"), "--topic", "/a/joint_states"]) == 0
    assert main(["import", bag, str(out / "run.zarr"), "--topic", "/a/joint_states"]) == 2
    assert "--overwrite true" in capsys.readouterr().err


def chunk(data, compression="", size=None, crc=None):
    """A file with one chunk that may lie about its contents."""
    body = struct.pack("<QQQI", 0, 1, len(data) if size is None else size, zlib.crc32(data) if crc is None else crc)
    packed = data if not compression else ZstdCompressor(level=9).compress(data)
    body += struct.pack("<I", len(compression)) + compression.encode() + struct.pack("<Q", len(packed)) + packed
    magic = b"\x89MCAP0\r\n"
    header = b"\x01" + struct.pack("<Q", 8) + bytes(8)
    footer = b"\x02" + struct.pack("<Q", 20) + bytes(20)
    return magic + header + b"\x06" + struct.pack("<Q", len(body)) + body + footer + magic


def channel_file(kind="sensor_msgs/msg/JointState", encoding="cdr"):
    """An MCAP file with one channel and one message that is not a joint state."""
    buffer = BytesIO()
    writer = Writer(buffer, compression=CompressionType.NONE)
    writer.start()
    number = writer.register_channel("/x", encoding, writer.register_schema(kind, "ros2msg", b"")) if kind else 0
    if kind:
        writer.add_message(number, 1, b"\0\1\0\0" + b"\xff" * 40, 1)
    writer.finish()
    return buffer.getvalue()


ZEROS = bytes(1 << 20)
LYING = {
    "size too small": (chunk(ZEROS, "zstd", size=10), "does not have the 10 bytes"),
    "size too large": (chunk(ZEROS, "zstd", size=2 << 20), "does not have the"),
    "size huge": (chunk(ZEROS, "zstd", size=1 << 60), "must be at most"),
    "checksum": (chunk(bytes(100), crc=5), "checksum of a chunk is wrong"),
    "compression": (chunk(b"", "zip"), "must be zstd, lz4 or none"),
    "record beyond its chunk": (chunk(b"\x05" + struct.pack("<Q", 1 << 40)), "cut off or damaged"),
    "record beyond the file": (chunk(b"")[:17] + b"\x0c" + struct.pack("<Q", 1 << 26), "longer than the rest"),
    "record beyond all": (chunk(b"")[:8] + b"\x0c" + struct.pack("<Q", 1 << 60), "exceeds limit"),
    "no magic": (b"not a bag", "cut off or damaged"),
    "empty": (b"", "cut off or damaged"),
    "nothing": (channel_file(""), "no topic of type sensor_msgs/JointState; its topics: none"),
    "different kind": (channel_file("std_msgs/msg/String"), r"its topics: /x \(std_msgs/String\)"),
    "another encoding": (channel_file(encoding="json"), "as json"),
    "endless string": (channel_file(), "a string of 4294967295 bytes"),
}


@pytest.mark.parametrize("name", LYING)
def test_a_file_that_lies_ends_in_one_line(name, tmp_path):
    data, words = LYING[name]
    path = tmp_path / "run.mcap"
    path.write_bytes(data)
    with pytest.raises(FileProblem, match=words) as caught:
        import_run(path)
    assert "\n" not in str(caught.value)


def test_a_file_is_refused_wherever_it_is_cut(tmp_path):
    bag = write_bag(tmp_path / "bag", "mcap", {"/joint_states": moving()})
    whole = next(bag.glob("*.mcap")).read_bytes()
    for size in range(0, len(whole), max(1, len(whole) // 40)):
        (tmp_path / "cut.mcap").write_bytes(whole[:size])
        with pytest.raises(FileProblem):
            import_run(tmp_path / "cut.mcap")


SQL = {
    "view": "CREATE VIEW messages AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c",
    "generated": "CREATE TABLE messages(id, topic_id, timestamp, data AS (zeroblob(1000000000)))",
    "no table": "CREATE TABLE other(id)",
    "text": "CREATE TABLE messages AS SELECT 1 id, 1 topic_id, 'x' timestamp, 'y' data",
}


@pytest.mark.parametrize("name", SQL)
def test_a_database_with_traps_ends_in_one_line(name, tmp_path):
    path = tmp_path / "bag.db3"
    with sqlite3.connect(path) as bag:
        bag.execute(
            "CREATE TABLE topics AS SELECT 1 id, '/a' name, 'sensor_msgs/JointState' type, 'cdr' serialization_format"
        )
        bag.execute(SQL[name])
        if name == "generated":
            bag.execute("INSERT INTO messages(id, topic_id, timestamp) VALUES (1, 1, 1)")
    with pytest.raises(FileProblem, match="ROS 2 bag|is damaged"):
        import_run(path)


def test_other_files_are_refused(tmp_path):
    (tmp_path / "a.txt").write_text("")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "x.db3.zstd").write_text("")
    for name, words in (("a.txt", "must end in"), ("folder", "unpack"), ("none.mcap", "no such")):
        with pytest.raises(FileProblem, match=words):
            import_run(tmp_path / name)
    with refused("topic"):
        (tmp_path / "a.csv").write_text("time_s,a_rad\n0,1\n1,2\n")
        import_run(tmp_path / "a.csv", topic="/x")


GAIT = sp.gaits.Serpenoid(amplitude=0.5, frequency=0.5, spatial_frequency=-5.6)
REAL = Slither(robot=sp.robots.PlanarSnake(joint_damping=0.02), gait=GAIT, duration=0.5, settle=0.2)


def test_a_run_that_went_through_mcap_compares_without_error(tmp_path, capsys):
    run = REAL.run()
    run.save(tmp_path / "run.zarr")
    for words in (["export", "run.zarr", "run.mcap"], ["import", "run.mcap", "back.zarr"]):
        assert main([words[0], *(str(tmp_path / word) for word in words[1:])]) == 0
    foreign = ["import", "run.mcap", "foreign.zarr", "--topic", "/joint_states"]
    assert main([foreign[0], *(str(tmp_path / word) for word in foreign[1:3]), *foreign[3:]]) == 0
    from serpenoid.hardware import compare_log

    for name in ("back", "foreign"):
        found = compare_log(tmp_path / f"{name}.zarr", REAL)
        assert max(joint.greatest for joint in found.joints) < 1e-12 and len(found.joints) == REAL.robot.joints


def test_a_run_of_the_emulator_that_went_through_mcap_fits_the_same_parameters(tmp_path):
    with sp.hardware.twin(REAL.robot, world_for(*REAL.parts())) as plant:
        run = sp.run_loop(plant, law_of(REAL), REAL.duration)
    run.save(tmp_path / "run.zarr")
    export_run(run, tmp_path / "run.mcap")
    import_run(tmp_path / "run.mcap").save(tmp_path / "back.zarr")
    names = REAL.robot.joint_names
    first, second = (
        fit(read_log(tmp_path / f"{name}.zarr", names), REAL, ["robot.joint_damping"]) for name in ("run", "back")
    )
    assert first.estimates == second.estimates and first.noise == second.noise


def test_joints_are_found_by_name_and_others_are_refused_with_what_to_type(tmp_path):
    names = REAL.robot.joint_names
    messages = moving(names[::-1])
    bag = write_bag(tmp_path / "bag", "mcap", {"/joint_states": messages})
    import_run(bag).save(tmp_path / "turned.zarr")
    log = read_log(tmp_path / "turned.zarr", names)
    np.testing.assert_array_equal(log.values["joint_position"], np.array([m.position for _, m in messages])[:, ::-1])
    assert log.sensed and not log.missing
    with pytest.raises(FileProblem, match="--joints THEIRS=OURS"):
        read_log(tmp_path / "turned.zarr", ("a", "b", "c", "d"))
    with pytest.raises(FileProblem, match="serpenoid import"):
        read_log(next(bag.glob("*.mcap")), names)


def test_a_damaged_export_is_refused_or_unchanged(tmp_path):
    """Bits are flipped all over an export of ours: it is refused, or no number has changed."""
    run = REAL.run()
    export_run(run, tmp_path / "run.mcap")
    whole = (tmp_path / "run.mcap").read_bytes()
    chance, refused = np.random.default_rng(1), 0
    for at in chance.integers(0, len(whole), 10).tolist():
        spoilt = bytearray(whole)
        spoilt[at] ^= 1 << int(chance.integers(8))
        (tmp_path / "spoilt.mcap").write_bytes(bytes(spoilt))
        try:
            back = import_run(tmp_path / "spoilt.mcap")
        except SerpenoidError:
            refused += 1
            continue
        assert isinstance(back, Trajectory)
        np.testing.assert_array_equal(back["joint_position"], run["joint_position"])
    assert refused > 2
