"""Scripts of faults at random times: nothing beyond limits leaves, the hold comes soon, the recording stays."""

from __future__ import annotations

from collections.abc import Callable
from time import sleep
from typing import Any

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.control.base import Command, Controller, Observation
from serpenoid.control.follow import FollowGait
from serpenoid.errors import HardwareFault
from serpenoid.hardware import Fault
from serpenoid.hardware.clock import RealClock
from serpenoid.hardware.hebi import HebiPlant, Network
from serpenoid.hardware.joint_map import JointMap

ROBOT, WORLD = sp.robots.PlanarSnake(), sp.worlds.Plane()
GAIT = sp.gaits.Serpenoid(amplitude=0.5, frequency=0.5, phase_shift=1.4)
LAWS = ("hangs", "nan", "beyond", "raises")
KINDS = ("drop", "late", "vanish", "noise", "stall", "brown_out", "hot", "clock", *LAWS)
SAID = {
    "drop": "feedback is late", "late": "feedback is late", "vanish": "lost", "brown_out": "voltage", "hot": "too hot",
    "clock": "clock jumps", "hangs": "slower than its period", "nan": "is NaN", "beyond": "commanded",
    "raises": "went wrong", "stall": "stalls", "noise": "stalls",
}  # fmt: skip
DURATION = 1.5  # of a run [s]
SAFETY = sp.hardware.Safety(start_rate=2.0, stop_time=0.1, most_lag=0.35)


class Faulty(Controller):
    """A gait whose law goes wrong at a time."""

    def __init__(self, kind: str, time: float, rest: Callable[[float], None]):
        self.kind, self.time, self.rest = kind, time, rest

    def start(self, robot: Any, period: float, rng: np.random.Generator) -> Callable[[Observation], Command]:
        follow = FollowGait(GAIT).start(robot, period, rng)

        def law(seen: Observation) -> Command:
            command = follow(seen)
            if self.kind in LAWS and seen.time >= self.time - 1e-9:
                if self.kind == "raises":
                    raise RuntimeError("no idea")
                if self.kind == "hangs":
                    self.rest(0.3)
                wrong = {"nan": np.nan, "beyond": 3.0}.get(self.kind)
                if wrong is not None:
                    command.position[int(rng.integers(robot.joints))] = wrong
            return command

        return law


def fault_of(kind: str, time: float, rng: np.random.Generator) -> list[Fault]:
    """A fault to order at a time after the robot was put down [s]; none where the law is at fault."""
    amount = {"drop": 1.0, "late": 0.08, "noise": 0.02, "brown_out": 20.0, "hot": 120.0, "clock": -4.0}.get(kind, 1.0)
    return [] if kind in LAWS else [Fault(kind, time, 5.0, int(rng.integers(ROBOT.joints)), amount)]  # type: ignore


def run_script(number: int, realtime: bool) -> None:
    """One script: a kind of fault by its number, at a random time, on a fresh twin."""
    rng = np.random.default_rng(number)
    kind, time = KINDS[number % len(KINDS)], float(rng.uniform(0.3, 1.0))
    soft = 0.5 * np.pi * 0.4928 / SAFETY.start_rate  # what the soft start takes, about
    # In real time on a machine that others use, a law may be late without a fault of its own.
    safety = (
        SAFETY if not realtime else sp.hardware.Safety(start_rate=2.0, stop_time=0.1, most_lag=0.35, late_periods=2.5)
    )
    plant = sp.hardware.twin(
        ROBOT, WORLD, faults=fault_of(kind, soft + time, rng), seed=number, realtime=realtime, safety=safety
    )
    sent: list[tuple[float, Command]] = []
    with plant:
        transmit = plant.transmit
        plant.transmit = lambda command: (sent.append((plant.now(), command)), transmit(command))  # type: ignore
        controller = Faulty(kind, time, sleep if realtime else plant.network.clock.sleep)
        try:
            run = sp.run_loop(plant, controller, DURATION, seed=number)
            fault = None
        except HardwareFault as error:
            fault, run = error, error.trajectory
        if run is None:  # the fault came before the first command: nothing moves
            assert realtime and not sent
            return
        check_sent(plant, sent)
        check_end(kind, plant, fault, run, time, realtime)


def check_sent(plant: Any, sent: list[tuple[float, Command]]) -> None:
    """No angle or rate beyond limits ever left, no target jumped, and after a hold nothing moved any more."""
    angles = np.array([command.position for _, command in sent])
    rates = np.abs(np.nan_to_num([command.velocity for _, command in sent]))
    assert np.isfinite(angles).all() and np.abs(angles).max() <= np.pi / 2 and rates.max() <= plant.safety.most_speed
    assert np.abs(np.diff(angles, axis=0)).max() <= plant.safety.most_speed * plant.period * 1.001
    held = [position for (time, _), position in zip(sent, angles) if plant.holds and time >= plant.holds[0]]
    assert all((position == held[0]).all() for position in held)


def check_end(kind: str, plant: Any, fault: HardwareFault | None, run: Any, wrong_at: float, realtime: bool) -> None:
    """The hold came within three periods, the line names the fault, and the recording reaches up to it."""
    if fault is None:  # noise that the law does not see, a joint that stalls where it was wanted
        assert kind in ("noise", "stall") and run.complete
        return
    named = SAID[kind] in str(fault) or (realtime and ("late" in str(fault) or "slower" in str(fault)))
    assert named, f"{kind}: {fault}"
    assert plant.holds and not run.complete and run.attributes["ended_by"] == str(fault)
    assert run.times[-1] >= fault.time - 2.5 * plant.period and np.isfinite(run["joint_position"]).all()
    if not realtime:
        assert plant.holds[0] - onset(kind, plant, run, wrong_at) <= 3.0 * plant.period + 1e-9


def onset(kind: str, plant: Any, run: Any, wrong_at: float) -> float:
    """When a fault began, on the twin's clock: as ordered, as the law was asked, or as a joint lagged too far."""
    if kind in LAWS:
        return plant.began + np.ceil(wrong_at / plant.period - 1e-6) * plant.period
    if kind not in ("stall", "noise"):
        return plant.network.bench.origin + plant.network.bench.faults[0].start
    lag = np.abs(run["command_position"][:-1] - run["sensed_joint_position"][1:]).max(axis=1)
    far = np.flatnonzero(lag > plant.safety.most_lag)
    return plant.began + run["tick"][1:][far[0]] if far.size else plant.now()


@pytest.mark.parametrize("number", range(len(KINDS)))
def test_every_fault_ends_in_a_hold(number: int) -> None:
    run_script(number, realtime=False)


@pytest.mark.parametrize("number", [2, 8])
def test_faults_on_a_real_network(number: int) -> None:
    """A module that vanishes and a law that hangs, in real time over UDP."""
    run_script(number, realtime=True)


def test_a_law_that_hangs_for_ever_is_broken_off() -> None:
    """It cannot send its own hold: the watchdog does, and ends the wait; on hebi-py's imitation group, in real time."""
    theirs = pytest.importorskip("hebi")
    network = Network(theirs.util.create_imitation_group(ROBOT.joints), theirs.GroupCommand, RealClock())
    patient = sp.hardware.Safety(start_rate=2.0, late_periods=100.0, least_voltage=20.0, most_lag=3.0, clock_jump=1e3)
    with HebiPlant(network, ROBOT, JointMap.plain("imitation", list("abcd"), 4), safety=patient) as plant:
        controller = Faulty("hangs", 0.1, lambda seconds: sleep(600.0))
        with pytest.raises(HardwareFault, match="slower than its period") as error:
            sp.run_loop(plant, controller, DURATION)
        assert plant.holds and plant.interrupted
    assert error.value.trajectory["joint_position"].shape[0] > 1


@pytest.mark.full
@pytest.mark.parametrize("number", range(len(KINDS), 180))
def test_faults_at_random_times(number: int) -> None:
    run_script(number, realtime=False)


@pytest.mark.full
@pytest.mark.parametrize("number", range(200, 220))
def test_faults_at_random_times_on_a_real_network(number: int) -> None:
    run_script(number, realtime=True)
