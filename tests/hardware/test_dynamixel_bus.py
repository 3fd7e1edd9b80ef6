"""Bus of X-series motors: published packets, emulator against the manufacturer's SDK, units, agreement, bad input."""

from __future__ import annotations

import sys
import termios
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import refused

import serpenoid as sp
from dynamixel_twin.packets import Framing, checksum, packet, status_packet
from dynamixel_twin.plant import TwinBus, motors_of, plant_on
from dynamixel_twin.pty_link import Pty, PtyLink, PtyServer
from dynamixel_twin.simulated_motors import Motor, MotorBench
from serpenoid.cli import main
from serpenoid.control import OpenLoop
from serpenoid.errors import HardwareFault, SerpenoidError
from serpenoid.hardware import BusSettings, MotorMap, MotorRow
from serpenoid.hardware import dynamixel_models as x
from serpenoid.hardware.clock import RealClock
from serpenoid.hardware.dynamixel import X_SERIES_SAFETY
from serpenoid.hardware.dynamixel_map import check_traffic, traffic
from serpenoid.hardware.dynamixel_port import PacketPort
from serpenoid.hardware.motor_plant import CLAIMED
from serpenoid.kernels.motion import motion_samples
from serpenoid.simulation import Timing, plant_of

theirs = pytest.importorskip("dynamixel_sdk")

ROBOT, WORLD = sp.robots.PlanarSnake(), sp.worlds.Plane()
GAIT = sp.gaits.Serpenoid(amplitude=0.5, frequency=0.5, spatial_frequency=-5.6)
SHAPE = sp.Initial(joint_position=tuple(motion_samples(GAIT.motion(ROBOT), np.zeros(1))[0][0]))
STEP = 2.0 * np.pi / 4096

# Examples of the manufacturer's manual (protocol 2.0): instruction packets, then status packets.
INSTRUCTIONS = {
    "ping": "FF FF FD 00 01 03 00 01 19 4E",
    "write": "FF FF FD 00 01 09 00 03 74 00 00 02 00 00 CA 89",
    "reg write": "FF FF FD 00 01 09 00 04 68 00 C8 00 00 00 AE 8E",
    "action": "FF FF FD 00 01 03 00 05 02 CE",
    "factory reset": "FF FF FD 00 01 04 00 06 01 A1 E6",
    "reboot": "FF FF FD 00 01 03 00 08 2F 4E",
    "clear": "FF FF FD 00 01 08 00 10 01 44 58 4C 22 B1 DC",
    "sync read": "FF FF FD 00 FE 09 00 82 84 00 04 00 01 02 CE FA",
    "sync write": "FF FF FD 00 FE 11 00 83 74 00 04 00 01 96 00 00 00 02 AA 00 00 00 82 87",
    "bulk read": "FF FF FD 00 FE 0D 00 92 01 90 00 02 00 02 92 00 01 00 1A 05",
}
ANSWERS = {
    "FF FF FD 00 01 04 00 55 00 A1 0C": (1, b""),
    "FF FF FD 00 01 08 00 55 00 A6 00 00 00 8C C0": (1, bytes([0xA6, 0, 0, 0])),
    "FF FF FD 00 02 08 00 55 00 1F 08 00 00 BA BE": (2, bytes([0x1F, 8, 0, 0])),
    "FF FF FD 00 01 06 00 55 00 77 00 C3 69": (1, bytes([0x77, 0])),
    "FF FF FD 00 02 05 00 55 00 24 8B A9": (2, bytes([0x24])),
}


@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_published_instructions_are_understood(name: str) -> None:
    """Framing and checksum, also if the packet arrives byte by byte within noise."""
    data = bytes.fromhex(INSTRUCTIONS[name])
    assert checksum(data[:-2]) == int.from_bytes(data[-2:], "little")
    framing = Framing()
    found = [row for byte in b"\x00\xff\xff" + data for row in framing.instructions(bytes([byte]))]
    assert len(found) == 1 and found[0].good and packet(data[4], data[7:-2]) == data


@pytest.mark.parametrize("text", ANSWERS)
def test_published_answers_are_reproduced(text: str) -> None:
    identity, data = ANSWERS[text]
    assert status_packet(identity, 0, data) == bytes.fromhex(text)


def test_stuffed_bytes_pass_the_sdk() -> None:
    """A velocity of -1 before a position of -3 contains the bytes of a header."""
    with Bus(motors=2) as bus:
        bus.tables[0].put(x.VELOCITY, -1)
        bus.tables[0].put(x.ANGLE, -3)
        bus.bench.measure = lambda: None  # type: ignore[method-assign]
        sent: list[bytes] = []
        answer = bus.bench.answer
        bus.bench.answer = lambda message, after=0.0: (sent.append(message), answer(message, after))  # type: ignore
        found = bus.port.read_all([1, 2], x.BLOCK)
        assert b"\xff\xff\xfd\xfd" in sent[0] and len(sent[0]) == len(sent[1]) + 1
        start = x.VELOCITY.address - x.BLOCK.address
        assert found[1].data[start : start + 8] == b"\xff\xff\xff\xff\xfd\xff\xff\xff" and set(found) == {1, 2}


class Bus:
    """Motors on a pseudo-terminal, with a port of the SDK."""

    def __init__(self, motors: int = 2, extra: tuple[Motor, ...] = (), **settings: Any):
        self.map = MotorMap.plain(ROBOT.joints, BusSettings(**settings))
        rows = [*motors_of(self.map, False)[:motors], *extra]
        timing = Timing(0.01, 0.001, 0.01, 0.01)
        self.bench = MotorBench(plant_of(ROBOT, WORLD, timing), rows)
        self.tables = self.bench.tables
        self.link = PtyLink(self.bench)
        self.port = PacketPort(replace(self.map.bus, port=self.link.address), self.link, self.link.port_type())

    def __enter__(self) -> Bus:
        return self

    def __exit__(self, *error: Any) -> None:
        self.port.close()
        self.link.close()


@pytest.fixture
def bus() -> Iterator[Bus]:
    with Bus() as found:
        yield found


def test_motors_answer_the_sdk(bus: Bus) -> None:
    """Ping, read, write, registered writes, refusals and reboot, as the manual describes them."""
    port = bus.port
    assert port.ping(1) == (1020, False) and port.ping(7) == (None, False)
    assert port.scan() == {1: (1020, 45), 2: (1020, 45)}
    assert port.read(1, x.ANGLE) == 2048 and port.read(1, x.TEMPERATURE) == 25 and port.read(1, x.VOLTAGE) == 120
    assert port.write(1, x.RETURN_DELAY, 0) and port.read(1, x.RETURN_DELAY) == 0
    assert port.write(1, x.TORQUE_ENABLE, 1) and not port.write(1, x.RETURN_DELAY, 9)  # locked by the torque
    assert not port.write(1, x.ANGLE, 0) and not port.write(1, x.GOAL_POSITION, 5000)
    packets = port.packets
    packets.regWriteTxRx(port.port, 1, x.GOAL_POSITION.address, 4, [0, 8, 0, 0])
    assert port.read(1, x.GOAL_POSITION) == 2048
    packets.regWriteTxRx(port.port, 1, x.GOAL_POSITION.address, 4, [1, 8, 0, 0])
    packets.action(port.port, 254)
    assert port.read(1, x.GOAL_POSITION) == 2049
    result, error = packets.factoryReset(port.port, 1, 2)
    assert result == theirs.COMM_SUCCESS and error == 1 and port.read(1, x.RETURN_DELAY) == 0
    assert port.reboot(1) and port.ping(1) == (None, False)
    bus.link.sleep(0.5)
    assert port.ping(1) == (1020, False) and port.read(1, x.TORQUE_ENABLE) == 0


def test_bulk_reads_of_the_sdk(bus: Bus) -> None:
    group = theirs.GroupBulkRead(bus.port.port, bus.port.packets)
    group.addParam(1, x.VOLTAGE.address, 2)
    group.addParam(2, x.TEMPERATURE.address, 1)
    assert group.txRxPacket() == theirs.COMM_SUCCESS
    assert group.getData(1, x.VOLTAGE.address, 2) == 120 and group.getData(2, x.TEMPERATURE.address, 1) == 25


def test_the_bus_watchdog_stops_motors_that_hear_nothing(bus: Bus) -> None:
    """A program that hangs: the motor stops where it is, and its goals are read-only until the watchdog is cleared."""
    port, own = bus.port, bus.tables[0]
    settings = {x.TORQUE_ENABLE: 1, x.BUS_WATCHDOG: 1, x.GOAL_POSITION: 3000}
    assert all(port.write(1, register, value) for register, value in settings.items())
    bus.link.sleep(0.018)
    assert own.get(x.BUS_WATCHDOG) == 1
    bus.link.sleep(0.004)
    stopped = own.get(x.GOAL_POSITION)
    assert own.get(x.BUS_WATCHDOG) == 255 and 2048 <= stopped < 2900
    bus.link.sleep(1.0)
    assert abs(port.read(1, x.ANGLE) - stopped) < 10
    assert not port.write(1, x.GOAL_POSITION, 3000)
    assert port.write(1, x.BUS_WATCHDOG, 0) and port.write(1, x.GOAL_POSITION, 3000)


def test_wrong_checksums_and_lost_answers_leave_the_other_motors(bus: Bus) -> None:
    bus.bench.faults = (sp.hardware.Fault("crc", 0.0, 1e6, 0),)
    assert set(bus.port.read_all([1, 2], x.BLOCK)) == {2} and bus.port.corrupt == 1


def test_the_emulated_bus_is_the_direct_simulation() -> None:
    """Over 10 s, to a step of the motors: 4096 steps per turn."""
    direct = sp.simulate(ROBOT, WORLD, OpenLoop(GAIT), 10.0, initial=SHAPE, seed=4)
    with sp.hardware.twin(ROBOT, WORLD, maker="dynamixel") as plant:
        run = sp.run_loop(plant, OpenLoop(GAIT), 10.0, initial=SHAPE, seed=4)
    np.testing.assert_allclose(run.times, direct.times, atol=1e-9)
    np.testing.assert_array_equal(run["command_position"], direct["command_position"])
    np.testing.assert_allclose(run["joint_position"], direct["joint_position"], rtol=0.0, atol=STEP)
    read = run["sensed_joint_position"] if "sensed_joint_position" in run else run["joint_position"]
    np.testing.assert_allclose(read, direct["joint_position"], rtol=0.0, atol=STEP)


def rows_of(**changes: Any) -> list[MotorRow]:
    """Rows of a map whose motors rotate the other way and are mounted elsewhere."""
    rows = [MotorRow(name, 10 + j, "xm430-w350", -1.0, 1000 + j) for j, name in enumerate(ROBOT.joint_names)]
    return [replace(rows[0], **changes), *rows[1:]]


def test_signs_zeros_and_ids_reach_the_bytes() -> None:
    motors = MotorMap.of_rows(BusSettings(baud_rate=3_000_000), rows_of(), ROBOT)
    angle = np.array([0.1, 0.2, -0.3, 0.4])
    law = sp.Initial(joint_position=tuple(angle))
    still = sp.gaits.Serpenoid(amplitude=0.0, frequency=0.5, spatial_frequency=1.0)
    with sp.hardware.twin(ROBOT, WORLD, joints=motors, maker="dynamixel") as plant:
        observation = plant.start(law, np.random.default_rng(0))
        np.testing.assert_allclose(observation.joint_position, angle, atol=0.51 * STEP)
        assert [own.get(x.ANGLE, signed=True) for own in plant.bus.bench.tables] == [
            round(1000 + j - a / STEP) for j, a in enumerate(angle)
        ]
        run = sp.run_loop(plant, OpenLoop(still), 0.1, initial=law)
        first = next(row for _, row in plant.bus.bench.received if row.code == 0x83 and row.data[0] == 116)
    assert list(first.data[4::5]) == [10, 11, 12, 13] and run.complete


def test_current_based_mode_limits_the_current() -> None:
    """The goal current is that of the largest torque, by the model's constant."""
    motors = MotorMap.of_rows(BusSettings(mode="current"), rows_of(), ROBOT)
    safety = replace(X_SERIES_SAFETY, most_torque=1.783)  # 1 A
    with sp.hardware.twin(ROBOT, WORLD, joints=motors, safety=safety, maker="dynamixel") as plant:
        sp.run_loop(plant, OpenLoop(GAIT), 0.05, initial=SHAPE)
        assert {own.get(x.GOAL_CURRENT) for own in plant.bus.bench.tables} == {int(1.0 / 2.69e-3)}
        assert {own.get(x.OPERATING_MODE) for own in plant.bus.bench.tables} == {5}


def test_torques_are_read_by_the_constant_or_not_at_all() -> None:
    with sp.hardware.twin(ROBOT, WORLD, maker="dynamixel") as plant:
        run = sp.run_loop(plant, OpenLoop(GAIT), 0.5, initial=SHAPE)
        measured = plant.measured["joint_torque"]
        assert np.abs(measured - plant.simulated.observe().joint_torque).max() < 1.783 * 2.69e-3
    motors = MotorMap.of_rows(BusSettings(), [replace(row, model="xl430-w250") for row in rows_of()], ROBOT)
    with sp.hardware.twin(ROBOT, WORLD, joints=motors, maker="dynamixel") as plant:
        sp.run_loop(plant, OpenLoop(GAIT), 0.05, initial=SHAPE)
        assert np.isnan(plant.measured["joint_torque"]).all() and np.isnan(plant.measured["current"]).all()
    assert run.complete


def test_a_law_that_commands_torques_is_held() -> None:
    class Pushing(OpenLoop):
        def start(self, robot: Any, period: float, rng: Any) -> Any:
            follow = super().start(robot, period, rng)
            return lambda seen: follow(seen)._replace(torque=np.full(4, 0.1 if seen.time > 0.05 else np.nan))

    with sp.hardware.twin(ROBOT, WORLD, maker="dynamixel") as plant:
        with pytest.raises(HardwareFault, match="do not accept torques"):
            sp.run_loop(plant, Pushing(GAIT), 0.2, initial=SHAPE)
        assert plant.holds


def test_eighteen_motors_at_100_hz_on_3_megabaud() -> None:
    """Bytes by hand: a read request of 14 + 18, answers of 11 + 27 each, a write of 14 + 18 x 5."""
    found = traffic(18, BusSettings(baud_rate=3_000_000))
    assert (found.request, found.answers, found.command) == (32, 18 * 38, 104)
    assert found.time == pytest.approx(820 * 10 / 3e6) and found.time < 0.003
    delayed = traffic(18, BusSettings(baud_rate=3_000_000, return_delay=500.0))
    assert delayed.time == pytest.approx(found.time + 18 * 500e-6)
    with pytest.raises(SerpenoidError, match="baud_rate = 57600"):
        check_traffic(18, BusSettings(baud_rate=57_600), 0.01)


def test_calculated_bytes_are_those_on_the_bus() -> None:
    with sp.hardware.twin(ROBOT, WORLD, maker="dynamixel") as plant:
        sent: list[int] = []
        send = plant.bus.link.pty.send
        plant.bus.link.pty.send = lambda data: (sent.append(len(data)), send(data))
        sp.run_loop(plant, OpenLoop(GAIT), 0.1, initial=SHAPE)
        assert traffic(4, plant.bus.motors.bus).answers in np.convolve(sent, np.ones(4)).astype(int)


def test_a_run_in_real_time() -> None:
    """The motors in another process, behind a pseudo-terminal."""
    safety = replace(X_SERIES_SAFETY, late_periods=20.0)
    with sp.hardware.twin(ROBOT, WORLD, realtime=True, safety=safety, maker="dynamixel") as plant:
        run = sp.run_loop(plant, OpenLoop(GAIT), 0.5, initial=SHAPE)
    assert run.complete and run["joint_position"].shape == (51, 4)
    assert np.abs(run["joint_position"] - run["command_position"]).max() < 0.2
    np.testing.assert_allclose(run["module_voltage"], 12.0)


MAPS = {
    "joint = 'joint_0'": {"joint": ROBOT.joint_names[1]},
    "id = '11'": {"id": 11},
    "unknown model": {"model": "xm430-w999"},
    "sign": {"sign": 2.0},
    "zero": {"zero": 5000},
    "id = 300": {"id": 300},
}


@pytest.mark.parametrize("words", MAPS)
def test_bad_maps_are_refused_in_one_line(words: str, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    rows = [{"joint": n, "id": 10 + j, "model": "xm430-w350"} for j, n in enumerate(ROBOT.joint_names)]
    rows[0] |= MAPS[words]
    path = tmp_path / "map.toml"
    body = "".join("[[joint]]\n" + "".join(f"{k} = {v!r}\n" for k, v in row.items()) for row in rows)
    path.write_text(f"schema = 1\n{body}")
    expected = words.replace("joint_0", ROBOT.joint_names[1])
    with pytest.raises(SerpenoidError, match=expected) as error:
        MotorMap.read(path, ROBOT)
    assert "\n" not in str(error.value)
    assert main(["dynamixel", "run", "slither", "--twin", "--map", str(path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_example_is_a_map() -> None:
    found = MotorMap.read(Path(__file__).parents[2] / "examples" / "dynamixel.toml", ROBOT)
    assert (
        found.ids == (1, 2, 3, 4) and found.joints.signs.tolist() == [-1, 1, 1, 1] and found.bus.baud_rate == 3_000_000
    )


def opened(extra: tuple[Motor, ...] = (), count: int = 4, **settings: Any) -> None:
    """Open a plant on emulated motors that differ from the map."""
    with Bus(count, extra) as bus:
        bus.port.close()
        motors = bus.map._replace(bus=replace(bus.map.bus, **settings))
        plant_on(bus.link, bus.bench, motors, 0.01, X_SERIES_SAFETY).close()


def test_motors_that_cannot_be_used_are_named() -> None:
    twice = Motor(3, x.MODELS["xm430-w350"])
    with refused("id"):
        opened((twice,))
    with pytest.raises(SerpenoidError, match="ID 3, ID 4 does not answer"):
        opened(count=2)
    with pytest.raises(SerpenoidError, match="baud_rate = 57600: must be that of the motors: none of ID 1, ID 2"):
        opened(baud_rate=57_600)
    other = Motor(4, x.MODELS["xm430-w210"])
    with pytest.raises(SerpenoidError, match="model of ID 4 = 'xm430-w350': must be xm430-w210"):
        opened((other,), count=3)
    assert not CLAIMED


def test_ports_that_cannot_be_opened_say_why(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    def refuse(self: Any) -> bool:
        raise PermissionError(13, "Permission denied")

    assert main(["dynamixel", "list", "--port", "/dev/not-there"]) == 2
    assert "does not exist" in capsys.readouterr().err
    monkeypatch.setattr(theirs.PortHandler, "openPort", refuse)
    assert main(["dynamixel", "list"]) == 2
    said = capsys.readouterr().err
    assert "may not be opened" in said and "dialout" in said and said.count("\n") == 1


def test_a_baud_rate_that_the_adapter_does_not_have_leaves_the_other_motors(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    """Drivers refuse unknown rates by different errors, among them one of termios that is not an OSError."""

    def setup(self: Any, rate: int) -> bool:
        if rate > 2_000_000:
            raise ValueError("Failed to set custom baud rate") if rate == 3_000_000 else termios.error(22, "Invalid")
        return True

    monkeypatch.setattr(theirs.PortHandler, "setupPort", setup)
    monkeypatch.setattr(theirs.PortHandler, "closePort", lambda self: None)
    monkeypatch.setattr(PacketPort, "ping", lambda self, identity: (1020, False))
    monkeypatch.setattr(PacketPort, "scan", lambda self: {5: (1020, 45)} if self.port.baudrate == 57_600 else {})
    assert main(["dynamixel", "list"]) == 0
    said = capsys.readouterr()
    assert "ID 5" in said.out and "xm430-w350" in said.out
    assert "3 of 8 baud rates were not tried" in said.err and said.err.count("\n") == 1


@pytest.mark.parametrize("command", ["list", "run"])
def test_a_port_that_is_pulled_out_before_a_run_is_one_line(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    def gone(self: Any, length: int) -> bytes:
        raise OSError("device reports readiness to read but returned no data")

    monkeypatch.setattr(theirs.PortHandler, "readPort", gone)
    pty = Pty()
    rows = "".join(f"[[joint]]\njoint = '{name}'\nid = {j}\n" for j, name in enumerate(ROBOT.joint_names))
    (tmp_path / "map.toml").write_text(f"schema = 1\nport = '{pty.name}'\n{rows}")
    words = {"list": ["--port", pty.name], "run": ["slither", "--map", str(tmp_path / "map.toml")]}
    monkeypatch.chdir(tmp_path)
    try:
        assert main(["dynamixel", command, *words[command]]) == 2
    finally:
        pty.close()
    said = capsys.readouterr().err
    assert f"port {pty.name} was lost" in said and said.count("\n") == 1


def test_without_the_sdk_the_line_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "dynamixel_sdk", None)
    assert main(["dynamixel", "list"]) == 2 and "pip install 'serpenoid[dynamixel]'" in capsys.readouterr().err
    with pytest.raises(SerpenoidError, match="pip install"):
        sp.hardware.twin(ROBOT, WORLD, maker="dynamixel")


def test_a_port_that_is_pulled_out_ends_in_a_fault() -> None:
    """The serial port vanishes during a run, in real time: one line, and the recording is kept."""
    motors = MotorMap.plain(ROBOT.joints)
    bench = MotorBench(plant_of(ROBOT, WORLD, Timing(0.01, 0.001, 0.01, 0.01)), motors_of(motors, True))
    server = PtyServer(bench)
    with plant_on(server, bench, motors, 0.01, replace(X_SERIES_SAFETY, late_periods=10.0)) as plant:
        assert isinstance(plant.bus, TwinBus) and isinstance(plant.bus.clock, RealClock)

        class Pulling(OpenLoop):
            def start(self, robot: Any, period: float, rng: Any) -> Any:
                follow = super().start(robot, period, rng)

                def law(seen: Any) -> Any:
                    if seen.time >= 0.1 and server.running:
                        server.close()
                    return follow(seen)

                return law

        with pytest.raises(HardwareFault, match="lost|late") as error:
            sp.run_loop(plant, Pulling(GAIT), 1.0, initial=SHAPE)
    assert error.value.trajectory["tick"].size >= 5


def test_list_and_dry_run(capsys: pytest.CaptureFixture) -> None:
    assert main(["dynamixel", "list", "--twin"]) == 0 and "ID 4" in capsys.readouterr().out
    words = ["dry-run", "slither", "--duration", "0.2", "--gait.frequency", "0.5", "--gait.amplitude", "0.4"]
    assert main(["dynamixel", *words]) in (0, 2)
    assert "bytes to read" in capsys.readouterr().out
