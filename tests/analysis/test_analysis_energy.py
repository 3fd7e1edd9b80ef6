"""Power, energy and momentum against closed forms."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import pytest
from link_energy import kinetic_energy
from runs import chain_poses, made

from serpenoid import analysis
from serpenoid.analysis.bodies import bodies_of, link_motion
from serpenoid.configuration import to_plain
from serpenoid.errors import InvalidValue
from serpenoid.kernels.records import Chain
from serpenoid.robots.base import PlanarRobot
from serpenoid.robots.drives import PD, Prescribed


@dataclass(frozen=True)
class TwoBars(PlanarRobot):
    """Two bars of unequal length and mass."""

    drive: Prescribed | PD = Prescribed()
    joints = 1
    joint_names = ("joint",)
    link_names = ("head", "tail_bar")

    def chain(self):
        return Chain(
            np.array([0.2, 0.3]), np.array([0.1, 0.12]), np.array([0.4, 0.7]), np.array([2e-3, 5e-3]), np.zeros(1)
        )


def swinging():
    """Positions and velocities of two bars by hand: heading and joint angle are sines, the snout drifts."""
    times = np.linspace(0.0, 1.0, 201)
    heading, rate = 0.3 * np.sin(3 * times), 0.9 * np.cos(3 * times)
    angle, angle_rate = 0.5 * np.cos(4 * times), -2.0 * np.sin(4 * times)
    start = np.column_stack([0.2 * times, 0.1 * times**2])
    drift = np.column_stack([np.full_like(times, 0.2), 0.2 * times])
    pose = chain_poses(start, np.column_stack([heading, heading + angle]), (0.2, 0.3))
    c, s = np.cos(heading), np.sin(heading)
    twist = np.zeros((times.size, 6))
    twist[:, 0], twist[:, 1] = c * drift[:, 0] + s * drift[:, 1], -s * drift[:, 0] + c * drift[:, 1]
    twist[:, 5] = rate
    run = made(
        times, attributes={"configuration": json.dumps({"robot": to_plain(TwoBars())})}, link_pose=pose,
        base_twist=twist, joint_position=angle[:, None], joint_velocity=angle_rate[:, None],
    )  # fmt: skip
    return run, pose, np.column_stack([rate, rate + angle_rate])


def test_momentum_and_kinetic_energy_of_two_bars():
    run, pose, spin = swinging()
    chain = TwoBars().chain()
    headings = 2.0 * np.arctan2(pose[..., 6], pose[..., 3])
    center = pose[..., :2] + np.stack([np.cos(headings), np.sin(headings)], -1) * chain.center[None, :, None]
    velocity = np.gradient(center, run.times, axis=0, edge_order=2)
    inner = slice(2, -2)
    momentum = analysis.momentum(run)
    linear = (chain.mass[None, :, None] * velocity).sum(axis=1)
    assert momentum.linear[inner, :2] == pytest.approx(linear[inner], abs=1e-3)
    middle = np.einsum("l,tli->ti", chain.mass, center) / chain.mass.sum()
    arm = center - middle[:, None]
    cross = chain.mass * (arm[..., 0] * velocity[..., 1] - arm[..., 1] * velocity[..., 0])
    angular = (cross + chain.inertia * spin).sum(axis=1)
    assert momentum.angular[inner, 2] == pytest.approx(angular[inner], abs=1e-3)
    assert np.all(momentum.linear_scale >= np.linalg.norm(momentum.linear, axis=1) - 1e-12)
    bodies = bodies_of(TwoBars())
    energy = 0.5 * (chain.mass * (velocity**2).sum(axis=-1) + chain.inertia * spin**2).sum(axis=1)
    assert kinetic_energy(link_motion(run, bodies), bodies)[inner] == pytest.approx(energy[inner], abs=1e-3)


def oscillator(duration=3.0, drag=0.8):
    """One joint that drives a mass against drag: x = sin 2t, so every integral is known."""
    times = np.linspace(0.0, duration, 601)
    rate, acceleration = 2.0 * np.cos(2 * times), -4.0 * np.sin(2 * times)
    torque = 0.5 * acceleration + drag * rate
    return made(
        times, joint_velocity=rate[:, None], joint_torque=torque[:, None], energy_kinetic=0.25 * rate**2,
        power_medium=-drag * rate**2, center_of_mass=np.column_stack([-0.3 * times, 0 * times, 0 * times]),
        base_pose=np.tile([0, 0, 0, 1.0, 0, 0, 0], (601, 1)),
    )  # fmt: skip


def test_energy_balance_closes_and_notices_a_leak():
    run = oscillator()
    balance = analysis.energy_balance(run)
    lost = 0.8 * (2 * 3.0 + 0.5 * np.sin(12.0))
    assert balance.dissipated == pytest.approx(lost, rel=1e-7)
    assert balance.stored == pytest.approx(np.cos(6.0) ** 2 - 1.0, rel=1e-9)
    assert balance.work == pytest.approx(balance.dissipated + balance.stored, rel=1e-7)
    assert balance.residual < 1e-7
    dims, values, unit, meaning = run.variables["power_medium"]
    run.variables["power_medium"] = (dims, 0.9 * values, unit, meaning)
    assert analysis.energy_residual(run) > 0.05


def test_weight_moves_energy_but_loses_none():
    """A stone in free fall under drag: the world's power holds weight and drag, the potential holds weight."""
    times = np.linspace(0.0, 1.0, 401)
    speed, depth = 4.0 * (1 - np.exp(-times)), 4.0 * (times - 1 + np.exp(-times))
    weight, drag = 8.0, 2.0 * speed  # 2 kg, so that 2 dv/dt = 8 - 2 v
    run = made(
        times, joint_velocity=np.zeros((401, 1)), joint_torque=np.zeros((401, 1)), energy_kinetic=speed**2,
        energy_potential=-weight * depth, power_world=(weight - drag) * speed,
    )  # fmt: skip
    balance = analysis.energy_balance(run)
    lost = 32.0 * (1.0 - 2.0 * (1 - np.exp(-1.0)) + 0.5 * (1 - np.exp(-2.0)))
    assert balance.dissipated == pytest.approx(lost, rel=1e-6)
    assert balance.work == 0.0 and balance.residual < 1e-8


def test_power_counts_braking_as_cost():
    times = np.linspace(0.0, np.pi, 1001)
    run = made(times, joint_velocity=np.ones((1001, 1)), joint_torque=np.sin(2 * times)[:, None])
    assert analysis.power(run) == pytest.approx(2.0 / np.pi, rel=1e-4)
    assert analysis.energy_balance(run).work == pytest.approx(0.0, abs=1e-9)


def test_cost_of_transport():
    run = oscillator()
    expected = analysis.power(run) / (2.5 * 9.81 * 0.3)
    assert analysis.cost_of_transport(run, mass=2.5) == pytest.approx(expected)
    with pytest.raises(InvalidValue, match="configuration.robot"):
        analysis.cost_of_transport(run)
