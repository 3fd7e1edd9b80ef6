"""Modules as a plant: the emulator beside direct simulation, soft starts and stops, limits, bad input."""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Callable
from math import ceil, log2
from pathlib import Path
from time import perf_counter, thread_time
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from refusals import refused

import serpenoid as sp
from serpenoid.cli import main
from serpenoid.control import OpenLoop
from serpenoid.control.base import Command, Controller, Observation
from serpenoid.errors import HardwareFault, HardwareStopped, SerpenoidError, Unsupported
from serpenoid.hardware.clock import RealClock
from serpenoid.hardware.hebi_bus import HebiBus
from serpenoid.hardware.hebi_fields import UNLOCKED
from serpenoid.hardware.joint_map import JointMap
from serpenoid.hardware.motor_plant import CLAIMED, MotorPlant
from serpenoid.kernels.motion import motion_samples
from serpenoid.robots.sensors import Sensor, Sensors

theirs = pytest.importorskip("hebi")

ROBOT, WORLD = sp.robots.PlanarSnake(), sp.worlds.Plane()
GAIT = sp.gaits.Serpenoid(amplitude=0.5, frequency=0.5, spatial_frequency=-5.6)
SHAPE = sp.Initial(joint_position=tuple(motion_samples(GAIT.motion(ROBOT), np.zeros(1))[0][0]))


class Scripted(Controller):
    """A law from a plain function of tick and observation."""

    def __init__(self, law: Callable[[int, Observation], Any]):
        self.law = law

    def start(self, robot: Any, period: float, rng: np.random.Generator) -> Callable[[Observation], Command]:
        return lambda observation: self.law(round(observation.time / period), observation)


def at(position: Any, joints: int = ROBOT.joints) -> Command:
    """A command of angles alone."""
    return Command.empty(joints)._replace(position=np.full(joints, position, dtype=float))


class Yielding(Controller):
    """Law that yields to the torques that it reads, which must equal those of a direct simulation."""

    def __init__(self, gain: float = 0.02):
        self.gain = gain  # [rad / N m]

    def start(self, robot: Any, period: float, rng: np.random.Generator) -> Callable[[Observation], Command]:
        def law(seen: Observation) -> Command:
            lean = -self.gain * (seen.joint_torque + seen.joint_velocity)
            return at(0.0, robot.joints)._replace(
                position=0.3 * min(seen.time, 1.0) * np.sin(seen.time + np.arange(robot.joints)) + lean
            )

        return law


@pytest.mark.parametrize(
    "sensors", [Sensors(), Sensors(joint_torque=Sensor(noise=0.01), joint_position=Sensor(noise=1e-3))]
)
@pytest.mark.parametrize("controller", [OpenLoop(GAIT, rates=True), Yielding()])
def test_the_twin_is_the_direct_simulation(controller: Controller, sensors: Sensors) -> None:
    """The same seed, controller and world, as fast as it goes: all variables to 1e-9."""
    from dataclasses import replace

    robot = replace(ROBOT, sensors=sensors)
    initial = SHAPE if isinstance(controller, OpenLoop) else sp.Initial()
    direct = sp.simulate(robot, WORLD, controller, 2.0, initial=initial, seed=4)
    with sp.hardware.twin(robot, WORLD) as plant:
        run = sp.run_loop(plant, controller, 2.0, initial=initial, seed=4)
    np.testing.assert_allclose(run.times, direct.times, atol=1e-12)
    for name in ("joint_position", "joint_velocity", "joint_torque", "base_pose", "work_drive", "command_position"):
        np.testing.assert_allclose(run[name], direct[name], rtol=0.0, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("world", [sp.worlds.Floor(), sp.worlds.PegBoard()], ids=["floor", "pegs"])
def test_the_twin_is_the_direct_simulation_on_mujoco(world: Any) -> None:
    """The SEA snake with noisy sensors and a law that yields to its readings: all variables to 1e-9."""
    noisy = Sensors(joint_torque=Sensor(noise=0.01), joint_velocity=Sensor(noise=0.01))
    robot, times = sp.robots.SeaSnake(sensors=noisy), {"duration": 0.5, "seed": 4}
    direct = sp.simulate(robot, world, Yielding(0.001), engine="contact", **times)
    with sp.hardware.twin(robot, world, physics=sp.hardware.TwinPhysics(engine="contact")) as plant:
        run = sp.run_loop(plant, Yielding(0.001), **times)
    shared = [name for name in direct.dataset.data_vars if name in run]
    assert {"joint_position", "joint_torque", "base_pose", "touch_force", "sensed_joint_torque"} <= set(shared)
    for name in shared:
        np.testing.assert_allclose(run[name], direct[name], rtol=0.0, atol=1e-9, err_msg=name)


def test_joints_are_led_softly_and_come_to_rest_softly() -> None:
    """From where they are to the law's first shape at a limited rate; at the end ever slower. No target jumps."""
    sent = []
    with sp.hardware.twin(ROBOT, WORLD) as plant:
        transmit = plant.transmit
        plant.transmit = lambda command: (sent.append(command.position.copy()), transmit(command))  # type: ignore
        run = sp.run_loop(plant, OpenLoop(GAIT, rates=True), 1.0)
        begun = round(plant.began / plant.period) - 10
    assert plant.fault is None and not plant.holds  # it slows down, and is not held
    rows = np.array(sent)
    first = np.array(SHAPE.joint_position)
    rates = np.abs(np.diff(np.vstack([np.zeros(4), rows]), axis=0)) / plant.period
    ramp = int(np.argmin(np.abs(rows - first).sum(axis=1)))
    assert ramp > 50 and rates[: ramp + 1].max() <= plant.safety.start_rate * 1.001
    assert rates.max() <= 0.5 * 2 * np.pi * 0.5 * 1.05
    assert rates[-1].max() < 0.05 * rates.max() and run.complete and begun > 0
    stop = round(plant.safety.stop_time / plant.period)
    assert np.abs(np.diff(rates[-stop - 1 :], axis=0)).max() < 0.1 * rates.max()
    np.testing.assert_allclose(run["command_position"][0], first)


def test_a_joint_that_was_left_to_itself_does_not_jump() -> None:
    """After no command for a while the next one counts from where the joint is."""

    def law(tick: int, seen: Observation) -> Command:
        return at(0.0)._replace(position=np.where([True, False, True, True], 0.0, np.nan if tick < 10 else 1.0))

    with sp.hardware.twin(ROBOT, WORLD) as plant:
        sent = []
        transmit = plant.transmit
        plant.transmit = lambda command: (sent.append(command.position.copy()), transmit(command))  # type: ignore
        with pytest.raises(HardwareFault, match="commanded jump of"):
            sp.run_loop(plant, Scripted(law), 1.0)
    assert np.nanmax(np.abs(sent)) < 0.2


def test_modules_turn_as_the_map_says(tmp_path: Path) -> None:
    """Signs and offsets: modules see other angles, joints the same ones."""
    names = ROBOT.joint_names
    rows = "".join(
        f'[[joint]]\njoint = "{name}"\nmodule = "{module}"\nsign = {sign}\noffset = {offset}\n'
        for name, module, sign, offset in zip(
            names, ["SA011", "SA007", "SA003", "SA002"], [1, -1, 1, -1], [0.1, 0.0, -0.2, 0.3]
        )
    )
    path = tmp_path / "map.toml"
    path.write_text(f'schema = 1\nfamily = "SEA Snake"\n{rows}')
    joints = JointMap.read(path, ROBOT)
    angle = np.array([0.1, 0.2, 0.3, 0.4])
    np.testing.assert_allclose(joints.to_joints(joints.to_modules(angle)), angle)
    np.testing.assert_allclose(joints.to_modules(angle), [0.2, -0.2, 0.1, -0.1])
    assert joints.names == ("SA011", "SA007", "SA003", "SA002")


MAPS = {
    "joint = 'joint_0'": 'joint = "joint_0"\nmodule = "A"\n[[joint]]\njoint = "joint_0"\nmodule = "B"',
    "module = 'A'": 'joint = "joint_0"\nmodule = "A"\n[[joint]]\njoint = "joint_1"\nmodule = "A"',
    "joint = 'knee'": 'joint = "knee"\nmodule = "A"',
    "a row for every joint": 'joint = "joint_0"\nmodule = "A"',
    "sign": 'joint = "joint_0"\nmodule = "A"\nsign = 2',
    "offset": 'joint = "joint_0"\nmodule = "A"\noffset = 1e9',
}


@pytest.mark.parametrize("words", MAPS)
def test_bad_maps_are_refused_in_one_line(words: str, tmp_path: Path) -> None:
    path = tmp_path / "map.toml"
    body = MAPS[words].replace("joint_0", ROBOT.joint_names[0]).replace("joint_1", ROBOT.joint_names[1])
    path.write_text(f'schema = 1\nfamily = "SEA Snake"\n[[joint]]\n{body}\n')
    expected = words.replace("joint_0", ROBOT.joint_names[0])
    with pytest.raises(SerpenoidError, match=expected) as error:
        sp.hardware.twin(ROBOT, WORLD, joints=JointMap.chosen(ROBOT, "*", None, path))
    assert "\n" not in str(error.value) and not CLAIMED


def test_two_plants_cannot_claim_one_module() -> None:
    with sp.hardware.twin(ROBOT, WORLD), refused("names"):
        sp.hardware.twin(ROBOT, WORLD)
    with pytest.raises(SerpenoidError, match="named once"):
        sp.hardware.twin(ROBOT, WORLD, joints=JointMap.plain("SEA Snake", ["SA002", "SA003", "SA002", "SA007"], 4))
    with pytest.raises(Unsupported):
        sp.hardware.twin(ROBOT, WORLD, joints=JointMap.plain("SEA Snake", ["SA002", "SA003", "SA007", "SA999"], 4))
    assert not CLAIMED


def test_another_program_that_leads_the_modules_is_noticed() -> None:
    """Nothing moves: the start is refused."""
    with sp.hardware.twin(ROBOT, WORLD) as plant:
        place = plant.bus.place

        def place_and_lead(initial: Any, rng: Any) -> None:
            place(initial, rng)
            bench = plant.bus.bench
            bench.owner[:], bench.expires[:] = 12345, bench.time + 10.0

        plant.bus.place = place_and_lead  # type: ignore[method-assign]
        with pytest.raises(HardwareFault, match="another program"):
            sp.run_loop(plant, OpenLoop(GAIT, rates=True), 1.0)
        assert plant.sent is None


LAWS = {
    "is NaN": lambda tick, seen: at(np.nan if tick == 20 else 0.0),
    "angle of": lambda tick, seen: at(2.0 if tick == 20 else 0.0),
    "jump of": lambda tick, seen: at(0.5 if tick == 20 else 0.0),
    "rate of": lambda tick, seen: at(0.0)._replace(velocity=np.full(4, 9.0 if tick == 20 else 0.0)),
    "torque of": lambda tick, seen: at(0.0)._replace(torque=np.full(4, 9.0 if tick == 20 else 0.0)),
    "ZeroDivisionError": lambda tick, seen: at(1.0 / (20 - tick) * 0.0),
    "NaN where not commanded": lambda tick, seen: at(np.inf if tick == 20 else 0.0),
}


@pytest.mark.parametrize("words", LAWS)
def test_a_law_that_goes_wrong_ends_in_a_hold(words: str) -> None:
    """The command does not leave, the joints are held at once where they were, the recording is kept."""
    sent: list[Command] = []
    with sp.hardware.twin(ROBOT, WORLD) as plant:
        transmit = plant.transmit
        plant.transmit = lambda command: (sent.append(command), transmit(command))  # type: ignore[assignment]
        with pytest.raises(HardwareFault, match=words) as error:
            sp.run_loop(plant, Scripted(LAWS[words]), 1.0)
    run = error.value.trajectory
    assert error.value.time == pytest.approx(0.2) and 20 <= len(run["joint_position"]) <= 21 and not run.complete
    assert str(error.value) == run.attributes["ended_by"]
    assert all((np.abs(np.nan_to_num(part)) < 0.01).all() for command in sent for part in command)
    assert plant.holds[0] - plant.began <= 0.2 + 1e-9


def test_ctrl_c_stops_softly_and_keeps_the_recording() -> None:
    def law(tick: int, seen: Observation) -> Command:
        if tick == 30:
            raise KeyboardInterrupt
        return at(0.3 * np.sin(2.0 * seen.time))

    with sp.hardware.twin(ROBOT, WORLD) as plant:
        with pytest.raises(HardwareStopped, match="Ctrl-C") as error:
            sp.run_loop(plant, Scripted(law), 1.0)
        assert plant.fault is None and not plant.holds
        assert plant.sent is not None and plant.sent.position[0] > 0.3 * np.sin(2.0 * 0.29)
    assert error.value.trajectory["joint_position"].shape[0] >= 30


@pytest.mark.parametrize("times", [1, 3])
def test_ctrl_c_again_loses_nothing(times: int, request: pytest.FixtureRequest) -> None:
    """The signal itself, again while the joints come to rest: they are held at once, and the recording is there."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # test runners may have switched it off
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    after = []

    def law(tick: int, seen: Observation) -> Command:
        if tick == 30:
            signal.raise_signal(signal.SIGINT)
        return at(0.3 * np.sin(2.0 * seen.time))

    with sp.hardware.twin(ROBOT, WORLD) as plant:
        transmit = plant.transmit

        def pressing(command: Command) -> None:
            transmit(command)
            if plant.tick >= 31:
                after.append(command)
                if len(after) < times:
                    signal.raise_signal(signal.SIGINT)

        plant.transmit = pressing  # type: ignore[method-assign]
        with pytest.raises(HardwareStopped, match="Ctrl-C") as error:
            sp.run_loop(plant, Scripted(law), 1.0)
        assert plant.fault is None and bool(plant.holds) == (times > 1)
    assert error.value.trajectory["tick"].size == 31 and error.value.time == pytest.approx(0.31)
    assert len(after) == (50 if times == 1 else 2)


def test_ctrl_c_breaks_nothing_off_once_a_soft_stop_ended_in_a_hold() -> None:
    """A motor that is too hot while it comes to rest: the recording is saved for every key pressed then."""

    def law(tick: int, seen: Observation) -> Command:
        if tick == 30:
            raise KeyboardInterrupt
        return at(0.3 * np.sin(2.0 * seen.time))

    with sp.hardware.twin(ROBOT, WORLD, faults=[sp.hardware.Fault("hot", 0.4, 5.0, 1, 120.0)]) as plant:
        with pytest.raises(HardwareFault, match="too hot") as error:
            sp.run_loop(plant, Scripted(law), 1.0)
        assert plant.holds and not plant.breaks_off(again=True)
    assert error.value.trajectory["tick"].size >= 30


def test_a_law_that_computes_for_too_long_is_noticed() -> None:
    """Also where it keeps the watchdog from looking: its own processor time counts, in real time."""
    group = theirs.util.create_imitation_group(ROBOT.joints)
    network = HebiBus(group, theirs.GroupCommand, RealClock())
    safety = sp.hardware.Safety(least_voltage=20.0, late_periods=20.0, most_lag=3.0, clock_jump=1e3)

    def law(tick: int, seen: Observation) -> Command:
        end = thread_time() + 0.05
        while tick > 5 and thread_time() < end:
            pass
        return at(0.0)

    with MotorPlant(network, ROBOT, JointMap.plain("imitation", list("abcd"), 4), safety=safety) as plant:
        with pytest.raises(HardwareFault, match="slower than its period"):
            sp.run_loop(plant, Scripted(law), 1.0)
        assert plant.holds and plant.tick < 20


def hold_the_lock(seconds: float) -> None:
    """Spend a time in one call that lets no other thread of Python run: a match that tries every way to fail."""
    size, took = 16, 0.0
    while took < 0.01:
        size, start = size + 1, perf_counter()
        re.match("(a+)+b", "a" * size)
        took = perf_counter() - start
    re.match("(a+)+b", "a" * (size + ceil(log2(seconds / took))))


def test_a_law_that_holds_pythons_lock_is_stopped_by_the_lifetime_of_commands() -> None:
    """In real time over UDP: nothing is sent once the modules have gone limp after their command lifetime."""
    with sp.hardware.twin(ROBOT, WORLD, realtime=True, safety=sp.hardware.Safety(late_periods=20.0)) as plant:
        sent, transmit = [], plant.transmit
        plant.transmit = lambda command: (sent.append(plant.tick), transmit(command))  # type: ignore[assignment]

        def law(tick: int, seen: Observation) -> Command:
            if tick == 20:
                hold_the_lock(0.6)
            return at(0.2 * np.sin(seen.time))

        with pytest.raises(HardwareFault, match="GIL.*limp 250 ms after") as error:
            sp.run_loop(plant, Scripted(law), 1.0)
        assert max(sent) <= 20 and plant.expired and not plant.holds
        for _ in range(20):  # packets from before the lock may still wait in the socket
            feedback = plant.bus.group.get_next_feedback()
            if not feedback.command_lifetime_state.any():
                break
        np.testing.assert_array_equal(feedback.command_lifetime_state, UNLOCKED)
        np.testing.assert_array_equal(feedback.effort, 0.0)
    assert error.value.trajectory["tick"].size >= 20


def test_a_law_that_exits_keeps_the_recording() -> None:
    def law(tick: int, seen: Observation) -> Command:
        return sys.exit(3) if tick == 20 else at(0.0)

    with sp.hardware.twin(ROBOT, WORLD) as plant:
        with pytest.raises(HardwareFault, match="SystemExit") as error:
            sp.run_loop(plant, Scripted(law), 1.0)
        assert plant.holds
    assert error.value.trajectory["tick"].size >= 20


def test_time_that_the_machine_gives_to_others_is_nobodys_lateness() -> None:
    """A clock jump while the process is suspended: no hold within the lifetime of commands. The recording shows it.

    Before the first command, while a law is compiled, none can run out.
    """
    with sp.hardware.twin(ROBOT, WORLD) as plant:
        clock, ahead, leaps = plant.bus.clock, [0.0], {0: 0.4, 20: 0.08, 60: 0.4}
        plant.bus.clock = SimpleNamespace(  # type: ignore[assignment]
            now=lambda: clock.now() + ahead[0], every=clock.every, sleep=clock.sleep
        )

        def law(tick: int, seen: Observation) -> Command:
            ahead[0] += leaps.pop(tick, 0.0)
            return at(0.0)

        with pytest.raises(HardwareFault, match="suspended the program for 0.4 s.*limp 250 ms after") as error:
            sp.run_loop(plant, Scripted(law), 1.0)
        assert plant.expired and not plant.holds
    late = error.value.trajectory["tick_delay"]
    assert error.value.time == pytest.approx(0.6) and late[21] == pytest.approx(0.08, abs=0.01)
    assert np.abs(late[22:]).max() < 0.005


def test_ticks_move_to_where_feedback_comes() -> None:
    """Feedback that comes 4 ms later from a moment on: commands leave later at first, and every 10 ms at any time."""
    with sp.hardware.twin(ROBOT, WORLD) as plant:

        def law(tick: int, seen: Observation) -> Command:
            if tick == 20:
                for subscription in plant.bus.bench.subscriptions.values():
                    subscription.due += 0.004
            return at(0.0)

        late = sp.run_loop(plant, Scripted(law), 1.0)["tick_delay"]
    assert np.abs(late[2:21]).max() < 1e-6 and late[22:26].min() > 0.002 and np.abs(late[80:]).max() < 0.0005


def test_a_run_on_the_imitation_group_of_hebi() -> None:
    """The plant speaks to hebi-py itself: its group echoes commands, at 24 V and without torques."""
    group = theirs.util.create_imitation_group(ROBOT.joints)
    network = HebiBus(group, theirs.GroupCommand, RealClock())
    joints = JointMap.plain("imitation", ["a", "b", "c", "d"], ROBOT.joints)
    safety = sp.hardware.Safety(least_voltage=20.0, late_periods=50.0)
    with MotorPlant(network, ROBOT, joints, safety=safety) as plant:
        run = sp.run_loop(plant, OpenLoop(GAIT, rates=True), 0.5)
    assert run.complete and run["joint_position"].shape == (51, 4)
    lag = min(np.abs(run["joint_position"][k:] - run["command_position"][: 51 - k]).max() for k in (1, 2, 3, 4, 5))
    assert lag < 0.1
    np.testing.assert_allclose(run["module_voltage"], 24.0)


def test_without_hebi_the_twin_works_and_the_real_side_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "hebi"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(Unsupported, match="pip install"):
        sp.hardware.hebi(names=["a"], robot=ROBOT)
    for words in (["list"], ["run", "slither", "--names", "a,b,c,d"]):
        assert main(["hebi", *words]) == 2 and "pip install 'serpenoid[hebi]'" in capsys.readouterr().err
    with sp.hardware.twin(ROBOT, WORLD) as plant:
        assert sp.run_loop(plant, OpenLoop(GAIT, rates=True), 0.1).complete


def test_real_modules_that_are_not_there_are_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RealClock, "sleep", lambda self, seconds: None)
    with pytest.raises(Unsupported):
        sp.hardware.hebi(names=list("abcd"), family="SEA Snake", robot=ROBOT)
    with pytest.raises(SerpenoidError, match="initial"):
        HebiBus(None, None, RealClock()).place(SHAPE, np.random.default_rng(0))
