"""Emulator of X-series motors as a plant: a simulated robot behind motors, in this process or in real time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from dynamixel_twin.pty_link import PtyLink, PtyServer
from dynamixel_twin.simulated_motors import Motor, MotorBench
from motor_bench.plant import BenchPlant
from motor_bench.server import Server
from motor_bench.server_process import CannotBeSent, ServerProcess
from serpenoid.engines.base import Initial
from serpenoid.hardware.clock import RealClock
from serpenoid.hardware.dynamixel import X_SERIES_SAFETY
from serpenoid.hardware.dynamixel_bus import DynamixelBus
from serpenoid.hardware.dynamixel_map import MotorMap, check_traffic
from serpenoid.hardware.dynamixel_port import PacketPort, sdk
from serpenoid.hardware.emulator import TwinPhysics, simulation_of
from serpenoid.hardware.faults import Fault
from serpenoid.hardware.motor_plant import MotorPlant
from serpenoid.hardware.safety import Safety
from serpenoid.robots.base import Robot

Link = PtyLink | Server | ServerProcess


class ListedMotor(NamedTuple):
    """A motor in the list of a bus."""

    identity: str
    model: str
    firmware: str


class TwinBus(DynamixelBus):
    """Emulated motors and the link to them, which are closed together."""

    def __init__(self, link: Link, bench: MotorBench, motors: MotorMap, safety: Safety):
        self.link, self.bench = link, bench
        clock = link if isinstance(link, PtyLink) else RealClock()
        port_type = link.port_type() if isinstance(link, PtyLink) else None
        opened = PacketPort(motors.bus, clock, port_type)
        try:
            super().__init__(opened, motors, clock, safety)
        except BaseException:
            opened.close()
            raise

    def place(self, initial: Initial, rng: np.random.Generator) -> None:
        if isinstance(self.link, PtyLink):
            self.bench.reset(initial, rng)
        else:
            self.link.place(initial, rng)

    @property
    def run_time(self) -> float:
        """Return the time of the bench since the robot was placed at its start [s]."""
        return self.bench.run_time if isinstance(self.link, PtyLink) else self.link.run_time

    def close(self) -> None:
        super().close()
        self.link.close()


def modules() -> list[ListedMotor]:
    """List the motors of a snake of four, without a simulation."""
    return [ListedMotor(str(identity), "xm430-w350", "45") for identity in MotorMap.plain(4).ids]


def joint_map(robot: Robot) -> MotorMap:
    """Assign a motor to each joint, head first."""
    return MotorMap.plain(robot.joints)


def motors_of(motors: MotorMap, wire: bool) -> list[Motor]:
    """Return the motors of a map, mounted as it says."""
    rows = zip(motors.ids, motors.models, motors.joints.signs, motors.joints.offsets)
    rate = motors.bus.baud_rate
    return [
        Motor(own, model, j, float(sign), float(zero), rate, wire) for j, (own, model, sign, zero) in enumerate(rows)
    ]


def link_of(bench: MotorBench, realtime: bool) -> Link:
    """Return the link to a bench: in this process at full speed, or in real time on a pseudo-terminal.

    In real time the motors run in a separate process if it knows the classes of robot and world.
    """
    if not realtime:
        return PtyLink(bench)
    try:
        return ServerProcess(bench, PtyServer)
    except CannotBeSent:
        return PtyServer(bench)


def plant(
    robot: Robot | None, world: Any, joints: MotorMap | None, realtime: bool, faults: Sequence[Fault], period: float,
    safety: Safety | None, physics: TwinPhysics | None,
) -> MotorPlant:  # fmt: skip
    """Return a simulated robot as a group of motors, in this process or in real time.

    At full speed bytes take no time on the wire, so that a run is that of a simulation, to the motors' resolution.
    """
    sdk()  # raise here if it is missing, before anything compiles
    simulated, safety, physics = simulation_of(robot, world, realtime, period, safety or X_SERIES_SAFETY, physics)
    motors = joints or joint_map(simulated.robot)
    check_traffic(len(motors.ids), motors.bus, period)
    bench = MotorBench(simulated, motors_of(motors, realtime), faults, physics.seed)
    link = link_of(bench, realtime)
    try:
        found = plant_on(link, bench, motors, period, safety)
    except BaseException:
        link.close()
        raise
    found.keep = physics.keep
    return found


def plant_on(link: Link, bench: MotorBench, motors: MotorMap, period: float, safety: Safety) -> MotorPlant:
    """Return the plant of motors behind a link."""
    at_link = motors._replace(bus=replace(motors.bus, port=link.address))
    kind = BenchPlant if isinstance(link, PtyLink) else MotorPlant
    return kind(TwinBus(link, bench, at_link, safety), bench.plant.robot, at_link.joints, period, safety)
