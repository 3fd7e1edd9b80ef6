"""Emulator of HEBI modules, call by call, beside hebi-py's own imitation group."""

from __future__ import annotations

import re
from dataclasses import replace
from inspect import signature
from pathlib import Path
from time import monotonic, sleep

import numpy as np
import pytest

import hebi_twin as twin
from hebi_twin import wire
from hebi_twin.network import SNAKE_NAMES, clear_all_groups
from hebi_twin.udp import UdpServer
from motor_bench.server_process import ServerProcess
from serpenoid.errors import FileProblem, InvalidValue, Unsupported
from serpenoid.hardware import hebi_fields as fields
from serpenoid.hardware import hebi_gains as gains
from serpenoid.hardware.hebi_settings import drive_with, settings_of
from serpenoid.robots import PlanarSnake, SeaSnake
from serpenoid.robots.cascade import Cascade
from serpenoid.worlds import Plane
from serpenoid_papers.sea_snake import modules

theirs = pytest.importorskip("hebi")
SIZE = 4


@pytest.fixture
def lookup() -> twin.Lookup:
    """A lookup on a fresh bench of four modules and the five beside it, as fast as it goes."""
    link = twin.link_of(twin.bench_of(PlanarSnake(links=SIZE + 1), Plane()), realtime=False)
    twin.use(link)
    return twin.Lookup()


@pytest.fixture
def group(lookup: twin.Lookup) -> twin.Group:
    found = lookup.get_group_from_family("SEA Snake")
    assert found is not None
    return found


@pytest.fixture(scope="module")
def imitation() -> object:
    return theirs.util.create_imitation_group(SIZE)


def test_calls_rates_and_groups_of_the_thesis() -> None:
    """Pages 13 to 15 (S5), 22 calls, each with its effect; 16 of 21 modules, the whole chain from each of them."""
    lookup = twin.Lookup(link=twin.link_of(twin.bench_of(PlanarSnake(links=17), Plane()), realtime=False))
    found = modules.rates(lookup, 4.0)
    assert found == pytest.approx({"lookup": 1.0, "feedback": 1.0}, rel=0.01)
    assert lookup.get_group_from_family("SEA Snake").size == 16 and len(lookup.entrylist) == 21
    for name in SNAKE_NAMES:
        assert lookup.get_connected_group_from_name("SEA Snake", name).size == 16
    called = dict(modules.calls(lookup))
    assert len(called) == 22 and all(called.values()), called


def test_rates_that_no_step_fits_are_kept(lookup: twin.Lookup) -> None:
    heard: list[float] = []
    group = lookup.get_group_from_family("SEA Snake")
    group.add_feedback_handler(lambda feedback: heard.append(float(feedback.receive_time[0])))
    for frequency in (30.0, 333.0):
        group.feedback_frequency = frequency
        heard.clear()
        lookup.link.sleep(2.0)
        assert len(heard) / 2.0 == pytest.approx(frequency, rel=0.01)


def test_types_are_those_of_hebi(group: twin.Group, imitation: object) -> None:
    """Every column of feedback, command and information has hebi-py's type and shape, also of one module."""
    pairs = [
        (group.get_next_feedback(), imitation.get_next_feedback(), {**fields.TOLD, **fields.UNKNOWN}),
        (twin.GroupCommand(SIZE), theirs.GroupCommand(SIZE), {**fields.TARGETS, **fields.SETTINGS}),
        (twin.GroupInfo(SIZE), theirs.GroupInfo(SIZE), {**fields.SETTINGS, **fields.RECORDS}),
    ]
    for ours, other, names in pairs:
        for name in names.keys() - {"led"}:
            mine, peer = getattr(ours, name), getattr(other, name)
            assert (mine.dtype, mine.shape) == (peer.dtype, peer.shape), name
            if hasattr(other[0], name) and mine.ndim == 1 and "time" not in name:  # a time that is not known is an int
                assert type(getattr(ours[1], name)) is type(getattr(other[1], name)), name
    for name in (*fields.WORDS, *fields.ADDRESSES, "led"):
        if name != "mac_address":
            assert type(getattr(pairs[2][0], name)).__name__ in ("Led", type(getattr(pairs[2][1], name)).__name__), name


# Omissions of the emulator's messages: pins and Mobile IO, what changes modules for good, forces that no module of this
# kind has, and HEBI's files of safety limits.
ABSENT = {
    twin.Lookup: set(), twin.Group: set(),
    twin.GroupFeedback: {"io", "debug", "refs"},
    twin.GroupCommand: {
        "io", "debug", "refs", "name", "family", "append_log", "clear_log", "boot", "stop_boot", "reset", "force",
        "torque",
        "motor_foc_id", "motor_foc_iq", "motor_foc_vd", "motor_foc_vq", "reference_position", "reference_effort",
        "offset_reference_position", "read_safety_params", "write_safety_params",
    },
    twin.GroupInfo: {"io", "refs", "write_safety_params"},
}  # fmt: skip
OWN = {
    twin.Group: {"close"}, twin.Lookup: {"close"}, twin.GroupCommand: {"full", "put", "values"},
    twin.GroupFeedback: {"full", "put", "values"},
    twin.GroupInfo: {"full", "put", "values", "word", "words", "mac_address", "clear"},
}  # fmt: skip


@pytest.mark.parametrize("ours", OWN, ids=lambda kind: kind.__name__)
def test_names_are_those_of_hebi(ours: type) -> None:
    """Every public name of hebi-py's class is there, but for those that are named here; and none besides."""
    public, other = ({n for n in dir(kind) if n[0] != "_"} for kind in (ours, getattr(theirs, ours.__name__)))
    assert other - public == ABSENT[ours] and public - other == OWN[ours]
    for name in ABSENT[ours]:
        with pytest.raises(AttributeError):
            setattr(ours(SIZE), name, 1.0)
    for name in public & other:
        takes = [[p.name for p in signature(getattr(kind, name)).parameters.values()][1:]
                 for kind in (ours, getattr(theirs, ours.__name__)) if callable(getattr(kind, name))]  # fmt: skip
        assert len({str(names) for names in takes}) <= 1, f"{name}: {takes}"


def test_names_beside_the_classes_are_those_of_hebi() -> None:
    """Names of hebi-py 2.15.0 that are missing are listed here and in the docstring of hebi_twin."""
    pair = [each.trajectory.create_trajectory([0.0, 1.0], [[0.0, 1.0]]) for each in (twin, theirs)]
    missing = [
        ({"rescale_with_limits", "get_max_velocity", "get_max_acceleration", "get_min_max_position"}, *map(type, pair)),
        ({"alpha_blend"}, twin.Color, theirs.Color),
        ({"estimate_segment_times", "create_jerkazoidal_trajectory"}, twin.trajectory, theirs.trajectory),
        ({"create_imitation_group", "create_keyboard_io", "create_mobile_io"}, twin.util, theirs.util),
        ({"arm", "config", "robot_model", "version"}, twin, theirs),
    ]
    for absent, ours, other in missing:
        lower = {name for name in dir(other) if name[0] != "_" and (isinstance(other, type) or own_name(other, name))}
        assert lower - set(dir(ours)) == absent
        assert absent <= set(re.findall(r"\w+", twin.__doc__)), absent


def own_name(module: object, name: str) -> bool:
    """Return whether a module's name is its own function or module, and not one that it imports."""
    found = getattr(module, name)
    own = module.__name__ if module is not theirs else "hebi"
    return getattr(found, "__module__", getattr(found, "__name__", "")).startswith(own) and name[0].islower()


def test_one_module_and_some_modules_of_a_message(group: twin.Group, imitation: object) -> None:
    """Indexing, views, arrays to write into, colours: the same on the emulator and on hebi-py."""
    for kind in (twin, theirs):
        command = kind.GroupCommand(SIZE)
        command[1].velocity, command[-1].control_strategy = 0.5, "Strategy3"
        command.velocity[2] = 0.25
        command.effort[:] = 3.0
        command.create_view([0, 3]).position = [0.1, 0.2]
        command.led.color, command.mstop_strategy = "red", "HoldPosition"
        command.max_position_limit_strategy = "MotorOff"
        np.testing.assert_array_equal(command.velocity, [np.nan, 0.5, 0.25, np.nan])
        np.testing.assert_array_equal(command.effort, 3.0)
        np.testing.assert_allclose(command.position[[0, 3]], [0.1, 0.2], atol=1e-7)
        assert command.control_strategy.tolist() == [0, 0, 0, 3] and command.create_view([3, 1]).size == 2
        assert (command.mstop_strategy == 2).all() and (command.max_position_limit_strategy == 2).all()
        assert [int(colour) for colour in command.led.color] == [int(kind.Color(255, 0, 0))] * SIZE
        command[0].led.color = kind.Color(0.0, 1.0, 0.0)
        assert [colour.g for colour in command.led.color] == [255, 0, 0, 0]
        copy = kind.GroupCommand(SIZE)
        copy.copy_gains_from(command)
        assert copy.control_strategy[3] == 3 and np.isnan(copy.velocity).all()
    for found in (group.get_next_feedback(), imitation.get_next_feedback()):
        array = np.full(SIZE, 9.0)
        found.get_position(array)
        np.testing.assert_array_equal(array, found.position)
        assert found[2].position == found.position[2] and found.create_view([1, 2]).gyro.shape == (2, 3)
        assert len(found.modules) == len(list(found)) == SIZE


@pytest.mark.parametrize(
    "given",
    [
        {}, {"velocity": [[0.0, 0.5, np.nan, 1.0]]}, {"velocity": [[np.nan] * 4], "acceleration": [[np.nan] * 4]},
        {"acceleration": [[0.0, 1.0, np.nan, -1.0]]},
    ],
)  # fmt: skip
def test_trajectories_are_those_of_hebi(given: dict) -> None:
    times = [0.5, 1.5, 3.0, 3.5]
    for points in ([[0.0, 1.0, -1.0, 0.5]], [[0.0, np.nan, -1.0, 0.5]]):
        pair = [kind.trajectory.create_trajectory(times, points, **given) for kind in (twin, theirs)]
        assert pair[0].duration == pytest.approx(pair[1].duration) and pair[0].number_of_waypoints == 4
        for scale in (1.0, 1.7):  # as it is, and longer
            for each in pair:
                each.rescale(scale)
            np.testing.assert_allclose(pair[0].waypoint_times, pair[1].waypoint_times, atol=1e-12)
            for time in np.linspace(0.0, 6.0, 50):
                for ours, other in zip(*(each.get_state(time) for each in pair)):
                    np.testing.assert_allclose(ours, other, atol=1e-9)
        for each in pair:
            place = np.zeros(1)
            assert each.get_state(1.0, position=place)[0] is place and place[0] != 0.0
            with pytest.raises(ValueError, match="finite, positive"):
                each.rescale(0.0)


SETTING = {"one number": 0.25, "one per module": [0.1, 0.2, 0.3, 0.4], "more than needed": np.zeros(6)}


@pytest.mark.parametrize("words", SETTING)
def test_commands_are_set_as_in_hebi(words: str) -> None:
    commands = twin.GroupCommand(SIZE), theirs.GroupCommand(SIZE)
    for command in commands:
        command.position = command.velocity = SETTING[words]
    np.testing.assert_allclose(commands[0].position, commands[1].position, atol=1e-7)
    np.testing.assert_array_equal(commands[0].velocity, commands[1].velocity)


def raised(call: object) -> type | None:
    """The class of the error that a call raises."""
    try:
        call()  # type: ignore[operator]
    except Exception as error:
        return next(
            kind for kind in (ValueError, IndexError, AttributeError, RuntimeError, OSError) if isinstance(error, kind)
        )
    return None


@pytest.mark.parametrize(
    "wrong",
    [
        lambda group, kind: setattr(group, "feedback_frequency", "fast"),
        lambda group, kind: setattr(group, "feedback_frequency", -1.0),
        lambda group, kind: setattr(group, "command_lifetime", None),
        lambda group, kind: setattr(group, "command_lifetime", -5),
        lambda group, kind: setattr(group, "command_lifetime", 65_535),
        lambda group, kind: group.get_next_feedback(timeout_ms="soon"),
        lambda group, kind: group.add_feedback_handler(3),
        lambda group, kind: setattr(kind(SIZE), "position", [1.0, 2.0]),
        lambda group, kind: setattr(kind(SIZE), "control_strategy", "Strategy9"),
        lambda group, kind: setattr(group.get_next_feedback(), "position", 1.0),
        lambda group, kind: kind(SIZE).read_gains("no/such/file.xml"),
        lambda group, kind: group.start_log("no/such/folder"),
    ],
)  # fmt: skip
def test_mistakes_are_told_as_by_hebi(wrong: object, group: twin.Group, imitation: object) -> None:
    assert raised(lambda: wrong(group, twin.GroupCommand)) == raised(lambda: wrong(imitation, theirs.GroupCommand))
    assert raised(lambda: wrong(group, twin.GroupCommand)) is not None


def test_positions_are_echoed_as_by_the_imitation(lookup: twin.Lookup, imitation: object) -> None:
    """Separate modules execute commands, in both; a target that is not set is not commanded."""
    others = lookup.get_group_from_family("Snake Monster")
    for group, kind in ((others, twin.GroupCommand), (imitation, theirs.GroupCommand)):
        assert (group.command_lifetime, group.feedback_frequency) == (250, 100.0)
        command = kind(SIZE)
        command.position = [0.1, -0.2, 0.3, np.nan]
        assert group.send_command_with_acknowledgement(command)
        sleep(0.05)
        group.get_next_feedback()
        found = group.get_next_feedback()
        np.testing.assert_allclose(found.position[:3], [0.1, -0.2, 0.3], atol=1e-7)
        np.testing.assert_allclose(found.position_command, [0.1, -0.2, 0.3, np.nan], atol=1e-7)


def test_nothing_is_found_after_half_a_second(lookup: twin.Lookup) -> None:
    """Returns None after the timeout, as hebi-py; the emulator has its own time."""
    start = lookup.link.now()
    assert lookup.get_group_from_names("SEA Snake", ["nobody"]) is None
    assert lookup.link.now() - start == pytest.approx(0.5, abs=0.002)
    assert lookup.get_group_from_family("nobody", timeout_ms=50) is None
    assert theirs.Lookup().get_group_from_family("nobody", timeout_ms=50) is None
    for found in (lookup, theirs.Lookup()):
        with pytest.raises(ValueError, match="mac address"):
            found.get_group_from_macs(["zz"], timeout_ms=50)


def test_feedback_comes_once_and_times_out(group: twin.Group) -> None:
    """The latest feedback is given once; without a frequency it comes on request only."""
    group.feedback_frequency = 0.0
    group.get_next_feedback(timeout_ms=0)
    start = group._link.now()
    assert group.get_next_feedback(timeout_ms=200) is None
    assert group._link.now() - start == pytest.approx(0.2, abs=0.002)
    assert group.send_feedback_request() and group.get_next_feedback(timeout_ms=0) is not None
    again = twin.GroupFeedback(SIZE)
    group.feedback_frequency = 100.0
    assert group.get_next_feedback(reuse_fbk=again) is again


def test_a_command_lives_and_locks_others_out(lookup: twin.Lookup, group: twin.Group) -> None:
    """While a command lives, another sender is not heard; when it has run out, the joint goes limp."""
    other = lookup.get_group_from_names("*", ["SA003"])
    command, theirs_now = twin.GroupCommand(SIZE), twin.GroupCommand(1)
    command.position, theirs_now.position = 0.3, -0.3
    group.command_lifetime = 100
    assert group.send_command_with_acknowledgement(command)
    assert not other.send_command_with_acknowledgement(theirs_now, timeout_ms=20)
    assert other.get_next_feedback().command_lifetime_state[0] == 1
    assert group.get_next_feedback().command_lifetime_state[1] == 2
    lookup.link.sleep(0.2)
    assert np.isnan(lookup.link.bench.active().position).all()
    assert other.send_command_with_acknowledgement(theirs_now)
    group.command_lifetime = other.command_lifetime = 0
    lookup.link.sleep(0.3)
    assert group.send_command_with_acknowledgement(command)
    assert other.send_command_with_acknowledgement(theirs_now)
    lookup.link.sleep(5.0)
    np.testing.assert_allclose(lookup.link.bench.active().position, [0.3, -0.3, 0.3, 0.3])


def test_gains_make_the_drive_that_a_file_asks_for(tmp_path: Path) -> None:
    """Settings of all modules become one Cascade; modules may differ in their P, I and D gains."""
    robot, path = SeaSnake(modules=3, drive=Cascade()), tmp_path / "gains.xml"
    gains.write_gains(path, Cascade(strategy=3, position=gains.Gains(kp=2.5)))
    command = twin.GroupCommand(3)
    command.read_gains(str(path))
    known, places, joints = settings_of(robot, [0, 1, 2]), np.arange(3), [0, 1, 2]
    assert drive_with(robot, known, places, joints) is None
    found = drive_with(robot, known | command.values, places, joints)
    assert found == Cascade(strategy=3, position=gains.Gains(kp=2.5))
    apart = drive_with(robot, known | {"position_kp": np.array([30.0, 12.0, 30.0])}, places, joints)
    assert replace(apart, own=()) == Cascade() and [own.joint for own in apart.own] == [1]
    np.testing.assert_allclose(apart.record(3).gains[:, 0, 0], [30.0, 12.0, 30.0])
    np.testing.assert_allclose(apart.record(3).gains[:, :, 1:], Cascade().record(3).gains[:, :, 1:])
    told = settings_of(replace(robot, drive=apart), [2, None, 1])  # one module lies beside the robot
    np.testing.assert_allclose(told["position_kp"], [30.0, 30.0, 12.0])
    with pytest.raises(Unsupported):
        drive_with(robot, known | {"position_punch": np.array([0.0, 0.1, 0.0])}, places, joints)
    with pytest.raises(InvalidValue, match="own"):
        apart.record(1)


def test_a_drive_without_gains_refuses_them(group: twin.Group, tmp_path: Path) -> None:
    """No acknowledgement, and the modules report their old gains; the report is a gains file for hebi-py."""
    command = twin.GroupCommand(SIZE)
    command.position_kp = 12.0
    assert not group.send_command_with_acknowledgement(command, timeout_ms=50)
    info = group.request_info()
    assert (info.position_kp == 3.0).all()
    info.write_gains(str(tmp_path / "told.xml"))
    peer = theirs.GroupCommand(SIZE)
    peer.read_gains(str(tmp_path / "told.xml"))
    np.testing.assert_allclose(peer.position_kp, info.position_kp)


def test_logs_hold_all_feedback_and_what_the_user_adds(group: twin.Group, tmp_path: Path) -> None:
    path = Path(group.start_log(str(tmp_path / "logs"), "first", mkdirs=True))
    assert group.log_user_state(v1=2.5)
    for _ in range(10):
        group.get_next_feedback()
    log = group.stop_log()
    assert group.stop_log() is None and not group.log_user_state(v1=1.0)
    rows = list(log.feedback_iterate)
    assert len(rows) == 10 and rows[-1].time[0] == pytest.approx(0.09)
    again = twin.util.load_log(log.filename)
    assert (len(again), again.number_of_modules) == (10, SIZE)
    np.testing.assert_array_equal([row.position for row in again.feedback_iterate], [row.position for row in rows])
    assert path.read_text().splitlines()[1].split(",")[-9] == "2.5"
    path.write_text(path.read_text()[:-40])
    with pytest.raises(FileProblem, match="incomplete"):
        list(log.feedback_iterate)
    for file, problem in ((path, "incomplete"), (tmp_path / "none.csv", "does not exist")):
        with pytest.raises(OSError, match=problem):
            twin.util.load_log(str(file))


def test_packets_survive_the_wire(group: twin.Group) -> None:
    """Angles to double precision, the rest to single; invalid bytes are rejected."""
    group.get_next_feedback()
    message = wire.Message("feedback", 7, {"id": 3}, group._link.bench.feedback(7, 1))
    again = wire.unpacked(wire.packed(message))
    assert again is not None and again[:3] == message[:3]
    for name, column in message.values.items():
        np.testing.assert_allclose(again.values[name], column, rtol=0.0 if "position" in name else 1e-6, atol=0.0)
    assert wire.unpacked(b"hello\nworld") is None and wire.unpacked(wire.packed(message)[:300]) is None


def test_the_network_is_real(tmp_path: Path) -> None:
    """Over loopback UDP in real time, lookup, feedback, acknowledgement, information; lost packets are lost."""
    faults = [twin.Fault("drop", start=0.8, amount=1.0)]
    link = twin.link_of(twin.bench_of(PlanarSnake(links=SIZE + 1), Plane(), faults), realtime=True)
    assert isinstance(link.server, ServerProcess)  # as real modules are another computer
    try:
        group = twin.Lookup(link=link).get_group_from_family("SEA Snake", timeout_ms=3000)
        command = twin.GroupCommand(SIZE)
        command.position = 0.1
        assert group.send_command_with_acknowledgement(command, timeout_ms=3000)
        assert group.get_next_feedback(timeout_ms=3000) is not None
        assert group.request_info(timeout_ms=3000).family == ["SEA Snake"] * SIZE
        end = monotonic() + 10.0
        while group.get_next_feedback(timeout_ms=300) is not None and monotonic() < end:
            pass
        assert link.server.run_time > 0.8  # not before the fault
        assert not group.send_command_with_acknowledgement(command, timeout_ms=100)
    finally:
        clear_all_groups()
        link.close()
    assert link.server.process.poll() == 0


def test_modules_of_a_class_that_another_process_does_not_know_run_in_a_thread() -> None:
    class Own(PlanarSnake):
        """A robot of a notebook."""

    link = twin.link_of(twin.bench_of(Own(links=SIZE + 1), Plane()), realtime=True)
    try:
        assert isinstance(link.server, UdpServer)
        assert twin.Lookup(link=link).get_group_from_family("SEA Snake", timeout_ms=3000).size == SIZE
    finally:
        clear_all_groups()
        link.close()
