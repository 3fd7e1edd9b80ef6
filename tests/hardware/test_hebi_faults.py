"""Scripts of faults at random times: nothing beyond limits leaves, the hold comes soon, the recording stays."""

from __future__ import annotations

import pickle
import signal
import sys
from pathlib import Path
from subprocess import PIPE, Popen
from time import monotonic, sleep
from typing import Any

import numpy as np
import pytest
from faulty_law import GAIT, LAWS, ROBOT, WORLD, Faulty, check_recording, run_to_fault

import serpenoid as sp
from hebi_twin.network import bench_of
from hebi_twin.udp import UdpServer
from motor_bench.server_process import START, Recipe
from serpenoid.control import OpenLoop
from serpenoid.control.base import Command
from serpenoid.errors import HardwareFault
from serpenoid.hardware import Fault, watchdog
from serpenoid.hardware.clock import RealClock
from serpenoid.hardware.hebi_bus import HebiBus
from serpenoid.hardware.joint_map import JointMap
from serpenoid.hardware.motor_plant import MotorPlant

FOLLOW = OpenLoop(GAIT, rates=True)
KINDS = ("drop", "late", "vanish", "noise", "stall", "brown_out", "hot", "clock", "blank", *LAWS)
SAID = {
    "drop": "feedback is late", "late": "feedback is late", "vanish": "feedback is late",
    "brown_out": "voltage", "hot": "too hot", "blank": "feedback of SA",
    "clock": "clock jumps", "hangs": "slower than its period", "nan": "is NaN", "beyond": "commanded",
    "raises": "the law failed", "stall": "stalls", "noise": "stalls",
}  # fmt: skip
DURATION = 1.5  # of a run [s]
SAFETY = sp.hardware.Safety(start_rate=2.0, stop_time=0.1, most_lag=0.35)


def fault_of(kind: str, time: float, rng: np.random.Generator) -> list[Fault]:
    """A fault to order at a time after the robot was put down [s]; none where the law is at fault."""
    amount = {"drop": 1.0, "late": 0.08, "noise": 0.02, "brown_out": 20.0, "hot": 120.0, "clock": -4.0}.get(kind, 1.0)
    back = kind in ("vanish", "drop") and rng.random() < 0.5  # modules and packets may come back
    duration = float(rng.uniform(0.1, 0.6)) if back else 5.0
    module = int(rng.integers(ROBOT.joints))
    return [] if kind in LAWS else [Fault(kind, time, duration, module, amount)]  # type: ignore[arg-type]


def run_script(number: int, realtime: bool) -> bool:
    """One script: a kind of fault by its number, at a random time, on a new emulator. Return if it occurred.

    In real time a machine that others use may itself be late before that: the run is then held for it, and checked too.
    """
    rng = np.random.default_rng(number)
    kind, time = KINDS[number % len(KINDS)], float(rng.uniform(0.3, 1.0))
    soft = 0.5 * np.pi * 0.4928 / SAFETY.start_rate  # approximate duration of the soft start
    faults = fault_of(kind, soft + time, rng)
    physics = sp.hardware.TwinPhysics(seed=number)
    with sp.hardware.twin(ROBOT, WORLD, faults=faults, realtime=realtime, safety=SAFETY, physics=physics) as plant:
        seen = Witness(plant)
        controller = Faulty(FOLLOW, kind, time, plant.bus.clock)
        run, fault = run_to_fault(plant, controller, DURATION, number)
        if run is None:  # the fault came before the first command: nothing moves
            assert realtime and not seen.sent
            return False
        check_sent(plant, seen.sent)
        if fault is None:  # noise that the law does not see, a joint that stalls where it was wanted
            assert kind in ("noise", "stall") and run.complete and plant.fault is None
            return True
        if plant.expired:  # a machine that stood still for longer than commands live
            assert realtime and not any(time > plant.tripped for time, _ in seen.sent)
            return False
        began = onset(kind, seen, controller, run)
        early = realtime and plant.holds[0] < began
        check_end(kind, plant, fault, run, early)
        took = plant.holds[0] - began  # the machine may keep the watchdog waiting; a simulated clock does not
        slack = seen.pause(began) if realtime else 0.0
        assert took <= 3.0 * plant.period + slack + 1e-9, f"{kind}: held after {took:.4f} s"
        return not early


def run_in_real_time(number: int) -> None:
    """A script over UDP, until the machine lets it come to its fault; every try before that is checked too."""
    assert any(run_script(number, realtime=True) for _ in range(3)), "held before the fault in three tries"


class Witness:
    """Commands of a plant with their times, and the times of watchdog checks."""

    def __init__(self, plant: Any):
        self.sent: list[tuple[float, Command]] = []
        self.looks: list[tuple[float, float]] = []  # by the clock, missed so far [s]
        self.clocks: list[tuple[float, float]] = []  # the clock and the time of the bench's run [s]
        self.plant, self.transmit, self.look = plant, plant.transmit, plant.look
        plant.transmit, plant.look = self.transmitted, self.looked

    def transmitted(self, command: Command) -> None:
        self.sent.append((self.plant.bus.clock.now(), command))
        self.read_clocks()
        self.transmit(command)

    def read_clocks(self) -> None:
        self.clocks.append((self.plant.bus.clock.now(), self.plant.bus.run_time))

    def looked(self) -> None:
        self.looks.append((self.plant.bus.clock.now(), self.plant.missed))
        self.read_clocks()
        self.look()

    def when(self, run_time: float) -> float:
        """Clock time at a time of the bench's run [s], which may have stopped meanwhile."""
        clock, run = np.array(sorted(self.clocks)).T
        return float(np.interp(run_time, run, clock, right=np.inf))

    def pause(self, began: float) -> float:
        """Time between a fault and the hold in which the watchdog did not run [s]: missed by the plant, or a gap."""
        held = self.plant.holds[0]
        rows = np.array(
            [row for row in self.looks if began - 2 * self.plant.period <= row[0] <= held + self.plant.period]
        )
        if len(rows) < 2:
            return 0.0
        gap = float(np.diff(rows[:, 0]).max()) - 0.5 * self.plant.period
        return max(0.0, gap, float(rows[-1, 1] - rows[0, 1]))


def check_sent(plant: Any, sent: list[tuple[float, Command]]) -> None:
    """No angle or rate beyond limits ever left, no target jumped, and after a hold nothing moved any more."""
    angles = np.array([command.position for _, command in sent])
    rates = np.abs(np.nan_to_num([command.velocity for _, command in sent]))
    assert np.isfinite(angles).all() and np.abs(angles).max() <= np.pi / 2 and rates.max() <= plant.safety.most_speed
    assert np.abs(np.diff(angles, axis=0)).max() <= plant.safety.most_speed * plant.period * 1.001
    held = [position for (time, _), position in zip(sent, angles) if plant.holds and time >= plant.holds[0]]
    assert all((position == held[0]).all() for position in held)


def check_end(kind: str, plant: Any, fault: HardwareFault, run: Any, early: bool) -> None:
    """The line names the fault, and the recording reaches up to it."""
    said = str(fault)
    assert any(word in said for word in ("late", "slower", "no time")) if early else SAID[kind] in said, (
        f"{kind}: {said}"
    )
    gone = kind == "vanish" and plant.bus.bench.faults[0].duration > 1.0  # then the lookup has the module
    assert early or not gone or "lost" in said, said
    check_recording(plant, fault, run)


def onset(kind: str, seen: Witness, controller: Faulty, run: Any) -> float:
    """Start of a fault on the plant's clock: as injected, at the law's error, or at excessive lag of a joint."""
    plant = seen.plant
    if kind in LAWS:
        return np.inf if controller.wrong_at is None else controller.wrong_at
    if kind not in ("stall", "noise"):
        return seen.when(plant.bus.bench.faults[0].start)
    read = run["sensed_joint_position" if "sensed_joint_position" in run else "joint_position"]
    count = min(len(run["command_position"]), len(read))
    lag = np.abs(run["command_position"][: count - 1] - read[1:count]).max(axis=1)
    far = np.flatnonzero(lag > plant.safety.most_lag)
    lagged = plant.began + run["tick"][1:][far[0]] if far.size else plant.holds[0]  # by what ended it
    return lagged if "stalls" in str(plant.fault) else np.inf


@pytest.mark.parametrize("number", range(len(KINDS)))
def test_every_fault_ends_in_a_hold(number: int) -> None:
    assert run_script(number, realtime=False)


@pytest.mark.parametrize("number", [2, 9])
def test_faults_on_a_real_network(number: int) -> None:
    """A module that vanishes and a law that hangs, in real time over UDP."""
    run_in_real_time(number)


def test_modules_whose_program_was_interrupted_at_its_start_end_quietly(tmp_path: Path) -> None:
    """The answer to the first request is not read."""
    shown = tmp_path / "clock"
    shown.write_bytes(bytes(8))
    data = pickle.dumps(Recipe.of(bench_of(ROBOT, WORLD), UdpServer))
    words = [sys.executable, "-c", START.format(sys.path), str(shown)]
    with Popen(words, stdin=PIPE, stdout=PIPE, stderr=PIPE) as process:
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        process.stdout.close()
        pickle.dump(("serve", data), process.stdin)
        process.stdin.close()
        assert process.stderr.read() == b""


class SleepsLong(RealClock):
    """A clock on which every pause takes four seconds: three more than the watchdog waits."""

    def sleep(self, seconds: float) -> None:
        sleep(4.0)


def test_a_law_that_hangs_for_ever_is_broken_off(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """The watchdog sends the hold and ends the wait, on hebi-py's imitation group, in real time."""
    theirs = pytest.importorskip("hebi")
    monkeypatch.setattr(watchdog, "PATIENCE", 0.2)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # test runners may have switched it off
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    start = monotonic()
    network = HebiBus(theirs.util.create_imitation_group(ROBOT.joints), theirs.GroupCommand, RealClock())
    patient = sp.hardware.Safety(start_rate=2.0, late_periods=100.0, least_voltage=20.0, most_lag=3.0, clock_jump=1e3)
    with MotorPlant(network, ROBOT, JointMap.plain("imitation", list("abcd"), 4), safety=patient) as plant:
        controller = Faulty(FOLLOW, "hangs", 0.1, SleepsLong())
        with pytest.raises(HardwareFault, match="slower than its period") as error:
            sp.run_loop(plant, controller, DURATION)
        assert plant.holds and plant.interrupted and monotonic() - start < 20.0  # it would sleep for 30
    assert error.value.trajectory["joint_position"].shape[0] > 1


@pytest.mark.full
@pytest.mark.parametrize("number", range(len(KINDS), 180))
def test_faults_at_random_times(number: int) -> None:
    assert run_script(number, realtime=False)


@pytest.mark.full
@pytest.mark.parametrize("number", range(200, 220))
def test_faults_at_random_times_on_a_real_network(number: int) -> None:
    run_in_real_time(number)
