"""Scripts of faults on a bus of emulated X-series motors: checked on the bytes that the motors received."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from faulty_law import GAIT, LAWS, ROBOT, WORLD, Faulty, check_recording, run_to_fault

import serpenoid as sp
from serpenoid.control import OpenLoop
from serpenoid.hardware import Fault

pytest.importorskip("dynamixel_sdk")

STEP = 2.0 * np.pi / 4096
SAID = {
    "drop": "feedback is late", "late": "feedback", "vanish": "lost", "cut": "lost", "crc": "feedback",
    "reboot": "ID", "overload": "reports overload", "stall": "stalls", "noise": "stalls", "brown_out": "voltage",
    "hot": "too hot", "hangs": "slower than its period", "nan": "NaN", "beyond": "commanded",
    "raises": "the law failed",
}  # fmt: skip
KINDS = tuple(SAID)
OF_ALL = ("drop", "late", "brown_out", *LAWS)  # the line names no single motor, or a joint
SAFETY = sp.hardware.Safety(start_rate=2.0, stop_time=0.1, most_lag=0.35, least_voltage=9.5)
SYNC_WRITE, GOAL_POSITION, TORQUE_ENABLE = 0x83, 116, 64
DURATION = 1.2  # of a run [s]


def fault_of(kind: str, time: float, rng: np.random.Generator) -> list[Fault]:
    """A fault at a time after the robot was put down [s]; none where the law is at fault."""
    amount = {"late": 0.08, "noise": 0.02, "hot": 120.0}.get(kind)
    back = kind in ("vanish", "drop", "cut", "crc") and rng.random() < 0.5
    duration = float(rng.uniform(0.1, 0.6)) if back or kind == "reboot" else 5.0
    motor = int(rng.integers(ROBOT.joints))
    return [] if kind in LAWS else [Fault(kind, time, duration, motor, amount)]  # type: ignore[arg-type]


def goals(received: Any, ids: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Times and goal steps of all motors, read from the packets as the manufacturer's manual describes them."""
    times, rows = [], []
    for time, (_, code, data, good) in received:
        if code == SYNC_WRITE and data[:4] == bytes([GOAL_POSITION, 0, 4, 0]):
            assert good
            parts = {
                data[k]: int.from_bytes(data[k + 1 : k + 5], "little", signed=True) for k in range(4, len(data), 5)
            }
            times.append(time)
            rows.append([parts[own] for own in ids])
    return np.array(times), np.array(rows)


def check_bytes(plant: Any) -> None:
    """No angle beyond limits left, no goal jumped, after a hold none moved, and the torque is off in the end."""
    times, steps = goals(plant.bus.bench.received, plant.bus.motors.ids)
    angles = (steps - 2048) * STEP
    assert np.abs(angles).max() <= np.pi / 2 + 0.5 * STEP
    assert np.abs(np.diff(angles, axis=0)).max(initial=0.0) <= SAFETY.most_speed * plant.period * 1.001 + STEP
    held = steps[times >= plant.holds[0]] if plant.holds else steps[:0]
    assert (held == held[:1]).all()
    last = plant.bus.bench.received[-1][1]
    off = last.code == SYNC_WRITE and last.data[:4] == bytes([TORQUE_ENABLE, 0, 1, 0]) and not any(last.data[5::2])
    assert off or plant.bus.bench.acting("drop")


def run_script(number: int) -> None:
    """One script: a kind of fault by its number, at a random time, on a new bus."""
    rng = np.random.default_rng(number)
    kind, time = KINDS[number % len(KINDS)], float(rng.uniform(0.3, 0.8))
    soft = 0.5 * np.pi * 0.4928 / SAFETY.start_rate  # approximate duration of the soft start
    faults = fault_of(kind, soft + time, rng)
    physics = sp.hardware.TwinPhysics(seed=number)
    with sp.hardware.twin(ROBOT, WORLD, faults=faults, safety=SAFETY, physics=physics, maker="dynamixel") as plant:
        controller = Faulty(OpenLoop(GAIT), kind, time, plant.bus.clock)
        run, fault = run_to_fault(plant, controller, DURATION, number)
    check_bytes(plant)
    if fault is None:  # a joint that stalls where it was wanted, checksums that were wrong twice at most
        assert kind in ("noise", "stall") and run.complete
        return
    said = str(fault)
    assert SAID[kind] in said, f"{kind}: {said}"
    if kind not in OF_ALL:
        named = [name for name in plant.joints.names if name in said.replace(",", " ").replace(":", " ")]
        own = named if kind == "noise" else [plant.joints.names[faults[0].module]]
        assert own and own[0] in said, said
    check_recording(plant, fault, run)
    times, _ = goals(plant.bus.bench.received, plant.bus.motors.ids)
    held = times[times >= plant.holds[0] - 1e-9]  # received by the motors, unless the bus is dead
    took = (held[0] if held.size and kind != "drop" else plant.holds[0]) - onset(kind, plant, controller, run)
    assert took <= 3.0 * plant.period + 1e-9, f"{kind}: held after {took:.4f} s"


def onset(kind: str, plant: Any, controller: Faulty, run: Any) -> float:
    """Start of a fault on the plant's clock: as injected, at the law's error, or at excessive lag of a joint."""
    if kind in LAWS:
        assert controller.wrong_at is not None
        return controller.wrong_at
    if kind not in ("stall", "noise"):
        return plant.bus.bench.origin + plant.bus.bench.faults[0].start
    lag = np.abs(run["command_position"][:-1] - run["joint_position"][1:]).max(axis=1)
    far = np.flatnonzero(lag > SAFETY.most_lag)
    return plant.began + run["tick"][1:][far[0]] if far.size else plant.holds[0]


@pytest.mark.parametrize("number", range(len(KINDS)), ids=KINDS)
def test_every_fault_ends_in_a_hold(number: int) -> None:
    run_script(number)


@pytest.mark.full
@pytest.mark.parametrize("number", range(len(KINDS), 105))
def test_faults_at_random_times(number: int) -> None:
    run_script(number)
